title: a stateless client calls a tool
# The structured result, and the same as text for clients that read only text.

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,
    "name":"percentage-calculator","arguments":{"mode":"of","a":15,"b":200}}}
< {"jsonrpc":"2.0","id":1,"result":{
    "resultType":"complete",
    "content":[{"type":"text","text":~"^\\{\"result\":30,\"formula\":\"\\(15 / 100\\) × 200\",\"explanation\":\"15% of 200\"\\}$"}],
    "structuredContent":{"result":30,"formula":"(15 / 100) × 200","explanation":"15% of 200"},
    "_meta":{"io.modelcontextprotocol/serverInfo":{...}}}}

> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,
    "name":"percentage-calculator","arguments":{"mode":"ratio","a":1,"b":3,"precision":4}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"result":33.3333, ...}, ...}}
