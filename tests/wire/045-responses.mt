title: on a pipe an answer to nothing is ignored
over: stdio

> {"jsonrpc":"2.0","id":1,"result":{}}
> {"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}
> {"jsonrpc":"2.0","error":{"code":-32700,"message":"what?"}}
> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{$meta},"result":{}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32600, ...}}
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
