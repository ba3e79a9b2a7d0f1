title: a tool that is not there, and the one that may have been meant

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"percentage_calculator","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":~"did you mean \"percentage-calculator\"","data":{"code":"NOT_FOUND"}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"weather-on-mars-today","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":~"tools/list","data":{"code":"NOT_FOUND"}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"Percentage-Calculator","arguments":{}}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":~"percentage-calculator", ...}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$meta,"name":"é🍋 ","arguments":{}}}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":~"é🍋", ...}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":[1]}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":~"params.arguments", ...}}
> {"jsonrpc":"2.0","id":6,"method":"tools/list","params":{$meta,"cursor":"made-up"}}
< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":~"cursor","data":{"code":"NOT_FOUND"}}}
