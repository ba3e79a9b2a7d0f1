// SPDX-License-Identifier: Apache-2.0
//
// The types of web/host: they agree with the official ones (host-types.ts), and name what
// the modules have.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

import ts from "typescript";

import * as client from "../../web/client/client.js";
import * as bridge from "../../web/host/bridge.js";
import * as frame from "../../web/host/frame.js";
import { done, test } from "../peers/tap.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const program = ts.createProgram([path("host-types.ts")], {
  strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts"], types: [],
});

await test("the types agree with the official ones, both ways", async () => {
  const found = ts.getPreEmitDiagnostics(program).map((one) =>
    `${one.file?.fileName}: ${ts.flattenDiagnosticMessageText(one.messageText, "\n")}`);
  assert.deepEqual(found, []);
});

const checker = program.getTypeChecker();
for (const [name, module] of [["host/bridge", bridge], ["host/frame", frame],
  ["client/client", client]]) {
  const file = program.getSourceFile(path(`../../web/${name}.d.ts`));
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file)).map((symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const values = symbols.filter((symbol) => symbol.flags & ts.SymbolFlags.Value);

  await test(`${name}.d.ts names what ${name}.js exports`, async () => {
    assert.deepEqual(values.map((symbol) => symbol.name).sort(), Object.keys(module).sort());
  });
}

await test("each member of AppBridge that has a type exists", async () => {
  const made = new bridge.AppBridge(null, { name: "h", version: "1" }, {});
  const file = program.getSourceFile(path("../../web/host/bridge.d.ts"));
  const symbol = checker.getExportsOfModule(checker.getSymbolAtLocation(file))
    .find(({ name }) => name === "AppBridge");
  const names = checker.getDeclaredTypeOfSymbol(symbol).getProperties().map(({ name }) => name);
  assert.ok(names.length > 50);
  for (const name of names) assert.ok(name in made, name);
});

done();
