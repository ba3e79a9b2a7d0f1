title: the view of a form in a session of 2025-06-18
server: fixture
stdio options: --form-views
http options: --form-views

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{},"extensions":{
    "io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"],"elicitation":{}}}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{"elicitation":{}}}, ...}, ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"choose_seat","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"elicitation/create","params":{"message":"Where do you want to sit?","requestedSchema":{...},
    "_meta":{"ui":{"resourceUri":"ui://mica-conformance/seats"}}}}
> {"jsonrpc":"2.0","id":$(ask),"result":{"action":"accept","content":{"row":3,"letter":"C"}}}
< 202
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Seat 3C."}]}}
