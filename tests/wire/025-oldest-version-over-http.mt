title: 2024-11-05 over HTTP is answered with what HTTP can serve
over: http

> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25", ...}}
