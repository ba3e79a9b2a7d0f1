title: the headers of a stateless request, one mistake at a time
over: http

>@ -MCP-Protocol-Version
> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{$meta}}
< 400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":~"MCP-Protocol-Version","data":{"code":"BAD_FORMAT"}}}
>@ MCP-Protocol-Version: 2025-11-25
> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{$meta}}
< 400 {"jsonrpc":"2.0","id":2,"error":{"code":-32020, ...}}
# Not -32022: first the two must agree, then the version must be known.
> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"v999","io.modelcontextprotocol/clientCapabilities":{}}}}
< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32022, ...}}
>@ MCP-Protocol-Version: 2026-07-28
> {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"v999","io.modelcontextprotocol/clientCapabilities":{}}}}
< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32020, ...}}
>@ -Mcp-Method
> {"jsonrpc":"2.0","id":5,"method":"tools/list","params":{$meta}}
< 400 {"jsonrpc":"2.0","id":5,"error":{"code":-32020,"message":~"Mcp-Method", ...}}
>@ Mcp-Method: TOOLS/LIST
> {"jsonrpc":"2.0","id":6,"method":"tools/list","params":{$meta}}
< 400 {"jsonrpc":"2.0","id":6,"error":{"code":-32020, ...}}
>@ -Mcp-Name
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":1}}}
< 400 {"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":~"Mcp-Name", ...}}
>@ Mcp-Name: calculate
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":1}}}
< 400 {"jsonrpc":"2.0","id":8,"error":{"code":-32020,"message":~"Mcp-Name", ...}}
# An unknown method needs no name.
> {"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{$meta,"name":"x"}}
< 404 {"jsonrpc":"2.0","id":9,"error":{"code":-32601, ...}}
# A body without a version under a modern header.
>@ MCP-Protocol-Version: 2026-07-28
>@ Mcp-Method: tools/list
> {"jsonrpc":"2.0","id":10,"method":"tools/list"}
< 400 {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":~"_meta", ...}}
>@ +Mcp-Method: tools/list
> {"jsonrpc":"2.0","id":11,"method":"tools/list","params":{$meta}}
< 400 {"jsonrpc":"2.0","id":11,"error":{"code":-32020, ...}}
