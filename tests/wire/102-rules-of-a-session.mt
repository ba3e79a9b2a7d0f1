title: in a session its own revision counts
over: http
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26", ...}}
# Another one that is spoken here does no harm: there is still no structure.
>@ MCP-Protocol-Version: 2025-11-25
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":~"Ada"}]}}
>@ -MCP-Protocol-Version
> {"jsonrpc":"2.0","id":2,"method":"ping"}
< {"jsonrpc":"2.0","id":2,"result":{}}
>@ MCP-Protocol-Version: garbage
> {"jsonrpc":"2.0","id":3,"method":"ping"}
< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"data":{"code":"UNKNOWN_FIELD"}, ...}}
>@ MCP-Protocol-Version: garbage
> DELETE /mcp
< 400 ...
# A session begins once.
>@ Mcp-Session-Id: whatever
> {"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32600,"data":{"code":"ALREADY_EXISTS"}, ...}}
# Stateless requests go on beside it.
> {"jsonrpc":"2.0","id":5,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete", ...}}
# Which has neither GET nor DELETE.
>@ MCP-Protocol-Version: 2026-07-28
> DELETE /mcp
< 405 ...
>@ Accept: application/json
> GET /mcp
< 406 ...
>@ Origin: http://evil.example
> DELETE /mcp
< 403 ...
> {"jsonrpc":"2.0","id":6,"method":"ping"}
< {"jsonrpc":"2.0","id":6,"result":{}}
