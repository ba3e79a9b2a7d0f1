// SPDX-License-Identifier: Apache-2.0
//
// The part of a new app that is drafted from its sentence: who has made what, and the way back.
import * as api from "./api.js";
import { button, during, element, failure, foreign, say } from "./parts.js";
import { Waiting } from "./waiting.js";

const PARTS = [["name", "Name"], ["description", "Description"], ["layoutTemplate", "Layout"],
  ["toolName", "Tool name"], ["toolDescription", "Tool description"], ["mockData", "Data"]];
const BY = { model: "by the model", rule: "by rule", given: "yours" };

function shown(value) {
  if (typeof value === "string") return foreign(value);
  const raw = element("pre", { tabIndex: 0 }, foreign(JSON.stringify(value, null, 2)));
  raw.setAttribute("role", "group");
  raw.ariaLabel = "The data as JSON";
  return element("details", {}, element("summary", { className: "help" }, "Sample data"), raw);
}

// What was drafted, as {draft, by, sources, findings}.
function result({ draft, by, sources, findings }) {
  return [
    element("p", { className: "help" }, by === "model"
      ? "A language model has drafted this. Nothing is stored yet."
      : "This was drafted by rule. Nothing is stored yet."),
    element("dl", { className: "drafted" }, ...PARTS.map(([name, label]) => element("div", {},
      element("dt", {}, label, " ", element("small", { className: "chip" }, BY[sources[name]])),
      element("dd", {}, shown(draft[name]))))),
    element("ul", { className: "findings" }, ...findings.map(({ message }) =>
      element("li", { className: "warning" }, foreign(message))))];
}

/**
 * `sentence` and `name` are the fields; `chosen` returns the layout that the person has chosen,
 * or undefined; `layout` shows a layout and returns the one that is shown.
 */
export function draftedPart({ sentence, name, chosen, layout }) {
  const wrong = failure();
  const waiting = new Waiting("How far the draft is");
  const place = element("div", { className: "stack" });
  const undo = button("Undo the draft", "quiet", () => take(undefined));
  const press = button("Draft", "", () => during(press, wrong, run));
  let reply, before;
  undo.hidden = true;

  function take(value) {
    if (!before) before = { name: name.value, layout: layout() };
    reply = value;
    name.value = value?.draft.name ?? before.name;
    name.dispatchEvent(new Event("input"));
    layout(value?.draft.layoutTemplate ?? before.layout);
    place.replaceChildren(...value ? result(value) : []);
    undo.hidden = !value;
    if (!value) {
      before = undefined;
      press.focus();
    }
    say(value ? "The app is drafted." : "The draft is taken back.");
  }

  async function run() {
    const words = sentence.value.trim();
    if (!words) {
      sentence.focus();
      throw new api.Refusal({ message: "Write what the app does first." });
    }
    // A name of an earlier draft is not the person's.
    const own = name.value.trim();
    const layoutTemplate = chosen();
    const value = await waiting.run((how) => api.draft({ sentence: words,
      ...own && own !== reply?.draft.name && { name: own },
      ...layoutTemplate && { layoutTemplate } }, how));
    if (value) take(value);
  }

  return {
    root: element("section", { className: "stack", ariaLabel: "Draft" },
      element("div", { className: "actions centered" }, press, undo,
        element("span", { className: "help" }, "Drafts all parts from the sentence.")),
      waiting.root, wrong, place),

    /** The members of a draft that stand in place of what is proposed. */
    members(shownLayout) {
      if (!reply) return {};
      const { description, toolName, toolDescription, mockData, layoutTemplate } = reply.draft;
      return { description, toolName, toolDescription,
        ...layoutTemplate === shownLayout && { mockData } };
    },
  };
}
