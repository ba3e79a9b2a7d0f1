title: a client with a handshake is served without a session
over: http
http options: --sessions off

> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25", ...}}
<@ -Mcp-Session-Id
>@ MCP-Protocol-Version: 2025-11-25
> {"jsonrpc":"2.0","id":2,"method":"ping"}
< {"jsonrpc":"2.0","id":2,"result":{}}
# Another revision by its header; none means 2025-03-26.
>@ MCP-Protocol-Version: 2025-06-18
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":100}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[...],"structuredContent":{...}}}
>@ -MCP-Protocol-Version
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":100}}}
< {"jsonrpc":"2.0","id":4,"result":{"content":[...]}}
>@ MCP-Protocol-Version: garbage
> {"jsonrpc":"2.0","id":5,"method":"ping"}
< 400 {"jsonrpc":"2.0","id":5,"error":{"code":-32022,"data":{"supported":["2026-07-28"],"requested":"garbage", ...}, ...}}
# A handshake has no version yet that its header could get wrong.
>@ MCP-Protocol-Version: 2099-01-01
> {"jsonrpc":"2.0","id":6,"method":"initialize","params":{"protocolVersion":"2099-01-01","capabilities":{}}}
< {"jsonrpc":"2.0","id":6,"result":{"protocolVersion":"2025-11-25", ...}}
# A session of some other server.
>@ Mcp-Session-Id: abc
> {"jsonrpc":"2.0","id":7,"method":"ping"}
< {"jsonrpc":"2.0","id":7,"result":{}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< 202
