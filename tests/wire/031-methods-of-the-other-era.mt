title: each era knows only its own methods

> {"jsonrpc":"2.0","id":1,"method":"ping","params":{$meta}}
< 404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":~"ping","data":{"code":"NOT_FOUND"}}}
> {"jsonrpc":"2.0","id":2,"method":"initialize","params":{$meta,"protocolVersion":"2025-11-25"}}
< 404 {"jsonrpc":"2.0","id":2,"error":{"code":-32601, ...}}
> {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
< {"jsonrpc":"2.0","id":3,"result":{...}}
> {"jsonrpc":"2.0","id":4,"method":"server/discover"}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32601, ...}}
> {"jsonrpc":"2.0","id":5,"method":"resources/list"}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32601, ...}}
> {"jsonrpc":"2.0","id":6,"method":"tasks/result","params":{$meta}}
< 404 {"jsonrpc":"2.0","id":6,"error":{"code":-32601, ...}}
