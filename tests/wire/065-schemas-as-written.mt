title: a schema that an author wrote goes out with every keyword
server: fixture

> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{$meta}}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"test_simple_text","inputSchema":{"type":"object","additionalProperties":false}, ...}, ...,
    {"name":"json_schema_2020_12_tool","description":...,"annotations":{...},"inputSchema":{
      "$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
      "$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
      "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
      "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
      "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
      "then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}}, ...], ...}}
