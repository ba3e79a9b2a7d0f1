title: who takes no stream cannot be asked
over: http
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
>@ Accept: application/json
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_input_required_result_elicitation","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":~"CAPABILITY_MISSING"}], ...}}
