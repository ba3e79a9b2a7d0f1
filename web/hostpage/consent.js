// SPDX-License-Identifier: Apache-2.0
//
// What a view may do is asked of the person, in the dialog of the page, one question after
// the other. "Always for this view" keeps an answer until the view closes.
import { shown } from "../host/tools.js";
import { ProtocolError } from "../view/peer.js";
import { element, find } from "./elements.js";

/** Each number has a row in docs/limits.md. */
export const limits = {
  questions: 8, // of one view that wait
  text: 50_000, // characters that are shown of what it is about
  files: 50, // whose names are shown
  settleMs: 500, // before a dialog takes a yes, as the click may be meant for a view
};

let last = Promise.resolve(); // the dialog is free when this resolves

// Resolves when `work` does, or when the signal aborts.
const orAborted = (work, signal) => new Promise((resolve) => {
  work.then(resolve);
  signal.addEventListener("abort", resolve, { once: true });
});

/** The answers of a person to one view. */
export class Consent {
  #who;
  #close;
  #answers = new Map(); // kind: yes or no, for as long as its document is open
  #waiting = 0;
  #end = new AbortController();

  /** `who` is the name of the view, which the host wrote; `close` closes the view: one that
   * asks again and again leaves the person nothing of the page but its questions. */
  constructor(who, close) {
    this.#who = who;
    this.#close = close;
  }

  /** Whether the person allows it. `parts` shows what it is about; `kind` is under which
   * word an answer is kept, and undefined: it is asked each time; `always` names what that
   * answer is for, where the kind has more than one. When the signal of the
   * request that asks is aborted, the question goes away, and this rejects: no one waits for
   * the answer any more. */
  async allows({ kind, title, parts = [], yes = "Allow", always: target, signal }) {
    signal?.throwIfAborted();
    if (this.#answers.has(kind)) return this.#answers.get(kind);
    if (this.#waiting >= limits.questions)
      throw new ProtocolError(-32000, `${limits.questions} questions of this view wait for ` +
        "the person.", { code: "TOO_MANY_QUESTIONS" });
    this.#waiting++;
    const end = this.#end.signal;
    const over = AbortSignal.any(signal ? [end, signal] : [end]);
    const before = last;
    let free;
    last = new Promise((done) => { free = done; });
    try {
      await orAborted(before, over);
      if (end.aborted) return false;
      signal?.throwIfAborted();
      // The question before this one may have answered it, too.
      if (this.#answers.has(kind)) return this.#answers.get(kind);
      const { allowed, always } = await show(
        { who: this.#who, title, parts, yes, target, keeps: kind !== undefined,
          close: this.#close }, over);
      if (!end.aborted) signal?.throwIfAborted();
      if (always) this.#answers.set(kind, allowed);
      return allowed;
    } finally {
      this.#waiting--;
      before.then(free); // one that left the queue leaves the dialog to the question before it
    }
  }

  /** Whether the view has closed, or its document has been replaced. */
  get ended() {
    return this.#end.signal.aborted;
  }

  /** The view has closed: what it still asks is refused. */
  end() {
    this.#end.abort();
    this.#answers.clear();
  }

  /** Another document takes the place of the one that asked: what that still asks is refused,
   * and no answer to it counts for the other one. */
  renew() {
    this.end();
    this.#end = new AbortController();
  }
}

// Only a press of "Allow" is a yes. Escape is a no, and so is the end of the view.
function show({ who, title, parts, yes, target, keeps, close }, signal) {
  const dialog = find("consent"), allow = find("consent-allow"), always = find("consent-always");
  find("consent-title").textContent = title;
  find("consent-who").textContent = who;
  find("consent-parts").replaceChildren(...parts);
  find("consent-for").replaceChildren(...target === undefined ? []
    : [" and ", element("code", {}, shown(target, 200))]);
  always.checked = false;
  always.parentElement.hidden = !keeps;
  allow.textContent = yes;
  allow.disabled = always.disabled = true;
  return new Promise((resolve) => {
    const timer = setTimeout(() => { allow.disabled = always.disabled = false; },
      limits.settleMs);
    const listening = new AbortController();
    const settle = (allowed) => {
      clearTimeout(timer);
      listening.abort();
      dialog.close();
      resolve({ allowed, always: keeps && always.checked });
    };
    const on = (target, event, work) =>
      target.addEventListener(event, work, { signal: listening.signal });
    on(allow, "click", () => settle(true));
    on(find("consent-refuse"), "click", () => settle(false));
    on(find("consent-close"), "click", () => {
      settle(false);
      close();
    });
    on(dialog, "cancel", (event) => {
      event.preventDefault();
      settle(false);
    });
    // A browser may close a dialog at the second Escape whatever a page says. The event of
    // the dialog before this one may come as late as now.
    on(dialog, "close", () => dialog.open || settle(false));
    on(signal, "abort", () => settle(false));
    // A view may take the keyboard from the page at any time, but not from a question.
    on(window, "blur", () => document.activeElement?.matches("iframe") &&
      find("consent-refuse").focus());
    dialog.showModal();
  });
}

/** A name and a value of what a dialog is about. */
export const fact = (name, ...value) => element("div", {}, element("dt", {}, name),
  element("dd", {}, ...value));
export const facts = (...all) => element("dl", { className: "facts" }, ...all);

/** Tells that a dialog leaves something out. */
export const notShown = (label, words) =>
  element("p", { className: "error" }, `${label}: ${words} are not shown.`);

// What fits into a dialog without scrolling, about.
const ROWS = 9, COLUMNS = 50;

// Blank lines, or very much text, would put the end of it out of sight.
function howLong(label, text) {
  const lines = text.split("\n");
  const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / COLUMNS)), 0);
  return rows <= ROWS ? "" : element("p", { className: "help" }, `${label}: ${text.length} ` +
    `characters in ${lines.length} ${lines.length === 1 ? "line" : "lines"}. Scroll to read all.`);
}

/** A text of a view that the person judges: all of it, or that there is more. */
export function long(label, text) {
  const clean = shown(text, Infinity);
  const more = clean.length - limits.text;
  return element("div", {}, howLong(label, clean), element("pre",
    { tabIndex: 0, role: "group", ariaLabel: label }, clean.slice(0, limits.text)),
  more > 0 ? notShown(label, `${more} more characters`) : "");
}
