// SPDX-License-Identifier: Apache-2.0
//
// The built files of engines as a program in Node uses them: the module and its
// JavaScript fallback give the same bytes as the sandbox; the five fields; parse; errors.
import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { done, folder, need, options, same, test } from "../peers/tap.mjs";

const found = options({ engines: "", broken: "", inputs: "" });
for (const name in found) found[name] = resolve(found[name]);
const count = process.env.MICA_SAME_COUNT ?? "200";
const seed = process.env.MICA_SAME_SEED ?? "1";
const slugs = readdirSync(found.engines)
  .filter((name) => name.endsWith(".twin.js"))
  .map((name) => name.replace(".twin.js", ""));
const sharedOf = (engines) =>
  import(pathToFileURL(join(engines, "_engine.js")).href);
const { EngineError, callText, runsOn } = await sharedOf(found.engines);

// The engine on its module, and on its JavaScript fallback, as where WebAssembly is missing.
async function load(engines, slug) {
  const url = pathToFileURL(join(engines, `${slug}.js`)).href;
  const { WebAssembly } = globalThis;
  const wasm = (await import(url)).default;
  delete globalThis.WebAssembly;
  const fallback = (await import(`${url}?without`)).default;
  globalThis.WebAssembly = WebAssembly;
  return { wasm, fallback };
}

async function calls(engines, slug, number) {
  const { stdout } = await promisify(execFile)(
    found.inputs, [engines, slug, number, seed], { maxBuffer: 1 << 30 });
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

function compare(call, engine, expected) {
  const { ok, text } = call(engine, expected.input);
  if (ok !== expected.ok || text !== expected.text)
    throw new Error(`${runsOn(engine)}: ${expected.input}\n  gives ${text}\n` +
      `  and in the sandbox ${expected.text}`);
}

await test("there are engines", async () => need(slugs.length >= 19, slugs));

for (const slug of slugs)
  await test(`${slug}: module, JavaScript fallback and sandbox give the same bytes`,
    async () => {
      const { wasm, fallback } = await load(found.engines, slug);
      same([runsOn(wasm), runsOn(fallback)], ["wasm", "twin"], "what they run on");
      const expected = await calls(found.engines, slug, count);
      need(expected.some(({ ok }) => ok), "no call went well");
      for (const one of expected) {
        compare(callText, wasm, one);
        compare(callText, fallback, one);
      }
    }, 300000);

const slug = "percentage-calculator";
const { wasm: percentage } = await load(found.engines, slug);

function failure(run) {
  try {
    run();
  } catch (error) {
    need(error instanceof EngineError, String(error));
    return { code: error.code, path: error.path, message: error.message };
  }
  throw new Error("it did not fail");
}

await test("an engine is one object with five fields", async () => {
  same(Object.keys(percentage),
    ["name", "description", "inputSchema", "handler", "examples"], "its fields");
  same(percentage.name, slug, "its name");
  need(percentage.description.length > 20, "its description");
  same(percentage.inputSchema.type, "object", "its schema");
  need(!JSON.stringify(percentage.inputSchema).includes("parse"), "a copy");
});

await test("its handler is synchronous and keeps nothing", async () => {
  const input = { mode: "of", a: 15, b: 200 };
  const first = percentage.handler(input);
  same(first.result, 30, "15% of 200");
  same(percentage.handler(input), first, "the second time");
});

await test("each example gives what it says", async () => {
  for (const { input, output, error } of percentage.examples)
    if (error)
      same(failure(() => percentage.handler(input)).code, error, "the error");
    else
      same({ ...percentage.handler(input), ...output },
        percentage.handler(input), "the output");
});

await test("parse gives the defaults and refuses as a call does", async () => {
  const { parse } = percentage.inputSchema;
  same(parse({ b: 1, a: 1e2, mode: "of" }),
    { mode: "of", a: 100, b: 1, precision: 2 }, "with defaults");
  for (const input of [{}, { mode: "of", a: "1", b: 2 }, [], null, "x",
                       { mode: "off", a: 1, b: 2 },
                       { mode: "of", a: 1, b: 2, precision: 11 }])
    same(failure(() => parse(input)), failure(() => percentage.handler(input)),
      JSON.stringify(input));
});

await test("a failure has code, path and a message that teaches", async () => {
  const error = failure(() => percentage.handler({ mode: "of", a: 1, c: 2 }));
  same([error.code, error.path], ["UNKNOWN_FIELD", "/c"], "code and path");
  need(error.message.includes("\"c\"") || error.message.includes("c"),
    error.message);
  same(failure(() => percentage.handler(
    { mode: "ratio", a: 1, b: 0 })).code, "DIVISION_BY_ZERO", "its own");
  same(failure(() => percentage.handler({ mode: "of", a: 1n })).code,
    "INVALID_JSON", "a value that JSON does not have");
  same(failure(() => percentage.handler()).code, "MISSING_FIELD", "no input");
});

// A JavaScript fallback does not notice an access outside of its memory; it keeps every
// other promise.
const wild = /wild-|deep-memory/;

await test("faults end alike", async () => {
  const { wasm, fallback } = await load(found.broken, "misbehave");
  const { callText } = await sharedOf(found.broken);
  for (const expected of await calls(found.broken, "misbehave", "60"))
    for (const engine of wild.test(expected.input) ? [wasm] : [wasm, fallback]) {
      const { ok, text } = callText(engine, expected.input);
      same([ok, JSON.parse(text).code],
        [expected.ok, JSON.parse(expected.text).code], expected.input);
    }
});

await test("a page keeps every digit of a number", async () => {
  const { parse, stringify, Written } = await import("../../web/exact.js");
  const text = '{"a":1.10,"b":[12345678901234567890.12,-0,1e400,"x\\"1.50"],' +
    '"c":{"d":0.1},"e":"5"}';
  const value = parse(text);
  same(stringify(value), text, "back to text");
  same(String(value.b[0]), "12345678901234567890.12", "as it is shown");
  need(value.a instanceof Written && value.c.d === 0.1, "only where it matters");
  let refused = false;
  try { parse('{"a":01}'); } catch { refused = true; }
  need(refused, "no JSON is refused");
});

await test("an engine of money is exact in module and JavaScript fallback", async () => {
  const { wasm, fallback } = await load(found.engines, "currency-converter");
  for (const engine of [wasm, fallback]) {
    const { text } = callText(engine, '{"amount":999999999999.99999999999999,' +
      '"from":"EUR","to":"USD","rate":1.000000000000000001}');
    need(text.includes('"unrounded":1000000000000.00000099999999,'), text);
  }
});

await test("an engine inside a page that cannot run is named, not its bytes",
  async () => {
    const { defineEngine } = await sharedOf(found.engines);
    const module = "data:application/wasm;base64," + "AAAA".repeat(5000);
    const facts = JSON.stringify({ name: "one-engine", inputSchema: {} });
    const error = await defineEngine("data:,", { module, facts }).then(
      () => need(false, "it was made"), (reason) => reason);
    same(error.code, "NOT_LOADED", "its code");
    need(error.message.includes("one-engine"), error.message);
    need(error.message.length < 1000, `${error.message.length} characters`);
  });

await test("the types say what an engine takes and gives", async () => {
  const use = join(folder, "use.ts");
  const path = JSON.stringify(join(found.engines, "tip-splitter.js"));
  writeFileSync(use, `import engine from ${path};\n` +
    "const input = engine.inputSchema.parse({ bill: 10 });\n" +
    "const output = engine.handler(input);\n" +
    "export const words: string = engine.name;\n" +
    "// @ts-expect-error\nexport const wrong: string = output;\n" +
    "// @ts-expect-error\nengine.handler({ nothing: 1 });\n");
  const types = slugs.map((name) => join(found.engines, `${name}.d.ts`));
  const tsc = join(import.meta.dirname ?? ".", "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "--strict", "--noEmit", "--target",
      "es2022", "--module", "nodenext", "--typeRoots", folder, use, ...types]);
  } catch (error) {
    throw new Error(String(error.stdout));
  }
});

done();
