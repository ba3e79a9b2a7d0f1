title: on a pipe what is no JSON is answered with the id where one can be told
over: stdio

> nonsense
< {"jsonrpc":"2.0","error":{"code":-32700,"message":~"\\(byte 1\\)","data":{"code":"INVALID_JSON"}}}
> {"jsonrpc":"2.0","id":1,
< {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> {'jsonrpc':'2.0'}
< {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","id":1,"method":"$byte(ff)"}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","id":1,"method":"a$byte(00)b"}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","id":1,"method":"\ud800"}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32700, ...}}
> {"method":"tools/call","params":{"name":"x","arguments":{"a":1,}},"jsonrpc":"2.0","id":"last"}
< {"jsonrpc":"2.0","id":"last","error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8,"a":[}
< {"jsonrpc":"2.0","id":7,"error":{"code":-32700, ...}}
# Nobody can tell: an id of what is inside, half an id, one that is none, of an answer.
> {"jsonrpc":"2.0","method":"tools/call","params":{"id":8}
< {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","method":"ping","id":12
< {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","method":"ping","id":1.5,}
< {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> {"jsonrpc":"2.0","id":1,"method":"ping","result":{},}
< {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> [{"jsonrpc":"2.0","id":1,"method":"ping",}]
< {"jsonrpc":"2.0","error":{"code":-32700, ...}}
> $repeat([,100000)
< {"jsonrpc":"2.0","error":{"code":-32700,"message":...,"data":{"code":"LIMIT_EXCEEDED"}}}
> {"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}
< {"jsonrpc":"2.0","error":{"code":-32700,"message":~"id","data":{"code":"DUPLICATE_FIELD"}}}
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
