title: the files of a folder are resources
http options: --resources $here/folder
stdio options: --resources $here/folder

> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"resources":{...}, ...}, ...}}
> {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{$meta}}
< {"jsonrpc":"2.0","id":2,"result":{"resources":[
    {"uri":~"^file:///.*/tests/wire/folder/deep/data.json$","name":"deep/data.json","mimeType":"application/json","size":3,"annotations":{"lastModified":~"Z$"}},
    {"uri":~"/tests/wire/folder/words.txt$","name":"words.txt","mimeType":"text/plain","size":6,"annotations":{...}}], ...}}
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{$meta,"uri":"file:///etc/passwd"}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"data":{"code":"NOT_FOUND","uri":"file:///etc/passwd"}, ...}}
