title: 2025-03-26 has annotations and audio, but neither titles nor structure

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26",
    "capabilities":{},"clientInfo":{"name":"transcript","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{"listChanged":true}, ...},
    "serverInfo":{"name":"mica","version":~"."}, ...}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< 202
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[..., {"name":"percentage-calculator","description":...,
    "inputSchema":{...},"annotations":{"title":"Percentage calculator","readOnlyHint":true, ...}}, ...]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"percentage-calculator",
    "arguments":{"mode":"of","a":15,"b":200}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":~"\"result\":30"}]}}
