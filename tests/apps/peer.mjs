// SPDX-License-Identifier: Apache-2.0
//
// The peer under views and hosts: limits, transports that fail, results that cannot be sent,
// and views beside the bridge of the official 1.7.
import { AppBridge as OldBridge } from "ext-apps-v1/app-bridge";

import { asJson } from "../../web/view/peer.js";
import { done, need, same, test } from "../peers/tap.mjs";
import { HOST, ours, pair, thrown, tick, VIEW } from "./pair.mjs";

const { Peer, SdkError } = ours;

/** Two peers on one wire. */
async function two(Left = Peer) {
  const wire = pair();
  const left = new Left();
  const right = new Peer();
  await left.connect(wire.view);
  await right.connect(wire.host);
  return { left, right, ...wire };
}

await test("a peer has one connection at a time", async () => {
  const { left, view } = await two();
  same((await thrown(left.connect(pair().view))).code, "ALREADY_CONNECTED", "twice");
  await left.close();
  await left.close();
  view.onclose();
  same((await thrown(left.notification({ method: "x" }))).code, "NOT_CONNECTED", "closed");
  same((await thrown(left.request({ method: "x" }))).code, "NOT_CONNECTED", "a request");
});
await test("a transport that fails", async () => {
  const { left, view } = await two();
  const errors = [];
  left.onerror = (error) => errors.push(error.message);
  view.onerror(new Error("of the transport"));
  view.send = () => { throw new Error("at once"); };
  same((await thrown(left.request({ method: "x" }))).code, "SEND_FAILED", "at once");
  view.send = async () => { throw new Error("later"); };
  same((await thrown(left.request({ method: "x" }))).message, "later", "later");
  view.send = async () => {};
  const call = left.request({ method: "x" }, { timeout: 10 });
  view.send = () => { throw new Error("gone"); };
  same((await thrown(call)).code, "REQUEST_TIMEOUT", "a time-out");
  await tick();
  same(errors, ["of the transport", "The message could not be sent: gone"], "errors");
});
await test("at most 256 requests each way, each under an id of its own", async () => {
  const { left, right, host, log } = await two();
  const open = [];
  right.setRequestHandler("wait", () => new Promise((done) => open.push(done)));
  const sent = Promise.allSettled(Array.from({ length: ours.limits.open }, () =>
    left.request({ method: "wait" })));
  same((await thrown(left.request({ method: "wait" }))).code, "TOO_MANY_REQUESTS", "one more");
  await tick();
  await host.other.send({ jsonrpc: "2.0", id: 3, method: "wait" });
  await host.other.send({ jsonrpc: "2.0", id: "more", method: "wait" });
  await tick();
  same(log.slice(-2).map(({ id, error }) => [id, error.code, error.data.code]),
    [[3, -32600, "ID_IN_USE"], ["more", -32600, "TOO_MANY_REQUESTS"]], "the other end");
  open.forEach((done) => done({}));
  const replies = (await sent).map(({ status }) => status);
  same(replies.filter((status) => status === "rejected").length, 1, "the id that came twice");
  await left.close();
});
await test("a signal that has ended, and options after a schema", async () => {
  const { left, right } = await two();
  right.setRequestHandler("echo", ({ params }) => params);
  same((await thrown(left.request({ method: "echo" },
    { signal: AbortSignal.abort(new Error("before")) }))).message, "Error: before", "before");
  same(await left.request({ method: "echo", params: { a: 1 } }, { parse() {} }, undefined),
    { a: 1 }, "a schema");
  const controller = new AbortController();
  await left.request({ method: "echo" }, { signal: controller.signal });
  controller.abort();
});
await test("no longer than maxTotalTimeout, progress or not", async () => {
  const { left, right } = await two();
  right.setRequestHandler("slow", async (_, { mcpReq, sendRequest, _meta }) => {
    for (let i = 0; i < 20; i++) {
      await tick(10);
      await mcpReq.notify({ method: "notifications/progress",
        params: { progressToken: _meta.progressToken, progress: i } });
    }
    return sendRequest({ method: "ping" });
  });
  const error = await thrown(left.request({ method: "slow" }, { timeout: 50, maxTotalTimeout: 100,
    resetTimeoutOnProgress: true, onprogress() {} }));
  same([error.code, error.data.timeout], ["REQUEST_TIMEOUT", 50], "the error");
  same(await left.request({ method: "slow" }, { onprogress() {} }), {}, "in time");
});
await test("a result that cannot be cloned is an error reply", async () => {
  const { left, right } = await two();
  const errors = [];
  right.onerror = (error) => errors.push(error.code);
  right.setRequestHandler("function", () => ({ f() {} }));
  right.transport.send = ((send) => function (message) {
    structuredClone(message);
    return send.call(this, message);
  })(right.transport.send);
  const error = await thrown(left.request({ method: "function" }));
  same([error.code, errors], [-32603, ["SEND_FAILED"]], "the reply");
  right.transport.send = () => { throw new Error("never"); };
  left.request({ method: "function" }).catch(() => {});
  await tick();
  same(errors.length, 3, "and no endless try");
});
await test("what has no handler goes to the fallback", async () => {
  const { left, right } = await two();
  const got = [];
  right.fallbackRequestHandler = async ({ method }) => ({ method });
  right.fallbackNotificationHandler = ({ method }) => got.push(method);
  same(await left.request({ method: "any" }), { method: "any" }, "a request");
  await left.notification({ method: "some" });
  await tick();
  same(got, ["some"], "a notification");
  right.setRequestHandler("any", () => ({}));
  need(right.hasRequestHandler("any"), "no handler");
  right.setNotificationHandler("some", () => { throw new Error("x"); });
  right.removeNotificationHandler("some");
  right.removeRequestHandler("any");
  await left.notification({ method: "notifications/progress" });
  await left.notification({ method: "notifications/cancelled" });
  await tick();
  same(await left.request({ method: "any" }), { method: "any" }, "removed");
});
await test("a reply that a peer refuses ends its request", async () => {
  class Strict extends Peer {
    clean(message) {
      return asJson(message, 100);
    }
  }
  const { left, right } = await two(Strict);
  right.setRequestHandler("big", () => ({ text: "x".repeat(200) }));
  same((await thrown(left.request({ method: "big" }))).code, "MESSAGE_TOO_LARGE", "the request");
});
await test("what JSON has no word for", async () => {
  const cycle = {};
  cycle.cycle = cycle;
  for (const [value, code] of [[cycle, "MESSAGE_TOO_DEEP"], [{ n: 1n }, "MESSAGE_NOT_JSON"],
    ["x".repeat(ours.limits.size), "MESSAGE_TOO_LARGE"],
    // JSON would have a name for each byte.
    [{ bytes: new Uint8Array(ours.limits.size / 8) }, "MESSAGE_TOO_LARGE"],
    [[new String("x".repeat(ours.limits.size))], "MESSAGE_TOO_LARGE"]]) {
    const error = await thrown((async () => asJson(value))());
    same([error.code, error instanceof SdkError], [code, true], "the error");
  }
  const value = { a: [1, "x", null, true, undefined] };
  need(asJson(value) === value, "a copy");
  same(asJson({ a: NaN, b: new Date(0) }), { a: null, b: "1970-01-01T00:00:00.000Z" }, "changed");
});
await test("a view beside the bridge of 1.7", async () => {
  const wire = pair();
  const app = new ours.App(VIEW, {}, { autoResize: false });
  const bridge = new OldBridge(null, HOST, { serverTools: {}, message: {} },
    { hostContext: { theme: "dark" } });
  const got = [];
  app.ontoolinput = (params) => got.push(params);
  app.ontoolresult = (params) => got.push(params);
  bridge.oncalltool = async ({ name }) => ({ content: [{ type: "text", text: name }] });
  bridge.onmessage = async () => ({});
  await bridge.connect(wire.host);
  await app.connect(wire.view);
  same(app.getHostContext(), { theme: "dark" }, "context");
  app.registerTool("t", { inputSchema: { type: "object", required: ["a"] } },
    async (args) => ({ content: [], structuredContent: args }));
  same((await bridge.listTools({})).tools[0].name, "t", "the list");
  same((await bridge.callTool({ name: "t", arguments: { a: 1 } })).structuredContent, { a: 1 },
    "a call");
  same((await app.callServerTool({ name: "s" })).content[0].text, "s", "the other way");
  await app.sendMessage({ role: "user", content: [] });
  await bridge.sendToolInput({ arguments: { a: 1 } });
  await bridge.sendToolResult({ content: [] });
  await tick();
  same(got, [{ arguments: { a: 1 } }, { content: [] }], "events");
  same(await bridge.teardownResource({}), {}, "teardown");
  await app.close();
});

done();
