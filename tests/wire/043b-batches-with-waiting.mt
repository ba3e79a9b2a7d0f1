title: a batch may wait for its tools
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26", ...}}
> [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"milliseconds":20}}},
   {"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}},
   {"jsonrpc":"2.0","id":2,"method":"ping"}]
< [{"jsonrpc":"2.0","id":1,"result":{...}},
   {"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":~"Ada"}], ...}},
   {"jsonrpc":"2.0","id":2,"result":{}}]
