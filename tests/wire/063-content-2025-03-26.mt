title: 2025-03-26 reads a link as text, and has no structure
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_every_content"}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text", ...},{"type":"image", ...},
    {"type":"audio","data":~"^UklGR","mimeType":"audio/wav"},{"type":"resource", ...},
    {"type":"text","text":~"link.*test://link"}]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_array_content"}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[1,2]"}]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
< {"jsonrpc":"2.0","id":3,"result":{"tools":[..., {"name":"greet","description":...,"inputSchema":{...},"annotations":{...}}, ...]}}
