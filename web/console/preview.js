// SPDX-License-Identifier: Apache-2.0
//
// The card beside the editor: the preview, how wide and how dark it is shown, which state,
// and a test of the draft.
import * as api from "./api.js";
import { area, input } from "./field.js";
import { rulesHere } from "./findings.js";
import { button, card, during, element, failure, foreign, newId, say, segments, sentence }
  from "./parts.js";
import { patchOf, same } from "./record.js";
import { Stage } from "./stage.js";
import { Waiting } from "./waiting.js";

const WAIT_MS = 250; // after the last change
// What the document of a widget is made of; data are a result for it.
const MADE_OF = ["name", "layoutTemplate", "themeVariables", "toolName", "behavior"];

const STATES = [["data", "Answer"], ["empty", "Empty"], ["error", "Failure"]];
const FAILED = { isError: true, content: [{ type: "text",
  text: "The order service cannot be reached. Try again in a minute." }] };

// The data with nothing in its lists.
const emptied = (data) => Object.fromEntries(Object.entries(data).map(([name, value]) =>
  [name, Array.isArray(value) ? [] : value]));

export class Preview {
  #asked = 0;
  #timer;
  #made;
  #state = "data";
  #tested;

  constructor(editor) {
    this.editor = editor;
    this.saver = editor.saver;
    this.told = element("p", { className: "help", role: "status" });
    this.wrong = failure();
    this.stage = new Stage((words) => { this.told.replaceChildren(foreign(words)); }, () => {
      this.#made = undefined;
      this.wrong.textContent = "The preview needs the server for this change.";
      this.wrong.hidden = false;
    });
    this.again = () => this.#made ?? this.draw();
    addEventListener("online", this.again);
    this.states = segments("State", STATES, "data", (state) => {
      this.#state = state;
      this.#tested = undefined;
      this.#showResult();
    });
    this.root = card("Preview",
      element("div", { className: "stage-switches" },
        segments("Width", [["wide", "Wide"], ["phone", "Phone"]], "wide",
          (word) => this.stage.width(word)),
        segments("Colors", [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]], "auto",
          (word) => this.stage.paint(word)),
        this.states),
      this.stage.root, this.wrong, this.told);
    this.root.classList.add("preview");
    this.root.append(this.#testPart());
    this.saver.addEventListener("draft", () => this.#later());
    this.draw();
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.draw(), WAIT_MS);
  }

  async draw() {
    this.#tested = undefined;
    const made = MADE_OF.map((name) => this.saver.draft[name]);
    if (this.#made && same(made, this.#made)) return this.#showResult();
    const asked = ++this.#asked;
    try {
      const html = await this.#document();
      if (asked !== this.#asked) return undefined;
      this.#made = made;
      this.wrong.hidden = true;
      this.stage.show(html);
      this.#showResult();
    } catch (error) {
      if (asked !== this.#asked) return undefined;
      this.wrong.textContent = error instanceof api.Unreachable
        ? "The preview needs the server, which cannot be reached." : sentence(error.message);
      this.wrong.hidden = false;
      if (!/^(Refusal|Unreachable)$/.test(error.name)) throw error;
    }
    return undefined;
  }

  // By the module of the page, which makes what the server makes; else by the server.
  async #document() {
    const { id, base, draft } = this.saver;
    const rules = await rulesHere();
    try {
      if (rules) return rules.preview(JSON.stringify(draft));
    } catch (error) {
      if (error.code) throw new api.Refusal(error);
      console.info(error); // the module has less memory than the server
    }
    return api.preview(id, patchOf(base, draft) ?? {});
  }

  #showResult() {
    const data = this.saver.draft.mockData ?? {};
    this.stage.result(this.#tested ?? (this.#state === "error" ? FAILED
      : { content: [], structuredContent: this.#state === "empty" ? emptied(data) : data }));
  }

  // ---- A test ------------------------------------------------------------------------

  #testPart() {
    const message = input({ id: newId("test"), placeholder: "Where is order 12345?" });
    const context = area(2, { id: newId("test"), spellcheck: false, value: "{}" });
    const wrong = failure();
    const outcome = element("div", { className: "stack", hidden: true });
    const run = button("Test", "", () => form.requestSubmit());
    const waiting = new Waiting("How far the test is");
    const form = element("form", { className: "body test", noValidate: true },
      element("h3", {}, "Test the draft"),
      element("div", { className: "field" },
        element("label", { htmlFor: message.id }, "Message"), message),
      element("details", {}, element("summary", { className: "help" }, "Context"),
        element("label", { className: "visually-hidden", htmlFor: context.id },
          "Context as JSON"), context),
      wrong, element("div", { className: "actions" }, run), waiting.root, outcome);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      during(run, wrong, () => waiting.run((how) =>
        this.#test(message.value, context.value, outcome, how)));
    });
    return form;
  }

  async #test(message, context, outcome, how) {
    let value;
    try {
      value = JSON.parse(context || "{}");
    } catch (error) {
      throw new api.Refusal({ code: "INVALID_JSON",
        message: `The context is no JSON yet: ${error.message}` });
    }
    const began = performance.now();
    const result = await api.test(this.saver.id, { message, context: value,
      draft: patchOf(this.saver.base, this.saver.draft) ?? {} }, how);
    const took = Math.max(1, Math.round(performance.now() - began));
    this.#tested = result;
    this.states.choose("data");
    this.#state = "data";
    this.#showResult();
    const words = (result.content ?? []).map(({ text }) => text).filter(Boolean).join("\n");
    const raw = element("pre", { tabIndex: 0 }, JSON.stringify(result, null, 2));
    raw.setAttribute("role", "group");
    raw.ariaLabel = "The result as JSON";
    outcome.replaceChildren(
      element("p", { className: result.isError ? "error" : "help" },
        result.isError ? `The test failed after ${took} ms.` : `Answered in ${took} ms. The ` +
          "preview shows the result."),
      element("p", { className: "label" }, "What the model reads"),
      element("blockquote", { className: "clip", tabIndex: 0 }, foreign(words || "(no text)")),
      element("details", {}, element("summary", { className: "help" }, "Raw result"), raw));
    outcome.hidden = false;
    say(result.isError ? "The test failed." : "The test has answered.");
  }

  close() {
    removeEventListener("online", this.again);
    clearTimeout(this.#timer);
    this.#asked = -1;
    this.stage.close();
  }
}
