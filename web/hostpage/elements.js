// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the host page share: elements, and words that a person reads.

import { element } from "../element.js";

export { element };
export const find = (id) => document.getElementById(id);

export function button(words, className, work) {
  const made = element("button", { type: "button", className }, words);
  made.addEventListener("click", work);
  return made;
}

/** Text of others: its direction does not reach what stands around it. */
export const foreign = (text, name = "bdi") => element(name, {}, String(text));

/** Tells people, and screen readers, what has happened. */
export function announce(words) {
  find("host-state").textContent = words;
}

export const sizeOf = (bytes) => bytes < 1000 ? `${bytes} B`
  : bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

export const bytesOf = (text) => new TextEncoder().encode(text).length;

export const since = (began) => `${Math.max(1, Math.round(performance.now() - began))} ms`;

const INDENTED = 100_000; // characters of JSON: beyond it, blanks could be most of the text

/** JSON as a person reads it. Deep values of a view would be made of indentation. */
export function pretty(value) {
  const text = JSON.stringify(value);
  return text?.length > INDENTED ? text : JSON.stringify(value, null, 2);
}

/** A list of lines that forgets its oldest ones. */
export class Log {
  static most = 200;
  list = element("ol", { className: "log", tabIndex: 0, ariaLabel: "What it did" });

  add(...parts) {
    this.list.append(element("li", {}, ...parts));
    if (this.list.childElementCount > Log.most) this.list.firstChild.remove();
  }
}
