title: a subscription is told what it asked for, under its id as it was written
server: fixture
over: http

# [LISTEN-ID] MCP: subscriptions/listen: acknowledged first, every notification tagged.
> {"jsonrpc":"2.0","id":41,"method":"subscriptions/listen","params":{$meta,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://watched-resource"]}}}
< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://watched-resource"]},"_meta":{"io.modelcontextprotocol/subscriptionId":41}}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"test_trigger_prompt_change"}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"test_trigger_tool_change"}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":41}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"test_trigger_contents_change"}}
< {"jsonrpc":"2.0","id":3,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://watched-resource","_meta":{"io.modelcontextprotocol/subscriptionId":41}}}
# A subscription that the server ends has a result.
! terminate
< {"jsonrpc":"2.0","id":41,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":41, ...}}}
