title: a cancellation that names no running call changes nothing
server: fixture
over: stdio

> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":200}}}
# The text "7" is not the number 7.
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{$meta,"requestId":"7"}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{$meta,"requestId":70}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{$meta}}
< {"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"running":0,"cancelled":0,"finished":1}, ...}}
# Too late.
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{$meta,"requestId":7}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":0}}}
< {"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"running":0,"cancelled":0,"finished":1}, ...}}
