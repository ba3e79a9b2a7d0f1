// SPDX-License-Identifier: Apache-2.0
//
// A new app: a name, a sentence, a layout. The server proposes tool name and description, or
// drafts all of it from the sentence, which is shown before anything is stored.
import * as api from "./api.js";
import { layoutChoice } from "./layout_choice.js";
import { draftedPart } from "./new_drafted.js";
import { addressOf, button, during, element, failure, foreign, link } from "./parts.js";

function textField(label, help, control, ...more) {
  control.id = `new-${label.toLowerCase().replaceAll(" ", "-")}`;
  const words = element("p", { className: "help", id: `${control.id}-help` }, help);
  control.setAttribute("aria-describedby", words.id);
  return element("div", { className: "field" },
    element("label", { htmlFor: control.id }, label), control, words, ...more);
}

export function showNew(place, layouts) {
  document.title = "New app";
  const wrong = failure(), nameless = failure();
  const name = element("input", { maxLength: 100, required: true, autocomplete: "off" });
  nameless.textContent = "An app needs a name.";
  name.addEventListener("input", () => {
    nameless.hidden = true;
    name.removeAttribute("aria-invalid");
  });
  const sentence = element("textarea", { rows: 2, maxLength: 2000 });
  let layout = "card", chosen = false;
  const summary = element("p", { className: "help" });
  const describe = () => {
    summary.replaceChildren(foreign(layouts.find((one) => one.name === layout)?.summary ?? ""));
  };
  describe();
  const choice = layoutChoice(layouts, layout, (value) => {
    layout = value;
    chosen = true;
    describe();
  });
  const drafted = draftedPart({ sentence, name, chosen: () => chosen ? layout : undefined,
    layout: (value) => {
      if (value !== undefined) layout = value;
      choice.choose(layout);
      describe();
      return layout;
    } });
  const create = button("Create the draft", "main", () => form.requestSubmit());
  const form = element("form", { className: "card new-app", noValidate: true, autocomplete: "off" },
    element("div", { className: "body" },
      textField("Name", "As people call it: “Support Bot”. Its address is made of it, " +
        "and stays.", name, nameless),
      textField("What it does", "One sentence, for example: “Shows where an order is, by its " +
        "number.” Tool name and description are proposed from it.", sentence),
      element("div", {}, element("span", { className: "label" }, "What it shows"),
        choice, summary),
      drafted.root,
      wrong,
      element("div", { className: "actions" }, create, link("#", "button", "Cancel"))));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!name.value.trim()) {
      nameless.hidden = false;
      name.setAttribute("aria-invalid", "true");
      name.focus();
      return;
    }
    during(create, wrong, async () => {
      const description = sentence.value.trim();
      const app = await api.create({ name: name.value.trim(), layoutTemplate: layout,
        propose: true, ...description && { description }, ...drafted.members(layout) });
      location.hash = addressOf(app.id);
    });
  });
  place.replaceChildren(element("div", { className: "head in-console" },
    element("nav", { className: "crumb", ariaLabel: "Place" }, link("#", "", "Apps")),
    element("h1", { tabIndex: -1 }, "New app")), form);
  name.focus();
}
