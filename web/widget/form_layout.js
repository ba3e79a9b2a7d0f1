// SPDX-License-Identifier: Apache-2.0
//
// Questions that a person answers. There is no submission of HTML: sandboxed frames forbid
// it, and a host takes the answers as a message or as a call of the tool.
import { button, element, objects, paragraphs, say, textElement, textOf }
  from "./widget_elements.js";
import { submit } from "./widget_host.js";
import { showResult } from "./widget_start.js";

const TYPES = { email: "email", number: "number", date: "date", checkbox: "checkbox" };

function makeControl({ type, value, min, max, options }, id) {
  const text = textOf(value);
  if (type === "choice")
    return element("select", { id }, text ? null : element("option", { value: "" }, "Choose…"),
      (Array.isArray(options) ? options : []).slice(0, 50).map(textOf).filter(Boolean)
        .map((option) => element("option", { value: option, selected: option === text },
          option)));
  if (type === "paragraph") return element("textarea", { id, rows: 3, value: text, maxLength: 4000 });
  const kind = Object.hasOwn(TYPES, type) ? TYPES[type] : "text";
  const made = element("input", { id, type: kind, maxLength: 1000 });
  if (kind === "checkbox") made.checked = value === true;
  else made.value = text;
  if (kind === "number") {
    made.step = "any";
    if (typeof min === "number") made.min = min;
    if (typeof max === "number") made.max = max;
  }
  return made;
}

const valueOf = (control) => (control.type === "checkbox" ? control.checked
  : control.type === "number" ? (control.value === "" ? "" : control.valueAsNumber)
    : control.value.trim());

function makeField(field, at) {
  const id = `field-${at}`, label = textOf(field.label);
  const control = makeControl(field, id);
  const help = textElement("p", "help", field.help);
  const fault = element("p", { className: "fault", id: `${id}-fault`, hidden: true });
  if (help) help.id = `${id}-help`;
  control.required = field.required === true;
  control.setAttribute("aria-describedby", `${id}-fault${help ? ` ${id}-help` : ""}`);
  const check = () => {
    // Spaces alone are no answer.
    const missing = control.required && valueOf(control) === "";
    const words = missing ? "Please fill this in." : control.validationMessage;
    control.ariaInvalid = words ? "true" : null;
    fault.textContent = words;
    fault.hidden = !words;
    return !words;
  };
  // While one types: a line that went away at a click would move what is clicked.
  control.addEventListener("input", () => fault.hidden || check());
  const name = element("label", { htmlFor: id, className: control.required ? "required" : "" },
    label);
  const box = control.type === "checkbox";
  return { control, check, label, name: textOf(field.name),
    made: element("div", { className: box ? "field box" : "field" },
      box ? [control, name] : [name, help, control], box ? help : null, fault) };
}

export function render(data) {
  const fields = objects(data.fields, 20).map(makeField);
  if (!fields.length) return null;
  const title = textOf(data.title);
  const form = element("div", { className: "form", role: "form", "aria-label": title });

  const send = button(textOf(data.submit) || "Send", "main", async () => {
    const wrong = fields.filter(({ check }) => !check());
    if (wrong.length) return wrong[0].control.focus();
    const given = fields.filter(({ control }) => valueOf(control) !== "");
    const result = await submit({ title,
      context: Object.fromEntries(given.map(({ name, control }) => [name, valueOf(control)])),
      words: [title, ...given.map(({ label, control }) => `${label}: ${
        valueOf(control) === true ? "yes" : valueOf(control) === false ? "no"
          : valueOf(control)}`)].join("\n") });
    if (result?.isError) {
      const [first] = Array.isArray(result.content) ? result.content : [];
      throw new Error(textOf(first?.text) || "The form could not be sent.");
    }
    if (result?.structuredContent) showResult(result);
    say(textOf(data.done) || "Sent.");
  });
  form.append(...fields.map(({ made }) => made), element("div", { className: "doings" }, send));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("input:not([type=checkbox])")) send.click();
  });
  return [...paragraphs(data.text, "subtitle"), form];
}
