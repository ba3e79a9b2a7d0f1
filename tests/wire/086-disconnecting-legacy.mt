title: a client with a handshake that goes away has not cancelled
server: fixture
over: http

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"milliseconds":5000}}}
>~ {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":0}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"running":1,"cancelled":0,"finished":0}, ...}}
! disconnect 0
>~ {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":0}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"running":0,"cancelled":0,"finished":1}, ...}}
