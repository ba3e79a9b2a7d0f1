title: the parts of a batch tell how far they are, each to its own token
server: fixture

# [PROGRESS-TOKEN] MCP: 2025-03-26, batching and progress.
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26", ...}}
> [{"jsonrpc":"2.0","id":1,"method":"ping"},
   {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count","arguments":{"steps":2},"_meta":{"progressToken":"a"}}},
   {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count","arguments":{"steps":1}}},
   {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"count","arguments":{"steps":1},"_meta":{"progressToken":7}}}]
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a","progress":1,"total":2, ...}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a","progress":2,"total":2, ...}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":1, ...}}
< [{"jsonrpc":"2.0","id":1,"result":{}},
   {"jsonrpc":"2.0","id":2,"result":{"content":[...], ...}},
   {"jsonrpc":"2.0","id":3,"result":{"content":[...], ...}},
   {"jsonrpc":"2.0","id":4,"result":{"content":[...], ...}}]
# Log messages, once a level is set.
> {"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"info"}}
< {"jsonrpc":"2.0","id":5,"result":{}}
> [{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"test_tool_with_logging"}}]
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":~"started", ...}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":~"processing", ...}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":~"completed", ...}}
< [{"jsonrpc":"2.0","id":6,"result":{...}}]
