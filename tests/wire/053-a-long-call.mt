title: an engine that takes longer than its inline budget, among quick ones

> {"jsonrpc":"2.0","id":"long","method":"tools/call","params":{$meta,"name":"hash","arguments":{"data":"$repeat(a,3000000)"}}}
> {"jsonrpc":"2.0","id":"quick","method":"tools/call","params":{$meta,"name":"hash","arguments":{"data":"abc","algorithm":"crc32"}}}
< {"jsonrpc":"2.0","id":"quick","result":{"structuredContent":{"hex":"352441c2", ...}, ...}}
< {"jsonrpc":"2.0","id":"long","result":{"structuredContent":{"hex":"2a152c894398719c0570f83fac34ac03a0f6e8e474b995c2403aa5434f7b9dd4","bytes":3000000, ...}, ...}}
# Twice the same call: nothing of the first is left.
> {"jsonrpc":"2.0","id":"again","method":"tools/call","params":{$meta,"name":"hash","arguments":{"data":"$repeat(a,3000000)"}}}
< {"jsonrpc":"2.0","id":"again","result":{"structuredContent":{"hex":"2a152c894398719c0570f83fac34ac03a0f6e8e474b995c2403aa5434f7b9dd4", ...}, ...}}
