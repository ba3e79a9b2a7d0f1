// SPDX-License-Identifier: Apache-2.0
//
// A recording as a test of a view: the host's messages are played to a fresh document, and
// what the view sends is compared with what it sent then. The host waits for each message
// that the view had sent before; ids may be others, and times do not count. A view's
// requests get the recorded replies: nothing reaches a server.

import { asJson, kindOf } from "../view/peer.js";
import { openView } from "../host/frame.js";
import { firstDifference, without } from "./difference.js";
import { limits } from "./tool_limits.js";
import { textOf } from "./message_text.js";
import { SANDBOX } from "./recording.js";

const QUOTED = 120; // characters of a value in a report

const quoted = (value) => value === undefined ? "nothing"
  : ((text) => text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text)(
    textOf(value, QUOTED + 1).text);
const nameOf = (message, kind = kindOf(message)) => kind === undefined
  ? "no message of JSON-RPC" : message.method ?? `the ${kind} of ${message.id}`;

// The message with another id, or token of progress; a copy.
const withParams = (message, change) => ({ ...message, params: { ...message.params, ...change } });

/**
 * Plays a recording (of readRecording): `send(message)` reaches the view, `received(message)`
 * takes what it says. `finished` resolves to undefined if all was as recorded, else to
 * {message, method, pointer, expected, actual, text}: the first difference.
 */
export class Replay {
  finished;
  #send;
  #ignore;
  #messages;
  #ids = new Map(); // of requests of the view, as recorded: now
  #tokens = new Map(); // likewise, of their progress
  #arrived = [];
  #wake = () => {};
  #ended = false;

  constructor({ messages, ignore }, send) {
    this.#messages = messages;
    this.#ignore = ignore;
    this.#send = send;
  }

  /** Begins; the first message of the view may take `patience` ms more. */
  start(patience = limits.loadMs) {
    this.finished = this.#run(patience).finally(() => { this.#ended = true; });
    return this.finished;
  }

  received(message) {
    if (this.#ended || this.#isIgnored(message)) return;
    this.#arrived.push(message);
    this.#wake();
  }

  // A request is never left out: its reply would have no place.
  #isIgnored({ method, id }) {
    return id === undefined && this.#ignore.some((rule) =>
      rule.method === method && rule.pointer === undefined);
  }

  async #run(patience) {
    let before = 0;
    for (const [i, { from, ms, message }] of this.#messages.entries()) {
      const gap = Math.max(0, ms - before);
      before = ms;
      if (from === "host") {
        this.#send(this.#asSentNow(message));
      } else if (!this.#isIgnored(message)) {
        const wait = limits.replyMs + gap + patience;
        const arrived = await this.#next(wait);
        patience = 0;
        const found = arrived === undefined
          ? { pointer: "", expected: message, actual: undefined,
              text: `the view did not send it within ${wait} ms` }
          : this.#compare(message, arrived);
        if (found) return this.#report(i, message, found);
      }
    }
    const more = await this.#next(limits.settleMs);
    return more && this.#report(this.#messages.length, more, { pointer: "", actual: more,
      text: `the recording has ended, and the view sent ${quoted(more)}` });
  }

  #report(i, message, { pointer, expected, actual, text }) {
    const method = nameOf(message);
    return { message: i + 1, method, pointer, expected, actual,
      text: `Message ${i + 1} (${method}): ${text ??
        `${pointer || "the message"}: recorded ${quoted(expected)}, now ${quoted(actual)}`}` };
  }

  // The next message of the view; undefined: none came in time.
  #next(ms) {
    if (this.#arrived.length) return this.#arrived.shift();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#take(resolve), ms);
      this.#wake = () => {
        clearTimeout(timer);
        this.#take(resolve);
      };
    });
  }

  #take(resolve) {
    this.#wake = () => {};
    resolve(this.#arrived.shift());
  }

  #compare(recorded, arrived) {
    let now;
    try {
      now = asJson(arrived);
    } catch (error) {
      return { pointer: "", expected: recorded, text: error.message };
    }
    const kind = kindOf(recorded);
    if (kindOf(now) !== kind || now.method !== recorded.method)
      return { pointer: "", expected: recorded, actual: now,
        text: `recorded ${nameOf(recorded)}, now ${nameOf(now)}: ${quoted(now)}` };
    if (kind === "request") {
      this.#ids.set(recorded.id, now.id);
      now = { ...now, id: recorded.id };
      now = this.#likeRecorded(recorded, now);
    } else if (recorded.method === "notifications/cancelled" &&
        this.#ids.get(recorded.params?.requestId) === now.params?.requestId) {
      now = withParams(now, { requestId: recorded.params?.requestId });
    }
    const pointers = this.#ignore.filter(({ method, pointer }) =>
      method === recorded.method && pointer !== undefined).map(({ pointer }) => pointer);
    return firstDifference(...[recorded, now].map((message) => pointers.reduce(without, message)));
  }

  // Where both ask for progress, under whatever token.
  #likeRecorded(recorded, now) {
    const [was, is] = [recorded, now].map(({ params }) => params?._meta?.progressToken);
    if (was === undefined || is === undefined) return now;
    this.#tokens.set(was, is);
    return withParams(now, { _meta: { ...now.params._meta, progressToken: was } });
  }

  // A message of the host, with the ids that the view uses now.
  #asSentNow(message) {
    if (message.method === undefined) return { ...message, id: this.#ids.get(message.id) };
    const token = message.params?.progressToken;
    return message.method === "notifications/progress" && this.#tokens.has(token)
      ? withParams(message, { progressToken: this.#tokens.get(token) }) : message;
  }
}

/**
 * Replays a recording in a frame of this page; `options` are those of openView. Resolves to
 * the first difference, or to undefined.
 */
export async function replayView(recording, options) {
  let transport, fail;
  const failed = new Promise((_, reject) => { fail = reject; });
  const replay = new Replay(recording, (message) => transport.send(message));
  // What openView needs of a bridge: the messages themselves are those of the recording.
  let ready;
  const stand = {
    addEventListener(event, listener) { ready = listener; },
    async sendSandboxResourceReady(params) {
      transport.send({ jsonrpc: "2.0", method: `${SANDBOX}resource-ready`, params });
    },
    report: fail,
    async connect(made) {
      transport = made;
      transport.onmessage = (message) => {
        const method = String(message.method);
        if (method === `${SANDBOX}proxy-ready`) ready();
        else if (method === `${SANDBOX}view-stopped`)
          fail(new Error(`The view was stopped: ${message.params?.reason}`));
        else if (!method.startsWith(SANDBOX)) replay.received(message);
      };
      await transport.start();
    },
  };
  await openView(stand, options);
  try {
    return await Promise.race([replay.start(), failed]);
  } finally {
    await transport.close();
  }
}
