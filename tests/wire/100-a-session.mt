title: a session from its beginning to its end
over: http

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
<@ Mcp-Session-Id: ~"^[!-~]{32,}$"
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< 202
> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"result":{}}
<@ -Mcp-Session-Id
# An answer to nothing is accepted; a client may be confused.
> {"jsonrpc":"2.0","id":7,"result":{}}
< 202
> DELETE /mcp
< 204
> {"jsonrpc":"2.0","id":2,"method":"ping"}
< 404 {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":~"initialize","data":{"code":"NOT_FOUND"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< 404 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> GET /mcp
< 404 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> DELETE /mcp
< 404 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18", ...}}
> {"jsonrpc":"2.0","id":3,"method":"ping"}
< {"jsonrpc":"2.0","id":3,"result":{}}
