title: the tools over plain HTTP and JSON
over: http

> GET /api
< {"tools":[{"name":"base-converter","pure":true,"links":{"call":"/api/base-converter"}, ...}, ...],"total":19,"links":{"describedby":"/openapi.json"}}
<@ Content-Type: application/json
<@ ETag: ~"^\"[0-9a-f]{16}\"$"

# One engine, by either method, has the same bytes.
>@ Content-Type: application/json
> POST /api/percentage-calculator {"mode":"of","a":15,"b":200}
< {"result":30,"formula":"(15 / 100) × 200","explanation":"15% of 200"}
<@ Cache-Control: no-store
> GET /api/percentage-calculator?mode=of&a=15&b=200
< {"result":30,"formula":"(15 / 100) × 200","explanation":"15% of 200"}
<@ Cache-Control: public, no-cache
<@ ETag: ~"^\"[0-9a-f]{32}\"$"
<@ X-Content-Type-Options: nosniff
>@ If-None-Match: *
> GET /api/percentage-calculator?mode=of&a=15&b=200
< 304
# What was asked for by POST is no representation of something: it has its answer.
>@ Content-Type: application/json
>@ If-None-Match: *
> POST /api/percentage-calculator {"mode":"of","a":15,"b":200}
< {"result":30, ...}
> HEAD /api/percentage-calculator?mode=of&a=15&b=200
< 200

# What is refused, and how.
> GET /api/percentage-calculator?mode=ratio&a=1&b=0
< 422 {"type":"/api/errors/FAILED","title":"the handler refused the input; its own code says why","status":422,"detail":~"ratio","code":"DIVISION_BY_ZERO","pointer":"/b"}
<@ Content-Type: application/problem+json
<@ Cache-Control: no-store
> GET /api/percentage-calculator?mode=of&a=x&b=200
< 422 {"type":"/api/errors/WRONG_TYPE","code":"WRONG_TYPE","pointer":"/a","status":422, ...}
> GET /api/errors/WRONG_TYPE
< {"code":"WRONG_TYPE","title":"a value has another type than its schema","status":422,"retryable":false}
> GET /api/percentage-calculator?a=%4
< 400 {"code":"BAD_FORMAT","status":400, ...}
# As many parts as a query may have, and more of them than are taken.
> GET /api/percentage-calculator?mode=of$repeat(&a=1,127)
< 400 {"code":"DUPLICATE_FIELD","pointer":"/a", ...}
> GET /api/percentage-calculator?mode=of$repeat(&a=1,128)
< 414 {"code":"LIMIT_EXCEEDED", ...}
> GET /api?$repeat(&a,2000)
< 414 {"code":"LIMIT_EXCEEDED", ...}
> GET /api/percentage-calculator?mode.=of&a=15&b=200
< 422 {"code":"WRONG_TYPE","pointer":"/mode", ...}
> GET /api/percentage-calculatr
< 404 {"code":"NOT_FOUND","detail":~"did you mean", ...}
>@ Content-Type: text/plain
> POST /api/percentage-calculator {"mode":"of","a":15,"b":200}
< 415 {"status":415,"code":"UNSUPPORTED_MEDIA_TYPE", ...}
>@ Accept: text/html
> GET /api
< 406 {"status":406,"code":"NOT_ACCEPTABLE", ...}
> DELETE /api/percentage-calculator
< 405 {"status":405,"code":"METHOD_NOT_ALLOWED", ...}
<@ Allow: GET, HEAD, POST, OPTIONS
>@ Host: evil.example
> GET /api
< 403 {"code":"FORBIDDEN","type":"/api/errors/FORBIDDEN", ...}
> GET /api/calls/AAAAAAAAAAAAAAAAAAAAAA
< 404 {"code":"NOT_FOUND", ...}

> GET /openapi.json
< {"openapi":"3.1.0","paths":{"/api/percentage-calculator":{"get":{...},"post":{...}}, ...}, ...}
