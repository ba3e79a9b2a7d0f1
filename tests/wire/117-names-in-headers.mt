title: Mcp-Name repeats the URI that is read, or the prompt
over: http
server: fixture

>@ Mcp-Name: =?base64?dGVzdDovL3dlYXRoZXIvWsO8cmljaA==?=
> {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{$meta,"uri":"test://weather/Zürich"}}
< {"jsonrpc":"2.0","id":1,"result":{"contents":[{"text":~"sun in Zürich", ...}], ...}}
>@ Mcp-Name: test://weather/Bonn
> {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{$meta,"uri":"test://weather/Rome"}}
< 400 {"jsonrpc":"2.0","id":2,"error":{"code":-32020,"message":~"Mcp-Name", ...}}
>@ -Mcp-Name
> {"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{$meta,"name":"test_simple_prompt"}}
< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32020,"message":~"Mcp-Name", ...}}
>@ Mcp-Name: talk
> {"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{$meta,"name":"test_simple_prompt"}}
< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32020, ...}}
# What is wrong with the body is said of the body.
>@ Mcp-Name: test://static-text
> {"jsonrpc":"2.0","id":6,"method":"resources/read","params":{$meta}}
< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"data":{"code":"MISSING_FIELD"}, ...}}
# Lists and completion have no name.
> {"jsonrpc":"2.0","id":5,"method":"prompts/list","params":{$meta}}
< {"jsonrpc":"2.0","id":5,"result":{...}}
