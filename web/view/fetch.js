// SPDX-License-Identifier: Apache-2.0
//
// fetch and XMLHttpRequest in a view, which runs without network. A request to the view's
// own server goes as the tool `http_request`, which the host carries (ext-apps PR #425); every
// other one goes to the browser, whose policy lets it pass where the view has declared the
// domain. Without a host that carries calls, all go to the browser: a page that is opened by
// itself is a page like others.
import { SdkError } from "./peer.js";
import { requestClass } from "./xhr.js";

export const HTTP_REQUEST_TOOL_NAME = "http_request";

const MOST_BYTES = 4 << 20; // of a body
const MOST_RUNNING = 16; // requests at once
const MOST_WAITING = 1024; // behind them

// Where a view has no address of its own: a path of it is one of its server.
const NOWHERE = "http://view.invalid/";
const WITHOUT_BODY = [204, 205, 304];

const base = () => {
  const uri = globalThis.document?.baseURI ?? globalThis.location?.href;
  return /^https?:/.test(uri ?? "") ? uri : NOWHERE;
};

/** What a browser rejects with; `cause.code` says more. */
function failure(code, message, cause = new SdkError(code, message)) {
  return new TypeError(`Failed to fetch: ${message}`, { cause });
}

// ---- Bytes -----------------------------------------------------------------------

const PIECE = 0x8000; // arguments of one call

function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += PIECE)
    text += String.fromCharCode(...bytes.subarray(i, i + PIECE));
  return btoa(text);
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/** The bytes as {body, bodyType}: text where they are UTF-8. */
function encoded(bytes) {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { body: decoder.decode(bytes), bodyType: "text" };
  } catch {
    return { body: toBase64(bytes), bodyType: "base64" };
  }
}

function formOf(fields) {
  const form = new FormData();
  for (const { name, value, data, filename, contentType } of fields)
    if (data === undefined) form.append(name, value ?? "");
    else form.append(name, new Blob([fromBase64(data)], { type: contentType }), filename);
  return form;
}

// Of what a server has written: ours sends text and base64, others all of them.
function decoded({ body, bodyType }) {
  switch (bodyType ?? (body === undefined ? "none" : typeof body === "string" ? "text" : "json")) {
    case "none": return null;
    case "base64": return fromBase64(typeof body === "string" ? body : body.data);
    case "formData": return formOf(body);
    default:
      if (typeof body === "string") return body;
      return bodyType === "urlEncoded" ? new URLSearchParams(body) : JSON.stringify(body ?? null);
  }
}

// ---- Requests ----------------------------------------------------------------------

async function payloadOf(request, url) {
  const payload = {
    method: request.method, url, headers: Object.fromEntries(request.headers), bodyType: "none",
  };
  if (request.redirect !== "follow") payload.redirect = request.redirect;
  if (["GET", "HEAD"].includes(request.method)) return payload;
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length > MOST_BYTES)
    throw failure("LIMIT_EXCEEDED", `The body has more than ${MOST_BYTES} bytes.`);
  return bytes.length > 0 ? { ...payload, ...encoded(bytes) } : payload;
}

// ---- Responses ---------------------------------------------------------------------

// What the tool says, or null. Older servers say it as text.
function answerOf({ structuredContent, content }) {
  if (structuredContent) return structuredContent;
  try {
    return JSON.parse(content[0].text);
  } catch {
    return null;
  }
}

// The address of a response, which no constructor sets; a clone has it, too.
function placed(response, url, redirected) {
  const clone = response.clone.bind(response);
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    clone: { value: () => placed(clone(), url, redirected) },
  });
}

function responseOf(result, request) {
  const told = result.isError ? null : answerOf(result);
  if (result.isError) {
    const { code = "HTTP_REQUEST_FAILED", message } = result._meta?.["mica/error"] ?? {};
    throw failure(code, message ?? result.content?.[0]?.text ?? "The tool has failed.");
  }
  try {
    const { status, statusText, headers, url, redirected } = told;
    if (!Number.isInteger(status)) throw new RangeError("it has no status");
    const own = new Headers(headers);
    if (told.bodyType === "formData") own.delete("content-type"); // it has another boundary
    const body = WITHOUT_BODY.includes(status) ? null : decoded(told);
    return placed(new Response(body, { status, statusText, headers: own }),
      url === undefined ? request.url : new URL(url, base()).href, redirected === true);
  } catch (error) {
    throw failure("INVALID_RESPONSE", `The reply of the tool is no response: ${error.message}`);
  }
}

// ---- Carrying ------------------------------------------------------------------------

/** Which requests are carried, and how. One for fetch and XMLHttpRequest of a page. */
export class Relay {
  active = true;
  #app;
  #options;
  #running = 0;
  #waiting = [];

  constructor(app, options) {
    this.#app = app;
    this.#options = options;
  }

  /** {url, path} of an address: its path on the view's server, if it is one of that. */
  locate(input) {
    const { origins = [], allowAbsoluteUrls = false } = this.#options;
    const url = new URL(input, base());
    const { origin } = new URL(base());
    const isOwn = url.origin === origin || origins.includes(url.origin);
    const path = url.pathname + url.search;
    return { url, path: isOwn ? path : allowAbsoluteUrls ? url.href : undefined };
  }

  get hasHost() {
    const { isMcpApp = () => Boolean(this.#app.getHostCapabilities()?.serverTools) } = this.#options;
    return isMcpApp();
  }

  /** Whether the request is carried; throws where it must not go to the browser. */
  takes({ url, path }, request) {
    const { interceptPaths = ["/"], interceptEnabled = () => true, fallbackToNative = true,
      shouldIntercept } = this.#options;
    if (!this.active || !interceptEnabled() || !/^https?:$/.test(url.protocol)) return false;
    const wanted = shouldIntercept ? shouldIntercept(url, request)
      : path !== undefined && interceptPaths.some((prefix) => url.pathname.startsWith(prefix));
    if (!wanted || this.hasHost) return wanted;
    if (fallbackToNative) return false;
    throw failure("NO_HOST", "No host is there that carries requests.");
  }

  async #turn(signal) {
    if (this.#running < MOST_RUNNING) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= MOST_WAITING)
      throw failure("TOO_MANY_REQUESTS", `${MOST_WAITING} requests wait.`);
    await new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const stop = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.push(go);
    });
  }

  // A request that waits takes over the place of one that is done.
  #done() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }

  /** Sends a Request as a call of the tool; its Response, or a rejection as of fetch. */
  async send(request, { path, url }) {
    const { toolName = HTTP_REQUEST_TOOL_NAME, timeoutMs } = this.#options;
    const { signal } = request;
    signal.throwIfAborted();
    const payload = await payloadOf(request, path ?? url.href);
    if (timeoutMs) payload.timeoutMs = timeoutMs;
    await this.#turn(signal);
    let result;
    try {
      signal.throwIfAborted();
      result = await this.#app.callServerTool({ name: toolName, arguments: payload },
        { signal, ...(timeoutMs && { timeout: timeoutMs }) });
    } catch (error) {
      signal.throwIfAborted();
      throw failure(error.code, error.message, error);
    } finally {
      this.#done();
    }
    return responseOf(result, request);
  }
}

// ---- fetch -----------------------------------------------------------------------------

function fetchOf(relay, native) {
  return async (input, init) => {
    const given = typeof Request !== "undefined" && input instanceof Request;
    let target;
    try {
      target = relay.locate(given ? input.url : String(input));
    } catch {
      return native(input, init); // the browser says what is wrong with the address
    }
    if (!relay.takes(target, given && !init ? input : new Request(target.url, bare(init))))
      return native(input, init);
    return relay.send(new Request(given ? input : target.url, init), target);
  };
}

// Only to be looked at: a body that is a stream is read once, by what sends it.
const bare = (init) => init && { ...init, body: undefined, signal: undefined };

// What replaces a name of the page. `restore` gives the name back, unless another has it now.
function handleOf(relay, name, replacement, native, install) {
  if (install) globalThis[name] = replacement;
  let restored = false;
  return {
    [name]: replacement,
    stop() {
      relay.active = false;
    },
    start() {
      relay.active = !restored;
    },
    isActive: () => relay.active,
    restore() {
      restored = true;
      relay.active = false;
      if (globalThis[name] === replacement) globalThis[name] = native;
    },
  };
}

/** Replaces fetch. `app` is connected, or never will be. */
export function initMcpFetch(app, options = {}, relay = new Relay(app, options)) {
  const native = options.fetch ?? globalThis.fetch;
  return handleOf(relay, "fetch", fetchOf(relay, native.bind(globalThis)), native,
    options.installGlobal ?? true);
}

/** Replaces XMLHttpRequest. */
export function initMcpXhr(app, options = {}, relay = new Relay(app, options)) {
  const native = options.XMLHttpRequest ?? globalThis.XMLHttpRequest;
  return handleOf(relay, "XMLHttpRequest", requestClass(relay, native), native,
    options.installGlobal ?? true);
}

/** Replaces both; XMLHttpRequest where there is one. */
export function initMcpHttp(app, options = {}) {
  const relay = new Relay(app, options);
  const handles = [initMcpFetch(app, options, relay)];
  if (options.XMLHttpRequest ?? globalThis.XMLHttpRequest)
    handles.push(initMcpXhr(app, options, relay));
  const each = (name) => () => handles.forEach((handle) => handle[name]());
  return { ...handles.at(-1), fetch: handles[0].fetch, stop: each("stop"), start: each("start"),
    restore: each("restore") };
}

/** `await app.connect(); installFetch(app);`: all of it under one name. Requests that are sent
 *  before connect() is done go to the browser: whether the host carries them is not known yet. */
export const installFetch = initMcpHttp;
