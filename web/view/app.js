// SPDX-License-Identifier: Apache-2.0
//
// App: the end of the connection that a view has. Names and behavior are those of
// @modelcontextprotocol/ext-apps; what differs is said where it does.
//
//   NEW ──connect──> CONNECTING ──initialized──> READY ──ui/resource-teardown──> TEARDOWN
//                        │                         │                                │
//                        └──────────close──────────┴──────> CLOSED <───────close────┘
//                                                             └──connect──> CONNECTING
import { AppEvents, CONTEXT_CHANGED, EVENTS, wrongArguments } from "./app_events.js";
import { warnReplaced } from "./events.js";
import { invalidParams, isObject, methodOf, Peer, SdkError } from "./peer.js";
import { LATEST_PROTOCOL_VERSION } from "./protocol.js";
import { autoResize } from "./resize.js";
import { hide, pageTools, publish, ToolRegistry, watch } from "./tools.js";
import { PostMessageTransport } from "./transport.js";

// zod tries to evaluate text as code, which the policy of every host blocks, and reports. The
// official App keeps its own zod from that; this setting keeps every zod of the page from it
// that reads it, as releases since 4.4 do, unless the author has set it.
(globalThis.__zod_globalConfig ??= {}).jitless ??= true;

const MOVES = {
  NEW: ["CONNECTING"],
  CONNECTING: ["READY", "CLOSED"],
  READY: ["TEARDOWN", "CLOSED"],
  TEARDOWN: ["CLOSED"],
  CLOSED: ["CONNECTING"],
};
const CONNECTED = ["READY", "TEARDOWN"];
const INITIALIZE = "ui/initialize";
const INITIALIZED = "ui/notifications/initialized";

// What a view sends: the function of App that does, what the host must have said that it
// can do, and the parameters where the caller gives none.
const REQUESTS = {
  "tools/call": ["callServerTool", "serverTools"],
  "resources/read": ["readServerResource", "serverResources"],
  "resources/list": ["listServerResources", "serverResources"],
  "sampling/createMessage": ["createSamplingMessage", "sampling"],
  "ui/open-link": ["openLink", "openLinks"],
  "ui/download-file": ["downloadFile", "downloadFile"],
  "ui/message": ["sendMessage", "message"],
  "ui/update-model-context": ["updateModelContext", "updateModelContext", {}],
  "ui/request-display-mode": ["requestDisplayMode"],
};
const NOTIFICATIONS = {
  "notifications/message": ["sendLog", "logging"],
  "notifications/tools/list_changed": ["sendToolListChanged", , {}],
  "ui/notifications/size-changed": ["sendSizeChanged"],
  "ui/notifications/request-teardown": ["requestTeardown", , {}],
};
const SENT = { ...REQUESTS, ...NOTIFICATIONS };
// What a host asks of a view: the handler that the author may set.
const ASKED = {
  onteardown: "ui/resource-teardown",
  oncalltool: "tools/call",
  onlisttools: "tools/list",
};

export class App extends Peer {
  #info;
  #capabilities;
  #options;
  #state = "NEW";
  #host = {}; // what it said of itself: capabilities, info, context
  #events = new AppEvents((error) => this.#failed(error), (message) => {
    if (this.#state !== "READY") return;
    if (this.#options.strict) throw new Error(message);
    console.warn(message);
  });
  #handlers = {}; // those of the author, by the names of ASKED
  #tools = new ToolRegistry(pageTools);
  #stops = []; // what ends with the connection

  /** `new App(info, capabilities?, options?)`. `autoResize` is on unless it is false. */
  constructor(info, capabilities = {}, options = {}) {
    super();
    this.#info = info;
    this.#capabilities = capabilities;
    this.#options = options;
    for (const event of Object.keys(EVENTS))
      super.setNotificationHandler(`ui/notifications/${EVENTS[event][0]}`,
        ({ method, params }) => {
          if (event === CONTEXT_CHANGED)
            this.#host.context = { ...this.#host.context, ...params };
          this.#events.receive(event, method, params);
        });
    for (const name of Object.keys(ASKED))
      super.setRequestHandler(ASKED[name], ({ method, params }, extra) => {
        const wrong = name === "oncalltool" && (typeof params?.name === "string"
          ? wrongArguments(params) : "name: expected string");
        if (wrong) throw invalidParams(method, wrong);
        if (name === "onteardown") {
          if (this.#state === "READY") this.#move("TEARDOWN");
          this.#stop();
        }
        return (this.#handlers[name] ?? this.#automatic[name])(params, extra);
      });
  }

  get state() {
    return this.#state;
  }

  // Only connect() can be called in a state that it does not fit.
  #move(state) {
    if (!MOVES[this.#state].includes(state))
      throw new SdkError("ALREADY_CONNECTED",
        "App is already connected. Call close() before connecting again.");
    this.#state = state;
  }

  // ---- The connection ------------------------------------------------------------

  /**
   * Connects to the host, which is the parent window unless `transport` says otherwise.
   * Rejects if the page has no host or if the host refuses; the tools of the page work all
   * the same.
   */
  async connect(transport, options) {
    if (!transport && globalThis.parent === globalThis.self)
      throw new SdkError("NO_HOST", "This page is in no frame");
    this.#move("CONNECTING");
    this.#events.forget();
    publish(this.#tools);
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
      // A reply that is an error never gets the word that the view is initialized.
      await this.close();
      this.#end();
      throw error;
    }
  }

  // A tool may be registered later, so tools are declared unless the author says how. Of
  // forms the handler says it (elicitation.js).
  get #declared() {
    return { tools: { listChanged: true },
      ...this.hasRequestHandler("elicitation/create") && { elicitation: {} },
      ...this.#capabilities };
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
      this.#stops.push(watch(() => this.#tools.enabled(), () =>
        this.sendToolListChanged().catch((error) => this.#failed(error))));
    if (this.#options.autoResize !== false) this.setupSizeChangedNotifications();
  }

  #stop() {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #end() {
    this.#stop();
    if (this.#state !== "CLOSED") this.#move("CLOSED");
  }

  // The peer calls this when the connection is closed. Without a host that has answered,
  // the page keeps the tools of this App.
  ended() {
    if (CONNECTED.includes(this.#state)) hide(this.#tools);
    this.#end();
  }

  // What has no other way to be known.
  #failed(error) {
    (this.onerror ?? console.error).call(this, error);
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

  // ---- What a host sends ---------------------------------------------------------

  addEventListener(event, listener) {
    this.#events.add(event, listener);
  }

  removeEventListener(event, listener) {
    this.#events.remove(event, listener);
  }

  setRequestHandler(method, ...rest) {
    this.#claim(this.hasRequestHandler(methodOf(method)), method);
    super.setRequestHandler(method, ...rest);
  }

  setNotificationHandler(method, ...rest) {
    this.#claim(this.hasNotificationHandler(methodOf(method)), method);
    super.setNotificationHandler(method, ...rest);
  }

  #claim(taken, method) {
    if (taken)
      throw new Error(`Handler for "${methodOf(method)}" already registered`);
  }

  #automatic = {
    onteardown: () => ({}),
    oncalltool: (params, extra) => this.#tools.call(params.name, params.arguments, extra),
    onlisttools: async () => ({ tools: await this.#tools.list() }),
  };

  /**
   * Registers a tool of this App alone; registerTool() of tools.js does for the page. Before
   * connect, while it connects and after it: the host learns of it all the same.
   */
  registerTool(name, config, callback) {
    if (!this.#declared.tools)
      throw new SdkError("TOOLS_NOT_DECLARED",
        `Tool ${name}: this App declares no "tools"`);
    const tool = this.#tools.register(name, config, callback);
    publish(this.#tools);
    return tool;
  }

  // ---- What a view sends ---------------------------------------------------------

  // Throws if it cannot be sent now.
  #allow({ method, params }) {
    const [name = `request("${method}")`, needed] = SENT[method] ?? [];
    const has = this.#host.capabilities;
    if (["ping", INITIALIZE, INITIALIZED].includes(method)) return;
    if (!CONNECTED.includes(this.#state))
      throw new SdkError("NOT_READY", `[ext-apps] App.${name}() called before connect() ` +
        "completed the ui/initialize handshake.");
    if (this.#options.enforceStrictCapabilities === false) return;
    const capability = needed && !has[needed] ? needed
      : needed === "sampling" && params?.tools && !has[needed].tools && "sampling.tools";
    if (capability)
      throw new SdkError("CAPABILITY_MISSING", `Host does not support ${capability} ` +
        `(required for ${method})`, { capability });
  }

  async request(request, ...rest) {
    this.#allow(request);
    return super.request(request, ...rest);
  }

  async notification(notification) {
    // A handshake that timed out ends with the connection: there is nothing to cancel.
    if (this.#state === "CONNECTING" && notification.method === "notifications/cancelled")
      return;
    this.#allow(notification);
    await super.notification(notification);
  }

  /** Progress starts the time-out anew, unless `options` say otherwise. */
  async callServerTool(params, options) {
    if (typeof params === "string")
      throw new Error("callServerTool() expects an object as its first argument: " +
        `{ name: "${params}", arguments: { ... } }`);
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
    const stop = autoResize((size) => this.sendSizeChanged(size), () => this.#host.context,
      (error) => this.#failed(error));
    this.addEventListener(CONTEXT_CHANGED, stop.again);
    const end = () => {
      this.removeEventListener(CONTEXT_CHANGED, stop.again);
      stop();
    };
    this.#stops.push(end);
    return end;
  }

  static {
    const { prototype } = this; // some bundlers set the name of the class later
    const define = (name, descriptor) => name in prototype ||
      Object.defineProperty(prototype, name, { configurable: true, ...descriptor });
    for (const [method, [name, , bare]] of Object.entries(SENT))
      define(name, { writable: true, value(params = bare, options) {
        return REQUESTS[method] ? this.request({ method, params }, options)
          : this.notification({ method, params });
      } });
    define("sendOpenLink", { writable: true, value: prototype.openLink });
    for (const event of Object.keys(EVENTS))
      define(`on${event}`, {
        get() { return this.#events.handler(event); },
        set(handler) {
          if (handler && this.#events.handler(event)) warnReplaced(event);
          this.#events.setHandler(event, handler);
        },
      });
    for (const name of Object.keys(ASKED))
      define(name, {
        get() {
          return this.#handlers[name] ??
            (name !== "onteardown" && this.#tools.size ? this.#automatic[name] : undefined);
        },
        set(handler) {
          if (handler && this[name])
            console.warn(`[MCP Apps] ${name} handler replaced. ` +
              "Previous handler will no longer be called.");
          this.#handlers[name] = handler;
        },
      });
  }
}
