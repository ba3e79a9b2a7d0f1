title: NUL in a value is refused; it cuts neither Host nor Origin short
over: http

>! GET /healthz HTTP/1.1\r\nHost: localhost\0.evil.example\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"control character","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\0\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"control character","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\0.evil.example\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"control character","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\0\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"control character","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a$byte(7f)b\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"control character","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
