// SPDX-License-Identifier: Apache-2.0
//
// What the tests of views in Node share: two ends of a wire in memory, which clones as
// windows do and keeps a log, and the four pairings of our classes and the official ones.
import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import * as official from "@modelcontextprotocol/ext-apps";

import * as ours from "../../web/view/index.js";

export { AppBridge, official, ours };

export const tick = (ms = 0) => new Promise((done) => setTimeout(done, ms));

class End {
  onmessage;
  onerror;
  onclose;
  constructor(name, log) {
    Object.assign(this, { name, log });
  }
  async start() {}
  async send(message) {
    const copy = structuredClone(message);
    this.log.push({ from: this.name, ...JSON.parse(JSON.stringify(message)) });
    queueMicrotask(() => queueMicrotask(() => this.other.onmessage?.(copy)));
  }
  async close() {
    if (this.closed) return;
    this.closed = true;
    this.onclose?.();
  }
}

/** {view, host, log}: the two ends, and all that was sent. */
export function pair() {
  const log = [];
  const view = new End("view", log);
  const host = new End("host", log);
  view.other = host;
  host.other = view;
  return { view, host, log };
}

export const HOST = { name: "host", version: "1" };
export const VIEW = { name: "view", version: "1" };
export const ALL = {
  openLinks: {}, downloadFile: {}, serverTools: {}, serverResources: {}, logging: {},
  updateModelContext: { text: {} }, message: { text: {} }, sampling: { tools: {} },
};

/**
 * A view of `lib` beside an official bridge. `prepare({app, bridge})` runs before they
 * connect; with `connect: false` only the bridge does.
 */
export async function beside(lib, {
  capabilities, options = { autoResize: false }, can = ALL, context = {}, prepare,
  connect = true,
} = {}) {
  const wire = pair();
  const app = new lib.App(VIEW, capabilities, options);
  const bridge = new AppBridge(null, HOST, can, { hostContext: context });
  const begun = new Promise((done) => { bridge.oninitialized = done; });
  await prepare?.({ app, bridge, ...wire });
  await bridge.connect(wire.host);
  if (connect) {
    await app.connect(wire.view);
    await begun;
  }
  return { app, bridge, ...wire, begun };
}

/** A view of `lib` whose host is the test: `say(message)` sends, `log` has what came. */
export async function alone(lib, { capabilities, options = { autoResize: false }, result,
  prepare, connect = true } = {}) {
  const wire = pair();
  const app = new lib.App(VIEW, capabilities, options);
  const answers = new Map();
  const say = (message) => wire.host.send({ jsonrpc: "2.0", ...message });
  wire.host.onmessage = (message) => {
    if (message.id === undefined || message.method === undefined) return;
    const answer = answers.get(message.method);
    if (answer) say({ id: message.id, ...answer(message) });
  };
  answers.set("ui/initialize", () => ({ result: result ?? {
    protocolVersion: "2026-01-26", hostInfo: HOST, hostCapabilities: ALL, hostContext: {},
  } }));
  await prepare?.({ app, ...wire, answers, say });
  if (connect) await app.connect(wire.view);
  return { app, say, answers, ...wire };
}

/** What `promise` rejects with. */
export async function thrown(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not reject");
}

/** Runs `action` and returns what it says by console.warn. */
export async function warned(action) {
  const { warn } = console;
  const said = [];
  console.warn = (text) => said.push(text);
  try {
    await action();
  } finally {
    console.warn = warn;
  }
  return said;
}

// The official class says each message of the wire.
console.debug = () => {};
const { log } = console;
console.log = (text, ...more) => (text === "Received ping:" ? undefined : log(text, ...more));
