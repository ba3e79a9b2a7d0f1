// SPDX-License-Identifier: Apache-2.0
//
// The sections about access: who may call an app, who may change it, how much it may use.
import { area, field, findingPlace, input, lines, wholeNumber } from "./field.js";
import { element, foreign, segments } from "./parts.js";

const HELP = {
  public: "Anyone who knows the address can call it.",
  token: "Anyone with a valid token of this server can call it.",
  scope: "Anyone whose token has this scope can call it.",
};

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
    help.textContent = HELP[now()];
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

const number = (editor, name, label) => field(editor, { place: `budget/${name}`, label,
  kind: wholeNumber, control: input({ inputMode: "numeric", placeholder: "no limit" }) });

export function budgetSection(editor) {
  const root = element("div", { className: "shape-fields" },
    number(editor, "callsPerDay", "Calls a day"), number(editor, "tokensPerDay", "Tokens a day"),
    number(editor, "seconds", "Seconds a call"), number(editor, "concurrent", "Calls at once"));
  const around = element("div", {}, element("p", { className: "help" },
    "Beyond it, calls are refused until there is room again. An app that asks a language " +
    "model and is open to everyone needs one."), root);
  around.append(findingPlace(editor, "budget", around, root.querySelector("input")));
  return { title: "Budget", id: "budget", parts: [around] };
}
