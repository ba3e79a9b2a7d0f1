// SPDX-License-Identifier: Apache-2.0
//
// A form as src/page/page_form.c writes it, to JSON text and back. Text, not values: a
// number goes to the engine as it was typed.

import { NUMBER, parse, stringify, Written } from "./exact.js";

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

const controlOf = (field) =>
  field.querySelector(":scope > :is(input, select, textarea)");
const nullOf = (field) => field.querySelector(":scope > .null > input");
const itemsOf = (field) => [...field.querySelector(":scope > ol").children];
const keyOf = (item) => item.querySelector(":scope > .key > input");

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
  const { value } = controlOf(field);
  if (kind === "text" && controlOf(field).type !== "date")
    return value === "" && optional !== undefined
      ? undefined : JSON.stringify(value);
  if (value.trim() === "") return undefined;
  if (kind === "any") return readAny(field, value);
  if (kind === "boolean") return value;
  if (kind === "number" && NUMBER.test(value.trim())) return value.trim();
  return JSON.stringify(value);
}

/** JSON text of a field or a whole form; undefined when it is left out. */
export function read(field) {
  const { kind, optional } = field.dataset;
  if (field.matches("form")) return readRecord(field);
  if (nullOf(field)?.checked) return "null";
  let text;
  if (kind === "record") text = readRecord(field);
  else if (kind === "list") text = `[${itemsOf(field).map(readItem).join(",")}]`;
  else if (kind === "map")
    text = `{${itemsOf(field).map((item) =>
      `${JSON.stringify(keyOf(item).value)}:${readItem(item)}`).join(",")}}`;
  else return readControl(field);
  return optional !== undefined && text.length === 2 ? undefined : text;
}

// ---- Items -------------------------------------------------------------------

let items = 0;

// Ids in a template have "#" and its depth where each item has its number.
function number(fragment, nesting, count) {
  const mark = new RegExp(`#${nesting}(?!\\d)`, "g");
  for (const element of fragment.querySelectorAll("*")) {
    for (const name of ["id", "for", "aria-describedby"])
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

function fillItems(field, value) {
  const keyed = field.dataset.kind === "map";
  for (const item of itemsOf(field)) item.remove();
  for (const [key, one] of Object.entries(value ?? {})) {
    const item = grow(field);
    if (keyed) keyOf(item).value = key;
    fillField(fieldsOf(item)[0], one);
  }
}

function fillControl(field, value) {
  const control = controlOf(field);
  if (value === undefined && control.matches("select"))
    for (const option of control.options)
      option.selected = option.defaultSelected;
  else if (value === undefined) control.value = control.defaultValue;
  else if (field.dataset.kind === "any")
    control.value = stringify(value, 1);
  else control.value = typeof value === "object" && !(value instanceof Written)
    ? stringify(value) : value;
}

function fillField(field, value) {
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
  fillRecord(form, value);
}

// ---- Finding -------------------------------------------------------------------

/** The field that an error's path is about, or the nearest around it. */
export function fieldAt(form, path) {
  const names = path.replace(/^\//, "").split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  let field;
  let container = form;
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
