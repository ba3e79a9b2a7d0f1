title: a line that is too long is skipped and reported
over: stdio

> {"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"$repeat(a,5000000)"}}
< {"jsonrpc":"2.0","id":1,"error":{"code":...,"message":~"long","data":{"code":"LIMIT_EXCEEDED"}}}
> {"method":"x","params":{"a":"$repeat(a,5000000)"},"jsonrpc":"2.0","id":"behind"}
< {"jsonrpc":"2.0","id":"behind","error":{"code":...,"message":~"long","data":{"code":"LIMIT_EXCEEDED"}}}
> $repeat(a,5000000)
< {"jsonrpc":"2.0","error":{"code":...,"message":~"long","data":{"code":"LIMIT_EXCEEDED"}}}
> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
# Large, but within the limit.
> {"jsonrpc":"2.0","id":3,"method":"server/discover","params":{$meta,"a":"$repeat(a,4000000)"}}
< {"jsonrpc":"2.0","id":3,"result":{...}}
