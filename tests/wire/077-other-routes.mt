title: health, and pages that are not there
over: http

> GET /healthz
< ...
> GET /no-such-page
< 404 ...
> POST /mcp/more {"jsonrpc":"2.0","id":1,"method":"ping"}
< 404 ...
# A path is what all of it says, and what is no text is not repeated.
> GET /healthz%00more
< 404 {"code":"NOT_FOUND", ...}
> GET /healthz%00
< 404 {"code":"NOT_FOUND", ...}
# A proxy that keeps clients from a path compares names: an encoded slash is a part of one.
> GET /api%2Ferrors/NOT_FOUND
< 404 {"code":"NOT_FOUND", ...}
> GET /api/errors%2fNOT_FOUND
< 404 {"code":"NOT_FOUND", ...}
> GET /api/errors/NOT_FOUND
< 200 ...
> GET /web/%ff%22
< 404 {"code":"NOT_FOUND","detail":"there is no file /web/", ...}
> POST /web/%ff
< 405 {"status":405,"code":"METHOD_NOT_ALLOWED", ...}
