// SPDX-License-Identifier: Apache-2.0
//
// What the host has for a view before the view is initialized, and the order of the
// messages about the call that opened the view.

import { SdkError } from "../view/peer.js";
import { limits } from "./limits.js";

const full = () => new SdkError("QUEUE_FULL", `${limits.queued} messages wait until the view ` +
  'is initialized. Wait for the event "initialized".');

/** Messages that wait until the view is initialized. */
export class Gate {
  #waiting = new Set();

  /** `run` is called when the gate opens. */
  add(run, reject = () => {}, settle = () => {}) {
    if (this.#waiting.size >= limits.queued) throw full();
    const entry = { run: () => (settle(), run()), reject: (error) => (settle(), reject(error)) };
    this.#waiting.add(entry);
    return (error) => this.#waiting.delete(entry) && entry.reject(error);
  }

  /** Resolves to what `run(left)` resolves to, with what is `left` of the timeout by then. */
  wait(run, { timeout = 60_000, signal } = {}) {
    return new Promise((resolve, reject) => {
      const began = performance.now();
      const abort = () => giveUp(stopped(signal));
      if (signal?.aborted) throw stopped(signal);
      const giveUp = this.add(() => resolve(run(timeout - (performance.now() - began))), reject,
        () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
        });
      const timer = setTimeout(() => giveUp(new SdkError("REQUEST_TIMEOUT",
        "Request timed out: the view was not initialized", { timeout })), timeout);
      signal?.addEventListener("abort", abort);
    });
  }

  open() {
    for (const entry of [...this.#waiting])
      if (this.#waiting.delete(entry)) entry.run();
  }

  close(error) {
    for (const entry of [...this.#waiting])
      if (this.#waiting.delete(entry)) entry.reject(error);
  }
}

const stopped = ({ reason }) =>
  new SdkError("REQUEST_TIMEOUT", String(reason?.message ?? reason));

const TOOL = "ui/notifications/tool-";

/**
 * The call that opened the view. Its messages go out in this order: tool-input-partial any
 * number of times, tool-input once, tool-result or tool-cancelled once. A view that was
 * loaded again gets input and result again.
 */
export class OpeningCall {
  #partials = [];
  #input;
  #end;
  #inputSent = false;
  #endSent = false;

  static has(method) {
    return method.startsWith(TOOL);
  }

  /** Takes a message, or throws what is wrong with its place; `live`: nothing waits. */
  take(message, live) {
    const kind = message.method.slice(TOOL.length);
    if (kind === "input-partial") this.#takePartial(message);
    else if (kind === "input") this.#takeInput(message);
    else this.#takeEnd(message, live && kind === "result");
  }

  #inputIsDue() {
    if (this.#input)
      throw new SdkError("INPUT_COMPLETE", "tool-input was given: a view gets it once.");
  }

  #takePartial(message) {
    this.#inputIsDue();
    if (this.#partials.length >= limits.queued) throw full();
    this.#partials.push(message);
  }

  #takeInput(message) {
    this.#inputIsDue();
    if (this.#endSent)
      throw new SdkError("CALL_ENDED", "tool-cancelled was given: tool-input cannot follow.");
    this.#input = message;
  }

  #takeEnd(message, needsInput) {
    if (this.#end)
      throw new SdkError("CALL_ENDED",
        "tool-result or tool-cancelled was given: a view gets it once.");
    if (needsInput && !this.#input)
      throw new SdkError("INPUT_MISSING", "Send tool-input before tool-result.");
    this.#end = message;
  }

  /** Sends what is due now. */
  flush(send) {
    for (const message of this.#partials.splice(0)) send(message);
    if (this.#input && !this.#inputSent) {
      this.#inputSent = true;
      send(this.#input);
    }
    if (this.#end && !this.#endSent && (this.#input || this.#end.method.endsWith("cancelled"))) {
      this.#endSent = true;
      send(this.#end);
    }
  }

  /** The view was loaded anew: it has got nothing yet. */
  again() {
    this.#inputSent = this.#endSent = false;
  }
}
