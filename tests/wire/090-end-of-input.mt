title: when the input ends, what runs is answered first
server: fixture
over: stdio

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":3000}}}
> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{$meta}}
! end
< {"jsonrpc":"2.0","id":2,"result":{...}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"finished":1, ...}, ...}}
