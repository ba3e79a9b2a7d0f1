title: a version in the request is one that is known, and comes with capabilities

> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}
< 400 {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":~"2026-07-28","data":{
    "code":"UNKNOWN_FIELD","supported":["2026-07-28"],"requested":"2099-01-01"}}}
# A revision with a handshake cannot be used request by request.
> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}}}
< 400 {"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":...,"data":{"requested":"2025-11-25", ...}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":~"clientCapabilities","data":{"code":"MISSING_FIELD"}}}
# Who calls is not asked, and more may be said.
> {"jsonrpc":"2.0","id":4,"method":"server/discover","params":{"_meta":{
    "io.modelcontextprotocol/protocolVersion":"2026-07-28",
    "io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/ui":{}}},
    "io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},
    "io.modelcontextprotocol/logLevel":"debug","progressToken":1,"traceparent":"00-0-0-0"}}}
< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete", ...}}
