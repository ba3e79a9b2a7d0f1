title: batches are refused in all other revisions

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18", ...}}
> [{"jsonrpc":"2.0","id":1,"method":"ping"}]
< 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"batch","data":{"code":"WRONG_TYPE"}}}
> {"jsonrpc":"2.0","id":2,"method":"ping"}
< {"jsonrpc":"2.0","id":2,"result":{}}
