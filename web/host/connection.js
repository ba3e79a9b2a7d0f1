// SPDX-License-Identifier: Apache-2.0
//
// The connection of a host to one view: its states, what waits for the view, the order of
// what the view is told, and how much the view may send.

import { LATEST_PROTOCOL_VERSION } from "../view/protocol.js";
import { asJson, Peer, ProtocolError, SdkError } from "../view/peer.js";
import { Bucket } from "./bucket.js";
import { checked } from "./checks.js";
import { acceptable, difference } from "./context.js";
import { Gate, OpeningCall } from "./gate.js";
import { limits } from "./limits.js";

export const SUPPORTED_PROTOCOL_VERSIONS = [LATEST_PROTOCOL_VERSION];

// LOADING: the frame loads. HANDSHAKE: ui/initialize was answered. LIVE: the view is
// initialized. TEARDOWN: the view was asked to end. State: event: next state.
const STATES = {
  LOADING: { connect: "LOADING", initialize: "HANDSHAKE", teardown: "TEARDOWN",
    close: "CLOSED" },
  HANDSHAKE: { initialize: "HANDSHAKE", initialized: "LIVE", teardown: "TEARDOWN",
    close: "CLOSED" },
  LIVE: { initialize: "HANDSHAKE", teardown: "TEARDOWN", close: "CLOSED" },
  TEARDOWN: { close: "CLOSED" },
  CLOSED: { connect: "LOADING" },
};

const CONTEXT_CHANGED = "ui/notifications/host-context-changed";

/** The proxy has stopped a view that floods. */
export const STOPPED = "ui/notifications/sandbox-view-stopped";

// What does not wait: what belongs to an open request, and what the proxy needs.
const AT_ONCE = ["notifications/cancelled", "notifications/progress",
  "ui/notifications/sandbox-resource-ready"];

// What a view must declare before it is asked.
const NEEDS = { "tools/call": "tools", "tools/list": "tools", "elicitation/create": "elicitation" };

const closed = () => new SdkError("CONNECTION_CLOSED", "The view ends, or has ended.");

export class ViewConnection extends Peer {
  #state = "LOADING";
  #gate = new Gate();
  #call = new OpeningCall();
  #bucket = new Bucket(limits.rate, limits.burst);
  #refused = 0; // messages since the bucket was full
  #app = {}; // what the view said of itself
  #context;
  #announced = {}; // the context that the view knows

  constructor(hostContext) {
    super();
    this.#context = acceptable(hostContext);
  }

  get state() {
    return this.#state;
  }

  // A view may send anything that a window can clone.
  clean(message) {
    return asJson(message);
  }

  getAppCapabilities() {
    return this.#app.appCapabilities;
  }

  getAppVersion() {
    return this.#app.appInfo;
  }

  report(error) {
    this.onerror?.(error);
  }

  // ---- States

  async connect(transport) {
    this.#move("connect");
    await super.connect(transport);
  }

  // Whether the event has a place in this state.
  #move(event) {
    const next = STATES[this.#state][event];
    this.#state = next ?? this.#state;
    return next !== undefined;
  }

  #mustBeOpen() {
    if (this.#state === "TEARDOWN" || this.#state === "CLOSED") throw closed();
  }

  ended(error) {
    this.#move("close");
    this.#call.again();
    this.#gate.close(error);
  }

  /** The view says what it is, for the first time or because it was loaded again. */
  initialize(given) {
    const { protocolVersion, ...app } = checked("ui/initialize", given);
    if (!this.#move("initialize"))
      throw new ProtocolError(-32600, "The host ends this view.");
    this.#app = app;
    this.#call.again();
    this.#announced = this.#context;
    return {
      protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion) ? protocolVersion
        : LATEST_PROTOCOL_VERSION,
      hostContext: this.#context,
    };
  }

  /** The view is ready: it gets everything that waits. */
  initialized() {
    if (!this.#move("initialized"))
      throw new SdkError("OUT_OF_ORDER", `initialized in the state ${this.#state}`);
    this.#later(this.#announce());
    this.#later(this.#flush());
    this.#gate.open();
  }

  // Asks the view to end. A view that has no handler, or no time, ends as well.
  async end(params, options) {
    const live = this.#state === "LIVE";
    this.#mustBeOpen();
    this.#move("teardown");
    this.#gate.close(closed());
    if (!live) return {};
    const asked = { method: "ui/resource-teardown", params };
    return super.request(asked, { timeout: limits.teardownMs, ...options }).catch((error) => {
      if (error.code !== -32601) this.report(error);
      return {};
    });
  }

  // ---- What a view may send, before it is read

  admit(message) {
    const { method, id } = message ?? {};
    if (method === STOPPED || (method === undefined && this.awaits(id))) return true;
    if (!this.#bucket.take()) return this.#refuse(method, id);
    if (this.#bucket.full) this.#refused = 0;
    // The view was loaded again: no one waits for what its last document asked.
    if (method === "ui/initialize") this.abandon("The view was loaded again.");
    return true;
  }

  #refuse(method, id) {
    const message = `A view may send ${limits.rate} messages a second; this one sends more.`;
    if (this.#refused++ === 0) this.report(new SdkError("RATE_LIMITED", message));
    if (this.#refused > limits.refused) this.stop(message);
    else if (method !== undefined && id !== undefined) {
      const error = { code: -32000, message, data: { code: "RATE_LIMITED" } };
      this.#later(this.transport.send({ jsonrpc: "2.0", id, error }));
    }
    return false;
  }

  /** Disconnects a view that keeps sending after 1,000 of its messages were refused. */
  stop(reason) {
    this.report(new SdkError("VIEW_FLOODS", `The view was disconnected: ${reason}`));
    this.#later(this.close());
  }

  // ---- What the host sends: it resolves when the message is sent, or waits for the view

  async notification(message) {
    const { method, params } = message;
    const live = this.#state === "LIVE";
    if (AT_ONCE.includes(method)) return super.notification(message);
    this.#mustBeOpen();
    if (OpeningCall.has(method)) {
      this.#call.take(message, live);
      if (live) await this.#flush();
    } else if (method === CONTEXT_CHANGED) {
      await this.#changeContext({ ...this.#context, ...params });
    } else if (live) {
      await super.notification(message);
    } else {
      this.#gate.add(() => this.#later(super.notification(message)));
    }
  }

  async request(request, ...rest) {
    const options = rest.at(-1); // a schema before them is not needed
    const send = async (timeout) => {
      const needed = NEEDS[request.method];
      if (needed && !this.#app.appCapabilities?.[needed])
        throw new SdkError("CAPABILITY_NOT_SUPPORTED", "The view does not support " +
          `${needed} (appCapabilities.${needed}), which ${request.method} needs.`);
      return super.request(request, { ...options, timeout });
    };
    this.#mustBeOpen();
    return this.#state === "LIVE" ? send(options?.timeout)
      : this.#gate.wait(send, options);
  }

  #flush() {
    const sent = [];
    this.#call.flush((message) => sent.push(super.notification(message)));
    return Promise.all(sent);
  }

  // No one waits for the outcome: a failure is reported.
  #later(promise) {
    Promise.resolve(promise).catch((error) => this.report(error));
  }

  // ---- The context

  getHostContext() {
    return this.#context;
  }

  /** Replaces the context; the view is told what changed, and of a key that is gone. */
  setHostContext(context) {
    this.#later(this.#changeContext(context));
  }

  // Throws before it returns a promise if the context is not acceptable.
  #changeContext(context) {
    this.#context = acceptable(context, this.#app.appCapabilities?.availableDisplayModes);
    return this.#state === "LIVE" ? this.#announce() : undefined;
  }

  async #announce() {
    const params = difference(this.#announced, this.#context);
    this.#announced = this.#context;
    if (params) await super.notification({ method: CONTEXT_CHANGED, params });
  }
}
