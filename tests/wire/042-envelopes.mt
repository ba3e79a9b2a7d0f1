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
