title: over HTTP a session cancels with a notification, by type and value
server: fixture
over: http

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{...}}
> {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"wait","arguments":{"milliseconds":60000}}}
>~ {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"milliseconds":0}}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"running":1,"cancelled":0,"finished":0}, ...}}
# Another session has no such request, and this one no such id.
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
< 202
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}
< 202
# Its stream ends without a reply.
< 200
>~ {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"milliseconds":0}}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"running":0,"cancelled":1,"finished":0}, ...}}
