title: a host carries the HTTP requests of its views
server: fixture
stdio options: --mounts
http options: --mounts

> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{$views}}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[...,
    {"name":"http_request","inputSchema":{"type":"object","required":["url"], ...},"outputSchema":{"required":["status"], ...},
    "_meta":{"mica/requiredCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},"ui":{"visibility":["app"]},
    "openai/widgetAccessible":true,"openai/visibility":"private"}, ...}],"cacheScope":"private", ...}}
# REST, with the tools that views may call.
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/api/throw_again","method":"POST","body":{},"bodyType":"json"}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"POST /api/throw_again: HTTP 200, 25 bytes"}],
    "structuredContent":{"status":200,"headers":{"content-type":"application/json", ...},"body":"{\"points\":7,\"views\":true}","bodyType":"text",
    "url":"/api/throw_again","redirected":false,"ok":true}, ...}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/api/count_dice","method":"POST","body":{}}}}
< {"jsonrpc":"2.0","id":3,"result":{"structuredContent":{"status":403,"body":~"\"code\":\"MODEL_ONLY\"","ok":false, ...}, ...}}
# What the program mounts.
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/mirror/a/../b?c=d","method":"PUT","headers":{"X-Tenant":"t"},"body":"hello"}}}
< {"jsonrpc":"2.0","id":4,"result":{"structuredContent":{"status":200,"headers":{"content-type":"application/json"},
    "body":"{\"method\":\"PUT\",\"path\":\"/mirror/b\",\"query\":\"c=d\",\"headers\":{\"x-tenant\":\"t\",\"content-type\":\"text/plain;charset=UTF-8\"},\"body\":\"hello\"}", ...}, ...}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/mirror/bytes"}}}
< {"jsonrpc":"2.0","id":5,"result":{"structuredContent":{"status":200,"body":"AP+AYQ==","bodyType":"base64", ...}, ...}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/mirror/moved"}}}
< {"jsonrpc":"2.0","id":6,"result":{"structuredContent":{"status":200,"url":"/mirror/there?a=1","redirected":true, ...}, ...}}
# A failure of the tool is one of the network to the view.
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/mirror/fails"}}}
< {"jsonrpc":"2.0","id":7,"result":{"isError":true,"_meta":{"mica/error":{"code":"MIRROR_BROKEN", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/mirror/moved?out"}}}
< {"jsonrpc":"2.0","id":8,"result":{"isError":true,"_meta":{"mica/error":{"code":"BAD_FORMAT", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/mirror/../mcp"}}}
< {"jsonrpc":"2.0","id":9,"result":{"isError":true,"_meta":{"mica/error":{"code":"NOT_MOUNTED", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":10,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"https://example.org/api"}}}
< {"jsonrpc":"2.0","id":10,"result":{"isError":true,"_meta":{"mica/error":{"code":"BAD_FORMAT","path":"url", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":11,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/api","headers":{"Cookie":"a=b"}}}}
< {"jsonrpc":"2.0","id":11,"result":{"isError":true,"_meta":{"mica/error":{"code":"HEADER_REFUSED", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":12,"method":"tools/call","params":{$views,"name":"http_request","arguments":{"url":"/api","method":"TRACE"}}}
< {"jsonrpc":"2.0","id":12,"result":{"isError":true,"_meta":{"mica/error":{"code":"METHOD_NOT_ALLOWED", ...}, ...}, ...}}
