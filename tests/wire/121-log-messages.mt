title: a request is sent log messages from the level that it names
server: fixture

# [LOG-OPTIN] [LOG-LEVEL] MCP: logging: no level, no messages; a level that is none is refused.
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"alert"},"name":"test_logging_tool"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"alert","logger":"test_logging_tool","data":"message 6"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"emergency","logger":"test_logging_tool","data":"message 7"}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"test_logging_tool"}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"},"name":"test_logging_tool"}}
< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"data":{"code":"NOT_A_CHOICE", ...}, ...}}
