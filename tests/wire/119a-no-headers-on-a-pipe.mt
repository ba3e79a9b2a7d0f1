title: on a pipe nothing is repeated, and every name is as it is
over: stdio
server: fixture

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"region":"Zürich","count":42.0}}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"routed":{"region":"Zürich","count":42}}, ...}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"region":null}}}
< {"jsonrpc":"2.0","id":2,"result":{"isError":true,"_meta":{"mica/error":{"code":"WRONG_TYPE","path":"/region", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{$meta,"name":"=?base64?dGFsaw==?="}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"data":{"code":"NOT_FOUND"}, ...}}
