title: a stateless client asks who is there
# No handshake: the request says its own version.

> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{
    "resultType":"complete",
    "supportedVersions":["2026-07-28"],
    "capabilities":{"tools":{"listChanged":true}, ...},
    "ttlMs":..., "cacheScope":~"^(public|private)$",
    "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mica","version":~"^[0-9]+\\.[0-9]+", ...}},
    ...}}
