title: wrong arguments are a result that the model can read and mend

> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",
    "content":[{"type":"text","text":~"^MISSING_FIELD: .*b"}],"isError":true,
    "_meta":{"mica/error":{"code":"MISSING_FIELD","message":~".","path":...}, ...}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":2,"precison":3}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":~"^UNKNOWN_FIELD: .*precision"}],"isError":true,
    "_meta":{"mica/error":{"code":"UNKNOWN_FIELD", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":"one","b":2}}}
< {"jsonrpc":"2.0","id":3,"result":{"isError":true,"_meta":{"mica/error":{"code":"WRONG_TYPE","path":"/a", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"off","a":1,"b":2}}}
< {"jsonrpc":"2.0","id":4,"result":{"isError":true,"_meta":{"mica/error":{"code":"NOT_A_CHOICE","message":~"of","path":"/mode"}, ...}, ...}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":2,"precision":11}}}
< {"jsonrpc":"2.0","id":5,"result":{"isError":true,"_meta":{"mica/error":{"code":"OUT_OF_RANGE","message":~"11","path":"/precision"}, ...}, ...}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{$meta,"name":"percentage-calculator"}}
< {"jsonrpc":"2.0","id":6,"result":{"isError":true,"_meta":{"mica/error":{"code":"MISSING_FIELD", ...}, ...}, ...}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1e999,"b":2}}}
< {"jsonrpc":"2.0","id":7,"result":{"isError":true,"_meta":{"mica/error":{"code":~"OUT_OF_RANGE|WRONG_TYPE","path":"/a", ...}, ...}, ...}}
# A name of 260 characters is cut, and named.
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":1,"b":2,"qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq":3}}}
< {"jsonrpc":"2.0","id":8,"result":{"isError":true,"_meta":{"mica/error":{"code":"UNKNOWN_FIELD","message":~"^\"q{160}…\" is no field of this object; its fields are \"mode\"","path":~"^/q{160}…$"}, ...}, ...}}
