// SPDX-License-Identifier: Apache-2.0
//
// Drafts as values: what of a record an owner edits, places in it, and how two differ.
// Nothing here changes a value that it is given.
import { isObject } from "../view/peer.js";

/** The members of a record that its owner edits. */
export const MEMBERS = ["name", "description", "toolName", "toolDescription",
  "layoutTemplate", "themeVariables", "mockData", "behavior", "visibility", "scope",
  "budget", "roles"];

// What a patch replaces as a whole; so does the server (mica_app_draft_patch).
const WHOLE = new Set(["themeVariables", "mockData", "arguments", "data"]);

const LABELS = {
  "name": "Name", "description": "Description", "toolName": "Tool name",
  "toolDescription": "Tool description", "layoutTemplate": "Layout",
  "themeVariables": "Theme", "mockData": "Data", "behavior": "Behavior",
  "behavior/type": "Kind of behavior", "behavior/message": "Message for the model",
  "behavior/systemPrompt": "System prompt", "visibility": "Who may call",
  "scope": "Scope", "budget": "Budget", "budget/callsPerDay": "Calls a day",
  "budget/tokensPerDay": "Tokens a day", "budget/seconds": "Seconds a call",
  "budget/concurrent": "Calls at once", "roles": "People", "roles/editors": "Editors",
  "roles/viewers": "Viewers",
};

/** Who may call an app of a visibility, in words. */
export const WHO_CALLS = {
  public: "Anyone who knows the address can call it.",
  token: "Anyone with a valid token of this server can call it.",
  scope: "Anyone whose token has its scope can call it.",
};

/** From entries, so that a member named __proto__ is a member like others. */
const objectOf = (entries) => Object.fromEntries(entries);

export const draftOf = (record) => objectOf(MEMBERS.filter((name) =>
  Object.hasOwn(record, name)).map((name) => [name, record[name]]));

/** Are two values of JSON equal? Members count in any order. */
export function same(a, b) {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => same(item, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}

// ---- Places ------------------------------------------------------------------------

// A place is a JSON Pointer without the "/" at its beginning: "budget/seconds". "" is all.

const escaped = (name) => String(name).replaceAll("~", "~0").replaceAll("/", "~1");
export const namesOf = (place) => place === "" ? [] : place.split("/")
  .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
export const placeOf = (names) => names.map(escaped).join("/");
export const pointerOf = (names) => names.map((name) => "/" + escaped(name)).join("");
export const placeAt = (pointer = "") => pointer.replace(/^\//, "");

/** The value at a place, or undefined. */
export const at = (value, place) => namesOf(place).reduce((inner, name) =>
  typeof inner === "object" && inner !== null && Object.hasOwn(inner, name) ? inner[name]
    : undefined, value);

/** A copy with another value at a place in objects; undefined removes the member. */
export function put(value, place, next) {
  const [name, ...rest] = namesOf(place);
  if (name === undefined) return next;
  const before = isObject(value) ? value : {};
  const own = Object.hasOwn(before, name) ? before[name] : undefined;
  const made = put(own, placeOf(rest), next);
  const entries = Object.entries(before);
  if (made === undefined) return objectOf(entries.filter(([key]) => key !== name));
  return objectOf(own === undefined ? [...entries.filter(([key]) => key !== name), [name, made]]
    : entries.map(([key, item]) => [key, key === name ? made : item]));
}

/** What people call a place. */
export function labelOf(place) {
  const names = namesOf(place);
  for (let length = names.length; length > 0; length--) {
    const label = LABELS[placeOf(names.slice(0, length))];
    if (label) return [label, ...names.slice(length)].join(" › ");
  }
  return place || "The app";
}

// ---- Differences -----------------------------------------------------------------------

/** The JSON Merge Patch (RFC 7396) that makes `to` of `from`; undefined: they are equal. */
export function patchOf(from, to) {
  const entries = [];
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (!Object.hasOwn(to, name)) entries.push([name, null]);
    else if (!Object.hasOwn(from, name)) entries.push([name, to[name]]);
    else if (same(from[name], to[name])) continue;
    else if (isObject(from[name]) && isObject(to[name]) && !WHOLE.has(name))
      entries.push([name, patchOf(from[name], to[name])]);
    else entries.push([name, to[name]]);
  }
  return entries.length ? objectOf(entries) : undefined;
}

/** Where two drafts differ: [{place, before, after}]; what is replaced whole is one. */
export function changes(before, after, names = []) {
  const found = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [a, b] = [before, after].map((value) =>
      Object.hasOwn(value, name) ? value[name] : undefined);
    const inner = [...names, name];
    if (same(a, b)) continue;
    if (isObject(a) && isObject(b) && !WHOLE.has(name)) found.push(...changes(a, b, inner));
    else found.push({ place: placeOf(inner), before: a, after: b });
  }
  return found;
}

/**
 * What two people made of one draft: `theirs` with my changes in it. `both` are the places
 * that both changed, otherwise: there mine counts if `mineWins(place)`.
 */
export function merge(base, mine, theirs, mineWins = () => true) {
  const both = [];
  let merged = theirs;
  const others = changes(base, theirs);
  const touches = (one, other) => one === other || one.startsWith(`${other}/`) ||
    other.startsWith(`${one}/`);
  for (const { place, before, after } of changes(base, mine)) {
    const rival = others.find((change) => touches(change.place, place));
    if (rival && !same(at(theirs, place), after)) {
      both.push({ place, before, mine: after, theirs: at(theirs, place) });
      if (!mineWins(place)) continue;
    }
    merged = put(merged, place, after);
  }
  return { merged, both, others };
}
