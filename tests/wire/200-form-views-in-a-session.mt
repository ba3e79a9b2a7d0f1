title: the view of a form in a session, as initialize declares it
server: fixture
stdio options: --form-views
http options: --form-views

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}},"extensions":{
    "io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"],"elicitation":{}}}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{"elicitation":{}}}, ...}, ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"choose_seat","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"elicitation/create","params":{"mode":"form","message":"Where do you want to sit?","requestedSchema":{...},
    "_meta":{"ui":{"resourceUri":"ui://mica-conformance/seats"}}}}
> {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"ui://mica-conformance/seats"}}
< {"jsonrpc":"2.0","id":2,"result":{"contents":[{"mimeType":"text/html;profile=mcp-app","text":~"Seats", ...}]}}
> {"jsonrpc":"2.0","id":$(ask),"result":{"action":"accept","content":{"row":3,"letter":"C"}}}
< 202
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Seat 3C."}]}}
# An answer that is none: the question is asked again.
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"choose_seat","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"elicitation/create","params":{"_meta":{"ui":{"resourceUri":"ui://mica-conformance/seats"}}, ...}}
> {"jsonrpc":"2.0","id":$(ask),"result":{"action":"accept","content":{"row":"front"}}}
< 202
< {"jsonrpc":"2.0","id":@again,"method":"elicitation/create","params":{"message":~"The last answer was not accepted","_meta":{"ui":{"resourceUri":"ui://mica-conformance/seats"}}, ...}}
> {"jsonrpc":"2.0","id":$(again),"result":{"action":"cancel"}}
< 202
< {"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[{"type":"text","text":~"ELICITATION_CANCELLED"}], ...}}
