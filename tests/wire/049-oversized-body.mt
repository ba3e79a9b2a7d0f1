title: a body that is too large is refused
over: http

> {"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"$repeat(a,4300000)"}}
< 413 {"jsonrpc":"2.0","error":{"code":...,"message":~"large","data":{"code":"LIMIT_EXCEEDED"}}}
> {"jsonrpc":"2.0","id":3,"method":"server/discover","params":{$meta,"a":"$repeat(a,4000000)"}}
< {"jsonrpc":"2.0","id":3,"result":{...}}
