title: a server that is not told so has no page that hosts views
over: http

> GET /host
< 404 {"code":"NOT_FOUND", ...}
> POST /host/rpc {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{$meta}}
< 404 {"code":"NOT_FOUND", ...}
>@ Host: k3v9x1q7.localhost:$port
> GET /sandbox
< 403 {"code":"FORBIDDEN", ...}
