// SPDX-License-Identifier: Apache-2.0
//
// Tables: figures that stand under each other, pages of rows, and files to take away.

import { stringify, Written } from "./exact.js";

const FINE = 7; // characters from the point on that are as large as the others
const PAGE = 12; // rows that are seen at once

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A number as its JSON has it; Written has more digits than JavaScript. */
export const isNumber = (value) =>
  typeof value === "number" || value instanceof Written;

// ---- Numbers ---------------------------------------------------------------------

function placesOf(currency) {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency })
      .resolvedOptions().maximumFractionDigits;
  } catch {
    return 0;
  }
}

/** How many places a number has behind its point. */
const places = (text) => /^-?\d+(?:\.(\d+))?$/.exec(text)?.[1]?.length ?? 0;

/** The places that amounts of a currency are shown with; 0 for other units. */
export const padOf = (unit) => /^[A-Z]{3}$/.test(unit ?? "") ? placesOf(unit) : 0;

/** A number as nodes: groups of three digits apart, and room or zeros for `pad`
 * places. Its text is that of its JSON. */
export function number(value, pad = 0, zeros = false) {
  const text = String(value);
  const [, sign, digits, rest] = /^(-?)(\d+)(.*)$/.exec(text) ?? [];
  if (digits === undefined) return [text];
  const groups = digits.length < 5 ? [digits]
    : digits.match(/^\d{1,3}(?=(?:\d{3})+$)|\d{3}/g);
  const nodes = groups.map((group, at) => at === 0 ? sign + group
    : element("span", { className: "digits" }, group));
  const missing = pad - places(text);
  // A double has places that mean little; all of them stay in the text.
  nodes.push(rest.slice(0, FINE), ...(rest.length > FINE
    ? [element("span", { className: "tail" }, rest.slice(FINE))] : []));
  if (missing > 0 && !/e/i.test(text)) {
    const fill = element("span");
    fill.dataset[zeros ? "pad" : "room"] =
      (places(text) === 0 ? "." : "") + "0".repeat(missing);
    nodes.push(fill);
  }
  return nodes;
}

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
    isNumber(row[at]) ? places(String(row[at])) : 0))) : 0;
  const zeros = padOf(column.unit) >= most && padOf(column.unit) > 0;
  return { ...column, numeric, zeros, pad: zeros ? padOf(column.unit) : most };
}

function head(columns) {
  return element("tr", {}, ...columns.map(({ title, unit, numeric }) =>
    element("th", { scope: "col", className: numeric ? "num" : "" }, title,
      ...(unit ? [" ", element("span", { className: "unit" }, unit)] : []))));
}

const cell = ({ numeric, pad, zeros }, value, render) =>
  element("td", { className: numeric ? "num" : "" },
    ...(isNumber(value) ? number(value, pad, zeros)
      : value === undefined ? [] : [render(value)]));

const button = (words, label, work) => {
  const made = element("button",
    { type: "button", className: "small", onclick: work }, words);
  made.ariaLabel = label;
  return made;
};

/** A table of {title, columns: [{name, title, unit}], rows, value}: `value` is what
 * the JSON file has, `render` shows what is no number. */
export function table({ title, columns: given, rows, value, file, render }) {
  const columns = given.map((column, at) => columnOf(column, rows, at));
  const body = element("tbody");
  const count = element("span");
  const many = rows.length > PAGE;
  let first = 0;
  const show = () => {
    body.replaceChildren(...rows.slice(first, first + PAGE).map((row) =>
      element("tr", {}, ...columns.map((column, at) =>
        cell(column, row[at], render)))));
    count.textContent = many
      ? `${first + 1}–${Math.min(first + PAGE, rows.length)} of ${rows.length} rows`
      : `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
    before.disabled = first === 0;
    after.disabled = first + PAGE >= rows.length;
  };
  const turn = (by) => () => {
    first += by * PAGE;
    show();
  };
  const before = button("‹ Previous", `${title}: previous rows`, turn(-1));
  const after = button("Next ›", `${title}: next rows`, turn(1));
  count.role = "status";
  const wide = element("div", { className: "wide", tabIndex: 0 },
    element("table", {}, element("thead", {}, head(columns)), body));
  wide.role = "region"; // so that a keyboard can scroll it
  wide.ariaLabel = title;
  show();
  const csv = button("CSV", `Download ${title} as CSV`, () =>
    files.save(`${file}.csv`, "text/csv", toCsv(columns.map(({ name }) => name), rows)));
  const json = button("JSON", `Download ${title} as JSON`, () =>
    files.save(`${file}.json`, "application/json", `${stringify(value, 2)}\n`));
  csv.classList.add("right");
  return element("div", { className: "table" }, wide,
    element("footer", {}, count, ...(many ? [before, after] : []),
      ...(files.save ? [csv, json] : [])));
}
