title: 2024-11-05, which is served on a pipe only
over: stdio

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05",
    "capabilities":{},"clientInfo":{"name":"transcript","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true}, ...},
    "serverInfo":{"name":"mica","version":~"."}, ...}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[..., {"name":"percentage-calculator","description":...,
    "inputSchema":{...}}, ...]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"percentage-calculator",
    "arguments":{"mode":"of","a":15,"b":200}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":~"\"result\":30"}]}}
