title: prompts and their completion, as the newest revision has them
server: fixture

> {"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","prompts":[
    {"name":"test_simple_prompt","title":"A simple prompt","description":"A prompt without arguments."},
    {"name":"test_prompt_with_arguments","title":"A prompt with arguments","description":"Repeats its arguments.","arguments":[
     {"name":"arg1","description":"The first argument.","required":true},{"name":"arg2","description":"The second argument.","required":true}]},
    {"name":"test_prompt_with_embedded_resource", ...},{"name":"test_prompt_with_image", ...},
    {"name":"talk","icons":[...],"_meta":{"org.example/kind":"test"}, ...},
    {"name":"test_input_required_result_prompt", ...}],"ttlMs":0,"cacheScope":"public","_meta":{...}}}
> {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{$meta,"name":"test_prompt_with_arguments","arguments":{"arg1":"é","arg2":"\u0000"}}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","description":"Repeats its arguments.","messages":[{"role":"user","content":{
    "type":"text","text":~"arg1='é'"}}],"_meta":{...}}}
> {"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{$meta,"name":"talk","arguments":{"unit":"metric"}}}
< {"jsonrpc":"2.0","id":3,"result":{"messages":[
    {"role":"user","content":{"type":"text","text":"Speak metric.","annotations":{"audience":["assistant"],"priority":1}}},
    {"role":"assistant","content":{"type":"text","text":"I shall."}},
    {"role":"assistant","content":{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}},
    {"role":"user","content":{"type":"resource","resource":{"uri":"test://bytes","mimeType":"application/octet-stream","blob":"AAEC"}}},
    {"role":"user","content":{"type":"resource_link","uri":"test://static-text","name":"static_text","description":"Read on.","mimeType":"text/plain"}}], ...}}
> {"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{$meta,"name":"talk"}}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":~"unit","data":{"code":"MISSING_FIELD","path":"/unit"}}}
> {"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{$meta,"name":"talk","arguments":{"unit":"metric","extra":"x"}}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":~"extra","data":{"code":"UNKNOWN_FIELD", ...}}}
> {"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{$meta,"name":"talk","arguments":{"unit":1}}}
< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":~"unit.*string","data":{"code":"WRONG_TYPE"}}}
> {"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{$meta,"name":"tolk"}}
< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":~"did you mean .talk","data":{"code":"NOT_FOUND"}}}
# Choices, a completer that knows the other argument, at most a hundred values.
> {"jsonrpc":"2.0","id":8,"method":"completion/complete","params":{$meta,"ref":{"type":"ref/prompt","name":"talk"},"argument":{"name":"unit","value":""}}}
< {"jsonrpc":"2.0","id":8,"result":{"resultType":"complete","completion":{"values":["metric","imperial"],"total":2,"hasMore":false},"_meta":{...}}}
> {"jsonrpc":"2.0","id":9,"method":"completion/complete","params":{$meta,"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},
    "argument":{"name":"arg2","value":""},"context":{"arguments":{"arg1":"paris"}}}}
< {"jsonrpc":"2.0","id":9,"result":{"completion":{"values":["paris again"],"total":1,"hasMore":false}, ...}}
> {"jsonrpc":"2.0","id":10,"method":"completion/complete","params":{$meta,"ref":{"type":"ref/resource","uri":"test://template/{id}/data"},"argument":{"name":"id","value":""}}}
< {"jsonrpc":"2.0","id":10,"result":{"completion":{"values":["0","1","2", ...],"total":150,"hasMore":true}, ...}}
> {"jsonrpc":"2.0","id":11,"method":"completion/complete","params":{$meta,"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"unit","value":""}}}
< {"jsonrpc":"2.0","id":11,"error":{"code":-32602,"data":{"code":"NOT_FOUND"}, ...}}
> {"jsonrpc":"2.0","id":12,"method":"completion/complete","params":{$meta,"ref":{"type":"ref/prompt","name":"talk"},"argument":{"name":"none","value":""}}}
< {"jsonrpc":"2.0","id":12,"error":{"code":-32602,"data":{"code":"UNKNOWN_FIELD"}, ...}}
