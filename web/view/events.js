// SPDX-License-Identifier: Apache-2.0
//
// Named events with one handler (`on…`) and any number of listeners, as the classes of the
// official packages have them.

/**
 * `names` are the events that exist (any, without them); `report(error)` is told when a
 * listener throws.
 */
export class Events {
  #slots = new Map();
  #open;
  #report;

  constructor(names, report = (error) => console.error(error)) {
    for (const name of names ?? []) this.#slots.set(name, { listeners: [] });
    this.#open = !names;
    this.#report = report;
  }

  #slot(name) {
    if (this.#open && !this.#slots.has(name)) this.#slots.set(name, { listeners: [] });
    const slot = this.#slots.get(name);
    if (!slot) throw new Error(`Unknown event: ${name}`);
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

  /** Whether anything would be called. */
  has(name) {
    const { handler, listeners } = this.#slot(name);
    return Boolean(handler) || listeners.length > 0;
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

/** The same under the names of @modelcontextprotocol/ext-apps. */
export class EventDispatcher extends Events {
  constructor() {
    super();
  }

  setHandler(name, handler) {
    if (handler && this.handler(name)) warnReplaced(name);
    super.setHandler(name, handler);
  }

  getHandler(name) {
    return this.handler(name);
  }

  addEventListener(name, listener) {
    this.add(name, listener);
  }

  removeEventListener(name, listener) {
    this.remove(name, listener);
  }
}

export const warnReplaced = (name) =>
  console.warn(`[MCP Apps] on${name} handler replaced. ` +
    `Use addEventListener("${name}", …) to add multiple listeners without replacing.`);
