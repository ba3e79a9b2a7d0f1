// SPDX-License-Identifier: Apache-2.0
//
// What a call came to: its result, the view that shows it, and what the view did.
import { shown } from "../host/tools.js";
import { button, element, find, foreign, Log, pretty } from "./elements.js";
import { fact } from "./consent.js";

let count = 0;

// The text blocks and images of a result, as they are: no text of it becomes HTML.
function contentOf({ content = [] }) {
  return content.map((block) => block.type === "text"
    ? element("p", { className: "value" }, shown(block.text, 20_000))
    : block.type === "image" && /^image\/(png|jpeg|gif|webp)$/.test(block.mimeType)
      ? element("img", { alt: "An image of the result",
        src: `data:${block.mimeType};base64,${block.data}` })
      : element("p", { className: "help" }, `A block of the type ${block.type}: see the raw output.`));
}

export class Card {
  #log = new Log();
  #facts = element("dl", { className: "facts", hidden: true });
  #state = element("span", { className: "chip", role: "status" }, "Called");
  #content = element("div", { className: "block" });
  #error = element("p", { className: "error", role: "alert", hidden: true });
  #data = element("pre", { tabIndex: 0, role: "group", ariaLabel: "Structured result" });
  #structured = element("details", { hidden: true }, element("summary", { className: "help" },
    "Structured result"), this.#data);
  #raw = element("pre", { tabIndex: 0, role: "group", ariaLabel: "Raw output" });
  #output = element("details", { hidden: true }, element("summary", { className: "help" },
    "Raw output"), this.#raw);
  #context = element("pre", { tabIndex: 0, role: "group", ariaLabel: "Context for the model" });
  #told = element("details", { hidden: true }, element("summary", { className: "help" },
    "Context for the model"), this.#context);
  #did = element("details", { hidden: true }, element("summary", { className: "help" },
    "What the view did"), this.#log.list);
  #full; // the button
  #failure; // that is shown
  #title;

  /** `close` is called when the person closes it; `showsData` opens the structured result. */
  constructor({ title, origin, hasView, close, showsData = false }) {
    const id = `card-${++count}`;
    this.place = element("div", { className: "view", hidden: !hasView });
    this.#full = button("Full screen", "small", () => this.display(
      this.root.classList.contains("full") ? "inline" : "fullscreen"));
    this.#full.hidden = !hasView;
    this.#title = title;
    this.#structured.open = showsData;
    this.#full.ariaLabel = `Full screen: ${title}`;
    const end = button("Close", "small", close);
    end.ariaLabel = `Close ${title}`;
    this.root = element("section", { className: "card outcome", tabIndex: -1 },
      element("header", {}, element("h3", { id }, title), this.#state,
        element("span", { className: "right actions" }, this.#full, end)),
      element("div", { className: "body" },
        element("p", { className: "help" }, "From ", foreign(origin)),
        this.place, this.#error, this.#content, this.#facts, this.#structured, this.#output,
        this.#told, this.#did));
    this.root.setAttribute("aria-labelledby", id);
    find("cards").prepend(this.root);
    find("cards-empty").hidden = true;
  }

  state(words) {
    this.#state.textContent = words;
  }

  fail(error) {
    this.#failure = error;
    this.#error.textContent = shown(`${error.data?.code ?? error.code ?? ""} ${error.message}`
      .trim());
    this.#error.hidden = false;
  }

  /** What `fail` showed is no longer so. */
  mend(error) {
    if (this.#failure === error) this.#error.hidden = true;
  }

  /** The reply as text, and what is to be known of it: pairs of words. */
  answer(text, result, known) {
    this.#raw.textContent = text;
    this.#output.hidden = false;
    this.#facts.replaceChildren(...known.map(([name, value]) => fact(name, value)));
    this.#facts.hidden = false;
    this.#structured.hidden = result.structuredContent === undefined;
    this.#data.textContent = shown(pretty(result.structuredContent) ?? "", 20_000);
    // A view shows the result itself.
    if (this.place.hidden) this.#content.replaceChildren(...contentOf(result));
    else this.#output.open = false;
  }

  /** One thing that the view did. */
  did(what, words) {
    this.#log.add(element("b", {}, what), " ", foreign(words));
    this.#did.hidden = false;
  }

  context(params) {
    this.#context.textContent = shown(pretty(params), 20_000);
    this.#told.hidden = false;
  }

  /** "inline" or "fullscreen", by style: a frame that is moved in its page loads again. */
  display(mode) {
    const full = mode === "fullscreen";
    this.root.classList.toggle("full", full);
    this.#full.textContent = full ? "Exit full screen" : "Full screen";
    this.#full.ariaLabel = `${this.#full.textContent}: ${this.#title}`;
    // What lies behind a view on the full screen takes no keyboard.
    for (let at = this.root; at.parentElement && at !== document.body; at = at.parentElement)
      for (const other of at.parentElement.children)
        if (other !== at && !other.matches("dialog, script")) other.inert = full;
    this.ondisplay?.(mode);
  }

  remove() {
    if (this.root.classList.contains("full")) this.display("inline");
    this.root.remove();
    find("cards-empty").hidden = find("cards").childElementCount > 0;
  }
}
