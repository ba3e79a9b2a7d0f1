// SPDX-License-Identifier: Apache-2.0
//
// The transport between a view and its host: window.postMessage. A message counts only if
// it comes from the one window that this end talks to; its origin says nothing, for the
// origin of a sandboxed view is "null".

/** As of @modelcontextprotocol/ext-apps; `source` is the window that may be heard. */
export class PostMessageTransport {
  onmessage;
  onerror;
  onclose;
  #target;
  #source;
  #listener;

  constructor(target = window.parent, source = target) {
    if (!source) throw new Error("no source");
    this.#target = target;
    this.#source = source;
  }

  async start() {
    if (this.#listener) return;
    this.#listener = ({ data, source }) => {
      // Other code of the page talks over the same channel: what is not ours is not an error.
      if (source === this.#source && data?.jsonrpc === "2.0") this.onmessage?.(data);
    };
    window.addEventListener("message", this.#listener);
  }

  send(message) {
    this.#target.postMessage(message, "*");
  }

  async close() {
    if (!this.#listener) return;
    window.removeEventListener("message", this.#listener);
    this.#listener = undefined;
    this.onclose?.();
  }
}
