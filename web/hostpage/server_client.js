// SPDX-License-Identifier: Apache-2.0
//
// The server of this page as a client of MCP: with the methods that bridges need
// (BridgeClient in web/host/bridge.d.ts), and the list of its tools. Requests go to
// /host/rpc, where the login of the browser counts.
import { stringify } from "../exact.js";
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from "../view/protocol.js";
import { ProtocolError } from "../view/peer.js";
import { argumentHeaders, Client, McpError } from "../mcp.js";
import { rpc } from "./place.js";

const AGAIN_MS = 2000; // until a stream that broke off is asked for again

// Requests of all views at once: a browser opens six connections to a server, and those that
// the page needs itself are never taken.
const OF_VIEWS = 3;

export const hostInfo = { name: "mica-host", version: "1" };

const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {},
  extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE], elicitation: {} } } };

const texts = new WeakMap(); // result: the reply as it was sent

// A view is given plain JSON. What a person sees has every digit: the text itself.
function read(text) {
  const message = JSON.parse(text);
  if (typeof message.result === "object" && message.result !== null)
    texts.set(message.result, text);
  return message;
}

/** The text of the reply that had this result. */
export const replyOf = (result) => texts.get(result);

/** An error of the server as the reply that a person reads. */
export const replyOfError = (error) => JSON.stringify(error.reply ??
  { error: { message: error.message, ...error.code !== undefined && { code: error.code },
    ...error.data !== undefined && { data: error.data } } }, null, 2);

export class ServerClient {
  #client;
  #capabilities;
  #handlers = new Map(); // method: handler
  #progress = new Map(); // token: listener
  #token = 0;
  #ofViews = 0; // requests that run
  #turns = []; // what waits, in its order
  #tools = new Map(); // by name
  capabilities = capabilities;
  ontoolschanged; // the server says that its tools are others

  /** `ask(request, signal)` answers questions of the server, as a client's person and model
   * would. */
  constructor(ask) {
    this.#client = new Client(rpc, "2026-07-28", { ask, capabilities,
      codec: { parse: read, stringify }, clientInfo: hostInfo,
      tell: (message) => this.#told(message) });
  }

  async connect() {
    ({ capabilities: this.#capabilities } = await this.#client.request("server/discover"));
  }

  getServerCapabilities() {
    return this.#capabilities;
  }

  setNotificationHandler(method, handler) {
    this.#handlers.set(method, handler);
  }

  get tools() {
    return this.#tools;
  }

  /** All tools of the server, by name, as they are now. */
  async listTools() {
    const tools = await this.#client.list("tools/list", "tools");
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    return this.#tools;
  }

  /** The result of a request; an error of the server is a ProtocolError with its code. */
  async request({ method, params = {} }, { signal, onprogress } = {}) {
    const token = onprogress && `host ${++this.#token}`;
    if (token) {
      this.#progress.set(token, onprogress);
      params = { ...params, _meta: { ...params._meta, progressToken: token } };
    }
    const headers = method === "tools/call"
      ? argumentHeaders(this.#tools.get(params.name)?.inputSchema, params.arguments) : {};
    try {
      return await this.#client.request(method, params, headers, signal);
    } catch (error) {
      throw asProtocolError(error);
    } finally {
      this.#progress.delete(token);
    }
  }

  /** This client for the bridges of views, whose requests wait for each other. */
  forViews = {
    getServerCapabilities: () => this.getServerCapabilities(),
    setNotificationHandler: (...given) => this.setNotificationHandler(...given),
    request: async (...given) => {
      if (this.#ofViews === OF_VIEWS) await new Promise((turn) => this.#turns.push(turn));
      else this.#ofViews++;
      try {
        return await this.request(...given);
      } finally {
        const next = this.#turns.shift();
        if (next) next();
        else this.#ofViews--;
      }
    },
  };

  #told({ method, params }) {
    if (method === "notifications/progress")
      this.#progress.get(params.progressToken)?.(params);
    if (method === "notifications/tools/list_changed") this.ontoolschanged?.();
    this.#handlers.get(method)?.({ method, params });
  }

  /** Follows the lists of the server while the page is seen: a hidden page holds none of the
   * few connections of its browser. `began` is called when it follows again, `ended` with an
   * error when the login has ended. */
  follow(began, ended) {
    let abort;
    const listen = async () => {
      abort = new AbortController();
      const { signal } = abort;
      while (!signal.aborted) {
        await this.#client.follow({ toolsListChanged: true, resourcesListChanged: true,
          promptsListChanged: true }, signal, began).catch((error) => {
          if (error.status === 401) {
            abort.abort();
            ended(error);
          } else if (!signal.aborted) {
            console.info(`The lists of the server: ${error.message}`);
          }
        });
        await new Promise((again) => setTimeout(again, AGAIN_MS));
      }
    };
    const look = () => {
      abort?.abort();
      if (!document.hidden) listen();
    };
    document.addEventListener("visibilitychange", look);
    look();
  }
}

function asProtocolError(error) {
  const failure = error instanceof McpError && error.reply?.error;
  if (!failure) return error;
  const made = new ProtocolError(failure.code, failure.message, failure.data);
  return Object.assign(made, { reply: error.reply, status: error.status });
}
