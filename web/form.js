// SPDX-License-Identifier: Apache-2.0
//
// A form as src/page/page_form.c writes it, to JSON text and back. Text, not values: a
// number goes to the engine as it was typed.

import { NUMBER, parse, stringify, Written } from "./exact.js";

const MOST_ROWS = 300; // of a grid; more are lines of JSON

/** What a person typed where JSON belongs. */
export class Unreadable extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** The fields right inside a form, a record or an item. */
export const fieldsOf = (container) =>
  [...container.children].filter((child) => child.matches(".field"));

/** What a person types or chooses in; radio buttons are one control. */
export const controlOf = (field) => field.querySelector(
  ":scope > :is(input, select, textarea, [role=radiogroup])");
const nullOf = (field) => field.querySelector(":scope > .null > input");
const itemsOf = (field) => [...field.querySelector(":scope > ol").children];
const keyOf = (item) => item.querySelector(":scope > .key > input");
const isRadios = (control) => control.matches("[role=radiogroup]");
const radiosOf = (control) => [...control.querySelectorAll("input")];
const linesOf = (field) => field.querySelector(":scope > .lines");

/** The element of a control that takes the keyboard. */
export const focusable = (control) => !isRadios(control) ? control
  : radiosOf(control).find(({ checked }) => checked) ?? radiosOf(control)[0];

const valueOf = (control) => !isRadios(control) ? control.value
  : radiosOf(control).find(({ checked }) => checked)?.value ?? "";

// ---- Reading -----------------------------------------------------------------

function readRecord(container) {
  const parts = [];
  for (const field of fieldsOf(container)) {
    const text = read(field);
    if (text !== undefined)
      parts.push(`${JSON.stringify(field.dataset.name)}:${text}`);
  }
  return `{${parts.join(",")}}`;
}

const readItem = (item) => read(fieldsOf(item)[0]) ?? '""';

function readAny(field, text) {
  try {
    parse(text);
  } catch (error) {
    throw new Unreadable(field, `This is no JSON yet: ${error.message}`);
  }
  return text;
}

function readControl(field) {
  const { kind, optional } = field.dataset;
  const value = valueOf(controlOf(field));
  if (kind === "text" && controlOf(field).type !== "date")
    return value === "" && optional !== undefined
      ? undefined : JSON.stringify(value);
  if (value.trim() === "") return undefined;
  if (kind === "any") return readAny(field, value);
  if (kind === "boolean") return value;
  if (kind === "number" && NUMBER.test(value.trim())) return value.trim();
  return JSON.stringify(value);
}

function readList(field) {
  const lines = linesOf(field);
  if (!lines) return `[${itemsOf(field).map(readItem).join(",")}]`;
  return readAny(field, `[${lines.value.split("\n")
    .filter((line) => line.trim()).join(",")}]`);
}

/** JSON text of a field or a whole form; undefined when it is left out. */
export function read(field) {
  const { kind, optional } = field.dataset;
  if (field.matches("form")) return readRecord(bodyOf(field));
  if (nullOf(field)?.checked) return "null";
  let text;
  if (kind === "record") text = readRecord(field);
  else if (kind === "list") text = readList(field);
  else if (kind === "map")
    text = `{${itemsOf(field).map((item) =>
      `${JSON.stringify(keyOf(item).value)}:${readItem(item)}`).join(",")}}`;
  else return readControl(field);
  return optional !== undefined && text.length === 2 ? undefined : text;
}

/** The element of a form that its fields are right inside of. */
export const bodyOf = (form) => form.querySelector(":scope > #fields") ?? form;

// ---- Items -------------------------------------------------------------------

let items = 0;

// Ids in a template have "#" and its depth where each item has its number.
function number(fragment, nesting, count) {
  const mark = new RegExp(`#${nesting}(?!\\d)`, "g");
  for (const element of fragment.querySelectorAll("*")) {
    for (const name of ["id", "for", "name", "aria-describedby", "aria-labelledby"])
      if (element.hasAttribute(name))
        element.setAttribute(
          name, element.getAttribute(name).replace(mark, count));
    if (element.matches("template")) number(element.content, nesting, count);
  }
}

/** Adds an empty item to a list or a map; returns it. */
export function grow(field, focus = false) {
  const template = field.querySelector(":scope > template");
  const fragment = template.content.cloneNode(true);
  number(fragment, template.dataset.nesting, ++items);
  const item = fragment.querySelector("li");
  field.querySelector(":scope > ol").append(fragment);
  if (focus) item.querySelector("input, select, textarea, button").focus();
  return item;
}

/** Removes an item; the button that adds one has the focus then. */
export function shrink(item) {
  const field = item.closest(".field:has(> ol)");
  item.remove();
  field.querySelector(":scope > [data-add]").focus();
}

// ---- Filling -------------------------------------------------------------------

function fillRecord(container, value) {
  for (const field of fieldsOf(container))
    fillField(field, value?.[field.dataset.name]);
}

// A grid of thousands of rows would stop the browser: they are lines of JSON.
function fillLines(field, value) {
  const lines = document.createElement("textarea");
  lines.className = "lines";
  lines.rows = 10;
  lines.spellcheck = false;
  lines.ariaLabel = "Rows as JSON, one a line";
  lines.value = value.map((row) => stringify(row)).join("\n");
  field.querySelector(":scope > ol").after(lines);
  field.querySelector(":scope > [data-add]").hidden = true;
}

const hints = new WeakMap(); // what stands below a grid before rows were pasted

/** Says below a grid what became of pasted rows, until it is filled anew; without words it
 * says again what it said before. */
export function hint(field, words) {
  const place = field.querySelector(":scope > .pasted");
  if (!place) return;
  if (!hints.has(place)) hints.set(place, place.textContent);
  place.textContent = words ?? hints.get(place);
}

function fillItems(field, value) {
  const keyed = field.dataset.kind === "map";
  hint(field);
  for (const item of itemsOf(field)) item.remove();
  linesOf(field)?.remove();
  field.querySelector(":scope > [data-add]").hidden = false;
  if ("columns" in field.dataset && value?.length > MOST_ROWS)
    return fillLines(field, value);
  for (const [key, one] of Object.entries(value ?? {})) {
    const item = grow(field);
    if (keyed) keyOf(item).value = key;
    fillField(fieldsOf(item)[0], one);
  }
}

function fillRadios(control, value) {
  for (const radio of radiosOf(control))
    radio.checked = value === undefined
      ? radio.defaultChecked : radio.value === String(value);
}

function fillControl(field, value) {
  const control = controlOf(field);
  if (isRadios(control)) fillRadios(control, value);
  else if (value === undefined && control.matches("select"))
    for (const option of control.options)
      option.selected = option.defaultSelected;
  else if (value === undefined) control.value = control.defaultValue;
  else if (field.dataset.kind === "any")
    control.value = stringify(value, 1);
  else control.value = typeof value === "object" && !(value instanceof Written)
    ? stringify(value) : value;
}

/** Shows a value in a field; what it leaves out gets its default. */
export function fillField(field, value) {
  const nothing = nullOf(field);
  if (nothing)
    nothing.checked =
      value === undefined ? nothing.defaultChecked : value === null;
  if (value === null && nothing) value = undefined;
  if (field.dataset.kind === "record") fillRecord(field, value);
  else if (/^(list|map)$/.test(field.dataset.kind)) fillItems(field, value);
  else fillControl(field, value);
}

/** Shows an input; what it leaves out gets its default. */
export function fill(form, value) {
  fillRecord(bodyOf(form), value);
  showUnits(form);
}

/** Writes the units that siblings have now beside the numbers that they belong to. */
export function showUnits(form) {
  for (const place of form.querySelectorAll("[data-unit]")) {
    const sibling = fieldsOf(place.closest(".field").parentElement)
      .find(({ dataset }) => dataset.name === place.dataset.unit);
    place.textContent = sibling ? valueOf(controlOf(sibling)) : "";
  }
}

// ---- Finding -------------------------------------------------------------------

/** Gives the keyboard to a field, or to the first control inside it. */
export function focusField(field) {
  const control = controlOf(field) ?? linesOf(field) ??
    field.querySelector("input, select, textarea, [role=radiogroup], button");
  if (control) focusable(control).focus();
}

/** The field that an error's path is about, or the nearest around it. */
export function fieldAt(form, path) {
  const names = path.replace(/^\//, "").split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  let field;
  let container = bodyOf(form);
  for (const name of names) {
    const list = container.querySelector(":scope > ol");
    const inner = list
      ? [...list.children].filter((item, index) =>
          keyOf(item) ? keyOf(item).value === name : String(index) === name)
          .map((item) => fieldsOf(item)[0])[0]
      : fieldsOf(container).find(({ dataset }) => dataset.name === name);
    if (!inner) break;
    field = container = inner;
  }
  return field;
}

/** Says at a field what is wrong with it; true if the field has a place for that. */
export function showFault(field, message) {
  const line = field?.querySelector(":scope > .error");
  if (!line) return false;
  line.textContent = message;
  line.hidden = false;
  (controlOf(field) ?? field).setAttribute("aria-invalid", "true");
  return true;
}

/** Takes back all that was said. A reader of the screen is given what describes a
 * control though it is hidden, so the words go, too. */
export function clearFaults(form) {
  for (const line of form.querySelectorAll(".error")) {
    line.hidden = true;
    line.textContent = "";
  }
  for (const control of form.querySelectorAll("[aria-invalid]"))
    control.removeAttribute("aria-invalid");
}
