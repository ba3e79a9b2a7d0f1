title: a resource that cannot be read is an error with a code of its own
server: fixture

> {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{$meta,"uri":"test://static-test"}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":~"did you mean .test://static-text","data":{"code":"NOT_FOUND","uri":"test://static-test"}}}
# No path climbs, however it is written.
> {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{$meta,"uri":"test://template/%2e%2e/data"}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"data":{"code":"NOT_FOUND","uri":"test://template/%2e%2e/data"}, ...}}
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{$meta,"uri":"test://template/a%2Fb/data"}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602, ...}}
# The handler says so; a variable that its record refuses; a fault of the server.
> {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{$meta,"uri":"test://weather/Atlantis"}}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Atlantis has sunk.","data":{"code":"NOT_FOUND","uri":"test://weather/Atlantis","path":"/place"}}}
> {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{$meta,"uri":"test://weather/Bonn?unit=cubits"}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"data":{"code":"NOT_A_CHOICE","uri":"test://weather/Bonn?unit=cubits","path":"/unit"}, ...}}
> {"jsonrpc":"2.0","id":6,"method":"resources/read","params":{$meta,"uri":"test://failing"}}
< {"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"The disk is on fire.","data":{"code":"DISK_ON_FIRE","uri":"test://failing"}}}
> {"jsonrpc":"2.0","id":7,"method":"resources/read","params":{$meta,"uri":"test://nothing"}}
< {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"data":{"code":"EXECUTION_ERROR", ...}, ...}}
# Every list is one page here: no cursor was given out, an empty one neither.
> {"jsonrpc":"2.0","id":8,"method":"resources/list","params":{$meta,"cursor":""}}
< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"data":{"code":"NOT_FOUND"}, ...}}
