title: names of headers have no case, and white space around a value does not count
over: http

>@ -MCP-Protocol-Version
>@ -Mcp-Method
>@ -Mcp-Name
>@ +mcp-protocol-version:   2026-07-28  
>@ +MCP-METHOD: 	tools/call
>@ +mCp-NaMe:  percentage-calculator	
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":1}}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{...}, ...}}
>@ Content-Type: Application/JSON; charset=utf-8
>@ Accept: */*
> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
>@ -Accept
> {"jsonrpc":"2.0","id":3,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":3,"result":{...}}
# Headers of sessions mean nothing to a stateless request.
>@ Mcp-Session-Id: no-such-session
>@ Last-Event-ID: 7
>@ Mcp-Param-Region: x
> {"jsonrpc":"2.0","id":4,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":4,"result":{...}}
<@ -Mcp-Session-Id
