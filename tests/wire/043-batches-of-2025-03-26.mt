title: batches are refused in the one revision that had them too

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26", ...}}
> [{"jsonrpc":"2.0","id":1,"method":"ping"}]
< 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"batch", ...}}
> {"jsonrpc":"2.0","id":2,"method":"ping"}
< {"jsonrpc":"2.0","id":2,"result":{}}
