title: white space before a colon or a name is refused
over: http

>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length : 5\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"name","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"name","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\n\sContent-Length: 5\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"name","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent Length: 5\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"name","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\n: 5\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"name","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"name","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nX\0: y\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"status":400,"detail":~"name","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
