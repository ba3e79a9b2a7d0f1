title: 2024-11-05 reads sound as text too
server: fixture
over: stdio

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_every_content"}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text", ...},{"type":"image", ...},
    {"type":"text","text":~"audio"},{"type":"resource", ...},{"type":"text","text":~"test://link"}]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[..., {"name":"greet","description":...,"inputSchema":{...}}, ...]}}
