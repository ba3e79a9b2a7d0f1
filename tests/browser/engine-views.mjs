// SPDX-License-Identifier: Apache-2.0
//
// Every engine as a view: the document that the server gives for it, in a host (web/host)
// and behind its proxy, on an opaque origin and under the policy of MCP Apps for a view
// that declares nothing. That policy forbids WebAssembly, so the module is translated; the
// results have to be those of the server, to the byte, and nothing may leave the frame.
// MICA_SAME_COUNT sets the number of inputs.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { done, need, same, serve, test, until } from "../peers/tap.mjs";
import { browser, mica, paths } from "./chromium.mjs";
import { translate } from "../../web/translate.js";

const found = paths({ mica: "", engines: "", inputs: "", sandbox: "" });
const count = Number(process.env.MICA_SAME_COUNT ?? "50");
const seed = process.env.MICA_SAME_SEED ?? "1";
const KB = 1024, AIM = 60 * KB, MOST = 86 * KB;
const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const web = new URL("../../web/", import.meta.url);
const slugs = readdirSync(found.engines).filter((name) => name.endsWith(".wasm"))
  .map((name) => name.replace(".wasm", ""));

// Engines with a page of their own, which is their view, too.
const isOwn = (slug) => existsSync(`${found.engines}/${slug}.view.html`);

const server = await mica(found);
const sandbox = await serve(found.sandbox, []);
const origin = `http://127.0.0.1:${sandbox.port}`;

// ---- The server ------------------------------------------------------------------

const MIME = "text/html;profile=mcp-app";
const VIEWS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME] } } };

/** The result of one request that stands for itself. */
async function ask(method, params, name, capabilities = VIEWS) {
  const response = await fetch(`${server.origin}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json", Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
      ...name && { "Mcp-Name": name },
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": capabilities } } }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
}

const callTool = (name, given) => ask("tools/call", { name, arguments: given }, name);

async function documentOf({ _meta }) {
  const { resourceUri: uri } = _meta.ui;
  const { contents: [{ text, mimeType }] } = await ask("resources/read", { uri }, uri);
  same(mimeType, MIME, "its type");
  return text;
}

const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The inputs of the test, and what the sandbox of the server answers to each. */
async function expected(slug) {
  const { stdout } = await promisify(execFile)(
    found.inputs, [found.engines, slug, count, seed], { maxBuffer: 1 << 30 });
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

// ---- The host --------------------------------------------------------------------

const chromium = await browser();
const context = await chromium.newContext({ permissions: ["local-network-access"],
  viewport: { width: 1000, height: 900 } });
const page = await context.newPage();
const requests = [], said = [];
page.on("pageerror", (error) => said.push(String(error)));
page.on("console", (message) => {
  if (/error|warning/.test(message.type())) said.push(message.text());
});
await page.route(`${origin}/**`, (route) => {
  const { pathname } = new URL(route.request().url());
  return route.fulfill(pathname.startsWith("/web/")
    ? { contentType: "text/javascript", body: readFileSync(new URL(`.${pathname.slice(4)}`, web)) }
    : { contentType: "text/html", body: "<!doctype html><title>Host</title><div id=views>" });
});
await page.goto(`${origin}/host`);
await page.exposeFunction("callServer", callTool);
page.on("request", (request) => requests.push(request.url()));
await page.evaluate(async (port) => {
  const { AppBridge } = await import("/web/host/bridge.js");
  const { openView } = await import("/web/host/frame.js");
  globalThis.open = async (html, can = {}, hostContext = {}, width = 700) => {
    const container = document.getElementById("views");
    const bridge = globalThis.bridge = new AppBridge(null, { name: "host", version: "1" },
      { updateModelContext: {}, logging: {}, ...can }, { hostContext });
    bridge.contexts = [];
    bridge.onupdatemodelcontext = async (params) => {
      bridge.contexts.push(params);
      return {};
    };
    bridge.oncalltool = ({ name, arguments: given }) => callServer(name, given);
    bridge.onsizechange = ({ height }) => {
      if (height) frame.style.height = `${height}px`;
    };
    let frame;
    container.style.width = `${width}px`;
    frame = await openView(bridge, { container, html,
      proxy: `http://${crypto.randomUUID()}.localhost:${port}/sandbox` });
    frame.style.cssText += "border:0;width:100%;height:300px";
    for (const end = performance.now() + 60_000;
      bridge.state !== "LIVE" && performance.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
}, sandbox.port);

/** Opens a view and returns the frame of its document, once it can answer. */
async function open(html, { can, context: hostContext, width,
  when = "html[data-ready]" } = {}) {
  await page.evaluate(([html, can, hostContext, width]) =>
    globalThis.open(html, can, hostContext, width), [html, can, hostContext, width]);
  const inner = page.frames().at(-1);
  await inner.waitForSelector(when, { state: "attached" });
  return inner;
}

const close = () => page.evaluate(async () => {
  await bridge.teardownResource();
  await bridge.close();
});

const inHost = (action, argument) => page.evaluate(action, argument);

// ---- The document ----------------------------------------------------------------

const { tools } = await ask("tools/list", {});
const documents = {};
const sizes = [];

await test("clients that show views get the view of each engine, others none", async () => {
  same(tools.map(({ name }) => name).sort(), [...slugs].sort(), "the engines");
  same(tools.map(({ name, _meta }) => _meta.ui.resourceUri.endsWith(`/${name}`)),
    tools.map(() => true), "the addresses");
  const { tools: plain } = await ask("tools/list", {}, undefined, {});
  same(plain.filter(({ _meta }) => _meta?.ui || _meta?.["ui/resourceUri"]), [], "others");
  const { resources } = await ask("resources/list", {});
  same(resources.map(({ uri }) => uri).sort(),
    tools.map(({ _meta }) => _meta.ui.resourceUri).sort(), "the resources");
});

await test("a document is whole, and small", async () => {
  for (const tool of tools) {
    const html = documents[tool.name] = await documentOf(tool);
    const size = gzipSync(html, { level: 9 }).length;
    sizes.push([tool.name, size]);
    same(/\s(src|href|action)=|@import|url\(/.exec(
      html.slice(0, html.indexOf("<script"))), null, `${tool.name} loads`);
    need(size <= MOST, `${tool.name} has ${size} bytes`);
  }
  const small = sizes.filter(([, size]) => size <= AIM);
  for (const [name, size] of sizes) console.log(`# ${name}: ${(size / KB).toFixed(1)} KB gzip`);
  console.log(`# ${small.length} of ${sizes.length} have at most ${AIM / KB} KB`);
  need(small.length >= sizes.length / 3, "a third of them reach the aim"); // bench/NOTES.md
});

// ---- The same bytes --------------------------------------------------------------

const before = requests.length; // those of the host's own scripts
for (const slug of slugs) {
  const calls = await expected(slug);

  await test(`${slug}: translated, it gives the bytes of the sandbox`, async () => {
    const bytes = new Uint8Array(readFileSync(`${found.engines}/${slug}.wasm`));
    const make = (0, eval)(translate(bytes))(bytes);
    for (const { input, ok, text } of calls) {
      const exports = make();
      const given = new TextEncoder().encode(input);
      const at = exports.mica_module_input(given.length) >>> 0;
      new Uint8Array(exports.memory.buffer, at, given.length).set(given);
      exports.mica_module_run(given.length);
      const [status, result, size] = new Uint32Array(exports.memory.buffer,
        exports.mica_module_exchange() >>> 0, 3);
      const answer = new TextDecoder("utf-8", { ignoreBOM: true })
        .decode(new Uint8Array(exports.memory.buffer, result, size));
      if (answer !== text || (status === 0) !== ok)
        throw new Error(`${input}\n  gives ${answer}\n  and in the sandbox ${text}`);
    }
    need(calls.length >= count, `${calls.length} inputs`);
  });

  if (isOwn(slug)) continue;
  await test(`${slug}: in its view, every result is that of the server`, async () => {
    const frame = await open(documents[slug]);
    same(await frame.evaluate(() => [document.documentElement.dataset.runs, self.origin]),
      ["translated", "null"], "where it runs");
    same((await inHost(() => bridge.listTools())).tools.map(({ name }) => name).sort(),
      [`${slug}.get`, `${slug}.set`], "its tools");
    const inputs = calls.flatMap(({ input }) => {
      try {
        return [JSON.parse(input)];
      } catch {
        return []; // a message of MCP has only JSON
      }
    }).filter(isObject);
    need(inputs.length > count / 3, `${inputs.length} inputs are objects`);
    const answers = await inHost(async ([name, inputs]) => {
      const results = [];
      for (const given of inputs) results.push(await bridge.callTool({ name, arguments: given }));
      return results;
    }, [`${slug}.set`, inputs]);
    for (const [i, given] of inputs.entries()) {
      const { content, structuredContent, isError, _meta } = await callTool(slug, given);
      const wanted = { content, structuredContent, isError, ...isError && { _meta: {
        "mica/error": _meta["mica/error"] } } };
      same(answers[i], wanted, JSON.stringify(given));
    }
    await close();
  }, 120000);
}

await test("a page that a tool brings is its view, too", async () => {
  same(slugs.filter(isOwn), ["tip-splitter"], "which do");
  const frame = await open(documents["tip-splitter"], { when: "output:not(:empty)" });
  same(await frame.evaluate(() => self.origin), "null", "its origin");
  const given = { amount: 90, currency: "EUR", tip_percent: 10, people: 3 };
  await inHost(async (given) => {
    await bridge.sendToolInput({ arguments: given });
    await bridge.sendToolResult({ content: [] });
  }, given);
  await frame.waitForFunction(() => document.querySelector("output").value.includes("33.00"));
  const { structuredContent } = await callTool("tip-splitter", given);
  same(await frame.locator("output").innerText(), structuredContent.shares
    .map(({ people, amount }) => `${people} × ${amount.toFixed(2)} €`).join(", "), "the shares");
  need(await inHost(() => parseInt(document.querySelector("iframe").style.height)) > 100,
    "the host knows its height");
  await close();
});

await test("nothing left the frames but the documents of their proxies", async () => {
  const made = requests.slice(before);
  const proxy = /^http:\/\/[\w-]+\.localhost:\d+\/sandbox$/;
  need(made.length >= slugs.length, "each view has a proxy");
  same(made.filter((url) => !proxy.test(url)), [], "others");
});

// ---- What a person and a host see --------------------------------------------------

const SLUG = "percentage-calculator", FIELD = "#fields input:not([type=radio])";
await test("input of a call fills the form; an edit runs, and the model is told", async () => {
  const [{ input, output }] = tools.find(({ name }) => name === SLUG)._meta["mica/examples"];
  const frame = await open(documents[SLUG]);
  await inHost(async (given) => {
    await bridge.sendToolInput({ arguments: given });
    await bridge.sendToolResult({ content: [] });
  }, input);
  await frame.waitForFunction((text) => document.getElementById("result").textContent
    .includes(text), String(Object.values(output)[0]));
  same(await inHost(() => bridge.contexts.length), 0, "the model knows its own input");
  const field = frame.locator(FIELD).first();
  await field.fill("12.5");
  await page.waitForFunction(() => bridge.contexts.length === 1);
  const told = await inHost(() => bridge.contexts[0]);
  const server = await callTool(SLUG, told.structuredContent.input);
  same(told.structuredContent.result, server.structuredContent, "what it is told");
  need(told.content[0].text.includes(server.content[0].text), "the text has the bytes");
  const got = await inHost((name) => bridge.callTool({ name }), `${SLUG}.get`);
  same(got.structuredContent, told.structuredContent, ".get");
  await inHost((name) => bridge.callTool({ name, arguments: {} }), `${SLUG}.set`);
  same(await field.inputValue(), "", "the form after .set");
  await close();
});

await test("a wrong input is said at its field", async () => {
  const frame = await open(documents[SLUG]);
  await frame.locator(FIELD).first().fill("a lot");
  await frame.waitForSelector("[aria-invalid]");
  same(await frame.locator("#result > *").count(), 0, "no result");
  await close();
});

await test("a host that forbids added scripts is asked to call the tool", async () => {
  // The browser blocks what the script adds, as under a policy of hashes.
  const html = documents[SLUG].replace("<script type=\"module\">",
    "<script type=\"module\">WebAssembly.compile=()=>Promise.reject(new Error(\"no\"));" +
    "Element.prototype.append=()=>{};");
  const frame = await open(html, { can: { serverTools: {} } });
  same(await frame.evaluate(() => document.documentElement.dataset.runs), "server", "it runs");
  const [{ input }] = tools.find(({ name }) => name === SLUG)._meta["mica/examples"];
  const answer = await inHost(([name, given]) => bridge.callTool({ name, arguments: given }),
    [`${SLUG}.set`, input]);
  same(answer.content, (await callTool(SLUG, input)).content, "the answer");
  await close();
});

await test("where WebAssembly is allowed, the module itself runs", async () => {
  const tab = await context.newPage();
  await tab.setContent(documents[SLUG]);
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  same(await tab.evaluate(() => document.documentElement.dataset.runs), "wasm", "it runs");
  await tab.close();
});

await test("agents in the browser reach an engine on its pages, the opaque one too", async () => {
  const agentic = await browser("--enable-features=WebMCP");
  for (const [path, origin] of [["/tools/tip-splitter", server.origin],
    ["/tools/tip-splitter/page", "null"]]) {
    const tab = await agentic.newPage();
    await tab.goto(server.origin + path);
    await until(() => tab.evaluate(async () =>
      (await document.modelContext.getTools()).length > 0), `tools at ${path}`);
    const given = { amount: 90, currency: "EUR", tip_percent: 10, people: 3 };
    const [name, answer] = await tab.evaluate(async (given) => {
      const [tool] = await document.modelContext.getTools();
      const text = await document.modelContext.executeTool(tool, given)
        .catch((error) => JSON.stringify({ structuredContent: error.name }));
      return [tool.name, JSON.parse(text).structuredContent];
    }, given);
    // To scripts of an opaque page Chromium gives no result; agents of the browser are none.
    same([name, answer], ["tip-splitter", origin === "null" ? "NotSupportedError"
      : (await callTool("tip-splitter", given)).structuredContent], path);
    same(await tab.evaluate(() => self.origin), origin, "the origin");
    await tab.close();
  }
  await agentic.close();
});

// The host of a view changes its theme; a page that is a view is opened with each.
await test("axe finds nothing: light and dark, 360 px", async () => {
  for (const slug of slugs) {
    let frame;
    for (const theme of ["light", "dark"]) {
      if (theme === "light" || isOwn(slug)) {
        frame = await open(documents[slug], { context: { theme }, width: 360,
          ...isOwn(slug) && { when: "output:not(:empty)" } });
        const [{ input }] = tools.find(({ name }) => name === slug)._meta["mica/examples"];
        if (!isOwn(slug)) await inHost(([name, given]) =>
          bridge.callTool({ name, arguments: given }), [`${slug}.set`, input]);
        await frame.evaluate(axeSource);
      } else {
        await inHost((theme) => bridge.setHostContext({ theme }), theme);
        await frame.waitForSelector(`html[data-theme="${theme}"]`, { state: "attached" });
      }
      const { violations, wide } = await frame.evaluate(async () => ({
        violations: (await globalThis.axe.run()).violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary}`)),
        wide: document.documentElement.scrollWidth - innerWidth,
      }));
      same(violations, [], `${slug} in ${theme}`);
      need(wide <= 0, `${slug} is ${wide} px too wide in ${theme}`);
      if (theme === "dark" || isOwn(slug)) await close();
    }
  }
}, 600000);

await test("nobody was told of anything else", async () => {
  // The probe of WebAssembly, a date that no calendar has, and the host that forbids scripts.
  const other = said.filter((line) => !/WebAssembly|2026-02-30|runs no script/.test(line));
  same(other, [], "the console");
});

await chromium.close();
await server.end();
await sandbox.end();
done();
