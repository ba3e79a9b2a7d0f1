title: every kind of content, as the newest revision has it
server: fixture

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"test_every_content"}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[
    {"type":"text","text":"One of each:","annotations":{"audience":["user"],"priority":0.25,"lastModified":"2026-11-20T09:30:00Z"}},
    {"type":"image","data":~"^iVBORw0KGgo","mimeType":"image/png"},
    {"type":"audio","data":~"^UklGR","mimeType":"audio/wav"},
    {"type":"resource","resource":{"uri":"test://bytes","mimeType":"application/octet-stream","blob":"AAEC"}},
    {"type":"resource_link","uri":"test://link","name":"link","description":"Where to read on.","mimeType":"text/plain"}],
    "structuredContent":{"blocks":5},"_meta":{...}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"test_embedded_resource","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"resource","resource":{
    "uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}],"_meta":{...}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"test_error_handling"}}
< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text",
    "text":"This tool intentionally returns an error for testing"}],"isError":true,"_meta":{...}}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$meta,"name":"test_array_content"}}
< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","content":[{"type":"text","text":"[1,2]"}],
    "structuredContent":[1,2],"_meta":{...}}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$meta,"name":"greet","arguments":{"name":"é 🍋 \u0000 \n"}}}
< {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","content":[{"type":"text","text":"Hello, é 🍋 \u0000 \n!"}],
    "structuredContent":{"greeting":"Hello, é 🍋 \u0000 \n!"},"_meta":{...}}}
