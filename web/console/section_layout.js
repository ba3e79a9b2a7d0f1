// SPDX-License-Identifier: Apache-2.0
//
// The section of the layout. Data belong to a layout, so another layout brings its example;
// what was written for the one before returns with it.
import { findingPlace } from "./field.js";
import { layoutChoice } from "./layout_choice.js";
import { element, foreign, say } from "./parts.js";
import { put } from "./record.js";

export function layoutSection(editor) {
  const { saver, layouts } = editor;
  const written = new Map(); // layout: data of it
  const now = () => saver.get("layoutTemplate");
  const summary = element("p", { className: "help" });
  const choose = (name) => {
    written.set(now(), saver.get("mockData"));
    const data = written.get(name) ?? layouts.find((one) => one.name === name)?.mockData;
    let draft = put(saver.draft, "layoutTemplate", name);
    if (data !== undefined) draft = put(draft, "mockData", data);
    saver.replace(draft, "layoutTemplate");
    say("The data are those of the new layout. Undo brings back what was there.");
  };
  const choice = layoutChoice(layouts, now(), choose);
  const show = () => {
    choice.choose(now());
    summary.replaceChildren(foreign(layouts.find((one) => one.name === now())?.summary ?? ""));
  };
  editor.shows.push(show);
  show();
  const root = element("div", {}, choice, summary);
  root.append(findingPlace(editor, "layoutTemplate", root, choice.querySelector("input")));
  return { title: "Layout", id: "layout", parts: [root] };
}
