// SPDX-License-Identifier: Apache-2.0
//
// A question of the server, shown where it is answered: the Inspector stands for the
// client, its person and its model.
import { below } from "./ask.js";
import { element } from "./element.js";
import { parse, stringify } from "./exact.js";
import { read, Unreadable } from "./form.js";
import { useLists } from "./grid.js";

let count = 0; // of all forms, for ids

let forms = below("web/form");

/** Forms are made at this address from now on. */
export const makeFormsAt = (address) => { forms = address; };

/** A form for a schema, made by the server; `edited` is called when it changes. */
export async function formFor(schema, holder, edited) {
  const response = await fetch(`${forms}?n=${1000 + ++count}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: stringify(schema ?? { type: "object" }),
  });
  if (!response.ok) throw new Error("The server cannot make a form of this schema.");
  holder.innerHTML = await response.text(); // made by mica alone, all escaped
  useLists(holder, edited);
}

function areaOf(label, rows) {
  const area = element("textarea", { rows, id: `answer-${++count}` });
  return [area, element("label", { htmlFor: area.id }, label)];
}

// Each kind gives {title, body, answer}: a function that makes the result.

async function formOf({ message, requestedSchema }) {
  const body = element("form", { className: "fields", noValidate: true });
  await formFor(requestedSchema, body, () => {});
  return { title: message, body, refusable: true,
    answer: () => ({ action: "accept", content: parse(read(body)) }) };
}

function visitOf({ message, url }) {
  const link = /^https?:/.test(url) ? element("a",
    { href: url, rel: "noopener noreferrer", target: "_blank" }, url) : url;
  return { title: message, body: element("p", {}, link), refusable: true,
    answer: () => ({ action: "accept" }) };
}

function samplingOf(params) {
  const [area, label] = areaOf("What the model answers", 4);
  const asked = element("pre", { tabIndex: 0 }, stringify(params, 2));
  asked.ariaLabel = "What the model is asked";
  asked.role = "group";
  return { title: "The server asks the client's model.",
    body: element("div", { className: "fields" }, asked, label, area),
    answer: () => ({ role: "assistant", model: "inspector", stopReason: "endTurn",
      content: { type: "text", text: area.value } }) };
}

function rootsOf() {
  const [area, label] = areaOf("Folders, one address a line (file:///…)", 3);
  return { title: "The server asks for folders.",
    body: element("div", { className: "fields" }, label, area),
    answer: () => ({ roots: area.value.split("\n").map((line) => line.trim())
      .filter(Boolean).map((uri) => ({ uri })) }) };
}

const kinds = {
  "elicitation/create": (params) =>
    params.mode === "url" ? visitOf(params) : formOf(params),
  "sampling/createMessage": samplingOf,
  "roots/list": rootsOf,
};

function button(words, className, work) {
  const made = element("button", { type: "button", className }, words);
  made.addEventListener("click", work);
  return made;
}

/** Shows a question in `place`, with a `note` if there is one; the result that it is answered
 * with. */
export async function question({ method, params = {} }, place, note = "") {
  const kind = kinds[method];
  if (!kind) throw new Error(`the Inspector cannot answer ${method}`);
  const { title, body, answer, refusable } = await kind(params);
  const wrong = element("p", { className: "error", hidden: true, role: "alert" });
  const shown = element("section", { className: "card question", tabIndex: -1 });
  shown.ariaLabel = "A question";
  return new Promise((resolve) => {
    const settle = (result) => {
      shown.remove();
      resolve(result);
    };
    const accept = () => {
      try {
        settle(answer());
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        wrong.textContent = error.message;
        wrong.hidden = false;
      }
    };
    body.addEventListener("submit", (event) => {
      event.preventDefault();
      accept();
    });
    const refusals = refusable ? [
      button("Decline", "quiet", () => settle({ action: "decline" })),
      button("Close", "quiet", () => settle({ action: "cancel" }))] : [];
    shown.append(element("div", { className: "body" },
      element("h2", {}, title ?? "A question"),
      element("p", { className: "help" }, element("code", {}, method)),
      ...note ? [element("p", { className: "help" }, note)] : [], body, wrong,
      element("div", { className: "actions" }, button("Answer", "main", accept),
        ...refusals)));
    place.append(shown);
    shown.focus();
  });
}
