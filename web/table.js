// SPDX-License-Identifier: Apache-2.0
//
// Tables: figures that stand under each other, pages of rows, and files to take away.

import { element } from "./element.js";
import { stringify } from "./exact.js";
import { isLongNumber, isNumber, number, padOf, places } from "./number.js";

const PAGE = 12; // rows that are seen at once
const ALL = 1000; // rows that are seen at once if all are asked for

// ---- Files -----------------------------------------------------------------------

const written = (value) => value === null || value === undefined ? ""
  : typeof value === "object" && !isNumber(value) ? stringify(value) : String(value);

// A text that a spreadsheet would run as a formula is marked as one that it shows.
function cellOf(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value)
    ? `'${value}` : written(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as RFC 4180 has them. */
export const toCsv = (names, rows) =>
  [names, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");

/** How a file is given to the person; without `save` no table offers one. */
export const files = {
  save(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", { href: url, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  },
};

// ---- The table -------------------------------------------------------------------

const isNumeric = (rows, at) => rows.some((row) => isNumber(row[at])) &&
  rows.every((row) => row[at] === undefined || row[at] === null || isNumber(row[at]));

function columnOf(column, rows, at) {
  const numeric = isNumeric(rows, at);
  const most = numeric ? Math.min(10, Math.max(0, ...rows.map((row) =>
    isNumber(row[at]) ? places(row[at]) : 0))) : 0;
  const zeros = padOf(column.unit) >= most && padOf(column.unit) > 0;
  const grouped = column.grouped || (numeric && rows.some((row) => isLongNumber(row[at])));
  return { ...column, numeric, zeros, grouped, pad: zeros ? padOf(column.unit) : most };
}

function head(columns) {
  return element("tr", {}, ...columns.map(({ title, unit, numeric }) =>
    element("th", { scope: "col", className: numeric ? "num" : "" }, title,
      ...(unit ? [" ", element("span", { className: "unit" }, unit)] : []))));
}

const cell = (column, value, render) =>
  element("td", { className: column.numeric ? "num" : "" },
    ...(isNumber(value) ? number(value, column)
      : value === undefined ? [] : [render(value)]));

const button = (words, label, work) => {
  const made = element("button",
    { type: "button", className: "small", onclick: work }, words);
  made.ariaLabel = label;
  return made;
};

// The buttons that turn the pages of rows; `show` shows rows from one on, so many at once.
function turns(title, count, show) {
  let first = 0;
  let most = PAGE;
  const last = () => Math.floor((count - 1) / most) * most;
  const go = (to) => () => {
    first = Math.min(Math.max(to(), 0), last());
    show(first, most);
    for (const one of [begin, before]) one.disabled = first === 0;
    for (const one of [after, end]) one.disabled = first === last();
  };
  const begin = button("«", `${title}: first rows`, go(() => 0));
  const before = button("‹", `${title}: previous rows`, go(() => first - most));
  const after = button("›", `${title}: next rows`, go(() => first + most));
  const end = button("»", `${title}: last rows`, go(last));
  const all = button("", "", () => {
    const more = most === PAGE;
    most = more ? ALL : PAGE;
    sayAll();
    go(() => Math.floor(first / most) * most)();
  });
  const sayAll = () => {
    all.textContent = most !== PAGE ? "Show fewer"
      : count > ALL ? `Show ${ALL}` : "Show all";
    all.ariaLabel = `${title}: ${all.textContent.toLowerCase()} rows`;
  };
  sayAll();
  go(() => 0)();
  return [begin, before, after, end, all];
}

/** A table of {title, columns: [{name, title, unit, grouped}], rows, value}: `value` is what
 * the JSON file has, `render` shows what is no number. */
export function table({ title, columns: given, rows, value, file, render }) {
  const columns = given.map((column, at) => columnOf(column, rows, at));
  const body = element("tbody");
  const count = element("span");
  count.role = "status";
  const wide = element("div", { className: "wide", tabIndex: 0 },
    element("table", {}, element("thead", {}, head(columns)), body));
  wide.role = "region"; // so that a keyboard can scroll it
  wide.ariaLabel = title;
  const many = rows.length > PAGE;
  const show = (first, most) => {
    const end = Math.min(first + most, rows.length);
    body.replaceChildren(...rows.slice(first, end).map((row) =>
      element("tr", {}, ...columns.map((column, at) =>
        cell(column, row[at], render)))));
    wide.scrollTop = 0;
    count.textContent = many ? `${first + 1}–${end} of ${rows.length} rows`
      : `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
  };
  if (!many) show(0, PAGE);
  const csv = button("CSV", `Download ${title} as CSV`, () =>
    files.save(`${file}.csv`, "text/csv", toCsv(columns.map(({ name }) => name), rows)));
  const json = button("JSON", `Download ${title} as JSON`, () =>
    files.save(`${file}.json`, "application/json", `${stringify(value, 2)}\n`));
  return element("div", { className: "table" }, wide,
    element("footer", {}, count,
      ...many ? [element("span", { className: "turns" }, ...turns(title, rows.length, show))] : [],
      ...files.save ? [element("span", { className: "turns right" }, csv, json)] : []));
}
