title: a value that goes on in the next line is refused
over: http

>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n\tb\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n \r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"one line","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"coding|Encoding","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
