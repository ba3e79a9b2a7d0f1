title: a subscription tells each state that a task comes to, to whose it is
server: fixture
over: http

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$asked,"name":"confirm_delete","arguments":{"filename":"old.txt"}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":@task, ...}}
>~ {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{$asked,"taskId":$(task)}}
< {"jsonrpc":"2.0","id":2,"result":{"status":"input_required", ...}}
# Until that state has been told to those who followed before.
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$meta,"name":"wait","arguments":{"milliseconds":3000}}}
< {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete", ...}}
> {"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{$asked,"notifications":{"taskIds":[$(task),"AAAAAAAAAAAAAAAAAAAAAA"]}}}
< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"taskIds":[~"^[-_A-Za-z0-9]{22}$"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}
# Another one of the same kind is not followed.
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$asked,"name":"slow_compute","arguments":{"seconds":0}}}
< {"jsonrpc":"2.0","id":3,"result":{"resultType":"task", ...}}
> {"jsonrpc":"2.0","id":4,"method":"tasks/update","params":{$asked,"taskId":$(task),"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}}}}
< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete", ...}}
< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":~".","status":"working","_meta":{"io.modelcontextprotocol/subscriptionId":"L"}, ...}}
< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"status":"completed","result":{"content":[{"text":"Deleted old.txt", ...}], ...},"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}, ...}}
! terminate
< {"jsonrpc":"2.0","id":"L","result":{"resultType":"complete", ...}}
