// SPDX-License-Identifier: Apache-2.0
//
// Data of a layout as values: places in them, and what is typed as a value of JSON.
import { NUMBER } from "../exact.js";

/** A copy with another value at a place in objects and lists; undefined removes a member. */
export function assign(value, [name, ...rest], next) {
  if (name === undefined) return next;
  if (Array.isArray(value))
    return value.map((item, at) => at === Number(name) ? assign(item, rest, next) : item);
  const inner = assign(value && Object.hasOwn(value, name) ? value[name] : undefined, rest, next);
  const entries = Object.entries(value ?? {}).filter(([key]) => key !== name || inner !== undefined)
    .map(([key, item]) => [key, key === name ? inner : item]);
  if (inner !== undefined && !entries.some(([key]) => key === name)) entries.push([name, inner]);
  return Object.fromEntries(entries);
}

export const typesOf = ({ type }) => [type].flat();

/**
 * What is typed, as a value that the schema may allow. A text that was one stays one, so
 * that the number of an order is not counted with.
 */
export function scalarOf(text, schema, before) {
  const types = typesOf(schema);
  if (text === "" && types.includes("null")) return null;
  if (types.includes("number") && NUMBER.test(text.trim()) &&
      !(types.includes("string") && typeof before === "string" && before !== ""))
    return Number(text);
  if (types.includes("boolean") && types.includes("string") && /^(true|false)$/.test(text))
    return text === "true";
  return text;
}

export const textOf = (value) => value === undefined || value === null ? ""
  : typeof value === "object" ? JSON.stringify(value) : String(value);

/** The value that a new field begins with. */
export function firstOf(schema) {
  if (schema.enum) return schema.enum[0];
  const [type] = typesOf(schema);
  if (type === "array") return [];
  if (type === "boolean") return true;
  if (type === "number") return schema.minimum > 0 ? schema.minimum : 0;
  if (type !== "object") return "";
  return Object.fromEntries((schema.required ?? [])
    .map((name) => [name, firstOf(schema.properties[name])]));
}
