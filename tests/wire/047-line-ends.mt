title: blank lines are nothing, and a line may end as on Windows
over: stdio

>
> $byte(0d)
>    $byte(09)
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}$byte(0d)
< {"jsonrpc":"2.0","id":1,"result":{...}}
> $byte(20)$byte(09){"jsonrpc":"2.0","id":2,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
