// SPDX-License-Identifier: Apache-2.0
//
// The tools of views in Node, beside the official class and an official bridge: what the
// tests of the official package check of them, and what was measured of it.
import { z } from "zod";

import { done, need, same, test } from "../peers/tap.mjs";
import { alone, AppBridge, beside, HOST, official, ours, pair, thrown, tick, VIEW, warned }
  from "./pair.mjs";

const DECLARED = { tools: { listChanged: true } };
const empty = async () => ({ content: [] });
const text = (words) => ({ content: [{ type: "text", text: words }] });
const names = (list) => list.tools.map(({ name }) => name);
const refused = async (promise, words) => {
  const error = await thrown(promise);
  need(error.message.includes(words), `${error.message} has no "${words}"`);
  return error;
};
const NOTICE = "notifications/tools/list_changed";
const notices = (log) => log.filter(({ method }) => method === NOTICE).length;

/** The same steps on both classes, which must put the same on the wire. */
async function both(name, steps, options = {}) {
  await test(name, async () => {
    const logs = [];
    for (const lib of [ours, official]) {
      const pairing = await beside(lib, { capabilities: DECLARED, ...options });
      await warned(() => steps({ lib, ...pairing }));
      await tick();
      logs.push(pairing.log.filter(({ method }) => method !== NOTICE));
      await pairing.app.close();
    }
    same(logs[0], logs[1], "the wire");
  });
}

// ---- The cases of the official tests: registration --------------------------------

await both("registering gives a handle", async ({ app }) => {
  const tool = app.registerTool("greet", {
    title: "Greet User", description: "Greets a user by name",
    inputSchema: z.object({ name: z.string() }), outputSchema: z.object({ greeting: z.string() }),
  }, async ({ name }) => ({ ...text(name), structuredContent: { greeting: name } }));
  same([tool.title, tool.description, tool.enabled],
    ["Greet User", "Greets a user by name", true], "the handle");
});
await test("a name that hosts leave out is said to its author", async () => {
  const said = await warned(async () => {
    for (const name of ["bad name", "good_name.1-A", "x".repeat(129)])
      ours.registerTool(name, {}, empty).remove();
  });
  same(said.map((words) => words.slice(0, 11)), ["Tool bad na", "Tool xxxxxx"], String(said));
});
await both("a tool is enabled and disabled", async ({ app }) => {
  const tool = app.registerTool("t", { description: "d" }, empty);
  same(tool.enabled, true, "at first");
  tool.disable();
  same(tool.enabled, false, "disabled");
  tool.enable();
  same(tool.enabled, true, "enabled");
});
await both("a tool is updated", async ({ app, bridge }) => {
  const tool = app.registerTool("t", { description: "before" }, empty);
  tool.update({ description: "after" });
  same(tool.description, "after", "the handle");
  same((await bridge.listTools({})).tools[0].description, "after", "the list");
});
await both("a tool is removed", async ({ app, bridge }) => {
  app.registerTool("t", {}, empty).remove();
  same(await bridge.listTools({}), { tools: [] }, "the list");
});
await both("a name is registered once", async ({ app }) => {
  app.registerTool("dup", {}, empty);
  await refused((async () => app.registerTool("dup", {}, empty))(),
    "Tool dup is already registered");
});
await both("a handle works before connect", async ({ app, bridge }) => {
  same(names(await bridge.listTools({})), [], "all removed");
}, { prepare: ({ app }) => {
  const tool = app.registerTool("t", {}, empty);
  tool.disable();
  tool.enable();
  tool.update({ description: "x" });
  tool.remove();
} });
await both("without inputSchema the callback gets `extra` first", async ({ app, bridge }) => {
  let extra;
  app.registerTool("noargs", {}, async (first) => {
    extra = first;
    return { content: [] };
  });
  await bridge.callTool({ name: "noargs", arguments: {} });
  need(extra.mcpReq.signal instanceof AbortSignal, "no signal");
});
await both("a result that is an error has no output schema", async ({ app, bridge }) => {
  app.registerTool("errs", { outputSchema: z.object({ ok: z.boolean() }) },
    async () => ({ ...text("boom"), isError: true }));
  const result = await bridge.callTool({ name: "errs", arguments: {} });
  same([result.isError, result.structuredContent], [true, undefined], "the result");
});
await both("a stale handle removes nothing", async ({ bridge }) => {
  same(names(await bridge.listTools({})), ["phoenix"], "the list");
}, { prepare: ({ app }) => {
  const stale = app.registerTool("phoenix", {}, empty);
  stale.remove();
  app.registerTool("phoenix", {}, empty);
  stale.remove();
} });
await both("absent arguments are an empty object", async ({ app, bridge }) => {
  let received;
  app.registerTool("noargs", { inputSchema: z.object({}) }, async (args) => {
    received = args;
    return { content: [] };
  });
  await bridge.callTool({ name: "noargs" });
  same(received, {}, "arguments");
});
await both("an updated inputSchema is the one that counts", async ({ app, bridge }) => {
  const tool = app.registerTool("evolving", { inputSchema: z.object({ a: z.string() }) },
    async (args) => text(JSON.stringify(args)));
  await refused(bridge.callTool({ name: "evolving", arguments: { a: 123 } }), "Invalid input");
  tool.update({ inputSchema: z.object({ a: z.number() }) });
  same((await bridge.callTool({ name: "evolving", arguments: { a: 123 } })).content,
    text('{"a":123}').content, "the result");
});
await both("the handler of a disabled tool throws", async ({ app }) => {
  const tool = app.registerTool("t", {}, empty);
  tool.disable();
  await refused(tool.handler({}), "Tool t is disabled");
});
await both("the handler checks its input", async ({ app }) => {
  const tool = app.registerTool("greet", { inputSchema: z.object({ name: z.string() }) },
    async ({ name }) => text(name));
  same(await tool.handler({ name: "Alice" }, {}), text("Alice"), "the result");
  await refused(tool.handler({ invalid: "field" }, {}), "Invalid input for tool greet");
});
await both("the handler checks its output", async ({ app }) => {
  const schema = { outputSchema: z.object({ greeting: z.string() }) };
  const good = app.registerTool("good", schema,
    async () => ({ ...text("hi"), structuredContent: { greeting: "hi" } }));
  const bad = app.registerTool("bad", schema,
    async () => ({ ...text("hi"), structuredContent: { greeting: 1 } }));
  same((await good.handler({})).structuredContent, { greeting: "hi" }, "the result");
  await refused(bad.handler({}), "Invalid output for tool bad: greeting: ");
});

// ---- From bridge to view -----------------------------------------------------------

await both("oncalltool answers calls", async ({ app, bridge }) => {
  const received = [];
  app.oncalltool = async (params) => {
    received.push(params);
    return text(`Executed: ${params.name}`);
  };
  const result = await bridge.callTool({ name: "test-tool", arguments: { foo: "bar" } });
  same([received[0].name, received[0].arguments], ["test-tool", { foo: "bar" }], "parameters");
  same(result.content, text("Executed: test-tool").content, "the result");
}, { capabilities: { tools: {} } });
await both("onlisttools answers lists", async ({ app, bridge }) => {
  const inputSchema = { type: "object", properties: {} };
  app.onlisttools = async () => ({
    tools: ["tool1", "tool2", "tool3"].map((name) => ({ name, description: "x", inputSchema })),
  });
  same(names(await bridge.listTools({})), ["tool1", "tool2", "tool3"], "the list");
}, { capabilities: { tools: {} } });
await both("what is declared reaches the bridge", async ({ app, bridge }) => {
  same(bridge.getAppCapabilities(), DECLARED, "the capabilities");
  let calls = 0;
  app.oncalltool = async () => {
    calls++;
    return text("Success");
  };
  await bridge.callTool({ name: "test-tool", arguments: {} });
  same(calls, 1, "calls");
});
await both("oncalltool may call a handler", async ({ app, bridge }) => {
  const tool = app.registerTool("greet", { inputSchema: z.object({ name: z.string() }) },
    async ({ name }) => text(`Hello, ${name}!`));
  app.oncalltool = async ({ name, arguments: args }, extra) => {
    if (name !== "greet") throw new Error(`Unknown tool: ${name}`);
    return tool.handler(args ?? {}, extra);
  };
  same((await bridge.callTool({ name: "greet", arguments: { name: "Alice" } })).content,
    text("Hello, Alice!").content, "the result");
});

// ---- Automatic handlers -------------------------------------------------------------

await both("a registered tool is called without a handler", async ({ app, bridge }) => {
  app.registerTool("greet", { inputSchema: z.object({ name: z.string() }) },
    async ({ name }) => text(`Hello, ${name}!`));
  same((await bridge.callTool({ name: "greet", arguments: { name: "Bob" } })).content,
    text("Hello, Bob!").content, "the result");
});
await both("a tool that is not there is not found", async ({ app, bridge }) => {
  app.registerTool("existing-tool", {}, empty);
  const error = await refused(bridge.callTool({ name: "nonexistent", arguments: {} }),
    "Tool nonexistent not found");
  same(error.code, -32603, "code");
});
await both("several tools are told apart", async ({ app, bridge }) => {
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  app.registerTool("add", { inputSchema }, async ({ a, b }) => text(`${a + b}`));
  app.registerTool("multiply", { inputSchema }, async ({ a, b }) => text(`${a * b}`));
  for (const [name, wanted] of [["add", "8"], ["multiply", "15"]])
    same((await bridge.callTool({ name, arguments: { a: 5, b: 3 } })).content,
      text(wanted).content, name);
});
await both("a disabled tool is not called", async ({ app, bridge }) => {
  const tool = app.registerTool("t", {}, async () => text("Success"));
  await bridge.callTool({ name: "t", arguments: {} });
  tool.disable();
  await refused(bridge.callTool({ name: "t", arguments: {} }), "Tool t is disabled");
});
await both("input is checked on the way", async ({ app, bridge }) => {
  app.registerTool("strict-tool", {
    inputSchema: z.object({ required: z.string(), optional: z.number().optional() }),
  }, async ({ required }) => text(required));
  await bridge.callTool({ name: "strict-tool", arguments: { required: "hello" } });
  await refused(bridge.callTool({ name: "strict-tool", arguments: { wrong: "field" } }),
    "Invalid input for tool strict-tool");
});
await both("output is checked on the way", async ({ app, bridge }) => {
  let status = "success";
  app.registerTool("validated-output", {
    outputSchema: z.object({ status: z.enum(["success", "error"]) }),
  }, async () => ({ ...text("Done"), structuredContent: { status } }));
  same((await bridge.callTool({ name: "validated-output", arguments: {} })).structuredContent,
    { status }, "the result");
  status = "neither";
  await refused(bridge.callTool({ name: "validated-output", arguments: {} }),
    "Invalid output for tool validated-output: status: ");
});
await both("a tool is removed and registered anew", async ({ app, bridge }) => {
  const call = () => bridge.callTool({ name: "dynamic-tool", arguments: {} });
  const tool = app.registerTool("dynamic-tool", {}, async () => text("Version 1"));
  same((await call()).content, text("Version 1").content, "the first");
  tool.remove();
  await refused(call(), "Tool dynamic-tool not found");
  app.registerTool("dynamic-tool", {}, async () => text("Version 2"));
  same((await call()).content, text("Version 2").content, "the second");
});

await both("tools are listed", async ({ app, bridge }) => {
  for (const name of ["tool1", "tool2", "tool3"]) app.registerTool(name, {}, empty);
  same(names(await bridge.listTools({})), ["tool1", "tool2", "tool3"], "the list");
});
await both("a list has what was given and no more", async ({ app, bridge }) => {
  app.registerTool("with-output", {
    title: "With Output", description: "structured", outputSchema: z.object({ ok: z.boolean() }),
    annotations: { readOnlyHint: true }, _meta: { a: 1 },
  }, async () => ({ content: [], structuredContent: { ok: true } }));
  app.registerTool("no-output", { description: "none" }, empty);
  const [first, second] = (await bridge.listTools({})).tools;
  same([first.title, first.annotations, first._meta],
    ["With Output", { readOnlyHint: true }, { a: 1 }], "the first");
  need(first.outputSchema.$schema.includes("2020-12"), "the schema's own version");
  same(second, { name: "no-output", description: "none",
    inputSchema: { type: "object", properties: {} } }, "the second");
});
await both("any Standard Schema serves", async ({ app, bridge }) => {
  const point = { type: "object", properties: { x: { type: "number" }, y: { type: "number" } } };
  const schema = { "~standard": {
    version: 1, vendor: "test",
    validate: (value) => (typeof value?.x === "number" && typeof value.y === "number"
      ? { value } : { issues: [{ message: "expected {x:number,y:number}" }] }),
    jsonSchema: { input: () => ({ ...point, required: ["x", "y"] }), output: () => point },
  } };
  app.registerTool("translate", { inputSchema: schema, outputSchema: schema },
    async ({ x, y }) => ({ content: [], structuredContent: { x: x + 1, y: y + 1 } }));
  const [listed] = (await bridge.listTools({})).tools;
  same([listed.inputSchema, listed.outputSchema], [{ ...point, required: ["x", "y"] }, point],
    "the schemas");
  same((await bridge.callTool({ name: "translate", arguments: { x: 1, y: 2 } }))
    .structuredContent, { x: 2, y: 3 }, "the result");
  await refused(bridge.callTool({ name: "translate", arguments: { x: "bad" } }),
    "Invalid input for tool translate: expected {x:number,y:number}");
});
await both("a schema that cannot be JSON is refused in the list", async ({ app, bridge }) => {
  app.registerTool("broken", { inputSchema: { "~standard": {
    version: 1, vendor: "mystery", validate: () => ({ value: {} }),
  } } }, empty);
  await refused(bridge.listTools({}), "does not implement Standard JSON Schema");
});
await both("nor may one that its library cannot write", async ({ app, bridge }) => {
  app.registerTool("dates", { inputSchema: z.object({ day: z.date() }) }, empty);
  await tick();
  return (await thrown(bridge.listTools({}))).message;
}, { prepare: ({ app }) =>
  app.registerTool("early", { inputSchema: z.object({ day: z.date() }) }, empty) });
await both("a list may be empty", async ({ bridge, app }) => {
  app.registerTool("dummy", {}, empty).remove();
  same(await bridge.listTools({}), { tools: [] }, "the list");
});
await both("a list grows", async ({ bridge, app }) => {
  app.registerTool("init", {}, empty).remove();
  same(names(await bridge.listTools({})), [], "none");
  app.registerTool("new-tool", {}, empty);
  same(names(await bridge.listTools({})), ["new-tool"], "one");
  app.registerTool("another-tool", {}, empty);
  same(names(await bridge.listTools({})), ["new-tool", "another-tool"], "two");
});
await both("a list shrinks", async ({ bridge, app }) => {
  const [one, two] = ["tool1", "tool2", "tool3"].map((name) => app.registerTool(name, {}, empty));
  two.remove();
  same(names(await bridge.listTools({})), ["tool1", "tool3"], "two");
  one.remove();
  same(names(await bridge.listTools({})), ["tool3"], "one");
});
await both("a list has what is enabled", async ({ bridge, app }) => {
  app.registerTool("enabled-tool", {}, empty);
  app.registerTool("disabled-tool", {}, empty).disable();
  same(names(await bridge.listTools({})), ["enabled-tool"], "the list");
});
await both("register, call, update, call, remove", async ({ bridge, app }) => {
  const call = () => bridge.callTool({ name: "counter", arguments: {} });
  const tool = app.registerTool("counter", { description: "A counter tool" },
    async () => ({ ...text("Count: 1"), structuredContent: { count: 1 } }));
  same(names(await bridge.listTools({})), ["counter"], "the list");
  same((await call()).content, text("Count: 1").content, "the result");
  tool.update({ description: "An updated counter tool" });
  await call();
  tool.remove();
  same(names(await bridge.listTools({})), [], "the list after");
  await refused(call(), "Tool counter not found");
});
for (const [what, lib] of Object.entries({ ours, official }))
  await test(`two views have tools of their own (${what})`, async () => {
    const both = [];
    for (const name of ["app1-tool", "app2-tool"])
      both.push(await beside(lib, { capabilities: DECLARED,
        prepare: ({ app }) => app.registerTool(name, {}, empty) }));
    const [one, two] = both.map(({ bridge }) => bridge);
    same(names(await one.listTools({})), ["app1-tool"], "the first");
    same(names(await two.listTools({})), ["app2-tool"], "the second");
    await one.callTool({ name: "app1-tool", arguments: {} });
    await refused(one.callTool({ name: "app2-tool", arguments: {} }), "Tool app2-tool not found");
    for (const { app } of both) await app.close();
  });

// ---- What was measured, and where ours differs ---------------------------------------

await test("any name is a name", async () => {
  const { app, bridge } = await beside(ours);
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    app.registerTool(name, {}, async () => text(name));
    same((await bridge.callTool({ name })).content, text(name).content, name);
  }
  await refused(bridge.callTool({ name: "valueOf" }), "Tool valueOf not found");
  await app.close();
});
await test("tools are declared, and a tool registered late is listed and called", async () => {
  const { app, bridge, log } = await beside(ours);
  same(bridge.getAppCapabilities(), DECLARED, "the capabilities");
  same(await bridge.listTools({}), { tools: [] }, "before");
  app.registerTool("late", {}, async () => text("late"));
  await tick();
  same(notices(log), 1, "notices");
  same(names(await bridge.listTools({})), ["late"], "after");
  same((await bridge.callTool({ name: "late" })).content, text("late").content, "the result");
  await app.close();
});
await test("an App that has no tools says so", async () => {
  const app = new ours.App(VIEW, { tools: undefined });
  const error = await thrown((async () => app.registerTool("x", {}, empty))());
  same([error.code, error.message.includes('"tools"')], ["TOOLS_NOT_DECLARED", true], "the error");
});
await test("without listChanged nothing is announced", async () => {
  const { app, log } = await beside(ours, { capabilities: { tools: {} } });
  app.registerTool("a", {}, empty);
  await tick();
  same(notices(log), 0, "notices");
  await app.close();
});
await test("changes of one moment are one notice; none is none", async () => {
  const { app, log } = await beside(ours, {
    prepare: ({ app }) => app.registerTool("early", {}, empty) });
  same(notices(log), 0, "before the view is ready");
  const tools = Array.from({ length: 20 }, (_, i) => app.registerTool(`t${i}`, {}, empty));
  await tick();
  same(notices(log), 1, "twenty registered");
  tools[0].disable();
  tools[0].disable();
  await tick();
  tools[0].disable();
  await tick();
  same(notices(log), 2, "disabled thrice");
  tools[1].disable();
  tools[1].enable();
  tools[1].update({ description: undefined, annotations: undefined });
  tools[2].update({ handler: tools[3].handler });
  await tick();
  same(notices(log), 2, "as it was");
  tools[2].update({ annotations: { readOnlyHint: true } });
  await tick();
  same(notices(log), 3, "an annotation");
  const stale = tools[4];
  stale.remove();
  await tick();
  same(notices(log), 4, "removed");
  stale.remove();
  stale.update({ description: "of nothing" });
  await tick();
  same(notices(log), 4, "removed twice");
  await app.close();
});
await test("update changes any field but the name", async () => {
  const { app, bridge } = await beside(ours);
  const tool = app.registerTool("t", {}, empty);
  tool.update({ enabled: false, title: "T" });
  same(await bridge.listTools({}), { tools: [] }, "disabled by update");
  tool.update({ enabled: true, inputSchema: { type: "object", required: ["a"] } });
  same((await bridge.listTools({})).tools[0].inputSchema.required, ["a"], "the schema is shown");
  await bridge.callTool({ name: "t" }); // and does not check: the callback takes no arguments
  const takes = app.registerTool("u", { inputSchema: { required: ["a"] } },
    async (args) => text(JSON.stringify(args)));
  await refused(bridge.callTool({ name: "u" }), "Invalid input for tool u: a: required");
  takes.update({ inputSchema: undefined });
  same((await bridge.callTool({ name: "u" })).content, text("{}").content, "no more checks");
  takes.update({ handler: async () => text("swapped") });
  same((await bridge.callTool({ name: "u" })).content, text("swapped").content, "a handler");
  await app.close();
});
await both("a result may have no content, and may be structured alone", async ({ app, bridge }) => {
  app.registerTool("bare", { outputSchema: z.object({ a: z.number().default(7) }) },
    async () => ({ structuredContent: {} }));
  same(await bridge.callTool({ name: "bare" }), { content: [], structuredContent: { a: 7 } },
    "the result");
});
await both("defaults and conversions reach the callback", async ({ app, bridge }) => {
  app.registerTool("d", { inputSchema: z.object({
    n: z.coerce.number(), limit: z.number().default(10) }) },
  async (args) => text(JSON.stringify(args)));
  same((await bridge.callTool({ name: "d", arguments: { n: "4" } })).content,
    text('{"n":4,"limit":10}').content, "the arguments");
});
await both("what a callback throws is the reply", async ({ app, bridge }) => {
  app.registerTool("throws", {}, async () => { throw new Error("of its own"); });
  const error = await refused(bridge.callTool({ name: "throws" }), "of its own");
  same(error.code, -32603, "code");
});
await test("a callback that returns nothing is no endless wait", async () => {
  const { app, bridge, log } = await beside(ours);
  app.registerTool("void", {}, async () => {});
  same(await bridge.callTool({ name: "void" }), { content: [] }, "the result");
  same(log.at(-1).result, { content: [] }, "on the wire");
  app.registerTool("strict", { outputSchema: z.object({}) }, () => undefined);
  await refused(bridge.callTool({ name: "strict" }), "Invalid output for tool strict: ");
  await app.close();
});
await test("a cancelled call ends the signal of its callback", async () => {
  const { app, bridge, log } = await beside(ours);
  let extra;
  app.registerTool("slow", {}, async (given) => {
    extra = given;
    await tick(40);
    return text("late");
  });
  const controller = new AbortController();
  const call = thrown(bridge.callTool({ name: "slow" }, { signal: controller.signal }));
  await tick(10);
  controller.abort(new Error("enough"));
  await call;
  await tick(60);
  same([extra.signal.aborted, extra.mcpReq.signal === extra.signal], [true, true], "the signal");
  same(log.filter(({ from, id, method }) => from === "view" && id === 0 && !method).length, 0,
    "late replies");
  await app.close();
});
await both("a call of the host that is malformed is refused", async ({ host, log }) => {
  await host.send({ jsonrpc: "2.0", id: "x", method: "tools/call", params: { name: "t" } });
  await tick();
  same(log.at(-1).error.message, "Tool t not found", "a text id");
}, { prepare: ({ app }) => app.registerTool("other", {}, empty) });
await test("a name that is no text is refused with -32602", async () => {
  const { app, say, log } = await alone(ours);
  await say({ id: 5, method: "tools/call", params: { name: 7 } });
  await say({ id: 6, method: "tools/call", params: { name: "a", arguments: [] } });
  await tick();
  same(log.slice(-2).map(({ error }) => [error.code, error.message]), [
    [-32602, "Invalid params for tools/call: name: expected string"],
    [-32602, "Invalid params for tools/call: arguments: expected object"]], "the errors");
  await app.close();
});
await test("handlers of the author replace the automatic ones, with a warning", async () => {
  const { app, bridge } = await beside(ours);
  same([app.oncalltool, app.onlisttools], [undefined, undefined], "without tools");
  app.registerTool("t", {}, async () => text("automatic"));
  same(await app.onlisttools({}), await bridge.listTools({}), "with tools");
  const said = await warned(() => { app.oncalltool = async () => text("mine"); });
  need(said[0].includes("oncalltool handler replaced"), said[0]);
  same((await bridge.callTool({ name: "t" })).content, text("mine").content, "mine");
  app.oncalltool = undefined;
  same((await bridge.callTool({ name: "t" })).content, text("automatic").content, "back");
  await app.close();
});

// ---- Tools of the page -----------------------------------------------------------------

await test("a tool of the page needs no App and is in every App", async () => {
  const tool = ours.registerTool("page-tool",
    { inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } },
    async ({ n }) => ({ content: [], structuredContent: { n } }));
  same((await ours.callTool("page-tool", { n: 1 })).structuredContent, { n: 1 }, "a button");
  await refused(ours.callTool("page-tool", { n: "one" }),
    "Invalid input for tool page-tool: n: expected integer, received string");
  const { app, bridge, log } = await beside(ours);
  same(names(await bridge.listTools({})), ["page-tool"], "the list");
  same((await bridge.callTool({ name: "page-tool", arguments: { n: 2 } })).structuredContent,
    { n: 2 }, "the host");
  await refused((async () => app.registerTool("page-tool", {}, empty))(), "already registered");
  app.registerTool("own", {}, empty);
  await tick();
  same(names(await bridge.listTools({})), ["page-tool", "own"], "both");
  ours.registerTool("own", {}, async () => text("the page's"));
  same(names(await bridge.listTools({})), ["page-tool", "own"], "its own one counts");
  same((await ours.callTool("own")).content, text("the page's").content, "and on the page");
  const before = notices(log);
  tool.remove();
  await tick();
  same(notices(log), before + 1, "notices");
  await app.close();
  ours.pageTools.get("own").remove();
  await refused(ours.callTool("own"), "Tool own not found");
});
await test("without a host that answers, the page keeps the tools of its App", async () => {
  const app = new ours.App(VIEW);
  app.registerTool("kept", {}, async () => text("kept"));
  await thrown(app.connect(pair().view, { timeout: 10 }));
  same([app.state, (await ours.callTool("kept")).content], ["CLOSED", text("kept").content], "it");
});
await test("the tools of a closed App are gone, and come back with it", async () => {
  const { app } = await beside(ours, { prepare: ({ app }) => app.registerTool("mine", {}, empty) });
  await ours.callTool("mine");
  await app.close();
  await refused(ours.callTool("mine"), "not found");
  const wire = pair();
  const bridge = new AppBridge(null, HOST, {});
  await bridge.connect(wire.host);
  await app.connect(wire.view);
  await ours.callTool("mine");
  await app.close();
});

done();
