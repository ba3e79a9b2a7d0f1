// SPDX-License-Identifier: Apache-2.0
//
// An act that may take as long as a language model: how far it is, and a button that cancels it.
import { button, element, say } from "./parts.js";
import { Cancelled } from "./api.js";

export class Waiting {
  #cancel;

  constructor(label) {
    this.bar = element("progress", { max: 100, value: 0 });
    this.bar.ariaLabel = label;
    this.stop = button("Cancel", "quiet", () => this.#cancel?.abort());
    this.root = element("div", { className: "actions waiting", hidden: true }, this.bar,
      this.stop);
  }

  /**
   * Runs `work`, which gets {cancel, told} for the API. Resolves to what it comes to, and to
   * undefined if the person cancels it.
   */
  async run(work) {
    this.#cancel = new AbortController();
    this.bar.value = 0;
    this.root.hidden = false;
    try {
      return await work({ cancel: this.#cancel.signal,
        told: ({ progress = 0, total = 100 }) => {
          this.bar.value = total > 0 ? progress * 100 / total : 0;
        } });
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      say("Cancelled.");
      return undefined;
    } finally {
      this.root.hidden = true;
    }
  }
}
