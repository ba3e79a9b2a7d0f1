title: batches are answered in the one revision that has them

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26", ...}}
> [{"jsonrpc":"2.0","id":1,"method":"ping"},
   {"jsonrpc":"2.0","method":"notifications/initialized"},
   {"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":100}}},
   {"jsonrpc":"2.0","id":3,"result":{}},
   {"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}},
   {"jsonrpc":"2.0","id":5,"method":"server/discover","params":{$meta}},
   7]
< [{"jsonrpc":"2.0","id":1,"result":{}},
   {"jsonrpc":"2.0","id":"two","result":{"content":[...], ...}},
   {"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":~"batch", ...}},
   {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":~"batch", ...}},
   {"jsonrpc":"2.0","error":{"code":-32600, ...}}]
# Nothing in it asks anything.
> [{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":1,"result":{}}]
< 202
> []
< 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"empty batch","data":{"code":"WRONG_TYPE"}}}
> [$repeat({"jsonrpc":"2.0","method":"notifications/initialized"},,100){"jsonrpc":"2.0","id":1,"method":"ping"}]
< 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":~"more than 100","data":{"code":"LIMIT_EXCEEDED"}}}
