title: a head that is refused is not asked for its body
over: http

>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"twice","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"both","data":{"code":"BAD_FORMAT"}}}
<@ Connection: close
<! closed
# One that is right is.
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n12345
<! 100
<! 415 ...
<! closed
# Another protocol is asked for and not taken.
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n
<! 200 {"status":"ok", ...}
<! closed
