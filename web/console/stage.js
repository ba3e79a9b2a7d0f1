// SPDX-License-Identifier: Apache-2.0
//
// The preview: the widget's own document in a frame of an origin of its own, with the
// console as its host. A changed document takes the place of the shown one once it is
// there, so nothing flickers; changed data are a new result for the same document.
import { AppBridge, PostMessageTransport } from "../host/bridge.js";
import { below } from "../ask.js";
import { unpressed } from "../press.js";
import { element } from "./parts.js";

const PATIENCE_MS = 5000; // for the script of a frame that has loaded, and then for the widget
const FRAME_MS = 30_000; // for the frame to load
const MOST_HEIGHT = 4000; // pixels

const dark = matchMedia("(prefers-color-scheme: dark)");

export class Stage {
  root = element("div", { className: "stage" });
  #view; // {frame, bridge, transport}, that is shown
  #next; // the one that takes its place
  #html = "";
  #result;
  #width = "wide";
  #theme = "auto";

  /** `acted` is told what a person did in the widget, in words; `failed` that there is no
   * frame for a document. */
  constructor(acted, failed) {
    Object.assign(this, { acted, failed });
    this.followTheme = () => this.#tellContext();
    dark.addEventListener("change", this.followTheme);
    this.root.dataset.width = this.#width;
  }

  get theme() {
    return this.#theme === "auto" ? dark.matches ? "dark" : "light" : this.#theme;
  }

  /** "wide" or "phone". */
  width(word) {
    this.#width = this.root.dataset.width = word;
    this.#tellContext();
  }

  /** "light", "dark", or "auto": that of the page. */
  paint(word) {
    this.#theme = word;
    this.#tellContext();
  }

  /** The result that the widget shows: {content, structuredContent, isError}. */
  result(result) {
    this.#result = result;
    if (this.#view?.bridge.ready) this.#tell(this.#view);
  }

  /** Shows a document. The same one again changes nothing. */
  show(html) {
    if (html === this.#html) return;
    this.#html = html;
    this.#end(this.#next);
    this.#next = this.#open(html);
  }

  // The frame itself is of the server.
  #miss(view) {
    if (this.#next !== view) return;
    this.#end(view);
    this.#next = undefined;
    this.#html = "";
    this.failed();
  }

  close() {
    dark.removeEventListener("change", this.followTheme);
    this.#end(this.#view);
    this.#end(this.#next);
  }

  // ---- The frame -------------------------------------------------------------------

  #open(html) {
    const frame = element("iframe", { title: "Preview of the widget", className: "coming" });
    frame.setAttribute("sandbox", "allow-scripts");
    frame.referrerPolicy = "no-referrer";
    frame.scrolling = "no"; // it is as high as the widget says
    frame.src = below("console/stage");
    const view = { frame };
    const misses = (ms) => {
      clearTimeout(view.timer);
      view.timer = setTimeout(() => this.#miss(view), ms);
    };
    // The page of a browser that has no network loads, too.
    frame.addEventListener("load", () => view.bridge ?? misses(PATIENCE_MS));
    const ready = ({ source, data }) => {
      if (source !== frame.contentWindow || data?.stage !== "ready") return;
      removeEventListener("message", ready);
      clearTimeout(view.timer);
      this.#connect(view).then(() => frame.contentWindow?.postMessage({ stage: html }, "*"))
        .catch(console.warn);
      view.timer = setTimeout(() => this.#swap(view), PATIENCE_MS);
    };
    view.unready = () => removeEventListener("message", ready);
    addEventListener("message", ready);
    misses(FRAME_MS);
    this.root.append(frame);
    return view;
  }

  async #connect(view) {
    const bridge = new AppBridge(null, { name: "mica-console", version: "1" },
      { openLinks: {}, message: { text: {} }, serverTools: {}, updateModelContext: { text: {} } },
      { hostContext: this.#context() });
    view.bridge = bridge;
    view.transport = new PostMessageTransport(view.frame.contentWindow);
    bridge.oninitialized = () => {
      bridge.ready = true;
      this.#tell(view);
      this.#swap(view);
    };
    bridge.onsizechange = async ({ height }) => {
      await unpressed();
      if (height > 0)
        view.frame.style.height = `${Math.min(Math.ceil(height), MOST_HEIGHT)}px`;
    };
    bridge.onmessage = ({ content }) => {
      this.acted(`The widget sent a message: ${content.map(({ text }) => text).join(" ")}`);
      return {};
    };
    bridge.onopenlink = ({ url }) => {
      this.acted(`The widget would open ${url}`);
      return {};
    };
    bridge.oncalltool = ({ name, arguments: given }) => {
      this.acted(`The widget would call ${name} with ${JSON.stringify(given)}`);
      return { content: [{ type: "text", text: "Nothing is called in the preview." }] };
    };
    bridge.onerror = (error) => console.info(error);
    await bridge.connect(view.transport);
  }

  // The shown document is removed once the next one is ready.
  async #swap(view) {
    clearTimeout(view.timer);
    await unpressed();
    if (this.#next !== view) return;
    this.#end(this.#view);
    this.#view = view;
    this.#next = undefined;
    view.frame.classList.remove("coming");
  }

  #end(view) {
    if (!view) return;
    clearTimeout(view.timer);
    view.unready();
    view.bridge?.close().catch(console.warn);
    view.frame.remove();
  }

  // ---- What the widget is told -------------------------------------------------------

  #context() {
    return { theme: this.theme, displayMode: "inline", locale: navigator.language,
      platform: this.#width === "phone" ? "mobile" : "web",
      containerDimensions: { maxWidth: this.root.clientWidth || 360, maxHeight: MOST_HEIGHT } };
  }

  #tellContext() {
    this.root.dataset.theme = this.theme;
    for (const view of [this.#view, this.#next])
      if (view?.bridge?.ready) view.bridge.setHostContext(this.#context());
  }

  // Past the bridge, which gives a view one result; a widget takes any number.
  #tell({ transport }) {
    if (this.#result) transport.send({ jsonrpc: "2.0", method: "ui/notifications/tool-result",
      params: this.#result });
  }
}
