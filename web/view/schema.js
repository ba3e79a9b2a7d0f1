// SPDX-License-Identifier: Apache-2.0
//
// Plain JSON Schema as a Standard Schema (https://standardschema.dev): what the tools of a
// view are checked by if their author writes no zod. The interpreter knows the keywords of
// the table below and refuses a schema with any other: a keyword that would be ignored is a
// check that the author believes in and does not get.
import { isObject, SdkError } from "./peer.js";

const DEPTH = 256; // of schemas inside each other while a value is checked

const typeOf = (value) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
const own = (object, name) => Object.hasOwn(object, name);
const isA = (value, type) => type === "integer" ? Number.isInteger(value)
  : typeOf(value) === type;
/** JSON text in which the order of members does not count. */
const canonical = (value) => JSON.stringify(value, (_, part) => isObject(part)
  ? Object.fromEntries(Object.entries(part).sort()) : part);
const equals = (one) => (other) => canonical(one) === canonical(other);
const text = JSON.stringify;

// What a keyword looks at: nothing but values of `type`, if it names one; and what it does
// with the value, with its own value and with the schema it stands in. `walk(schema, value,
// name)` checks a part, `valid(schema)` tells whether the value itself is valid, and
// `fail(text, name)` says that it is not.
const bound = (type, words, holds) => [type, (value, wanted, { fail }) =>
  holds(value, wanted) || fail(`expected ${type} ${words}${wanted}`)];
const length = (value) => [...value].length; // of text, in characters
const longer = (value, limit) => length(value) >= limit;
const shorter = (value, limit) => length(value) <= limit;
const KEYWORDS = {
  minimum: bound("number", ">=", (value, limit) => value >= limit),
  maximum: bound("number", "<=", (value, limit) => value <= limit),
  exclusiveMinimum: bound("number", ">", (value, limit) => value > limit),
  exclusiveMaximum: bound("number", "<", (value, limit) => value < limit),
  // 0.3 is a multiple of 0.1, though 0.3 % 0.1 is not 0.
  multipleOf: bound("number", "a multiple of ", (value, step) =>
    Math.abs(value / step - Math.round(value / step)) < 1e-9),
  minLength: bound("string", "of length >=", longer),
  maxLength: bound("string", "of length <=", shorter),
  pattern: bound("string", "like ", (value, pattern) => new RegExp(pattern, "u").test(value)),
  minItems: bound("array", "of length >=", longer),
  maxItems: bound("array", "of length <=", shorter),
  uniqueItems: bound("array", "with items that differ: ", (value, wanted) =>
    !wanted || new Set(value.map(canonical)).size === value.length),
  prefixItems: ["array", (value, list, { walk }) =>
    value.slice(0, list.length).forEach((item, i) => walk(list[i], item, i))],
  items: ["array", (value, schema, { walk }, { prefixItems = [] }) =>
    value.forEach((item, i) => i < prefixItems.length || walk(schema, item, i))],
  required: ["object", (value, names, { walk, fail }, { properties = {} }) => {
    for (const name of names) {
      const part = own(properties, name) && properties[name];
      if (own(value, name)) continue;
      // A type is the best text for what is missing.
      if (part?.type) walk({ type: part.type }, undefined, name);
      else fail("required", name);
    }
  }],
  properties: ["object", (value, parts, { walk }) => Object.keys(parts).forEach((name) =>
    own(value, name) && walk(parts[name], value[name], name))],
  additionalProperties: ["object", (value, schema, { walk, fail }, { properties = {} }) =>
    Object.keys(value).forEach((name) => own(properties, name) ||
      (schema === false ? fail("unrecognized key", name) : walk(schema, value[name], name)))],
  type: [, (value, types, { fail }) => [types].flat().some((type) => isA(value, type)) ||
    fail(`expected ${[types].flat().join(" or ")}, received ${typeOf(value)}`)],
  enum: [, (value, list, { fail }) => list.some(equals(value)) ||
    fail(`expected one of ${list.map((one) => text(one)).join("|")}`)],
  const: [, (value, one, { fail }) => equals(one)(value) || fail(`expected ${text(one)}`)],
  not: [, (value, schema, { fail, valid }) => valid(schema) && fail("not expected")],
  allOf: [, (value, list, { walk }) => list.forEach((schema) => walk(schema, value))],
  anyOf: [, (value, list, { fail, valid }) => list.some(valid) || fail("none of anyOf")],
  oneOf: [, (value, list, { fail, valid }) =>
    list.filter(valid).length === 1 || fail("not one of oneOf")],
  $ref: [, (value, ref, { walk, find }) => walk(find(ref), value)],
};
// These say nothing about what is valid. `format` is one, as JSON Schema has it.
const SILENT = ("$schema $id $comment $defs title description default examples " +
  "deprecated readOnly writeOnly format").split(" ");
// Where there is a schema inside a schema, and where several.
const ONE = ["items", "additionalProperties", "not"];
const SEVERAL = ["prefixItems", "allOf", "anyOf", "oneOf", "properties", "$defs"];

/** Refuses `schema`, and those inside it, if it has what is not known. */
function check(schema, where, find) {
  const refuse = (why) => {
    throw new SdkError("SCHEMA_REFUSED", `The schema at #${where} ${why}.`);
  };
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) refuse("is no schema");
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
    if (ONE.includes(keyword)) check(value, at, find);
    if (SEVERAL.includes(keyword))
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
      const [type, look] = own(KEYWORDS, keyword) ? KEYWORDS[keyword] : [];
      if (look && (!type || isA(value, type))) look(value, wanted, tools, part);
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
