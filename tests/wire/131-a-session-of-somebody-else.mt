title: whoever knows the id of a session of another gets nothing of it
over: http
http options: --auth $here/auth/auth.json

>@ Authorization: Bearer $token({"sub":"ada","scope":"tools"})
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools"})
> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"result":{}}
# [SESSION-BOUND] The same as one that was never there, for each method.
>@ Authorization: Bearer $token({"sub":"bob","scope":"tools"})
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{
   "name":"percentage-calculator","arguments":{"mode":"of","a":15,"b":200}}}
< 404 {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"data":{"code":"NOT_FOUND"}, ...}}
>@ Authorization: Bearer $token({"sub":"bob","scope":"tools"})
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
< 404 {"jsonrpc":"2.0","error":{"code":-32600,"data":{"code":"NOT_FOUND"}, ...}}
>@ Authorization: Bearer $token({"sub":"bob","scope":"tools"})
> GET /mcp
< 404 {"jsonrpc":"2.0","error":{"code":-32600,"data":{"code":"NOT_FOUND"}, ...}}
>@ Authorization: Bearer $token({"sub":"bob","scope":"tools"})
>@ Last-Event-ID: 1-0
> GET /mcp
< 404 {"jsonrpc":"2.0","error":{"code":-32600,"data":{"code":"NOT_FOUND"}, ...}}
>@ Authorization: Bearer $token({"sub":"bob","scope":"tools"})
> DELETE /mcp
< 404 {"jsonrpc":"2.0","error":{"code":-32600,"data":{"code":"NOT_FOUND"}, ...}}
# Nor the boss, who may do more; nor nobody.
>@ Authorization: Bearer $token({"sub":"boss","scope":"admin"})
> {"jsonrpc":"2.0","id":3,"method":"ping"}
< 404 {"jsonrpc":"2.0","id":3,"error":{"code":-32600, ...}}
> {"jsonrpc":"2.0","id":4,"method":"ping"}
< 401 ...
# It is hers as before, with another token of hers, too.
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools more","exp":4102444801})
> {"jsonrpc":"2.0","id":5,"method":"ping"}
< {"jsonrpc":"2.0","id":5,"result":{}}
