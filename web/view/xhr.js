// SPDX-License-Identifier: Apache-2.0
//
// XMLHttpRequest over what carries fetch (fetch.js). The class extends that of the browser,
// which has the events and serves the requests that are not carried; for the others each
// member is of this class.

const UNSENT = 0, OPENED = 1, HEADERS_RECEIVED = 2, LOADING = 3, DONE = 4;
const TEXTS = ["", "text"];

const error = (name, message) => new DOMException(message, name);

/** Another class for a relay: `native` is the browser's. */
export function requestClass(relay, native) {
  return class XMLHttpRequest extends native {
    #target; // what is carried, or undefined
    #given; // {method, headers, body}
    #state = UNSENT;
    #response; // its head
    #bytes = new Uint8Array();
    #abort;

    open(method, url, isAsync = true, user, password) {
      let target;
      try {
        target = relay.locate(String(url));
      } catch {
        target = undefined;
      }
      this.#end();
      this.#target = target && relay.takes(target, new Request(target.url, { method })) ? target
        : undefined;
      if (!this.#target) {
        super.open(method, url, isAsync, user, password);
        return;
      }
      if (!isAsync)
        throw error("InvalidAccessError", "A request of a view is carried, so it is not synchronous.");
      this.#given = { method: String(method).toUpperCase(), headers: new Headers() };
      this.#move(OPENED);
    }

    setRequestHeader(name, value) {
      if (!this.#target) {
        super.setRequestHeader(name, value);
        return;
      }
      if (this.#state !== OPENED || this.#abort)
        throw error("InvalidStateError", "The request is not open.");
      this.#given.headers.append(name, value);
    }

    send(body = null) {
      if (!this.#target) {
        super.send(body);
        return;
      }
      if (this.#state !== OPENED || this.#abort)
        throw error("InvalidStateError", "The request is not open.");
      this.#abort = new AbortController();
      this.#run(this.#abort, body);
    }

    async #run(controller, body) {
      const { method, headers } = this.#given;
      const ended = (type) => controller === this.#abort && this.#finish(type);
      const timer = this.timeout > 0 && setTimeout(() => {
        ended("timeout");
        controller.abort();
      }, this.timeout);
      try {
        const request = new Request(this.#target.url, { method, headers, signal: controller.signal,
          body: ["GET", "HEAD"].includes(method) ? undefined : textOf(body, headers) });
        this.#tell("loadstart");
        const response = await relay.send(request, this.#target);
        const bytes = new Uint8Array(await response.arrayBuffer());
        if (controller !== this.#abort) return;
        this.#response = response;
        this.#move(HEADERS_RECEIVED);
        this.#bytes = bytes;
        this.#move(LOADING);
        ended("load");
      } catch {
        ended("error");
      } finally {
        clearTimeout(timer);
      }
    }

    abort() {
      if (!this.#target) {
        super.abort();
        return;
      }
      const controller = this.#abort;
      if (controller) this.#finish("abort");
      controller?.abort();
      this.#state = this.#state === DONE ? UNSENT : this.#state;
    }

    // A request that is opened again forgets the one before.
    #end() {
      this.#abort?.abort();
      this.#abort = this.#response = undefined;
      this.#bytes = new Uint8Array();
      this.#state = UNSENT;
    }

    #finish(type) {
      this.#abort = undefined;
      if (type !== "load") {
        this.#response = undefined;
        this.#bytes = new Uint8Array();
      }
      this.#move(DONE);
      if (type === "load") this.#tell("progress");
      this.#tell(type);
      this.#tell("loadend");
    }

    #move(state) {
      this.#state = state;
      this.dispatchEvent(new Event("readystatechange"));
    }

    #tell(type) {
      const loaded = this.#bytes.length;
      this.dispatchEvent(new ProgressEvent(type,
        { lengthComputable: loaded > 0, loaded, total: loaded }));
    }

    // ---- What came ---------------------------------------------------------------

    get readyState() {
      return this.#target ? this.#state : super.readyState;
    }

    get status() {
      return this.#target ? this.#response?.status ?? 0 : super.status;
    }

    get statusText() {
      return this.#target ? this.#response?.statusText ?? "" : super.statusText;
    }

    get responseURL() {
      return this.#target ? this.#response?.url ?? "" : super.responseURL;
    }

    getResponseHeader(name) {
      return this.#target ? this.#response?.headers.get(name) ?? null
        : super.getResponseHeader(name);
    }

    getAllResponseHeaders() {
      if (!this.#target) return super.getAllResponseHeaders();
      return [...this.#response?.headers ?? []].map(([name, value]) => `${name}: ${value}\r\n`)
        .join("");
    }

    get #text() {
      return new TextDecoder().decode(this.#bytes);
    }

    get #type() {
      return this.#response?.headers.get("content-type") ?? "";
    }

    get responseText() {
      if (!this.#target) return super.responseText;
      if (!TEXTS.includes(this.responseType))
        throw error("InvalidStateError", `The responseType is "${this.responseType}".`);
      return this.#text;
    }

    get responseXML() {
      return this.#target ? this.#documentOf("text/xml") : super.responseXML;
    }

    #documentOf(otherwise) {
      if (this.#state !== DONE || !this.#response) return null;
      const [type] = this.#type.split(";");
      const known = ["text/html", "text/xml", "application/xml", "image/svg+xml"].includes(type);
      return new DOMParser().parseFromString(this.#text, known ? type : otherwise);
    }

    get response() {
      if (!this.#target) return super.response;
      if (TEXTS.includes(this.responseType)) return this.#text;
      if (this.#state !== DONE || !this.#response) return null;
      switch (this.responseType) {
        case "arraybuffer": return this.#bytes.buffer;
        case "blob": return new Blob([this.#bytes], { type: this.#type });
        case "document": return this.#documentOf("text/html");
        default:
          try {
            return JSON.parse(this.#text);
          } catch {
            return null;
          }
      }
    }
  };
}

// A document is sent as its text, under its type.
function textOf(body, headers) {
  if (typeof Document === "undefined" || !(body instanceof Document)) return body;
  if (!headers.has("content-type")) headers.set("content-type", "text/html;charset=UTF-8");
  return new XMLSerializer().serializeToString(body);
}
