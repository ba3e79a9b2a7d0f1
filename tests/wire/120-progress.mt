title: progress is told to who gave a token, which comes back as it was
server: fixture

# [PROGRESS-TOKEN] [PROGRESS-RISE] MCP: progress: only with a token, in its own type, rising, before the response.
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":7},"name":"test_tool_with_progress"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0,"total":100,"message":"Completed step 0 of 100"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":50,"total":100,"message":"Completed step 50 of 100"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":100,"total":100,"message":"Completed step 100 of 100"}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"Progress was told three times."}], ...}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"7"},"name":"test_tool_with_progress"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":0, ...}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":50, ...}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":100, ...}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"test_tool_with_progress"}}
< {"jsonrpc":"2.0","id":3,"result":{...}}
