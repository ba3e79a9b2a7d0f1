title: an id comes back with its own type and every digit

> {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":0,"result":{...}}
> {"jsonrpc":"2.0","id":"0","method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":"0","result":{...}}
> {"jsonrpc":"2.0","id":-12,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":-12,"result":{...}}
> {"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":123456789012345678901234567890,"result":{...}}
> {"jsonrpc":"2.0","id":"é \"🍋\" \\ \u0000","method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":"é \"🍋\" \\ \u0000","result":{...}}
> {"jsonrpc":"2.0","id":"x","method":"no/such","params":{$meta}}
< 404 {"jsonrpc":"2.0","id":"x","error":{"code":-32601, ...}}
> {"jsonrpc":"2.0","id":null,"method":"server/discover","params":{$meta}}
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> {"jsonrpc":"2.0","id":1.5,"method":"server/discover","params":{$meta}}
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
