title: on a pipe the handshake's client sets its level once, info before
server: fixture
over: stdio

> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
< {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"logging":{}, ...}, ...}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_tool_with_logging"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"test_tool_with_logging","data":"Tool execution started"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"test_tool_with_logging","data":"Tool processing data"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"test_tool_with_logging","data":"Tool execution completed"}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
> {"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"emergency"}}
< {"jsonrpc":"2.0","id":3,"result":{}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"test_logging_tool"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"emergency", ...}}
< {"jsonrpc":"2.0","id":4,"result":{...}}
> {"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"loud"}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32602, ...}}
