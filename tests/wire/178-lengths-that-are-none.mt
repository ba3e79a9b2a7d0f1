title: a length is decimal digits and nothing else
over: http

>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: +5\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0x5\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5a\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length:\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: \r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5 \r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5;\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: "5"\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5.0\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12345678901234567890\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: $repeat(0,40)5\r\n\r\n12345GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"no number","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
