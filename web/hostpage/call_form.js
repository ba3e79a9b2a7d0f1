// SPDX-License-Identifier: Apache-2.0
//
// The tool that is chosen: what it says of itself, and its arguments as a form and as JSON.
// The JSON is what is sent; the form writes it.
import { parse, stringify } from "../exact.js";
import { fill, read, showUnits, Unreadable } from "../form.js";
import { shown } from "../host/tools.js";
import { formFor } from "../question.js";
import { element, find, foreign } from "./elements.js";

let work = 0; // number of the last choice, so that the form of an older one is dropped
let typed = ""; // what the form cannot read, of the control that has it

function fail(words) {
  find("call-error").textContent = words;
  find("call-error").hidden = !words;
}

// Text that JSON is made of follows the form.
function showJson(form) {
  showUnits(form);
  typed = "";
  try {
    find("call-json").value = stringify(parse(read(form)), 2);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    typed = error.message;
  }
  fail(typed);
}

// And the form follows JSON, as far as it has fields for it.
function readJson(form) {
  typed = "";
  try {
    const value = parse(find("call-json").value);
    if (form) fill(form, value);
    fail("");
  } catch (error) {
    fail(`This is no JSON yet: ${error.message}`);
  }
}

const HINTS = { readOnlyHint: "only reads", destructiveHint: "may destroy",
  idempotentHint: "may be repeated", openWorldHint: "reaches other systems" };

function describe({ name, title, description, annotations = {} }, origin) {
  find("call-title").replaceChildren(foreign(shown(title ?? name, 200)));
  find("call-origin").replaceChildren("From ", foreign(origin), ": ",
    foreign(shown(name, 128), "code"));
  find("call-words").textContent = shown(description ?? "");
  find("call-words").hidden = !description;
  find("call-hints").replaceChildren(...Object.entries(HINTS)
    .filter(([hint]) => annotations[hint] === true)
    .map(([, words]) => element("span", { className: "chip" }, words)));
}

/** Shows a tool; `given` are arguments of it that were typed before, as JSON. */
export async function choose(tool, origin, given = undefined) {
  const mine = ++work;
  describe(tool, origin);
  find("call-send").disabled = true; // until the form is that of the tool
  find("call-schema").textContent = stringify(tool.inputSchema ?? {}, 2);
  find("call-part").hidden = false;
  find("call-none").hidden = true;
  find("call-json").value = given ?? "{}";
  typed = "";
  fail("");
  const form = element("form", { className: "fields", autocomplete: "off", noValidate: true });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    find("call-send").click();
  });
  let made = form;
  await formFor(tool.inputSchema, form, () => showJson(form)).catch((error) => {
    // A view may give a schema that no form can be made of.
    console.info(error);
    made = undefined;
  });
  if (mine !== work) return;
  find("call-form").replaceChildren(made ?? element("p", { className: "help" },
    "There is no form for the arguments of this tool: write them as JSON."));
  find("call-as-json").open ||= !made;
  find("call-json").oninput = () => readJson(made);
  if (made) {
    fill(made, {});
    made.addEventListener("input", () => showJson(made));
    if (given === undefined) showJson(made);
  }
  if (given !== undefined) readJson(made);
  find("call-send").disabled = false;
}

/** The tool is gone. */
export function drop(words) {
  work++;
  find("call-part").hidden = true;
  find("call-none").hidden = false;
  find("call-none").textContent = words;
  find("call-title").textContent = "Choose a tool";
  find("call-origin").textContent = "";
}

/** The arguments that are typed, as JSON text. Undefined if they are not a JSON object; the
 * page then shows why. */
export function argumentsText() {
  const text = find("call-json").value;
  try {
    if (typed) throw new Error(typed);
    const value = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Error("Arguments are a JSON object, like {\"a\": 1}.");
    return text;
  } catch (error) {
    fail(error.message);
    return undefined;
  }
}

export const typedSoFar = () => find("call-json").value;
export { fail };
