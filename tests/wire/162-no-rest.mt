title: REST can be left out
over: http
http options: --no-rest

> GET /api
< 404 {"code":"NOT_FOUND", ...}
> POST /api/percentage-calculator {"mode":"of","a":15,"b":200}
< 404 ...
> GET /openapi.json
< 404 ...
> GET /healthz
< ...
