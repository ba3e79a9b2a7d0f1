title: a cancelled call stops and is not answered
server: fixture
over: stdio

> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":60000}}}
>~ {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":0}}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"running":1,"cancelled":0,"finished":0}, ...}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{$meta,"requestId":7,"reason":"bored"}}
>~ {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":0}}}
< {"jsonrpc":"2.0","id":8,"result":{"structuredContent":{"running":0,"cancelled":1,"finished":0}, ...}}
