title: a reply that repeats the request is sent, or refused where its head has no room
over: http
http options: --allow-origin *

# The headers that a page asks about. A refusal leaves the connection as it was.
>! OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nAccess-Control-Request-Headers: Mcp-Param-$repeat(a,2000)\r\nConnection: close\r\n\r\n
<! 204
<@ Access-Control-Allow-Headers: ~"Mcp-Param-a{2000}"
<! closed
>! OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nAccess-Control-Request-Headers: Mcp-Param-$repeat(a,3700)\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n
<! 431 {"status":431,"detail":~"repeat","code":"LIMIT_EXCEEDED", ...}
<! 200 {"status":"ok", ...}
<! closed
>! OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nAccess-Control-Request-Headers: Mcp-Param-$repeat(a,2000)\r\nX: $repeat(x,4500)\r\nConnection: close\r\n\r\n
<! 431 {"status":431,"detail":~"repeat","code":"LIMIT_EXCEEDED", ...}
<! closed
# No origin is longer than scheme, host name and port; no port has six digits.
>! GET /api HTTP/1.1\r\nHost: localhost\r\nOrigin: https://$repeat(a,250).example\r\nConnection: close\r\n\r\n
<! 200 ...
<@ Access-Control-Allow-Origin: ~"^https://a{250}[.]example$"
<! closed
>! GET /api HTTP/1.1\r\nHost: localhost\r\nOrigin: https://$repeat(a,4200).example\r\nConnection: close\r\n\r\n
<! 403 ...
<@ -Access-Control-Allow-Origin
<! closed
>! GET /api HTTP/1.1\r\nHost: localhost\r\nOrigin: https://$repeat(a,2000).example\r\nX: $repeat(x,4000)\r\nConnection: close\r\n\r\n
<! 403 ...
<! closed
>! GET /healthz HTTP/1.1\r\nHost: localhost:000080\r\nConnection: close\r\n\r\n
<! 403 ...
<! closed
# A head that is nearly too long leaves less for trailers.
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: $repeat(x,6300)\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: $repeat(x,300)\r\n\r\n
<! 415 ...
<! closed
>! POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: $repeat(x,6900)\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: $repeat(x,900)\r\n\r\n
<! 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"trailers","data":{"code":"BAD_FORMAT"}}}
<! closed
