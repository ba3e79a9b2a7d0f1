// SPDX-License-Identifier: Apache-2.0
//
// A result as people read it: the answer first and large, then its other values, then
// records, lists as tables, and a chart where numbers run over an index or time.

import { chart } from "./chart.js";
import { element } from "./element.js";
import { stringify, Written } from "./exact.js";
import { titleOf, unitIn } from "./label.js";
import { isLongNumber, isNumber, number, padOf } from "./number.js";
import { table } from "./table.js";

const LONG = 48; // characters of a text that is no value among others
const MOST_CHIPS = 100; // values that stand side by side
const LEAST_POINTS = 3, LEAST_NUMBERS = 8; // of a chart

const isRecord = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) &&
  !(value instanceof Written);
const isScalar = (value) => !isRecord(value) && !Array.isArray(value);
const isLong = (value) => typeof value === "string" &&
  (value.length > LONG || value.includes("\n"));

// ---- One value -------------------------------------------------------------------

const COLOR = /^(#[0-9a-f]{3,8}|(rgb|hsl|hwb|lab|lch|oklab|oklch|color)\(.*\))$/i;

function swatch(value) {
  if (!COLOR.test(value) || !CSS.supports("color", value)) return [];
  const made = element("span", { className: "swatch" });
  made.style.backgroundColor = value;
  return [made];
}

function scalar(value, unit, grouped = false) {
  if (typeof value === "boolean") return [value ? "yes" : "no"];
  if (value === null) return ["none"];
  if (isNumber(value)) return number(value, { pad: padOf(unit), zeros: true, grouped });
  return [...swatch(value), value];
}

// The unit of a field: its sibling's value, or what its name ends with.
function unitOf(record, name, schema) {
  const sibling = schema?.["x-unit"];
  if (sibling) return typeof record?.[sibling] === "string" ? record[sibling] : "";
  return isNumber(record?.[name]) ? unitIn(name) ?? "" : "";
}

function valueOf(record, name, schema, groups) {
  const unit = unitOf(record, name, schema);
  const grouped = isCounted(name) && groups.has(unit);
  return [element("span", { className: "value" }, ...scalar(record[name], unit, grouped)),
    ...(unit && record[name] !== null
      ? [" ", element("span", { className: "unit" }, unit)] : [])];
}

// A year has four digits, and no groups of them.
const isCounted = (name) => !/(^|_)years?$/.test(name);

/** The units of which some number of a record or of its lists is long: all numbers of such
 * a unit are in groups of three digits, as they are compared with each other. */
function groupsOf(record, properties) {
  const found = new Set();
  for (const [name, value] of Object.entries(record)) {
    if (isLongNumber(value) && isCounted(name))
      found.add(unitOf(record, name, properties?.[name]));
    if (!Array.isArray(value) || !value.every(isRecord)) continue;
    const inner = itemsOf(properties?.[name])?.properties;
    for (const row of value)
      for (const part of Object.keys(row))
        if (isLongNumber(row[part]) && isCounted(part))
          found.add(unitOf(row, part, inner?.[part]));
  }
  return found;
}

// ---- Lists -----------------------------------------------------------------------

const unitNames = (properties) => new Set(Object.values(properties ?? {})
  .map((schema) => schema["x-unit"]).filter(Boolean));

// What all rows have alike as their unit stands in the head, not in a column.
function columnsOf(rows, properties) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const alike = new Set([...unitNames(properties)].filter((name) =>
    rows.every((row) => row[name] === rows[0][name])));
  return names.filter((name) => !alike.has(name)).map((name) => {
    const sibling = properties?.[name]?.["x-unit"];
    return { name, title: titleOf(name, properties?.[name]),
      unit: sibling ? alike.has(sibling) ? rows[0][sibling] : ""
        : rows.some((row) => isNumber(row[name])) ? unitIn(name) : "" };
  });
}

const INDEX = /(^|_)(date|time|day|week|month|quarter|year|number|index|step|period|hour|minute|second|age|n|i|t|x)$/;

const rises = (values) => values.every((value, at) => isNumber(value) &&
  (at === 0 || Number(value) > Number(values[at - 1])));
const isDates = (values) => values.every((value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value));

// {over, names, stacked} as ".chart" says it, or as the rows look.
function planOf(rows, columns, declared) {
  const [, series, over] = /^(.+) over (\S+)$/.exec(declared ?? "") ?? [];
  if (over) return { over, names: series.split(/[ ,+]+/), stacked: series.includes("+") };
  const of = (name) => rows.map((row) => row[name]);
  const index = columns.find(({ name }) =>
    isDates(of(name)) || (INDEX.test(name) && rises(of(name))));
  const numbers = columns.filter((column) => column !== index &&
    of(column.name).every(isNumber) && new Set(of(column.name).map(String)).size > 1);
  const names = numbers.filter(({ unit }) => unit === numbers[0].unit).slice(0, 4)
    .map(({ name }) => name);
  return index && names.length > 0
    ? { over: index.name, names, stacked: false } : undefined;
}

function chartOf(rows, columns, properties, declared) {
  const plan = rows.length < LEAST_POINTS ? undefined
    : planOf(rows, columns, declared);
  if (!plan || !plan.names.every((name) => rows.every((row) => isNumber(row[name]))))
    return [];
  const title = (name) => titleOf(name, properties?.[name]);
  return [chart({
    stacked: plan.stacked,
    unit: columns.find(({ name }) => name === plan.names[0])?.unit,
    x: { title: title(plan.over), values: rows.map((row) => String(row[plan.over])) },
    series: plan.names.map((name) => ({ title: title(name),
      values: rows.map((row) => Number(row[name])) })),
  })];
}

const itemsOf = (schema) => schema?.items ?? schema?.anyOf?.[0]?.items;

function records(rows, { name, title, schema, groups }) {
  const properties = itemsOf(schema)?.properties;
  const columns = columnsOf(rows, properties).map((column) => ({ ...column,
    grouped: isCounted(column.name) && Boolean(column.unit) && groups?.has(column.unit) }));
  return [...chartOf(rows, columns, properties, schema?.["x-chart"]),
    table({ title, columns, value: rows, file: name, render,
      rows: rows.map((row) => columns.map((column) => row[column.name])) })];
}

// Lists of lists; a sibling `columns` of as many names has their titles.
function lists(rows, { name, title, record }) {
  const most = Math.max(...rows.map((row) => row.length));
  const names = record?.columns?.length === most
    ? record.columns.map((column) => column?.name ?? String(column)) : [];
  const columns = Array.from({ length: most }, (_, at) =>
    ({ name: names[at] ?? String(at + 1), title: names[at] ?? String(at + 1) }));
  return [table({ title, columns, rows, value: rows, file: name, render })];
}

function values(list, { name, title }) {
  const numbers = list.length >= LEAST_NUMBERS && list.every(isNumber);
  const drawn = numbers ? [chart({ x: { title: "position",
    values: list.map((_, at) => String(at + 1)) },
  series: [{ title, values: list.map(Number) }] })] : [];
  if (list.length <= MOST_CHIPS)
    return [...drawn, element("ul", { className: "list plain" },
      ...list.map((value) => element("li", { className: "value" },
        ...isScalar(value) ? scalar(value, "", list.some(isLongNumber)) : [render(value)])))];
  return [...drawn, table({ title, file: name, value: list, render,
    columns: [{ name: "position", title: "Position" }, { name, title }],
    rows: list.map((value, at) => [at + 1, value]) })];
}

function list(items, about) {
  if (items.length === 0) return ["none"];
  if (items.every(isRecord)) return records(items, about);
  return items.every(Array.isArray) ? lists(items, about) : values(items, about);
}

// ---- Records ---------------------------------------------------------------------

const facts = (record, names, properties, groups) => element("dl", { className: "facts" },
  ...names.map((name) => {
    const made = element("div", {},
      element("dt", {}, titleOf(name, properties?.[name])),
      element("dd", {}, ...valueOf(record, name, properties?.[name], groups)));
    made.dataset.result = name;
    return made;
  }));

function block(record, name, schema, groups) {
  const title = titleOf(name, schema);
  const value = record[name];
  const made = element("div", { className: "block" }, element("dt", {}, title),
    element("dd", { className: "value" },
      ...Array.isArray(value) ? list(value, { name, title, schema, record, groups })
        : isRecord(value) ? parts(value, schema?.anyOf?.[0] ?? schema, true)
          : scalar(value)));
  if (Array.isArray(value) || isRecord(value))
    made.querySelector("dd").classList.remove("value");
  made.dataset.result = name;
  return element("dl", {}, made);
}

function hero(record, name, schema, groups) {
  const value = record[name];
  const made = element("div", {}, element("dt", {}, titleOf(name, schema)),
    element("dd", {}, ...valueOf(record, name, schema, groups)));
  made.dataset.result = name;
  const kind = !isLong(value) ? "" : /\s/.test(value) && !value.includes("\n")
    ? " sentence" : " long";
  return element("dl", { className: `hero${kind}` }, made);
}

const first = (record, names, properties) => {
  const marked = names.find((name) => properties[name]?.["x-answer"]);
  if (marked) return marked;
  const units = unitNames(properties);
  return names.find((name) => !units.has(name) && (isNumber(record[name]) ||
    (typeof record[name] === "string" && record[name] !== "")));
};

// Parts of a record; inside of another one without a large answer.
function parts(record, schema, inner = false) {
  const properties = schema?.properties ?? {};
  const names = Object.keys(record);
  const answer = inner ? undefined : first(record, names, properties);
  const others = names.filter((name) => name !== answer);
  const small = others.filter((name) =>
    isScalar(record[name]) && !isLong(record[name]));
  const large = others.filter((name) => !small.includes(name));
  const units = unitNames(properties);
  const groups = groupsOf(record, properties);
  const shown = facts(record, small, properties, groups);
  for (const fact of shown.children) // it stands beside the numbers already
    fact.hidden = units.has(fact.dataset.result);
  return [
    ...(answer === undefined ? []
      : [(isScalar(record[answer]) ? hero : block)(record, answer,
        properties[answer], groups)]),
    ...(small.length > 0 ? [shown] : []),
    ...large.map((name) => block(record, name, properties[name], groups)),
  ];
}

/** An element, or text, for any value. */
export function render(value) {
  if (Array.isArray(value))
    return element("div", { className: "parts" },
      ...list(value, { name: "result", title: "Result" }));
  if (isRecord(value))
    return element("div", { className: "parts" }, ...parts(value, undefined, true));
  return element("span", { className: "value" }, ...scalar(value));
}

// What a tool without an output schema says: the texts of MCP's content.
const textsOf = (value) => isRecord(value) && Array.isArray(value.content) &&
  Object.keys(value).length === 1 &&
  value.content.every((one) => one?.type === "text") ? value.content : undefined;

const said = (texts) => texts.map(({ text }, at) =>
  element("div", { className: at === 0 ? "hero sentence" : "" },
    element("p", { className: "value" }, text)));

/** The parts of a whole result, as the schema of the tool describes it. */
export const renderResult = (value, schema) =>
  textsOf(value) ? said(textsOf(value))
    : isRecord(value) ? parts(value, schema) : [render(value)];

/** The answer in a few words: {title, text}, or nothing. */
export function glance(value, schema) {
  const properties = schema?.properties ?? {};
  const name = isRecord(value)
    ? first(value, Object.keys(value), properties) : undefined;
  if (name === undefined) return undefined;
  const title = titleOf(name, properties[name]);
  if (Array.isArray(value[name])) return { title, nodes: [`${value[name].length}`] };
  return isScalar(value[name])
    ? { title, nodes: valueOf(value, name, properties[name], groupsOf(value, properties)) }
    : undefined;
}

export const pretty = (value) => stringify(value, 2);
