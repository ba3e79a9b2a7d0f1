title: with --auth REST needs a token as MCP does
over: http
http options: --auth $here/auth/auth.json --allow-origin https://page.example

> GET /api
< 401 {"status":401,"code":"UNAUTHORIZED","type":"/api/errors/UNAUTHORIZED", ...}
<@ WWW-Authenticate: ~"^Bearer resource_metadata=.*scope=\"tools\"$"
> GET /openapi.json
< 401 ...
> GET /api/percentage-calculator?mode=of&a=15&b=200
< 401 ...
>@ Authorization: Bearer $token({"sub":"guest","scope":"write"})
> GET /api/percentage-calculator?mode=of&a=15&b=200
< 403 {"status":403,"code":"INSUFFICIENT_SCOPE", ...}
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools"})
> GET /api/percentage-calculator?mode=of&a=15&b=200
< {"result":30, ...}
<@ Cache-Control: private, no-cache
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools"})
>@ Origin: https://page.example
> GET /openapi.json
< {"openapi":"3.1.0","security":[{"bearer":[]}], ...}
<@ Access-Control-Allow-Origin: https://page.example
# A browser asks without a token whether it may ask with one.
>@ Origin: https://page.example
>@ Access-Control-Request-Method: POST
> OPTIONS /api/percentage-calculator
< 204
<@ Access-Control-Allow-Headers: ~"Authorization"
