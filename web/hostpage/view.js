// SPDX-License-Identifier: Apache-2.0
//
// One open view: its document, its bridge and transport, what it may do, and its tools.
// `hooks` is where other parts of the page join: a recorder wraps the transport, controls
// take the bridge.
import { AppBridge, getToolUiResourceUri, limits, RESOURCE_MIME_TYPE } from "../host/bridge.js";
import { openView } from "../host/frame.js";
import { downloadName } from "../host/links.js";
import { serverOf } from "../host/server.js";
import { shown } from "../host/tools.js";
import { unpressed } from "../press.js";
import { ProtocolError } from "../view/peer.js";
import { questionOfCall } from "./call_question.js";
import { Consent, fact, facts, limits as shows, long, notShown } from "./consent.js";
import { announce, foreign, sizeOf } from "./elements.js";
import { bytesOfBase64, save, sizeOfFile } from "./files.js";
import { isOfApp, sandboxOf } from "./place.js";
import { hostInfo } from "./server_client.js";
import { contextOf } from "./theme.js";

/** Each is called for every view: `transport(transport, view)` returns the one that the
 * bridge gets; `opened(view)` when its frame is there; `closed(view)` when it is gone. And
 * for the page: `answered(card, result)` for every result, `listed(tools)` for the list of
 * the server. With `audit` the sandbox tells what the policy of a view has blocked. */
export const hooks = { transport: [], opened: [], closed: [], answered: [], listed: [],
  audit: false };

const STARTS_MS = 10_000; // until a view that has not connected is said to be late

// While the person reads a question, the view that asks is told every READING_MS that its
// request is open. Progress must grow, and what the server says of the call comes after it:
// so the steps are small.
const READING_MS = 10_000;
const SMALL_STEP = 1e-6;

const PERMISSIONS = {
  camera: "use your camera",
  microphone: "use your microphone",
  geolocation: "know where you are",
  clipboardWrite: "write to your clipboard",
};

const OF_AN_ORIGIN = ["camera", "microphone"]; // which views of apps do not have

// ---- The document ------------------------------------------------------------------

const decode = (base64) => new TextDecoder().decode(
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));

/** The document of a view, and what it declares: {html, csp, permissions, prefersBorder}. */
export async function readDocument(client, uri) {
  const { contents } = await client.request({ method: "resources/read", params: { uri } });
  const content = contents?.find((one) => one.uri === uri);
  if (!content) throw new Error(`The server has no document at ${uri}.`);
  if (content.mimeType !== RESOURCE_MIME_TYPE)
    throw new Error(`${uri} is ${content.mimeType}, and a view is ${RESOURCE_MIME_TYPE}.`);
  const { csp, permissions, prefersBorder } = content._meta?.ui ?? {};
  return { html: content.text ?? decode(content.blob), csp, permissions, prefersBorder };
}

// ---- A view ------------------------------------------------------------------------

export class View {
  tools = new Map(); // that it registered, by name
  bridge;
  frame;
  consent;
  #approved = new Map(); // name of such a tool: what the person saw of it
  #listing; // promise
  #stale = false;
  #listener;
  #closing;
  #opening = []; // messages about the call that opened the view
  #replacing; // promise, while one document takes the place of another
  #permitted = {}; // what the person answered for these domains: {domains, answers}
  #late; // timer until it is said that the view has not connected
  #lateness; // the error that says so

  /** `name` is what the page calls it; `listener` is told of {tools, said, size, mode, asked,
   * context, failed, mended, closed}: `mended` gets an error that `failed` got, and that is no
   * longer so. The view of a form has no `tool`, but its `uri`. */
  constructor({ client, tool, uri, name, container, listener }) {
    Object.assign(this, { client, tool, name, container });
    this.uri = uri ?? getToolUiResourceUri(tool);
    this.consent = new Consent(name, () => this.close().catch((error) =>
      this.#tell("failed", error)));
    this.#listener = listener;
  }

  #tell(event, ...rest) {
    this.#listener[event]?.(...rest);
  }

  /** Reads the document, asks what it needs, and opens the frame. */
  async open() {
    await this.#show(await readDocument(this.client, this.uri));
  }

  // With `strict` the host has no capabilities; `context` is that of a view of mica else.
  async #show(document_, { strict, context } = {}) {
    this.document = document_;
    const { html, csp, prefersBorder } = document_;
    const permissions = await this.#permit(document_);
    if (this.closed || this.#closing) return;
    this.container.classList.toggle("bordered", prefersBorder !== false);
    this.bridge = this.#makeBridge(csp, permissions, strict, context);
    const height = this.frame?.style.height;
    this.frame = await openView(this.bridge, {
      container: this.container, html, csp, permissions, ...sandboxOf(),
      wrap: (transport) => hooks.transport.reduce((made, wrap) => wrap(made, this), transport),
      audit: hooks.audit,
    });
    this.frame.title = this.name;
    if (height) this.frame.style.height = height; // until the document says its own
    for (const opened of hooks.opened) opened(this);
    this.#late = setTimeout(() => this.#missed(), STARTS_MS);
  }

  // A frame that stays blank says nothing itself.
  #missed() {
    if (this.closed || this.bridge.state === "LIVE") return;
    this.#lateness = new Error(`The view has not connected in ${STARTS_MS / 1000} seconds. ` +
      "Does its document make an App and call connect()? If the frame shows a refusal, " +
      "that names what the view may not declare.");
    this.#tell("failed", this.#lateness);
  }

  // The document is no longer late: it has connected, or another one takes its place.
  #arrived() {
    clearTimeout(this.#late);
    if (this.#lateness) this.#tell("mended", this.#lateness);
    this.#lateness = undefined;
  }

  /**
   * Opens a document in place of the one that is shown, with a bridge and a frame of its own.
   * `leave(bridge)` ends that one and resolves to what it left, of which `context` makes the
   * host context. Resolves to whether the view is open: the person may close it meanwhile.
   */
  replace(document_, options) {
    const replacing = this.#replace(document_, options);
    this.#replacing = replacing.catch(() => {}); // the caller is told
    return replacing;
  }

  /** Tells the view of the call that opened it, and each document that replaces another. */
  async told(method, params) {
    this.#opening.push({ method, params });
    if (this.#replacing || !this.bridge || this.closed) return;
    await this.bridge.notification({ method, params });
  }

  async #replace(document_, { leave, strict, context }) {
    this.bridge.onclose = undefined; // its end is not that of the view
    this.consent.renew();
    this.#arrived();
    try {
      const left = await leave(this.bridge);
      this.tools = new Map();
      this.#approved.clear();
      this.#tell("tools");
      if (!this.#closing) await this.#show(document_, { strict, context: context(left) });
      // What comes meanwhile is told here, too.
      for (const message of this.#opening)
        if (!this.#closing) await this.bridge.notification(message);
      this.#replacing = undefined;
    } catch (error) {
      this.#ended();
      throw error;
    }
    return !this.#closing;
  }

  /** Shows the view in that mode. */
  display(mode) {
    this.#tell("mode", mode);
  }

  // A document that replaces another has the answers that the person gave to that one, unless
  // it reaches other servers with what it may use.
  async #permit({ permissions: wanted = {}, csp }) {
    const domains = JSON.stringify(csp ?? {});
    const given = {};
    if (this.#permitted.domains !== domains) this.#permitted = { domains, answers: new Map() };
    const { answers } = this.#permitted;
    for (const [name, words] of Object.entries(PERMISSIONS)) {
      if (!wanted[name]) continue;
      if (isOfApp && OF_AN_ORIGIN.includes(name)) {
        this.#tell("said", "Not given", `${name}: browsers give it to no view without an origin`);
        continue;
      }
      if (!answers.has(name)) {
        const allowed = await this.consent.allows({ title: `This view wants to ${words}.` });
        if (this.closed || this.#closing) return {};
        answers.set(name, allowed);
      }
      if (answers.get(name)) given[name] = {};
    }
    return given;
  }

  #makeBridge(csp, permissions, strict, hostContext = contextOf(this.tool, this.container)) {
    const { tools, resources } = this.client.getServerCapabilities();
    const bridge = strict ? new AppBridge(null, hostInfo, {}, { hostContext })
      : new AppBridge(this.client.forViews, hostInfo, {
        openLinks: {}, downloadFile: {}, logging: {},
        message: { text: {}, image: {}, resource: {}, resourceLink: {} },
        updateModelContext: { text: {}, structuredContent: {} },
        ...!this.tool && { elicitation: {} },
        ...tools && { serverTools: { listChanged: Boolean(tools.listChanged) } },
        ...resources && { serverResources: { listChanged: Boolean(resources.listChanged) } },
        sandbox: { csp: csp ?? {}, permissions },
      }, { hostContext });
    if (!strict) this.#serve(bridge);
    bridge.onsizechange = (size) => this.#resize(size);
    bridge.onloggingmessage = ({ level, logger, data }) => this.#tell("said",
      `${level}${logger ? ` ${shown(logger, 80)}` : ""}`,
      shown(typeof data === "string" ? data : JSON.stringify(data) ?? ""));
    bridge.onrequestteardown = () => this.close();
    bridge.oninitialized = () => {
      this.#arrived();
      this.refresh();
    };
    bridge.ontoolschanged = () => this.refresh();
    bridge.onerror = (error) => this.#tell("said", error.code ?? "error", shown(error.message));
    bridge.onclose = () => this.#ended();
    return bridge;
  }

  #serve(bridge) {
    bridge.onopenlink = ({ url }, extra) => this.#openLink(url, extra);
    bridge.ondownloadfile = ({ contents }, extra) => this.#download(contents, extra);
    bridge.onmessage = ({ content }, extra) => this.#message(content, extra);
    bridge.onupdatemodelcontext = (params) => this.#tell("context", params);
    bridge.oncalltool = (params, extra) => this.#callServer(params, extra);
    bridge.onrequestdisplaymode = ({ mode }) => {
      this.#tell("mode", mode);
      return { mode };
    };
  }

  async #resize({ height }) {
    await unpressed();
    if (height > 0) this.frame.style.height = `${Math.ceil(height)}px`;
    this.#tell("size", height);
  }

  // ---- What it asks ----------------------------------------------------------------

  // Asks the person what a request of the view wants, `what` in a few words. The question ends
  // with the request: then this rejects, and nothing is done.
  async #asks(what, question, { signal, _meta, sendNotification }) {
    const token = _meta?.progressToken;
    let told = 0;
    // The time that a person reads is not the view's: progress starts its time-out anew.
    const reading = token === undefined ? undefined : setInterval(() => sendNotification({
      method: "notifications/progress", params: { progressToken: token,
        progress: ++told * SMALL_STEP, message: "The person is asked." } }).catch(() => {
      clearInterval(reading); // the view has ended, and its questions with it
    }), READING_MS);
    try {
      const allowed = await this.consent.allows({ ...question, signal });
      this.#tell("asked", what, allowed);
      return allowed;
    } catch (error) {
      if (signal.aborted) this.#withdrawn(what);
      throw error;
    } finally {
      clearInterval(reading);
    }
  }

  #withdrawn(what) {
    this.#tell("said", "Withdrawn", `${what}: the view no longer waited for your answer`);
    announce(`${this.name} no longer waits for an answer to its question.`);
  }

  async #openLink(url, extra) {
    const allowed = await this.#asks(`open a link: ${url}`, { kind: "link",
      title: "Open this address?", yes: "Open",
      parts: [serverOfLink(url), long("Address", url)] }, extra);
    if (!allowed) return { isError: true };
    // An anchor, so that the page that opens knows nothing of this one.
    Object.assign(document.createElement("a"), { href: url, target: "_blank",
      rel: "noopener noreferrer", referrerPolicy: "no-referrer" }).click();
    return {};
  }

  async #download(contents, extra) {
    const few = contents.slice(0, shows.files).map((content) =>
      ({ name: downloadName(content), size: sizeOfFile(content) }));
    const more = contents.length - few.length;
    const what = `save ${few.map(({ name }) => shown(name, 80)).join(", ")}` +
      `${more > 0 ? ` and ${more} more` : ""}`;
    const allowed = await this.#asks(what, { kind: "download", yes: "Save",
      title: contents.length === 1 ? "Save this file?" : `Save these ${contents.length} files?`,
      parts: [facts(...few.map(({ name, size }) => fact(size, foreign(name, "code")))),
        ...more > 0 ? [notShown("Files", `${more} more`)] : []] }, extra);
    if (!allowed) return { isError: true };
    for (const content of contents) await save(content, this.client);
    return {};
  }

  async #message(content, extra) {
    const text = content.map(wordsOfBlock).join("\n");
    const allowed = await this.#asks(`send a message: ${text}`, { kind: "message", yes: "Send",
      title: "Send this message in your name?", parts: [long("The message", text)] }, extra);
    return allowed ? {} : { isError: true };
  }

  // The bridge has found that a view may call the tool.
  async #callServer(params, extra) {
    const tool = this.client.tools.get(params.name) ??
      (await this.client.listTools()).get(params.name);
    const { what, question } = questionOfCall(params, tool, this.client.tools);
    if (!question) this.#tell("asked", what, true);
    else if (!await this.#asks(what, question, extra))
      throw new ProtocolError(-32000, `The person did not allow a call of ${params.name}.`,
        { code: "NOT_ALLOWED" });
    return serverOf(this.client.forViews).forward("tools/call", params, extra);
  }

  // ---- Its tools -------------------------------------------------------------------

  /** Lists the tools of the view anew; a change meanwhile is not lost. */
  refresh() {
    this.#stale = true;
    this.#listing ??= this.#list().catch((error) =>
      this.#tell("said", error.code ?? "error", error.message)).finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  async #list() {
    while (this.#stale && !this.closed) {
      this.#stale = false;
      const found = new Map();
      if (this.bridge.getAppCapabilities()?.tools) {
        let cursor;
        for (let page = 0; page < limits.tools; page++) {
          const { tools, nextCursor } = await this.bridge.listTools(
            cursor === undefined ? {} : { cursor });
          for (const tool of tools) found.set(tool.name, tool);
          if (typeof nextCursor !== "string") break;
          cursor = nextCursor;
        }
      }
      if (this.closed) return;
      this.tools = found;
      this.#tell("tools");
    }
  }

  /** Calls a tool of the view, of which the person has `seen` this. If it is another by now,
   * or another than at the last call, the person is asked: the words of a view steer the
   * model that calls its tools. */
  async callTool(seen, given, signal) {
    const { name } = seen;
    await this.refresh();
    const tool = this.tools.get(name);
    if (!tool) throw new Error(`${this.name} has no tool ${name} any more.`);
    const now = wordsOf(tool);
    const before = this.#approved.get(name) ?? wordsOf(seen);
    if (before !== now &&
        !await this.consent.allows({ title: `${name} is not what it was. Call it?`, yes: "Call",
          parts: [long("Before", before), long("Now", now)], signal }))
      throw new ProtocolError(-32000, `${name} has changed, and was not called.`,
        { code: "NOT_ALLOWED" });
    this.#approved.set(name, now);
    return this.bridge.callTool({ name, arguments: given }, { signal });
  }

  // ---- Its end ---------------------------------------------------------------------

  /** Gives the view time to end, and closes it. */
  close() {
    this.consent.end();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    if (this.#replacing) await this.#replacing;
    if (!this.bridge) return this.#ended();
    if (this.bridge.state !== "CLOSED") await this.bridge.teardownResource();
    await this.bridge.close();
    this.#ended();
  }

  #ended() {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.#late);
    this.consent.end();
    this.tools = new Map();
    this.#tell("closed");
    for (const closed of hooks.closed) closed(this);
  }
}

// What a block of a message says, and what it brings along.
function wordsOfBlock(block) {
  const { type, text, uri, name, resource, mimeType, data } = block;
  if (type === "text") return text;
  if (type === "resource_link") return `[${type} ${name}: ${uri}]`;
  if (type === "resource") return `[${type} ${resource.uri}, ${sizeOfFile(block)}]` +
    `${resource.blob === undefined ? `\n${resource.text}` : ""}`;
  return `[${type} ${mimeType}, ${sizeOf(bytesOfBase64(data))}]`;
}

// The server of a link, which an address may hide: https://bank.example@other.example/.
function serverOfLink(url) {
  const { protocol, host, pathname } = new URL(url);
  return facts(protocol === "mailto:" ? fact("Mail to", foreign(shown(pathname, 200), "code"))
    : fact("Server", foreign(host, "code")));
}

// Everything of a tool that a person, or a model, goes by.
const wordsOf = ({ name, title, description, inputSchema, outputSchema, annotations }) =>
  JSON.stringify({ name, title, description, annotations, inputSchema, outputSchema }, null, 2);

