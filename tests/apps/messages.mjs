// SPDX-License-Identifier: Apache-2.0
//
// All messages between a view and its host in Node, in both directions, on our App and on
// the official one, which must put the same on the wire; then what ours alone does: states,
// capabilities, errors, late listeners.
import { z } from "zod";

import { done, need, same, test } from "../peers/tap.mjs";
import { ALL, alone, AppBridge, beside, HOST, official, ours, pair, thrown, tick, VIEW, warned }
  from "./pair.mjs";

/** Steps on both classes: their logs and what they return must be equal. */
async function both(name, steps, options = {}) {
  await test(name, async () => {
    const found = [];
    for (const lib of [ours, official]) {
      // What is declared differs, and has a test of its own.
      const pairing = await beside(lib, { capabilities: { tools: {} }, ...options });
      let value;
      await warned(async () => { value = await steps({ lib, ...pairing }); });
      await tick();
      found.push({ value, log: pairing.log });
      await pairing.app.close();
    }
    same(found[0], found[1], "ours and the official");
  });
}

const block = (text) => ({ type: "text", text });
const failing = (code) => async () => { throw Object.assign(new Error("no"), { code }); };

// ---- From view to host: each row ------------------------------------------------------

await both("handshake", async ({ app, bridge, log }) => {
  same(log.map(({ from, id, method }) => [from, id, method]), [["view", 0, "ui/initialize"],
    ["host", 0, undefined], ["view", undefined, "ui/notifications/initialized"]], "messages");
  return [app.getHostVersion(), app.getHostCapabilities(), app.getHostContext(),
    bridge.getAppVersion(), bridge.getAppCapabilities()];
}, { context: { theme: "dark", locale: "de" } });

// [function of App, its parameters, handler of AppBridge, a result]
const ROWS = [
  ["callServerTool", { name: "t", arguments: { a: 1 } }, "oncalltool",
    { content: [block("x")], _meta: { m: 1 } }],
  ["readServerResource", { uri: "a://b" }, "onreadresource",
    { contents: [{ uri: "a://b", text: "x" }] }],
  ["listServerResources", { cursor: "c" }, "onlistresources",
    { resources: [{ uri: "a://b", name: "b" }] }],
  ["createSamplingMessage", { messages: [{ role: "user", content: block("q") }], maxTokens: 5 },
    "oncreatesamplingmessage",
    { role: "assistant", content: block("a"), model: "m", stopReason: "endTurn" }],
  ["openLink", { url: "https://example.com/" }, "onopenlink", { isError: true }],
  ["sendOpenLink", { url: "https://example.com/" }, "onopenlink", {}],
  ["downloadFile", { contents: [{ type: "resource", resource: { uri: "file:///a.txt",
    text: "x" } }] }, "ondownloadfile", {}],
  ["sendMessage", { role: "user", content: [block("hi")] }, "onmessage", { isError: false }],
  ["updateModelContext", { content: [block("c")], structuredContent: { a: 1 } },
    "onupdatemodelcontext", {}],
  ["requestDisplayMode", { mode: "fullscreen" }, "onrequestdisplaymode", { mode: "inline" }],
];
for (const [name, params, handler, result] of ROWS) {
  await both(name, async ({ app, bridge }) => {
    let got;
    bridge[handler] = async (received) => {
      got = received;
      return result;
    };
    return [await app[name](params), got];
  });
  await both(`${name}: a host that throws`, async ({ app, bridge }) => {
    bridge[handler] = failing(-32000);
    const own = await thrown(app[name](params));
    bridge[handler] = failing("NO_CODE");
    const other = await thrown(app[name](params));
    return [own.code, own.message, other.code, other.message];
  });
  await test(`${name}: a host without a handler`, async () => {
    const { app, answers } = await alone(ours);
    answers.clear();
    const { host } = { host: app.transport.other };
    const { onmessage } = host;
    host.onmessage = (message) => {
      onmessage(message);
      if (message.method) host.send({ jsonrpc: "2.0", id: message.id,
        error: { code: -32601, message: "Method not found", data: { a: 1 } } });
    };
    const error = await thrown(app[name](params));
    same([error.code, error.message, error.data, error instanceof ours.ProtocolError],
      [-32601, "Method not found", { a: 1 }, true], "the error");
    await app.close();
  });
}
for (const [name, params, event] of [
  ["sendLog", { level: "info", logger: "l", data: { a: 1 } }, "onloggingmessage"],
  ["sendSizeChanged", { width: 10.5, height: 20 }, "onsizechange"],
  ["requestTeardown", undefined, "onrequestteardown"]])
  await both(name, async ({ app, bridge }) => {
    const got = new Promise((done) => { bridge[event] = done; });
    await app[name](params);
    return got;
  });
await both("tool list changed, by hand", async ({ app, bridge }) => {
  const got = new Promise((done) => bridge.setNotificationHandler(
    "notifications/tools/list_changed", (message) => done(message.params)));
  await app.sendToolListChanged();
  return got;
});
await both("bad parameters are the host's error", async ({ app }) => {
  const error = await thrown(app.requestDisplayMode({ mode: "sideways" }));
  need(error.message.startsWith("Invalid params for ui/request-display-mode"), error.message);
  return [error.code, error.message];
});
await test("parameters that are made whole", async () => {
  const { app, answers } = await alone(ours);
  answers.set("ui/message", ({ params }) => ({ result: params }));
  same(await app.sendMessage({ role: "user", content: block("one") }),
    { role: "user", content: [block("one")] }, "one block");
  answers.set("ui/update-model-context", ({ params }) => ({ result: params }));
  same(await app.updateModelContext(), {}, "no parameters");
  await app.close();
});

// ---- From host to view -----------------------------------------------------------------

await both("ping", async ({ bridge }) => bridge.request({ method: "ping", params: {} }));
await both("tool input, partial, result, cancelled", async ({ app, bridge }) => {
  const got = [];
  for (const event of ["toolinputpartial", "toolinput", "toolresult", "toolcancelled"])
    app[`on${event}`] = (params) => got.push([event, params]);
  await warned(async () => {
    await bridge.sendToolInputPartial({ arguments: { a: 1 } });
    await bridge.sendToolInputPartial({ arguments: { a: 12 } });
    await bridge.sendToolInput({ arguments: { a: 123 } });
    await bridge.sendToolResult({ content: [block("x")], structuredContent: { b: [1] } });
    await bridge.sendToolCancelled({ reason: "why" });
    await tick();
  });
  same(got.map(([event]) => event), ["toolinputpartial", "toolinputpartial", "toolinput",
    "toolresult", "toolcancelled"], "events");
  return got;
}, { prepare: ({ app }) => {
  for (const event of ["toolinputpartial", "toolinput", "toolresult", "toolcancelled"])
    app[`on${event}`] = () => {};
} });
await both("host context merges key by key", async ({ app, bridge }) => {
  const got = [];
  app.addEventListener("hostcontextchanged", (params) => got.push(params));
  bridge.setHostContext({ theme: "dark", locale: "de", displayMode: "inline" });
  await tick();
  bridge.setHostContext({ theme: "light", locale: "de", displayMode: "inline" });
  await tick();
  same(app.getHostContext(), { theme: "light", locale: "de", displayMode: "inline",
    timeZone: "UTC" }, "merged");
  return got;
}, { context: { timeZone: "UTC" } });
await both("teardown", async ({ app, bridge }) => {
  let extra;
  app.onteardown = async (params, given) => {
    extra = given;
    return { saved: params };
  };
  const result = await bridge.teardownResource({});
  need(extra.mcpReq.signal instanceof AbortSignal, "no signal");
  return result;
});
await both("unknown requests and notifications", async ({ host, log }) => {
  await host.send({ jsonrpc: "2.0", id: 70, method: "no/such" });
  await host.send({ jsonrpc: "2.0", method: "no/such" });
  await tick();
  return log.at(-1);
});
await both("a handler of the author's own", async ({ app, bridge }) => {
  app.setRequestHandler("mine/one", { params: z.object({ a: z.number() }) },
    async ({ a }, { mcpReq }) => ({ a: a + 1, id: mcpReq.id }));
  return bridge.request({ method: "mine/one", params: { a: 1 } }, z.looseObject({}));
});
await both("a handler by a schema that names the method", async ({ app, bridge }) => {
  const schema = z.object({ method: z.literal("mine/two"), params: z.object({ a: z.number() }) });
  await warned(() => app.setRequestHandler(schema, async ({ params }) => params));
  return bridge.request({ method: "mine/two", params: { a: 1 } }, z.looseObject({}));
});
await both("a method has one handler", async ({ app }) => {
  const anything = { params: z.looseObject({}) };
  app.setRequestHandler("mine/three", anything, async () => ({}));
  const error = await thrown((async () => app.setRequestHandler("mine/three", anything, () => ({})))());
  app.removeRequestHandler("mine/three");
  app.setRequestHandler("mine/three", anything, async () => ({}));
  app.setNotificationHandler("mine/four", anything, () => {});
  const other = await thrown((async () => app.setNotificationHandler("mine/four", anything, () => {}))());
  app.removeNotificationHandler("mine/four");
  return [error, other].map(({ message }) => /already registered/.test(message));
});
await test("parameters that a handler's schema refuses", async () => {
  const { app, bridge } = await beside(ours);
  app.setRequestHandler("mine/five", { params: z.object({ a: z.number() }) }, async () => ({}));
  app.setRequestHandler("mine/six", {}, async (params) => params);
  const error = await thrown(bridge.request({ method: "mine/five", params: { a: "x" } },
    z.looseObject({})));
  same([error.code, error.message], [-32602, "Invalid params for mine/five: a: Invalid input: " +
    "expected number, received string"], "the error");
  same(await bridge.request({ method: "mine/six", params: { a: 1 } }, z.looseObject({})), { a: 1 },
    "no schema");
  await app.close();
});

// ---- Handshakes that go wrong ------------------------------------------------------------

await test("an initialize error is no handshake: `initialized` is never sent", async () => {
  const { app, log, view } = await alone(ours, { connect: false, prepare: ({ answers }) =>
    answers.set("ui/initialize", () => ({ error: { code: -32602, message: "no" } })) });
  const error = await thrown(app.connect(view));
  same([error.code, error.message, app.state, app.transport],
    [-32602, "no", "CLOSED", undefined], "the end");
  await tick();
  same(log.length, 2, "messages");
});
await test("an initialize without reply ends in time, and is not cancelled", async () => {
  const { app, log, view } = await alone(ours, { connect: false,
    prepare: ({ answers }) => answers.clear() });
  const error = await thrown(app.connect(view, { timeout: 20 }));
  same([error.code, app.state], ["REQUEST_TIMEOUT", "CLOSED"], "the error");
  same(log.map(({ method }) => method), ["ui/initialize"], "the wire");
});
await test("a host may say more than is known, or less", async () => {
  const { app } = await alone(ours, { result: { protocolVersion: "2025-11-21", more: 1,
    hostCapabilities: { strange: {} }, hostContext: { theme: "sepia", displayMode: "hologram",
      styles: { variables: { "--color-brand-77th": "red" } }, own: 1 } } });
  same([app.state, app.getHostContext().theme, app.getHostContext().own, app.getHostVersion()],
    ["READY", "sepia", 1, undefined], "connected");
  await app.close();
  const bare = await alone(ours, { result: {} });
  same([bare.app.state, bare.app.getHostContext(), bare.app.getHostCapabilities()],
    ["READY", {}, {}], "an empty result");
  await bare.app.close();
});
await test("the official class refuses a 77th variable", async () => {
  const { app, view } = await alone(official, { connect: false, result: {
    protocolVersion: "2026-01-26", hostInfo: HOST, hostCapabilities: {},
    hostContext: { styles: { variables: { "--color-brand-77th": "red" } } } } });
  await thrown(app.connect(view));
});
await both("connect twice is an error", async ({ app }) =>
  (await thrown(app.connect(pair().view))).message);
await test("states", async () => {
  const wire = pair();
  const app = new ours.App(VIEW);
  const bridge = new AppBridge(null, HOST, ALL);
  same(app.state, "NEW", "new");
  same((await thrown(app.connect())).code, "NO_HOST", "without a frame");
  same(app.state, "NEW", "still new");
  await bridge.connect(wire.host);
  const connecting = app.connect(wire.view);
  same(app.state, "CONNECTING", "connecting");
  same((await thrown(app.connect(pair().view))).code, "ALREADY_CONNECTED", "twice at once");
  await connecting;
  same(app.state, "READY", "ready");
  same(await bridge.teardownResource({}), {}, "without a handler");
  same(app.state, "TEARDOWN", "torn down");
  same(await bridge.teardownResource({}), {}, "twice");
  bridge.oncalltool = async () => ({ content: [] });
  same(await app.callServerTool({ name: "save" }), { content: [] }, "a last call");
  await app.close();
  same(app.state, "CLOSED", "closed");
  same((await thrown(app.callServerTool({ name: "x" }))).code, "NOT_READY", "after the end");
});
await test("a transport that does not start", async () => {
  const app = new ours.App(VIEW);
  const wire = pair();
  wire.view.start = async () => { throw new Error("broken"); };
  same((await thrown(app.connect(wire.view))).message, "broken", "the error");
  same(app.state, "CLOSED", "the state");
  const second = await beside(ours, { connect: false });
  await app.connect(second.view);
  same(app.state, "READY", "another try");
  await app.close();
});
await test("close ends what waits", async () => {
  const { app, bridge } = await beside(ours);
  let signal;
  app.registerTool("slow", {}, async (extra) => {
    signal = extra.signal;
    await tick(30);
    return {};
  });
  bridge.callTool({ name: "slow" }).catch(() => {});
  bridge.oncalltool = () => new Promise(() => {});
  const waits = thrown(app.callServerTool({ name: "x" }));
  await tick(5);
  let closed = 0;
  app.onclose = () => closed++;
  await app.close();
  same([(await waits).code, signal.aborted, closed], ["CONNECTION_CLOSED", true, 1], "the end");
});

// ---- What may be sent, and when --------------------------------------------------------------

await test("before READY nothing is sent but the handshake and ping", async () => {
  const { app, log, view, answers } = await alone(ours, { connect: false });
  const early = /called before connect\(\) completed the ui\/initialize handshake/;
  const calls = {
    callServerTool: { name: "t" }, sendMessage: { role: "user", content: [] }, sendLog: {},
    sendSizeChanged: {}, requestTeardown: undefined, sendToolListChanged: undefined,
  };
  for (const when of ["NEW", "CONNECTING"]) {
    let connecting;
    if (when === "CONNECTING") {
      answers.delete("ui/initialize");
      connecting = thrown(app.connect(view, { timeout: 30 }));
    }
    for (const [name, params] of Object.entries(calls)) {
      const error = await thrown(app[name](params));
      need(error.code === "NOT_READY" && early.test(error.message), error.message);
      need(error.message.includes(`App.${name}()`), error.message);
    }
    same((await thrown(app.request({ method: "mine/x" }))).code, "NOT_READY", "a raw request");
    if (when === "CONNECTING") {
      answers.set("ping", () => ({ result: {} }));
      same(await app.request({ method: "ping" }), {}, "ping");
      await connecting;
    }
  }
  same(log.filter(({ from }) => from === "view").map(({ method }) => method),
    ["ui/initialize", "ping"], "the wire");
});
const NEEDED = {
  callServerTool: "serverTools",
  readServerResource: "serverResources", listServerResources: "serverResources",
  createSamplingMessage: "sampling",
  sendLog: "logging", openLink: "openLinks", sendOpenLink: "openLinks",
  downloadFile: "downloadFile", sendMessage: "message",
  updateModelContext: "updateModelContext",
};
await test("a capability that is missing is named, and nothing is sent", async () => {
  const { app, log } = await beside(ours, { can: {} });
  const before = log.length;
  for (const [name, capability] of Object.entries(NEEDED)) {
    const error = await thrown(app[name]({ content: [] }));
    same([error.code, error.data.capability], ["CAPABILITY_MISSING", capability], name);
    need(error.message.includes(`Host does not support ${capability} (required for `), name);
  }
  same(log.length, before, "messages");
  await app.requestDisplayMode({ mode: "inline" }); // needs none
  await app.close();
});
await test("sampling with tools needs sampling.tools", async () => {
  const { app, bridge } = await beside(ours, { can: { sampling: {} } });
  const params = { messages: [], maxTokens: 1 };
  bridge.oncreatesamplingmessage = async () =>
    ({ role: "assistant", content: block("a"), model: "m" });
  await app.createSamplingMessage(params);
  const error = await thrown(app.createSamplingMessage({ ...params, tools: [] }));
  same(error.data, { capability: "sampling.tools" }, "the error");
  await app.close();
});
await test("hosts that say less than they can: the check can be left out", async () => {
  const { app, bridge } = await beside(ours, { can: {},
    options: { enforceStrictCapabilities: false } });
  bridge.oncalltool = async () => ({ content: [] });
  await app.callServerTool({ name: "x" });
  await app.close();
});
await both("callServerTool wants an object", async ({ app }) =>
  /^callServerTool\(\) expects an object as its first argument/.test(
    (await thrown(app.callServerTool("my_tool"))).message));

// ---- Progress, time-outs, abort ------------------------------------------------------------

await test("progress keeps a server tool alive; silence ends it", async () => {
  const { app, say, log } = await alone(ours, { prepare: ({ answers }) =>
    answers.set("tools/call", async () => ({})) });
  const got = [];
  const call = thrown(app.callServerTool({ name: "slow" },
    { timeout: 40, onprogress: (progress) => got.push(progress) }));
  const { id, params } = log.at(-1);
  same(params._meta.progressToken, id, "the token");
  for (let i = 1; i <= 4; i++) {
    await tick(20);
    await say({ method: "notifications/progress",
      params: { progressToken: id, progress: i, total: 9, message: "m" } });
  }
  same((await call).code, "REQUEST_TIMEOUT", "silence");
  same(got.at(-1), { progress: 4, total: 9, message: "m" }, "progress");
  await tick();
  same(log.at(-1), { from: "view", jsonrpc: "2.0", method: "notifications/cancelled",
    params: { requestId: id, reason: "Request timed out" } }, "the wire");
  await app.close();
});
await both("abort is told to the host", async ({ app, bridge, log }) => {
  let signal;
  bridge.oncalltool = (_, extra) => {
    signal = extra.mcpReq.signal;
    return new Promise(() => {});
  };
  const controller = new AbortController();
  const call = thrown(app.callServerTool({ name: "x" }, { signal: controller.signal }));
  await tick();
  controller.abort(new Error("enough"));
  const error = await call;
  await tick();
  same(signal.aborted, true, "the handler's signal");
  same(log.at(-1).method, "notifications/cancelled", "the wire");
  return [error.code, error.message];
});

// ---- Listeners -----------------------------------------------------------------------------

const LATE = /"\w+" handler registered after connect\(\) completed the ui\/initialize handshake/;
await test("late listeners get the last of each event, in order", async () => {
  const { app, bridge } = await beside(ours);
  await bridge.sendToolInputPartial({ arguments: { a: 1 } });
  await bridge.sendToolInputPartial({ arguments: { a: 12 } });
  await bridge.sendToolInput({ arguments: { a: 123 } });
  await bridge.sendToolResult({ structuredContent: { ok: 1 } });
  await tick();
  const got = [];
  const said = await warned(async () => {
    app.ontoolresult = (params) => got.push(["result", params]);
    app.addEventListener("toolinput", (params) => got.push(["input", params]));
    app.addEventListener("toolinput", (params) => got.push(["again", params]));
    app.ontoolinputpartial = (params) => got.push(["partial", params]);
    await tick();
  });
  same(got, [["partial", { arguments: { a: 12 } }], ["input", { arguments: { a: 123 } }],
    ["again", { arguments: { a: 123 } }],
    ["result", { content: [], structuredContent: { ok: 1 } }]], "events");
  same(said.map((line) => LATE.test(line)), [true, true, true], "warnings, one an event");
  app.addEventListener("toolresult", () => got.push("twice"));
  await tick();
  same(got.length, 4, "an event comes once");
  await app.close();
});
await test("a partial input is over with the input", async () => {
  const { app, bridge } = await beside(ours);
  await bridge.sendToolInputPartial({ arguments: { a: 1 } });
  await bridge.sendToolInput({ arguments: { a: 1 } });
  await tick();
  const got = [];
  await warned(async () => {
    app.ontoolinput = () => got.push("input");
    await tick();
    app.ontoolinputpartial = () => got.push("partial");
    await tick();
  });
  same(got, ["input"], "events");
  await app.close();
});
await test("what comes while nobody listens waits, too", async () => {
  const listener = () => {};
  const { app, bridge } = await beside(ours, { prepare: ({ app }) =>
    app.addEventListener("toolresult", listener) });
  app.removeEventListener("toolresult", listener);
  app.removeEventListener("toolresult", listener);
  await bridge.sendToolResult({ content: [block("x")] });
  await tick();
  const got = [];
  const said = await warned(() => app.addEventListener("toolresult", (params) => got.push(params)));
  await tick();
  same([got, said], [[{ content: [block("x")] }], []], "events and warnings");
  await app.close();
});
await both("late listeners are warned of", async ({ app }) => {
  const said = await warned(() => {
    app.ontoolinput = undefined;
    app.onhostcontextchanged = () => {};
    app.addEventListener("toolinput", () => {});
    app.addEventListener("toolinput", () => {});
    app.ontoolresult = () => {};
    app.ontoolresult = () => {};
    app.ontoolcancelled = () => {};
  });
  return said.map((line) => LATE.exec(line)?.[0] ?? line);
}, { prepare: ({ app }) => { app.ontoolcancelled = () => {}; } });
await both("strict: late listeners are refused", async ({ app }) => {
  const errors = [await thrown((async () => { app.ontoolresult = () => {}; })()),
    await thrown((async () => app.addEventListener("toolinput", () => {}))())];
  app.addEventListener("toolcancelled", () => {});
  return errors.map(({ message }) => LATE.exec(message)[0]);
}, { options: { autoResize: false, strict: true },
  prepare: ({ app }) => app.addEventListener("toolcancelled", () => {}) });
await both("an event that does not exist", async ({ app }) =>
  (await thrown((async () => app.addEventListener("nosuch", () => {}))())).message);
await test("a listener that throws stops no other", async () => {
  const { app, bridge } = await beside(ours);
  const got = [];
  app.onerror = (error) => got.push(error.message);
  await warned(() => {
    app.ontoolinput = () => { throw new Error("first"); };
    app.addEventListener("toolinput", () => got.push("second"));
  });
  same(typeof app.ontoolinput, "function", "the handler");
  await bridge.sendToolInput({ arguments: {} });
  await tick();
  same(got, ["first", "second"], "both");
  app.onerror = undefined;
  const { error } = console;
  console.error = (given) => got.push(`console: ${given.message}`);
  await bridge.sendToolInput({ arguments: {} });
  await tick();
  console.error = error;
  same(got.slice(2), ["console: first", "second"], "without onerror");
  await app.close();
});
await test("bad parameters of a notification: onerror, no event, no reply", async () => {
  const { app, say, log } = await alone(ours);
  const errors = [];
  const events = [];
  app.onerror = (error) => errors.push([error.code, error.message]);
  await warned(() => {
    for (const event of ["toolinput", "toolinputpartial", "toolresult", "toolcancelled"])
      app[`on${event}`] = () => events.push(event);
  });
  const before = log.filter(({ from }) => from === "view").length;
  for (const [name, params] of [["tool-input", { arguments: [1] }], ["tool-input", undefined],
    ["tool-input-partial", { arguments: "x" }], ["tool-result", { content: {} }],
    ["tool-cancelled", { reason: 7 }]])
    await say({ method: `ui/notifications/${name}`, params });
  await tick();
  same(errors.map(([code]) => code), Array(5).fill(-32602), "codes");
  same(errors[0][1], "Invalid params for ui/notifications/tool-input: arguments: expected object",
    "the text");
  same([events, log.filter(({ from }) => from === "view").length], [[], before], "silence");
  await app.close();
});
await test("EventDispatcher, as the official one", async () => {
  for (const lib of [ours, official]) {
    const events = new lib.EventDispatcher();
    const got = [];
    const listener = (params) => got.push(["listener", params]);
    events.dispatch("a", 0);
    events.addEventListener("a", listener);
    events.addEventListener("a", listener);
    events.setHandler("a", (params) => got.push(["handler", params]));
    need(events.getHandler("a"), "no handler");
    events.dispatch("a", 1);
    events.removeEventListener("a", listener);
    const said = await warned(() => events.setHandler("a", () => {}));
    events.dispatch("a", 2);
    same(got, [["handler", 1], ["listener", 1], ["listener", 1], ["listener", 2]], "calls");
    need(said[0].includes("handler replaced"), said[0]);
  }
  const { error } = console;
  const said = [];
  console.error = (given) => said.push(given.message);
  const events = new ours.EventDispatcher();
  events.addEventListener("a", () => { throw new Error("x"); });
  events.dispatch("a");
  console.error = error;
  same(said, ["x"], "what it threw");
});

// ---- The wire itself -------------------------------------------------------------------------

await test("replies to nothing, twice, or malformed harm nobody", async () => {
  const { app, say, answers, host } = await alone(ours);
  const errors = [];
  app.onerror = (error) => errors.push(error.code);
  await say({ id: 999, result: {} });
  await say({ id: "0", result: {} });
  await say({ id: 1 });
  await say({ id: 1, result: {}, error: { code: 1, message: "x" } });
  await say({ id: null, method: "ping" });
  await say({ id: 4, method: 7 });
  await say({ id: 4, method: "ping", params: [] });
  await host.send({ jsonrpc: "1.0", id: 1, method: "ping" });
  await tick();
  same(errors, ["UNKNOWN_REPLY", "UNKNOWN_REPLY", ...Array(6).fill("INVALID_MESSAGE")], "errors");
  answers.set("tools/call", ({ id }) => {
    say({ id, result: { content: [], first: true } });
    return { result: { content: [], second: true } };
  });
  same(await app.callServerTool({ name: "x" }), { content: [], first: true }, "the first reply");
  await tick();
  same(errors.at(-1), "UNKNOWN_REPLY", "the second");
  await app.close();
});
done();
