title: a call of a session tells how far it is, to who asked for it
over: http
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"steps":2},"_meta":{"progressToken":"p"}}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2, ...}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2,"total":2, ...}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"counted":2}, ...}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count","arguments":{"steps":2}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"counted":2}, ...}}
<@ Content-Type: application/json
# Who takes no stream is told nothing.
>@ Accept: application/json
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count","arguments":{"steps":2},"_meta":{"progressToken":"p"}}}
< {"jsonrpc":"2.0","id":3,"result":{"structuredContent":{"counted":2}, ...}}
<@ Content-Type: application/json
