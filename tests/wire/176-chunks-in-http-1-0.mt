title: chunks in HTTP/1.0 are refused
over: http

>! POST /mcp HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"HTTP/1.0","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"HTTP/1.0","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
