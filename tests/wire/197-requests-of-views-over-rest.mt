title: http_request is for hosts, not for programs
over: http
server: fixture
http options: --mounts

>@ Content-Type: application/json
> POST /api/http_request {"url":"/api"}
< 403 {"code":"VIEW_ONLY","status":403, ...}
> GET /mirror
< 404 ...
