title: another host or origin is forbidden on every route and method
over: http

>@ Host: evil.example
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 403 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"allow-host","data":{"code":"FORBIDDEN"}}}
>@ Host: evil.example:$port
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 403 ...
>@ Host: localhost.evil.example
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 403 ...
>@ Origin: http://evil.example
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 403 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"allow-origin","data":{"code":"FORBIDDEN"}}}
<@ -Access-Control-Allow-Origin
>@ Origin: null
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 403 ...
>@ Origin: http://evil.example
> OPTIONS /mcp
< 403 ...
>@ Host: evil.example
> GET /mcp
< 403 ...
>@ Host: evil.example
> GET /healthz
< 403 ...
>@ Origin: http://evil.example
> GET /healthz
< 403 ...
>@ Host: evil.example
> GET /no-such-page
< 403 ...
# The machine itself, by any of its loopback names.
>@ Host: LOCALHOST:$port
>@ Origin: http://localhost:$port
> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
<@ Access-Control-Allow-Origin: ~"^http://localhost:[0-9]+$"
>@ Host: [::1]:$port
> {"jsonrpc":"2.0","id":3,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":3,"result":{...}}
>@ Host: 127.0.0.1
>@ Origin: http://127.0.0.1
>@ MCP-Protocol-Version: 2026-07-28
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< 202
