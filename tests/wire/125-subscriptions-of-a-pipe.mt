title: on a pipe a subscription ends when it is cancelled, or with the server
server: fixture
over: stdio

> {"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{$meta,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://watched-resource"]}}}
< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://watched-resource"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"a"}}}
> {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{$meta,"notifications":{"toolsListChanged":true,"promptsListChanged":true}}}
< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"test_trigger_tool_change"}}
< {"jsonrpc":"2.0","id":3,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"a"}}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$meta,"name":"test_trigger_contents_change"}}
< {"jsonrpc":"2.0","id":4,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://watched-resource","_meta":{"io.modelcontextprotocol/subscriptionId":"a"}}}
! end
< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a", ...}}
< {"jsonrpc":"2.0","id":"a","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"a", ...}}}
