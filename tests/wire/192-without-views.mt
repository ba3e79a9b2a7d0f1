title: a client that shows no views gets the tools as they would be without
server: fixture
stdio options: --views
http options: --views

# The tool for views alone is not there, and the lists are not for others.
> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[...,
    {"name":"throw_dice","description":"Throws two dice.","inputSchema":{...},"outputSchema":{...},"annotations":{...}},
    {"name":"count_dice","description":"Counts dice, without a view.","inputSchema":{...},"outputSchema":{...},"annotations":{...}}],
    "ttlMs":0,"cacheScope":"private", ...}}
> {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{$meta}}
< {"jsonrpc":"2.0","id":2,"result":{"resources":[...,{"uri":"test://nothing", ...}],"cacheScope":"private", ...}}
# Whoever has the URI may read the document, but nothing is said of hosts.
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{$meta,"uri":"ui://mica-conformance/dice"}}
< {"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"ui://mica-conformance/dice","mimeType":"text/html;profile=mcp-app","text":~"^<!doctype html>"}],
    "cacheScope":"private", ...}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$meta,"name":"throw_dice","arguments":{}}}
< {"jsonrpc":"2.0","id":4,"result":{"structuredContent":{"points":7,"views":false}, ...}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$meta,"name":"throw_again","arguments":{}}}
< 400 {"jsonrpc":"2.0","id":5,"error":{"code":-32021,"message":~"io.modelcontextprotocol/ui","data":{"code":"CAPABILITY_MISSING",
    "requiredCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}, ...}}}
# Of other MIME types alone.
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{
    "io.modelcontextprotocol/ui":{"mimeTypes":["text/plain"]}}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":6,"method":"tools/list","params":{}}
< {"jsonrpc":"2.0","id":6,"result":{"tools":[...,
    {"name":"throw_dice","description":"Throws two dice.","inputSchema":{...},"outputSchema":{...},"annotations":{...}},
    {"name":"count_dice","description":"Counts dice, without a view.","inputSchema":{...},"outputSchema":{...},"annotations":{...}}]}}
