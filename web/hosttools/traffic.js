// SPDX-License-Identifier: Apache-2.0
//
// The log of what a view and its host send each other: each message with its direction,
// time, size and method, and each request with its reply and the time between them. A view
// that floods makes the log forget its oldest messages, never grow.

import { kindOf } from "../view/peer.js";
import { shown } from "../host/tools.js";
import { limits } from "./tool_limits.js";
import { textOf } from "./message_text.js";

const OTHER = { host: "view", view: "host" };
const WORD = 200; // characters of a method that are shown

export class TrafficLog {
  entries = []; // oldest first
  forgotten = 0; // how many there were before them
  #next = 1;
  #size = 0;
  #open = new Map(); // sender and id of a request: its entry
  #listeners = new Set();

  /** `listener(entry)` hears of each new entry, and of a request that got its reply. */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(from, message, at) {
    const kind = kindOf(message) ?? "invalid";
    const entry = { number: this.#next++, from, at, kind,
      method: typeof message?.method === "string" ? shown(message.method, WORD) : undefined,
      id: kind === "notification" || kind === "invalid" ? undefined : message.id,
      ...textOf(message, limits.shownSize) };
    this.entries.push(entry);
    this.#size += entry.text.length;
    this.#match(entry);
    while (this.entries.length > limits.messages || this.#size > limits.logSize)
      this.#forget();
    this.#tell(entry);
  }

  clear() {
    this.forgotten = 0;
    this.entries = [];
    this.#size = 0;
    this.#tell();
  }

  #forget() {
    this.#size -= this.entries.shift().text.length;
    this.forgotten++;
  }

  #tell(entry) {
    for (const listener of this.#listeners) listener(entry);
  }

  #match(entry) {
    const key = (from) => `${from} ${typeof entry.id} ${entry.id}`;
    if (entry.kind === "request") {
      this.#open.delete(key(entry.from)); // so that it comes last
      this.#open.set(key(entry.from), entry);
      if (this.#open.size > limits.open) this.#open.delete(this.#open.keys().next().value);
      return;
    }
    if (entry.kind !== "result" && entry.kind !== "error") return;
    const request = this.#open.get(key(OTHER[entry.from]));
    if (!request) return;
    this.#open.delete(key(OTHER[entry.from]));
    entry.method = request.method;
    entry.request = request.number;
    entry.latency = request.latency = entry.at - request.at;
    request.reply = entry.number;
    this.#tell(request);
  }
}

/** Whether an entry has all the words, in any letters, and comes from `from` ("": either). */
export function fits(entry, words, from = "") {
  if (from !== "" && entry.from !== from) return false;
  if (words === "") return true;
  const text = `${entry.method ?? ""} ${entry.kind} ${entry.text}`.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** The entries as text to hand on: one message a line, as {from, ms, message}. */
export const linesOf = (entries) => entries.map(({ from, at, text, size, cut }) =>
  `{"from":"${from}","ms":${(at - entries[0].at).toFixed(1)},` +
    (cut ? `"size":${size ?? null},"cut":${JSON.stringify(text)}}` : `"message":${text}}`))
  .join("\n");
