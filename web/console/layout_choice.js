// SPDX-License-Identifier: Apache-2.0
//
// The layouts, each with its drawing, as one choice.
import { element, foreign, newId } from "./parts.js";
import { thumbnail } from "./thumbnails.js";

/** `layouts` are {name, title, summary}; `changed` gets the name. */
export function layoutChoice(layouts, chosen, changed) {
  const name = newId("layout");
  const root = element("div", { className: "layouts" });
  root.setAttribute("role", "radiogroup");
  root.ariaLabel = "Layout";
  for (const layout of layouts) {
    const input = element("input", { type: "radio", name, value: layout.name,
      checked: layout.name === chosen });
    input.addEventListener("change", () => changed(layout.name));
    root.append(element("label", { title: layout.summary }, input,
      element("span", {}, thumbnail(layout.name), element("b", {}, foreign(layout.title)))));
  }
  root.choose = (value) => {
    for (const input of root.querySelectorAll("input")) input.checked = input.value === value;
  };
  return root;
}
