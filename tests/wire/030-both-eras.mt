title: both eras take turns on one connection

> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete", ...}}
> {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18", ...}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":100}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[...],"structuredContent":{"result":1, ...}}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":2,"b":100}}}
< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","content":[...],"structuredContent":{"result":2, ...},"_meta":{...}}}
> {"jsonrpc":"2.0","id":5,"method":"ping"}
< {"jsonrpc":"2.0","id":5,"result":{}}
# A token for progress does not make a request modern.
> {"jsonrpc":"2.0","id":6,"method":"ping","params":{"_meta":{"progressToken":7}}}
< {"jsonrpc":"2.0","id":6,"result":{}}
