title: each engine is a view, for clients that show views

> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{$views}}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[...,
    {"name":"percentage-calculator","_meta":{"ui":{"resourceUri":"ui://mica/percentage-calculator","visibility":["model","app"]},
    "ui/resourceUri":"ui://mica/percentage-calculator","openai/outputTemplate":"ui://mica/percentage-calculator",
    "openai/widgetAccessible":true,"openai/visibility":"public", ...}, ...}, ...],"cacheScope":"private", ...}}
> {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{$views}}
< {"jsonrpc":"2.0","id":2,"result":{"resources":[...,{"uri":"ui://mica/percentage-calculator","name":"percentage-calculator",
    "title":"Percentage calculator","description":~"form","mimeType":"text/html;profile=mcp-app",
    "_meta":{"ui":{"prefersBorder":true},"openai/widgetPrefersBorder":true,"openai/widgetDescription":~"form"}}, ...], ...}}
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{$views,"uri":"ui://mica/percentage-calculator"}}
< {"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"ui://mica/percentage-calculator","mimeType":"text/html;profile=mcp-app",
    "text":~"id=\"mica-module\"","_meta":{"ui":{"prefersBorder":true}, ...}}],"cacheScope":"private", ...}}
# A client that shows none is told of no resources at all.
> {"jsonrpc":"2.0","id":4,"method":"server/discover","params":{$views}}
< {"jsonrpc":"2.0","id":4,"result":{"capabilities":{"tools":{...},"resources":{...}}, ...}}
> {"jsonrpc":"2.0","id":5,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":5,"result":{"capabilities":{"tools":{...}}, ...}}
> {"jsonrpc":"2.0","id":6,"method":"resources/read","params":{$meta,"uri":"ui://mica/percentage-calculator"}}
< 404 {"jsonrpc":"2.0","id":6,"error":{"code":-32601, ...}}
