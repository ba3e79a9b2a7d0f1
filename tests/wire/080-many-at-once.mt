title: a hundred calls at once, each with its own answer

>100 {"jsonrpc":"2.0","id":$n,"method":"tools/call","params":{$meta,"name":"percentage-calculator","arguments":{"mode":"of","a":$n,"b":100}}}
<x100 {"jsonrpc":"2.0","id":$n,"result":{"structuredContent":{"result":$n,"formula":"($n / 100) × 100","explanation":"$n% of 100"}, ...}}
