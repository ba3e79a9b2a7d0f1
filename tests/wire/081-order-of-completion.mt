title: a slow call does not hold up a fast one
server: fixture

> {"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":3000}}}
> {"jsonrpc":"2.0","id":"fast","method":"tools/call","params":{$meta,"name":"greet","arguments":{"name":"you"}}}
< {"jsonrpc":"2.0","id":"fast","result":{"structuredContent":{"greeting":"Hello, you!"}, ...}}
< {"jsonrpc":"2.0","id":"slow","result":{"structuredContent":{"running":0,"cancelled":0,"finished":1}, ...}}
