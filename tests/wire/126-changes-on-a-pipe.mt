title: after the handshake a pipe is told of lists, and of what it subscribed to
server: fixture
over: stdio

> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
< {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true}, ...}, ...}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_trigger_tool_change"}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
> {"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"test://watched-resource"}}
< {"jsonrpc":"2.0","id":3,"result":{}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"test_trigger_contents_change"}}
< {"jsonrpc":"2.0","id":4,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://watched-resource"}}
> {"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"test://watched-resource"}}
< {"jsonrpc":"2.0","id":5,"result":{}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"test_trigger_contents_change"}}
< {"jsonrpc":"2.0","id":6,"result":{...}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"test_trigger_prompt_change"}}
< {"jsonrpc":"2.0","id":7,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}
