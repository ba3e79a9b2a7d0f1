title: a body that comes in chunks, without a length
over: http

>@ Transfer-Encoding: chunked
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
>@ Transfer-Encoding: chunked
> {"jsonrpc":"2.0","id":2,"method":"x","params":{"a":"$repeat(a,4300000)"}}
< 413 {"jsonrpc":"2.0","error":{"data":{"code":"LIMIT_EXCEEDED"}, ...}}
