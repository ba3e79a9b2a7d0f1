// SPDX-License-Identifier: Apache-2.0
//
// Types inputs into the form of a tool's page, as a person would: into each field,
// with the buttons that add items. Which inputs can be typed is said by the form
// itself: a number is a number there, a choice one of those that are offered.
import { until } from "../peers/tap.mjs";

const MOST_CHARACTERS = 400; // of an input, as JSON
const MOST_ITEMS = 6; // of a list or a map

// ---- What there is to type into ------------------------------------------------

/** The fields of the page's form. */
export const outline = (page) => page.evaluate(() => {
  const outlineOf = (field) => {
    const { name, kind, optional } = field.dataset;
    const control = field.querySelector(":scope > :is(input, select, textarea)");
    const radios = [...field.querySelectorAll(":scope > [role=radiogroup] input")];
    const template = field.querySelector(":scope > template");
    const inner = (container) => [...container.children]
      .filter((child) => child.matches(".field")).map(outlineOf);
    return {
      name, kind, optional: optional !== undefined,
      nullable: field.querySelector(":scope > .null") !== null,
      control: control?.tagName === "INPUT" ? control.type : control?.tagName,
      options: [...control?.options ?? radios].map(({ value }) => value),
      radios: radios.length > 0,
      fields: kind === "record" ? inner(field) : [],
      item: template ? inner(template.content.querySelector("li"))[0] : undefined,
    };
  };
  return [...document.querySelectorAll("#fields > .field")].map(outlineOf);
});

// JSON text as values, in which a number is its text behind a mark: it is typed as
// it was written.
const MARK = "\u0001";
const readMarked = (text) => JSON.parse(text.replace(
  /("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)/g,
  (_, string, number) => string ?? `"\\u0001${number}"`));
const writeMarked = (value) =>
  JSON.stringify(value).replace(/"\\u0001([^"]*)"/g, "$1");

const isObject = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value);

function fitsText({ control, optional }, value) {
  // eslint-disable-next-line no-control-regex
  if (typeof value !== "string" || /[\u0000-\u0008\u000b-\u001f]/.test(value) ||
      !value.isWellFormed()) return false;
  if (value === "" && optional) return false; // it would be left out
  if (control === "date")
    return /^\d{4}-\d\d-\d\d$/.test(value) && value > "0001" &&
      new Date(value).toJSON()?.startsWith(value) === true;
  return control === "TEXTAREA" || !value.includes("\n");
}

const fitsNumber = (value) =>
  typeof value === "string" && value.startsWith(MARK);

const fitsItems = (item, values) =>
  values.length <= MOST_ITEMS && values.every((value) => fits(item, value));

function fits(field, value) {
  const { kind, optional, nullable, item, options } = field;
  if (value === null) return nullable;
  const empty = isObject(value) ? Object.keys(value).length === 0
    : Array.isArray(value) && value.length === 0;
  if (empty && optional) return false;
  switch (kind) {
    case "text": return fitsText(field, value);
    case "number": return fitsNumber(value);
    case "boolean": return typeof value === "boolean";
    case "choice": return value !== "" && options.includes(value);
    case "record": return isObject(value) && fitsRecord(field.fields, value);
    case "list": return Array.isArray(value) && fitsItems(item, value);
    case "map": return isObject(value) && !("__proto__" in Object.keys(value)) &&
      Object.keys(value).every((key) => fitsText({ control: "text" }, key)) &&
      fitsItems(item, Object.values(value));
    default: return true;
  }
}

// What is left out must be so in the form, too: an empty text that is not optional
// is sent.
const mayLack = ({ kind, optional }) =>
  optional || /^(number|boolean|choice|any)$/.test(kind);

function fitsRecord(fields, value) {
  const names = new Set(fields.map(({ name }) => name));
  return Object.keys(value).every((name) => names.has(name)) &&
    fields.every((field) => field.name in value
      ? fits(field, value[field.name]) : mayLack(field));
}

/** Can this JSON text be typed into a form of these fields? */
export function canType(fields, text) {
  if (text.length > MOST_CHARACTERS) return false;
  let value;
  try {
    JSON.parse(text);
    value = readMarked(text);
  } catch {
    return false;
  }
  return isObject(value) && fitsRecord(fields, value);
}

// ---- Typing --------------------------------------------------------------------

async function typeItems(page, path, item, entries) {
  for (const [at, [key, value]] of entries.entries()) {
    await page.click(`${path} > [data-add]`);
    const inside = `${path} > ol > li:nth-child(${at + 1})`;
    if (key !== undefined) await page.fill(`${inside} > .key > input`, key);
    await typeField(page, `${inside} > .field`, item, value);
  }
}

async function typeField(page, path, field, value) {
  if (field.nullable) await page.setChecked(`${path} > .null > input`, value === null);
  if (value === null) return;
  switch (field.kind) {
    case "record":
      return typeFields(page, path, field.fields, value);
    case "list":
      return typeItems(page, path, field.item,
        value.map((one) => [undefined, one]));
    case "map":
      return typeItems(page, path, field.item, Object.entries(value));
    case "choice":
    case "boolean":
      if (field.radios)
        await page.check(`${path} > [role=radiogroup] ` +
          `input[value=${JSON.stringify(String(value))}]`, { force: true });
      else await page.selectOption(`${path} > select`, String(value));
      return;
    default:
      await page.fill(`${path} > :is(input, textarea)`,
        field.kind === "text" ? value : writeMarked(value));
  }
}

async function typeFields(page, path, fields, value) {
  for (const field of fields)
    if (field.name in value)
      await typeField(page,
        `${path} > .field[data-name=${JSON.stringify(field.name)}]`, field,
        value[field.name]);
}

/** Clears the form and types the input; gives what "Copy JSON" copies. The page
 * may read the clipboard. */
export async function typeInput(page, fields, text) {
  await page.click("#tool [type=reset]");
  await page.waitForFunction(() => // cleared in a turn of its own
    document.querySelector("#fields li") === null);
  await page.evaluate(() => new Promise((done) => setTimeout(done)));
  await typeFields(page, "#fields", fields, readMarked(text));
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.click("[data-copy=json]");
  return until(() => page.evaluate(() => navigator.clipboard.readText()), "a copy of the input");
}
