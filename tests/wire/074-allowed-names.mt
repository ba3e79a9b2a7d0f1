title: hosts and origins that the operator allows
over: http
http options: --allow-host mica.example --allow-origin https://app.example

>@ Host: mica.example
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{...}}
>@ Host: MICA.example:1234
>@ Origin: https://app.example
> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":2,"result":{...}}
<@ Access-Control-Allow-Origin: https://app.example
<@ Vary: Origin
>@ Origin: https://other.example
> {"jsonrpc":"2.0","id":3,"method":"server/discover","params":{$meta}}
< 403 ...
>@ Host: other.example
> {"jsonrpc":"2.0","id":4,"method":"server/discover","params":{$meta}}
< 403 ...
>@ Origin: https://app.example
>@ Access-Control-Request-Method: POST
>@ Access-Control-Request-Headers: mcp-method, mcp-protocol-version, content-type
> OPTIONS /mcp
< 204
<@ Access-Control-Allow-Origin: https://app.example
<@ Access-Control-Allow-Methods: ~"POST"
<@ Access-Control-Allow-Headers: ~"Mcp-Method"
>@ Origin: https://app.example
>@ Access-Control-Request-Method: POST
>@ Access-Control-Request-Headers: mcp-param-region, x-other
>@ +Access-Control-Request-Headers: mcp-param-zone
> OPTIONS /mcp
< 204
<@ Access-Control-Allow-Headers: ~"Mcp-Method, .*, mcp-param-region, mcp-param-zone$"
