// SPDX-License-Identifier: Apache-2.0
//
// Our App in Chromium, in a frame of opaque origin under the default policy, beside the
// official AppBridge.
import { done, need, same, test } from "../peers/tap.mjs";
import { browser, bundle, document_, inHost, view } from "./frames.mjs";

const VIEW = `
  import * as mica from "../../web/view/index.js";
  window.mica = mica;
  window.errors = [];
  addEventListener("securitypolicyviolation", ({ violatedDirective }) =>
    errors.push(violatedDirective));
  const app = window.app = new mica.App({ name: "view", version: "1" }, WHAT, OPTIONS);
  app.onerror = (error) => errors.push(error.message);
`;
const script = async (more = "app.connect();", { what = "{}", options = "{}", kind } = {}) =>
  bundle(VIEW.replace("WHAT", what).replace("OPTIONS", options) + more, kind);
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

await test("input, partial and result in order, with late listeners", async () => {
  const [frame, name] = await open(await script());
  await inHost(page, name, async (bridge) => {
    await bridge.sendToolInputPartial({ arguments: { a: 1 } });
    await bridge.sendToolInput({ arguments: { a: 12 } });
    await bridge.sendToolResult({ content: [], structuredContent: { ok: true } });
  });
  await settle(50);
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
      { timeout: 60, onprogress: ({ progress }) => got.push(progress) });
    const late = await app.callServerTool({ name: "never" }, { timeout: 60 })
      .catch((error) => error.code);
    const controller = new AbortController();
    setTimeout(() => controller.abort("enough"), 100);
    const aborted = await app.callServerTool({ name: "never" }, { signal: controller.signal })
      .catch((error) => [error.code, error.message]);
    return [content[0].text, got, last.text, late, aborted];
  }), ['{"a":"ü"}', [1, 2, 3], "done", "REQUEST_TIMEOUT", ["REQUEST_TIMEOUT", "enough"]], "calls");
  await settle(20);
  same(await inHost(page, name, (bridge) => bridge.called.extra.mcpReq.signal.aborted), true,
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
    "a: Invalid input: expected number, received string; " +
    "b: Invalid input: expected number, received undefined"], "the host");
  await frame.evaluate(() => {
    for (let i = 0; i < 10; i++) app.registerTool(`late${i}`, {}, () => ({ content: [] }));
  });
  await settle(30);
  same(await inHost(page, name, async (bridge) =>
    [bridge.changes, (await bridge.listTools({})).tools.length]), [1, 12], "after a burst");
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
    await settle(250);
    const grown = (await sizes(name)).at(-1).height;
    need(grown >= 777 && grown <= 870, `grown to ${grown}`);
    await frame.evaluate(() => { document.getElementById("d").style.height = "120px"; });
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
  await settle(300);
  same([await sizes(fixed), await sizes(bounded), await sizes(full), await sizes(off)],
    [[], [{ height: 500 }], [], []], "sizes");
  await inHost(page, full, (bridge) => bridge.setHostContext({ displayMode: "inline" }));
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

// ---- WebMCP ----------------------------------------------------------------------------

// What a page does with a document.modelContext; [what, name of the error or result].
const CASES = `
  const execute = async (input) => input;
  const tool = (more) => ({ name: "a", description: "d", execute, ...more });
  const cycle = {};
  cycle.cycle = cycle;
  window.cases = async () => {
    const context = document.modelContext;
    const found = {};
    const attempt = async (what, action) => {
      try {
        found[what] = (await action()) ?? "nothing";
      } catch (error) {
        found[what] = error.name;
      }
    };
    const register = (what, ...given) => attempt(what, () => context.registerTool(...given));
    await register("nothing");
    await register("null", null);
    await register("number", 5);
    await register("empty", {});
    for (const member of ["name", "description", "execute"])
      await register("no " + member, tool({ [member]: undefined }));
    await register("execute 5", tool({ execute: 5 }));
    for (const name of ["a b", "", "a".repeat(129)]) await register("name " + name, tool({ name }));
    await register("name 7", tool({ name: 7 }));
    await register("no words", tool({ description: "" }));
    await register("toJSON throws", tool({ inputSchema: { toJSON() { throw new RangeError(); } } }));
    await register("cycle", tool({ inputSchema: cycle }));
    await register("toJSON of nothing", tool({ inputSchema: { toJSON() {} } }));
    await register("schema text", tool({ inputSchema: "{}" }));
    await register("bigint", tool({ inputSchema: { n: 1n } }));
    await register("good", tool({ name: "good", inputSchema: { type: "object", own: 1 },
      annotations: { readOnlyHint: true, consequentialHint: true, untrustedContentHint: true } }));
    await register("twice", tool({ name: "good" }));
    await register("aborted", tool(), { signal: AbortSignal.abort() });
    await register("aborted by", tool(), { signal: AbortSignal.abort(new RangeError()) });
    await register("signal 5", tool(), { signal: 5 });
    await register("origin", tool(), { exposedTo: ["nonsense"] });
    await register("http origin", tool(), { exposedTo: ["http://example.com"] });
    await register("https origin", tool({ name: "exposed" }), { exposedTo: ["https://example.com"] });
    await attempt("origins", () => context.getTools({ fromOrigins: ["x"] }));
    await attempt("list", async () => (await context.getTools()).map((
      { name, title, description, inputSchema, origin, annotations, ...rest }) =>
      [name, title, description, inputSchema, origin === window.origin, annotations,
        Object.keys(rest)]));
    const [good] = (await context.getTools()).filter(({ name }) => name === "good");
    const run = (what, ...given) => attempt(what, () => context.executeTool(...given));
    await run("run", good, { a: 1 });
    await run("run without input", good);
    await run("run nothing");
    await run("run half", { name: "good" });
    await run("run what is not", { ...good, name: "missing" });
    await run("run 5", good, 5);
    await run("run aborted", good, {}, { signal: AbortSignal.abort() });
    const values = { undefined: undefined, text: "text", number: 7, big: 1n, list: [1] };
    for (const [name, value] of Object.entries(values)) {
      await register(name, tool({ name, execute: () => value }));
      const [one] = (await context.getTools()).filter((row) => row.name === name);
      await run("value " + name, one, {});
    }
    const events = [];
    for (const event of ["toolchange", "toolactivated", "toolcancel"])
      context["on" + event] = ({ type, toolName }) => events.push([type, toolName]);
    const stop = new AbortController();
    await register("fails", tool({ name: "fails", execute() { throw new RangeError(); } }),
      { signal: stop.signal });
    await register("slow", tool({ name: "slow", execute: (_, { signal }) =>
      new Promise(() => signal.addEventListener("abort", () => events.push(["aborted"]))) }));
    await new Promise((done) => setTimeout(done, 30));
    const named = async (name) => (await context.getTools()).find((row) => row.name === name);
    await run("fails", await named("fails"), {});
    const controller = new AbortController();
    setTimeout(() => controller.abort(new RangeError()), 20);
    await run("slow", await named("slow"), {}, { signal: controller.signal });
    stop.abort();
    await new Promise((done) => setTimeout(done, 30));
    found.gone = (await named("fails")) ?? "gone";
    found.events = events.filter(([type]) => type !== "toolchange");
    found.changes = events.some(([type]) => type === "toolchange");
    found.on = [typeof context.ontoolchange, context.ontoolcancel = null, context.ontoolcancel];
    found.tag = String(context);
    return found;
  };
`;
const native = await browser("--enable-features=WebMCP");
const plain = await browser();
const IMPORT = '<!doctype html><title>x</title><body><script type="module">';

await test("document.modelContext: ours as the browser's own", async () => {
  const found = [];
  for (const [where, load] of [[native, "window.ready = 1;"],
    [native, 'import "/web/view/modelcontext.js"; window.ready = 1;'],
    [plain, 'import "/web/view/modelcontext.js"; window.ready = 1;']]) {
    const tab = await where.page("/plain");
    await tab.addScriptTag({ content: load, type: "module" });
    await tab.waitForFunction(() => window.ready);
    await tab.addScriptTag({ content: CASES });
    found.push(await tab.evaluate(() => cases()));
    await tab.close();
  }
  for (const what of Object.keys(found[0])) {
    same(found[1][what], found[0][what], `${what}: fed, and alone`);
    same(found[2][what], found[0][what], `${what}: ours, and the browser's`);
  }
  need(Object.keys(found[0]).length > 45, "too few cases");
});

await test("a page without a host: its tools are the agent's and the button's", async () => {
  for (const where of [native, plain]) {
    const tab = await where.page("/plain");
    await tab.addScriptTag({ type: "module", content: `
      import * as mica from "/web/view/index.js";
      window.mica = mica;
      window.error = await new mica.App({ name: "v", version: "1" }).connect().catch((e) => e.code);
      window.tool = mica.registerTool("add", { title: "Add", annotations: { readOnlyHint: true },
        inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
        async ({ n }) => ({ content: [], structuredContent: { n: n + 1 } }));
      mica.registerTool("fails", {}, async () => ({ content: [{ type: "text", text: "no" }],
        isError: true }));
      mica.registerTool("not legal there", {}, async () => ({ content: [] }));` });
    await tab.waitForFunction(() => window.tool);
    same(await tab.evaluate(async () => {
      await new Promise((done) => setTimeout(done, 30));
      const context = document.modelContext;
      const list = async () => (await context.getTools()).filter(({ name }) => name === "add")
        .map(({ description, inputSchema, annotations }) =>
          [description, inputSchema.required, annotations.readOnlyHint]);
      const first = await list();
      const [add, fails] = await context.getTools();
      const value = JSON.parse(await context.executeTool(add, { n: 4 })).structuredContent;
      const bad = await context.executeTool(add, { n: "4" }).catch(({ name }) => name);
      const failed = await context.executeTool(fails, {}).catch(({ name }) => name);
      tool.update({ description: "Adds one" });
      await new Promise((done) => setTimeout(done, 30));
      const second = await list();
      tool.remove();
      await new Promise((done) => setTimeout(done, 30));
      return [error, first[0].slice(1), value, bad, failed, second, await list()];
    }), ["NO_HOST", [["n"], true], { n: 5 }, "UnknownError", "UnknownError",
      [["Adds one", ["n"], true]], []], "the agent");
    const said = tab.said.filter((line) => line.includes("not legal there"));
    same(said.length, where === native ? 1 : 0, "warnings");
    await tab.close();
  }
});

await test("in a view: native where the policy allows it, else ours; the host has all", async () => {
  const source = await script(`
    document.modelContext.registerTool({ name: "web", description: "d", annotations:
      { readOnlyHint: true, consequentialHint: true, untrustedContentHint: true },
      inputSchema: { type: "object", unknown: 1 },
      execute: async (input, { signal }) => ({ got: input, signal: signal instanceof AbortSignal }) });
    document.modelContext.registerTool({ name: "bare", description: "d",
      execute: async () => { throw new Error("because"); } });
    document.modelContext.registerTool({ name: "whole", description: "d",
      execute: async () => ({ content: [{ type: "text", text: "mine" }] }) });
    app.registerTool("own", {}, async () => ({ content: [] }));
    app.connect();`);
  for (const [where, options, brand] of [
    [native, {}, "ours"], [native, { allow: "tools" }, "native"],
    [native, { sandbox: "" }, "native"], [plain, {}, "ours"]]) {
    const tab = await where.page();
    const frame = await view(tab, "v", document_(source), options);
    await settle(50);
    const what = JSON.stringify(options);
    same(await frame.evaluate(() => [document.modelContext instanceof mica.ModelContext,
      errors]), [brand === "ours", []], `${what}: whose`);
    same(await frame.evaluate(async () =>
      (await document.modelContext.getTools()).map(({ name }) => name)),
    ["bare", "own", "web", "whole"], `${what}: agents`);
    same(await inHost(tab, "v", async (bridge) => {
      const { tools } = await bridge.listTools({});
      const call = (name, args) => bridge.callTool({ name, arguments: args });
      return [tools.map(({ name }) => name), tools[0].annotations, tools[0].inputSchema,
        tools[1].inputSchema, await call("web", { a: 1 }), await call("bare", {}),
        await call("whole", {})];
    }), [["web", "bare", "whole", "own"], { readOnlyHint: true, destructiveHint: true },
      { type: "object", unknown: 1 }, { type: "object", properties: {} },
      { content: [{ type: "text", text: '{"got":{"a":1},"signal":true}' }],
        structuredContent: { got: { a: 1 }, signal: true } },
      { content: [{ type: "text", text: "because" }], isError: true },
      { content: [{ type: "text", text: "mine" }] }], `${what}: the host`);
    await tab.close();
  }
});

await test("browsers of before: navigator.modelContext alone, and JSON text", async () => {
  const tab = await plain.page("/plain");
  await tab.evaluate(() => {
    window.native = new Map();
    navigator.modelContext = {
      registerTool(tool) { native.set(tool.name, tool); },
      unregisterTool(name) { native.delete(name); },
    };
  });
  await tab.addScriptTag({ type: "module", content: `
    import * as mica from "/web/view/index.js";
    window.handle = mica.registerTool("old", { inputSchema: { type: "object" } },
      async (args) => ({ content: [], structuredContent: args }));` });
  await tab.waitForFunction(() => window.native.has("old"));
  same(await tab.evaluate(async () => {
    const text = await native.get("old").execute('{"a":1}', {});
    const none = await native.get("old").execute(undefined);
    const [old] = await document.modelContext.getTools();
    const ours = JSON.parse(await document.modelContext.executeTool(old, '{"a":2}'));
    handle.remove();
    await new Promise((done) => setTimeout(done, 10));
    return [text.structuredContent, none.structuredContent, ours.structuredContent, native.size];
  }), [{ a: 1 }, {}, { a: 2 }, 0], "both");
  await tab.close();
});

await test("a modelContext that refuses when it is used makes way for ours", async () => {
  const tab = await plain.page("/plain");
  await tab.evaluate(() => {
    Object.defineProperty(document, "modelContext", { configurable: true, value: {
      async registerTool() { throw new DOMException("no", "NotAllowedError"); } } });
  });
  await tab.addScriptTag({ type: "module", content: `
    import * as mica from "/web/view/index.js";
    const context = document.modelContext;
    mica.installModelContext();
    await context.registerTool({ name: "first", description: "d", execute: () => "x" });
    mica.registerTool("second", {}, async () => ({ content: [] }));
    window.twice = await context.registerTool({ name: "first", description: "d",
      execute: () => "x" }).catch(({ name }) => name);
    window.same = mica.installModelContext() === document.modelContext;
    window.mica = mica;` });
  await tab.waitForFunction(() => window.mica);
  same(await tab.evaluate(async () => [document.modelContext instanceof mica.ModelContext, twice,
    same, (await document.modelContext.getTools()).map(({ name }) => name)]),
  [true, "InvalidStateError", true, ["first", "second"]], "ours");
  await tab.close();
});

await native.end();
await plain.end();
done();
