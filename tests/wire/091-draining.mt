title: told to end, the server answers what runs first
server: fixture
over: http

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":5000}}}
>~ {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":0}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"running":1,"cancelled":0,"finished":0}, ...}}
! terminate
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"running":0,"cancelled":0,"finished":1}, ...}}
