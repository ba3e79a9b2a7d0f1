// SPDX-License-Identifier: Apache-2.0
//
// Plain JSON Schema in views: every keyword that the interpreter knows, with values on both
// sides of it, beside mica's own validator; the texts; and what is refused.
import { spawnSync } from "node:child_process";

import { done, need, options, same, test } from "../peers/tap.mjs";
import { ours, thrown } from "./pair.mjs";

const { schemas } = options({ schemas: "" });
const check = (schema, value) =>
  (ours.fromJsonSchema(schema)["~standard"].validate(value).issues ?? [])
    .map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("; ");

const tree = { type: "object", properties: { left: { $ref: "#" }, right: { $ref: "#" },
  at: { $ref: "#/$defs/a~1b~0%20" } }, $defs: { "a/b~ ": { type: "integer" } } };
// [schema, good values, {text: bad value}]
const ROWS = [
  [{}, [1, null, {}], {}],
  [true, [1, null], {}],
  [false, [], { "not expected": 1 }],
  [{ type: "string" }, ["", "a"], { "expected string, received null": null,
    "expected string, received array": [] }],
  [{ type: ["number", "null"] }, [1.5, null], { "expected number or null, received boolean": true }],
  [{ type: "integer" }, [1, -0, 1e300], { "expected integer, received number": 1.5 }],
  [{ enum: [1, "a", [1], { a: 1, b: 2 }] }, [1, "a", [1], { b: 2, a: 1 }],
    { 'expected one of 1|"a"|[1]|{"a":1,"b":2}': "b" }],
  [{ const: null }, [null], { "expected null": 0 }],
  [{ minimum: 2 }, [2, 3, "a"], { "expected number >=2": 1.9 }],
  [{ maximum: 2 }, [2, 1, null], { "expected number <=2": 2.1 }],
  [{ exclusiveMinimum: 2 }, [2.1], { "expected number >2": 2 }],
  [{ exclusiveMaximum: 2 }, [1.9], { "expected number <2": 2 }],
  [{ multipleOf: 0.1 }, [0.3, 0, -1.7, "a"], { "expected number a multiple of 0.1": 0.35 }],
  [{ minLength: 2 }, ["ab", "😀😀", 1], { "expected string of length >=2": "😀" }],
  [{ maxLength: 1 }, ["a", "😀", ""], { "expected string of length <=1": "ab" }],
  [{ pattern: "^a.c$" }, ["abc", "a😀c", 5], { "expected string like ^a.c$": "xabc" }],
  [{ minItems: 1 }, [[1], {}], { "expected array of length >=1": [] }],
  [{ maxItems: 1 }, [[1], []], { "expected array of length <=1": [1, 2] }],
  [{ uniqueItems: true }, [[1, "1", [1], { a: 1 }], {}],
    { "expected array with items that differ: true": [{ a: 1, b: 2 }, { b: 2, a: 1 }] }],
  [{ uniqueItems: false }, [[1, 1]], {}],
  [{ items: { type: "number" } }, [[], [1, 2], "a"],
    { "1: expected number, received string": [1, "2"] }],
  [{ items: false }, [[]], { "0: not expected": [1] }],
  [{ prefixItems: [{ type: "number" }, { type: "string" }], items: { type: "boolean" } },
    [[1], [1, "a"], [1, "a", true]], { "0: expected number, received string": ["a"],
      "2: expected boolean, received number": [1, "a", 2] }],
  [{ required: ["a", "toString"] }, [{ a: 1, toString: 2 }, [], "a"],
    { "toString: required": { a: 1 } }],
  [{ properties: { a: { type: "string" } }, required: ["a"] }, [{ a: "x" }],
    { "a: expected string, received undefined": {} }],
  [{ properties: { a: { properties: { b: { type: "null" } } } } }, [{ a: { b: null } }, { a: 1 }],
    { "a.b: expected null, received number": { a: { b: 1 } } }],
  [{ properties: { a: {} }, additionalProperties: false }, [{ a: 1 }, {}],
    { "b: unrecognized key": { a: 1, b: 2 } }],
  [{ properties: { a: true }, additionalProperties: { type: "number" } }, [{ a: "x", b: 1 }],
    { "b: expected number, received string": { b: "x" } }],
  [{ additionalProperties: true }, [{ b: 1 }], {}],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], { "expected number <=2": 3 }],
  [{ anyOf: [{ type: "string" }, { minimum: 3 }] }, ["a", 3], { "none of anyOf": 1 }],
  [{ oneOf: [{ minimum: 1 }, { maximum: 3 }] }, [0, 4], { "not one of oneOf": 2 }],
  [{ not: { type: "string" } }, [1], { "not expected": "a" }],
  [tree, [{ left: { right: {} }, at: 1 }], { "left.right: expected object, received number":
    { left: { right: 5 } }, "at: expected integer, received string": { at: "x" } }],
  [{ title: "t", description: "d", $comment: "c", default: 1, examples: [1], deprecated: true,
    readOnly: true, writeOnly: true, format: "email",
    $schema: "https://json-schema.org/draft/2020-12/schema" }, [1, "not an address"], {}],
  [{ type: "object", properties: { n: { type: "integer", minimum: 1 }, s: { minLength: 1 } },
    required: ["n"] }, [{ n: 1, s: "a" }], {
    "n: expected number >=1; s: expected string of length >=1": { n: 0, s: "" } }],
];

for (const [schema, good, bad] of ROWS)
  await test(JSON.stringify(schema).slice(0, 70), async () => {
    for (const value of good) same(check(schema, value), "", JSON.stringify(value));
    for (const [text, value] of Object.entries(bad)) same(check(schema, value), text, "the text");
  });

if (schemas)
  await test("mica's own validator says the same of each", async () => {
    const cases = ROWS.flatMap(([schema, good, bad]) =>
      [...good, ...Object.values(bad)].map((value) => [schema, value]));
    const lines = cases.flat().map((part) => JSON.stringify(part)).join("\n");
    const { stdout } = spawnSync(schemas, { input: `${lines}\n`, encoding: "utf8" });
    const said = stdout.trim().split("\n");
    same(said.length, cases.length, "answers");
    cases.forEach(([schema, value], i) => same(said[i],
      check(schema, value) ? "invalid" : "valid", JSON.stringify([schema, value])));
    need(cases.length > 80, "too few");
  });

await test("a list of schemas that are refused, with their place", async () => {
  for (const [schema, text] of [
    [{ properties: { a: { minContains: 1 } } },
      '#/properties/a has the keyword "minContains", which is not supported'],
    [{ anyOf: [{}, { if: {} }] }, '#/anyOf/1 has the keyword "if"'],
    [{ items: { patternProperties: {} } }, '#/items has the keyword "patternProperties"'],
    [{ $defs: { x: { toString: 1 } } }, '#/$defs/x has the keyword "toString"'],
    [{ pattern: "(" }, '# has a wrong "pattern"'],
    [{ $ref: "#/$defs/none" }, '# has a wrong "$ref": there is no #/$defs/none'],
    [{ $ref: "https://example.com/x" }, '# has a wrong "$ref"'],
    [{ properties: { a: 5 } }, "#/properties/a is no schema"],
    ["string", "# is no schema"],
  ]) {
    const error = await thrown((async () => ours.fromJsonSchema(schema))());
    same([error.code, error.message.startsWith(`The schema at ${text}`)], ["SCHEMA_REFUSED", true],
      error.message);
  }
});
await test("a schema without end ends", async () => {
  same(check({ $ref: "#" }, 1), "the schema does not end", "the text");
});
await test("a tool with such a schema is not registered, nor updated", async () => {
  const register = async (config) => ours.registerTool("x", config, async () => {});
  for (const [config, text] of [
    [{ inputSchema: { contains: {} } }, 'Tool x: The schema at # has the keyword "contains"'],
    [{ outputSchema: { contains: {} } }, 'Tool x: The schema at # has the keyword "contains"'],
    [{ inputSchema: { type: "string" } }, "Tool x: the type of an inputSchema is object."]]) {
    const error = await thrown(register(config));
    same([error.code, error.message.startsWith(text)], ["SCHEMA_REFUSED", true], error.message);
  }
  const tool = await register({ inputSchema: { properties: {} } });
  await thrown((async () => tool.update({ inputSchema: { contains: {} } }))());
  same(tool.inputSchema, { properties: {} }, "as before");
  same(await ours.pageTools.list(), [{ name: "x", inputSchema: { type: "object",
    properties: {} } }], "the list has the type");
  tool.remove();
});

done();
