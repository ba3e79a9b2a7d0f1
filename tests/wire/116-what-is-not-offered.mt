title: a server without resources and prompts has no methods for them

> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{...}}, ...}}
> {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{$meta}}
< 404 {"jsonrpc":"2.0","id":2,"error":{"code":-32601, ...}}
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{$meta,"uri":"test://static-text"}}
< 404 {"jsonrpc":"2.0","id":3,"error":{"code":-32601, ...}}
> {"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{$meta}}
< 404 {"jsonrpc":"2.0","id":4,"error":{"code":-32601, ...}}
> {"jsonrpc":"2.0","id":5,"method":"completion/complete","params":{$meta}}
< 404 {"jsonrpc":"2.0","id":5,"error":{"code":-32601, ...}}
