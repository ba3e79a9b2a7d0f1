title: the question of a form names its view to a client that answers with views
server: fixture
stdio options: --form-views
http options: --form-views

# The server declares it, as a tool has such a form.
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"resources":{...},"extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/ui":{"elicitation":{}}}, ...}, ...}}
# The tool itself has no view, so that its definition says nothing.
> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{$form_views}}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[...,{"name":"choose_seat","description":"Asks for a seat.","inputSchema":{...},"annotations":{...},
    "_meta":{"mica/requiredCapabilities":{"elicitation":{}}}}], ...}}
> {"jsonrpc":"2.0","id":3,"method":"resources/list","params":{$form_views}}
< {"jsonrpc":"2.0","id":3,"result":{"resources":[...,{"uri":"ui://mica-conformance/seats","name":"seats","title":"Seats","description":"The seats that are free.",
    "mimeType":"text/html;profile=mcp-app","size":35,"_meta":{"ui":{"prefersBorder":true}, ...}}], ...}}
> {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{$form_views,"uri":"ui://mica-conformance/seats"}}
< {"jsonrpc":"2.0","id":4,"result":{"contents":[{"uri":"ui://mica-conformance/seats","mimeType":"text/html;profile=mcp-app",
    "text":"<!doctype html><title>Seats</title>","_meta":{"ui":{"prefersBorder":true}, ...}}], ...}}
# The whole form, and the view beside it.
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$form_views,"name":"choose_seat","arguments":{}}}
< {"jsonrpc":"2.0","id":5,"result":{"resultType":"input_required","inputRequests":{"seat":{"method":"elicitation/create","params":{
    "mode":"form","message":"Where do you want to sit?","requestedSchema":{"type":"object","properties":{
    "row":{"type":"integer","description":"The row.","minimum":1,"maximum":30},
    "letter":{"type":"string","description":"The seat in it.","minLength":1,"maxLength":1}},"required":["row","letter"]},
    "_meta":{"ui":{"resourceUri":"ui://mica-conformance/seats"}}}}},"requestState":@first, ...}}
# A wrong answer of a view is one of a form: it is asked again, with its view.
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{$form_views,"name":"choose_seat","arguments":{},
    "requestState":$(first),"inputResponses":{"seat":{"action":"accept","content":{"row":31,"letter":"A"}}}}}
< {"jsonrpc":"2.0","id":6,"result":{"resultType":"input_required","inputRequests":{"seat#2":{"method":"elicitation/create","params":{
    "requestedSchema":{...},"_meta":{"mica/error":{"code":"OUT_OF_RANGE","message":...,"path":"/row"},"ui":{"resourceUri":"ui://mica-conformance/seats"}}, ...}}},
    "requestState":@second, ...}}
# The journal does not know who showed the form: another client continues the call.
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$asked,"name":"choose_seat","arguments":{},
    "requestState":$(second),"inputResponses":{"seat#2":{"action":"accept","content":{"row":12,"letter":"A"}}}}}
< {"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"Seat 12A."}], ...}}
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{$form_views,"name":"choose_seat","arguments":{},
    "requestState":$(first),"inputResponses":{"seat":{"action":"decline"}}}}
< {"jsonrpc":"2.0","id":8,"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":~"ELICITATION_DECLINED", ...}], ...}}
