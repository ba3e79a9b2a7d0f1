// SPDX-License-Identifier: Apache-2.0
//
// The draft that is edited, and its way to the server. Every change is on this device at
// once, and on the server a moment later, under the revision that it was made of.
//
//     saved ──edit──▶ edited ──send──▶ saving ──stored──▶ saved
//                       ▲                │
//                       │                ├─unreachable──▶ offline ──send──▶ saving
//                       ├──edit── refused ◀──refused─────┤
//                       ├─resolved─ conflict ◀─conflict──┤
//                       │                └─ended───────▶ ended
import * as api from "./api.js";
import { forget, keep } from "./kept.js";
import { changes, draftOf, merge, patchOf, put, at, same } from "./record.js";

const MOVES = {
  saved: { edit: "edited", conflict: "conflict", ended: "ended" },
  edited: { edit: "edited", send: "saving", revert: "saved", conflict: "conflict" },
  saving: { edit: "saving", stored: "saved", unreachable: "offline", refused: "refused",
    conflict: "conflict", ended: "ended" },
  offline: { edit: "offline", send: "saving", revert: "saved" },
  refused: { edit: "edited", send: "saving", revert: "saved" },
  conflict: { edit: "conflict", resolved: "edited", revert: "saved" },
  ended: { edit: "ended" },
};

const WAIT_MS = 700; // after the last key
const RETRY_MS = [2000, 5000, 15_000, 30_000];
const GROUP_MS = 1500; // changes of one field that are undone together
const MOST_UNDONE = 200;

// The last saver of each app. What one before it still sends says nothing of the changes that
// this device keeps by now, and is not sent again.
const newest = new Map();

/** Tells "state" and "draft" (with its place, "" for all of it). */
export class Saver extends EventTarget {
  state = "saved";
  error; // why it was refused, or has ended
  kept = true; // whether this device keeps the changes
  theirs; // the record of another, in a conflict
  #undone = [];
  #group;
  #timer;
  #tries = 0;
  #sending; // promise

  constructor(record) {
    super();
    this.#take(record);
    newest.set(this.id, this);
    this.draft = this.base;
    this.restart = () => {
      this.#tries = 0; // a request that fails just now is soon sent again
      if (this.state === "offline") this.#send();
    };
    addEventListener("online", this.restart);
  }

  #take(record) {
    this.record = record;
    this.base = draftOf(record);
    this.revision = record.revision;
  }

  get id() {
    return this.record.id;
  }

  get unsaved() {
    return !same(this.base, this.draft);
  }

  get canUndo() {
    return this.#undone.length > 0;
  }

  #move(event, error) {
    const next = MOVES[this.state][event];
    if (!next) throw new Error(`no ${event} in the state ${this.state}`);
    this.state = next;
    this.error = error;
    this.dispatchEvent(new Event("state"));
  }

  // ---- Editing ---------------------------------------------------------------------

  get(place) {
    return at(this.draft, place);
  }

  /** Changes one place; undefined removes it. */
  set(place, value) {
    this.replace(put(this.draft, place, value), place);
  }

  /** Changes the draft; `group` names what is edited, so that it is undone in one step. */
  replace(draft, group) {
    if (same(draft, this.draft)) return;
    const now = performance.now();
    if (this.#group?.name !== group || now - this.#group.time > GROUP_MS)
      this.#undone.push(this.draft);
    if (this.#undone.length > MOST_UNDONE) this.#undone.shift();
    this.#group = { name: group, time: now };
    this.#become(draft, group);
  }

  undo() {
    const before = this.#undone.pop();
    this.#group = undefined;
    if (before) this.#become(before, "");
  }

  #become(draft, place) {
    this.draft = draft;
    this.#keep();
    if (!this.unsaved && MOVES[this.state].revert) this.#move("revert");
    else if (this.unsaved) this.#move("edit");
    this.dispatchEvent(new CustomEvent("draft", { detail: place }));
    this.#later(WAIT_MS);
  }

  #keep() {
    if (newest.get(this.id) !== this) return;
    if (!this.unsaved) return forget(this.id);
    const { record, base, draft, revision } = this;
    this.kept = keep(this.id, { record, base, draft, revision });
  }

  /** Takes up changes that this device kept. */
  adopt({ base, draft, revision }) {
    if (same(draft, this.base)) return forget(this.id);
    if (revision === this.revision) return this.replace(draft, "adopted");
    const { record } = this;
    this.base = base;
    this.revision = revision;
    this.draft = draft;
    this.#keep();
    this.#differs(record);
  }

  // ---- Saving ----------------------------------------------------------------------

  #later(ms) {
    clearTimeout(this.#timer);
    if (/^(edited|offline)$/.test(this.state) && newest.get(this.id) === this)
      this.#timer = setTimeout(() => this.#send(), ms);
  }

  /** Sends what is unsaved now. Resolves to whether all is saved. */
  async flush() {
    await this.#sending;
    if (MOVES[this.state].send) await this.#send();
    return this.state === "saved";
  }

  #send() {
    clearTimeout(this.#timer);
    if (!MOVES[this.state].send) return this.#sending;
    this.#move("send");
    this.#sending = this.#save().finally(() => { this.#sending = undefined; });
    return this.#sending;
  }

  async #save() {
    const sent = this.draft;
    try {
      const record = await api.edit(this.id, patchOf(this.base, sent) ?? {}, this.revision);
      this.#tries = 0;
      this.#take(record);
      const whole = same(this.draft, sent);
      if (whole) this.draft = this.base;
      this.#keep();
      this.#move("stored");
      if (whole) return;
      this.#move("edit");
      this.#later(WAIT_MS);
    } catch (error) {
      await this.#failed(error);
    }
  }

  async #failed(error) {
    if (error instanceof api.Unreachable) {
      this.#move("unreachable", error);
      return this.#later(RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)]);
    }
    if (!(error instanceof api.Refusal)) throw error;
    if (error.status === 412) return this.#readTheirs();
    if (error.status === 404) return this.#move("ended", error);
    if (error.status === 429 || error.status >= 500) {
      this.#move("unreachable", error);
      return this.#later(RETRY_MS.at(-1));
    }
    this.#move("refused", error);
  }

  async #readTheirs() {
    try {
      this.#differs(await api.read(this.id));
    } catch (error) {
      await this.#failed(error);
    }
  }

  // ---- Others ------------------------------------------------------------------------

  // An answer may be lost on its way: then what "they" changed is what was sent.
  #differs(record) {
    this.theirs = record;
    this.#move("conflict");
    const { merged, both, others } = this.conflict();
    if (both.length === 0 && others.every(({ place, after }) => same(at(this.draft, place), after)))
      this.resolve(merged);
  }

  /** What others changed, and what both did: as merge() of record.js. */
  conflict(mineWins) {
    return merge(this.base, this.draft, draftOf(this.theirs), mineWins);
  }

  /** Ends a conflict with a draft of the person's choice, made of the newest revision. */
  resolve(draft) {
    this.#undone.push(this.draft);
    this.#take(this.theirs);
    this.theirs = undefined;
    this.#move("resolved");
    this.draft = draft;
    this.#keep();
    if (!this.unsaved) this.#move("revert");
    this.dispatchEvent(new CustomEvent("draft", { detail: "" }));
    this.#later(0);
  }

  /** The server has told of the app anew: after an act, or when the page is looked at. */
  accept(record) {
    if (record.revision < this.revision) return; // asked for before the last save
    if (this.state === "saved") {
      const changed = changes(this.base, draftOf(record)).length > 0;
      this.#take(record);
      this.draft = this.base;
      this.dispatchEvent(new Event("state"));
      if (changed) this.dispatchEvent(new CustomEvent("draft", { detail: "" }));
    } else if (record.revision === this.revision) {
      this.record = record;
      this.dispatchEvent(new Event("state"));
    }
  }

  close() {
    clearTimeout(this.#timer);
    removeEventListener("online", this.restart);
    this.flush().catch(console.warn);
  }
}
