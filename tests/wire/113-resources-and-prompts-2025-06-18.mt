title: resources, prompts and completion in 2025-06-18
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"resources":{...},"prompts":{...},"completions":{}, ...}, ...}}
> {"jsonrpc":"2.0","id":1,"method":"resources/list"}
< {"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"test://static-text", ...},{"uri":"test://static-binary", ...},
    {"uri":"test://watched-resource", ...},{"uri":"test://pair","name":"pair","title":"Two at once","description":"Text, and bytes under it.","mimeType":"text/plain","annotations":{...},"_meta":{"org.example/kind":"test"}}, ...]}}
> {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://static-text"}}
< {"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"test://static-text","mimeType":"text/plain",
    "text":"This is the content of the static text resource."}]}}
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"test://none"}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32002,"data":{"code":"NOT_FOUND","uri":"test://none"}, ...}}
> {"jsonrpc":"2.0","id":4,"method":"resources/templates/list"}
< {"jsonrpc":"2.0","id":4,"result":{"resourceTemplates":[{"uriTemplate":"test://template/{id}/data", ...}, ...]}}
> {"jsonrpc":"2.0","id":5,"method":"prompts/list"}
< {"jsonrpc":"2.0","id":5,"result":{"prompts":[{"name":"test_simple_prompt", ...}, ...]}}
> {"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"talk","arguments":{"unit":"metric"}}}
< {"jsonrpc":"2.0","id":6,"result":{"description":"A conversation of every kind of content.","messages":[
    {"role":"user","content":{"type":"text", ...}},{"role":"assistant","content":{"type":"text","text":"I shall."}},
    {"role":"assistant","content":{"type":"audio", ...}},{"role":"user","content":{"type":"resource", ...}},
    {"role":"user","content":{"type":"resource_link", ...}}]}}
> {"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"test_prompt_with_arguments","arguments":{"arg1":"a"}}}
< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":~"arg2","data":{"code":"MISSING_FIELD", ...}}}
> {"jsonrpc":"2.0","id":8,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"talk"},"argument":{"name":"unit","value":"i"}}}
< {"jsonrpc":"2.0","id":8,"result":{"completion":{"values":["imperial"],"total":1,"hasMore":false}}}
