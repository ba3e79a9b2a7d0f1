// SPDX-License-Identifier: Apache-2.0
//
// npm.mjs FIXTURE: the npm package as its users have it: written twice with the same bytes,
// installed from its file without a network, imported by its names, compiled, and bundled into
// a view that was written for the official package.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync,
  writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { absolute, done, serve, test } from "../peers/tap.mjs";
import { browser, bundle, document_, inHost, view } from "./frames.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mica-npm-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function run(command, args, cwd = folder) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8",
    env: { ...process.env, npm_config_cache: join(folder, "cache") } });
  if (error) throw error;
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}
const write = (to) => run(join(root, "scripts/npm-package"), [to]);
const file = join(folder, "mica-apps.tgz");
const installed = join(folder, "node_modules/mica-apps");
const version = /^ {2}version: '(.*)',$/m.exec(readFileSync(join(root, "meson.build"), "utf8"))[1];

await test("the same files give the same bytes", async () => {
  write(file);
  write(join(folder, "again.tgz"));
  assert.deepEqual(readFileSync(file), readFileSync(join(folder, "again.tgz")));
  const names = run("tar", ["tzf", file]).trim().split("\n");
  assert.ok(names.every((name) => name.startsWith("package/") && !name.includes("..")));
  for (const name of ["README.md", "LICENSE", "package.json"])
    assert.ok(names.includes(`package/${name}`), name);
});

await test("npm installs it from its file, offline, and nothing else", async () => {
  writeFileSync(join(folder, "package.json"), '{"name":"user","private":true,"type":"module"}');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts",
    `file:${file}`]);
  assert.deepEqual(readdirSync(join(folder, "node_modules")).filter((name) => name[0] !== "."),
    ["mica-apps"]);
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.equal(manifest.version, version);
  assert.equal(manifest.dependencies, undefined);
  assert.ok(manifest.peerDependenciesMeta.react.optional);
  const words = readFileSync(join(installed, "README.md"), "utf8");
  assert.ok(words.includes(version) && !words.includes("@VERSION@"));
  // What it exports is there, and no module names a file that is not.
  for (const targets of Object.values(manifest.exports))
    for (const target of Object.values(typeof targets === "string" ? [targets] : targets))
      readFileSync(join(installed, target));
  for (const path of ["view", "host", "client", "."]
    .flatMap((one) => readdirSync(join(installed, one)).map((name) => join(installed, one, name)))
    .filter((path) => /\.(js|d\.ts)$/.test(path)))
    for (const [, from] of readFileSync(path, "utf8").matchAll(/from "(\.[^"]*)"/g))
      assert.doesNotThrow(() => readFileSync(new URL(path.endsWith(".d.ts")
        ? from.replace(/\.js$/, ".d.ts") : from, pathToFileURL(path))), `${path}: ${from}`);
});

/** What a program of the installed package prints. */
function program(source) {
  writeFileSync(join(folder, "program.mjs"), source);
  return JSON.parse(run(process.execPath, ["program.mjs"]));
}

await test("its names export what the modules do", async () => {
  const told = program(`
    const names = {};
    for (const part of ["", "/app-bridge", "/client", "/fetch", "/frame"])
      names[part] = Object.keys(await import("mica-apps" + part));
    console.log(JSON.stringify(names));`);
  assert.ok(["App", "PostMessageTransport", "registerTool", "RESOURCE_MIME_TYPE", "installFetch"]
    .every((name) => told[""].includes(name)), String(told[""]));
  assert.ok(told["/app-bridge"].includes("AppBridge"));
  assert.deepEqual(told["/client"].sort(),
    ["Client", "ProtocolError", "SUPPORTED_PROTOCOL_VERSIONS", "SdkError"]);
  assert.ok(told["/fetch"].includes("initMcpHttp"));
  assert.ok(told["/frame"].includes("openView"));
  // Schemas of zod are what a package without dependencies does not have.
  for (const part of ["", "/app-bridge"]) {
    const official = Object.keys(await import(`@modelcontextprotocol/ext-apps${part}`))
      .filter((name) => !name.endsWith("Schema"));
    assert.deepEqual(official.filter((name) => !told[part].includes(name)), [], part);
  }
});

await test("its client connects to a server", async () => {
  const server = await serve(absolute(process.argv[2]), ["--listen", "127.0.0.1:0", "--views"]);
  assert.deepEqual(program(`
    import { Client } from "mica-apps/client";
    const client = new Client({ name: "npm", version: "1" });
    await client.connect({ transport: { type: "http",
      url: "http://127.0.0.1:${server.port}/mcp" } });
    const { structuredContent } = await client.callTool({ name: "throw_dice", arguments: {} });
    await client.close();
    console.log(JSON.stringify(structuredContent));`), { points: 7, views: false });
  await server.end();
});

// ---- A view that was written for the official package ------------------------------------

const chrome = await browser();
const page = await chrome.page();
const ported = (text, name) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
// As a bundler finds a package beside the view: the others that it imports are the tests' own.
for (const name of ["zod", "react", "react-dom", "scheduler"])
  symlinkSync(join(here, "node_modules", name), join(folder, "node_modules", name));
const seed = (name) => readFileSync(join(here, "seeds", name), "utf8");
const open = async (name, text, options = {}) => view(page, name, document_(await bundle(
  `import ${JSON.stringify(ported(text, name))};`, "esm",
  { define: { "process.env.NODE_ENV": '"production"' }, jsx: "automatic", ...options }),
{ kind: ' type="module"' }));

await test("a view is ported by the name that it imports", async () => {
  const text = seed("tic-tac-toe.ts");
  const changed = text.replaceAll(/'\.\.\/\.\.\/\.\.\/web\/view\/index\.js'/g, "'mica-apps'");
  assert.notEqual(changed, text);
  await open("tic-tac-toe.ts", changed);
  const { content, structuredContent } = await inHost(page, "tic-tac-toe.ts", (bridge) =>
    bridge.callTool({ name: "make_move", arguments: { position: 4 } }));
  assert.deepEqual([content[0].text, structuredContent.board[4]], ["Moved to 4", "X"]);
});

await test("and so is one in React", async () => {
  const text = seed("drilling.tsx");
  const changed = text.replace(/(["'])[./]*web\/view\/react\.js\1/g, "'mica-apps/react'")
    .replace(/(["'])[./]*web\/view\/index\.js\1/g, "'mica-apps'");
  assert.notEqual(changed, text);
  const frame = await open("drilling.tsx", changed);
  await frame.locator("main", { hasText: "host" }).waitFor();
});

await test("a host pays for AppBridge alone what the module takes by itself", async () => {
  const size = async (source) => gzipSync(await bundle(source, "esm"), { level: 9 }).length;
  const own = await size('export { AppBridge } from "../../web/host/bridge.js"');
  const whole = await size(`export { AppBridge } from ${JSON.stringify(ported(
    'export { AppBridge } from "mica-apps/app-bridge";', "host.mjs"))};`);
  assert.ok(whole <= own + 32, `${whole} bytes beside ${own}`);
  // And what answers forms is there for the host that uses it.
  assert.ok(await size(`export * from ${JSON.stringify(ported(
    'export { AppBridge, requestElicitation } from "mica-apps/app-bridge";', "forms.mjs"))};`) >
    own + 500, "requestElicitation");
});

// ---- Types --------------------------------------------------------------------------------

await test("its types are the official ones, both ways, for programs and for bundlers", async () => {
  const types = join(folder, "types");
  mkdirSync(types);
  for (const name of ["types.ts", "host-types.ts"])
    writeFileSync(join(types, name), readFileSync(join(here, name), "utf8")
      .replaceAll(/"\.\.\/\.\.\/web\/view\/index\.js"/g, '"mica-apps"')
      .replaceAll(/"\.\.\/\.\.\/web\/view\/react\.js"/g, '"mica-apps/react"')
      .replaceAll(/"\.\.\/\.\.\/web\/host\/bridge\.js"/g, '"mica-apps/app-bridge"')
      .replaceAll(/"\.\.\/\.\.\/web\/host\/frame\.js"/g, '"mica-apps/frame"')
      .replaceAll(/"\.\.\/\.\.\/web\/client\/client\.js"/g, '"mica-apps/client"'));
  cpSync(join(here, "package.json"), join(types, "package.json"));
  symlinkSync(join(here, "node_modules/@modelcontextprotocol"),
    join(folder, "node_modules/@modelcontextprotocol"));
  mkdirSync(join(folder, "node_modules/@types"));
  symlinkSync(join(here, "node_modules/@types/react"), join(folder, "node_modules/@types/react"));
  for (const module of ["nodenext", "bundler"]) {
    writeFileSync(join(types, "tsconfig.json"), JSON.stringify({ compilerOptions: {
      strict: true, noEmit: true, target: "es2022", skipLibCheck: true, types: [],
      lib: ["es2023", "dom", "dom.iterable"],
      module: module === "bundler" ? "esnext" : module, moduleResolution: module,
      paths: { react: ["../node_modules/@types/react"] },
    }, files: ["types.ts", "host-types.ts"] }));
    run(process.execPath, [join(here, "node_modules/typescript7/bin/tsc"), "-p", "."], types);
  }
}, 110000);

await chrome.end();
done();
