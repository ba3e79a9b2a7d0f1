title: what is no JSON is answered without an id over HTTP, and life goes on
over: http

> nonsense
< 400 {"jsonrpc":"2.0","error":{"code":-32700,"message":~"\\(byte 1\\)","data":{"code":"INVALID_JSON"}}}
> {"jsonrpc":"2.0","id":1,
< 400 {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> {'jsonrpc':'2.0'}
< 400 {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","id":1,"method":"$byte(ff)"}
< 400 {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","id":1,"method":"a$byte(00)b"}
< 400 {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","id":1,"method":"\ud800"}
< 400 {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> $repeat([,100000)
< 413 {"jsonrpc":"2.0","error":{"code":-32700,"message":...,"data":{"code":"LIMIT_EXCEEDED"}}}
> {"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}
< 400 {"jsonrpc":"2.0","error":{"code":-32700,"message":~"id","data":{"code":"DUPLICATE_FIELD"}}}
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
