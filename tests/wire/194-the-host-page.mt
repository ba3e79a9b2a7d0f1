title: the page that hosts views sends what a client sends
over: http
http options: --host-page

> POST /host/rpc {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}, ...}, ...}}
> POST /host/rpc {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,
    "name":"percentage-calculator","arguments":{"mode":"of","a":15,"b":200}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"result":30, ...}, ...}}
# A refusal is one of JSON-RPC.
> POST /host/rpc {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"no-such-tool","arguments":{}}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":...,"data":{"code":"NOT_FOUND", ...}}}
>@ Origin: https://elsewhere.example
> POST /host/rpc {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{$meta}}
< 403 {"jsonrpc":"2.0","error":{"code":...,"message":...,"data":{"code":"FORBIDDEN", ...}}}
# The frames of views are pages of this machine, and may not call either.
>@ Origin: http://k3v9x1q7.localhost:$port
> POST /host/rpc {"jsonrpc":"2.0","id":5,"method":"tools/list","params":{$meta}}
< 403 {"jsonrpc":"2.0","error":{"code":...,"message":...,"data":{"code":"FORBIDDEN", ...}}}
>@ Origin: null
> POST /host/rpc {"jsonrpc":"2.0","id":6,"method":"tools/list","params":{$meta}}
< 403 {"jsonrpc":"2.0","error":{"code":...,"message":...,"data":{"code":"FORBIDDEN", ...}}}
# It has no streams and no sessions to end.
> GET /host/rpc
< 405 {"status":405,"code":"METHOD_NOT_ALLOWED", ...}
<@ Allow: POST
> DELETE /host/rpc
< 405 {"status":405,"code":"METHOD_NOT_ALLOWED", ...}
> GET /host/other
< 404 {"code":"NOT_FOUND", ...}
