title: over HTTP an answer to nothing is a bad request
over: http

> {"jsonrpc":"2.0","id":1,"result":{}}
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> {"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}}
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
