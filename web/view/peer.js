// SPDX-License-Identifier: Apache-2.0
//
// One end of the JSON-RPC connection between a view and its host. Both ends are peers: each
// sends requests under ids of its own, which begin at 0, and answers those of the other.
// Messages are objects that the browser clones, not JSON text. The rules are those of
// JSON-RPC 2.0 and of MCP Apps 2026-01-26; the names are those of the official packages.

import { PEER_LIMITS as limits } from "./protocol.js";

/** What one message, and one peer, may take. */
export { PEER_LIMITS as limits } from "./protocol.js";

const TIMEOUT_MS = 60_000; // of a request that names no other

class CodedError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** An error of this end: `code` is a word. It was never on the wire. */
export class SdkError extends CodedError {
  name = "SdkError";
}

/** An error reply: `code` is an integer of JSON-RPC, `data` what the other end added. */
export class ProtocolError extends CodedError {
  name = "ProtocolError";
}

// ---- Messages --------------------------------------------------------------------

/**
 * `value` itself if it is JSON, as nearly all messages are; else what JSON makes of it: a
 * clone may hold NaN or a Map. A member that is undefined counts as absent and stays.
 * Throws if it is larger than `most` or too deep (a cycle is), or if JSON has no word for
 * it (a BigInt).
 */
export function asJson(value, most = limits.size) {
  let size = 0, odd = false;
  const grow = (by) => {
    size += by;
    if (size > most)
      throw new SdkError("MESSAGE_TOO_LARGE", `The message is larger than ${most}.`);
  };
  const visit = (value, depth) => {
    grow(typeof value === "string" ? 8 + value.length : 8);
    if (typeof value !== "object") {
      odd ||= typeof value === "number" ? !Number.isFinite(value)
        : !["string", "boolean", "undefined"].includes(typeof value);
    } else if (value !== null) {
      if (depth === 0)
        throw new SdkError("MESSAGE_TOO_DEEP",
          `The message has more than ${limits.depth} levels.`);
      if (Array.isArray(value)) {
        for (const item of value) visit(item, depth - 1);
      } else if (Object.getPrototypeOf(value) !== Object.prototype) {
        odd = true;
        // Of these JSON has the content: a name for each byte, and a string.
        grow(ArrayBuffer.isView(value) ? 8 * value.byteLength
          : value instanceof String ? value.length : 0);
      } else {
        for (const name of Object.keys(value)) {
          grow(name.length);
          visit(value[name], depth - 1);
        }
      }
    }
  };
  visit(value, limits.depth);
  if (!odd) return value;
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (error) {
    throw new SdkError("MESSAGE_NOT_JSON", `The message is not JSON: ${error.message}`);
  }
}

export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isId = (value) => typeof value === "string" || Number.isInteger(value);

/** "request", "notification", "result" or "error"; undefined: not a message of JSON-RPC. */
export function kindOf(message) {
  if (message?.jsonrpc !== "2.0") return undefined;
  const { method, id, params, result, error } = message;
  if (method !== undefined) {
    if (typeof method !== "string") return undefined;
    if (params !== undefined && !isObject(params)) return undefined;
    if (id === undefined) return "notification";
    return isId(id) ? "request" : undefined;
  }
  if (!isId(id) || (result === undefined) === (error === undefined)) return undefined;
  if (result !== undefined) return isObject(result) ? "result" : undefined;
  return Number.isInteger(error?.code) && typeof error.message === "string" ? "error"
    : undefined;
}

// ---- The peer --------------------------------------------------------------------

/**
 * A peer over a transport: {start(), send(message), close()}, which calls `onmessage`,
 * `onerror` and `onclose`. `onerror` of the peer is told of everything that has no other
 * way to be known; it ends nothing.
 */
export class Peer {
  onclose;
  onerror;
  fallbackRequestHandler;
  fallbackNotificationHandler;
  #transport;
  #next = 0; // id of the next request
  #sent = new Map(); // id: what waits for its reply
  #running = new Map(); // id of the other end: the AbortController of its handler
  #requests = new Map(); // method: handler
  #notifications = new Map();

  constructor() {
    this.#requests.set("ping", () => ({}));
    this.#notifications.set("notifications/cancelled", ({ params }) =>
      this.#running.get(params?.requestId)?.abort(params.reason));
    this.#notifications.set("notifications/progress", ({ params }) =>
      this.#progressed(params));
  }

  get transport() {
    return this.#transport;
  }

  /**
   * `handler(request, extra)` answers requests of that method: it returns the result, or
   * throws. `extra` has the signal that ends with the request, as `signal` and, as the
   * official packages have it, in `mcpReq`. Their other forms count too: (method,
   * {params}, handler of the parameters), and (schema that names the method, handler).
   */
  setRequestHandler(method, ...rest) {
    this.#requests.set(methodOf(method), handlerOf(rest));
  }

  removeRequestHandler(method) {
    this.#requests.delete(method);
  }

  /** A subclass may turn a message away before it is looked at: then it has answered it. */
  admit() {
    return true;
  }

  /** A subclass may check what a message holds (asJson) before its handler gets it. */
  clean(message) {
    return message;
  }

  /** Whether a request of this end with that id waits for its reply. */
  awaits(id) {
    return this.#sent.has(id);
  }

  /** Ends the handlers of the other end's requests, which get no reply. */
  abandon(reason) {
    for (const controller of this.#running.values()) controller.abort(reason);
    this.#running.clear();
  }

  hasRequestHandler(method) {
    return this.#requests.has(method);
  }

  setNotificationHandler(method, ...rest) {
    this.#notifications.set(methodOf(method), handlerOf(rest));
  }

  hasNotificationHandler(method) {
    return this.#notifications.has(method);
  }

  removeNotificationHandler(method) {
    this.#notifications.delete(method);
  }

  async connect(transport) {
    if (this.#transport)
      throw new SdkError("ALREADY_CONNECTED",
        "Already connected. Call close() before connecting again.");
    this.#transport = transport;
    transport.onmessage = (message) => this.#receive(message);
    transport.onerror = (error) => this.onerror?.(error);
    transport.onclose = () => this.#closed();
    try {
      await transport.start();
    } catch (error) {
      this.#transport = undefined;
      throw error;
    }
  }

  async close() {
    await this.#transport?.close();
  }

  #closed() {
    if (!this.#transport) return;
    this.#transport = undefined;
    const error = new SdkError("CONNECTION_CLOSED", "The connection was closed.");
    for (const sent of [...this.#sent.values()]) sent.reject(error);
    this.abandon(error);
    this.ended(error);
    this.onclose?.();
  }

  /** For what is made of a peer: the connection has been closed. */
  ended() {}

  #send(message) {
    if (!this.#transport) throw new SdkError("NOT_CONNECTED", "Not connected");
    try {
      return this.#transport.send(message);
    } catch (error) {
      throw new SdkError("SEND_FAILED", `The message could not be sent: ${error.message}`);
    }
  }

  // ---- What this end sends

  async notification({ method, params }) {
    await this.#send(params === undefined ? { jsonrpc: "2.0", method }
      : { jsonrpc: "2.0", method, params });
  }

  /**
   * Resolves to the result; rejects with a ProtocolError (the reply is an error) or an
   * SdkError. Options: `timeout` in ms (60,000), started anew by progress where
   * `resetTimeoutOnProgress` is set, but never beyond `maxTotalTimeout`; `signal`;
   * `onprogress({progress, total, message})`. A schema before the options, or in their
   * place, as the official packages allow it, is not needed: it has none of these names.
   */
  request({ method, params }, ...rest) {
    return new Promise((resolve, reject) =>
      this.#ask(method, params, rest.at(-1) ?? {}, resolve, reject));
  }

  #ask(method, params, options, resolve, reject) {
    const { signal, onprogress, timeout = TIMEOUT_MS, maxTotalTimeout = Infinity } = options;
    const id = this.#next;
    const began = performance.now();
    let timer;

    if (signal?.aborted) throw cancelled(signal);
    if (this.#sent.size >= limits.open)
      throw tooMany();
    const settle = (how, value) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      if (this.#sent.delete(id)) how(value);
    };
    const giveUp = (error) => {
      settle(reject, error);
      // If the other end has failed, this message fails too, and `onerror` hears of it.
      this.notification({
        method: "notifications/cancelled",
        params: { requestId: id, reason: error.message },
      }).catch((failed) => this.onerror?.(failed));
    };
    const abort = () => giveUp(cancelled(signal));
    const wait = () => {
      clearTimeout(timer);
      const left = Math.min(timeout, maxTotalTimeout - (performance.now() - began));
      timer = setTimeout(() => giveUp(new SdkError("REQUEST_TIMEOUT", "Request timed out",
        { timeout })), left);
    };
    const message = { jsonrpc: "2.0", id, method };

    if (params !== undefined || onprogress) message.params = { ...params };
    if (onprogress) message.params._meta = { ...params?._meta, progressToken: id };
    this.#next++;
    this.#sent.set(id, {
      resolve: (result) => settle(resolve, result),
      reject: (error) => settle(reject, error),
      progress: (params) => {
        if (options.resetTimeoutOnProgress) wait();
        onprogress?.(params);
      },
    });
    signal?.addEventListener("abort", abort);
    wait();
    try {
      // A transport may send later, and fail then.
      Promise.resolve(this.#send(message)).catch((error) => settle(reject, error));
    } catch (error) {
      settle(reject, error);
    }
  }

  // ---- What the other end sends

  #receive(received) {
    let message;
    if (!this.admit(received)) return;
    const kind = kindOf(received);
    if (kind === undefined) {
      this.onerror?.(new SdkError("INVALID_MESSAGE", "This is not JSON-RPC 2.0."));
      return;
    }
    try {
      message = this.clean(received);
    } catch (error) {
      this.#refuse(kind, received.id, error);
      return;
    }
    if (kind === "request") this.#answer(message);
    else if (kind === "notification") this.#notified(message);
    else this.#replied(message);
  }

  // Answers a message that is too large or not JSON, or ends the request that it answers.
  #refuse(kind, id, error) {
    if (kind === "request") this.#reply({ id, error: wireError(-32600, error) });
    else if (kind === "notification") this.onerror?.(error);
    else this.#sent.get(id)?.reject(error);
  }

  #replied({ id, result, error }) {
    const sent = this.#sent.get(id);
    if (!sent)
      this.onerror?.(new SdkError("UNKNOWN_REPLY", `No request ${id} is open.`));
    else if (error) sent.reject(new ProtocolError(error.code, error.message, error.data));
    else sent.resolve(result);
  }

  #progressed(params) {
    const { progressToken, ...progress } = params ?? {};
    this.#sent.get(progressToken)?.progress(progress);
  }

  #notified(message) {
    const handler = this.#notifications.get(message.method) ?? this.fallbackNotificationHandler;
    // In a later task of this turn, as the official packages do; errors have no reply.
    Promise.resolve().then(() => handler?.(message))
      .catch((error) => this.onerror?.(error));
  }

  #answer({ id, method, params }) {
    const handler = this.#requests.get(method) ?? this.fallbackRequestHandler;
    if (!handler) {
      this.#reply({ id, error: { code: -32601, message: "Method not found" } });
      return;
    }
    if (this.#running.size >= limits.open || this.#running.has(id)) {
      this.#reply({ id, error: wireError(-32600, this.#running.has(id)
        ? new SdkError("ID_IN_USE", `Request ${id} is still open.`)
        : tooMany()) });
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    Promise.resolve()
      .then(() => handler({ method, params }, this.#extra(id, method, params, controller)))
      .then((result) => ({ id, result: result ?? {} }),
        (error) => ({ id, error: wireError(-32603, error) }))
      .then((reply) => {
        if (this.#running.get(id) === controller) this.#running.delete(id);
        if (!controller.signal.aborted) this.#reply(reply);
      });
  }

  #extra(id, method, params, { signal }) {
    const notify = (notification) => this.notification(notification);
    const send = (request, ...rest) => this.request(request, ...rest);
    const _meta = params?._meta;
    return {
      signal, requestId: id, _meta, sendNotification: notify, sendRequest: send,
      mcpReq: { id, method, _meta, signal, notify, send },
    };
  }

  // A result that cannot be cloned is an error reply: the other end shall not wait.
  #reply(reply) {
    try {
      this.#send({ jsonrpc: "2.0", ...reply });
    } catch (error) {
      this.onerror?.(error);
      if (reply.error || !this.#transport) return;
      this.#reply({ id: reply.id, error: wireError(-32603, error) });
    }
  }
}

export const invalidParams = (method, why) =>
  new ProtocolError(-32602, `Invalid params for ${method}: ${why}`);

const tooMany = () => new SdkError("TOO_MANY_REQUESTS",
  `${limits.open} requests are open. Wait for one of them.`);

/** The method that the first argument of setRequestHandler names. */
export const methodOf = (method) => (typeof method === "string" ? method
  : method.shape.method.value);

const handlerOf = ([schemas, handler]) => (handler
  ? async ({ method, params }, extra) => handler(schemas.params
    ? await parse(schemas.params, params, (why) => invalidParams(method, why)) : params, extra)
  : schemas);

/** What a Standard Schema makes of `value`; throws `fail(what is wrong)`. */
export async function parse(schema, value, fail) {
  const { issues, value: parsed } = await schema["~standard"].validate(value);
  if (!issues) return parsed;
  throw fail(issues.map(({ path = [], message }) =>
    [path.map((part) => part?.key ?? part).join("."), message].filter(Boolean).join(": "))
    .join("; "));
}

// The official packages use one code for both; `reason` of the signal is the text.
const cancelled = ({ reason }) => new SdkError("REQUEST_TIMEOUT", String(reason));

// An error as a reply carries it: an integer code of its own is kept, a word goes into data.
function wireError(code, error) {
  const own = Number.isSafeInteger(error?.code);
  const data = own ? error.data : error instanceof SdkError ? { code: error.code } : undefined;
  return { code: own ? error.code : code, message: String(error?.message ?? error),
    ...data !== undefined && { data } };
}
