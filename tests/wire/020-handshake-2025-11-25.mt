title: a client of 2025-11-25 shakes hands, lists, calls

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",
    "capabilities":{},"clientInfo":{"name":"transcript","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}, ...},
    "serverInfo":{"name":"mica","version":..., ...}, ...}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< 202
> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"result":{}}
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[..., {"name":"percentage-calculator","title":...,
    "description":..., "inputSchema":{...}, "outputSchema":{"type":"object", ...}, "annotations":{...}, "_meta":{...}}, ...]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"percentage-calculator",
    "arguments":{"mode":"change","a":50,"b":75},"_meta":{"progressToken":"p"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":~"\"result\":50"}],
    "structuredContent":{"result":50,"formula":"((75 - 50) / 50) × 100","explanation":"% change from 50 to 75"}}}
