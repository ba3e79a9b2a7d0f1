// SPDX-License-Identifier: Apache-2.0
//
// A client of MCP servers over HTTP, under the names of the official Client: for pages and
// programs in JavaScript, and for the bridges of web/host. It speaks revision 2026-07-28 where
// the server does, and a session of the newest older revision otherwise (web/mcp.js).
//
//     const client = new Client({ name: "my-assistant", version: "1.0.0" });
//     await client.connect({ transport: { type: "http", url } });
//     const tools = await client.listTools();
//     const result = await client.callTool({ name: tools[0].name, arguments: {} });
import { argumentHeaders, Client as Wire, McpError, revisions } from "../mcp.js";
import { ProtocolError, SdkError } from "../view/peer.js";

export { ProtocolError, SdkError } from "../view/peer.js";

/** The newest first. */
export const SUPPORTED_PROTOCOL_VERSIONS = [...revisions, "2025-03-26"];

const TIMEOUT_MS = 60_000; // of a request that names no other
const MOST_PAGES = 1000; // of one list
const [STATELESS, NEWEST_SESSION] = revisions;

// What a server says to a client of a revision that it does not have: an error of JSON-RPC, or
// a refusal of HTTP before it looked for one. Others (401, 403, 429, 5xx) are refusals.
const OTHER_REVISION = [400, 404, 405, 406, 415];
const LISTS = { tools: "toolsListChanged", resources: "resourcesListChanged",
  prompts: "promptsListChanged" };

// The names of other packages' errors tell nothing here; what was refused does.
function asError(error, signal) {
  if (error instanceof McpError && error.reply?.error) {
    const { code, message, data } = error.reply.error;
    return new ProtocolError(code, message, data);
  }
  if (error instanceof McpError)
    return new SdkError(error.status ? "HTTP_ERROR" : "INVALID_REPLY", error.message,
      { status: error.status });
  if (signal?.aborted && error === signal.reason)
    return error instanceof SdkError ? error
      : new SdkError("REQUEST_TIMEOUT", String(error?.message ?? error));
  if (error instanceof SyntaxError) return new SdkError("INVALID_REPLY", error.message);
  return error instanceof TypeError ? new SdkError("CONNECTION_FAILED", error.message) : error;
}

export class Client {
  onclose;
  onerror;
  fallbackNotificationHandler;
  #info;
  #options;
  #wire;
  #server = {};
  #requests = new Map([["ping", () => ({})]]);
  #notifications = new Map();
  #progress = new Map(); // token: who is told
  #nextToken = 0;
  #schemas = new Map(); // of tools, for headers of their arguments
  #followed = new Map(); // URI of a resource: what ends its subscription
  #unlisten; // promise of what ends the stream of changes

  /** `options.capabilities` are declared beside those that handlers are set for. */
  constructor(info, options = {}) {
    this.#info = info;
    this.#options = options;
  }

  // ---- The connection ------------------------------------------------------------

  /**
   * Connects to `{ transport: { type: "http", url, headers, fetch } }`, or to the transport
   * itself. `headers` are sent with every request. `protocolVersion` leaves other revisions out.
   */
  async connect({ transport, ...bare }, { protocolVersion, signal, timeout } = {}) {
    const { type = "http", url, headers = {}, fetch } = transport ?? bare;
    if (this.#wire)
      throw new SdkError("ALREADY_CONNECTED", "Already connected. Close it first.");
    if (type !== "http")
      throw new SdkError("UNKNOWN_TRANSPORT", `The transport "${type}" is not known; use "http".`);
    const make = (revision, accepts) => new Wire(new URL(url).href, revision, {
      clientInfo: this.#info, capabilities: this.#capabilities, codec: JSON, headers, accepts,
      ask: (request) => this.#answer(request), tell: (message) => this.#told(message),
      ...(fetch && { fetch }),
    });
    const limited = limit({ signal, timeout });
    try {
      this.#wire = await this.#negotiate(make, protocolVersion, limited.signal);
    } catch (error) {
      throw asError(error, limited.signal);
    } finally {
      limited.end();
    }
    this.#listen();
  }

  get #capabilities() {
    const set = (method, name) => this.#requests.has(method) && { [name]: {} };
    return { ...set("elicitation/create", "elicitation"),
      ...set("sampling/createMessage", "sampling"), ...set("roots/list", "roots"),
      ...this.#options.capabilities };
  }

  async #negotiate(make, wanted, signal) {
    if (wanted === undefined || wanted === STATELESS) {
      const wire = make(STATELESS);
      try {
        this.#server = await wire.request("server/discover", {}, {}, signal);
        return wire;
      } catch (error) {
        const other = error instanceof McpError &&
          (error.status === undefined || OTHER_REVISION.includes(error.status));
        if (wanted || signal.aborted || !other) throw error;
      }
    }
    const wire = make(wanted ?? NEWEST_SESSION, (revision) => !wanted &&
      SUPPORTED_PROTOCOL_VERSIONS.includes(revision));
    await untilAborted(wire.begin(), signal);
    this.#server = wire.server;
    return wire;
  }

  /** Ends the session, and everything that is open. */
  async close() {
    const wire = this.#wire;
    if (!wire) return;
    this.#wire = undefined;
    const ends = [this.#unlisten, ...this.#followed.values()];
    this.#unlisten = undefined;
    this.#followed.clear();
    for (const end of ends) (await end?.catch(() => {}))?.();
    await wire.close();
    this.onclose?.();
  }

  getServerCapabilities() {
    return this.#server.capabilities;
  }

  getServerVersion() {
    return this.#server.serverInfo ??
      this.#server._meta?.["io.modelcontextprotocol/serverInfo"];
  }

  getInstructions() {
    return this.#server.instructions;
  }

  getNegotiatedProtocolVersion() {
    return this.#wire?.revision;
  }

  // ---- What the server sends -----------------------------------------------------

  /** `handler(request, extra)` answers what the server asks; set it before connect(). */
  setRequestHandler(method, ...rest) {
    this.#requests.set(nameOf(method), handlerOf(rest));
  }

  setNotificationHandler(method, ...rest) {
    this.#notifications.set(nameOf(method), handlerOf(rest));
    this.#listen();
  }

  removeRequestHandler(method) {
    this.#requests.delete(method);
  }

  removeNotificationHandler(method) {
    this.#notifications.delete(method);
  }

  async #answer({ method, params }) {
    const handler = this.#requests.get(method);
    if (!handler) throw new ProtocolError(-32601, `Method not found: ${method}`);
    const { signal } = new AbortController();
    return await handler({ method, params }, { signal, mcpReq: { method, signal } }) ?? {};
  }

  #told({ method, params }) {
    if (method === "error") {
      this.#failed(new SdkError("STREAM_BROKEN", params.message));
      return;
    }
    if (method === "notifications/progress") this.#progress.get(params?.progressToken)?.(params);
    if (method === "notifications/tools/list_changed") this.#schemas.clear();
    const handler = this.#notifications.get(method) ?? this.fallbackNotificationHandler;
    Promise.resolve().then(() => handler?.({ method, params }))
      .catch((error) => this.#failed(error));
  }

  #failed(error) {
    (this.onerror ?? console.error).call(this, error);
  }

  // Changes of lists come on a stream, which opens when a handler for them is set.
  #listen() {
    const declared = this.getServerCapabilities() ?? {};
    const wanted = Object.keys(LISTS).filter((kind) => declared[kind]?.listChanged &&
      this.#notifications.has(`notifications/${kind}/list_changed`));
    const before = this.#unlisten;
    if (!this.#wire || wanted.length === 0 || before?.kinds === String(wanted)) return;
    if (before && !this.#wire.stateless) return; // that of a session has all
    const notifications = Object.fromEntries(wanted.map((kind) => [LISTS[kind], true]));
    this.#unlisten = Promise.resolve(before).then((end) => end?.())
      .then(() => this.#wire.listen(notifications));
    this.#unlisten.kinds = String(wanted);
    this.#unlisten.catch((error) => this.#failed(asError(error)));
  }

  // ---- Requests --------------------------------------------------------------------

  /**
   * Resolves to the result; rejects with a ProtocolError (an error reply) or an SdkError.
   * Options: `signal`, `timeout` in ms (60,000), started anew by progress where
   * `resetTimeoutOnProgress` is set, `maxTotalTimeout`, `onprogress`. A schema before them, as
   * the official packages allow it, is not needed.
   */
  async request({ method, params = {} }, ...rest) {
    return this.#request(method, params, rest.at(-1) ?? {});
  }

  async #request(method, params, options, headers) {
    if (!this.#wire) throw new SdkError("NOT_CONNECTED", "Not connected");
    const limited = limit(options);
    const token = options.onprogress && `mica-${this.#nextToken++}`;
    if (token) {
      params = { ...params, _meta: { ...params._meta, progressToken: token } };
      this.#progress.set(token, ({ progressToken: _, ...progress }) => {
        if (options.resetTimeoutOnProgress) limited.again();
        options.onprogress(progress);
      });
    }
    try {
      return await this.#wire.request(method, params, headers, limited.signal);
    } catch (error) {
      throw asError(error, limited.signal);
    } finally {
      limited.end();
      this.#progress.delete(token);
    }
  }

  async notification({ method, params }) {
    if (!this.#wire) throw new SdkError("NOT_CONNECTED", "Not connected");
    if (!this.#wire.stateless) await this.#wire.notify(method, params);
  }

  async ping(options) {
    return this.#wire?.stateless ? {} : this.request({ method: "ping" }, options);
  }

  // One page where the caller names it, else all of them. The items, as a list that has its
  // own name, too: `const tools = …` and `const { tools } = …` are both right.
  async #list(method, member, params, options = {}) {
    const items = [];
    let { cursor } = params ?? {};
    const whole = cursor === undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const result = await this.#request(method,
        { ...params, ...(cursor !== undefined && { cursor }) }, options);
      items.push(...result[member] ?? []);
      cursor = result.nextCursor;
      if (cursor === undefined || !whole)
        return Object.assign(items, result, { [member]: items });
    }
    throw new SdkError("TOO_MANY_PAGES", `${method} has more than ${MOST_PAGES} pages.`);
  }

  async listTools(params, options) {
    const tools = await this.#list("tools/list", "tools", params, options);
    for (const { name, inputSchema } of tools) this.#schemas.set(name, inputSchema);
    return tools;
  }

  async callTool(params, ...rest) {
    return this.#request("tools/call", params, rest.at(-1) ?? {},
      this.#wire?.stateless ? argumentHeaders(this.#schemas.get(params.name), params.arguments)
        : undefined);
  }

  async listResources(params, options) {
    return this.#list("resources/list", "resources", params, options);
  }

  async listResourceTemplates(params, options) {
    return this.#list("resources/templates/list", "resourceTemplates", params, options);
  }

  async listPrompts(params, options) {
    return this.#list("prompts/list", "prompts", params, options);
  }

  /** `notifications/resources/updated` is told from now on. */
  async subscribeResource({ uri }) {
    if (!this.#wire) throw new SdkError("NOT_CONNECTED", "Not connected");
    if (!this.#followed.has(uri)) this.#followed.set(uri, this.#wire.subscribe(uri, () => {}));
    try {
      await this.#followed.get(uri);
    } catch (error) {
      this.#followed.delete(uri);
      throw asError(error);
    }
    return {};
  }

  async unsubscribeResource({ uri }) {
    const end = this.#followed.get(uri);
    this.#followed.delete(uri);
    await (await end)?.();
    return {};
  }

  static {
    const { prototype } = this; // some bundlers set the name of the class later
    const named = { readResource: "resources/read", getPrompt: "prompts/get",
      complete: "completion/complete", setLoggingLevel: "logging/setLevel" };
    for (const [name, method] of Object.entries(named))
      prototype[name] = async function (params, options = {}) {
        return this.request({ method,
          params: typeof params === "string" ? { level: params } : params }, options);
      };
  }
}

// ---- Parts -----------------------------------------------------------------------

const nameOf = (method) => (typeof method === "string" ? method : method.shape.method.value);

const handlerOf = ([schemas, handler]) => (handler
  ? ({ params }, extra) => handler(params, extra) : schemas);

/** A signal that ends with the caller's, or when the time is up. */
function limit({ signal, timeout = TIMEOUT_MS, maxTotalTimeout = Infinity }) {
  const controller = new AbortController();
  const began = performance.now();
  const abort = () => controller.abort(signal.reason);
  let timer;
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(
      new SdkError("REQUEST_TIMEOUT", "Request timed out", { timeout })),
    Math.min(timeout, maxTotalTimeout - (performance.now() - began)));
  };
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  again();
  return { signal: controller.signal, again,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    } };
}

function untilAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
