// SPDX-License-Identifier: Apache-2.0
//
// Our App in Chromium, in a frame of opaque origin under the default policy, beside the
// official AppBridge.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { done, need, same, test, until } from "../peers/tap.mjs";
import { browser, document_, inHost, script, view } from "./frames.mjs";

const settle = (ms) => new Promise((done) => setTimeout(done, ms));
const chrome = await browser();
const page = await chrome.page();
let count = 0;
const open = async (source, options = {}, body = {}) => {
  const name = `v${++count}`;
  return [await view(page, name, document_(source, body), options), name];
};

await test("handshake, as a classic script and as a module", async () => {
  for (const [kind, format] of [["", "iife"], [' type="module"', "esm"]]) {
    const [frame, name] = await open(await script(undefined, { kind: format }),
      { context: { theme: "dark" } }, { kind });
    await frame.waitForFunction(() => app.state === "READY");
    same(await frame.evaluate(() => [app.state, app.getHostContext(), app.getHostVersion(),
      self.origin, errors]), ["READY", { theme: "dark" }, { name: "host", version: "1" }, "null",
      []], "the view");
    same(await inHost(page, name, (bridge) => bridge.getAppCapabilities()),
      { tools: { listChanged: true } }, "the host");
  }
  const early = await page.evaluate(() => log.slice(0, 2).map(({ method }) => method));
  same(early, ["ui/initialize", "ui/notifications/initialized"], "the first messages");
});

await test("without a bundler: the modules joined as mica build does", async () => {
  const join = fileURLToPath(new URL("../../scripts/join-view", import.meta.url));
  const index = fileURLToPath(new URL("../../web/view/index.js", import.meta.url));
  const joined = execFileSync(join, [index], { encoding: "utf8" });
  const [frame] = await open(`{ ${joined}; window.mica = micaView; }
    window.app = new mica.App({ name: "view", version: "1" });
    app.connect();`);
  await frame.waitForFunction(() => app.state === "READY");
});

await test("input, partial and result in order, with late listeners", async () => {
  const [frame, name] = await open(await script());
  await inHost(page, name, async (bridge) => {
    await bridge.sendToolInputPartial({ arguments: { a: 1 } });
    await bridge.sendToolInput({ arguments: { a: 12 } });
    await bridge.sendToolResult({ content: [], structuredContent: { ok: true } });
    await bridge.request({ method: "ping" }); // the view has what was sent before
  });
  same(await frame.evaluate(async () => {
    const got = [];
    for (const event of ["toolresult", "toolinput", "toolinputpartial"])
      app[`on${event}`] = (params) => got.push([event, params]);
    await new Promise((done) => setTimeout(done));
    return got;
  }), [["toolinputpartial", { arguments: { a: 1 } }], ["toolinput", { arguments: { a: 12 } }],
    ["toolresult", { content: [], structuredContent: { ok: true } }]], "events");
});

await test("callServerTool with progress, abort and time-out", async () => {
  const [frame, name] = await open(await script());
  same(await frame.evaluate(async () => {
    const got = [];
    const { content } = await app.callServerTool({ name: "echo", arguments: { a: "ü" } });
    const { content: [last] } = await app.callServerTool({ name: "progress" },
      { timeout: 2500, onprogress: ({ progress }) => got.push(progress) });
    const late = await app.callServerTool({ name: "never" }, { timeout: 600 })
      .catch((error) => error.code);
    const controller = new AbortController();
    setTimeout(() => controller.abort("enough"), 100);
    const aborted = await app.callServerTool({ name: "never" }, { signal: controller.signal })
      .catch((error) => [error.code, error.message]);
    return [content[0].text, got, last.text, late, aborted];
  }), ['{"a":"ü"}', [1, 2, 3], "done", "REQUEST_TIMEOUT", ["REQUEST_TIMEOUT", "enough"]], "calls");
  await until(() => inHost(page, name, (bridge) => bridge.called.extra.mcpReq.signal.aborted),
    "the handler's signal");
});

await test("messages from other windows are not heard", async () => {
  const [frame] = await open(await script());
  await frame.evaluate(() => new Promise((done) => {
    postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-input",
      params: { arguments: { from: "itself" } } }, "*");
    setTimeout(done, 30);
  }));
  const other = await view(page, "sibling", document_("parent.frames[parent.frames.length - 2]" +
    ".postMessage({ jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: {} }, '*');" +
    await script()));
  need(other, "no sibling");
  await settle(30);
  same(await frame.evaluate(async () => {
    let got;
    app.ontoolinput = (params) => { got = params; };
    await new Promise((done) => setTimeout(done, 20));
    return got ?? null;
  }), null, "input");
});

await test("tools of the view, listed and called by the host", async () => {
  const [frame, name] = await open(await script(`
    mica.registerTool("page_sum", { description: "Adds", inputSchema: { type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] } },
      async ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }));
    app.registerTool("state", { title: "State" }, async () => ({ content: [],
      structuredContent: { title: document.title } }));
    app.connect();`));
  await inHost(page, name, (bridge) => {
    bridge.changes = 0;
    bridge.setNotificationHandler("notifications/tools/list_changed", () => { bridge.changes++; });
  });
  const found = await inHost(page, name, async (bridge) => {
    const { tools } = await bridge.listTools({});
    const good = await bridge.callTool({ name: "page_sum", arguments: { a: 1, b: 2 } });
    const bad = await bridge.callTool({ name: "page_sum", arguments: { a: "1" } })
      .catch((error) => error.message);
    return [tools.map(({ name }) => name), good.structuredContent, bad];
  });
  same(found, [["page_sum", "state"], { sum: 3 }, "Invalid input for tool page_sum: " +
    "a: expected number, received string; " +
    "b: expected number, received undefined"], "the host");
  await frame.evaluate(() => {
    for (let i = 0; i < 10; i++) app.registerTool(`late${i}`, {}, () => ({ content: [] }));
  });
  await until(() => inHost(page, name, (bridge) => bridge.changes), "a change of the list");
  same(await inHost(page, name, async (bridge) =>
    [(await bridge.listTools({})).tools.length, bridge.changes]), [12, 1], "after a burst");
  same(await frame.evaluate(async () => (await mica.callTool("page_sum", { a: 4, b: 5 }))
    .structuredContent), { sum: 9 }, "the page's own button");
});

await test("teardown, and silence after it", async () => {
  const [frame, name] = await open(await script(`app.onteardown = async () => {
    await app.callServerTool({ name: "echo", arguments: { last: true } });
    return {};
  };
  app.connect();`), {}, { body: '<p id="p">x</p>' });
  await frame.waitForFunction(() => app.state === "READY");
  same(await inHost(page, name, (bridge) => bridge.teardownResource({})), {}, "the answer");
  same(await inHost(page, name, (bridge) => bridge.called.params.arguments), { last: true },
    "a last call");
  const before = await inHost(page, name, (bridge) => bridge.sizes.length);
  await frame.evaluate(() => { document.getElementById("p").style.height = "900px"; });
  await settle(150);
  same([await frame.evaluate(() => app.state),
    await inHost(page, name, (bridge) => bridge.sizes.length)], ["TEARDOWN", before], "after it");
});

// ---- Sizes ---------------------------------------------------------------------------

const sizes = (name) => inHost(page, name, (bridge) => bridge.sizes);
// The last size that came fits; how many there were is counted some time after that.
const last = (name, fits, what) =>
  until(async () => fits((await sizes(name)).at(-1)?.height), what);
const LAYOUTS = {
  "a page that grows and shrinks": { body: '<div id="d" style="height:300px"></div>',
    head: "<style>body{margin:0}</style>", heights: [300] },
  "100vh with a margin": { head: "<style>#d{height:100vh}</style>", body: '<div id="d"></div>' },
  "100vh less one": { head: "<style>body{margin:0}#d{height:calc(100vh - 1px)}</style>",
    body: '<div id="d"></div>' },
  "height: 100%": { head: "<style>html,body,#d{height:100%;margin:0}</style>",
    body: '<div id="d"></div>', heights: [] },
  "a column that fills": { head: "<style>html,body{height:100%;margin:0}body{display:flex;" +
    "flex-direction:column}#d{flex:1}</style>", body: '<h1>x</h1><div id="d"></div>',
  heights: [] },
  "100% down to the root of an app": { head: "<style>html,body,#root{height:100%;margin:0}" +
    "</style>", body: '<div id="root"><div id="d" style="height:60px">x</div></div>',
  heights: [60] },
  "100% with little inside": { head: "<style>html,body{height:100%;margin:0}</style>",
    body: '<div id="d" style="height:50px"></div>', heights: [50] },
};
const sized = await script();
const opened = [];
for (const { heights, ...body } of Object.values(LAYOUTS)) opened.push(await open(sized, {}, body));
await test("each layout has a size", () => until(async () =>
  (await Promise.all(opened.map(([, name]) => sizes(name)))).every(({ length }) => length > 0),
"a first size of each"));
await settle(700);
for (const [i, [what, { heights }]] of Object.entries(LAYOUTS).entries())
  await test(`size settles: ${what}`, async () => {
    const [frame, name] = opened[i];
    const first = await sizes(name);
    need(first.length <= 3, `${first.length} messages`);
    same(first[0].width, 400, "width");
    const sent = first.map(({ height }) => height).filter((height) => height !== undefined);
    if (heights) same([...new Set(sent)], heights, "heights");
    await frame.evaluate(() => {
      const d = document.getElementById("d");
      d.style.flex = "none";
      d.style.height = "777px";
    });
    await last(name, (height) => height >= 777, "it grows to 777 px");
    await settle(250);
    const grown = (await sizes(name)).at(-1).height;
    need(grown >= 777 && grown <= 870, `grown to ${grown}`);
    await frame.evaluate(() => { document.getElementById("d").style.height = "120px"; });
    await last(name, (height) => height < 220, "it shrinks below 220 px");
    await settle(250);
    const all = await sizes(name);
    need(all.at(-1).height < 220, `shrunk to ${all.at(-1).height}`);
    need(all.length <= 8, `${all.length} messages`);
  });
await test("what the host has fixed is not sent; a maximum is kept", async () => {
  const body = { body: '<div style="height:900px"></div>' };
  const [, fixed] = await open(await script(),
    { context: { containerDimensions: { width: 400, height: 200 } } }, body);
  const [frame, bounded] = await open(await script(),
    { context: { containerDimensions: { width: 400, maxHeight: 500 } } }, body);
  const [, full] = await open(await script(), { context: { displayMode: "fullscreen" } }, body);
  const [, off] = await open(await script(undefined, { options: "{ autoResize: false }" }), {}, body);
  await last(bounded, (height) => height === 500, "the maximum is kept");
  await settle(300);
  same([await sizes(fixed), await sizes(bounded), await sizes(full), await sizes(off)],
    [[], [{ height: 500 }], [], []], "sizes");
  await inHost(page, full, (bridge) => bridge.setHostContext({ displayMode: "inline" }));
  await until(async () => (await sizes(full)).length, "a size, back from fullscreen");
  await settle(200);
  same((await sizes(full)).length, 1, "back from fullscreen");
  await frame.evaluate(() => {
    const stop = app.setupSizeChangedNotifications();
    stop();
    app.close();
    document.body.style.height = "10px";
  });
  await settle(150);
  same((await sizes(bounded)).filter(({ height }) => height !== 500), [], "after close");
});

// ---- Styles --------------------------------------------------------------------------

await test("theme, variables and fonts", async () => {
  const [frame] = await open(await script());
  same(await frame.evaluate(() => {
    const root = document.documentElement;
    const found = [mica.getDocumentTheme()];
    root.classList.add("dark");
    found.push(mica.getDocumentTheme());
    mica.applyHostContext({ theme: "light", styles: {
      variables: { "--color-text-primary": "red", "--font-sans": undefined },
      css: { fonts: "@font-face{font-family:x;src:url(data:,)}" } } });
    found.push(mica.getDocumentTheme(), root.style.colorScheme,
      root.style.getPropertyValue("--color-text-primary"));
    mica.applyHostFonts("p{}");
    mica.applyHostStyleVariables({ "--a": "b" }, document.body);
    mica.applyDocumentTheme("sepia");
    mica.applyHostContext();
    found.push(document.querySelectorAll("#__mcp-host-fonts").length, root.style.colorScheme,
      document.body.style.getPropertyValue("--a"), mica.getDocumentTheme());
    return found;
  }), ["light", "dark", "light", "light", "red", 1, "", "b", "dark"], "styles");
});

await chrome.end();
done();
