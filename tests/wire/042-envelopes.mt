title: what is JSON but no request

> []
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> 7
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> {}
< 400 {"jsonrpc":"2.0","error":{"code":-32600, ...}}
> {"jsonrpc":"1.0","id":3,"method":"ping"}
< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":~"2\\.0", ...}}
> {"id":4,"method":"ping"}
< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32600, ...}}
> {"jsonrpc":"2.0","id":5,"method":6}
< 400 {"jsonrpc":"2.0","id":5,"error":{"code":-32600, ...}}
> {"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}
< 400 {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":~"params", ...}}
> {"jsonrpc":"2.0","id":7,"method":"ping","params":null}
< 400 {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":~"params", ...}}
> {"jsonrpc":"2.0","id":8,"method":"ping","result":{}}
< 400 {"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":~"request or a response", ...}}
> {"jsonrpc":"2.0","id":9,"method":"ping","error":{"code":1,"message":"x"}}
< 400 {"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":~"request or a response", ...}}
> {"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"_meta":[]}}
< 400 {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":~"_meta", ...}}
> {"jsonrpc":"2.0","id":11,"method":"tools/list","params":{"_meta":{"progressToken":{}}}}
< 400 {"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":~"progressToken", ...}}
> {"jsonrpc":"2.0","id":12,"method":"tools/list","params":{"_meta":{"progressToken":1.5}}}
< 400 {"jsonrpc":"2.0","id":12,"error":{"code":-32602,"message":~"progressToken", ...}}
