// SPDX-License-Identifier: Apache-2.0
//
// Where two JSON values differ first.

import { isObject } from "../view/peer.js";

const part = (name) => "/" + String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/**
 * {pointer, expected, actual} of the first difference, or undefined; what is absent is
 * undefined. Members are equal in any order, and one that is undefined is absent.
 */
export function firstDifference(expected, actual, pointer = "") {
  const lists = Array.isArray(expected) && Array.isArray(actual);
  if (!lists && !(isObject(expected) && isObject(actual)))
    return expected === actual ? undefined : { pointer, expected, actual };
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [a, b] = [expected, actual].map((value) =>
      Object.hasOwn(value, name) ? value[name] : undefined);
    const found = firstDifference(a, b, pointer + part(name));
    if (found) return found;
  }
  return undefined;
}

function remove(value, [name, ...rest]) {
  if (name === undefined || typeof value !== "object" || !value || !Object.hasOwn(value, name))
    return value;
  // From entries, so that a member named __proto__ is a member like others.
  const members = Object.entries(value).flatMap(([key, item]) => key !== name ? [[key, item]]
    : rest.length ? [[key, remove(item, rest)]] : []);
  return Array.isArray(value) ? members.map(([, item]) => item) : Object.fromEntries(members);
}

/** A copy without what stands at a JSON pointer, if anything does. */
export const without = (value, pointer) => remove(value, pointer.split("/").slice(1)
  .map((word) => word.replaceAll("~1", "/").replaceAll("~0", "~")));
