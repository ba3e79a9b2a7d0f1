// SPDX-License-Identifier: Apache-2.0
//
// A field of a record that others may change meanwhile. What a person has typed stays until it
// is stored, also when the page shows something else for a while; what is stored meanwhile
// stands below it.
import { button, element, foreign } from "./parts.js";

const typed = new Map(); // by record and member: text that is not stored

/** Has a person typed what is stored nowhere? */
export const anyTyped = () => typed.size > 0;

export const forgetTyped = (id) => {
  for (const key of typed.keys()) if (key.startsWith(`${id}/`)) typed.delete(key);
};

export class StoredField {
  #key;
  #meanwhile = element("p", { className: "help", role: "status",
    hidden: true });

  /** `stored` gives the text of member `name` in a record; `put` adds a text to a patch. */
  constructor(control, name, record, { stored, put }) {
    Object.assign(this, { control, stored, put, shown: stored(record) });
    this.#key = `${record.id}/${name}`;
    control.value = typed.get(this.#key) ?? this.shown;
    control.addEventListener("input", () => this.#note());
  }

  get meanwhile() {
    return this.#meanwhile;
  }

  get isTyped() {
    return this.control.value !== this.shown;
  }

  #note() {
    if (!this.isTyped) this.#tell();
    if (this.isTyped) typed.set(this.#key, this.control.value);
    else typed.delete(this.#key);
  }

  // Shows `text`, which is stored now, and offers it in place of what is typed.
  #tell(text) {
    this.#meanwhile.hidden = text === undefined;
    if (text === undefined) return;
    const take = button("Take it", "small", () => {
      this.control.value = text;
      this.#note();
      this.control.focus();
    });
    this.#meanwhile.replaceChildren("Stored meanwhile: ",
      text ? foreign(text.replaceAll("\n", ", ")) : "nothing", " ", take);
  }

  /** The record is another one now. `sent`: what was stored of this field just now. */
  follow(record, sent) {
    const { shown, control } = this;
    this.shown = this.stored(record);
    if (control.value === (sent ?? shown)) control.value = this.shown;
    if (sent !== undefined) this.#tell();
    else if (this.shown !== shown) this.#tell(this.shown);
    this.#note();
  }
}
