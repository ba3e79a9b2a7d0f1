// SPDX-License-Identifier: Apache-2.0
//
// The host of mica/host.h under the names of AppBridge: native.c is the program, and its
// messages go over a transport of this process. So what runs on a bridge runs on it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { ProtocolError, SdkError } from "../../web/host/bridge.js";

const EVENTS = { sizechange: "onsizechange", sandboxready: "onsandboxready",
  initialized: "oninitialized", requestteardown: "onrequestteardown",
  loggingmessage: "onloggingmessage", toolschanged: "ontoolschanged" };
const HANDLERS = { "ui/message": "onmessage", "ui/open-link": "onopenlink",
  "ui/download-file": "ondownloadfile", "ui/update-model-context": "onupdatemodelcontext",
  "ui/request-display-mode": "onrequestdisplaymode",
  "sampling/createMessage": "oncreatesamplingmessage", "tools/call": "oncalltool",
  "tools/list": "onlisttools", "resources/list": "onlistresources",
  "resources/templates/list": "onlistresourcetemplates", "resources/read": "onreadresource",
  "prompts/list": "onlistprompts" };
// What the callback gives, as the parameters of the message were.
const PARAMS = { "ui/open-link": (url) => ({ url }),
  "ui/download-file": (contents) => ({ contents }),
  "ui/request-display-mode": (mode) => ({ mode }) };

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** `start(program)` is a class like AppBridge whose bridges are processes of `program`. */
export const native = (program) => class NativeBridge {
  state = "LOADING";
  modelContext;
  #child;
  #transport;
  #next = 0;
  #returns = []; // of functions that have not ended, in their order
  #asked = new Map(); // number: {resolve, reject, onprogress}
  #numbers = new Map(); // number here: number there
  #controllers = new Map(); // request: AbortController
  #timer;
  #info;
  #capabilities;

  constructor(client, info, capabilities, options) {
    const child = this.#child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    running.add(child);
    this.ended = new Promise((resolve) => child.on("exit", (code, signal) => {
      running.delete(child);
      resolve(signal ?? code);
    }));
    createInterface({ input: child.stdout }).on("line", (line) => this.#event(JSON.parse(line)));
    this.opened = this.do({ do: "open", capabilities, context: options?.hostContext ?? {} });
    this.opened.catch(() => {});
  }

  /** Calls a function of the program. */
  do(command) {
    this.#child.stdin.write(`${JSON.stringify({ now: Math.floor(performance.now()),
      ...command })}\n`);
    return new Promise((resolve, reject) => this.#returns.push({ resolve, reject }));
  }

  async connect(transport) {
    await this.opened;
    this.#transport = transport;
    transport.onmessage = (message) =>
      this.do({ do: "receive", text: JSON.stringify(message) }).catch((error) =>
        this.onerror?.(error));
    await transport.start();
  }

  getAppVersion() { return this.#info; }
  getAppCapabilities() { return this.#capabilities; }

  #event(line) {
    if ("send" in line) this.#transport.send(line.send);
    else if ("ask" in line) this.#serve(line);
    else if ("cancelled" in line) this.#controllers.get(line.cancelled)?.abort(line.reason);
    else if ("event" in line) this[EVENTS[line.event]]?.(line.value ?? {});
    else if ("error" in line) this.onerror?.(new SdkError(line.error, line.message));
    else if ("number" in line) this.#numbers.set(line.of, line.number);
    else if ("progress" in line) this.#asked.get(line.progress)?.onprogress?.(line.value);
    else if ("done" in line) this.#done(line);
    else this.#returned(line);
    if (line.event === "closed") this.onclose?.();
  }

  #returned({ ret, message, state, due, model, app, capabilities }) {
    const { resolve, reject } = this.#returns.shift();
    this.state = state;
    this.modelContext = model;
    this.#info = app;
    this.#capabilities = capabilities;
    clearTimeout(this.#timer);
    if (due !== undefined && state !== "CLOSED")
      this.#timer = setTimeout(() => this.do({ do: "tick" }),
        Math.max(0, due - performance.now()) + 1);
    if (ret === "OK") resolve();
    else reject(new SdkError(ret, message));
  }

  async #serve({ ask, request, value }) {
    const handler = this[HANDLERS[ask]];
    const controller = new AbortController();
    const params = PARAMS[ask] ? PARAMS[ask](value) : value ?? {};
    this.#controllers.set(request, controller);
    const notify = ({ params: { progressToken: _, ...json } }) =>
      this.do({ do: "progress", request, json });
    try {
      if (!handler) throw new ProtocolError(-32601, "Method not found");
      const json = await handler(params, { signal: controller.signal, sendNotification: notify,
        mcpReq: { method: ask, signal: controller.signal, notify } });
      await this.do({ do: "answer", request, json: json ?? {} });
    } catch (error) {
      await this.do({ do: "refuse", request, message: error.message, json: error.data,
        rpc: Number.isInteger(error.code) ? error.code : -32603 }).catch(() => {});
    } finally {
      this.#controllers.delete(request);
    }
  }

  #done({ done, code, result, message, rpc, data }) {
    const { resolve, reject } = this.#asked.get(done);
    this.#asked.delete(done);
    this.#numbers.delete(done);
    if (code === null) resolve(result);
    else if (code === "ERROR_REPLY") reject(new ProtocolError(rpc, message, data));
    else reject(new SdkError(code, message));
  }

  #ask(command, { timeout, signal, onprogress } = {}) {
    const number = this.#next++;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject, onprogress });
      const taken = this.do({ number, ...command, timeout,
        ...onprogress && { progress: true } });
      taken.catch((error) => {
        this.#asked.delete(number);
        reject(error);
      });
      // The program has given the request its number when the function has ended.
      signal?.addEventListener("abort", () => taken.then(() => this.do({ do: "cancel",
        request: this.#numbers.get(number), reason: String(signal.reason) })));
    });
  }

  callTool({ name, arguments: given }, options) {
    return this.#ask({ do: "call_tool", name, arguments: given }, options);
  }
  listTools({ cursor } = {}, options) { return this.#ask({ do: "list_tools", cursor }, options); }
  requestElicitation(params, options) { return this.#ask({ do: "elicit", params }, options); }
  request({ method, params }, options) {
    if (method === "ping") return this.#ask({ do: "ping" }, options);
    return method === "tools/call" ? this.callTool(params, options)
      : this.listTools(params, options);
  }
  teardownResource(params = {}, options) { return this.#ask({ do: "teardown" }, options); }
  sendToolInputPartial({ arguments: json } = {}) {
    return this.do({ do: "tool_input_partial", json });
  }
  sendToolInput({ arguments: json } = {}) { return this.do({ do: "tool_input", json }); }
  sendToolResult(json) { return this.do({ do: "tool_result", json }); }
  sendToolCancelled({ reason } = {}) { return this.do({ do: "tool_cancelled", reason }); }
  sendHostContextChange(json) { return this.do({ do: "set_context", json }); }
  setHostContext(json) { return this.sendHostContextChange(json); }
  setServerTools(json) { return this.do({ do: "set_server_tools", json }); }
  sendSandboxResourceReady(json) { return this.do({ do: "sandbox_resource", json }); }
  sendToolListChanged() { return this.do({ do: "server_changed", list: "tools" }); }
  sendResourceListChanged() { return this.do({ do: "server_changed", list: "resources" }); }
  sendPromptListChanged() { return this.do({ do: "server_changed", list: "prompts" }); }

  /** Ends the program; its status is 0. */
  async close() {
    clearTimeout(this.#timer);
    await this.do({ do: "close" });
    this.#child.stdin.end();
    const status = await this.ended;
    if (status !== 0) throw new Error(`the program ended with ${status}`);
  }
};
