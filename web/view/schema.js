// SPDX-License-Identifier: Apache-2.0
//
// Plain JSON Schema as a Standard Schema (https://standardschema.dev): what the tools of a
// view are checked by if their author writes no zod. The interpreter knows the keywords of
// the tables below and refuses a schema with any other: a keyword that would be ignored is a
// check that the author believes in and does not get.
import { SdkError } from "./peer.js";

const DEPTH = 256; // of schemas inside each other while a value is checked

const typeOf = (value) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
const own = (object, name) => Object.hasOwn(object, name);
const isA = (value, type) => type === "integer" ? Number.isInteger(value)
  : typeOf(value) === type;
/** JSON text in which the order of members does not count. */
const canonical = (value) => JSON.stringify(value, (_, part) => isA(part, "object")
  ? Object.fromEntries(Object.entries(part).sort()) : part);
const equals = (one) => (other) => canonical(one) === canonical(other);
const text = JSON.stringify;

// Keywords that bound one type: what they measure, and what is said of a value beyond.
const length = (value) => [...value].length; // of text, in characters
const BOUNDS = {
  minimum: ["number", (value, limit) => value >= limit, ">="],
  maximum: ["number", (value, limit) => value <= limit, "<="],
  exclusiveMinimum: ["number", (value, limit) => value > limit, ">"],
  exclusiveMaximum: ["number", (value, limit) => value < limit, "<"],
  // 0.3 is a multiple of 0.1, though 0.3 % 0.1 is not 0.
  multipleOf: ["number", (value, step) =>
    Math.abs(value / step - Math.round(value / step)) < 1e-9, "a multiple of "],
  minLength: ["string", (value, limit) => length(value) >= limit, "of length >="],
  maxLength: ["string", (value, limit) => length(value) <= limit, "of length <="],
  pattern: ["string", (value, pattern) => new RegExp(pattern, "u").test(value), "like "],
  minItems: ["array", (value, limit) => length(value) >= limit, "of length >="],
  maxItems: ["array", (value, limit) => length(value) <= limit, "of length <="],
  uniqueItems: ["array", (value, wanted) =>
    !wanted || new Set(value.map(canonical)).size === value.length, "with items that differ: "],
};

// Keywords that look at parts, or at the value as a whole. `walk(schema, value, name)` checks
// a part, `valid(schema)` tells whether the value itself is valid, `fail(text, name)` says
// that it is not. Those that begin with the name of a type look at nothing else.
const PARTS = {
  type: (value, types, { fail }) => [types].flat().some((type) => isA(value, type)) ||
    fail(`expected ${[types].flat().join(" or ")}, received ${typeOf(value)}`),
  enum: (value, list, { fail }) => list.some(equals(value)) ||
    fail(`expected one of ${list.map((one) => text(one)).join("|")}`),
  const: (value, one, { fail }) => equals(one)(value) || fail(`expected ${text(one)}`),
  not: (value, schema, { fail, valid }) => valid(schema) && fail("not expected"),
  allOf: (value, list, { walk }) => list.forEach((schema) => walk(schema, value)),
  anyOf: (value, list, { fail, valid }) => list.some(valid) || fail("none of anyOf"),
  oneOf: (value, list, { fail, valid }) =>
    list.filter(valid).length === 1 || fail("not one of oneOf"),
  $ref: (value, ref, { walk, find }) => walk(find(ref), value),
};
const ARRAY = {
  prefixItems: (value, list, { walk }) => value.slice(0, list.length).forEach((item, i) =>
    walk(list[i], item, i)),
  items: (value, schema, { walk }, { prefixItems = [] }) => value.forEach((item, i) =>
    i < prefixItems.length || walk(schema, item, i)),
};
const OBJECT = {
  required: (value, names, { walk, fail }, { properties = {} }) => {
    for (const name of names) {
      const part = own(properties, name) && properties[name];
      if (own(value, name)) continue;
      // A type is the best text for what is missing.
      if (part?.type) walk({ type: part.type }, undefined, name);
      else fail("required", name);
    }
  },
  properties: (value, parts, { walk }) => Object.keys(parts).forEach((name) =>
    own(value, name) && walk(parts[name], value[name], name)),
  additionalProperties: (value, schema, { walk, fail }, { properties = {} }) =>
    Object.keys(value).forEach((name) => own(properties, name) ||
      (schema === false ? fail("unrecognized key", name) : walk(schema, value[name], name))),
};
const KEYWORDS = { ...BOUNDS, ...PARTS, ...ARRAY, ...OBJECT };
// These say nothing about what is valid. `format` is one, as JSON Schema has it.
const SILENT = ("$schema $id $comment $defs definitions title description default examples " +
  "deprecated readOnly writeOnly format").split(" ");
// Where schemas are inside a schema: one, a list, a map.
const INSIDE = {
  items: 1, additionalProperties: 1, not: 1, prefixItems: 2, allOf: 2, anyOf: 2, oneOf: 2,
  properties: 2, $defs: 2, definitions: 2,
};

/** Refuses `schema`, and those inside it, if it has what is not known. */
function check(schema, where, find) {
  const refuse = (why) => {
    throw new SdkError("SCHEMA_REFUSED", `The schema at #${where} ${why}.`);
  };
  if (typeof schema === "boolean") return;
  if (!isA(schema, "object")) refuse("is no schema");
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${where}/${keyword}`;
    if (!own(KEYWORDS, keyword) && !SILENT.includes(keyword))
      refuse(`has the keyword "${keyword}", which is not supported`);
    try {
      if (keyword === "pattern") new RegExp(value, "u");
      if (keyword === "$ref") find(value);
    } catch (error) {
      refuse(`has a wrong "${keyword}": ${error.message}`);
    }
    if (INSIDE[keyword] === 1) check(value, at, find);
    if (INSIDE[keyword] === 2)
      Object.keys(value).forEach((name) => check(value[name], `${at}/${name}`, find));
  }
}

// "#", "#/$defs/name": the part of `root`.
const finder = (root) => (ref) => ref.split("/").reduce((part, name, i) => {
  const key = decodeURIComponent(name).replace(/~1/g, "/").replace(/~0/g, "~");
  if (i ? !own(part, key) : name !== "#") throw new Error(`there is no ${ref} in this schema`);
  return i ? part[key] : root;
}, root);

/** The Standard Schema of a plain one; `~standard.jsonSchema` gives that back as it is. */
export function fromJsonSchema(schema) {
  const find = finder(schema);
  check(schema, "", find);

  const issuesOf = (part, value, path, depth) => {
    const issues = [];
    const fail = (message, ...more) => issues.push({ path: [...path, ...more], message });
    const tools = {
      fail, find,
      walk: (one, inner, ...more) =>
        issues.push(...issuesOf(one, inner, [...path, ...more], depth - 1)),
      valid: (one) => issuesOf(one, value, path, depth - 1).length === 0,
    };
    if (part === false) fail("not expected");
    else if (depth === 0) fail("the schema does not end");
    else for (const [keyword, wanted] of Object.entries(part)) {
      const [type, holds, words] = own(BOUNDS, keyword) ? BOUNDS[keyword] : [];
      if (type && isA(value, type) && !holds(value, wanted))
        fail(`expected ${type} ${words}${wanted}`);
      if (own(PARTS, keyword)) PARTS[keyword](value, wanted, tools);
      if (own(ARRAY, keyword) && isA(value, "array")) ARRAY[keyword](value, wanted, tools, part);
      if (own(OBJECT, keyword) && isA(value, "object"))
        OBJECT[keyword](value, wanted, tools, part);
    }
    return issues;
  };
  const json = () => schema;
  return {
    "~standard": {
      version: 1,
      vendor: "mica",
      validate: (value) => {
        const issues = issuesOf(schema, value, [], DEPTH);
        return issues.length ? { issues } : { value };
      },
      jsonSchema: { input: json, output: json },
    },
  };
}
