title: what a tool refuses has its own code, message and path, in every revision

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"ratio","a":1,"b":0}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",
    "content":[{"type":"text","text":~"^DIVISION_BY_ZERO: Cannot compute a ratio .* Did you mean mode='of' instead\\?"}],
    "isError":true,
    "_meta":{"mica/error":{"code":"DIVISION_BY_ZERO","message":~"^Cannot","path":"/b"}, ...}}}
> {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"percentage-calculator","arguments":{"mode":"change","a":0,"b":1}}}
< {"jsonrpc":"2.0","id":3,"result":{
    "content":[{"type":"text","text":~"^DIVISION_BY_ZERO: "}],"isError":true,
    "_meta":{"mica/error":{"code":"DIVISION_BY_ZERO","message":~".","path":"/a"}}}}
