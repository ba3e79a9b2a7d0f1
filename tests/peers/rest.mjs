// SPDX-License-Identifier: Apache-2.0
//
// REST as others see it: the OpenAPI document is valid by a validator that is not
// ours, a client is made of it by openapi-typescript, compiled by the TypeScript
// compiler (strictly), and talks to a server by openapi-fetch. And every engine is
// called with its examples by POST and by GET. TAP.
//
//     node rest.mjs --mica build/mica --engines build/engines --tools build/tools
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from
  "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Validator } from "@seriousme/openapi-schema-validator";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

import { absolute, done, folder, need, options, PATIENCE, same, serve, test } from
  "./tap.mjs";

const words = options({
  mica: "build/mica", engines: "build/engines", tools: "build/tools",
});
const mica = absolute(words.mica);
const offered = ["--engines", absolute(words.engines),
  "--tools", absolute(words.tools)];
const here = fileURLToPath(new URL(".", import.meta.url));

const server = await serve(mica, ["serve", "--drain=0", "--listen", "127.0.0.1:0",
  ...offered]);
const url = `http://127.0.0.1:${server.port}`;
const document = await (await fetch(`${url}/openapi.json`)).json();

// ---- The document ----------------------------------------------------------------

async function validate(specification) {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(specification));
  need(result.valid, JSON.stringify(result.errors, null, 1));
  same(validator.version, "3.1", "version");
}

await test("the document is valid OpenAPI 3.1", () => validate(document));

await test("mica openapi writes the same document", async () => {
  const file = join(folder, "openapi.json");
  execFileSync(mica, ["openapi", "--output", file, ...offered], { cwd: folder });
  same(JSON.parse(readFileSync(file, "utf8")), document, "document");
  same(JSON.parse(execFileSync(mica, ["openapi", ...offered],
    { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })),
  document, "stdout");
});

await test("one that asks for tokens is valid, too", async () => {
  const text = execFileSync(mica,
    ["openapi", "--secured", "--url", "https://tools.example", ...offered],
    { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const secured = JSON.parse(text);
  same(secured.servers, [{ url: "https://tools.example" }], "servers");
  await validate(secured);
});

await test("a document with an error is not", async () => {
  const broken = structuredClone(document);
  broken.paths["/api/percentage-calculator"].get.parameters[0].in = "nowhere";
  await validate(broken).then(
    () => { throw new Error("the validator sees nothing"); }, () => {});
});

// ---- The client that is made of it ------------------------------------------------

const program = join(folder, "client.mjs");

await test("a client is made of it and compiles", async () => {
  // A field with a default may be left out of what is sent.
  const types = astToString(await openapiTS(structuredClone(document),
    { defaultNonNullable: false }));
  writeFileSync(join(folder, "api.d.ts"), types);
  copyFileSync(join(here, "rest-client.ts"), join(folder, "client.ts"));
  symlinkSync(join(here, "node_modules"), join(folder, "node_modules"));
  const compiled = ts.createProgram([join(folder, "client.ts")], {
    strict: true, noEmit: true, skipLibCheck: true,
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  });
  const faults = ts.getPreEmitDiagnostics(compiled);
  need(faults.length === 0, ts.formatDiagnostics(faults, {
    getCanonicalFileName: (name) => name, getNewLine: () => "\n",
    getCurrentDirectory: () => folder }));
  writeFileSync(program, ts.transpileModule(
    readFileSync(join(folder, "client.ts"), "utf8"),
    { compilerOptions: { target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext } }).outputText);
}, 120000);

const client = await import(program);
await test("it calls an engine", () => client.callsAnEngine(url));
await test("it reads a problem", () => client.readsAProblem(url));
await test("it keeps what it has", () => client.keepsWhatItHas(url));
await test("it converses", async () => {
  const booked = await client.converses(url);
  need(booked !== undefined, "nothing was booked");
});
await test("it polls a task", async () => {
  const result = await client.polls(url, PATIENCE);
  same(result.taken + result.skipped, 20, "rows");
});

// ---- Every engine ------------------------------------------------------------------

// As the manual says it: plain values as they are, others as JSON.
function query(input) {
  const plain = (value) => ["string", "number", "boolean"]
    .includes(typeof value);
  const pairs = Object.entries(input).map(([name, value]) =>
    [name, plain(value) ? String(value) : JSON.stringify(value)]);
  return new URLSearchParams(pairs).toString();
}

const { tools } = await (await fetch(`${url}/api`)).json();
for (const { name } of tools.filter((tool) => tool.pure)) {
  await test(`${name} gives its examples by POST and by GET`, async () => {
    const path = document.paths[`/api/${name}`];
    const listed = path.post.requestBody.content["application/json"].examples;
    const examples = Object.values(listed).map((example) => example.value);
    need(examples.length > 0, "no examples");
    for (const input of examples) {
      const posted = await fetch(`${url}/api/${name}`, {
        method: "POST", headers: { "content-type": "application/json" },
        body: JSON.stringify(input) });
      const text = await posted.text();
      const asked = query(input);
      if (asked.length > 4000) continue; // a query has a limit
      const got = await fetch(`${url}/api/${name}?${asked}`);
      same(got.status, posted.status, `status of ${asked}`);
      same(await got.text(), text, `reply to ${asked}`);
      need(posted.ok || JSON.parse(text).code !== undefined, text);
    }
  });
}

await test("it ends", () => server.end());
done();
