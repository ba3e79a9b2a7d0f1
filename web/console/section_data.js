// SPDX-License-Identifier: Apache-2.0
//
// The section of the data, as a form by the schema of the layout, and as JSON.
import { DataForm } from "./data_form.js";
import { findingPlace } from "./field.js";
import { button, element, failure, newId, segments } from "./parts.js";
import { same } from "./record.js";

export function dataSection(editor) {
  const { saver, layouts } = editor;
  const json = element("textarea", { id: newId("data"), rows: 10, spellcheck: false,
    className: "code-text" });
  json.ariaLabel = "Data as JSON";
  const place = element("div");
  const wrong = failure();
  const fail = (words) => {
    wrong.textContent = words;
    wrong.hidden = !words;
  };
  let form;
  let view = "form";

  const layoutNow = () => layouts.find(({ name }) => name === saver.get("layoutTemplate"));
  function showForm() {
    const layout = layoutNow();
    if (!layout) return place.replaceChildren();
    if (form?.layout === layout.name) return form.fill(saver.get("mockData"));
    form = new DataForm({ layout: layout.name, schema: layout.schema,
      value: saver.get("mockData"), changed: (value) => saver.set("mockData", value) });
    return place.replaceChildren(form.root);
  }
  function showJson() {
    let typed;
    try {
      typed = JSON.parse(json.value);
    } catch {
      if (document.activeElement === json) return; // half typed
    }
    if (!same(typed, saver.get("mockData")))
      json.value = JSON.stringify(saver.get("mockData") ?? {}, null, 2);
  }

  json.addEventListener("input", () => {
    try {
      saver.set("mockData", JSON.parse(json.value));
      fail("");
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      fail(`This is no JSON yet, so it is not saved: ${error.message}`);
    }
  });
  const look = (word) => {
    view = word;
    place.hidden = word !== "form";
    json.hidden = word !== "json";
    fail("");
    if (word === "form") showForm();
    else {
      json.value = "";
      showJson();
    }
  };
  const choice = segments("Edit the data as", [["form", "Form"], ["json", "JSON"]], view, look);
  editor.shows.push(() => view === "json" ? showJson() : showForm());
  const example = button("Use the example", "small", () => {
    const layout = layoutNow();
    if (layout) saver.set("mockData", layout.mockData);
  });
  const root = element("div", { className: "stack" },
    element("p", { className: "help" }, "What the preview shows, and what an app with fixed " +
      "data answers."),
    element("div", { className: "beside" }, choice, example), place, json, wrong);
  root.append(findingPlace(editor, "mockData", root, json));
  look(view);
  return { title: "Data", id: "data", parts: [root] };
}
