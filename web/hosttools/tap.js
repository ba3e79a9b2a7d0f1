// SPDX-License-Identifier: Apache-2.0
//
// A transport that shows every message that passes it, in both directions, before the
// other end gets it. The traffic log, the recorder and the checklist listen here.

/** `listener(from, message, at)`: from "host" or "view", at the time of performance.now(). */
export class TappedTransport {
  onmessage;
  onerror;
  onclose;
  #inner;
  #listener;

  constructor(inner, listener) {
    this.#inner = inner;
    this.#listener = listener;
  }

  async start() {
    this.#inner.onmessage = (message) => {
      this.#tell("view", message);
      this.onmessage?.(message);
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => this.onclose?.();
    await this.#inner.start();
  }

  send(message) {
    this.#tell("host", message);
    return this.#inner.send(message);
  }

  async close() {
    await this.#inner.close();
  }

  // A tool that fails must not keep a message from its end.
  #tell(from, message) {
    try {
      this.#listener(from, message, performance.now());
    } catch (error) {
      this.onerror?.(error);
    }
  }
}
