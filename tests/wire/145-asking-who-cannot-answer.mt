title: who has not said that it can be asked is not asked
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}}}}
< {"jsonrpc":"2.0","id":0,"result":{...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_input_required_result_elicitation","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":~"CAPABILITY_MISSING.*elicitation"}], ...}}
# A tool that looks first takes the other way.
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_input_required_result_capabilities","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"sampling/createMessage", ...}
> {"jsonrpc":"2.0","id":$(ask),"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Hi."}}}
< 202
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hi."}], ...}}
