title: a server names no view in a question unless it is told to
server: fixture
stdio options: --form-views-off
http options: --form-views-off

> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}, ...}, ...}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$form_views,"name":"choose_seat","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"seat":{"method":"elicitation/create","params":{
    "mode":"form","message":"Where do you want to sit?","requestedSchema":{...}}}}, ...}}
> {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"extensions":{
    "io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"],"elicitation":{}}}}}}
< {"jsonrpc":"2.0","id":3,"result":{"capabilities":{"tools":{...},"resources":{...},"prompts":{...},"completions":{...},"logging":{...}}, ...}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"choose_seat","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"elicitation/create","params":{"mode":"form","message":"Where do you want to sit?","requestedSchema":{...}}}
> {"jsonrpc":"2.0","id":$(ask),"result":{"action":"accept","content":{"row":3,"letter":"C"}}}
< 202
< {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"Seat 3C."}]}}
