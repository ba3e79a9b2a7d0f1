// SPDX-License-Identifier: Apache-2.0
//
// Plays the transcripts (transcripts/README.md) on three hosts and two views: each must send
// what stands there, and do what it says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { z } from "zod";

import * as bridges from "../../web/host/bridge.js";
import { METHODS } from "../../web/view/protocol.js";
import { done, options, PATIENCE, test, until } from "../peers/tap.mjs";
import { native } from "./native.mjs";
import { ALL, AppBridge as OfficialBridge, HOST, official, ours, pair, VIEW, warned }
  from "./pair.mjs";

const { native: program } = options({ native: undefined });
const rows = ["from-view", "from-host", "from-proxy"].flatMap((name) =>
  JSON.parse(readFileSync(new URL(`transcripts/${name}.json`, import.meta.url)),
    (_, value) => value === "$ALL" ? ALL : value));
const anything = z.looseObject({});
const plain = (value) => value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/** What one end sends, one after the other, each within `patience`. */
function inbox(end, patience) {
  const arrived = [], waiting = [];
  end.onmessage = (message) => {
    const take = waiting.shift();
    if (take) take(message);
    else arrived.push(message);
  };
  return {
    arrived,
    next: () => new Promise((resolve, reject) => {
      if (arrived.length) return resolve(arrived.shift());
      const timer = setTimeout(() => reject(new Error("no message came")), patience);
      waiting.push((message) => {
        clearTimeout(timer);
        resolve(message);
      });
    }),
  };
}

/** The row on `subject`, an App or a bridge, whose side is `side`; `end` is the other end. */
async function play(row, side, subject, end, mail, patience) {
  const got = { events: [], received: undefined, aborted: false };
  const { serve: [handler, result] = [], progress, steps } = row;
  const events = row.events ?? (row.event ? [row.event] : []);
  let pending, abort;

  const serves = steps.some(({ by, do: call }) => by !== side && call);
  if (handler && serves)
    subject[handler] = async (params, extra) => {
      const { signal, notify } = extra.mcpReq;
      got.received = params;
      signal.addEventListener("abort", () => { got.aborted = true; });
      if (progress)
        await notify({ method: "notifications/progress",
          params: { progressToken: extra.mcpReq._meta?.progressToken ?? 1, ...progress } });
      if (result === "never") return new Promise(() => {});
      if (result.throws) throw new Error(result.throws);
      return result;
    };
  if (serves || row.only)
    for (const [name] of events)
      subject[name] = (params) => got.events.push([name, params ?? {}]);

  for (const { by, do: call, cancel, message } of steps) {
    if (by !== side) {
      await end.send(message);
      continue;
    }
    if (cancel) abort.abort(row.cancel);
    if (call) {
      const [name, ...given] = call;
      abort = new AbortController();
      const extra = name === "request" ? [anything, { signal: abort.signal }]
        : message.id !== undefined && name !== "connect" ? [{ signal: abort.signal }] : [];
      pending = name === "connect" ? subject.begin() : subject[name](...given, ...extra);
      Promise.resolve(pending).catch(() => {});
    }
    assert.deepEqual(plain(await mail.next()), message);
  }
  if (row.returns && pending) assert.deepEqual(plain(await pending), row.returns);
  if (row.fails && pending)
    await assert.rejects(pending, ({ code, message }) => {
      assert.deepEqual({ code, message }, row.fails);
      return true;
    });
  if (row.cancel && pending) await assert.rejects(pending, /enough/);
  if (!serves && !row.only) return;
  const settled = () => got.events.length >= events.length &&
    (!handler || got.received !== undefined || row.fails) && (!row.cancel || got.aborted);
  const late = await until(settled, "what the row says", patience)
    .then(() => undefined, (error) => error); // what is missing is told first
  assert.deepEqual(got.events, events, "events");
  if (row.cancel) assert.ok(got.aborted, "the handler's signal");
  if (handler && !row.fails && row.received !== "*")
    assert.deepEqual(plain(got.received) ?? {}, row.received, "what the handler got");
  assert.ifError(late);
}

// ---- The two sides ---------------------------------------------------------------------

async function onHost(row, patience, Bridge) {
  const { view, host } = pair();
  const bridge = new Bridge(null, HOST, ALL, { hostContext: { theme: "dark" } });
  const mail = inbox(view, patience);
  let begun = new Promise((resolve) => { bridge.oninitialized = resolve; });
  await bridge.connect(host);
  await bridge.setServerTools?.([{ name: "t" }]);
  if (!row.handshake && !row.loading) {
    for (const { by, message } of rows[0].steps) {
      if (by === "view") await view.send(message);
      else await mail.next();
    }
    await begun;
  }
  await play(row, "host", bridge, view, mail, patience);
  assert.deepEqual(mail.arrived, [], "more messages");
  await bridge.close();
}

async function onView(row, patience, { App }) {
  const { view, host } = pair();
  const app = new App(VIEW, { tools: {} }, { autoResize: false });
  const mail = inbox(host, patience);
  if (row.handshake) {
    app.begin = () => app.connect(view);
  } else {
    const connected = app.connect(view);
    for (const { by, message } of rows[0].steps) {
      if (by === "view") await mail.next();
      else await host.send(message);
    }
    await connected;
  }
  await play(row, "view", app, host, mail, patience);
  assert.deepEqual(mail.arrived, [], "more messages");
  await app.close();
}

const SUBJECTS = [
  ["the host in C", "host", onHost, native(program)],
  ["our host", "host", onHost, bridges.AppBridge],
  ["official host", "host", onHost, OfficialBridge],
  ["our view", "view", onView, ours],
  ["official view", "view", onView, official],
];

for (const row of rows)
  for (const [name, side, run, subject] of SUBJECTS) {
    if (row.only && row.only !== side) continue;
    const reason = row.except?.[name];
    await test(`${row.row}: ${name}${reason ? `, but ${reason}` : ""}`, async () => {
      // An exception may be told by what does not come. All else comes, though one host is a
      // process and the machine may be busy.
      const action = () => warned(() => run(row, reason ? 1000 : PATIENCE / 2, subject));
      if (reason) await assert.rejects(action, undefined, "it does, so that it is no exception");
      else await action();
    });
  }

await test("every message of the protocol has a transcript", async () => {
  const seen = new Set(rows.flatMap(({ steps }) => steps.map(({ by, message }) =>
    `${by} ${message.method}`)));
  const side = { "view-to-host": "view", "host-to-view": "host", "proxy-to-host": "view",
    "host-to-proxy": "host" };
  const missing = METHODS.filter(({ name, direction }) => !seen.has(`${side[direction]} ${name}`))
    .map(({ name, direction }) => `${name} ${direction}`);
  // Progress of a view's tool: no App reports any by itself.
  assert.deepEqual(missing, ["notifications/progress view-to-host"]);
});

done();
