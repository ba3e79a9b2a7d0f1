title: a question names no view to a client that does not answer with views
server: fixture
stdio options: --form-views
http options: --form-views

# It shows views, and forms, but has not said that its views answer forms.
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{
    "elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}},"name":"choose_seat","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"seat":{"method":"elicitation/create","params":{
    "mode":"form","message":"Where do you want to sit?","requestedSchema":{...}}}}, ...}}
# Its views are of another kind.
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{
    "elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/plain"],"elicitation":{}}}}},"name":"choose_seat","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"inputRequests":{"seat":{"method":"elicitation/create","params":{"mode":"form","message":"Where do you want to sit?","requestedSchema":{...}}}}, ...}}
# What it says is no object.
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{
    "elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"],"elicitation":true}}}},"name":"choose_seat","arguments":{}}}
< {"jsonrpc":"2.0","id":3,"result":{"inputRequests":{"seat":{"method":"elicitation/create","params":{"mode":"form","message":"Where do you want to sit?","requestedSchema":{...}}}}, ...}}
# Views alone answer no forms: the tool needs a client that shows forms.
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{
    "elicitation":{"url":{}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"],"elicitation":{}}}}},"name":"choose_seat","arguments":{}}}
< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32021, ...}}
