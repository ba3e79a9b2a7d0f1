// SPDX-License-Identifier: Apache-2.0
//
// The sections about access: who may call an app, who may change it, how much it may use.
import { area, field, findingPlace, input, lines, wholeNumber } from "./field.js";
import { button, element, foreign, say, segments } from "./parts.js";
import { WHO_CALLS } from "./record.js";

export function accessSection(editor) {
  const { saver } = editor;
  const now = () => saver.get("visibility") ?? "public";
  const help = element("p", { className: "help" });
  const choice = segments("Who may call it", [["public", "Everyone"], ["token", "With a token"],
    ["scope", "With a scope"]], now(), (value) => saver.set("visibility", value));
  const visibility = element("div", { className: "field" },
    element("span", { className: "label" }, "Who may call it"), choice, help);
  visibility.append(findingPlace(editor, "visibility", visibility,
    choice.querySelector("input")));
  const scope = field(editor, { place: "scope", label: "Scope",
    control: input({ spellcheck: false, placeholder: "apps:orders" }) });
  const show = () => {
    choice.choose(now());
    help.textContent = WHO_CALLS[now()];
    scope.hidden = now() !== "scope";
  };
  editor.shows.push(show);
  show();
  const owner = element("p", { className: "help" }, "Owner: ", foreign(saver.record.owner));
  return { title: "Access", id: "access", parts: [visibility, scope,
    field(editor, { place: "roles/editors", label: "Editors", kind: lines, control: area(1),
      help: "May change and publish it. One name a line, as tokens have it." }),
    field(editor, { place: "roles/viewers", label: "Viewers", kind: lines, control: area(1),
      help: "May look at it here." }), owner] };
}

const NUMBERS = [["callsPerDay", "Calls a day"], ["tokensPerDay", "Tokens a day"],
  ["seconds", "Seconds a call"], ["concurrent", "Calls at once"]];
const grouped = new Intl.NumberFormat("en");

// A field that is empty shows what holds instead: the default of a prompt, or no limit.
function numberField(editor, [name, label]) {
  const control = input({ inputMode: "numeric" });
  const show = () => {
    const value = editor.findings.budget[name];
    control.placeholder = value === undefined ? "no limit" : grouped.format(value);
  };
  editor.onFindings.push(show);
  show();
  return field(editor, { place: `budget/${name}`, label, kind: wholeNumber, control });
}

export function budgetSection(editor) {
  const { saver } = editor;
  const fields = element("div", { className: "shape-fields" },
    ...NUMBERS.map((part) => numberField(editor, part)));
  const defaults = element("p", { className: "help" }, "An app that asks a language model has " +
    "small limits of its own: where you leave a field empty, the number that it shows holds.");
  const take = button("Use these numbers", "small", () => {
    saver.set("budget", { ...editor.findings.budget });
    say("The app has a budget.");
    fields.querySelector("input").focus();
  });
  const around = element("div", { className: "stack" }, element("p", { className: "help" },
    "Beyond it, calls are refused until there is room again."), fields, defaults);
  around.append(findingPlace(editor, "budget", around, fields.querySelector("input")), take);
  const show = () => {
    defaults.hidden = saver.get("behavior/type") !== "prompt";
    take.hidden = !editor.isOwner || saver.get("budget") !== undefined ||
      !editor.findings.errors.some(({ path }) => path.slice(1) === "budget");
  };
  editor.shows.push(show);
  editor.onFindings.push(show);
  show();
  return { title: "Budget", id: "budget", parts: [around] };
}
