// SPDX-License-Identifier: Apache-2.0
//
// The types of events.js.
type Map = Record<string, unknown>;
type Listener<Params> = (params: Params) => void;

export declare class Events<EventMap extends Map = Record<string, any>> {
  constructor(names: (keyof EventMap)[], report: (error: unknown) => void);
  define(name: keyof EventMap): void;
  handler<K extends keyof EventMap>(name: K): Listener<EventMap[K]> | undefined;
  setHandler<K extends keyof EventMap>(name: K, handler: Listener<EventMap[K]> | undefined): void;
  add<K extends keyof EventMap>(name: K, listener: Listener<EventMap[K]>): void;
  remove<K extends keyof EventMap>(name: K, listener: Listener<EventMap[K]>): void;
  has(name: keyof EventMap): boolean;
  dispatch<K extends keyof EventMap>(name: K, params: EventMap[K]): void;
}

export declare class EventDispatcher<EventMap extends Map = Record<string, any>> {
  setHandler<K extends keyof EventMap>(name: K, handler: Listener<EventMap[K]> | undefined): void;
  getHandler<K extends keyof EventMap>(name: K): Listener<EventMap[K]> | undefined;
  addEventListener<K extends keyof EventMap>(name: K, listener: Listener<EventMap[K]>): void;
  removeEventListener<K extends keyof EventMap>(name: K, listener: Listener<EventMap[K]>): void;
  dispatch<K extends keyof EventMap>(event: K, params: EventMap[K]): void;
}

export declare function warnReplaced(name: string): void;
