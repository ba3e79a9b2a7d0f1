// SPDX-License-Identifier: Apache-2.0
//
// App: the end of the connection that a view has. Names and behavior are those of
// @modelcontextprotocol/ext-apps; what differs is said where it does.
//
//   NEW ──connect──> CONNECTING ──initialized──> READY ──ui/resource-teardown──> TEARDOWN
//                        │                         │                                │
//                        └──────────close──────────┴──────> CLOSED <───────close────┘
//                                                             └──connect──> CONNECTING
import { Events, warnReplaced } from "./events.js";
import { methodOf, Peer, ProtocolError, SdkError } from "./peer.js";
import { LATEST_PROTOCOL_VERSION } from "./protocol.js";
import { autoResize } from "./resize.js";
import { hide, pageTools, publish, ToolRegistry } from "./tools.js";
import { PostMessageTransport } from "./transport.js";

const MOVES = {
  NEW: ["CONNECTING"],
  CONNECTING: ["READY", "CLOSED"],
  READY: ["TEARDOWN", "CLOSED"],
  TEARDOWN: ["CLOSED"],
  CLOSED: ["CONNECTING"],
};
const INITIALIZE = "ui/initialize";
const INITIALIZED = "ui/notifications/initialized";
const BEFORE_READY = [INITIALIZE, INITIALIZED, "ping"];

// What a view sends: the function of App that does, and what the host must have said that
// it can do.
const REQUESTS = {
  "tools/call": ["callServerTool", "serverTools"],
  "tools/list": ["listServerTools", "serverTools"],
  "resources/read": ["readServerResource", "serverResources"],
  "resources/list": ["listServerResources", "serverResources"],
  "resources/templates/list": ["listServerResourceTemplates", "serverResources"],
  "prompts/list": ["listServerPrompts"],
  "sampling/createMessage": ["createSamplingMessage", "sampling"],
  "ui/open-link": ["openLink", "openLinks"],
  "ui/download-file": ["downloadFile", "downloadFile"],
  "ui/message": ["sendMessage", "message"],
  "ui/update-model-context": ["updateModelContext", "updateModelContext"],
  "ui/request-display-mode": ["requestDisplayMode"],
};
const NOTIFICATIONS = {
  "notifications/message": ["sendLog", "logging"],
  "notifications/tools/list_changed": ["sendToolListChanged"],
  "ui/notifications/size-changed": ["sendSizeChanged"],
  "ui/notifications/request-teardown": ["requestTeardown"],
};
const SENT = { ...REQUESTS, ...NOTIFICATIONS };
// These have parameters even where the caller gives none.
const NEVER_BARE = ["ui/update-model-context", "notifications/tools/list_changed",
  "ui/notifications/request-teardown"];

const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const optional = (name, holds, wanted) => (params) =>
  params[name] === undefined || holds(params[name]) ? undefined
    : `${name}: expected ${wanted}`;
const withArguments = optional("arguments", isObject, "object");

// Of each event, in the order in which a host sends them: its notification, and what is
// wrong with its parameters. The first four come once: the last one of each waits until it
// has a listener.
const EVENTS = {
  toolinputpartial: ["tool-input-partial", withArguments],
  toolinput: ["tool-input", withArguments],
  toolresult: ["tool-result", optional("content", Array.isArray, "array")],
  toolcancelled: ["tool-cancelled",
    optional("reason", (value) => typeof value === "string", "string")],
  hostcontextchanged: ["host-context-changed", () => undefined],
};
const REPEATS = "hostcontextchanged";
const HANDLERS = {
  onteardown: "ui/resource-teardown",
  oncalltool: "tools/call",
  onlisttools: "tools/list",
};

const invalid = (method, why) =>
  new ProtocolError(-32602, `Invalid params for ${method}: ${why}`);

export class App extends Peer {
  #info;
  #capabilities;
  #options;
  #state = "NEW";
  #host = {}; // what it said of itself: capabilities, info, context
  #events = new Events(Object.keys(EVENTS), (error) => this.#failed(error));
  #heard = new Set(); // one-shot events that have had a listener
  #kept = new Map(); // one-shot event without one: its last parameters
  #handlers = {}; // those of the author, by the names of HANDLERS
  #tools = new ToolRegistry(pageTools);
  #stops = []; // what ends with the connection

  /** `new App(info, capabilities?, options?)`. `autoResize` is on unless it is false. */
  constructor(info, capabilities = {}, options = {}) {
    super();
    this.#info = info;
    this.#capabilities = capabilities;
    this.#options = options;
    for (const [event, [name, wrong]] of Object.entries(EVENTS))
      super.setNotificationHandler(`ui/notifications/${name}`, ({ method, params }) =>
        this.#received(event, method, params, wrong));
    super.setRequestHandler(HANDLERS.onteardown, ({ params }, extra) => {
      if (this.#state === "READY") this.#move("TEARDOWN");
      this.#stop();
      return this.#handler("onteardown")(params, extra);
    });
    super.setRequestHandler(HANDLERS.oncalltool, ({ method, params }, extra) => {
      const wrong = typeof params?.name !== "string" ? "name: expected string"
        : withArguments(params);
      if (wrong) throw invalid(method, wrong);
      return this.#handler("oncalltool")(params, extra);
    });
    super.setRequestHandler(HANDLERS.onlisttools, ({ params }, extra) =>
      this.#handler("onlisttools")(params, extra));
  }

  get state() {
    return this.#state;
  }

  #move(state) {
    if (!MOVES[this.#state].includes(state))
      throw new SdkError("WRONG_STATE", `The app is ${this.#state} and cannot be ${state}.`);
    this.#state = state;
  }

  // ---- The connection ------------------------------------------------------------

  /**
   * Connects to the host, which is the parent window unless `transport` says otherwise.
   * Rejects if there is none or if it refuses; the tools of the page work all the same.
   */
  async connect(transport, options) {
    if (!transport && (typeof window === "undefined" || window.parent === window))
      throw new SdkError("NO_HOST",
        "This page is not in a frame, so it has no host. Its tools work without one.");
    if (this.transport || this.#state === "CONNECTING")
      throw new SdkError("ALREADY_CONNECTED",
        "App is already connected. Call close() before connecting again.");
    this.#move("CONNECTING");
    this.#kept.clear();
    if (this.#tools.own) publish(this.#tools);
    try {
      await super.connect(transport ?? new PostMessageTransport(window.parent));
      this.#learn(await this.request({
        method: INITIALIZE,
        params: {
          appInfo: this.#info,
          appCapabilities: this.#declared,
          protocolVersion: LATEST_PROTOCOL_VERSION,
        },
      }, options));
      const sent = this.notification({ method: INITIALIZED });
      this.#begin();
      await sent;
    } catch (error) {
      // An answer that is an error never gets the word that the view is initialized.
      await this.close();
      this.#end();
      throw error;
    }
  }

  // A tool may be registered later, so tools are declared unless the author says how.
  get #declared() {
    return { tools: { listChanged: true }, ...this.#capabilities };
  }

  // A host that says less than it must, or more than is known, is a host all the same.
  #learn({ hostCapabilities, hostInfo, hostContext }) {
    const object = (value) => (isObject(value) ? value : {});
    this.#host = {
      capabilities: object(hostCapabilities), info: hostInfo, context: object(hostContext),
    };
  }

  #begin() {
    this.#move("READY");
    if (this.#declared.tools?.listChanged)
      this.#stops.push(this.#tools.watch(() =>
        this.sendToolListChanged().catch((error) => this.#failed(error))));
    if (this.#options.autoResize !== false) this.setupSizeChangedNotifications();
  }

  #stop() {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** The peer calls this when the connection is closed, by either side. */
  ended() {
    this.#end();
    hide(this.#tools);
  }

  #end() {
    this.#stop();
    if (this.#state !== "CLOSED") this.#move("CLOSED");
  }

  // What has no other way to be known.
  #failed(error) {
    if (this.onerror) this.onerror(error);
    else console.error(error);
  }

  getHostCapabilities() {
    return this.#host.capabilities;
  }

  getHostVersion() {
    return this.#host.info;
  }

  getHostContext() {
    return this.#host.context;
  }

  // ---- Events --------------------------------------------------------------------

  addEventListener(event, listener) {
    this.#late(event);
    this.#events.add(event, listener);
    this.#flush();
  }

  removeEventListener(event, listener) {
    this.#events.remove(event, listener);
  }

  #setHandler(event, handler) {
    if (handler) this.#late(event);
    if (handler && this.#events.handler(event)) warnReplaced(event);
    this.#events.setHandler(event, handler);
    this.#flush();
  }

  // As the official class does it, though here nothing is lost.
  #late(event) {
    if (event === REPEATS || !EVENTS[event] || this.#heard.has(event)) return;
    this.#heard.add(event);
    if (this.#state !== "READY") return;
    const message = `[ext-apps] "${event}" handler registered after connect() completed the ` +
      "ui/initialize handshake. The host may have already sent this notification. " +
      "Register handlers before calling app.connect().";
    if (this.#options.strict) throw new Error(message);
    console.warn(message);
  }

  #received(event, method, params, wrong) {
    const why = isObject(params) ? wrong(params) : "expected object";
    if (why) throw invalid(method, why);
    if (event === REPEATS) {
      this.#host.context = { ...this.#host.context, ...params };
      this.#events.dispatch(event, params);
      return;
    }
    this.#kept.set(event, event === "toolresult" ? { content: [], ...params } : params);
    this.#deliver();
  }

  // In a later microtask: listeners that attach together hear all in the right order.
  #flush() {
    if (this.#kept.size) queueMicrotask(() => this.#deliver());
  }

  #deliver() {
    for (const event of Object.keys(EVENTS)) {
      if (!this.#kept.has(event) || !this.#events.has(event)) continue;
      const params = this.#kept.get(event);
      this.#kept.delete(event);
      // What was partial is over.
      if (event === "toolinput") this.#kept.delete("toolinputpartial");
      this.#events.dispatch(event, params);
    }
  }

  // ---- Requests of the host ------------------------------------------------------

  /** @internal The handler of `name`: the author's, or the one of the registry. */
  #handler(name) {
    return this.#handlers[name] ?? this.#automatic[name];
  }

  #automatic = {
    onteardown: () => ({}),
    oncalltool: (params, extra) => this.#tools.call(params.name, params.arguments, extra),
    onlisttools: async () => ({ tools: await this.#tools.list() }),
  };

  #setRequest(name, handler) {
    if (handler && this[name])
      console.warn(`[MCP Apps] ${name} handler replaced. ` +
        "Previous handler will no longer be called.");
    this.#handlers[name] = handler;
  }

  #getRequest(name) {
    return this.#handlers[name] ??
      (name !== "onteardown" && this.#tools.size ? this.#automatic[name] : undefined);
  }

  setRequestHandler(method, ...rest) {
    this.#claim(super.hasRequestHandler(methodOf(method)), method);
    super.setRequestHandler(method, ...rest);
  }

  setNotificationHandler(method, ...rest) {
    this.#claim(super.hasNotificationHandler(methodOf(method)), method);
    super.setNotificationHandler(method, ...rest);
  }

  #claim(taken, method) {
    if (taken)
      throw new Error(`Handler for "${methodOf(method)}" already registered. Use ` +
        "addEventListener() to attach multiple listeners, or the on* setter for replace " +
        "semantics.");
  }

  // ---- Tools ---------------------------------------------------------------------

  /**
   * Registers a tool of this App alone; registerTool() of tools.js does for the page. Before
   * connect, while it connects and after it: the host learns of it all the same.
   */
  registerTool(name, config, callback) {
    if (!this.#declared.tools)
      throw new SdkError("TOOLS_NOT_DECLARED",
        `Tool ${name}: the capabilities of this App say that it has no tools. Leave "tools" ` +
        "out of them, or write { tools: { listChanged: true } }.");
    const tool = this.#tools.register(name, config, callback);
    publish(this.#tools);
    return tool;
  }

  // ---- What a view sends ---------------------------------------------------------

  // Why it cannot be sent now; undefined if it can.
  #refusal({ method, params }) {
    const [name = `request("${method}")`, capability] = SENT[method] ?? [];
    const has = this.#host.capabilities;
    if (BEFORE_READY.includes(method)) return undefined;
    if (this.#state === "NEW" || this.#state === "CLOSED" || this.#state === "CONNECTING")
      return new SdkError("NOT_READY", `[ext-apps] App.${name}() called before connect() ` +
        "completed the ui/initialize handshake. Await app.connect() before calling this " +
        "method, or move data loading to an ontoolresult handler.");
    if (this.#options.enforceStrictCapabilities === false || !capability) return undefined;
    if (!has[capability]) return this.#missing(method, capability);
    return method === "sampling/createMessage" && params?.tools && !has.sampling.tools
      ? this.#missing(method, "sampling.tools") : undefined;
  }

  #missing(method, capability) {
    return new SdkError("CAPABILITY_MISSING", `Host does not support ${capability} ` +
      `(required for ${method}): its hostCapabilities have no "${capability}".`, { capability });
  }

  async request(request, ...rest) {
    const refusal = this.#refusal(request);
    if (refusal) throw refusal;
    return super.request(request, ...rest);
  }

  async notification(notification) {
    // A handshake that timed out ends with the connection: there is nothing to cancel.
    if (this.#state === "CONNECTING" && notification.method === "notifications/cancelled")
      return;
    const refusal = this.#refusal(notification);
    if (refusal) throw refusal;
    await super.notification(notification);
  }

  /** Progress starts the time-out anew, unless `options` say otherwise. */
  async callServerTool(params, options) {
    if (typeof params === "string")
      throw new Error("callServerTool() expects an object as its first argument, but received " +
        `a string ("${params}"). Did you mean: callServerTool({ name: "${params}", ` +
        "arguments: { ... } })?");
    return this.request({ method: "tools/call", params },
      { onprogress() {}, resetTimeoutOnProgress: true, ...options });
  }

  /** `content` is a list; one block by itself, as older texts have it, is made one. */
  async sendMessage(params, options) {
    const content = [params.content].flat();
    return this.request({ method: "ui/message", params: { ...params, content } }, options);
  }

  /** Reports the size of the page until the returned function is called, or the end. */
  setupSizeChangedNotifications() {
    const stop = autoResize((size) => this.sendSizeChanged(size), () => this.getHostContext(),
      (error) => this.#failed(error));
    const listener = () => stop.again();
    this.#events.add(REPEATS, listener);
    const end = () => {
      this.#events.remove(REPEATS, listener);
      stop();
    };
    this.#stops.push(end);
    return end;
  }

  static {
    const define = (name, descriptor) =>
      Object.defineProperty(App.prototype, name, { configurable: true, ...descriptor });
    const send = (name, value) => {
      if (!(name in App.prototype)) define(name, { writable: true, value });
    };
    const filled = (method, params) =>
      params === undefined && NEVER_BARE.includes(method) ? {} : params;
    for (const [method, [name]] of Object.entries(REQUESTS))
      send(name, function (params, options) {
        return this.request({ method, params: filled(method, params) }, options);
      });
    for (const [method, [name]] of Object.entries(NOTIFICATIONS))
      send(name, function (params) {
        return this.notification({ method, params: filled(method, params) });
      });
    send("sendOpenLink", App.prototype.openLink);
    for (const event of Object.keys(EVENTS))
      define(`on${event}`, {
        get() { return this.#events.handler(event); },
        set(handler) { this.#setHandler(event, handler); },
      });
    for (const name of Object.keys(HANDLERS))
      define(name, {
        get() { return this.#getRequest(name); },
        set(handler) { this.#setRequest(name, handler); },
      });
  }
}
