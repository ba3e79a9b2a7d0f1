title: views in a session, as initialize declares them
server: fixture
stdio options: --views
http options: --views

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{
    "io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{...},"resources":{...}, ...}, ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[...,
    {"name":"throw_dice","_meta":{"ui":{"resourceUri":"ui://mica-conformance/dice","visibility":["model","app"]},"ui/resourceUri":"ui://mica-conformance/dice",
    "openai/outputTemplate":"ui://mica-conformance/dice","openai/widgetAccessible":true,"openai/visibility":"public"}, ...},
    {"name":"throw_again","_meta":{"mica/requiredCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},
    "ui":{"resourceUri":"ui://mica-conformance/dice","visibility":["app"]},"ui/resourceUri":"ui://mica-conformance/dice",
    "openai/outputTemplate":"ui://mica-conformance/dice","openai/widgetAccessible":true,"openai/visibility":"private"}, ...},
    {"name":"count_dice","_meta":{"ui":{"visibility":["model"]},"openai/widgetAccessible":false,"openai/visibility":"public"}, ...}]}}
> {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{}}
< {"jsonrpc":"2.0","id":2,"result":{"resources":[...,{"uri":"ui://mica-conformance/dice","_meta":{"ui":{"csp":{"connectDomains":["https://api.example.com","wss://live.example.com"],"resourceDomains":["https://*.cdn.example.com"]},
    "permissions":{"camera":{},"clipboardWrite":{}},"prefersBorder":false},
    "openai/widgetCSP":{"connect_domains":["https://api.example.com","wss://live.example.com"],"resource_domains":["https://*.cdn.example.com"]},
    "openai/widgetPrefersBorder":false,"openai/widgetDescription":"The dice that were thrown."}, ...}]}}
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"ui://mica-conformance/dice"}}
< {"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"ui://mica-conformance/dice","mimeType":"text/html;profile=mcp-app","text":~"^<!doctype html>",
    "_meta":{"ui":{"csp":{"connectDomains":["https://api.example.com","wss://live.example.com"],"resourceDomains":["https://*.cdn.example.com"]},
    "permissions":{"camera":{},"clipboardWrite":{}},"prefersBorder":false},
    "openai/widgetCSP":{"connect_domains":["https://api.example.com","wss://live.example.com"],"resource_domains":["https://*.cdn.example.com"]},
    "openai/widgetPrefersBorder":false,"openai/widgetDescription":"The dice that were thrown."}}]}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"throw_again","arguments":{}}}
< {"jsonrpc":"2.0","id":4,"result":{"content":[{...}],"structuredContent":{"points":7,"views":true},"_meta":{"example.com/dice":[3,4]}}}
