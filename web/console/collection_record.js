// SPDX-License-Identifier: Apache-2.0
//
// One collection as the server has it, and its changes: one after the other, each for the
// revision of then. If others changed something else meanwhile, a change is sent again; if they
// changed the same, it is refused, so that nothing is overwritten that a person has not seen.
import { Refusal } from "./api.js";
import * as api from "./collection_api.js";

const TRIES = 3; // for a change while others change something else
const CHANGED = "The collection has changed meanwhile, and this was not done. What is stored " +
  "now is shown: do it again if it is still right.";

export const slugsOf = ({ members }) => members.map(({ mcpSlug }) => mcpSlug);
export const changedMeanwhile = () => new Refusal({ message: CHANGED });

// What stands before a server may answer anything.
function checked(now) {
  if (!now?.revision)
    throw new Refusal({ message: "What came is no collection. Reload the page." });
  return now;
}

export class CollectionRecord {
  #last = Promise.resolve(); // the act before

  constructor(now) {
    this.now = checked(now);
    this.membersByOthers = 0; // how often others have changed its apps
  }

  get id() {
    return this.now.id;
  }

  #accept(now) {
    if (checked(now).revision >= this.now.revision) this.now = now; // else an answer came late
  }

  /** The record was read: others may have changed it. */
  read(now) {
    const before = slugsOf(this.now).join();
    this.#accept(now);
    if (slugsOf(this.now).join() !== before) this.membersByOthers++;
  }

  // Runs `act` once the acts before it have ended.
  #queue(act) {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => {}); // what failed is told where it was begun
    return turn;
  }

  /**
   * Sends `patchOf(now)` while `isSeen(now)`: a person has seen what it replaces. After a
   * conflict it is read, `follow()` shows that, and it is sent again unless it `isDone(now)`.
   */
  change({ patchOf, isSeen, isDone = () => false }, follow) {
    return this.#queue(async () => {
      for (let left = TRIES; left > 0 && isSeen(this.now); left--) {
        try {
          return this.#accept(await api.edit(this.id, patchOf(this.now), this.now.revision));
        } catch (error) {
          if (error.code !== "REVISION_CONFLICT") throw error;
        }
        this.read(await api.read(this.id));
        const done = isDone(this.now);
        follow();
        if (done) return undefined;
      }
      throw changedMeanwhile();
    });
  }

  remove() {
    return this.#queue(() => api.remove(this.id).catch((error) => {
      if (error.status !== 404) throw error; // it is gone
    }));
  }
}
