title: 2025-06-18 has titles and structure, but no description of the server

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",
    "capabilities":{},"clientInfo":{"name":"transcript","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}, ...},
    "serverInfo":{"name":"mica","title":~".","version":~"."}, ...}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< 202
> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[..., {"name":"percentage-calculator","title":...,
    "description":..., "inputSchema":{...}, "outputSchema":{...}, "annotations":{...}, "_meta":{...}}, ...]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"percentage-calculator",
    "arguments":{"mode":"of","a":15,"b":200}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":...}],"structuredContent":{"result":30, ...}}}
