// SPDX-License-Identifier: Apache-2.0
//
// The checklist of the handshake: each step in the life of a view with its time; and for
// the first one that is missing, what the likely reason is. Most frames that stay blank
// stopped at one of these steps.

import { LATEST_PROTOCOL_VERSION } from "../view/protocol.js";
import { kindOf } from "../view/peer.js";
import { shown } from "../host/tools.js";
import { limits } from "./tool_limits.js";
import { SANDBOX } from "./recording.js";

const UI = "ui/notifications/";

// In order. `seen(message, from)` tells that the step was taken, or, with a text, that it
// was taken and something about it is wrong; `needed`: the view shows nothing without it.
const STEPS = [
  { name: "Sandbox loaded", needed: true,
    seen: ({ method }, from) => from === "view" && method === `${SANDBOX}proxy-ready`,
    missing: "The frame of the sandbox did not load. Its policy may be refused (open the " +
      "address of the frame in a tab: it says which domain of the view is wrong), the browser " +
      "may not resolve names below localhost, or the page's frame-src lacks the sandbox." },
  { name: "Document handed over", needed: true,
    seen: ({ method }, from) => from === "host" && method === `${SANDBOX}resource-ready`,
    missing: "The host has not sent the document: reading the resource of the view failed." },
  { name: "ui/initialize received", needed: true,
    seen: ({ method }, from) => from === "view" && method === "ui/initialize",
    missing: "No script of the view called connect(). A script that the policy blocks, an " +
      "import that is not in the document, or an error before connect() is the usual reason: " +
      "see the policy below, and the console of the frame." },
  { name: "Version agreed", needed: true,
    seen: (message, from, { asked }) => {
      if (from !== "host" || !asked || message.id !== asked.id) return false;
      if (message.error) return `refused: ${shown(String(message.error.message), 200)}`;
      if (message.result === undefined) return false;
      const wanted = asked.params?.protocolVersion;
      return message.result.protocolVersion === wanted ||
        `the view asked for ${shown(String(wanted), 40)}, the host speaks ` +
        `${LATEST_PROTOCOL_VERSION}`;
    },
    missing: "The host has not answered ui/initialize." },
  { name: "Initialized", needed: true,
    seen: ({ method }, from) => from === "view" && method === `${UI}initialized`,
    missing: "The view has got its answer and has not sent ui/notifications/initialized: its " +
      "connect() failed, as one does at a host context that it does not accept. Until then " +
      "it gets neither input nor result." },
  { name: "Input sent", needed: false,
    seen: ({ method }, from) => from === "host" && method === `${UI}tool-input`,
    missing: "The host has sent no input: the view was opened without a call." },
  { name: "Result sent", needed: false,
    seen: ({ method, params }, from) => from === "host" && (method === `${UI}tool-result`
      ? params?.isError !== true || "the result is an error: does the view show that?"
      : method === `${UI}tool-cancelled` && "the call was canceled"),
    missing: "The tool has not ended, or the host has not sent its result." },
  { name: "Size reported", needed: false,
    seen: ({ method, params }, from) => from === "view" && method === `${UI}size-changed` &&
      (!(params?.height <= 0) || "the height is 0: the document is empty, or its content is " +
        "positioned outside of the flow"),
    missing: "The view has not reported its size: it connects without autoResize, so that the " +
      "host chooses its height." },
];

export class Checklist {
  #began;
  #steps = STEPS.map(({ name }) => ({ name, at: undefined, fault: undefined }));
  #asked; // ui/initialize of the view
  #listeners = new Set();

  constructor(now = performance.now()) {
    this.#began = now;
  }

  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(from, message, at) {
    if (kindOf(message) === undefined) return;
    // A view that was loaded again begins again.
    if (from === "view" && message.method === "ui/initialize") {
      this.#asked = message;
      for (const step of this.#steps.slice(3)) step.at = step.fault = undefined;
    }
    let changed = false;
    STEPS.forEach(({ seen }, i) => {
      const step = this.#steps[i];
      const found = step.at === undefined && seen(message, from, { asked: this.#asked });
      if (!found) return;
      step.at = at - this.#began;
      step.fault = found === true ? undefined : found;
      changed = true;
    });
    if (changed) for (const listener of this.#listeners) listener();
  }

  /**
   * The steps: {name, state, ms, why}. The state is "done", "wrong" (done, and `why` says
   * what is wrong), "waiting", or "missing" after some time, with `why` for the first one.
   */
  steps(now = performance.now()) {
    const late = now - this.#began > limits.missingMs;
    let told = false; // what follows the first missing step is missing because of it
    return this.#steps.map(({ name, at, fault }, i) => {
      const { needed, missing } = STEPS[i];
      if (at !== undefined)
        return { name, state: fault ? "wrong" : "done", ms: Math.round(at), why: fault };
      const why = late && !told ? missing : undefined;
      told ||= needed && late;
      return { name, state: late ? "missing" : "waiting", ms: undefined, why };
    });
  }
}
