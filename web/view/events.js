// SPDX-License-Identifier: Apache-2.0
//
// Named events with one handler (`on…`) and any number of listeners, as the classes of the
// official packages have them.

/** `names` are the events that exist; `report(error)` is told when a listener throws. */
export class Events {
  #slots;
  #report;

  constructor(names, report) {
    this.#slots = new Map(names.map((name) => [name, { listeners: [] }]));
    this.#report = report;
  }

  #slot(name) {
    const slot = this.#slots.get(name);
    if (!slot) throw new Error(`Unknown event: ${String(name)}`);
    return slot;
  }

  handler(name) {
    return this.#slot(name).handler;
  }

  setHandler(name, handler) {
    this.#slot(name).handler = handler;
  }

  add(name, listener) {
    this.#slot(name).listeners.push(listener);
  }

  remove(name, listener) {
    const { listeners } = this.#slot(name);
    const at = listeners.indexOf(listener);
    if (at >= 0) listeners.splice(at, 1);
  }

  /** The handler first, then the listeners of this moment; one that throws stops no other. */
  dispatch(name, params) {
    const { handler, listeners } = this.#slot(name);
    for (const listener of [handler, ...listeners]) {
      try {
        listener?.(params);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}
