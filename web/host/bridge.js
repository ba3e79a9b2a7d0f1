// SPDX-License-Identifier: Apache-2.0
//
// AppBridge: the host of one view, with the names of @modelcontextprotocol/ext-apps. It
// answers what the view asks, by the host's handlers or by the MCP server, and calls the
// view's tools.

import { DISPLAY_MODES } from "../view/protocol.js";
import { Events } from "../view/events.js";
import { ProtocolError, SdkError } from "../view/peer.js";
import { checked } from "./checks.js";
import { STOPPED, ViewConnection } from "./connection.js";
import { limits } from "./limits.js";
import { checkLink, safeDownloads } from "./links.js";
import { serverOf } from "./server.js";
import { boundedResult, cleanTools } from "./tools.js";

export { PostMessageTransport } from "../view/transport.js";
export { LATEST_PROTOCOL_VERSION, RESOURCE_MIME_TYPE, RESOURCE_URI_META_KEY }
  from "../view/protocol.js";
export { ProtocolError, SdkError } from "../view/peer.js";
export { SUPPORTED_PROTOCOL_VERSIONS } from "./connection.js";
export { limits } from "./limits.js";
export { buildAllowAttribute, downloadName } from "./links.js";
export { getToolUiResourceUri, isToolVisibilityAppOnly, isToolVisibilityModelOnly,
  isToolVisibleToApp } from "./tools.js";

const UI = "ui/notifications/";

// Notifications of a view: the event.
const EVENTS = {
  [`${UI}size-changed`]: "sizechange",
  [`${UI}sandbox-proxy-ready`]: "sandboxready",
  [`${UI}initialized`]: "initialized",
  [`${UI}request-teardown`]: "requestteardown",
  "notifications/message": "loggingmessage",
  "notifications/tools/list_changed": "toolschanged",
};

// Requests of a view: the host's handler.
const HANDLERS = {
  "ui/message": "onmessage",
  "ui/open-link": "onopenlink",
  "ui/download-file": "ondownloadfile",
  "ui/update-model-context": "onupdatemodelcontext",
  "ui/request-display-mode": "onrequestdisplaymode",
  "sampling/createMessage": "oncreatesamplingmessage",
  "tools/call": "oncalltool",
  "tools/list": "onlisttools",
  "resources/list": "onlistresources",
  "resources/templates/list": "onlistresourcetemplates",
  "resources/read": "onreadresource",
  "prompts/list": "onlistprompts",
};

// What the bridge sends: the message.
const SENDS = {
  sendToolInput: `${UI}tool-input`,
  sendToolInputPartial: `${UI}tool-input-partial`,
  sendToolResult: `${UI}tool-result`,
  sendToolCancelled: `${UI}tool-cancelled`,
  sendSandboxResourceReady: `${UI}sandbox-resource-ready`,
  sendHostContextChange: `${UI}host-context-changed`,
  sendToolListChanged: "notifications/tools/list_changed",
  sendResourceListChanged: "notifications/resources/list_changed",
  sendPromptListChanged: "notifications/prompts/list_changed",
};

// Names of earlier releases and of the proposal: those of today.
const OLDER = {
  sendCallTool: "callTool",
  sendListTools: "listTools",
  sendResourceTeardown: "teardownResource",
};

export class AppBridge extends ViewConnection {
  onping;
  #client;
  #hostInfo;
  #hostCapabilities;
  #modelContext;
  #handlers = new Map(); // method: the host's handler
  #forwarded = () => false; // whether the server answers a method
  #server;
  #unsubscribe;
  #listed = 0; // tools of the view in the pages of its list so far
  #changed; // timer of "toolschanged"
  #events = new Events(Object.values(EVENTS), (error) => this.report(error));

  static {
    const define = (name, property) => Object.defineProperty(this.prototype, name, property);
    for (const [method, name] of Object.entries(HANDLERS))
      define(name, {
        get() { return this.#handlers.get(method); },
        set(handler) { this.#setHandler(method, name, handler); },
      });
    for (const event of Object.values(EVENTS))
      define(`on${event}`, {
        get() { return this.#events.handler(event); },
        set(handler) { this.#events.setHandler(event, handler); },
      });
    for (const [name, method] of Object.entries(SENDS))
      define(name, {
        value(params = {}) { return this.notification({ method, params }); },
      });
    for (const [older, name] of Object.entries(OLDER))
      define(older, { value(...args) { return this[name](...args); } });
  }

  constructor(client, hostInfo, hostCapabilities, options) {
    super(options?.hostContext ?? {});
    this.#client = client;
    this.#hostInfo = hostInfo;
    this.#hostCapabilities = hostCapabilities;
    this.setRequestHandler("ui/initialize", ({ params }) => this.#initialize(params));
    this.setRequestHandler("ping", ({ params }, extra) => {
      this.onping?.(params, extra);
      return {};
    });
    this.#serve("ui/request-display-mode");
    if (hostCapabilities.updateModelContext) this.#serve("ui/update-model-context");
    this.setNotificationHandler(STOPPED, ({ params }) => this.stop(String(params?.reason)));
    for (const method of Object.keys(EVENTS))
      this.setNotificationHandler(method, ({ params }) => this.#notified(method, params));
  }

  /** What the view last gave for the model, until the view is torn down. */
  get modelContext() {
    return this.#modelContext;
  }

  getCapabilities() {
    return this.#hostCapabilities;
  }

  addEventListener(event, listener) {
    this.#events.add(event, listener);
  }

  removeEventListener(event, listener) {
    this.#events.remove(event, listener);
  }

  // ---- Connection

  async connect(transport) {
    if (this.transport)
      throw new Error("AppBridge is already connected. Call close() before connecting again.");
    if (this.#client) this.#forward();
    await super.connect(transport);
  }

  // From now on the server answers what it can, and changes of its lists are passed on.
  #forward() {
    const capabilities = this.#client.getServerCapabilities();
    if (!capabilities) throw new Error("Client server capabilities not available");
    this.#server = serverOf(this.#client);
    this.#forwarded = (method) => Boolean(capabilities[method.replace(/\/.*/, "")]);
    for (const method of Object.keys(HANDLERS)) if (this.#forwarded(method)) this.#serve(method);
    this.#unsubscribe = this.#server.subscribe((method, params = {}) =>
      this.notification({ method, params }).catch((error) => this.report(error)));
  }

  ended(error) {
    super.ended(error);
    this.#forget();
  }

  // The view ends: nothing of it is kept, and it is told of no change.
  #forget() {
    this.#unsubscribe?.();
    clearTimeout(this.#changed);
    this.#changed = undefined;
    this.#modelContext = undefined;
  }

  #initialize(params) {
    return { hostInfo: this.#hostInfo, hostCapabilities: this.#hostCapabilities,
      ...this.initialize(params) };
  }

  /** Resolves to the view's answer; to {} if it gives none within `timeout` ms (2000). */
  teardownResource(params = {}, options) {
    this.#forget();
    return this.end(params, options);
  }

  // ---- What the view tells

  #notified(method, given) {
    const params = checked(method, given);
    const event = EVENTS[method];
    if (event === "toolschanged") {
      this.#changed ??= setTimeout(() => {
        this.#changed = undefined;
        this.#events.dispatch(event, params);
      }, limits.changedMs);
      return;
    }
    if (event === "sandboxready" && this.state !== "LOADING")
      throw new SdkError("OUT_OF_ORDER", `${method} in the state ${this.state}`);
    if (event === "initialized") this.initialized();
    this.#events.dispatch(event, params);
  }

  // ---- What the view asks

  #setHandler(method, name, handler) {
    if (this.#handlers.get(method) && handler)
      console.warn(`[MCP Apps] ${name} handler replaced. ` +
        "Previous handler will no longer be called.");
    this.#handlers.set(method, handler);
    this.#serve(method);
  }

  #serve(method) {
    this.setRequestHandler(method, ({ params }, extra) => {
      const content = params?.content;
      // The text of the specification shows one block where the packages have a list.
      if (method === "ui/message" && content?.type)
        params = { ...params, content: [content] };
      return this.#answer(method, checked(method, params), extra);
    });
  }

  async #answer(method, params, extra) {
    const handler = this.#handlers.get(method);
    if (method === "ui/request-display-mode") return this.#displayMode(handler, params, extra);
    if (method === "ui/update-model-context") return this.#keep(handler, params, extra);
    if (!handler && !this.#forwarded(method))
      throw new ProtocolError(-32601, "Method not found");
    if (method === "ui/open-link") checkLink(params);
    if (method === "ui/download-file") params = safeDownloads(params);
    if (method === "tools/call" && this.#forwarded(method))
      await this.#server.permit(params.name);
    if (handler) return handler(params, extra);
    return method === "tools/list" ? this.#server.listTools(params, extra)
      : this.#server.forward(method, params, extra);
  }

  async #keep(handler, params, extra) {
    if (!handler && !this.#hostCapabilities.updateModelContext)
      throw new ProtocolError(-32601, "Method not found");
    const result = await handler?.(params, extra);
    if (this.state !== "TEARDOWN") this.#modelContext = params;
    return result;
  }

  // The answer is the mode that is in force, whatever the view asked.
  async #displayMode(handler, params, extra) {
    const context = this.getHostContext();
    const mode = context.displayMode ?? "inline";
    const offers = [this.getAppCapabilities()?.availableDisplayModes,
      context.availableDisplayModes];
    if (!handler || offers.some((modes) => modes && !modes.includes(params.mode)))
      return { mode };
    const result = await handler(params, extra);
    if (!DISPLAY_MODES.includes(result?.mode))
      throw new Error(`onrequestdisplaymode returned no mode of ${DISPLAY_MODES.join(", ")}`);
    const now = this.getHostContext();
    if (result.mode !== (now.displayMode ?? "inline"))
      this.setHostContext({ ...now, displayMode: result.mode });
    return result;
  }

  // ---- Tools of the view

  /** Calls a tool of the view: 30 s and 10 MB, if the options say nothing else. */
  async callTool(params, options) {
    return boundedResult(await this.request({ method: "tools/call", params },
      { timeout: limits.callMs, ...options }));
  }

  /** A page of the view's tools, at most 50 in all, without hidden characters in their texts. */
  async listTools(params = {}, options) {
    const result = await this.request({ method: "tools/list", params },
      { timeout: limits.callMs, ...options });
    if (params.cursor === undefined) this.#listed = 0;
    const page = cleanTools(result, limits.tools - this.#listed, (error) => this.report(error));
    this.#listed += page.tools.length;
    return page;
  }
}
