// SPDX-License-Identifier: Apache-2.0
//
// Forms that views answer (SEP-3118), message by message: our view and our host, each with
// the other, with the official one, and with the host in C; and answers that are none.
import assert from "node:assert/strict";

import { App as OfficialApp } from "@modelcontextprotocol/ext-apps";

import { AppBridge, getElicitationUiResourceUri, requestElicitation, supportsAppElicitation }
  from "../../web/host/app_bridge.js";
import { App } from "../../web/view/app.js";
import { onElicitation } from "../../web/view/elicitation.js";
import { done, options, pause, test, until } from "../peers/tap.mjs";
import { pair } from "./host-pair.mjs";
import { native } from "./native.mjs";
import { AppBridge as OfficialBridge } from "./pair.mjs";

const { native: program } = options({ native: undefined });
const HOST = { name: "h", version: "1" }, VIEW = { name: "v", version: "1" };
const PARAMS = {
  mode: "form", message: "Choose.",
  requestedSchema: { type: "object", required: ["n"], properties: {
    n: { type: "integer", minimum: 1, maximum: 9 },
    kind: { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
    tags: { type: "array", items: { type: "string", enum: ["x", "y"] }, maxItems: 2 } } },
  _meta: { ui: { resourceUri: "ui://s/pick" } },
};
const ACCEPT = { action: "accept", content: { n: 3, kind: "b", tags: ["x"] } };

/** A bridge and a view that is connected to it; `handler` answers forms, if there is one. */
async function connected(handler, { Bridge = AppBridge, View = App, capabilities } = {}) {
  const [host, view] = pair();
  const bridge = new Bridge(null, HOST, { elicitation: {} }, { hostContext: {} });
  const app = new View(VIEW, capabilities ?? {}, { autoResize: false });
  const errors = [];
  bridge.onerror = (error) => errors.push(error.code);
  if (handler) onElicitation(app, handler);
  await bridge.connect(host);
  await app.connect(view);
  return { bridge, app, errors, codes: () => errors };
}

// ---- Both ends ------------------------------------------------------------------------

await test("the view gets the params as they are, and its answer comes back", async () => {
  let given, extra;
  const { bridge, app } = await connected((...all) => {
    [given, extra] = all;
    return ACCEPT;
  });
  assert.deepEqual(app.getHostCapabilities().elicitation, {});
  assert.deepEqual(bridge.getAppCapabilities().elicitation, {});
  assert.deepEqual(await requestElicitation(bridge, PARAMS), ACCEPT);
  assert.deepEqual(given, PARAMS);
  assert.ok(extra.signal instanceof AbortSignal);
});

for (const action of ["decline", "cancel"])
  await test(`${action} is an answer, without content`, async () => {
    const { bridge } = await connected(() => ({ action, content: { n: 1 }, more: 1 }));
    assert.deepEqual(await requestElicitation(bridge, PARAMS), { action });
  });

await test("a question waits until the view is initialized", async () => {
  const [host, view] = pair();
  const bridge = new AppBridge(null, HOST, { elicitation: {} });
  const app = new App(VIEW, {}, { autoResize: false });
  onElicitation(app, () => ACCEPT);
  await bridge.connect(host);
  const answer = requestElicitation(bridge, PARAMS);
  await app.connect(view);
  assert.deepEqual(await answer, ACCEPT);
});

await test("a view without a handler is not asked", async () => {
  const { bridge } = await connected();
  assert.equal(bridge.getAppCapabilities().elicitation, undefined);
  await assert.rejects(requestElicitation(bridge, PARAMS), ({ code, message }) => {
    assert.equal(code, "CAPABILITY_NOT_SUPPORTED");
    assert.match(message, /appCapabilities\.elicitation/);
    return true;
  });
});

await test("a handler that is wrong or fails is an error of the view", async () => {
  for (const [handler, says] of [[() => undefined, /no \{action\}/], [() => ({ action: "no" }),
    /no \{action\}/], [() => ({ action: "accept" }), /without \{content\}/],
  [() => { throw new Error("broken"); }, /broken/]]) {
    const { bridge } = await connected(handler);
    await assert.rejects(requestElicitation(bridge, PARAMS), ({ code, message }) => {
      assert.equal(code, -32603);
      assert.match(message, says);
      return true;
    });
  }
});

await test("a signal withdraws the question, and so does a time limit", async () => {
  let signal;
  const { bridge } = await connected((_, extra) => {
    ({ signal } = extra);
    return new Promise(() => {});
  });
  const stop = new AbortController();
  const asked = requestElicitation(bridge, PARAMS, { signal: stop.signal });
  await until(() => signal);
  stop.abort(new Error("gone"));
  await assert.rejects(asked, /gone/);
  await until(() => signal.aborted, "the signal of the view");
  signal = undefined;
  await assert.rejects(requestElicitation(bridge, PARAMS, { timeout: 50 }),
    ({ code }) => code === "REQUEST_TIMEOUT");
  // The time may be over before the view has the question.
  await until(() => signal?.aborted, "the signal of the view");
});

await test("the end of a view ends its question", async () => {
  const { bridge, app } = await connected(() => new Promise(() => {}));
  const asked = requestElicitation(bridge, PARAMS);
  await pause(10);
  await app.close();
  await bridge.close();
  await assert.rejects(asked, ({ code }) => code === "CONNECTION_CLOSED");
  await assert.rejects(requestElicitation(bridge, PARAMS),
    ({ code }) => code === "CONNECTION_CLOSED");
});

// ---- Answers that are none --------------------------------------------------------------

const accept = (content) => ({ action: "accept", content });
const proto = JSON.parse('{"n":3,"__proto__":{"admin":true}}');
for (const [what, answer, says] of [
  ["a missing field", accept({}), /n: /],
  ["a number out of range", accept({ n: 10 }), /n: /],
  ["a fraction", accept({ n: 1.5 }), /n: /],
  ["another choice", accept({ n: 1, kind: "c" }), /kind: /],
  ["too long a list", accept({ n: 1, tags: ["x", "y", "x"] }), /tags: /],
  ["an object in a field", accept({ n: { $ref: "#" } }), /n: /],
  ["another member", accept({ n: 1, more: 1 }), /more: unrecognized key/],
  ["__proto__", accept(proto), /__proto__: unrecognized key/],
  ["no content", { action: "accept" }, /without content/],
  ["content that is null", accept(null), /without content/],
  ["no action", { content: { n: 1 } }, /its action/],
  ["an action of a prototype", { action: "constructor" }, /its action/],
  ["70,000 characters", accept({ n: 1, kind: "a".repeat(70_000) }), /larger than 65536/],
])
  await test(`an answer with ${what} is refused`, async () => {
    const { bridge, app } = await connected();
    // Past the check of our own view.
    app.setRequestHandler("elicitation/create", () => answer);
    const initialized = bridge.getAppCapabilities();
    initialized.elicitation = {};
    await assert.rejects(requestElicitation(bridge, PARAMS), ({ code, message }) => {
      assert.equal(code, "INVALID_ANSWER");
      assert.match(message, says);
      return true;
    });
  });

await test("a form that cannot be judged is no question for a view", async () => {
  let asked = 0;
  const { bridge } = await connected(() => {
    asked++;
    return ACCEPT;
  });
  for (const [params, code] of [
    [{ ...PARAMS, mode: "url" }, "NO_FORM"],
    [{ message: "x" }, "NO_FORM"],
    [{ ...PARAMS, requestedSchema: { type: "object", properties: { n: { if: {} } } } },
      "SCHEMA_REFUSED"],
    [{ ...PARAMS, requestedSchema: { type: "object", properties: { n: 7 } } }, "SCHEMA_REFUSED"],
  ])
    await assert.rejects(requestElicitation(bridge, params), (error) => error.code === code);
  assert.equal(asked, 0);
});

await test("only the first answer counts, and answers to nothing are told", async () => {
  const [host, end] = pair();
  const bridge = new AppBridge(null, HOST, { elicitation: {} });
  const errors = [];
  bridge.onerror = ({ code }) => errors.push(code);
  end.onmessage = async ({ method, id }) => {
    if (method !== "elicitation/create") return;
    const answer = (id, n) => end.send({ jsonrpc: "2.0", id, result: accept({ n }) });
    await answer(id + 7, 1);
    await answer(id, 4);
    await answer(id, 5);
  };
  await end.start();
  await bridge.connect(host);
  await end.send({ jsonrpc: "2.0", id: 0, method: "ui/initialize", params: { appInfo: VIEW,
    appCapabilities: { elicitation: {} }, protocolVersion: "2026-01-26" } });
  await end.send({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  assert.deepEqual(await requestElicitation(bridge, PARAMS), accept({ n: 4 }));
  await until(() => errors.length === 2);
  assert.deepEqual(errors, ["UNKNOWN_REPLY", "UNKNOWN_REPLY"]);
});

// ---- What names a view ------------------------------------------------------------------

await test("a question names a view by an address of one", () => {
  const uri = (resourceUri, more) => getElicitationUiResourceUri({ ...more,
    _meta: { ui: { resourceUri } } });
  assert.equal(uri("ui://s/pick"), "ui://s/pick");
  assert.equal(uri("ui://s"), "ui://s");
  assert.equal(uri("ui://s/pick", { mode: "url" }), undefined);
  assert.equal(getElicitationUiResourceUri({}), undefined);
  assert.equal(getElicitationUiResourceUri(undefined), undefined);
  assert.equal(getElicitationUiResourceUri({ _meta: { ui: 7 } }), undefined);
  for (const wrong of ["https://s/pick", "ui:pick", "ui://", "ui:///pick", "", 7, null, {}])
    assert.throws(() => uri(wrong), ({ code }) => code === "INVALID_VIEW", String(wrong));
});

await test("both ends have to say that views answer forms", () => {
  const ui = (settings) => ({ extensions: { "io.modelcontextprotocol/ui": settings } });
  const mimeTypes = ["text/html;profile=mcp-app"];
  const client = { elicitation: { form: {} }, ...ui({ mimeTypes, elicitation: {} }) };
  const server = ui({ elicitation: {} });
  assert.equal(supportsAppElicitation(client, server), true);
  for (const [one, other] of [[client, {}], [client, ui({})], [client, undefined],
    [undefined, server], [{ ...client, elicitation: {} }, server],
    [{ ...client, ...ui({ mimeTypes }) }, server],
    [{ ...client, ...ui({ mimeTypes: ["text/html"], elicitation: {} }) }, server]])
    assert.equal(supportsAppElicitation(one, other), false);
});

// ---- With others ------------------------------------------------------------------------

await test("our view in the official host, which sends the request by hand", async () => {
  const { bridge } = await connected(() => ACCEPT, { Bridge: OfficialBridge });
  const answer = await bridge.request({ method: "elicitation/create", params: PARAMS },
    { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } });
  assert.deepEqual(answer, ACCEPT);
});

await test("the official view in our host, which has no name for it yet", async () => {
  const { bridge } = await connected((params) => ({ action: "accept",
    content: { n: params.message.length } }), { View: OfficialApp,
    capabilities: { elicitation: {} } });
  assert.deepEqual(await requestElicitation(bridge, PARAMS), accept({ n: 7 }));
});

if (program) {
  const Native = native(program);
  await test("our view in the host in C", async () => {
    const { bridge } = await connected(() => ACCEPT, { Bridge: Native });
    assert.deepEqual(await bridge.requestElicitation(PARAMS), ACCEPT);
    await bridge.close();
  });
  await test("the host in C asks no view that answers no forms", async () => {
    const { bridge } = await connected(undefined, { Bridge: Native });
    await assert.rejects(bridge.requestElicitation(PARAMS),
      ({ code }) => code === "CAPABILITY_NOT_SUPPORTED");
    await bridge.close();
  });
  await test("the host in C refuses what is no answer", async () => {
    for (const answer of [{}, { action: "sure" }, { action: "accept" },
      { action: "accept", content: [] }, { action: "accept", content: { n: {} } },
      { action: "accept", content: { n: 1, tags: [[]] } }]) {
      const { bridge, app } = await connected(() => ACCEPT, { Bridge: Native });
      app.removeRequestHandler("elicitation/create");
      app.setRequestHandler("elicitation/create", () => answer);
      await assert.rejects(bridge.requestElicitation(PARAMS),
        ({ code }) => code === "INVALID_RESULT", JSON.stringify(answer));
      await bridge.close();
    }
  });
}

done();
