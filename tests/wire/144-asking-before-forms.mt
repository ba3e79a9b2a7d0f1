title: the revision before forms is asked for words and roots alone
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"elicitation":{},"sampling":{},"roots":{}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Hello?"}}}
< {"jsonrpc":"2.0","id":@ask,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hello?"}}],"maxTokens":100}}
> {"jsonrpc":"2.0","id":$(ask),"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Hello."}}}
< 202
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"LLM response: Hello."}]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_input_required_result_list_roots","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"roots/list", ...}
> {"jsonrpc":"2.0","id":$(ask),"result":{"roots":[]}}
< 202
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"The client has 0 roots."}], ...}}
