title: before a handshake a request without a version is told so, never left waiting
over: stdio

> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":~"initialize","data":{"code":"MISSING_FIELD"}}}
> {"jsonrpc":"2.0","id":2,"method":"server/discover"}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32602, ...}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"percentage-calculator"}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602, ...}}
> {"jsonrpc":"2.0","id":4,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":4,"result":{...}}
