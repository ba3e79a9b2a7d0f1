title: a session that ends takes its calls along, and they clean up
over: http
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"careful","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"elicitation/create", ...}
> DELETE /mcp
< end
< 204
>~ {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"cleanings","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"cleaned":1}, ...}}
