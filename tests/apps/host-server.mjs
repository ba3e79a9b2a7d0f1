// SPDX-License-Identifier: Apache-2.0
//
// Bridges on the official MCP client: what is forwarded, which tools a view may call, and
// several views on one client. The server is a table of answers behind the client's transport.
import assert from "node:assert/strict";

import { Client } from "@modelcontextprotocol/client";
import { App } from "@modelcontextprotocol/ext-apps";

import { AppBridge, getToolUiResourceUri, isToolVisibilityAppOnly, isToolVisibilityModelOnly,
  isToolVisibleToApp, limits } from "../../web/host/bridge.js";
import { done, pause, test, until } from "../peers/tap.mjs";
import { pair } from "./host-pair.mjs";

const inputSchema = { type: "object" };
const tool = (name, visibility, more) => ({ name, inputSchema,
  ...(visibility !== undefined && { _meta: { ui: { visibility } } }), ...more });
const TOOLS = [tool("both", ["model", "app"]), tool("app", ["app"]), tool("model", ["model"]),
  tool("none", []), tool("odd", ["model", "x"]), tool("absent"), tool("text", "app"),
  tool("__proto__", ["app"]), tool("constructor", ["model"])];

const LISTS = { listChanged: true };

// A server that answers, and the official client on it: {client, asked, answers, tell}.
async function server({ tools = TOOLS, capabilities = { tools: LISTS, resources: LISTS,
  prompts: LISTS } } = {}) {
  const [near, far] = pair();
  const asked = [], cancelled = [];
  const state = { tools, size: 4 };
  const answers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities,
      serverInfo: { name: "s", version: "1" } }),
    "tools/list": ({ cursor = "0" } = {}) => {
      const end = Number(cursor) + state.size;
      return { tools: state.tools.slice(Number(cursor), end),
        ...(end < state.tools.length && { nextCursor: String(end) }) };
    },
    "tools/call": ({ name }) => ({ content: [{ type: "text", text: `called ${name}` }] }),
    "resources/list": () => ({ resources: [{ uri: "ui://a", name: "a" }] }),
    "resources/templates/list": () => ({ resourceTemplates: [] }),
    "resources/read": ({ uri }) => ({ contents: [{ uri, text: "x" }] }),
    "prompts/list": () => ({ prompts: [{ name: "p" }] }),
  };
  const send = (message) => far.send({ jsonrpc: "2.0", ...message });
  far.onmessage = async ({ id, method, params }) => {
    if (id === undefined) {
      if (method === "notifications/cancelled") cancelled.push(params);
      return;
    }
    asked.push([method, params]);
    if (!answers[method]) send({ id, error: { code: -32601, message: "Method not found" } });
    else {
      const result = await answers[method](params, send);
      if (result) send({ id, result });
    }
  };
  await far.start();
  const client = new Client({ name: "c", version: "1" });
  await client.connect(near);
  return { client, asked, cancelled, answers, state, send,
    changed: (kind) => send({ method: `notifications/${kind}/list_changed` }) };
}

async function app(bridge, capabilities = {}) {
  const [host, end] = pair();
  const view = new App({ name: "v", version: "1" }, capabilities, { autoResize: false });
  await bridge.connect(host);
  await view.connect(end);
  await until(() => bridge.state === "LIVE");
  return view;
}

const info = { name: "h", version: "1" };
const bridgeOn = (client) => new AppBridge(client, info,
  { serverTools: {}, serverResources: {} });

await test("what a view asks of the server is forwarded", async () => {
  const { client, asked } = await server();
  const view = await app(bridgeOn(client));
  const { content } = await view.callServerTool({ name: "both", arguments: { a: 1 } });
  assert.equal(content[0].text, "called both");
  const [, params] = asked.find(([method]) => method === "tools/call");
  assert.equal(params.name, "both");
  assert.deepEqual(params.arguments, { a: 1 });
  assert.equal((await view.readServerResource({ uri: "ui://a" })).contents[0].text, "x");
  assert.equal((await view.listServerResources()).resources[0].name, "a");
  for (const method of ["resources/templates/list", "prompts/list"])
    assert.ok(await view.request({ method, params: {} }), method);
});

await test("only tools whose visibility has app, or that have none, are called", async () => {
  const { client, asked } = await server();
  const view = await app(bridgeOn(client));
  for (const name of ["both", "app", "absent", "__proto__"])
    assert.equal((await view.callServerTool({ name })).content[0].text, `called ${name}`);
  for (const name of ["model", "none", "odd", "text", "constructor"])
    await assert.rejects(view.callServerTool({ name }), (error) => {
      assert.equal(error.code, -32602);
      assert.match(error.message, /is not for views.*visibility.*"app"/s);
      return true;
    });
  for (const name of ["other-server", "toString", "hasOwnProperty"])
    await assert.rejects(view.callServerTool({ name }), /Tool .* not found/);
  assert.equal(asked.filter(([method]) => method === "tools/call").length, 4);
  const pages = [];
  for (let cursor; pages.length === 0 || cursor;) {
    const page = await view.request({ method: "tools/list", params: cursor ? { cursor } : {} });
    pages.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  assert.deepEqual(pages, ["both", "app", "absent", "__proto__"]);
});

await test("a handler of the host is asked instead, after the check of visibility", async () => {
  const { client, asked } = await server();
  const bridge = bridgeOn(client);
  bridge.oncalltool = async ({ name }) => ({ content: [{ type: "text", text: `own ${name}` }] });
  const view = await app(bridge);
  assert.equal((await view.callServerTool({ name: "app" })).content[0].text, "own app");
  await assert.rejects(view.callServerTool({ name: "model" }), /is not for views/);
  bridge.oncalltool = undefined;
  assert.equal((await view.callServerTool({ name: "app" })).content[0].text, "called app");
  assert.equal(asked.filter(([method]) => method === "tools/call").length, 1);
});

await test("a changed list is read anew, one without a name after a time",
  async () => {
    const { listedMs } = limits;
    limits.listedMs = 30_000; // more than a busy machine takes until the time is set forward
    const { client, asked, state, changed } = await server();
    const view = await app(bridgeOn(client));
    const lists = () => asked.filter(([method]) => method === "tools/list").length;
    await view.callServerTool({ name: "both" });
    await view.callServerTool({ name: "app" });
    assert.equal(lists(), 3); // three pages, once
    state.tools = [tool("both", ["model"])];
    await changed("tools");
    await pause();
    await assert.rejects(view.callServerTool({ name: "both" }), /is not for views/);
    assert.equal(lists(), 4);
    for (let i = 0; i < 3; i++) await assert.rejects(view.callServerTool({ name: "new" }));
    assert.equal(lists(), 4);
    state.tools = [tool("new")];
    await assert.rejects(view.callServerTool({ name: "new" }), /not found/);
    limits.listedMs = 20;
    await pause(2 * limits.listedMs);
    assert.ok(await view.callServerTool({ name: "new" }));
    assert.equal(lists(), 5);
    limits.listedMs = listedMs;
  });

await test("a list that fails or has no end refuses the call, and is read again", async () => {
  const { client, answers } = await server();
  const view = await app(bridgeOn(client));
  const { "tools/list": list } = answers;
  answers["tools/list"] = () => ({ tools: [], nextCursor: "again" });
  await assert.rejects(view.callServerTool({ name: "both" }), /more than 100 pages/);
  answers["tools/list"] = list;
  assert.ok(await view.callServerTool({ name: "both" }));
});

await test("changes of lists reach every bridge, until it closes", async () => {
  const { client, changed } = await server();
  const bridges = [bridgeOn(client), bridgeOn(client), bridgeOn(client)];
  const heard = bridges.map(() => []);
  const views = [];
  for (const [i, bridge] of bridges.entries()) {
    const view = await app(bridge);
    for (const kind of ["tools", "resources", "prompts"])
      view.setNotificationHandler(`notifications/${kind}/list_changed`, () =>
        heard[i].push(kind));
    views.push(view);
  }
  for (const kind of ["tools", "resources", "prompts"]) await changed(kind);
  await until(() => heard.every((all) => all.length === 3));
  await bridges[2].close();
  await changed("tools");
  await until(() => heard[0].length === 4 && heard[1].length === 4);
  assert.equal(heard[2].length, 3);
});

await test("a view that is never initialized is told of 1,024 changes at most", async () => {
  const { client, changed } = await server();
  const bridge = bridgeOn(client), errors = [];
  bridge.onerror = (error) => errors.push(error.code);
  await bridge.connect(pair()[0]);
  for (let i = 0; i < limits.queued; i++) await bridge.sendPromptListChanged();
  await changed("tools");
  await until(() => errors.length);
  assert.deepEqual(errors, ["QUEUE_FULL"]);
  await bridge.teardownResource();
  await changed("tools");
  await pause();
  assert.equal(errors.length, 1);
});

await test("cancellation and progress go through", async () => {
  const { client, answers, cancelled } = await server();
  const view = await app(bridgeOn(client));
  answers["tools/call"] = ({ _meta }, send) => send({ method: "notifications/progress",
    params: { progressToken: _meta.progressToken, progress: 1, total: 2 } }).then(() => {});
  const seen = [], stop = new AbortController();
  const call = assert.rejects(view.callServerTool({ name: "app" },
    { onprogress: (progress) => seen.push(progress), signal: stop.signal }));
  await until(() => seen.length);
  assert.deepEqual(seen, [{ progress: 1, total: 2 }]);
  stop.abort("enough");
  await call;
  await until(() => cancelled.length);
  // A call without a token of progress is forwarded without one.
  answers["tools/call"] = ({ _meta }) => ({ content: [], _meta: { asked: _meta ?? "none" } });
  const plain = await view.request({ method: "tools/call", params: { name: "app" } });
  assert.equal(plain._meta.asked.progressToken, undefined);
});

await test("a server without a capability answers nothing of it", async () => {
  const { client } = await server({ capabilities: { prompts: {} } });
  const view = await app(bridgeOn(client));
  assert.ok(await view.request({ method: "prompts/list", params: {} }));
  for (const [method, params] of [["tools/call", { name: "both" }], ["tools/list", {}],
    ["resources/read", { uri: "ui://a" }]])
    await assert.rejects(view.request({ method, params }), /Method not found/, method);
});

await test("a client that is not connected is refused", async () => {
  const bridge = bridgeOn(new Client({ name: "c", version: "1" }));
  await assert.rejects(bridge.connect(pair()[0]), /Client server capabilities not available/);
});

await test("helpers: address and visibility of a tool", async () => {
  assert.equal(getToolUiResourceUri({ _meta: { ui: { resourceUri: "ui://a" } } }), "ui://a");
  assert.equal(getToolUiResourceUri({ _meta: { "ui/resourceUri": "ui://b" } }), "ui://b");
  assert.equal(getToolUiResourceUri({}), undefined);
  assert.throws(() => getToolUiResourceUri({ _meta: { ui: { resourceUri: "http://a" } } }),
    /Invalid UI resource URI: "http:\/\/a"/);
  const seen = TOOLS.map((one) => [isToolVisibilityModelOnly, isToolVisibilityAppOnly,
    isToolVisibleToApp].map((is) => Number(is(one))).join(""));
  assert.deepEqual(seen, ["001", "011", "100", "000", "000", "001", "000", "011", "100"]);
});

done();
