title: notifications are accepted without a word

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{...}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< 202
> {"jsonrpc":"2.0","method":"notifications/no-such","params":{"a":1}}
< 202
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99,"reason":"never sent"}}
< 202
> {"jsonrpc":"2.0","method":"notifications/cancelled"}
< 202
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{$meta,"requestId":{}}}
< 202
> {"jsonrpc":"2.0","method":"tools/call","params":{$meta,"name":"percentage-calculator"}}
< 202
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
