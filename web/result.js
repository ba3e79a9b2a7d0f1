// SPDX-License-Identifier: Apache-2.0
//
// A result, shown part by part: texts and numbers as they are, lists of records as
// tables.

import { Written } from "./exact.js";

const MOST_ROWS = 200;

function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

function words(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === null ? "none" : String(value);
}

const isRecord = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) &&
  !(value instanceof Written);

function table(rows) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const head = element("tr", ...names.map((name) => {
    const cell = element("th", name.replaceAll("_", " "));
    cell.scope = "col";
    return cell;
  }));
  const body = rows.map((row) => element("tr", ...names.map((name) =>
    element("td", name in row ? render(row[name]) : ""))));
  const wide = element("div",
    element("table", element("thead", head), element("tbody", ...body)));
  wide.className = "wide";
  wide.tabIndex = 0; // so that a keyboard can scroll it
  wide.role = "region";
  wide.ariaLabel = "Table";
  return wide;
}

function list(values) {
  if (values.length === 0) return "none";
  const shown = values.slice(0, MOST_ROWS);
  const made = shown.every(isRecord)
    ? table(shown)
    : element("ol", ...shown.map((value) => element("li", render(value))));
  return values.length === shown.length ? made : element("div", made,
    element("p", `and ${values.length - shown.length} more`));
}

/** An element, or text, for any value. */
export function render(value) {
  if (Array.isArray(value)) return list(value);
  if (!isRecord(value)) return words(value);
  return element("dl", ...Object.entries(value).map(([name, part]) =>
    element("div", element("dt", name.replaceAll("_", " ")),
      element("dd", render(part)))));
}

/** Shows the parts of a result; undefined shows none. */
export function show(result) {
  for (const part of document.querySelectorAll("[data-result]")) {
    const value = result?.[part.dataset.result];
    part.hidden = value === undefined;
    part.querySelector(".value").replaceChildren(
      ...(value === undefined ? [] : [render(value)]));
  }
}
