title: a session hears of changes on the stream that a GET opened
over: http
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
> GET /mcp
# There is one stream.
>~ GET /mcp
< 409 {"jsonrpc":"2.0","error":{"code":-32600,"data":{"code":"ALREADY_EXISTS"}, ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"change","arguments":{"uri":""}}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
# Not subscribed: nothing is told.
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"change","arguments":{"uri":"test://watched-resource"}}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
# Changes are told a moment later, together and in order: when the second of these is
# told, the one above has been, before the session subscribes.
> {"jsonrpc":"2.0","id":21,"method":"tools/call","params":{"name":"change","arguments":{"uri":""}}}
< {"jsonrpc":"2.0","id":21,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
> {"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"change","arguments":{"uri":""}}}
< {"jsonrpc":"2.0","id":22,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
> {"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"test://watched-resource"}}
< {"jsonrpc":"2.0","id":3,"result":{}}
> {"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"test://watched-resource"}}
< {"jsonrpc":"2.0","id":3,"result":{}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"change","arguments":{"uri":"test://watched-resource"}}}
< {"jsonrpc":"2.0","id":4,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://watched-resource"}}
> {"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"test://watched-resource"}}
< {"jsonrpc":"2.0","id":5,"result":{}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"change","arguments":{"uri":"test://watched-resource"}}}
< {"jsonrpc":"2.0","id":6,"result":{...}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"change","arguments":{"uri":""}}}
< {"jsonrpc":"2.0","id":7,"result":{...}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
> {"jsonrpc":"2.0","id":8,"method":"resources/subscribe"}
< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"data":{"code":"MISSING_FIELD"}, ...}}
> {"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"test://$repeat(a,9000)"}}
< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"data":{"code":"LIMIT_EXCEEDED"}, ...}}
