title: a request with both lengths is refused once, and what follows never runs
over: http

>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"both","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"both","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\ntransfer-encoding:\tCHUNKED\r\ncontent-length: 0\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"both","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
