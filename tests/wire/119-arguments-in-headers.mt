title: arguments that a tool has repeated in headers, and names outside ASCII
over: http
server: fixture

# [HTTP-PARAM] Integers by their value, all else letter by letter.
>@ Mcp-Param-Region: eu
>@ Mcp-Param-Count: 42.0
>@ mcp-param-DRY-RUN: true
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"region":"eu","count":42,"dry":true}}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"routed":{"region":"eu","count":42,"dry":true}}, ...}}
>@ Mcp-Param-Count: 42
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"count":42.0}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"routed":{"count":42}}, ...}}
>@ Mcp-Param-Count: 42.5
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"count":42}}}
< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32020,"message":~"Mcp-Param-Count", ...}}
>@ Mcp-Param-Dry-Run: TRUE
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"dry":true}}}
< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32020,"message":~"Mcp-Param-Dry-Run", ...}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"region":"eu"}}}
< 400 {"jsonrpc":"2.0","id":5,"error":{"code":-32020,"message":~"Mcp-Param-Region is missing", ...}}
# What is null or absent has no header; a null that the schema forbids is its matter.
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"region":null}}}
< {"jsonrpc":"2.0","id":6,"result":{"isError":true,"_meta":{"mica/error":{"code":"WRONG_TYPE","path":"/region", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{}}}
< {"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"routed":{}}, ...}}
>@ Mcp-Param-Region: eu
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"region":null}}}
< 400 {"jsonrpc":"2.0","id":8,"error":{"code":-32020,"message":~"without its argument", ...}}
# [HTTP-SENTINEL] Zürich, then the same with a stray bit.
>@ Mcp-Param-Region: =?base64?WsO8cmljaA==?=
> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"region":"Zürich"}}}
< {"jsonrpc":"2.0","id":9,"result":{"structuredContent":{"routed":{"region":"Zürich"}}, ...}}
>@ Mcp-Param-Region: =?base64?WsO8cmljaB==?=
> {"jsonrpc":"2.0","id":10,"method":"tools/call","params":{$meta,"name":"test_x_mcp_header","arguments":{"region":"Zürich"}}}
< 400 {"jsonrpc":"2.0","id":10,"error":{"code":-32020,"message":~"malformed", ...}}
# No prompt here has such a name; one that is encoded well gets as far as that.
>@ Mcp-Name: =?base64?R3LDvMOfZQ==?=
> {"jsonrpc":"2.0","id":12,"method":"prompts/get","params":{$meta,"name":"Grüße"}}
< {"jsonrpc":"2.0","id":12,"error":{"code":-32602,"message":~"Grüße","data":{"code":"NOT_FOUND"}}}
>@ Mcp-Name: Grüße
> {"jsonrpc":"2.0","id":13,"method":"prompts/get","params":{$meta,"name":"Grüße"}}
< 400 {"jsonrpc":"2.0","id":13,"error":{"code":-32020,"message":~"Mcp-Name", ...}}
# A client of the handshake sends none of these.
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{...}}
> {"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"test_x_mcp_header","arguments":{"region":"eu"}}}
< {"jsonrpc":"2.0","id":14,"result":{"structuredContent":{"routed":{"region":"eu"}}, ...}}
