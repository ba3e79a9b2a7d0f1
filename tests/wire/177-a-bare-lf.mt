title: LF alone ends no line (RFC 9112, 2.2 leaves it open)
over: http

>! GET /healthz HTTP/1.1\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"CR or LF alone","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"CR or LF alone","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\n\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"CR or LF alone","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! \nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"CR or LF alone","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
