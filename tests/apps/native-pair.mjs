// SPDX-License-Identifier: Apache-2.0
//
// The host of mica/host.h beside real views: our App and the official ones (2.0.4, 1.7.5),
// over stdin and stdout of a program; and examples/host.c, as it is documented.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import * as now from "@modelcontextprotocol/ext-apps";
import * as before from "ext-apps-v1";
import { z } from "zod";

import * as ours from "../../web/view/index.js";
import { done, options, pause, test, until } from "../peers/tap.mjs";
import { native } from "./native.mjs";
import { pair, thrown, warned } from "./pair.mjs";

const { native: program, example } = options({ native: undefined, example: undefined });
const NativeBridge = native(program);
const info = { name: "host", version: "1" };
const appInfo = { name: "v", version: "1" };
const text = (words) => ({ content: [{ type: "text", text: words }] });
const APPS = [["2.0.4", now], ["1.7.5", before], ["ours", ours]];
console.debug = () => {};

for (const [release, { App }] of APPS) {
  async function both({ capabilities = {}, host = {}, context, prepare } = {}) {
    const wire = pair();
    const bridge = new NativeBridge(null, info, host, { hostContext: context });
    const view = new App(appInfo, capabilities, { autoResize: false });
    const errors = [];
    bridge.onerror = (error) => errors.push(error);
    await prepare?.({ bridge, view });
    await bridge.connect(wire.host);
    await view.connect(wire.view);
    await until(() => bridge.state === "LIVE", "LIVE");
    return { bridge, view, errors };
  }

  await test(`${release}: handshake and context, without a 77th variable`, async () => {
    const variables = { "--color-text-primary": "red", "--mine": "1" };
    const { bridge, view } = await both({ context: { theme: "dark", styles: { variables } } });
    assert.deepEqual(view.getHostVersion(), info);
    assert.deepEqual(bridge.getAppVersion(), appInfo);
    assert.equal(JSON.stringify(view.getHostContext().styles.variables),
      '{"--color-text-primary":"red"}');
    await bridge.setHostContext({ theme: "light" });
    await until(() => view.getHostContext().theme === "light");
    assert.deepEqual(view.getHostContext()["mica/variables"], { "--mine": "1" });
    await bridge.close();
  });

  await test(`${release}: what is early arrives in its order`, async () => {
    const seen = [];
    const { bridge } = await both({ prepare: async ({ bridge, view }) => {
      for (const event of ["toolinputpartial", "toolinput", "toolresult"])
        view[`on${event}`] = (params) => seen.push([event, params]);
      await bridge.sendToolResult(text("r"));
      await bridge.sendToolInputPartial({ arguments: { a: 1 } });
      await bridge.sendToolInput({ arguments: { a: 12 } });
    } });
    await until(() => seen.length === 3);
    assert.deepEqual(seen.map(([event]) => event), ["toolinputpartial", "toolinput", "toolresult"]);
    assert.deepEqual(seen[1][1], { arguments: { a: 12 } });
    await bridge.close();
  });

  await test(`${release}: the tools of a view are listed, called, and change`, async () => {
    const { bridge, view } = await both({ capabilities: { tools: { listChanged: true } },
      prepare: ({ view }) => view.registerTool("sum", { description: "Adds",
        inputSchema: z.object({ a: z.number(), b: z.number() }) },
      async ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } })) });
    assert.deepEqual((await bridge.listTools()).tools.map(({ name }) => name), ["sum"]);
    assert.deepEqual((await bridge.callTool({ name: "sum", arguments: { a: 1, b: 2 } }))
      .structuredContent, { sum: 3 });
    const wrong = await thrown(bridge.callTool({ name: "sum", arguments: { a: "1" } }));
    assert.equal(wrong.code, -32603);
    assert.match(wrong.message, /^Invalid input for tool sum: a: /);
    let changes = 0;
    bridge.ontoolschanged = () => changes++;
    for (let i = 0; i < 3; i++) view.registerTool(`more${i}`, {}, async () => text("x"));
    await until(() => changes);
    assert.equal((await bridge.listTools()).tools.length, 4);
    assert.equal(changes, 1);
    await bridge.close();
  });

  await test(`${release}: calls of the server, with progress, abort and visibility`, async () => {
    const { bridge, view } = await both({ host: { serverTools: {} } });
    await bridge.setServerTools([{ name: "t" },
      { name: "hidden", _meta: { ui: { visibility: ["model"] } } }]);
    let signal;
    bridge.oncalltool = async ({ arguments: given }, { mcpReq }) => {
      signal = mcpReq.signal;
      if (given?.never) return new Promise(() => {});
      await mcpReq.notify({ method: "notifications/progress", params: { progress: 1 } });
      return text(JSON.stringify(given));
    };
    const got = [];
    assert.deepEqual((await view.callServerTool({ name: "t", arguments: { a: 1 } },
      { onprogress: ({ progress }) => got.push(progress) })).content[0].text, '{"a":1}');
    assert.deepEqual(got, [1]);
    for (const [name, word] of [["hidden", "TOOL_NOT_VISIBLE"], ["none", "UNKNOWN_TOOL"]]) {
      const error = await thrown(view.callServerTool({ name }));
      assert.deepEqual([error.code, error.data?.code], [-32602, word]);
    }
    const stop = new AbortController();
    const call = thrown(view.callServerTool({ name: "t", arguments: { never: true } },
      { signal: stop.signal }));
    await until(() => signal && !signal.aborted);
    await pause();
    stop.abort("enough");
    await call;
    await until(() => signal.aborted);
    await bridge.close();
  });

  await test(`${release}: links, messages and errors`, async () => {
    const { bridge, view } = await both({ host: { openLinks: {}, message: {}, logging: {},
      updateModelContext: { text: {} } } });
    bridge.onopenlink = async () => ({ isError: true });
    assert.equal((await view.openLink({ url: "https://a.example" })).isError, true);
    const refused = await thrown(view.openLink({ url: "javascript:1" }));
    assert.equal(refused.code, -32000);
    assert.match(refused.message, /refused/);
    assert.equal((await thrown(view.sendMessage({ role: "user", content: [] }))).code, -32601);
    bridge.onmessage = async () => { throw new Error("no room"); };
    const thrown_ = await thrown(view.sendMessage({ role: "user", content: [] }));
    assert.equal(thrown_.code, -32603);
    assert.match(thrown_.message, /no room/);
    bridge.onupdatemodelcontext = async () => ({});
    await view.updateModelContext({ content: [{ type: "text", text: "m" }] });
    await until(() => bridge.modelContext);
    assert.deepEqual(bridge.modelContext, { content: [{ type: "text", text: "m" }] });
    const logged = [];
    bridge.onloggingmessage = (params) => logged.push(params);
    await view.sendLog({ level: "info", data: "x" });
    await until(() => logged.length);
    assert.deepEqual(logged, [{ level: "info", data: "x" }]);
    await bridge.close();
  });

  await test(`${release}: teardown with a handler, without one, and without an answer`, async () => {
    const one = await both();
    one.view.onteardown = async () => ({ saved: 1 });
    assert.deepEqual(await one.bridge.teardownResource({}), { saved: 1 });
    await one.bridge.close();
    const two = await both();
    assert.deepEqual(await two.bridge.teardownResource({}), {});
    await two.bridge.close();
    // Each ends in its own time. The long one begins first, so that it would be the first to
    // end if both had the same; how late the short one is depends on what the machine does.
    const [long, short] = [await both(), await both()];
    for (const { view } of [long, short]) view.onteardown = () => new Promise(() => {});
    const ends = [[long, 30_000], [short, 100]].map(async ([{ bridge }, timeout]) =>
      [timeout, await bridge.teardownResource({}, { timeout })]);
    assert.deepEqual(await Promise.race(ends), [100, {}]);
    await Promise.all([long, short].map(({ bridge }) => bridge.close()));
    await Promise.allSettled(ends); // the end of its view fails the long one
  });
}

// ---- The example -----------------------------------------------------------------------

// The window of the program: a transport over its stdin and stdout.
function window_(args = []) {
  const child = spawn(example, args, { stdio: ["pipe", "pipe", "pipe"] });
  const said = [];
  createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
  // "exit" may come before all that it said is read.
  const ended = new Promise((resolve) => child.on("close", (code, signal) =>
    resolve(signal ?? code)));
  process.on("exit", () => child.kill("SIGKILL"));
  const transport = {
    async start() {
      createInterface({ input: child.stdout }).on("line",
        (line) => transport.onmessage?.(JSON.parse(line)));
    },
    async send(message) { child.stdin.write(`${JSON.stringify(message)}\n`); },
    async close() { child.stdin.end(); },
  };
  return { transport, said, ended, child };
}

for (const [release, { App }] of APPS)
  await test(`examples/host.c shows the view of ${release}`, async () => {
    const { transport, said, ended } = window_(['{"celsius": 100}']);
    const view = new App(appInfo, {}, { autoResize: false });
    const seen = [];
    view.ontoolinput = (params) => seen.push(params.arguments);
    view.ontoolresult = (params) => seen.push(params.structuredContent);
    await view.connect(transport);
    await until(() => seen.length === 2);
    assert.deepEqual(seen, [{ celsius: 100 }, { fahrenheit: 212 }]);
    assert.deepEqual(view.getHostContext(), { platform: "desktop" });
    assert.deepEqual((await view.callServerTool({ name: "convert",
      arguments: { celsius: -40 } })).structuredContent, { fahrenheit: -40 });
    const unknown = await thrown(view.callServerTool({ name: "none" }));
    assert.equal(unknown.data.code, "UNKNOWN_TOOL");
    assert.equal((await view.openLink({ url: "https://a.example/" })).isError, true);
    await view.sendLog({ level: "info", data: { a: 1 } });
    view.onteardown = async () => ({});
    await view.requestTeardown();
    assert.equal(await ended, 0);
    assert.deepEqual(said, ["host: the view asks for https://a.example/",
      'host: view: info: {"a":1}']);
  });

await test("examples/host.c ends with its window, and says what is wrong", async () => {
  const one = window_();
  one.child.stdin.end();
  assert.equal(await one.ended, 0);
  const two = window_(["[1]"]);
  assert.equal(await two.ended, 1);
  assert.equal(two.said.length, 1);
  const three = window_();
  three.child.stdin.write("no message\n");
  await until(() => three.said.length);
  assert.match(three.said[0], /^host: the view: MESSAGE_NOT_JSON: /);
  three.child.stdin.end();
  assert.equal(await three.ended, 0);
});

done();
