title: POST of JSON to /mcp, and nothing else
over: http

>@ MCP-Protocol-Version: 2026-07-28
> GET /mcp
< 405 ...
<@ Allow: ~"POST"
# It depends on headers, and a cache keeps a 404 or 405 that does not say (RFC 9110, 15.1).
<@ Cache-Control: no-store
>@ Accept: text/event-stream
>@ Mcp-Session-Id: of-nobody
> GET /mcp
< 404 ...
<@ Cache-Control: no-store
>@ MCP-Protocol-Version: 2026-07-28
> DELETE /mcp
< 405 {"jsonrpc":"2.0","error":{"code":-32600,"data":{"code":"METHOD_NOT_ALLOWED", ...}, ...}}
<@ Allow: ~"POST"
> PUT /mcp {"jsonrpc":"2.0","id":1,"method":"ping"}
< 405 ...
>@ Content-Type: text/plain
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 415 {"jsonrpc":"2.0","error":{"message":~"application/json","data":{"code":"UNSUPPORTED_MEDIA_TYPE", ...}, ...}}
>@ -Content-Type
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 415 ...
>@ Accept: text/html
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 406 {"jsonrpc":"2.0","error":{"message":~"application/json","data":{"code":"NOT_ACCEPTABLE", ...}, ...}}
>@ Accept: application/json
>@ +Accept: text/html
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
>@ Accept: text/event-stream
> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
>
< 400 {"jsonrpc":"2.0","error":{"code":-32700, ...}}
