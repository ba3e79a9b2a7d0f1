// SPDX-License-Identifier: Apache-2.0
//
// The host's end (web/host) message by message: each row of the protocol, the order of what
// a view is told, and the texts of refusals. The view is a transport here.
import assert from "node:assert/strict";

import { AppBridge, buildAllowAttribute, downloadName, limits, SdkError } from "../../web/host/bridge.js";
import { done, pause, test, until } from "../peers/tap.mjs";
import { pair } from "./host-pair.mjs";

const info = { name: "host", version: "1" };
const appInfo = { name: "view", version: "2" };
const text = (words) => ({ content: [{ type: "text", text: words }] });

// A view by hand: {bridge, got, errors, ask, tell, begin}.
async function view({ client = null, capabilities = {}, context, connect = true } = {}) {
  const [host, end] = pair();
  const bridge = new AppBridge(client, info, capabilities,
    context && { hostContext: context });
  const got = [], errors = [], waiting = new Map();
  let next = 0;
  bridge.onerror = (error) => errors.push(error);
  end.onmessage = (message) => {
    if (message.method === undefined) waiting.get(message.id)?.(message);
    else got.push(message);
  };
  await end.start();
  if (connect) await bridge.connect(host);
  const send = (message) => end.send({ jsonrpc: "2.0", ...message });
  const ask = (method, params) => new Promise((resolve) => {
    waiting.set(next, resolve);
    send({ id: next++, method, ...(params && { params }) });
  });
  const tell = (method, params) => send({ method, ...(params && { params }) });
  const answer = (request, result) => send({ id: request.id, result });
  const hello = (appCapabilities = {}) => ask("ui/initialize",
    { appInfo, appCapabilities, protocolVersion: "2026-01-26" });
  const begin = async (appCapabilities) => {
    const { result } = await hello(appCapabilities);
    await tell("ui/notifications/initialized");
    await until(() => bridge.state === "LIVE", "LIVE");
    return result;
  };
  return { bridge, host, end, got, errors, send, ask, tell, answer, hello, begin };
}

const methods = (messages) => messages.map(({ method }) => method);
const code = (wanted) => (error) => {
  assert.equal(error.code, wanted, error.message);
  return true;
};

// ---- Rows of the protocol: what a view sends

await test("ui/initialize: info, capabilities, version and context", async () => {
  const { bridge, begin, hello, ask } = await view({ capabilities: { openLinks: {} },
    context: { theme: "dark" } });
  assert.equal(bridge.state, "LOADING");
  assert.deepEqual(await begin({ tools: { listChanged: true } }), {
    protocolVersion: "2026-01-26", hostInfo: info, hostCapabilities: { openLinks: {} },
    hostContext: { theme: "dark" } });
  assert.deepEqual(bridge.getAppVersion(), appInfo);
  assert.deepEqual(bridge.getAppCapabilities(), { tools: { listChanged: true } });
  assert.deepEqual(bridge.getCapabilities(), { openLinks: {} });
  const old = await ask("ui/initialize",
    { appInfo, appCapabilities: { other: 1 }, protocolVersion: "2025-11-21" });
  assert.equal(old.result.protocolVersion, "2026-01-26");
  assert.equal((await hello()).result.hostInfo.name, "host");
});

await test("ping is answered both ways", async () => {
  const { bridge, ask, begin, got, answer } = await view();
  const pings = [];
  bridge.onping = (params, extra) => pings.push([params, extra.mcpReq.method]);
  assert.deepEqual((await ask("ping")).result, {});
  assert.deepEqual(pings, [[undefined, "ping"]]);
  await begin();
  const answered = bridge.request({ method: "ping" });
  await until(() => got.length);
  answer(got[0], {});
  assert.deepEqual(await answered, {});
});

await test("requests reach their handlers with their parameters", async () => {
  const { bridge, ask, begin } = await view();
  await begin();
  const block = { type: "text", text: "x" };
  const rows = [
    ["onmessage", "ui/message", { role: "user", content: [block] }, { isError: true }],
    ["onopenlink", "ui/open-link", { url: "https://a.example" }, {}],
    ["ondownloadfile", "ui/download-file",
      { contents: [{ type: "resource", resource: { uri: "file:///a", text: "" } }] }, {}],
    ["onupdatemodelcontext", "ui/update-model-context", { structuredContent: { a: 1 } }, {}],
    ["oncreatesamplingmessage", "sampling/createMessage", { messages: [], maxTokens: 1 },
      { role: "assistant", model: "m", content: block }],
    ["oncalltool", "tools/call", { name: "t", arguments: {}, _meta: { a: 1 } }, text("r")],
    ["onlisttools", "tools/list", { cursor: "c" }, { tools: [] }],
    ["onreadresource", "resources/read", { uri: "ui://a" }, { contents: [] }],
    ["onlistresources", "resources/list", {}, { resources: [] }],
    ["onlistresourcetemplates", "resources/templates/list", {}, { resourceTemplates: [] }],
    ["onlistprompts", "prompts/list", {}, { prompts: [] }],
  ];
  for (const [name, method, params, result] of rows) {
    const seen = [];
    assert.equal(bridge[name], undefined);
    bridge[name] = async (given, extra) => {
      seen.push(given, extra.signal.aborted);
      return result;
    };
    assert.equal(typeof bridge[name], "function");
    assert.deepEqual((await ask(method, params)).result, result, method);
    assert.deepEqual(seen, [params, false], method);
    bridge[name] = undefined;
    assert.deepEqual((await ask(method, params)).error,
      { code: -32601, message: "Method not found" }, method);
  }
});

await test("notifications reach handlers and listeners", async () => {
  const { bridge, tell, begin, errors } = await view();
  const heard = [];
  const listener = (params) => heard.push(["listener", params]);
  bridge.addEventListener("sizechange", () => { throw new Error("a listener's own"); });
  for (const event of ["sizechange", "sandboxready", "initialized", "requestteardown",
    "loggingmessage", "toolschanged"]) {
    bridge[`on${event}`] = (params) => heard.push([event, params]);
    assert.equal(typeof bridge[`on${event}`], "function");
    bridge.addEventListener(event, listener);
  }
  await tell("ui/notifications/sandbox-proxy-ready", {});
  await begin();
  await tell("ui/notifications/size-changed", { height: 1.5 });
  await tell("ui/notifications/request-teardown");
  await tell("notifications/message", { level: "info", data: [1] });
  for (let i = 0; i < 5; i++) await tell("notifications/tools/list_changed");
  await until(() => heard.length === 12);
  assert.deepEqual(heard.filter(([event]) => event !== "listener"), [
    ["sandboxready", {}], ["initialized", {}], ["sizechange", { height: 1.5 }],
    ["requestteardown", {}], ["loggingmessage", { level: "info", data: [1] }],
    ["toolschanged", {}]]);
  assert.deepEqual(errors.map(({ message }) => message), ["a listener's own"]);
  bridge.removeEventListener("sizechange", listener);
  bridge.removeEventListener("sizechange", listener);
  await tell("ui/notifications/size-changed", {});
  await until(() => heard.length === 13);
  assert.throws(() => bridge.addEventListener("nothing", listener), /Unknown event: nothing/);
});

// ---- Rows of the protocol: what a host sends

await test("each message of the host has its method and parameters", async () => {
  const { bridge, begin, got } = await view();
  await begin();
  await bridge.sendToolInputPartial({ arguments: { a: "" } });
  await bridge.sendToolInput({ arguments: { a: 1 } });
  await bridge.sendToolResult(text("r"));
  await bridge.sendHostContextChange({ theme: "dark" });
  await bridge.sendToolListChanged();
  await bridge.sendResourceListChanged();
  await bridge.sendPromptListChanged();
  await bridge.sendSandboxResourceReady({ html: "<p>" });
  await until(() => got.length === 8);
  assert.deepEqual(got.map(({ method, params }) => [method, params]), [
    ["ui/notifications/tool-input-partial", { arguments: { a: "" } }],
    ["ui/notifications/tool-input", { arguments: { a: 1 } }],
    ["ui/notifications/tool-result", text("r")],
    ["ui/notifications/host-context-changed", { theme: "dark" }],
    ["notifications/tools/list_changed", {}],
    ["notifications/resources/list_changed", {}],
    ["notifications/prompts/list_changed", {}],
    ["ui/notifications/sandbox-resource-ready", { html: "<p>" }]]);
});

await test("the tools of a view are listed and called", async () => {
  const { bridge, begin, got, answer } = await view();
  await begin({ tools: {} });
  const called = bridge.callTool({ name: "t", arguments: { a: 1 } });
  await until(() => got.length === 1);
  assert.deepEqual(got[0], { jsonrpc: "2.0", id: 0, method: "tools/call",
    params: { name: "t", arguments: { a: 1 } } });
  answer(got[0], { structuredContent: { b: 2 } });
  assert.deepEqual(await called, { content: [], structuredContent: { b: 2 } });
  const listed = bridge.listTools();
  await until(() => got.length === 2);
  answer(got[1], { tools: [{ name: "t", inputSchema: { type: "object" } }] });
  assert.deepEqual(await listed, { tools: [{ name: "t", inputSchema: { type: "object" } }] });
  const again = bridge.sendListTools({}), older = bridge.sendCallTool({ name: "t" });
  await until(() => got.length === 4);
  assert.deepEqual(got.slice(2).map(({ method }) => method), ["tools/list", "tools/call"]);
  answer(got[2], { tools: [] });
  answer(got[3], {});
  assert.deepEqual([await again, await older], [{ tools: [] }, { content: [] }]);
});

await test("a view without the capability of tools is not asked", async () => {
  const { bridge, begin, got } = await view();
  const early = assert.rejects(bridge.listTools(), code("CAPABILITY_NOT_SUPPORTED"));
  await begin();
  await early;
  await assert.rejects(bridge.callTool({ name: "t" }), /appCapabilities.tools.*tools\/call/s);
  assert.deepEqual(got, []);
});

// ---- Order and states

await test("what is early waits, and goes out in its order", async () => {
  const { bridge, tell, hello, got, answer } = await view({ context: { theme: "dark" } });
  await bridge.sendToolResult(text("r"));
  await bridge.sendToolInputPartial({ arguments: { a: 1 } });
  await bridge.sendToolInputPartial({ arguments: { a: 12 } });
  await bridge.sendToolListChanged();
  await bridge.sendToolInput({ arguments: { a: 123 } });
  const asked = bridge.request({ method: "ping" });
  bridge.setHostContext({ locale: "de", platform: "web" });
  assert.deepEqual((await hello()).result.hostContext, { locale: "de", platform: "web" });
  bridge.setHostContext({ theme: "light", platform: "web" });
  await pause();
  assert.deepEqual(got, []);
  assert.equal(bridge.state, "HANDSHAKE");
  let seen;
  bridge.oninitialized = () => { seen = bridge.state; };
  await tell("ui/notifications/initialized");
  await until(() => got.length === 7);
  assert.equal(seen, "LIVE");
  const ui = "ui/notifications/";
  assert.deepEqual(got.map(({ method, params }) => [method, params]), [
    [`${ui}host-context-changed`, { locale: undefined, theme: "light" }],
    [`${ui}tool-input-partial`, { arguments: { a: 1 } }],
    [`${ui}tool-input-partial`, { arguments: { a: 12 } }],
    [`${ui}tool-input`, { arguments: { a: 123 } }],
    [`${ui}tool-result`, text("r")],
    ["notifications/tools/list_changed", {}],
    ["ping", undefined]]);
  answer(got[6], {});
  assert.deepEqual(await asked, {});
});

await test("a message in the wrong place is refused", async () => {
  for (const live of [false, true]) {
    const { bridge, begin, got, errors } = await view();
    if (live) {
      await begin();
      await assert.rejects(bridge.sendToolResult(text("r")), code("INPUT_MISSING"));
    }
    await bridge.sendToolInput({});
    await assert.rejects(bridge.sendToolInputPartial({}), code("INPUT_COMPLETE"));
    await assert.rejects(bridge.sendToolInput({}), code("INPUT_COMPLETE"));
    await bridge.sendToolCancelled({ reason: "r" });
    await assert.rejects(bridge.sendToolResult(text("r")), code("CALL_ENDED"));
    if (!live) await begin();
    await until(() => got.length === 2);
    assert.deepEqual(methods(got).map((name) => name.slice(17)),
      ["tool-input", "tool-cancelled"]);
    assert.deepEqual(errors, []);
  }
  const { bridge, begin, got } = await view();
  await begin();
  await bridge.sendToolCancelled();
  await assert.rejects(bridge.sendToolInput({}), code("CALL_ENDED"));
  await until(() => got.length === 1);
});

await test("1,024 messages wait, the next one is refused", async () => {
  const { bridge, begin, got } = await view();
  for (let i = 0; i < limits.queued; i++) {
    await bridge.sendToolListChanged();
    await bridge.sendToolInputPartial({ arguments: { i } });
  }
  await assert.rejects(bridge.sendToolListChanged(), code("QUEUE_FULL"));
  await assert.rejects(bridge.callTool({ name: "t" }), code("QUEUE_FULL"));
  await assert.rejects(bridge.sendToolInputPartial({}), code("QUEUE_FULL"));
  await begin();
  await until(() => got.length === 2 * limits.queued);
  await bridge.sendToolListChanged();
  await until(() => got.length === 2 * limits.queued + 1);
});

await test("a request that waits has its time limit and its signal", async () => {
  const { bridge } = await view();
  await assert.rejects(bridge.request({ method: "ping" }, { timeout: 10 }),
    code("REQUEST_TIMEOUT"));
  const stop = new AbortController();
  const asked = bridge.request({ method: "ping" }, { signal: stop.signal });
  stop.abort(new Error("no more"));
  await assert.rejects(asked, /no more/);
  await assert.rejects(bridge.request({ method: "ping" }, { signal: AbortSignal.abort("x") }),
    /x/);
});

await test("a view that is loaded again gets input and result again", async () => {
  const { bridge, begin, got, ask, answer, send } = await view();
  const signals = [];
  bridge.oncalltool = (params, { signal }) =>
    new Promise(() => signals.push(signal)); // never ends of itself
  await begin();
  await bridge.sendToolInputPartial({ arguments: {} });
  await bridge.sendToolInput({ arguments: { a: 1 } });
  ask("tools/call", { name: "slow" });
  await until(() => signals.length);
  const pinged = bridge.request({ method: "ping" });
  await until(() => got.length === 3);
  got.length = 0;
  // The new document counts from 0 again, while the old one's call is open.
  await send({ id: 1, method: "ui/initialize", params: { appInfo: { ...appInfo, name: "again" },
    appCapabilities: {}, protocolVersion: "2026-01-26" } });
  await until(() => bridge.state === "HANDSHAKE");
  assert.equal(signals[0].aborted, true);
  assert.equal(bridge.getAppVersion().name, "again");
  await bridge.sendToolResult(text("r"));
  await pause();
  assert.deepEqual(got, []);
  await begin();
  await until(() => got.length === 2);
  assert.deepEqual(got.map(({ params }) => params), [{ arguments: { a: 1 } }, text("r")]);
  answer({ id: 0 }, {});
  assert.deepEqual(await pinged, {});
});

await test("messages of the view out of their order are reported", async () => {
  const { bridge, begin, tell, errors } = await view();
  await tell("ui/notifications/initialized");
  await until(() => errors.length === 1);
  assert.equal(bridge.state, "LOADING");
  await begin();
  await tell("ui/notifications/initialized");
  await tell("ui/notifications/sandbox-proxy-ready", {});
  await until(() => errors.length === 3);
  errors.forEach(code("OUT_OF_ORDER"));
});

await test("teardown: an answer, no handler, no answer", async () => {
  const answers = [({ answer }, request) => answer(request, { saved: true }),
    ({ send }, { id }) => send({ id, error: { code: -32601, message: "Method not found" } }),
    () => {}];
  const { teardownMs } = limits;
  limits.teardownMs = 20_000; // more than a busy machine takes for what ends before
  for (const [i, reply] of answers.entries()) {
    const one = await view({ capabilities: { updateModelContext: { text: {} } } });
    const { bridge, begin, got, ask, hello } = one;
    await begin();
    assert.deepEqual((await ask("ui/update-model-context", text("m"))).result, {});
    assert.deepEqual(bridge.modelContext, text("m"));
    const began = performance.now();
    const ended = i === 0 ? bridge.teardownResource({}) : bridge.sendResourceTeardown({},
      { timeout: 30 });
    assert.equal(bridge.state, "TEARDOWN");
    assert.equal(bridge.modelContext, undefined);
    await until(() => got.length);
    assert.equal(got[0].method, "ui/resource-teardown");
    // While it ends, the view may still ask, but gets nothing else.
    assert.deepEqual((await ask("ui/update-model-context", text("m"))).result, {});
    assert.equal(bridge.modelContext, undefined);
    assert.match((await hello()).error.message, /ends this view/);
    await assert.rejects(bridge.sendToolInput({}), code("CONNECTION_CLOSED"));
    await assert.rejects(bridge.teardownResource({}), code("CONNECTION_CLOSED"));
    await reply(one, got[0]);
    assert.deepEqual(await ended, i === 0 ? { saved: true } : {});
    assert.ok(performance.now() - began < limits.teardownMs);
    await bridge.close();
    assert.equal(bridge.state, "CLOSED");
    await assert.rejects(bridge.callTool({ name: "t" }), code("CONNECTION_CLOSED"));
  }
  limits.teardownMs = teardownMs;
  const { bridge } = await view();
  const waiting = assert.rejects(bridge.callTool({ name: "t" }), code("CONNECTION_CLOSED"));
  await bridge.sendToolListChanged();
  assert.deepEqual(await bridge.teardownResource(), {});
  await waiting;
});

await test("calls to a view that closes fail at once; a bridge connects again", async () => {
  const { bridge, host, begin, got } = await view();
  let closed = 0;
  bridge.onclose = () => closed++;
  await begin({ tools: {} });
  await bridge.sendToolInput({ arguments: { a: 1 } });
  const call = assert.rejects(bridge.callTool({ name: "t" }), code("CONNECTION_CLOSED"));
  await until(() => got.length === 2);
  await assert.rejects(bridge.connect(host), /already connected/);
  await bridge.close();
  await call;
  assert.equal(closed, 1);
  await bridge.connect(host);
  assert.equal(bridge.state, "LOADING");
  await begin();
  await until(() => got.length === 3);
  assert.equal(got[2].method, "ui/notifications/tool-input");
  await bridge.close();
});

// ---- Context and display modes

await test("the context: changes alone, removals, no variable beyond the protocol's", async () => {
  const variables = { "--color-text-primary": "red", "--mine": "1" };
  const { bridge, begin, got } = await view({ context: { theme: "dark",
    styles: { variables, css: { fonts: "" } } } });
  const { hostContext } = await begin();
  assert.deepEqual(hostContext, { theme: "dark",
    styles: { variables: { "--color-text-primary": "red" }, css: { fonts: "" } },
    "mica/variables": { "--mine": "1" } });
  bridge.setHostContext({ theme: "dark", styles: { css: { fonts: "" }, variables } });
  bridge.setHostContext({ theme: "dark", list: [1], styles: { variables: {} } });
  bridge.setHostContext({ theme: "dark", list: [1, 2] });
  bridge.sendHostContextChange({ locale: "fr" });
  await until(() => got.length === 3);
  assert.deepEqual(got.map(({ params }) => params), [
    { list: [1], styles: { variables: {} }, "mica/variables": undefined },
    { list: [1, 2], styles: undefined }, { locale: "fr" }]);
  assert.deepEqual(bridge.getHostContext(), { theme: "dark", list: [1, 2], locale: "fr" });
  for (const bad of [{ theme: "blue" }, { displayMode: "huge" }, { platform: "tv" }])
    assert.throws(() => bridge.setHostContext(bad), code("INVALID_HOST_CONTEXT"));
});

await test("display modes: only what both sides offer, and the mode in force", async () => {
  const { bridge, begin, ask, got } = await view({
    context: { availableDisplayModes: ["inline", "fullscreen"] } });
  await begin({ availableDisplayModes: ["inline", "fullscreen"] });
  const mode = async (mode) => (await ask("ui/request-display-mode", { mode })).result?.mode;
  const asked = [];
  assert.equal(await mode("fullscreen"), "inline"); // no handler
  bridge.onrequestdisplaymode = async (params) => {
    asked.push(params.mode);
    return params;
  };
  assert.equal(await mode("pip"), "inline");
  assert.equal(await mode("fullscreen"), "fullscreen");
  assert.equal(await mode("fullscreen"), "fullscreen");
  assert.deepEqual(asked, ["fullscreen", "fullscreen"]);
  assert.deepEqual(got.map(({ params }) => params), [{ displayMode: "fullscreen" }]);
  assert.throws(() => bridge.setHostContext({ displayMode: "pip" }),
    code("DISPLAY_MODE_NOT_SUPPORTED"));
  bridge.onrequestdisplaymode = undefined;
  bridge.onrequestdisplaymode = async () => ({});
  const { error } = await ask("ui/request-display-mode", { mode: "inline" });
  assert.match(error.message, /onrequestdisplaymode returned no mode/);
});

// ---- Refusals

await test("bad parameters: the texts of the official host", async () => {
  const { bridge, ask } = await view();
  const absent = (type) => `Invalid input: expected ${type}, received undefined`;
  const rows = [
    ["ui/initialize", undefined, `appInfo: ${absent("object")}, ` +
      `appCapabilities: ${absent("object")}, protocolVersion: ${absent("string")}`],
    ["ui/initialize", { appInfo: { name: "x" }, appCapabilities: {
      availableDisplayModes: ["x"], tools: { listChanged: 1 }, experimental: [] },
      protocolVersion: 3 }, `appInfo.version: ${absent("string")}, ` +
      "appCapabilities.experimental: Invalid input: expected record, received array, " +
      "appCapabilities.tools.listChanged: Invalid input: expected boolean, received number, " +
      "appCapabilities.availableDisplayModes.0: Invalid input, " +
      "protocolVersion: Invalid input: expected string, received number"],
    ["ui/open-link", {}, `url: ${absent("string")}`],
    ["ui/download-file", { contents: [3, { type: "text", text: "x" },
      { type: "resource", resource: { uri: "x" } }, { type: "resource" }] },
    "contents.0: Invalid input, contents.1: Invalid input, contents.2: Invalid input, " +
      "contents.3: Invalid input"],
    ["ui/message", { role: "x" }, 'role: Invalid input: expected "user", ' +
      `content: ${absent("array")}`],
    ["ui/message", { role: "user", content: [{ type: "text" }, null] },
      "content.0: Invalid input, content.1: Invalid input"],
    ["ui/update-model-context", { content: 3, structuredContent: null },
      "content: Invalid input: expected array, received number, " +
      "structuredContent: Invalid input: expected record, received null"],
    ["ui/request-display-mode", { mode: "x" }, "mode: Invalid input"],
    ["tools/call", { arguments: [] }, `name: ${absent("string")}, ` +
      "arguments: Invalid input: expected record, received array"],
  ];
  for (const name of ["onopenlink", "ondownloadfile", "onmessage", "onupdatemodelcontext",
    "oncalltool"]) bridge[name] = () => assert.fail("asked");
  for (const [method, params, message] of rows)
    assert.deepEqual((await ask(method, params)).error,
      { code: -32602, message: `Invalid params for ${method}: ${message}` });
});

await test("one block as the content of ui/message is a list of one", async () => {
  const { bridge, ask } = await view();
  let seen;
  bridge.onmessage = (params) => { seen = params; };
  const content = { type: "text", text: "x" };
  assert.deepEqual((await ask("ui/message", { role: "user", content })).result, {});
  assert.deepEqual(seen.content, [content]);
});

await test("bad notifications are reported and not delivered", async () => {
  const { bridge, tell, errors } = await view();
  bridge.onsizechange = bridge.onloggingmessage = () => assert.fail("delivered");
  await tell("ui/notifications/size-changed", { width: "3" });
  await tell("notifications/message", { level: "loud", data: 1 });
  await until(() => errors.length === 2);
  assert.match(errors[0].message, /width: Invalid input: expected number, received string/);
  assert.match(errors[1].message, /level: Invalid input/);
});

await test("what a handler throws is the view's answer", async () => {
  const { bridge, ask } = await view();
  bridge.onmessage = async () => { throw new Error("plain"); };
  const params = { role: "user", content: [] };
  assert.deepEqual((await ask("ui/message", params)).error,
    { code: -32603, message: "plain" });
  bridge.onmessage = undefined;
  bridge.onmessage = async () => { throw Object.assign(new Error("no"), { code: -32000 }); };
  assert.deepEqual((await ask("ui/message", params)).error, { code: -32000, message: "no" });
  assert.deepEqual((await ask("ui/nothing")).error,
    { code: -32601, message: "Method not found" });
});

await test("links: http, https and mailto, and nothing hidden", async () => {
  const { bridge, ask } = await view();
  const opened = [];
  bridge.onopenlink = ({ url }) => { opened.push(url); };
  const good = ["https://a.example/x?y=%20", "HTTP://a.example", "mailto:a@b.example"];
  for (const url of good) assert.ok((await ask("ui/open-link", { url })).result, url);
  for (const url of ["javascript:alert(1)", "java\nscript:alert(1)", " javascript:1",
    "JaVaScRiPt:1", "data:text/html,x", "smb://host/share", "file:///etc/passwd", "//a.example",
    "/path", "", "blob:https://a.example/1", "vbscript:x", "https://a.example/\u202egpj.exe",
    "https://a.example/ x", "intent:x", "https:",
    // Paths of the server of the host's page, where that has the same scheme.
    "http:a.example", "HTTP:/a.example", "https:a.example", "http:\\\\a.example"]) {
    const { error } = await ask("ui/open-link", { url });
    assert.equal(error?.data?.code, "LINK_REFUSED", url);
    assert.match(error.message, /http:, https: or mailto:/);
  }
  assert.deepEqual(opened, good);
});

await test("downloads: a name, never a path", async () => {
  const { bridge, ask } = await view();
  let seen;
  bridge.ondownloadfile = ({ contents }) => { seen = contents; };
  const link = (name) => ({ type: "resource_link", uri: "https://a.example/f", name });
  const file = (uri) => ({ type: "resource", resource: { uri, text: "" } });
  assert.ok((await ask("ui/download-file", { contents: [link("../../a/b.txt"),
    file("file:///x/c.txt")] })).result);
  assert.deepEqual(seen.map(downloadName), ["b.txt", "c.txt"]);
  assert.equal(seen[0].name, "b.txt");
  for (const [name, wanted] of [["..\\..\\win.ini", "win.ini"], ["%2e%2e%2fx", "x"],
    ["a%", "a%"], ["..", "download"], ["", "download"], ["C:evil.exe", "evil.exe"],
    [`${"a/".repeat(200)}b.txt`, "b.txt"], ["gpj\u202e.exe", "gpj.exe"], ["a\u0000b", "ab"], ["a\n<b>|c", "abc"]])
    assert.equal(downloadName(link(name)), wanted, name);
  assert.equal(downloadName(file("https://a.example/d/e.pdf?x=/../y#z")), "e.pdf");
  assert.equal(downloadName(link("x".repeat(300))).length, 255);
  assert.equal(downloadName(link(`${"long/".repeat(60)}a.txt`)), "a.txt");
});

await test("permissions are features of a frame, and no others", async () => {
  assert.equal(buildAllowAttribute(undefined), "");
  assert.equal(buildAllowAttribute({ clipboardWrite: {}, camera: {}, usb: {} }),
    "camera; clipboard-write");
  assert.equal(buildAllowAttribute({ microphone: {}, geolocation: {} }),
    "microphone; geolocation");
});

await test("a replaced handler is announced, an SdkError has a word", async () => {
  const { bridge } = await view();
  const warned = [], { warn } = console;
  console.warn = (line) => warned.push(line);
  bridge.onmessage = () => ({});
  bridge.onmessage = () => ({});
  console.warn = warn;
  assert.deepEqual(warned, ["[MCP Apps] onmessage handler replaced. " +
    "Previous handler will no longer be called."]);
  assert.equal(new SdkError("WORD", "m").code, "WORD");
});

done();
