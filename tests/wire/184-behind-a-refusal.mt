title: requests before a refused one are answered, those behind it never run
over: http

>! GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 200 {"status":"ok", ...}
<! 200 {"status":"ok", ...}
<! 400 {"status":400,"detail":~"name","code":"BAD_FORMAT", ...}
<@ Connection: close
<! closed
# A call that runs on a worker is answered first, too.
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\nContent-Length: 187\r\n\r\n{"jsonrpc":"2.0","id":"a-discovery","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! {"jsonrpc":"2.0","id":"a-discovery","result":{...}}
<! 400 {"status":400,"detail":~"both","code":"BAD_FORMAT", ...}
<! closed
# What follows a request that closes belongs to none.
>! GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: X, close\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n
<! 200 {"status":"ok", ...}
<! closed
>! GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n\0\0
<! 200 {"status":"ok", ...}
<! closed
# HTTP/1.0 has no way to tell what a second answer is one to.
>! GET /healthz HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n\0\0
<! 200 {"status":"ok", ...}
<! closed
# A body that goes on for longer than anybody reads.
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 600000\r\n\r\n$repeat(x,600000)
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"twice","data":{"code":"BAD_FORMAT"}}}
<! closed
