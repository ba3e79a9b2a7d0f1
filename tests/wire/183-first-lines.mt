title: the first line of a request, by the letter
over: http

>! GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz  HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET\t/healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\s\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! \sGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /heal thz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz http/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.10\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/x.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! G(T /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /heal\0thz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! \r\n\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! $repeat(G,40) /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"first line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"no proxy","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n
<! 505 {"status":505,"code":"BAD_FORMAT", ...}
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: $repeat(x,9000)\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 431 {"status":431,"code":"LIMIT_EXCEEDED", ...}
<@ Connection: close
<! closed
# An empty line before it is skipped; methods are told apart by case.
>! \r\nget /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n
<! 405 ...
<! closed
