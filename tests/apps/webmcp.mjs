// SPDX-License-Identifier: Apache-2.0
//
// WebMCP in Chromium, with its flag on and off: our document.modelContext beside the
// browser's own, in plain pages and in views.
import { done, need, same, test } from "../peers/tap.mjs";
import { becomes, browser, document_, inHost, script, view } from "./frames.mjs";

// What a page does with a document.modelContext; [what, name of the error or result]. The
// browser's own is another process, so what it does is awaited.
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
    let begun;
    await register("slow", tool({ name: "slow", execute: (_, { signal }) => new Promise(() => {
      signal.addEventListener("abort", () => events.push(["aborted"]));
      begun = true;
    }) }));
    const named = async (name) => (await context.getTools()).find((row) => row.name === name);
    await until(async () => await named("fails") && await named("slow"));
    await run("fails", await named("fails"), {});
    const controller = new AbortController();
    const slow = await named("slow");
    const had = (...event) => events.some((one) => String(one) === String(event));
    until(() => begun && had("toolactivated", "slow"))
      .then(() => controller.abort(new RangeError()));
    await run("slow", slow, {}, { signal: controller.signal });
    await until(() => had("aborted") && had("toolcancel", "slow"));
    stop.abort();
    await until(async () => !(await named("fails")));
    found.gone = (await named("fails")) ?? "gone";
    await until(() => events.some(([type]) => type === "toolchange"));
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
      const context = document.modelContext;
      const has = async (wanted) => (await context.getTools()).some(({ name }) => name === wanted);
      await until(async () => await has("add") && await has("fails"));
      let say;
      const said = new Promise((done) => { say = done; });
      const late = { "~standard": { version: 1, vendor: "late", validate: (value) => ({ value }),
        jsonSchema: { input: () => said } } };
      const quick = mica.registerTool("add_quick", { inputSchema: late }, async () => ({}));
      await new Promise((done) => setTimeout(done, 5));
      quick.remove();
      await new Promise((done) => setTimeout(done, 5));
      say({ type: "object" });
      await new Promise((done) => setTimeout(done, 30));
      if (await has("add_quick"))
        throw new Error("it was removed before the browser had it");
      const list = async () => (await context.getTools()).filter(({ name }) => name === "add")
        .map(({ description, inputSchema, annotations }) =>
          [description, inputSchema.required, annotations.readOnlyHint]);
      const first = await list();
      const [add, fails] = await context.getTools();
      const value = JSON.parse(await context.executeTool(add, { n: 4 })).structuredContent;
      const bad = await context.executeTool(add, { n: "4" }).catch(({ name }) => name);
      const failed = await context.executeTool(fails, {}).catch(({ name }) => name);
      tool.update({ description: "Adds one" });
      await until(async () => (await list())[0]?.[0] === "Adds one");
      const second = await list();
      tool.remove();
      await until(async () => !(await list()).length);
      return [error, first[0].slice(1), value, bad, failed, second, await list()];
    }), ["NO_HOST", [["n"], true], { n: 5 }, "UnknownError", "UnknownError",
      [["Adds one", ["n"], true]], []], "the agent");
    await becomes(() => tab.said.filter((line) => line.includes("not legal there"))
      .map((line) => /(hosts|the browser) leaves? it out/.exec(line)?.[1]),
    where === native ? ["hosts", "the browser"] : ["hosts"], "warnings");
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
    const what = JSON.stringify(options);
    await becomes(() => frame.evaluate(async () =>
      (await document.modelContext.getTools()).map(({ name }) => name)),
    ["bare", "own", "web", "whole"], `${what}: agents`);
    same(await frame.evaluate(() => [document.modelContext instanceof mica.ModelContext,
      errors]), [brand === "ours", []], `${what}: whose`);
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
    await until(() => !native.size);
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
