// SPDX-License-Identifier: Apache-2.0
//
// A field of a record that others may change meanwhile. What a person has typed stays until it
// is stored; what was stored meanwhile stands below it.
import { button, element, foreign } from "./parts.js";

export class StoredField {
  /**
   * `stored` gives the text of the field in a record, `put` adds a text of it to a patch.
   * `before`: the field of the same name that this one takes the place of.
   */
  constructor(control, now, { stored, put }, before) {
    this.meanwhile = element("p", { className: "help", role: "status", hidden: true });
    Object.assign(this, { control, stored, put, shown: stored(now) });
    const keeps = before?.isTyped && !control.disabled;
    control.value = keeps ? before.control.value : this.shown;
    if (keeps && !before.meanwhile.hidden) this.#tell(this.shown);
    control.addEventListener("input", () => this.isTyped || this.#tell());
  }

  get isTyped() {
    return this.control.value !== this.shown;
  }

  // Shows `text`, which is stored now, and offers it in place of what is typed.
  #tell(text) {
    this.meanwhile.hidden = text === undefined;
    if (text === undefined) return;
    const take = button("Take it", "small", () => {
      this.control.value = text;
      this.#tell();
      this.control.focus();
    });
    this.meanwhile.replaceChildren("Stored meanwhile: ",
      text ? foreign(text.replaceAll("\n", ", ")) : "nothing", " ", take);
  }

  /** The record is another one now. `sent`: what was stored of this field just now. */
  follow(now, sent) {
    const { shown, control } = this;
    this.shown = this.stored(now);
    if (control.value === (sent ?? shown)) control.value = this.shown;
    if (!this.isTyped || sent !== undefined) this.#tell();
    else if (this.shown !== shown) this.#tell(this.shown);
  }
}
