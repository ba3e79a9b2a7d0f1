title: a tool asks its client in rounds
server: fixture

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$asked,"name":"test_input_required_result_multi_round","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"step1":{"method":"elicitation/create","params":{
    "mode":"form","message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","description":"Your name."}},"required":["name"]}}}},
    "requestState":@first,"_meta":{...}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$asked,"name":"test_input_required_result_multi_round","arguments":{},
    "requestState":$(first),"inputResponses":{"step1":{"action":"accept","content":{"name":"Ada"}}}}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"step2":{"method":"elicitation/create","params":{"message":"Which color, Ada?", ...}}},"requestState":@second, ...}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$asked,"name":"test_input_required_result_multi_round","arguments":{},
    "requestState":$(second),"inputResponses":{"step2":{"action":"accept","content":{"color":"red"}}}}}
< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"Ada likes red."}], ...}}
# Once more from the first state: nothing was kept on the server.
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$asked,"name":"test_input_required_result_multi_round","arguments":{},
    "requestState":$(first),"inputResponses":{"step1":{"action":"decline"}}}}
< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":~"ELICITATION_DECLINED", ...}], ...}}
# All at once, and no state.
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$asked,"name":"test_input_required_result_multi_round","arguments":{},
    "inputResponses":{"step1":{"action":"accept","content":{"name":"Ada"}},"step2":{"action":"accept","content":{"color":"red"}}}}}
< {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","content":[{"type":"text","text":"Ada likes red."}], ...}}
# Three questions of three kinds, one answered: the others are asked again.
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{$asked,"name":"test_input_required_result_multiple_inputs","arguments":{}}}
< {"jsonrpc":"2.0","id":6,"result":{"resultType":"input_required","inputRequests":{"user_name":{...},"greeting":{"method":"sampling/createMessage","params":{
    "messages":[{"role":"user","content":{"type":"text","text":"Say a greeting."}}],"maxTokens":50}},"roots":{"method":"roots/list","params":{}}},"requestState":@three, ...}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$asked,"name":"test_input_required_result_multiple_inputs","arguments":{},
    "requestState":$(three),"inputResponses":{"roots":{"roots":[{"uri":"file:///a"}]}}}}
< {"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"user_name":{...},"greeting":{...}}, ...}}
# Prompts ask in the same way.
> {"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{$asked,"name":"test_input_required_result_prompt"}}
< {"jsonrpc":"2.0","id":8,"result":{"resultType":"input_required","inputRequests":{"user_context":{...}},"requestState":@prompt, ...}}
> {"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{$asked,"name":"test_input_required_result_prompt",
    "requestState":$(prompt),"inputResponses":{"user_context":{"action":"accept","content":{"context":"It rains."}}}}}
< {"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","messages":[{"content":{"type":"text","text":"Consider this: It rains."}, ...}], ...}}
