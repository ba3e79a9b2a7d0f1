// SPDX-License-Identifier: Apache-2.0
//
// The official App of ext-apps (2.0.4 and 1.7.5), and ours, in our host: the handshake, input
// and result, the tools of a view, errors; and that the official one needs what our host does
// for it.
import assert from "node:assert/strict";

import * as now from "@modelcontextprotocol/ext-apps";
import * as before from "ext-apps-v1";
import { z } from "zod";

import * as ours from "../../web/view/index.js";
import { AppBridge, limits, SdkError } from "../../web/host/app_bridge.js";
import { done, pause, test, until } from "../peers/tap.mjs";
import { pair } from "./host-pair.mjs";

const info = { name: "h", version: "1" };
const appInfo = { name: "v", version: "1" };
const text = (words) => ({ content: [{ type: "text", text: words }] });

for (const [release, { App }] of [["2.0.4", now], ["1.7.5", before], ["ours", ours]]) {
  function ends({ capabilities = {}, host = {}, context, log = [] } = {}) {
    const [near, far] = pair(log);
    const bridge = new AppBridge(null, info, host, { hostContext: context });
    const view = new App(appInfo, capabilities, { autoResize: false });
    const errors = [];
    bridge.onerror = (error) => errors.push(error);
    return { bridge, view, near, far, log, errors };
  }

  async function both(options) {
    const all = ends(options);
    await options?.before?.(all);
    await all.bridge.connect(all.near);
    await all.view.connect(all.far);
    await until(() => all.bridge.state === "LIVE");
    return all;
  }

  await test(`${release}: it connects, with an empty context`, async () => {
    const { bridge, view, log } = await both();
    assert.deepEqual(view.getHostVersion(), info);
    assert.deepEqual(bridge.getAppVersion(), appInfo);
    assert.deepEqual(log[1][1].result.hostContext, {});
    assert.deepEqual(view.getHostContext(), {});
  });

  await test(`${release}: it never gets a 77th variable, that would end it`, async () => {
    const variables = { "--color-text-primary": "red", "--mine": "1" };
    const context = { theme: "dark", styles: { variables } };
    const { bridge, view } = await both({ context });
    const known = view.getHostContext().styles.variables;
    assert.equal(JSON.stringify(known), '{"--color-text-primary":"red"}');
    bridge.setHostContext({ theme: "light", styles: { variables: { "--other": "2" } } });
    await until(() => view.getHostContext().theme === "light");
    assert.deepEqual(view.getHostContext()["mica/variables"], { "--other": "2" });
    bridge.setHostContext({ theme: "light" });
    await until(() => view.getHostContext().styles === undefined);

    // Why: the same context unfiltered ends the official handshake.
    if (release === "ours") return;
    const { view: raw, far, near } = ends();
    near.onmessage = ({ id }) => near.send({ jsonrpc: "2.0", id, result: {
      protocolVersion: "2026-01-26", hostInfo: info, hostCapabilities: {},
      hostContext: context } });
    await near.start();
    await assert.rejects(raw.connect(far));
  });

  await test(`${release}: a result that is ready early arrives after the input`, async () => {
    const seen = [];
    await both({ before: async ({ bridge, view }) => {
      view.ontoolinputpartial = (params) => seen.push(["partial", params]);
      view.ontoolinput = (params) => seen.push(["input", params]);
      view.ontoolresult = (params) => seen.push(["result", params]);
      await bridge.sendToolResult(text("r"));
      await bridge.sendToolInputPartial({ arguments: { a: 1 } });
      await bridge.sendToolInput({ arguments: { a: 12 } });
    } });
    await until(() => seen.length === 3);
    assert.deepEqual(seen, [["partial", { arguments: { a: 1 } }],
      ["input", { arguments: { a: 12 } }], ["result", text("r")]]);
  });

  await test(`${release}: a second App in a frame gets input and result again`, async () => {
    const { bridge, view, near } = await both();
    await bridge.sendToolInput({ arguments: { a: 1 } });
    await bridge.sendToolResult(text("r"));
    await pause();
    // The frame is loaded again: its window stays the other end.
    const far = { start: async () => {}, close: async () => {},
      send: async (message) => setImmediate(() => near.onmessage(structuredClone(message))) };
    near.send = async (message) => setImmediate(() => far.onmessage?.(structuredClone(message)));
    const again = new App({ name: "again", version: "2" }, {}, { autoResize: false });
    const seen = [];
    again.ontoolinput = (params) => seen.push(params.arguments);
    again.ontoolresult = (params) => seen.push(params.content[0].text);
    await again.connect(far);
    await until(() => seen.length === 2);
    assert.deepEqual(seen, [{ a: 1 }, "r"]);
    assert.equal(bridge.getAppVersion().name, "again");
    await view.close();
  });

  await test(`${release}: its tools are listed, called and changed`, async () => {
    let tool;
    const { bridge, view } = await both({ before: ({ view: app }) => {
      tool = app.registerTool("add", { description: "Adds\u202e", title: "Add",
        inputSchema: z.object({ a: z.number().describe("one\u200b") }) },
      async ({ a }) => ({ content: [], structuredContent: { sum: a + 1 } }));
    } });
    let changes = 0;
    bridge.ontoolschanged = () => changes++;
    const { tools } = await bridge.listTools({});
    assert.deepEqual(tools.map(({ name, title, description }) => [name, title, description]),
      [["add", "Add", "Adds"]]);
    assert.equal(tools[0].inputSchema.properties.a.description, "one");
    assert.deepEqual((await bridge.callTool({ name: "add", arguments: { a: 1 } }))
      .structuredContent, { sum: 2 });
    await assert.rejects(bridge.callTool({ name: "add", arguments: { a: "x" } }),
      (error) => error.code === -32603 && /Invalid input for tool add/.test(error.message));
    await assert.rejects(bridge.callTool({ name: "__proto__" }), (error) => error.code === -32603);
    for (let i = 0; i < 10; i++) tool.update({ title: `Add ${i}` });
    await until(() => changes === 1);
    tool.disable();
    await until(() => changes === 2);
    assert.deepEqual((await bridge.listTools({})).tools, []);
    await assert.rejects(bridge.callTool({ name: "add" }), /disabled/);
    await view.close();
  });

  await test(`${release}: a call can be cancelled, and ends at its time limit`, async () => {
    const signals = [];
    const { bridge } = await both({ before: ({ view }) => view.registerTool("slow", {},
      (extra) => new Promise(() => signals.push((extra.mcpReq ?? extra).signal))) });
    await bridge.listTools(); // release 2.0.0 of the official client cannot cancel request 0
    const stop = new AbortController();
    const call = assert.rejects(bridge.callTool({ name: "slow" }, { signal: stop.signal }), /stop/);
    await until(() => signals.length === 1);
    stop.abort("stop");
    await call;
    await until(() => signals[0].aborted);
    await assert.rejects(bridge.callTool({ name: "slow" }, { timeout: 20 }),
      (error) => error instanceof SdkError && error.code === "REQUEST_TIMEOUT");
    assert.equal(limits.callMs, 30_000);
  });

  await test(`${release}: what it sends, and the errors that it gets`, async () => {
    const { bridge, view } = await both({ host: { openLinks: {}, message: {}, logging: {},
      downloadFile: {}, updateModelContext: { text: {} }, sampling: {} } });
    const context = { content: [{ type: "text", text: "m" }], structuredContent: { a: 1 } };
    await view.updateModelContext(context);
    assert.deepEqual(bridge.modelContext, context);
    await view.updateModelContext({});
    assert.deepEqual(bridge.modelContext, {});
    bridge.onopenlink = async () => ({ isError: true });
    assert.equal((await view.openLink({ url: "https://a.example" })).isError, true);
    await assert.rejects(view.openLink({ url: "javascript:1" }), (error) =>
      error.code === -32000 && /refused/.test(error.message));
    await assert.rejects(view.sendMessage({ role: "user", content: [] }), (error) =>
      error.code === -32601);
    bridge.onmessage = async () => { throw new Error("no room"); };
    await assert.rejects(view.sendMessage({ role: "user", content: [] }), (error) =>
      error.code === -32603 && /no room/.test(error.message));
    bridge.ondownloadfile = async () => ({});
    assert.ok(await view.downloadFile({ contents: [{ type: "resource",
      resource: { uri: "file:///a.txt", text: "x" } }] }));
    const logged = [], sizes = [];
    bridge.onloggingmessage = (params) => logged.push(params);
    bridge.onsizechange = (params) => sizes.push(params);
    await view.sendLog({ level: "info", data: "x" });
    await view.sendSizeChanged({ width: 1, height: 2.5 });
    await until(() => logged.length && sizes.length);
    assert.deepEqual(sizes, [{ width: 1, height: 2.5 }]);
    assert.deepEqual(await view.requestDisplayMode({ mode: "fullscreen" }), { mode: "inline" });
    let asked = 0;
    bridge.onrequestteardown = () => asked++;
    await view.requestTeardown();
    await until(() => asked);
  });

  await test(`${release}: teardown: with a handler, and without one`, async () => {
    const { bridge, view } = await both();
    view.onteardown = async () => ({ saved: 1 });
    assert.deepEqual(await bridge.teardownResource({}), { saved: 1 });
    const { bridge: plain } = await both();
    assert.deepEqual(await plain.teardownResource({}), {});
  });
}

done();
