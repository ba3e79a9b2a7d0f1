title: a call that becomes a task, its questions, and its end
server: fixture

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$asked,"name":"slow_compute","arguments":{"seconds":0.1,"label":"it"}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":@task,"status":"working","ttlMs":86400000,"pollIntervalMs":1000, ...}}
>~ {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{$asked,"taskId":$(task)}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","status":"completed","result":{"content":[{"type":"text","text":"Computed it in 0.1 seconds"}], ...}, ...}}
# Of a client that knows no tasks it stays a call; of another there is none.
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"slow_compute","arguments":{"seconds":0}}}
< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[...], ...}}
> {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{$meta,"taskId":$(task)}}
< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32021, ...}}
> {"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{$asked,"taskId":"AAAAAAAAAAAAAAAAAAAAAA"}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32602, ...}}
# Questions, answered one by one.
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{$asked,"name":"multi_input","arguments":{}}}
< {"jsonrpc":"2.0","id":6,"result":{"resultType":"task","taskId":@task, ...}}
>~ {"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{$asked,"taskId":$(task)}}
< {"jsonrpc":"2.0","id":7,"result":{"status":"input_required","inputRequests":{"name":{...},"confirm":{...}}, ...}}
> {"jsonrpc":"2.0","id":8,"method":"tasks/update","params":{$asked,"taskId":$(task),"inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}},"other":{}}}}
< {"jsonrpc":"2.0","id":8,"result":{"resultType":"complete", ...}}
> {"jsonrpc":"2.0","id":9,"method":"tasks/get","params":{$asked,"taskId":$(task)}}
< {"jsonrpc":"2.0","id":9,"result":{"status":"input_required","inputRequests":{"confirm":{...}}, ...}}
> {"jsonrpc":"2.0","id":10,"method":"tasks/update","params":{$asked,"taskId":$(task),"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}}}}
< {"jsonrpc":"2.0","id":10,"result":{"resultType":"complete", ...}}
>~ {"jsonrpc":"2.0","id":11,"method":"tasks/get","params":{$asked,"taskId":$(task)}}
< {"jsonrpc":"2.0","id":11,"result":{"status":"completed","result":{"content":[{"type":"text","text":"Ada is sure"}], ...}, ...}}
# One that is given up while it works.
> {"jsonrpc":"2.0","id":12,"method":"tools/call","params":{$asked,"name":"slow_compute","arguments":{"seconds":60}}}
< {"jsonrpc":"2.0","id":12,"result":{"resultType":"task","taskId":@task, ...}}
> {"jsonrpc":"2.0","id":13,"method":"tasks/cancel","params":{$asked,"taskId":$(task)}}
< {"jsonrpc":"2.0","id":13,"result":{"resultType":"complete", ...}}
>~ {"jsonrpc":"2.0","id":14,"method":"tasks/get","params":{$asked,"taskId":$(task)}}
< {"jsonrpc":"2.0","id":14,"result":{"status":"cancelled", ...}}
