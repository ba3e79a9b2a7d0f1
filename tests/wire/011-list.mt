title: a stateless client lists the tools

> {"jsonrpc":"2.0","id":"list-1","method":"tools/list","params":{$meta}}
< {"jsonrpc":"2.0","id":"list-1","result":{
    "resultType":"complete",
    "tools":[..., {
      "name":"percentage-calculator",
      "title":"Percentage calculator",
      "description":~"three ways",
      "inputSchema":{
        "$schema":"https://json-schema.org/draft/2020-12/schema",
        "type":"object",
        "properties":{
          "mode":{"type":"string","enum":["of","ratio","change"],"description":~".", ...},
          "a":{"type":"number","description":~".", ...},
          "b":{"type":"number","description":~".", ...},
          "precision":{"type":"integer","minimum":0,"maximum":10,"default":2,"description":~".", ...}},
        "required":["mode","a","b"],
        "additionalProperties":false,
        "examples":[{"mode":"of","a":15,"b":200}, ...]},
      "outputSchema":{"type":"object","properties":{"result":..., "formula":..., "explanation":...},
        "required":["result","formula","explanation"], ...},
      "annotations":{"title":"Percentage calculator","readOnlyHint":true,"destructiveHint":false,
        "idempotentHint":true,"openWorldHint":false},
      "_meta":{"mica/category":"math",
        "mica/examples":[{"title":"15% of 200","input":{"mode":"of","a":15,"b":200},"output":{...}}, ...], ...}
      }, ...],
    "ttlMs":..., "cacheScope":"private", "_meta":{...}}}
