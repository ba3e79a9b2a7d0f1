title: after a handshake the server sends requests, and their answers go on with the call
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_input_required_result_multi_round","arguments":{}}}
< {"jsonrpc":"2.0","id":@one,"method":"elicitation/create","params":{"mode":"form","message":"What is your name?","requestedSchema":{...}}}
> {"jsonrpc":"2.0","id":$(one),"result":{"action":"accept","content":{"name":"Ada"}}}
< 202
< {"jsonrpc":"2.0","id":@two,"method":"elicitation/create","params":{"message":"Which color, Ada?", ...}}
# The same answer once more is one to nothing.
> {"jsonrpc":"2.0","id":$(one),"result":{"action":"decline"}}
< 202
> {"jsonrpc":"2.0","id":$(two),"result":{"action":"accept","content":{"color":"red"}}}
< 202
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Ada likes red."}]}}
# Three at once, answered in another order.
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_input_required_result_multiple_inputs","arguments":{}}}
< {"jsonrpc":"2.0","id":@form,"method":"elicitation/create", ...}
< {"jsonrpc":"2.0","id":@words,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Say a greeting."}}],"maxTokens":50}}
< {"jsonrpc":"2.0","id":@roots,"method":"roots/list", ...}
> {"jsonrpc":"2.0","id":$(roots),"result":{"roots":[{"uri":"file:///a"}]}}
< 202
> {"jsonrpc":"2.0","id":$(words),"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Good morning"}}}
< 202
> {"jsonrpc":"2.0","id":$(form),"result":{"action":"accept","content":{"name":"Ada"}}}
< 202
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Good morning, Ada (1 roots)"}]}}
# A person who says no, and a client that fails.
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"test_input_required_result_elicitation","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"elicitation/create", ...}
> {"jsonrpc":"2.0","id":$(ask),"result":{"action":"cancel"}}
< 202
< {"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[{"type":"text","text":~"ELICITATION_CANCELLED"}], ...}}
> {"jsonrpc":"2.0","id":"four","method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Hello?"}}}
< {"jsonrpc":"2.0","id":@ask,"method":"sampling/createMessage", ...}
> {"jsonrpc":"2.0","id":$(ask),"error":{"code":-1,"message":"User rejected sampling request"}}
< 202
< {"jsonrpc":"2.0","id":"four","result":{"isError":true,"content":[{"type":"text","text":~"CLIENT_ERROR"}], ...}}
