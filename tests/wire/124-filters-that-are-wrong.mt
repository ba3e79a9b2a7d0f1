title: a subscription that cannot be is refused before there is a stream
server: fixture

> {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32602, ...}}
> {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{$meta,"notifications":{"toolsListChanged":"yes"}}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32602, ...}}
> {"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{$meta,"notifications":{"resourceSubscriptions":[1]}}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602, ...}}
> {"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{$meta,"notifications":{"taskIds":["t"]}}}
< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32021,"data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}, ...}, ...}}
