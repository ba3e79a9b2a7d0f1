title: what needs a session says so, with no code of the stateless revision
over: http

> {"jsonrpc":"2.0","id":1,"method":"ping"}
< 400 {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":~"initialize","data":{"code":"MISSING_FIELD"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> [{"jsonrpc":"2.0","id":1,"method":"ping"}]
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
>@ Accept: text/event-stream
> GET /mcp
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> DELETE /mcp
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
>@ MCP-Protocol-Version: 2025-06-18
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< 400 {"jsonrpc":"2.0","id":2,"error":{"code":-32600, ...}}
# Neither era knows it.
>@ MCP-Protocol-Version: 1999-01-01
> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32022,"data":{"supported":["2026-07-28"],"requested":"1999-01-01", ...}, ...}}
# An id that was never given out, of any form.
>@ Mcp-Session-Id: 8Jw0Vv5v0yQe3Jb3mK0b9wz3x4q1aXo7sC5rT2uN6pM
> {"jsonrpc":"2.0","id":4,"method":"ping"}
< 404 {"jsonrpc":"2.0","id":4,"error":{"code":-32600, ...}}
>@ Mcp-Session-Id: $repeat(a,300)
> {"jsonrpc":"2.0","id":5,"method":"ping"}
< 404 {"jsonrpc":"2.0","id":5,"error":{"code":-32600, ...}}
# Requests of the stateless revision need none, and get none.
>@ Mcp-Session-Id: nonsense
> {"jsonrpc":"2.0","id":6,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":6,"result":{...}}
<@ -Mcp-Session-Id
