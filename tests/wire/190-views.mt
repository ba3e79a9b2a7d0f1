title: a client that shows views is told of them
server: fixture
stdio options: --views
http options: --views

> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{$views}}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[...,
    {"name":"throw_dice","description":"Throws two dice.","inputSchema":{...},"outputSchema":{...},"annotations":{...},"_meta":{"ui":{"resourceUri":"ui://mica-conformance/dice","visibility":["model","app"]},"ui/resourceUri":"ui://mica-conformance/dice",
    "openai/outputTemplate":"ui://mica-conformance/dice","openai/widgetAccessible":true,"openai/visibility":"public"}},
    {"name":"throw_again","description":"Throws them again, from the view.","inputSchema":{...},"outputSchema":{...},"annotations":{...},"_meta":{"mica/requiredCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},
    "ui":{"resourceUri":"ui://mica-conformance/dice","visibility":["app"]},"ui/resourceUri":"ui://mica-conformance/dice",
    "openai/outputTemplate":"ui://mica-conformance/dice","openai/widgetAccessible":true,"openai/visibility":"private"}},
    {"name":"count_dice","description":"Counts dice, without a view.","inputSchema":{...},"outputSchema":{...},"annotations":{...},"_meta":{"ui":{"visibility":["model"]},"openai/widgetAccessible":false,"openai/visibility":"public"}}],
    "ttlMs":0,"cacheScope":"private", ...}}
> {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{$views}}
< {"jsonrpc":"2.0","id":2,"result":{"resources":[...,{"uri":"ui://mica-conformance/dice","name":"dice","title":"Dice",
    "description":"The dice that were thrown.","mimeType":"text/html;profile=mcp-app","size":80,
    "_meta":{"ui":{"csp":{"connectDomains":["https://api.example.com","wss://live.example.com"],"resourceDomains":["https://*.cdn.example.com"]},
    "permissions":{"camera":{},"clipboardWrite":{}},"prefersBorder":false},
    "openai/widgetCSP":{"connect_domains":["https://api.example.com","wss://live.example.com"],"resource_domains":["https://*.cdn.example.com"]},
    "openai/widgetPrefersBorder":false,"openai/widgetDescription":"The dice that were thrown."}}],
    "ttlMs":0,"cacheScope":"private", ...}}
# One content, the whole document, and all that a host needs.
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{$views,"uri":"ui://mica-conformance/dice"}}
< {"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"ui://mica-conformance/dice","mimeType":"text/html;profile=mcp-app",
    "text":"<!doctype html><title>Dice</title><script>document.title = \"</\" + \"p>\";</script>",
    "_meta":{"ui":{"csp":{"connectDomains":["https://api.example.com","wss://live.example.com"],"resourceDomains":["https://*.cdn.example.com"]},
    "permissions":{"camera":{},"clipboardWrite":{}},"prefersBorder":false},
    "openai/widgetCSP":{"connect_domains":["https://api.example.com","wss://live.example.com"],"resource_domains":["https://*.cdn.example.com"]},
    "openai/widgetPrefersBorder":false,"openai/widgetDescription":"The dice that were thrown."}}],
    "ttlMs":0,"cacheScope":"private", ...}}
# The handler knows it, and sets _meta of its result.
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$views,"name":"throw_dice","arguments":{}}}
< {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":...}],"structuredContent":{"points":7,"views":true},
    "resultType":"complete","_meta":{"example.com/dice":[3,4], ...}}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$views,"name":"throw_again","arguments":{}}}
< {"jsonrpc":"2.0","id":5,"result":{"structuredContent":{"points":7,"views":true}, ...}}
