// SPDX-License-Identifier: Apache-2.0
//
// A client of the Model Context Protocol over HTTP, for the Inspector and the host page. It
// sends what any client sends: requests that stand for themselves (2026-07-28), or the
// requests of a session (the revisions before). `ask` answers what the server asks; `tell`
// is given its notifications.
import { parse, stringify } from "./exact.js";

export const revisions = ["2026-07-28", "2025-11-25", "2025-06-18"];

const MOST_ROUNDS = 50; // of questions in one call
const MOST_RESUMES = 20; // of a stream that the server closes before the reply
const inspector = {
  capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
  clientInfo: { name: "mica-inspector", version: "1" },
  read: parse,
};

/** The server refused a request, or said something that is no reply. */
export class McpError extends Error {
  constructor(message, reply, status) {
    super(message);
    this.reply = reply; // the whole message, or undefined
    this.status = status; // of HTTP, where that is the refusal
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

/** `capabilities` and `clientInfo` are what the server is told; `read` makes a message of
 * its text. */
export class Client {
  constructor(url, revision, options) {
    Object.assign(this, { url, revision, ...inspector, ...options });
    this.stateless = revision === "2026-07-28";
    this.last = 0; // id of a request
  }

  /** Sends a request; what its reply says. `headers` are those of its arguments. A
   * `signal` that aborts ends a request that stands for itself. */
  async request(method, params = {}, headers = {}, signal = undefined) {
    if (this.stateless) return this.#rounds(method, params, headers, signal);
    await this.#begin();
    return this.#roundTrip(method, params, headers);
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
    const abort = new AbortController();
    if (!this.stateless) await this.#begin();
    const response = this.stateless
      ? await this.#listen({ resourceSubscriptions: [uri] }, abort.signal)
      : await fetch(this.url, { headers: { ...this.#headers(),
        Accept: "text/event-stream" }, signal: abort.signal });
    if (!isStream(response)) throw await this.#failure(response);
    const follow = async () => {
      for await (const { data } of eventsOf(response)) {
        const message = data ? this.read(data) : {};
        if (message.method) this.tell(message);
        if (message.method === "notifications/resources/updated") changed(message);
      }
    };
    follow().catch((error) => abort.signal.aborted || this.tell({ method: "error",
      params: { message: `The subscription broke off: ${error.message}` } }));
    if (!this.stateless) await this.#roundTrip("resources/subscribe", { uri }, {});
    return async () => {
      if (!this.stateless) await this.#roundTrip("resources/unsubscribe", { uri }, {});
      abort.abort();
    };
  }

  /** Has `tell` given these notifications, in requests that stand for themselves. Resolves
   * when the server ends the stream; `began` is called once it follows. */
  async listen(notifications, signal, began) {
    const response = await this.#listen(notifications, signal);
    if (!isStream(response)) throw await this.#failure(response);
    began();
    for await (const { data } of eventsOf(response)) {
      const message = data ? this.read(data) : {};
      if (message.method) this.tell(message);
    }
  }

  #listen(notifications, signal) {
    return this.#post(this.#stateless(++this.last, "subscriptions/listen", { notifications }),
      this.#headers("subscriptions/listen", {}), signal);
  }

  /** Sends the text of a message as it is, in the session where there is one. */
  async raw(text, headers) {
    if (!this.stateless) await this.#begin();
    return fetch(this.url, { method: "POST", body: text,
      headers: { ...headers, ...this.session && { "Mcp-Session-Id": this.session } } });
  }

  /** Ends the session. */
  async close() {
    if (this.session)
      await fetch(this.url, { method: "DELETE", headers: this.#headers() });
    this.begun = this.session = undefined;
  }

  #headers(method, params) {
    return {
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
    return fetch(this.url, { method: "POST", headers, signal,
      body: stringify({ jsonrpc: "2.0", ...message }) });
  }

  async #failure(response) {
    const text = await response.text();
    const { status } = response;
    try {
      const reply = this.read(text);
      return new McpError(reply.error?.message ?? text, reply, status);
    } catch {
      return new McpError(`HTTP ${status}: ${text || "no body"}`, undefined, status);
    }
  }

  // ---- Requests that stand for themselves --------------------------------------

  #stateless(id, method, params) {
    return { id, method, params: { ...params, _meta: { ...params._meta,
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
        inputResponses[key] = await this.ask(request);
      more = { inputResponses, requestState: result.requestState };
    }
    throw new McpError(`The tool asked ${MOST_ROUNDS} times; the call was given up.`);
  }

  // ---- Requests of a session ----------------------------------------------------

  #begin() {
    this.begun ??= this.#initialize().catch((error) => {
      this.begun = undefined;
      throw error;
    });
    return this.begun;
  }

  async #initialize() {
    const id = ++this.last;
    const { capabilities, clientInfo } = this;
    const response = await this.#post({ id, method: "initialize", params: {
      protocolVersion: this.revision, clientInfo,
      capabilities: this.revision === "2025-11-25" ? capabilities
        : { ...capabilities, elicitation: {} } } },
      { "Content-Type": "application/json",
        Accept: "application/json, text/event-stream" });
    const reply = await this.#replyOf(response, id);
    if (reply.protocolVersion !== this.revision)
      throw new McpError(`The server speaks ${reply.protocolVersion} instead.`);
    this.session = response.headers.get("Mcp-Session-Id") ?? undefined;
    await this.#post({ method: "notifications/initialized" }, this.#headers());
  }

  async #roundTrip(method, params, headers, signal) {
    const id = ++this.last;
    const response = await this.#post(
      this.stateless ? this.#stateless(id, method, params) : { id, method, params },
      { ...this.#headers(method, params), ...headers }, signal);
    return this.#replyOf(response, id);
  }

  // ---- Replies --------------------------------------------------------------------

  async #replyOf(response, id) {
    if (!isStream(response)) {
      if (!response.ok) throw await this.#failure(response);
      return this.#resultOf(this.read(await response.text()));
    }
    const reply = await this.#replyOn(response, id);
    if (reply === undefined)
      throw new McpError("The stream ended before the reply came.");
    return this.#resultOf(reply);
  }

  #resultOf(reply) {
    if (reply.error) throw new McpError(reply.error.message, reply);
    return reply.result;
  }

  // The server may close a stream before the reply; the client then comes back for it.
  async #replyOn(response, id) {
    let last;
    for (let tries = 0; tries <= MOST_RESUMES; tries++) {
      for await (const event of eventsOf(response)) {
        last = event.id ?? last;
        const message = event.data ? this.read(event.data) : {};
        if (isReply(message, id)) return message;
        this.#take(message);
      }
      if (last === undefined || this.stateless) return undefined;
      response = await fetch(this.url, { headers: { ...this.#headers(),
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
      answer = { error: { code: -1, message: error.message } };
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
