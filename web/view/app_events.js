// SPDX-License-Identifier: Apache-2.0
//
// The events of an App. Four of them come once: the last one of each waits until it has a
// listener, for a view may be ready before its listeners are.
import { Events } from "./events.js";
import { invalidParams, isObject } from "./peer.js";

export const CONTEXT_CHANGED = "hostcontextchanged";

const optional = (name, holds, wanted) => (params) =>
  params[name] === undefined || holds(params[name]) ? undefined : `${name}: expected ${wanted}`;
export const wrongArguments = optional("arguments", isObject, "object");

// In the order in which a host sends them: the notification of each, and what is wrong with
// its parameters.
export const EVENTS = {
  toolinputpartial: ["tool-input-partial", wrongArguments],
  toolinput: ["tool-input", wrongArguments],
  toolresult: ["tool-result", optional("content", Array.isArray, "array")],
  toolcancelled: ["tool-cancelled", optional("reason", (value) => `${value}` === value, "string")],
  [CONTEXT_CHANGED]: ["host-context-changed", () => undefined],
};
const NAMES = Object.keys(EVENTS);

export class AppEvents extends Events {
  #heard = new Set([CONTEXT_CHANGED]); // have had a listener, or come more than once
  #kept = new Map(); // event without a listener: its last parameters
  #late;

  /** `late(message)` is told of a first listener that came after the handshake, if it did. */
  constructor(report, late) {
    super(NAMES, report);
    this.#late = late;
  }

  forget() {
    this.#kept.clear();
  }

  add(event, listener) {
    this.#hear(event);
    super.add(event, listener);
  }

  setHandler(event, handler) {
    if (handler) this.#hear(event);
    super.setHandler(event, handler);
  }

  // The official class warns as well, though here nothing is lost.
  #hear(event) {
    if (!this.#heard.has(event) && EVENTS[event]) {
      this.#heard.add(event);
      this.#late(`[ext-apps] "${event}" handler registered after connect() completed the ` +
        "ui/initialize handshake. Register handlers before calling app.connect().");
    }
    // In a later microtask: listeners that attach together hear all in the right order.
    if (this.#kept.size) queueMicrotask(() => this.#deliver());
  }

  /** A notification of the host; throws if its parameters are wrong. */
  receive(event, method, params) {
    const wrong = isObject(params) ? EVENTS[event][1](params) : "expected object";
    if (wrong) throw invalidParams(method, wrong);
    this.#kept.set(event, event === "toolresult" ? { content: [], ...params } : params);
    this.#deliver();
  }

  #deliver() {
    for (const event of NAMES) {
      if (!this.#kept.has(event) || !this.has(event)) continue;
      const params = this.#kept.get(event);
      this.#kept.delete(event);
      // What was partial is over.
      if (event === "toolinput") this.#kept.delete("toolinputpartial");
      this.dispatch(event, params);
    }
    this.#kept.delete(CONTEXT_CHANGED);
  }
}
