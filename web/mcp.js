// SPDX-License-Identifier: Apache-2.0
//
// A client of the Model Context Protocol over HTTP in one revision, for the Inspector, the
// host page and web/client. It sends what any client sends: requests that stand for themselves (2026-07-28),
// or the requests of a session (the revisions before). `ask` answers what the server asks, with the signal of the request where it has one;
// `tell` is given its notifications.
import { parse, stringify } from "./exact.js";

export const revisions = ["2026-07-28", "2025-11-25", "2025-06-18"];

const MOST_ROUNDS = 50; // of questions in one call
const MOST_RESUMES = 20; // of a stream that the server closes before the reply
// What the Inspector is; another client says what it is itself.
const INSPECTOR = {
  capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
  clientInfo: { name: "mica-inspector", version: "1" },
  codec: { parse, stringify },
  headers: {},
  fetch: (...given) => fetch(...given),
  accepts: () => false, // another revision than the one that was asked for
};

/** The server refused a request, or said something that is no reply. */
export class McpError extends Error {
  constructor(message, reply, status) {
    super(message);
    this.reply = reply; // the whole message, or undefined
    this.status = status; // of HTTP, where it was a refusal
  }
}

// ---- Bytes ---------------------------------------------------------------------

const plainHeader = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

// Headers are ASCII; other values are sent in Base64, and what looks so, too.
function headerValue(text) {
  if (plainHeader.test(text) && !/^=\?base64\?.*\?=$/.test(text)) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`;
}

/** Yields {id, data} for each event of a response, until it ends. */
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (waiting + value).replaceAll("\r\n", "\n").split("\n\n");
    waiting = parts.pop();
    for (const part of parts) {
      const found = { id: undefined, data: "" };
      for (const line of part.split("\n")) {
        const [, name, text] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (name === "id") found.id = text;
        if (name === "data") found.data += (found.data && "\n") + text;
      }
      yield found;
    }
  }
}

const isStream = (response) =>
  response.headers.get("Content-Type")?.startsWith("text/event-stream") ?? false;

const isReply = (message, id) => message.method === undefined &&
  String(message.id) === String(id);

// ---- The client ------------------------------------------------------------------

export class Client {
  /** `options` has `ask` and `tell`, and what is not as in INSPECTOR. */
  constructor(url, revision, options) {
    Object.assign(this, INSPECTOR, { url, revision }, options);
    this.stateless = revision === "2026-07-28";
    this.last = 0; // id of a request
  }

  /**
   * Sends a request; what its reply says. `headers` are those of its arguments. When `signal`
   * ends, the server is told that the request is cancelled.
   */
  async request(method, params = {}, headers = {}, signal) {
    if (this.stateless) return this.#rounds(method, params, headers, signal);
    await this.begin();
    return this.#roundTrip(method, params, headers, signal);
  }

  /** Sends a notification, in the session. */
  async notify(method, params) {
    await this.begin();
    await this.#post({ method, params }, this.#headers());
  }

  /** The whole of a list, page after page; [] where the server has no such list. */
  async list(method, member) {
    const items = [];
    let cursor;
    do {
      const result = await this.request(method, cursor === undefined ? {} : { cursor })
        .catch((error) => {
          if (error.reply?.error?.code === -32601) return {};
          throw error;
        });
      items.push(...result[member] ?? []);
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return items;
  }

  /** Follows a resource: `changed` is called whenever it is another. Resolves to a
   * function that ends it, once the server follows. */
  async subscribe(uri, changed) {
    const end = await this.listen({ resourceSubscriptions: [uri] }, (message) => {
      if (message.method === "notifications/resources/updated") changed(message);
    });
    if (!this.stateless) await this.#roundTrip("resources/subscribe", { uri }, {});
    return async () => {
      if (!this.stateless) await this.#roundTrip("resources/unsubscribe", { uri }, {});
      end();
    };
  }

  /**
   * Opens a stream of notifications: those that `notifications` names; in a session, which has
   * one stream, all. `tell` is given each, and so is `heard`. Resolves to a function that ends
   * it, once the server has opened it.
   */
  async listen(notifications, heard = () => {}) {
    if (this.stateless)
      return this.#stream((signal) => this.#listen(notifications, signal), new Set([heard]));
    await this.begin();
    const hearers = this.hearers ??= new Set();
    hearers.add(heard);
    this.ending ??= this.#stream((signal) => this.fetch(this.url, { signal,
      headers: { ...this.#headers(), Accept: "text/event-stream" } }), hearers);
    const end = await this.ending.catch((error) => {
      this.ending = undefined;
      throw error;
    });
    return () => {
      if (!hearers.delete(heard) || hearers.size > 0) return;
      this.ending = undefined;
      end();
    };
  }

  /**
   * Has `tell` given these notifications, in requests that stand for themselves. Resolves when
   * the server ends the stream, and rejects when `signal` does; `began` is called once the
   * server follows.
   */
  async follow(notifications, signal, began) {
    const response = await this.#listen(notifications, signal);
    if (!isStream(response)) throw await this.#failure(response);
    began();
    for await (const { data } of eventsOf(response)) {
      const message = data ? this.codec.parse(data) : {};
      if (message.method) this.tell(message);
    }
  }

  #listen(notifications, signal) {
    return this.#post(this.#stateless(++this.last, "subscriptions/listen", { notifications }),
      this.#headers("subscriptions/listen", {}), signal);
  }

  async #stream(open, hearers) {
    const abort = new AbortController();
    const response = await open(abort.signal);
    if (!isStream(response)) throw await this.#failure(response);
    const follow = async () => {
      for await (const { data } of eventsOf(response)) {
        const message = data ? this.codec.parse(data) : {};
        this.#take(message); // in a session also a question
        for (const heard of [...hearers]) heard(message);
      }
    };
    follow().catch((error) => abort.signal.aborted || this.tell({ method: "error",
      params: { message: `The subscription broke off: ${error.message}` } }));
    return () => abort.abort();
  }

  /** Sends the text of a message as it is, in the session where there is one. */
  async raw(text, headers) {
    if (!this.stateless) await this.begin();
    return this.fetch(this.url, { method: "POST", body: text,
      headers: { ...headers, ...this.session && { "Mcp-Session-Id": this.session } } });
  }

  /** Ends the session. */
  async close() {
    if (this.session)
      await this.fetch(this.url, { method: "DELETE", headers: this.#headers() });
    this.begun = this.session = undefined;
  }

  #headers(method, params) {
    return {
      ...this.headers,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": this.revision,
      ...this.stateless && method && { "Mcp-Method": method },
      ...this.stateless && (params?.name ?? params?.uri) !== undefined &&
        { "Mcp-Name": headerValue(params.name ?? params.uri) },
      ...this.session && { "Mcp-Session-Id": this.session },
    };
  }

  #post(message, headers, signal) {
    return this.fetch(this.url, { method: "POST", headers, signal,
      body: this.codec.stringify({ jsonrpc: "2.0", ...message }) });
  }

  async #failure(response) {
    const text = await response.text();
    try {
      const reply = this.codec.parse(text);
      return new McpError(reply.error?.message ?? text, reply, response.status);
    } catch {
      return new McpError(`HTTP ${response.status}: ${text || "no body"}`, undefined,
        response.status);
    }
  }

  // ---- Requests that stand for themselves --------------------------------------

  #stateless(id, method, params) {
    return { id, method, params: { ...params, _meta: {
      ...params._meta,
      "io.modelcontextprotocol/protocolVersion": this.revision,
      "io.modelcontextprotocol/clientInfo": this.clientInfo,
      "io.modelcontextprotocol/clientCapabilities": this.capabilities,
    } } };
  }

  // A reply that asks is answered by the same request with the answers.
  async #rounds(method, params, headers, signal) {
    let more = {};
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const result = await this.#roundTrip(method, { ...params, ...more }, headers, signal);
      if (result.resultType !== "input_required") return result;
      const inputResponses = {};
      for (const [key, request] of Object.entries(result.inputRequests ?? {}))
        inputResponses[key] = await this.ask(request, signal);
      more = { inputResponses, requestState: result.requestState };
    }
    throw new McpError(`The tool asked ${MOST_ROUNDS} times; the call was given up.`);
  }

  // ---- Requests of a session ----------------------------------------------------

  /** Begins the session, unless it has begun. */
  begin() {
    this.begun ??= this.#initialize().catch((error) => {
      this.begun = undefined;
      throw error;
    });
    return this.begun;
  }

  async #initialize() {
    const id = ++this.last;
    const { clientInfo, capabilities } = this;
    const response = await this.#post({ id, method: "initialize", params: {
      protocolVersion: this.revision, clientInfo,
      capabilities: this.revision === "2025-11-25" || !capabilities.elicitation ? capabilities
        : { ...capabilities, elicitation: {} } } },
      { ...this.headers, "Content-Type": "application/json",
        Accept: "application/json, text/event-stream" });
    const reply = await this.#replyOf(response, id);
    if (reply.protocolVersion !== this.revision && !this.accepts(reply.protocolVersion))
      throw new McpError(`The server speaks ${reply.protocolVersion} instead.`);
    this.revision = reply.protocolVersion;
    this.server = reply; // capabilities, serverInfo, instructions
    this.session = response.headers.get("Mcp-Session-Id") ?? undefined;
    await this.#post({ method: "notifications/initialized" }, this.#headers());
  }

  async #roundTrip(method, params, headers, signal) {
    const id = ++this.last;
    try {
      const response = await this.#post(
        this.stateless ? this.#stateless(id, method, params) : { id, method, params },
        { ...this.#headers(method, params), ...headers }, signal);
      return await this.#replyOf(response, id, signal);
    } catch (error) {
      // Without a session the end of the connection says it.
      if (signal?.aborted && !this.stateless)
        this.notify("notifications/cancelled", { requestId: id,
          reason: String(signal.reason?.message ?? signal.reason) })
          .catch((failed) => this.tell({ method: "error", params: {
            message: `The request could not be cancelled: ${failed.message}` } }));
      throw error;
    }
  }

  // ---- Replies --------------------------------------------------------------------

  async #replyOf(response, id, signal) {
    if (!isStream(response)) {
      if (!response.ok) throw await this.#failure(response);
      return this.#resultOf(this.codec.parse(await response.text()));
    }
    const reply = await this.#replyOn(response, id, signal);
    if (reply === undefined)
      throw new McpError("The stream ended before the reply came.");
    return this.#resultOf(reply);
  }

  #resultOf(reply) {
    if (reply.error) throw new McpError(reply.error.message, reply);
    return reply.result;
  }

  // The server may close a stream before the reply; the client then comes back for it.
  async #replyOn(response, id, signal) {
    let last;
    for (let tries = 0; tries <= MOST_RESUMES; tries++) {
      for await (const event of eventsOf(response)) {
        last = event.id ?? last;
        const message = event.data ? this.codec.parse(event.data) : {};
        if (isReply(message, id)) return message;
        this.#take(message);
      }
      if (last === undefined || this.stateless) return undefined;
      response = await this.fetch(this.url, { signal, headers: { ...this.#headers(),
        Accept: "text/event-stream", "Last-Event-ID": last } });
      if (!isStream(response)) throw await this.#failure(response);
    }
    return undefined;
  }

  // A question is answered by a POST of its own, while the stream is read on.
  #take(message) {
    if (message.method && message.id !== undefined)
      this.#answer(message).catch((error) => this.tell({ method: "error", params: {
        message: `The answer could not be sent: ${error.message}` } }));
    else if (message.method) this.tell(message);
  }

  async #answer({ id, method, params }) {
    let answer;
    try {
      answer = { result: await this.ask({ method, params }) };
    } catch (error) {
      answer = { error: { code: error.code ?? -1, message: error.message } };
    }
    await this.#post({ id, ...answer }, this.#headers());
  }
}

/** The headers of arguments that the schema of a tool wants repeated there. */
export function argumentHeaders(schema, values) {
  const headers = {};
  for (const [name, part] of Object.entries(schema?.properties ?? {})) {
    const value = values?.[name];
    if (part["x-mcp-header"] && value !== undefined && value !== null)
      headers[`Mcp-Param-${part["x-mcp-header"]}`] = headerValue(String(value));
  }
  return headers;
}
