title: what a round is refused for
server: fixture

# Who cannot be asked is told what it lacks, before anything is sent.
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"test_input_required_result_elicitation","arguments":{}}}
< 400 {"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":~"elicitation","data":{"code":"CAPABILITY_MISSING","requiredCapabilities":{"elicitation":{}}}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$asked,"name":"test_input_required_result_elicitation","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":@state, ...}}
# The state is of one request: another tool, another method, other bytes.
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$asked,"name":"test_input_required_result_request_state","arguments":{},"requestState":$(state)}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"data":{"code":"STATE_INVALID"}, ...}}
> {"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{$asked,"name":"test_input_required_result_prompt","requestState":$(state)}}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"data":{"code":"STATE_INVALID"}, ...}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$asked,"name":"test_input_required_result_elicitation","arguments":{},"requestState":"AAAA"}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"data":{"code":"STATE_INVALID"}, ...}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{$asked,"name":"test_input_required_result_elicitation","arguments":{},"requestState":7}}
< {"jsonrpc":"2.0","id":6,"error":{"code":-32602, ...}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$asked,"name":"test_input_required_result_elicitation","arguments":{},"requestState":$(state),"inputResponses":[]}}
< {"jsonrpc":"2.0","id":7,"error":{"code":-32602, ...}}
# An answer that does not fit is asked for again, with its fault.
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{$asked,"name":"test_input_required_result_elicitation","arguments":{},"requestState":$(state),
    "inputResponses":{"user_name":{"action":"accept","content":{"name":7}}}}}
< {"jsonrpc":"2.0","id":8,"result":{"resultType":"input_required","inputRequests":{"user_name#2":{"params":{"message":~"not accepted", ...}, ...}},"requestState":@again, ...}}
> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{$asked,"name":"test_input_required_result_elicitation","arguments":{},"requestState":$(again),
    "inputResponses":{"user_name#2":{"action":"accept","content":{"name":"Ada","more":true}}}}}
< {"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","content":[{"type":"text","text":"Hello, Ada!"}], ...}}
