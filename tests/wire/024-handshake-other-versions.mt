title: a version that is not known is answered with the newest that has a handshake

> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01","capabilities":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"","capabilities":{}}}
< {"jsonrpc":"2.0","id":3,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":~"protocolVersion","data":{"code":"MISSING_FIELD"}}}
