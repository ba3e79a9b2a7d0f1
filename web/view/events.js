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

  /** One more event, unless there is one of that name. */
  define(name) {
    if (!this.#slots.has(name)) this.#slots.set(name, { listeners: [] });
  }

  #slot(name) {
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
export class EventDispatcher {
  #events = new Events([], (error) => console.error(error));

  #of(name) {
    this.#events.define(name);
    return this.#events;
  }

  setHandler(name, handler) {
    if (handler && this.getHandler(name)) warnReplaced(name);
    this.#of(name).setHandler(name, handler);
  }

  getHandler(name) {
    return this.#of(name).handler(name);
  }

  addEventListener(name, listener) {
    this.#of(name).add(name, listener);
  }

  removeEventListener(name, listener) {
    this.#of(name).remove(name, listener);
  }

  dispatch(name, params) {
    this.#of(name).dispatch(name, params);
  }
}

export const warnReplaced = (name) =>
  console.warn(`[MCP Apps] on${name} handler replaced. ` +
    `Use addEventListener("${name}", …) to add multiple listeners without replacing.`);
