title: a call that waits ends when it is cancelled or late, and cleans up
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"careful","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"elicitation/create", ...}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
< 202
< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":@taken, ...}}
< end
>~ {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"cleanings","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"cleaned":1}, ...}}
# Too late for that.
> {"jsonrpc":"2.0","id":$(ask),"result":{"action":"accept","content":{"name":"Ada"}}}
< 202
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"impatient","arguments":{}}}
< {"jsonrpc":"2.0","id":@late,"method":"elicitation/create", ...}
< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":@taken, ...}}
< {"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[{"type":"text","text":~"TIMEOUT"}], ...}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"cleanings","arguments":{}}}
< {"jsonrpc":"2.0","id":4,"result":{"structuredContent":{"cleaned":2}, ...}}
