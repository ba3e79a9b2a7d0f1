title: one Host, and nothing in it but a host
over: http

>! GET /healthz HTTP/1.1\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one Host","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one Host","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one Host","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: user@localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one Host","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost/x\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one Host","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost evil.example\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one Host","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost,evil.example\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one Host","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: local\thost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one Host","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\\evil\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one Host","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
# Empty, it names no host that is allowed.
>! GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n
<! 403 ...
<! closed
# A target that names its host goes before the header (RFC 9112, 3.2.2).
>! GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n
<! 403 ...
<! closed
# Whatever the case of the scheme (RFC 3986, 3.1).
>! GET HTtP://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n
<! 403 ...
<! closed
>! GET HTTP://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n
<! 200 ...
<! closed
