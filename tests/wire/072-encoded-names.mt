title: Mcp-Name as base64, strictly
over: http

# percentage-calculator
>@ Mcp-Name: =?base64?cGVyY2VudGFnZS1jYWxjdWxhdG9y?=
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":1}}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{...}, ...}}
# calculate: well-formed, another name
>@ Mcp-Name: =?base64?Y2FsY3VsYXRl?=
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":1}}}
< 400 {"jsonrpc":"2.0","id":2,"error":{"code":-32020, ...}}
# hash, whose padding is missing, is wrong, or is followed by more
>@ Mcp-Name: =?base64?aGFzaA?=
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"hash","arguments":{}}}
< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32020,"message":~"base64", ...}}
>@ Mcp-Name: =?base64?aGFzaB==?=
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$meta,"name":"hash","arguments":{}}}
< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32020, ...}}
>@ Mcp-Name: =?base64?aGF!!!zaA==?=
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$meta,"name":"hash","arguments":{}}}
< 400 {"jsonrpc":"2.0","id":5,"error":{"code":-32020, ...}}
# Only one of the two markers: a literal value.
>@ Mcp-Name: =?base64?aGFzaA==
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{$meta,"name":"=?base64?aGFzaA==","arguments":{}}}
< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":~"Unknown tool", ...}}
>@ Mcp-Name: aGFzaA==?=
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$meta,"name":"aGFzaA==?=","arguments":{}}}
< {"jsonrpc":"2.0","id":7,"error":{"code":-32602, ...}}
>@ Mcp-Name: =?BASE64?aGFzaA==?=
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{$meta,"name":"hash","arguments":{}}}
< 400 {"jsonrpc":"2.0","id":8,"error":{"code":-32020, ...}}
# Raw bytes outside ASCII.
>@ Mcp-Name: é
> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{$meta,"name":"é","arguments":{}}}
< 400 {"jsonrpc":"2.0","id":9,"error":{"code":-32020, ...}}
