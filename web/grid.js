// SPDX-License-Identifier: Apache-2.0
//
// Grids, which are lists of values or of records: paste from a spreadsheet, and keys
// that go from row to row. The cells are ordinary fields (form.js).

import { NUMBER, parse } from "./exact.js";
import { controlOf, fieldsOf, fillField, grow, hint, read, shrink } from "./form.js";

const gridOf = (element) => element.closest("[data-columns]");
const rowsOf = (grid) => [...grid.querySelector(":scope > ol").children];
// The cells of a row: one value, or the fields of a record.
const cellsOf = (item) => {
  const [field] = fieldsOf(item);
  return field.dataset.kind === "record" ? fieldsOf(field) : [field];
};

// ---- Reading a spreadsheet -------------------------------------------------------

/** Rows of cells, of text as spreadsheets copy it: tabs between cells, quotes around
 * those that have a tab, an end of line or a quote inside. */
export function readCells(text) {
  const rows = [[]];
  const part = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n?|\n|$)/gy;
  for (let found; (found = part.exec(text)); ) {
    const [, quoted, plain, end] = found;
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "") break;
    if (end !== "\t") rows.push([]);
  }
  if (rows.at(-1).length === 1 && rows.at(-1)[0] === "") rows.pop();
  return rows;
}

// "1,234.50" is how a spreadsheet shows 1234.50.
const GROUPED = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/;

function valueOf(kind, text) {
  const trimmed = text.trim();
  if (kind === "text" || kind === "choice") return text;
  if (kind === "boolean") return /^(true|yes|1)$/i.test(trimmed);
  if (GROUPED.test(trimmed)) return parse(trimmed.replaceAll(",", ""));
  return NUMBER.test(trimmed) ? parse(trimmed) : trimmed;
}

// ---- Pasting ---------------------------------------------------------------------

const plain = (text) => text.trim().toLowerCase().replaceAll("_", " ");

// The fields of a row that is added.
const templateOf = (grid) =>
  cellsOf(grid.querySelector(":scope > template").content.querySelector("li"));

// Does every cell name a column? The only column of a list of values has the list's title.
function hasNames(grid, row) {
  const head = [...grid.querySelectorAll(":scope > .columns-head > span")];
  const names = head.length > 0
    ? head.flatMap(({ textContent, dataset }) => [textContent, dataset.column])
    : [grid.querySelector(":scope > legend").textContent, grid.dataset.name];
  return row.length > 0 && row.every((cell) => names.some((name) =>
    [plain(cell), `${plain(cell)}s`].includes(plain(name))));
}

const isDate = (control) => control.matches("[type=date], [placeholder^='20']");

// Can the cell be a value of the field? Any text can be one of a text.
function suits(field, text) {
  const { kind } = field.dataset;
  const trimmed = text.trim();
  if (kind === "number") return NUMBER.test(trimmed) || GROUPED.test(trimmed);
  if (kind === "boolean") return /^(true|false|yes|no|1|0)$/i.test(trimmed);
  if (kind === "choice")
    return [...controlOf(field).options].some(({ value }) => value === text);
  return isDate(controlOf(field)) ? /^\d{4}-\d\d-\d\d/.test(trimmed) : true;
}

// The first row may be titles: it names the columns, or it has words where the next row
// has a number, a date or a choice.
function isHead(grid, rows, first) {
  const [head, next] = rows;
  if (hasNames(grid, head)) return true;
  const fields = templateOf(grid);
  const strict = head.map((cell, at) => [fields[first + at], cell, next?.[at] ?? ""])
    .filter(([field, cell]) => field && cell.trim() !== "" && !suits(field, cell));
  return strict.length > 0 && strict.every(([field, , below]) => suits(field, below));
}

// ---- Examples --------------------------------------------------------------------

const examples = new WeakMap(); // of each grid, the text of the example that it shows

/** The grids of a form show an example: what a person pastes takes its place as a whole,
 * until some of it was changed. */
export function showExample(form) {
  for (const grid of form.querySelectorAll("[data-columns]"))
    examples.set(grid, read(grid));
}

const isExample = (grid) => examples.has(grid) && examples.get(grid) === read(grid);

// Is it a list of values, not of records?
const isSingle = (grid) => templateOf(grid)[0].dataset.name === "";

// A row as a value that form.js shows: what is in the template's cells, from `first`.
function toValue(grid, cells, first) {
  const fields = templateOf(grid);
  if (isSingle(grid))
    return valueOf(fields[0].dataset.kind, cells[0] ?? "");
  return Object.fromEntries(cells.slice(0, fields.length - first)
    .map((cell, at) => [fields[first + at].dataset, cell])
    .filter(([, cell]) => cell !== "")
    .map(([{ name, kind }, cell]) => [name, valueOf(kind, cell)]));
}

function place(control) {
  const item = control.closest("[data-columns] > ol > li");
  const row = rowsOf(gridOf(control)).indexOf(item);
  const column = cellsOf(item).findIndex((cell) => cell.contains(control));
  return { row, column };
}

// What became of pasted rows: a title that was left out, or an example that is gone, would
// change a result unnoticed.
const saidOf = (count, head, example) =>
  `${count} ${count === 1 ? "row was" : "rows were"} pasted` +
  `${example ? " in place of the example" : ""}.` +
  (head ? ` The first row, “${head.join(" · ").slice(0, 60)}”, was left out as titles.` : "");

/** Lays rows of cells over a grid from one of its cells on; rows are added. What a grid
 * has of an example that was not changed is gone by that. */
export function spread(control, cells) {
  const grid = gridOf(control);
  const example = isExample(grid);
  const { row: at, column } = place(control);
  const row = example ? 0 : at;
  const single = isSingle(grid);
  const head = isHead(grid, cells, column);
  const rows = head ? cells.slice(1) : cells;
  const flat = single ? rows.flat().map((cell) => [cell]) : rows;
  const values = example ? [] : parse(read(grid) ?? "[]");
  for (const [below, one] of flat.entries()) {
    const value = toValue(grid, one, column);
    const before = values[row + below];
    values[row + below] = !single && before && typeof before === "object"
      ? { ...before, ...value } : value;
  }
  fillField(grid, values);
  hint(grid, saidOf(flat.length, head ? cells[0] : undefined, example));
  const cell = rowsOf(grid)[row]; // none where the rows have become lines
  (cell ? controlOf(cellsOf(cell)[column]) : grid.querySelector(".lines")).focus();
}

// ---- Keys ------------------------------------------------------------------------

function go(control, by) {
  const grid = gridOf(control);
  const { row, column } = place(control);
  if (row + by < 0) return;
  const next = rowsOf(grid)[row + by] ?? grow(grid);
  controlOf(cellsOf(next)[column])?.focus();
}

// Backspace in a row without anything takes the row away.
function isEmpty(item) {
  return cellsOf(item).every((cell) => controlOf(cell).value === "");
}

function press(event, changed) {
  const { key, target } = event;
  if (event.isComposing || event.shiftKey || event.ctrlKey || event.metaKey ||
      event.altKey) return;
  const grid = gridOf(target);
  const item = target.closest("[data-columns] > ol > li");
  const before = rowsOf(grid).length;
  const last = rowsOf(grid).at(-1) === item;
  if (key === "Enter" || (key === "ArrowDown" && !last)) go(target, 1);
  else if (key === "ArrowUp") go(target, -1);
  else if (key === "Backspace" && before > 1 && isEmpty(item)) {
    go(target, rowsOf(grid)[0] === item ? 1 : -1);
    item.remove();
  } else return;
  event.preventDefault();
  if (rowsOf(grid).length !== before) changed();
}

/** Makes the lists of a form grow and shrink, and its grids take rows and keys;
 * `changed` is called when the form has changed by that. */
export function useLists(form, changed) {
  form.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-add], [data-remove]");
    if (!button) return;
    if ("add" in button.dataset) grow(button.parentElement, true);
    else shrink(button.closest("li"));
    changed();
  });
  form.addEventListener("paste", (event) => {
    const { target, clipboardData } = event;
    if (!target.closest("[data-columns] > ol")) return;
    const cells = readCells(clipboardData.getData("text/plain"));
    if (cells.length < 2 && (cells[0]?.length ?? 0) < 2) return;
    event.preventDefault();
    spread(target, cells);
    changed();
  });
  form.addEventListener("keydown", (event) => {
    if (event.target.matches("[data-columns] > ol input:not([type=radio])"))
      press(event, changed);
  });
}
