title: 2025-11-25 has every kind of content, and structure that is an object
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_every_content"}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[
    {"type":"text","text":"One of each:","annotations":{"audience":["user"],"priority":0.25,"lastModified":"2026-11-20T09:30:00Z"}},
    {"type":"image", ...},{"type":"audio","data":~"^UklGR","mimeType":"audio/wav"},{"type":"resource", ...},
    {"type":"resource_link","uri":"test://link","name":"link","description":"Where to read on.","mimeType":"text/plain"}],
    "structuredContent":{"blocks":5}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_array_content"}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[1,2]"}]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"test_error_handling"}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":...}],"isError":true}}
