title: a page that may call reads why the server itself refused it
over: http
http options: --allow-origin https://page.example

>@ Origin: https://page.example
>@ Content-Type: application/json
> POST /api/percentage-calculator {"mode":"$repeat(x,5000000)"}
< 413 {"code":"LIMIT_EXCEEDED", ...}
<@ Access-Control-Allow-Origin: https://page.example
<@ Vary: Origin
# Of another origin nothing is said, nor where nobody asks.
>@ Origin: https://elsewhere.example
> GET /api
< 403 {"code":"FORBIDDEN", ...}
<@ -Access-Control-Allow-Origin
>@ Content-Type: application/json
> POST /api/percentage-calculator {"mode":"$repeat(x,5000000)"}
< 413 {"code":"LIMIT_EXCEEDED", ...}
<@ -Access-Control-Allow-Origin
