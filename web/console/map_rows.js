// SPDX-License-Identifier: Apache-2.0
//
// The rows of an argument map (src/apps/app_map.h): each has where a value goes to, and
// where it comes from: a place in the call or the result, or a constant.
import { button, element, newId } from "./parts.js";
import { isObject } from "../view/peer.js";

const jsonOrText = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text; // words without quotes are words
  }
};
const textOf = (value) => typeof value === "string" && jsonOrText(value) === value ? value
  : JSON.stringify(value) ?? "";

function options(list) {
  const id = newId("places");
  return element("datalist", { id }, ...list.map((value) => element("option", { value })));
}

function control(label, list, value, changed) {
  const made = element("input", { value, autocomplete: "off", spellcheck: false });
  made.ariaLabel = label;
  if (list) made.setAttribute("list", list.id);
  made.addEventListener("input", changed);
  return made;
}

/**
 * Rows for a map. `targets` and `sources` are pointers that are offered, `from` is what a
 * pointer reads ("call", "result"); `changed` gets the map, or undefined: there is no row.
 */
export function mapRows({ label, map, targets, sources, from, changed }) {
  const [targetList, sourceList] = [targets, sources].map(options);
  const rows = element("ol", { className: "map-rows" });
  const tell = () => {
    const entries = [...rows.children].map((row) => row.entry()).filter(([name]) => name);
    changed(entries.length ? Object.fromEntries(entries) : undefined);
  };
  const add = (name = "", entry = { pointer: "" }) => {
    const constant = Object.hasOwn(entry, "value");
    const target = control("Goes to", targetList, name, tell);
    const kind = element("select", {},
      element("option", { value: "pointer", selected: !constant }, `the ${from}`),
      element("option", { value: "value", selected: constant }, "a constant"));
    kind.ariaLabel = "Comes from";
    kind.addEventListener("change", tell);
    const value = control("Value", sourceList,
      constant ? textOf(entry.value) : String(entry.pointer ?? ""), tell);
    const remove = button("×", "cross", () => {
      row.remove();
      more.focus();
      tell();
    });
    remove.ariaLabel = "Remove this row";
    const row = element("li", {}, target, kind, value, remove);
    row.entry = () => [target.value.trim(), kind.value === "value"
      ? { value: jsonOrText(value.value) } : { pointer: value.value.trim() }];
    rows.append(row);
    return target;
  };
  const more = button("Add a row", "small", () => add().focus());
  const root = element("fieldset", { className: "map" }, element("legend", {}, label), rows,
    targetList, sourceList, more);
  root.fill = (next) => {
    rows.replaceChildren();
    for (const [name, entry] of Object.entries(isObject(next) ? next : {}))
      add(name, isObject(entry) ? entry : {});
  };
  root.fill(map);
  return root;
}
