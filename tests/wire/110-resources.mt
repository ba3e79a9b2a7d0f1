title: resources, fixed and by template, as the newest revision has them
server: fixture

> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"resources":{...},"prompts":{...},"completions":{}, ...}, ...}}
> {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{$meta}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","resources":[
    {"uri":"test://static-text","name":"static_text","title":"A static text resource","description":"Never changes.","mimeType":"text/plain","size":48},
    {"uri":"test://static-binary", ...},{"uri":"test://watched-resource", ...},
    {"uri":"test://pair","name":"pair","title":"Two at once","description":"Text, and bytes under it.",
     "icons":[{"src":~"^data:","mimeType":"image/png","sizes":["48x48","96x96"],"theme":"light"},{"src":"https://example.org/dark.svg"}],
     "mimeType":"text/plain","annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-11-20T09:30:00Z"},
     "_meta":{"org.example/kind":"test"}}, ...],"ttlMs":0,"cacheScope":"public","_meta":{...}}}
> {"jsonrpc":"2.0","id":3,"method":"resources/templates/list","params":{$meta}}
< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","resourceTemplates":[
    {"uriTemplate":"test://template/{id}/data","name":"template_data","title":"A resource template","description":"Data for an id.","mimeType":"application/json"},
    {"uriTemplate":"test://weather/{place}{?day,unit}","name":"weather", ...}],"ttlMs":0,"cacheScope":"public","_meta":{...}}}
# Exact before templates; several contents; text and bytes.
> {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{$meta,"uri":"test://static-text"}}
< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","contents":[{"uri":"test://static-text","mimeType":"text/plain",
    "text":"This is the content of the static text resource."}],"ttlMs":0,"cacheScope":"public","_meta":{...}}}
> {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{$meta,"uri":"test://pair"}}
< {"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"test://pair","mimeType":"text/plain","text":"first"},
    {"uri":"test://pair/second","mimeType":"application/octet-stream","blob":"AAEC"}], ...}}
> {"jsonrpc":"2.0","id":6,"method":"resources/read","params":{$meta,"uri":"test://template/123/data"}}
< {"jsonrpc":"2.0","id":6,"result":{"contents":[{"uri":"test://template/123/data","mimeType":"application/json",
    "text":"{\"id\":\"123\",\"templateTest\":true,\"data\":\"Data for ID: 123\"}"}], ...}}
> {"jsonrpc":"2.0","id":7,"method":"resources/read","params":{$meta,"uri":"test://weather/Zürich?unit=imperial"}}
< {"jsonrpc":"2.0","id":7,"result":{"contents":[{"uri":"test://weather/Zürich?unit=imperial","mimeType":"text/plain",
    "text":"test://weather/Zürich?unit=imperial: sun in Zürich, day any, imperial"}], ...}}
