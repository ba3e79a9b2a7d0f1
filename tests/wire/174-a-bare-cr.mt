title: CR alone is refused, wherever it is
over: http

>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rContent-Length: 5\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"CR or LF alone","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"CR or LF alone","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\rHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"CR or LF alone","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\n\rXGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"CR or LF alone","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
