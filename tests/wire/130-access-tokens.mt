title: with --auth every request needs a token that was made for this server
over: http
http options: --auth $here/auth/auth.json --allow-origin https://page.example

# [AUTH-401] Nobody, on any path or method; the challenge says where to go.
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 401 {"status":401,"code":"UNAUTHORIZED", ...}
<@ Content-Type: application/problem+json
<@ WWW-Authenticate: Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", scope="tools"
> GET /
< 401 ...
> DELETE /mcp
< 401 ...
> GET /no-such-page
< 401 ...
>@ Authorization: Basic YWRhOmFkYQ==
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< 401 ...
<@ WWW-Authenticate: ~"^Bearer resource_metadata=[^,]*, scope=\"tools\"$"
# [AUTH-TOKEN] Who has one.
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools"})
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,
   "name":"percentage-calculator","arguments":{"mode":"of","a":15,"b":200}}}
< {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"result":30, ...}, ...}}
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools","aud":["https://other.example","https://MCP.example/mcp"]})
> {"jsonrpc":"2.0","id":3,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":3,"result":{...}}
# A broader scope includes it.
>@ Authorization: bearer $token({"sub":"boss","scope":"other admin"})
> {"jsonrpc":"2.0","id":4,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":4,"result":{...}}

# Made for another, too old, to come, by somebody else, forged, unsigned.
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools","aud":"https://other.example"})
> {"jsonrpc":"2.0","id":5,"method":"server/discover","params":{$meta}}
< 401 ...
<@ WWW-Authenticate: ~"^Bearer error=\"invalid_token\", resource_metadata=\".*\", scope=\"tools\", error_description=\"[^\"]*another server\"$"
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools","exp":1600000000})
> {"jsonrpc":"2.0","id":6,"method":"server/discover","params":{$meta}}
< 401 ...
<@ WWW-Authenticate: ~"^Bearer error=\"invalid_token\", .*expired"
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools","nbf":4102444000})
> {"jsonrpc":"2.0","id":7,"method":"server/discover","params":{$meta}}
< 401 ...
<@ WWW-Authenticate: ~"^Bearer error=\"invalid_token\""
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools","iss":"https://login.example/"})
> {"jsonrpc":"2.0","id":8,"method":"server/discover","params":{$meta}}
< 401 ...
<@ WWW-Authenticate: ~"^Bearer error=\"invalid_token\""
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools","forged":true})
> {"jsonrpc":"2.0","id":9,"method":"server/discover","params":{$meta}}
< 401 ...
<@ WWW-Authenticate: ~"^Bearer error=\"invalid_token\""
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools","header":{"alg":"none"}})
> {"jsonrpc":"2.0","id":10,"method":"server/discover","params":{$meta}}
< 401 ...
<@ WWW-Authenticate: ~"^Bearer error=\"invalid_token\""
# A header that cannot be read, or is there twice.
>@ Authorization: Bearer a b
> {"jsonrpc":"2.0","id":11,"method":"server/discover","params":{$meta}}
< 400 ...
<@ WWW-Authenticate: ~"^Bearer error=\"invalid_request\""
>@ Authorization: Bearer $token({"sub":"ada","scope":"tools"})
>@ +Authorization: Bearer $token({"sub":"ada","scope":"tools"})
> {"jsonrpc":"2.0","id":12,"method":"server/discover","params":{$meta}}
< 400 ...
<@ WWW-Authenticate: ~"^Bearer error=\"invalid_request\""
# [AUTH-403] A token, without the scope that is needed.
>@ Authorization: Bearer $token({"sub":"guest","scope":"write toolsy"})
> {"jsonrpc":"2.0","id":13,"method":"server/discover","params":{$meta}}
< 403 {"status":403,"code":"INSUFFICIENT_SCOPE", ...}
<@ WWW-Authenticate: ~"^Bearer error=\"insufficient_scope\", scope=\"tools\", resource_metadata="
# [AUTH-QUERY] Not there.
> POST /mcp?access_token=abc {"jsonrpc":"2.0","id":14,"method":"server/discover","params":{$meta}}
< 401 ...
<@ WWW-Authenticate: ~"^Bearer resource_metadata="

# [AUTH-METADATA] At both paths, for everybody whose origin may call.
>@ Origin: https://page.example
> GET /.well-known/oauth-protected-resource/mcp
< 200 {"resource":"https://mcp.example/mcp","authorization_servers":["https://login.example"],
    "scopes_supported":["tools"],"bearer_methods_supported":["header"], ...}
<@ Access-Control-Allow-Origin: *
> GET /.well-known/oauth-protected-resource
< 200 {"resource":"https://mcp.example/mcp","authorization_servers":["https://login.example"], ...}
> GET /healthz
< 200 ...
>@ Origin: https://evil.example
> GET /.well-known/oauth-protected-resource
< 403 ...
