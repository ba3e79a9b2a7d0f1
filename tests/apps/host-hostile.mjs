// SPDX-License-Identifier: Apache-2.0
//
// Views that mean harm, message by message: what they get is a clear error, and the host and
// its other views go on.
import assert from "node:assert/strict";

import { AppBridge, limits } from "../../web/host/bridge.js";
import { done, pause, test, until } from "../peers/tap.mjs";
import { pair } from "./host-pair.mjs";

const appInfo = { name: "v", version: "1" };

// A view by hand that is LIVE, and answers pings and lists of tools as it is told.
// `rate` is that of its bucket: a low one, for a machine that is slow.
async function hostile({ tools = () => ({ tools: [] }), call = () => ({}),
  rate = limits.rate } = {}) {
  const [host, end] = pair();
  const usual = limits.rate;
  limits.rate = rate;
  const bridge = new AppBridge(null, { name: "h", version: "1" }, {});
  limits.rate = usual;
  const errors = [], replies = new Map();
  bridge.onerror = (error) => errors.push(error);
  end.onmessage = async ({ method, id, params, ...reply }) => {
    if (method === undefined) replies.set(id, reply);
    else if (method === "tools/list") send({ id, result: await tools(params) });
    else if (method === "tools/call") send({ id, result: await call(params) });
  };
  await end.start();
  await bridge.connect(host);
  const send = (message) => end.send({ jsonrpc: "2.0", ...message });
  await send({ id: "hello", method: "ui/initialize", params: { appInfo,
    appCapabilities: { tools: {} }, protocolVersion: "2026-01-26" } });
  await send({ method: "ui/notifications/initialized" });
  await until(() => bridge.state === "LIVE");
  const codes = () => errors.map(({ code }) => code);
  // Straight into the host, without the clone of a wire: fast.
  const push = (message) => host.onmessage({ jsonrpc: "2.0", ...message });
  return { bridge, errors, codes, replies, send, push, raw: (value) => host.onmessage(value) };
}

const reply = async ({ replies }, id) => {
  await until(() => replies.has(id), `reply ${id}`);
  return replies.get(id);
};

await test("a flood is refused with an error, then disconnected; another view keeps its rate",
  async () => {
    const bad = await hostile({ rate: 20 });
    const good = await hostile();
    let answered = 0, closed = 0;
    bad.bridge.onclose = () => closed++;
    const flood = (async () => {
      for (let id = 0; id < 100_000 && !closed; id++) {
        bad.push({ id, method: "ping" });
        if (id % 500 === 0) await pause(0);
      }
    })();
    for (let id = 0; id < 100; id++) {
      await good.send({ id, method: "ping" });
      await until(() => good.replies.has(id));
      answered++;
    }
    await flood;
    await until(() => closed, "the end of the flood");
    assert.equal(answered, 100);
    assert.deepEqual(good.errors, []);
    const { error } = await reply(bad, limits.burst + limits.refused / 2);
    assert.deepEqual([error.code, error.data.code], [-32000, "RATE_LIMITED"]);
    assert.match(error.message, /1000 messages a second/);
    assert.deepEqual(bad.codes(), ["RATE_LIMITED", "VIEW_FLOODS"]);
    assert.equal(bad.bridge.state, "CLOSED");
    await assert.rejects(bad.bridge.callTool({ name: "t" }), /has ended/);
  });

await test("a burst below the limit passes, and a bucket fills again", async () => {
  const view = await hostile({ rate: 20 });
  for (let id = 0; id < limits.burst + 100; id++) view.push({ id, method: "ping" });
  await reply(view, limits.burst + 99);
  const refused = [...view.replies.values()].filter(({ error }) =>
    error?.data.code === "RATE_LIMITED").length;
  assert.ok(refused >= 50 && refused <= 102, `${refused} refused`);
  assert.deepEqual(view.codes(), ["RATE_LIMITED"]);
  await pause(100);
  await view.send({ id: "later", method: "ping" });
  assert.deepEqual((await reply(view, "later")).result, {});
});

await test("replies to the host pass a full bucket, others do not", async () => {
  let held;
  const view = await hostile({ rate: 1,
    call: () => new Promise((resolve) => { held = resolve; }) });
  const called = view.bridge.callTool({ name: "t" });
  await until(() => held);
  for (let i = 0; i < limits.burst + 10; i++) view.push({ method: "nothing/known" });
  held({ content: [] });
  assert.deepEqual(await called, { content: [] });
  assert.deepEqual(view.codes(), ["RATE_LIMITED"]);
});

await test("20 MB strings and depth 10,000 are refused, each with its reason", async () => {
  const view = await hostile();
  let deep = {};
  for (let i = 0; i < 10_000; i++) deep = { deep };
  const logged = [];
  view.bridge.onloggingmessage = (params) => logged.push(params);
  view.push({ id: 1, method: "ui/message", params: { text: "x".repeat(20 << 20) } });
  view.push({ id: 2, method: "ui/message", params: deep });
  view.push({ method: "notifications/message", params: { level: "info", data: deep } });
  const large = await reply(view, 1), nested = await reply(view, 2);
  assert.deepEqual([large.error.code, large.error.data.code], [-32600, "MESSAGE_TOO_LARGE"]);
  assert.deepEqual([nested.error.code, nested.error.data.code], [-32600, "MESSAGE_TOO_DEEP"]);
  await until(() => view.errors.length === 1);
  assert.deepEqual(view.codes(), ["MESSAGE_TOO_DEEP"]);
  assert.deepEqual(logged, []);
});

await test("results above 10 MB, and ones without a form, are refused", async () => {
  let result;
  const { bridge } = await hostile({ call: () => result, tools: () => result });
  result = { content: [{ type: "text", text: "x".repeat(limits.resultSize) }] };
  await assert.rejects(bridge.callTool({ name: "t" }), (error) => {
    assert.equal(error.code, "RESULT_TOO_LARGE");
    assert.match(error.message, /10000000/);
    return true;
  });
  result = { content: [{ type: "text", text: "x".repeat(limits.resultSize - 1000) }] };
  assert.ok(await bridge.callTool({ name: "t" }));
  result = { tools: "all" };
  await assert.rejects(bridge.listTools(), /no list of tools/);
});

await test("foreign and repeated ids, and answers to nothing, change nothing", async () => {
  const view = await hostile({ call: () => new Promise(() => {}) });
  const { bridge } = view;
  let finish;
  bridge.oncalltool = () => new Promise((resolve) => { finish = resolve; });
  const called = bridge.callTool({ name: "t" }, { timeout: 200 });
  const late = assert.rejects(called, (error) => error.code === "REQUEST_TIMEOUT");
  for (const id of [7, "0", -1, "constructor", "__proto__"])
    view.push({ id, result: { content: ["forged"] } });
  await until(() => view.errors.length === 5);
  assert.ok(view.codes().every((code) => code === "UNKNOWN_REPLY"));
  view.push({ id: 1, method: "tools/call", params: { name: "a" } });
  view.push({ id: 1, method: "tools/call", params: { name: "b" } });
  assert.equal((await reply(view, 1)).error.data.code, "ID_IN_USE");
  view.replies.clear();
  finish({ content: [] });
  assert.deepEqual((await reply(view, 1)).result, { content: [] });
  await late;
});

await test("what is no message is reported, never thrown", async () => {
  const view = await hostile();
  const cycle = {};
  cycle.self = cycle;
  for (const value of [null, 1, "x", [], {}, { jsonrpc: "2.0" }, { jsonrpc: "2.0", method: 1 },
    { jsonrpc: "2.0", id: null, method: "ping" }, { jsonrpc: "2.0", id: {}, method: "ping" },
    { jsonrpc: "2.0", id: 0, result: 1 }, { jsonrpc: "2.0", method: "a", params: cycle }])
    view.raw(value);
  await until(() => view.errors.length === 11);
  assert.equal(view.bridge.state, "LIVE");
});

await test("names of objects are no tools, and change no object", async () => {
  const seen = [];
  const { bridge, push } = await hostile({ tools: () => ({ tools: [
    JSON.parse('{"name":"__proto__","inputSchema":{"__proto__":{"polluted":1}}}'),
    { name: "constructor", inputSchema: {} }] }) });
  bridge.oncalltool = async ({ name }) => { seen.push(name); };
  push({ id: 1, method: "tools/call", params: { name: "__proto__" } });
  push({ id: 2, method: "toString" });
  push({ id: 3, method: "__proto__" });
  const { tools } = await bridge.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ["__proto__", "constructor"]);
  assert.equal({}.polluted, undefined);
  assert.equal(Object.getPrototypeOf(tools[0].inputSchema), Object.prototype);
  assert.deepEqual(seen, ["__proto__"]);
});

await test("1,000 tools: 50 are kept, over all pages, and the host is told", async () => {
  const tool = (i) => ({ name: `t${i}`, inputSchema: { type: "object" } });
  const view = await hostile({ tools: ({ cursor = "0" }) => ({
    tools: Array.from({ length: cursor === "0" ? 30 : 970 }, (_, i) => tool(i)),
    nextCursor: cursor === "0" ? "1" : undefined }) });
  const first = await view.bridge.listTools();
  const second = await view.bridge.listTools({ cursor: first.nextCursor });
  assert.deepEqual([first.tools.length, second.tools.length], [30, 20]);
  assert.deepEqual(view.codes(), ["TOO_MANY_TOOLS"]);
  assert.match(view.errors[0].message, /950 were left out/);
  assert.equal((await view.bridge.listTools()).tools.length, 30);
});

await test("hidden and bidirectional characters leave texts, and bar names", async () => {
  const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
  const view = await hostile({ tools: () => ({ tools: [
    tool("pay\u202eyap"), tool("a b"), tool("x".repeat(limits.toolName + 1)), tool(""), null, 3,
    tool("big", { description: "x".repeat(limits.toolSize) }),
    tool("key", { inputSchema: { properties: { "a\u200bb": {} } } }),
    tool("ok", { title: "A\u2066B\u{e0041}C", description: `two\nlines${"é".repeat(5000)}`,
      annotations: { readOnlyHint: true, title: "\u3164x\ud800" }, _meta: { list: ["\u200b1", 2] },
      inputSchema: { type: "object", properties: { a: { description: "\ufeffob\u00aday" } } } }),
  ] }) });
  const { tools } = await view.bridge.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ["ok"]);
  assert.deepEqual(view.codes(), ["TOOL_NAME", "TOOL_NAME", "TOOL_NAME", "TOOL_NAME", "TOOL_NAME",
    "TOOL_NAME", "MESSAGE_TOO_LARGE", "TOOL_TEXT"]);
  assert.match(view.errors[0].message, /left out \(payyap\)/);
  const [ok] = tools;
  assert.equal(ok.title, "ABC");
  assert.equal(ok.description.length, limits.toolText);
  assert.ok(ok.description.startsWith("two\nlinesé") && ok.description.endsWith("…"));
  assert.deepEqual(ok.annotations, { readOnlyHint: true, title: "x" });
  assert.deepEqual(ok._meta.list, ["1", 2]);
  assert.equal(ok.inputSchema.properties.a.description, "obay");
});

await test("256 open requests of a view, no more", async () => {
  const view = await hostile();
  view.bridge.oncalltool = () => new Promise(() => {});
  for (let id = 0; id < 257; id++) view.push({ id, method: "tools/call", params: { name: "t" } });
  assert.equal((await reply(view, 256)).error.data.code, "TOO_MANY_REQUESTS");
  await pause();
  assert.equal(view.replies.size, 2); // that one, and the handshake
});

await test("a view that its proxy has stopped is disconnected", async () => {
  const view = await hostile();
  for (let i = 0; i < limits.burst; i++) view.push({ method: "nothing/known" });
  view.push({ method: "ui/notifications/sandbox-view-stopped", params: { reason: "too many" } });
  await until(() => view.bridge.state === "CLOSED");
  assert.equal(view.codes().at(-1), "VIEW_FLOODS");
  assert.match(view.errors.at(-1).message, /disconnected: too many/);
});

await test("a host whose window is gone reports it", async () => {
  const view = await hostile();
  view.bridge.transport.send = async () => { throw new Error("gone"); };
  view.bridge.setHostContext({ theme: "dark" });
  await until(() => view.errors.length === 1);
  assert.match(view.errors[0].message, /gone/);
});

done();
