// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with an input, in the words of people: made from an error's code and path,
// the schema of its field and the value that is there. The message of the error is for
// programs. It is shown only where the schema does not explain the error, as a tool's own
// refusal, whose words the author wrote for people.

import { titleOf } from "./label.js";
import { isNumber } from "./number.js";

const LONG_BOUND = 16; // digits of a bound that says nothing to a person

// ---- The schema of a field -------------------------------------------------------

const tokensOf = (path) => path === "" ? [] : path.replace(/^\//, "").split("/")
  .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));

// Without the null of a nullable; a choice has its words in "anyOf", too.
const plain = (schema) => schema?.anyOf && !("const" in (schema.anyOf[0] ?? {}))
  ? schema.anyOf[0] : schema;
const own = (object, name) => Object.hasOwn(object ?? {}, name) ? object[name] : undefined;

function choicesOf(schema) {
  const list = schema?.enum ?? [schema?.oneOf, schema?.anyOf]
    .find((some) => some?.[0] && "const" in some[0])?.map(({ const: value }) => value);
  return list?.filter((value) => value !== null);
}

function partOf(schema, name) {
  const inner = plain(schema);
  return own(inner?.properties, name) ||
    (/^\d+$/.test(name) && inner?.items) || inner?.additionalProperties || undefined;
}

/** The way to a value: of each step its name, its schema, the record around it, and its
 * value, as far as they are known. */
function steps(path, schema, input) {
  const way = [{ schema, value: input }];
  for (const name of tokensOf(path)) {
    const { schema: above, value } = way.at(-1);
    const known = value !== null && typeof value === "object" ? own(value, name) : undefined;
    way.push({ name, above: plain(above), around: value,
      schema: partOf(above, name), value: known });
  }
  return way;
}

function typeOf(schema) {
  if (choicesOf(schema)) return "choice";
  return [plain(schema)?.type].flat()[0] ?? "any";
}

// ---- What a field takes ----------------------------------------------------------

// In groups of three digits, which narrow spaces keep together.
const groupsOf = (digits) => digits.length < 5 ? digits
  : digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");

function shortBound(schema, name) {
  const value = own(schema, name);
  return value !== undefined && /^-?[\d.]+$/.test(value) &&
    String(value).replace("-", "").length < LONG_BOUND
    ? String(value).replace(/^(-?)(\d+)/, (all, sign, digits) => sign + groupsOf(digits))
    : undefined;
}

// " from 1 to 14", " above 0 and at most 100", or nothing.
function rangeOf(schema) {
  const [least, most, above, below] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
      .map((name) => shortBound(schema, name));
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  const parts = [
    above !== undefined ? `above ${above}` : least !== undefined ? `of at least ${least}` : "",
    below !== undefined ? `below ${below}` : most !== undefined ? `of at most ${most}` : "",
  ].filter(Boolean);
  return parts.length ? ` ${parts.join(" and ").replace(" and of ", " and ")}` : "";
}

const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

const samples = {
  date: "a date such as 2026-11-26",
  "date-time": "a date and time such as 2026-11-26T09:30:00Z",
  time: "a time such as 09:30:00Z",
  duration: "a duration such as P1DT12H",
  email: "an email address such as name@example.org",
  "idn-email": "an email address such as name@example.org",
  hostname: "the name of a host such as www.example.org",
  "idn-hostname": "the name of a host such as www.example.org",
  ipv4: "an address such as 192.0.2.1",
  ipv6: "an address such as 2001:db8::1",
  uri: "an address such as https://example.org/page",
  iri: "an address such as https://example.org/page",
  uuid: "an id such as f81d4fae-7dec-41d0-a765-00a0c91e6bf6",
};

// What to do in a field, by the type of its values.
const wishes = {
  choice: () => "Choose one",
  boolean: () => "Choose yes or no",
  number: (schema) => `Enter a number${rangeOf(schema)}`,
  integer: (schema) => `Enter a whole number${rangeOf(schema)}`,
  string: ({ format, minLength }) => samples[format] ? `Enter ${samples[format]}`
    : minLength > 1 ? `Enter at least ${counted(minLength, "character")}` : "Fill this in",
  array: ({ minItems }) => `Add at least ${counted(minItems ?? 1, "item")}`,
  object: ({ minProperties, properties }) => properties ? "Fill this in"
    : `Add at least ${counted(minProperties ?? 1, "entry", "entries")}`,
};

const wish = (schema) => wishes[typeOf(schema)]?.(plain(schema));

// ---- What an error says ----------------------------------------------------------

const hasType = {
  choice: (value) => typeof value === "string",
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: isNumber,
  integer: (value) => isNumber(value) && Number.isInteger(Number(value)),
  array: Array.isArray,
  object: (value) => value !== null && typeof value === "object" &&
    !Array.isArray(value) && !isNumber(value),
};

// A size outside its bounds: {few, many} of what is counted.
function sizeWords(schema, size, names, few, many) {
  const [least, most] = names.map((name) => own(schema, name));
  if (least !== undefined && (size === undefined || size < least)) return few(least);
  return most !== undefined && (size === undefined || size > most) ? many(most) : undefined;
}

const sized = {
  string: (schema, value) => sizeWords(schema, value && [...value].length,
    ["minLength", "maxLength"],
    (least) => `Enter at least ${counted(least, "character")}`,
    (most) => `Enter at most ${counted(most, "character")}`),
  array: (schema, value) => sizeWords(schema, value?.length, ["minItems", "maxItems"],
    (least) => `Add at least ${counted(least, "item")}`,
    (most) => `Remove some: there may be ${counted(most, "item")}`),
  object: (schema, value) => sizeWords(schema, value && Object.keys(value).length,
    ["minProperties", "maxProperties"],
    (least) => `Add at least ${counted(least, "entry", "entries")}`,
    (most) => `Remove some: there may be ${counted(most, "entry", "entries")}`),
};

function isOutside(schema, value) {
  const [least, most, above, below] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
      .map((name) => own(schema, name)).map((bound) => bound && Number(bound));
  const number = Number(value);
  return !(number >= (least ?? -Infinity) && number <= (most ?? Infinity) &&
    number > (above ?? -Infinity) && number < (below ?? Infinity)) ||
    !Number.isFinite(number);
}

function rangeWords(schema, value) {
  const type = typeOf(schema);
  const inner = plain(schema);
  if (sized[type]) return sized[type](inner, value);
  if (!/^(number|integer)$/.test(type)) return undefined;
  if (value === undefined) return rangeOf(inner) && wish(schema);
  if (isOutside(inner, value) && rangeOf(inner)) return wish(schema);
  const text = String(value);
  // No bound that a person is told: it has more digits than any number may have.
  if (!inner["x-decimal"] && Number.isFinite(Number(text)) &&
      text.replace(/[eE].*|\D/g, "").length < LONG_BOUND) return undefined;
  return text.startsWith("-") ? "Enter a number that is not as small"
    : "Enter a number with fewer digits";
}

function matches(pattern, value) {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return false; // no pattern of this browser; the server's word counts
  }
}

function formWords(schema, value) {
  const { format, pattern } = plain(schema) ?? {};
  if (format === "date" && isDate(value)) return undefined;
  if (samples[format]) return `Enter ${samples[format]}`;
  if (pattern === undefined || (value !== undefined && matches(pattern, value)))
    return undefined;
  return "This is not written as the field asks for";
}

const isDate = (value) => /^\d{4}-\d\d-\d\d$/.test(value) &&
  new Date(`${value}T00:00Z`).toJSON()?.startsWith(value);

// For each code, given the last step: words, or nothing where the schema does not explain it.
const told = {
  MISSING_FIELD: ({ schema, value }) => value === undefined ? wish(schema) : undefined,
  WRONG_TYPE: ({ schema, value }) =>
    value !== undefined && hasType[typeOf(schema)]?.(value) ? undefined : wish(schema),
  OUT_OF_RANGE: ({ schema, value }) => rangeWords(schema, value),
  NOT_A_CHOICE: ({ schema, value }) =>
    choicesOf(schema)?.includes(value) === false ? "Choose one" : undefined,
  BAD_FORMAT: ({ schema, value }) => formWords(schema, value),
  DUPLICATE_FIELD: () => "Two entries have the same name",
  UNKNOWN_FIELD: ({ name, above }) => own(above?.properties, name) === undefined
    ? `There is no field “${name}” here` : undefined,
};

// The name of an entry has a schema of its own.
function ofName({ name, above }, code) {
  const names = above?.propertyNames;
  if (names === undefined || name === undefined) return undefined;
  const words = told[code]?.({ schema: { type: "string", ...names }, value: name });
  return words && `Name: ${words}`;
}

const rowsOf = (way) => way.filter(({ name, around }) =>
  name !== undefined && (Array.isArray(around) || (around === undefined && /^\d+$/.test(name))));

/** Says to a person what is wrong and what to do. `error` is {code, message, path} as
 * engines and the server give it; `schema` is that of the whole input; `input` is what was
 * sent (web/exact.js), or undefined where it is not known. */
export function errorWords({ code, message, path = "" }, schema, input) {
  const way = steps(path, schema, input);
  const last = way.at(-1);
  const words = ofName(last, code) ?? (last.schema || code === "UNKNOWN_FIELD" ||
    code === "DUPLICATE_FIELD" ? told[code]?.(last) : undefined) ?? message;
  const rows = rowsOf(way).map(({ name }) => `row ${Number(name) + 1}`).join(", ");
  return rows ? `${rows.replace(/^r/, "R")}: ${words}` : words;
}

/** Where an error is, as people read the form: "Points, row 2, Price". */
export function placeWords(path, schema) {
  return steps(path, schema, undefined).slice(1).map(({ name, above }) =>
    above?.items && /^\d+$/.test(name) ? `row ${Number(name) + 1}`
      : titleOf(name, own(above?.properties, name))).join(", ");
}
