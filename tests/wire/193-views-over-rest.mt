title: a tool for views alone is none of REST
over: http
server: fixture
http options: --views

> GET /api/throw_again
< 403 {"code":"VIEW_ONLY","status":403, ...}
> POST /api/throw_again {}
< 403 {"code":"VIEW_ONLY","status":403,"detail":~"Only views of this server may call throw_again", ...}
> POST /api/throw_dice {}
< 200 {"points":7,"views":false}
