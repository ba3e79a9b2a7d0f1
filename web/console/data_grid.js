// SPDX-License-Identifier: Apache-2.0
//
// Lists that are tables: the rows of a table by its columns, and the values of a chart by
// labels and series. Each cell is a field.
import { scalarOf, textOf } from "./data_value.js";
import { button, element } from "./parts.js";

const CELL = { type: ["string", "number", "boolean", "null"] };
const NUMBER = { type: ["number", "null"] };

function cell(label, value, schema, changed) {
  const input = element("input", { value: textOf(value), autocomplete: "off" });
  input.ariaLabel = label;
  let before = value;
  input.addEventListener("input", () => {
    before = scalarOf(input.value, schema, before);
    changed(before);
  });
  return element("td", {}, input);
}

function cross(label, work) {
  const made = button("×", "cross", work);
  made.ariaLabel = label;
  return made;
}

const head = (...children) => element("th", { scope: "col" }, ...children);

function table(headRow, rows) {
  return element("div", { className: "grid-scroll" }, element("table", { className: "grid" },
    element("thead", {}, element("tr", {}, ...headRow)), element("tbody", {}, ...rows)));
}

/** The rows of the layout "table"; `set` gets a member and its value, `again` draws anew. */
export function tableGrid({ columns = [], rows = [] }, set, again) {
  const change = (next) => {
    set("rows", next);
    again();
  };
  let now = rows;
  const body = rows.map((row, at) => element("tr", {}, ...columns.map(({ key, title }) =>
    cell(`Row ${at + 1}, ${title ?? key}`, row[key], CELL, (value) => {
      const entries = Object.entries(now[at]).filter(([name]) => name !== key);
      now = now.with(at, Object.fromEntries([...entries, [key, value]]));
      set("rows", now);
    })), element("td", {}, cross(`Remove row ${at + 1}`, () => change(now.toSpliced(at, 1))))));
  return element("div", { className: "stack" },
    table([...columns.map(({ key, title }) => head(title || key)), element("td")], body),
    button("Add a row", "small", () => change([...now,
      Object.fromEntries(columns.map(({ key }) => [key, ""]))])));
}

/** Labels and series of the layout "chart". */
export function chartGrid({ labels = [], series = [] }, set, again) {
  let [names, all] = [labels, series];
  const setSeries = (next) => set("series", all = next);
  const draw = (nextNames, nextSeries) => {
    set("labels", nextNames);
    set("series", nextSeries);
    again();
  };
  const top = all.map(({ name }, at) => {
    const input = element("input", { value: name ?? "" });
    input.ariaLabel = `Name of series ${at + 1}`;
    input.addEventListener("input", () =>
      setSeries(all.with(at, { ...all[at], name: input.value })));
    return head(element("span", { className: "grid-name" }, input,
      cross(`Remove series ${at + 1}`, () => draw(names, all.toSpliced(at, 1)))));
  });
  const body = names.map((name, row) => element("tr", {},
    cell(`Label ${row + 1}`, name, { type: "string" }, (value) => {
      names = names.with(row, value);
      set("labels", names);
    }),
    ...all.map(({ name: title, values = [] }, column) => cell(`${title}, ${name}`, values[row],
      NUMBER, (value) => {
        const next = Array.from({ length: names.length }, (_, at) =>
          all[column].values?.[at] ?? null);
        setSeries(all.with(column, { ...all[column], values: next.with(row, value) }));
      })),
    element("td", {}, cross(`Remove ${name}`, () => draw(names.toSpliced(row, 1),
      all.map((one) => ({ ...one, values: (one.values ?? []).toSpliced(row, 1) })))))));
  return element("div", { className: "stack" },
    table([head("Label"), ...top, element("td")], body),
    element("div", { className: "actions" },
      button("Add a label", "small", () => draw([...names, String(names.length + 1)],
        all.map((one) => ({ ...one, values: [...one.values ?? [], 0] })))),
      button("Add a series", "small", () => draw(names, [...all,
        { name: `Series ${all.length + 1}`, values: names.map(() => 0) }]))));
}
