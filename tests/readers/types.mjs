// SPDX-License-Identifier: Apache-2.0
//
// `mica types` as TypeScript's compiler reads it, with everything strict: the types
// take every example of every engine, and refuse what the schemas refuse. TAP.
//
//     node types.mjs --mica build/mica
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";

import { absolute, done, folder, need, options, test } from
  "../peers/tap.mjs";

const words = options({ mica: "build/mica" });
const mica = (...args) => execFileSync(absolute(words.mica), args,
  { cwd: folder, encoding: "utf8" });
const pascal = (name) =>
  name.replace(/(^|[-_])([a-z0-9])/g, (_, __, c) => c.toUpperCase());
const camel = (name) => pascal(name).replace(/^./, (c) => c.toLowerCase());

mkdirSync(join(folder, "types"));
writeFileSync(join(folder, "types", "package.json"), '{"type":"module"}');
mica("types", "--out", "types");
const tools = JSON.parse(mica("list", "--json"));

// Programs by their names; the compiler reads all at once, as it is slow to begin.
const programs = {};

function compile() {
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, "types", name), text);
  const program = ts.createProgram(
    Object.keys(programs).map((name) => join(folder, "types", name)), {
      strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, types: [],
      exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true,
      skipLibCheck: false, module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    });
  return ts.getPreEmitDiagnostics(program).map((found) =>
    `${found.file?.fileName ?? ""}: ` +
    ts.flattenDiagnosticMessageText(found.messageText, "\n"));
}

await test("each tool has its files, and there is an index", () => {
  const files = new Set(readdirSync(join(folder, "types")));
  need(tools.length > 10, `${tools.length} tools`);
  for (const { name } of tools)
    for (const end of ["d.ts", "input.json", "output.json"])
      need(files.has(`${name}.${end}`), `${name}.${end}`);
  need(files.has("index.d.ts"), "index.d.ts");
});

for (const { name } of tools) {
  const { examples } = JSON.parse(mica("describe", name, "--json"));
  const lines = [
    `import engine, { EngineError, ${camel(name)} } from "./${name}.js";`,
    `import type { ${pascal(name)}Input, ${pascal(name)}Output } from ` +
      `"./${name}.js";`,
    `const slug: "${name}" = engine.name;`,
    `const all: unknown[] = [slug, EngineError, ${camel(name)}.examples];`,
  ];
  for (const { input, output } of examples.filter((one) => one.output))
    lines.push(
      `all.push(((x: ${pascal(name)}Input): ${pascal(name)}Output =>`,
      `  engine.handler(engine.inputSchema.parse(x)))(`,
      `${JSON.stringify(input)}),`,
      `${JSON.stringify(output)} satisfies ` +
        `Partial<${pascal(name)}Output>);`);
  programs[`${name}.test.ts`] = lines.join("\n");
}

programs["refused.test.ts"] = `
  import type { PercentageCalculatorInput as Input } from
    "./percentage-calculator.js";
  import engine from "./percentage-calculator.js";
  const good: Input = { mode: "of", a: 1, b: 2 };
  const number: number = engine.handler(good).result;
  // @ts-expect-error a choice that is none
  const choice: Input = { mode: "off", a: 1, b: 2 };
  // @ts-expect-error a field is missing
  const missing: Input = { mode: "of", a: 1 };
  // @ts-expect-error a field that nobody knows
  const unknown: Input = { mode: "of", a: 1, b: 2, c: 3 };
  // @ts-expect-error another kind
  const kind: Input = { mode: "of", a: "1", b: 2 };
  // @ts-expect-error results have no such field
  engine.handler(good).resultt;
  // @ts-expect-error the engine is not to be changed
  engine.handler = () => ({});
  export { number, choice, missing, unknown, kind };`;

programs["index.test.ts"] = `
  import type { Tools } from "./index.js";
  declare function call<N extends keyof Tools>(name: N,
    input: Tools[N]["input"]): Promise<Tools[N]["output"]>;
  const { result } = await call("percentage-calculator",
    { mode: "of", a: 15, b: 200 });
  const number: number = result;
  // @ts-expect-error there is no such tool
  await call("percentage", {});
  export { number };`;

programs["all.test.ts"] = mica("types");

const found = compile();
for (const name of Object.keys(programs))
  await test(`${name} is right`, () => {
    const here = found.filter((one) => one.includes(`/${name}:`));
    need(here.length === 0, `${here.join("\n")}\n${programs[name]}`);
  });
await test("nothing else is wrong", () => {
  const rest = found.filter((one) =>
    !Object.keys(programs).some((name) => one.includes(`/${name}:`)));
  need(rest.length === 0, rest.join("\n"));
});

done();
