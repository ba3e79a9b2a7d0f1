// SPDX-License-Identifier: Apache-2.0
//
// Plain JSON Schema as a Standard Schema (https://standardschema.dev): what the tools of a
// view are checked by if their author writes no zod. The interpreter knows the keywords of
// the two tables below and refuses a schema with any other: a keyword that would be ignored
// is a check that the author believes in and does not get.
import { SdkError } from "./peer.js";

// Keywords that say nothing about what is valid. `format` is one, as JSON Schema has it.
const SILENT = ("$schema $id $comment $defs definitions title description default examples " +
  "deprecated readOnly writeOnly format").split(" ");
const DEPTH = 256; // of schemas inside each other while a value is checked

const typeOf = (value) => value === null ? "null" : Array.isArray(value) ? "array"
  : value !== value ? "NaN" : typeof value;
const isA = (value, type) => type === "integer" ? Number.isInteger(value)
  : typeOf(value) === type;
const own = (object, name) => Object.prototype.hasOwnProperty.call(object, name);
const isObject = (value) => typeOf(value) === "object";

/** JSON text in which the order of members does not count. */
const canonical = (value) => JSON.stringify(value, (_, part) => isObject(part)
  ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part);
const equal = (a, b) => a === b || canonical(a) === canonical(b);

const count = (kind, lower, what, size) => (limit) => (value, fail) => {
  if (!isA(value, kind)) return;
  const found = size(value);
  if (lower ? found < limit : found > limit)
    fail(`Too ${lower ? "small" : "big"}: expected ${kind} to have ` +
      `${lower ? ">=" : "<="}${limit} ${what}`);
};
const bound = (sign, small, holds) => (limit) => (value, fail) => {
  if (isA(value, "number") && !holds(value, limit))
    fail(`Too ${small ? "small" : "big"}: expected number to be ${sign}${limit}`);
};
const points = (text) => [...text].length;
const items = (list) => list.length;
const names = (object) => Object.keys(object).length;

// Of each keyword: from its value (and its schema) to what checks a value. `walk(schema,
// value, path)` checks a part; `try_` is whether a part is valid, and tells nothing.
const KEYWORDS = {
  type: (type) => {
    const types = [type].flat();
    return (value, fail) => types.some((one) => isA(value, one)) ||
      fail(`Invalid input: expected ${types.join(" or ")}, received ${typeOf(value)}`);
  },
  enum: (list) => (value, fail) => list.some((one) => equal(one, value)) ||
    fail(`Invalid option: expected one of ${list.map((one) => JSON.stringify(one)).join("|")}`),
  const: (one) => (value, fail) => equal(one, value) ||
    fail(`Invalid input: expected ${JSON.stringify(one)}`),
  minimum: bound(">=", true, (value, limit) => value >= limit),
  maximum: bound("<=", false, (value, limit) => value <= limit),
  exclusiveMinimum: bound(">", true, (value, limit) => value > limit),
  exclusiveMaximum: bound("<", false, (value, limit) => value < limit),
  multipleOf: (step) => (value, fail) => {
    // 0.3 is a multiple of 0.1, though 0.3 % 0.1 is not 0.
    const quotient = value / step;
    if (isA(value, "number") && Math.abs(quotient - Math.round(quotient)) > 1e-9)
      fail(`Invalid number: must be a multiple of ${step}`);
  },
  minLength: count("string", true, "characters", points),
  maxLength: count("string", false, "characters", points),
  pattern: (source) => {
    const pattern = new RegExp(source, "u");
    return (value, fail) => typeof value !== "string" || pattern.test(value) ||
      fail(`Invalid string: must match pattern ${pattern}`);
  },
  minItems: count("array", true, "items", items),
  maxItems: count("array", false, "items", items),
  uniqueItems: (wanted) => (value, fail) => {
    if (wanted && Array.isArray(value) && new Set(value.map(canonical)).size < value.length)
      fail("Invalid input: expected items that differ");
  },
  prefixItems: (schemas) => (value, fail, { walk }) => Array.isArray(value) &&
    schemas.forEach((schema, i) => i < value.length && walk(schema, value[i], [i])),
  items: (schema, { prefixItems = [] }) => (value, fail, { walk }) => Array.isArray(value) &&
    value.forEach((item, i) => i < prefixItems.length || walk(schema, item, [i])),
  minProperties: count("object", true, "members", names),
  maxProperties: count("object", false, "members", names),
  required: (list, { properties = {} }) => (value, fail, { walk }) => {
    if (!isObject(value)) return;
    for (const name of list) {
      if (own(value, name)) continue;
      // The text of the type that is missing, if the schema names one.
      const { type } = own(properties, name) ? properties[name] : {};
      if (type) walk({ type }, undefined, [name]);
      else fail("Required", [name]);
    }
  },
  properties: (properties) => (value, fail, { walk }) => isObject(value) &&
    Object.keys(properties).forEach((name) =>
      own(value, name) && walk(properties[name], value[name], [name])),
  patternProperties: (patterns) => (value, fail, { walk }) => isObject(value) &&
    Object.keys(patterns).forEach((source) => Object.keys(value).forEach((name) =>
      new RegExp(source, "u").test(name) && walk(patterns[source], value[name], [name]))),
  additionalProperties: (schema, { properties = {}, patternProperties = {} }) => {
    const patterns = Object.keys(patternProperties).map((source) => new RegExp(source, "u"));
    return (value, fail, { walk }) => {
      if (!isObject(value)) return;
      const extra = Object.keys(value).filter((name) =>
        !own(properties, name) && !patterns.some((pattern) => pattern.test(name)));
      if (schema !== false) extra.forEach((name) => walk(schema, value[name], [name]));
      else if (extra.length)
        fail(`Unrecognized key${extra.length > 1 ? "s" : ""}: ` +
          extra.map((name) => JSON.stringify(name)).join(", "));
    };
  },
  propertyNames: (schema) => (value, fail, { walk }) => isObject(value) &&
    Object.keys(value).forEach((name) => walk(schema, name, [name])),
  allOf: (schemas) => (value, fail, { walk }) =>
    schemas.forEach((schema) => walk(schema, value, [])),
  anyOf: (schemas) => (value, fail, { valid }) =>
    schemas.some((schema) => valid(schema, value)) || fail("Invalid input"),
  oneOf: (schemas) => (value, fail, { valid }) =>
    schemas.filter((schema) => valid(schema, value)).length === 1 || fail("Invalid input"),
  not: (schema) => (value, fail, { valid }) => valid(schema, value) && fail("Invalid input"),
  $ref: (ref, _, find) => (value, fail, { walk }) => walk(find(ref), value, []),
};

// Where schemas are inside a schema.
const ONE = ["items", "additionalProperties", "propertyNames", "not"];
const LIST = ["prefixItems", "allOf", "anyOf", "oneOf"];
const MAP = ["properties", "patternProperties", "$defs", "definitions"];

const refused = (where, why) =>
  new SdkError("SCHEMA_REFUSED", `The schema ${where || "itself"} ${why}`);

/** Compiles `schema` and those inside it into `compiled`; throws at what it does not know. */
function compile(schema, where, find, compiled) {
  if (typeof schema === "boolean" || compiled.has(schema)) return;
  if (!isObject(schema)) throw refused(where, "is neither an object nor a boolean.");
  const checks = [];
  compiled.set(schema, checks);
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${where}/${keyword}`;
    if (own(KEYWORDS, keyword)) {
      try {
        checks.push(KEYWORDS[keyword](value, schema, find));
      } catch (error) {
        throw refused(where, `has a wrong "${keyword}": ${error.message}`);
      }
    } else if (!SILENT.includes(keyword)) {
      throw refused(where, `has the keyword "${keyword}", which is not supported. ` +
        `Supported are ${Object.keys(KEYWORDS).join(", ")}. Use a Standard Schema for others.`);
    }
    if (ONE.includes(keyword)) compile(value, at, find, compiled);
    if (LIST.includes(keyword) || MAP.includes(keyword))
      for (const [name, one] of Object.entries(value))
        compile(one, `${at}/${name}`, find, compiled);
    if (keyword === "$ref") compile(find(value), at, find, compiled);
  }
}

// "#", "#/$defs/name": the part of `root`.
const finder = (root) => (ref) => {
  if (ref !== "#" && !ref.startsWith("#/"))
    throw new Error(`${JSON.stringify(ref)} is not inside this schema`);
  return ref.split("/").slice(1).reduce((part, name) => {
    const key = decodeURIComponent(name).replace(/~1/g, "/").replace(/~0/g, "~");
    if (typeof part !== "object" || !own(part, key)) throw new Error(`there is no ${ref}`);
    return part[key];
  }, root);
};

/** The Standard Schema of a plain one; `~standard.jsonSchema` gives that back as it is. */
export function fromJsonSchema(schema) {
  const compiled = new Map();
  compile(schema, "", finder(schema), compiled);

  const run = (part, value, path, issues, depth) => {
    if (part === true) return issues;
    if (part === false || depth === 0) {
      issues.push({ path, message: part ? "The schema does not end" : "Invalid input" });
      return issues;
    }
    // `required` checks by a schema of its own.
    if (!compiled.has(part)) compile(part, "", undefined, compiled);
    const fail = (message, more = []) => issues.push({ path: [...path, ...more], message });
    const tools = {
      walk: (one, inner, more) => run(one, inner, [...path, ...more], issues, depth - 1),
      valid: (one, inner) => run(one, inner, path, [], depth - 1).length === 0,
    };
    for (const check of compiled.get(part)) check(value, fail, tools);
    return issues;
  };
  const json = () => schema;
  return {
    "~standard": {
      version: 1,
      vendor: "mica",
      validate: (value) => {
        const issues = run(schema, value, [], [], DEPTH);
        return issues.length ? { issues } : { value };
      },
      jsonSchema: { input: json, output: json },
    },
  };
}
