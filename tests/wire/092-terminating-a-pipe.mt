title: told to end, a server on a pipe ends
over: stdio

> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
! terminate
