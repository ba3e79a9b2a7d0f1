// SPDX-License-Identifier: Apache-2.0
//
// An MCP client as the bridges of several views share it: what each forwards, who may call
// what, and changes of its lists, of which every bridge is told.

import { ProtocolError } from "../view/peer.js";
import { limits } from "./limits.js";
import { isToolVisibleToApp } from "./tools.js";

const servers = new WeakMap();

/** The server behind a client: one object for all bridges on it. */
export function serverOf(client) {
  if (!servers.has(client)) servers.set(client, new Server(client));
  return servers.get(client);
}

const CHANGED = {
  tools: "notifications/tools/list_changed",
  resources: "notifications/resources/list_changed",
  prompts: "notifications/prompts/list_changed",
};

class Server {
  #client;
  #listeners = new Map(); // method: those who are told
  #tools; // promise of a map: name to tool
  #read = -Infinity; // when

  constructor(client) {
    this.#client = client;
  }

  /** Calls `listener(method, params)` at every change of a list; returns what ends that. */
  subscribe(listener) {
    const capabilities = this.#client.getServerCapabilities();
    for (const kind of Object.keys(CHANGED))
      if (capabilities[kind]?.listChanged) this.#listen(CHANGED[kind]).add(listener);
    return () => this.#listeners.forEach((all) => all.delete(listener));
  }

  #listen(method) {
    if (!this.#listeners.has(method)) {
      const all = new Set();
      this.#listeners.set(method, all);
      this.#client.setNotificationHandler(method, ({ params }) => {
        if (method === CHANGED.tools) this.#tools = undefined;
        for (const listener of [...all]) listener(method, params);
      });
    }
    return this.#listeners.get(method);
  }

  /** Forwards a request of a view, with its cancellation and progress. */
  forward(method, params, { signal, _meta, sendNotification }) {
    const token = _meta?.progressToken;
    const options = { signal };
    if (token !== undefined) {
      const { progressToken: _, ...meta } = _meta;
      params = { ...params, _meta: meta };
      options.resetTimeoutOnProgress = true;
      options.onprogress = (progress) => sendNotification({
        method: "notifications/progress", params: { ...progress, progressToken: token },
      });
    }
    return this.#client.request({ method, params }, options);
  }

  /** Throws unless a view may call the tool of that name. */
  async permit(name) {
    let tool = (await this.#byName()).get(name);
    if (!tool && performance.now() - this.#read > limits.listedMs) {
      this.#tools = undefined;
      tool = (await this.#byName()).get(name);
    }
    if (!tool)
      throw new ProtocolError(-32602, `Tool ${name} not found`, { code: "UNKNOWN_TOOL" });
    if (!isToolVisibleToApp(tool))
      throw new ProtocolError(-32602, `Tool ${name} is not for views: its _meta.ui.visibility ` +
        'has no "app"', { code: "TOOL_NOT_VISIBLE" });
  }

  #byName() {
    if (!this.#tools) {
      const tools = this.#tools = this.#readTools();
      tools.catch(() => {
        if (this.#tools === tools) this.#tools = undefined;
      });
    }
    return this.#tools;
  }

  async #readTools() {
    const all = new Map();
    let cursor;
    this.#read = performance.now();
    for (let page = 0; page < limits.pages; page++) {
      const { tools, nextCursor } = await this.#client.request(
        { method: "tools/list", params: cursor === undefined ? {} : { cursor } });
      for (const tool of tools) all.set(tool.name, tool);
      if (nextCursor === undefined) return all;
      cursor = nextCursor;
    }
    throw new ProtocolError(-32603, `tools/list has more than ${limits.pages} pages`,
      { code: "TOO_MANY_PAGES" });
  }

  /** A page of the server's tools, those that views may call. */
  async listTools(params, extra) {
    const result = await this.forward("tools/list", params, extra);
    return { ...result, tools: result.tools.filter(isToolVisibleToApp) };
  }
}
