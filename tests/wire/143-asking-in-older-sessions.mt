title: older revisions are asked in their own words
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{},"sampling":{},"roots":{}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_elicitation_sep1034_defaults","arguments":{}}}
< {"jsonrpc":"2.0","id":@ask,"method":"elicitation/create","params":{"message":"Is all of this right?","requestedSchema":{"type":"object","properties":{
    "verified":{"type":"boolean","default":true, ...}, ...}, ...}}}
> {"jsonrpc":"2.0","id":$(ask),"result":{"action":"decline"}}
< 202
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":~"action=decline"}]}}
# Lists of choices there are none: who needs them cannot ask.
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_elicitation_sep1330_enums","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"isError":true,"content":[{"type":"text","text":~"CAPABILITY_MISSING"}], ...}}
