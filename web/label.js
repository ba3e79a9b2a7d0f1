// SPDX-License-Identifier: Apache-2.0
//
// Names as people read them: the rules of src/page/label.c, for results.

// What a name ends with, its unit, and whether the title can do without it.
const endings = [
  ["_percent", "%", true], ["_ms", "ms", true], ["_seconds", "s", false],
  ["_minutes", "min", false], ["_hours", "h", false],
  ["_months", "months", true], ["_years", "years", true],
  ["_bytes", "bytes", true]];
const capitals = new Set(("api csv html http iban id ip iso json rgb hsl sql uri " +
  "url utc vat wcag xml").split(" "));

const endingOf = (name) => endings.find(([word]) =>
  name.length > word.length && name.endsWith(word));

/** The title of a field: its own, or its name in words. */
export function titleOf(name, schema) {
  if (schema?.title) return schema.title;
  const [word, , drops] = endingOf(name) ?? [];
  const words = (drops ? name.slice(0, -word.length) : name)
    .replace(/([a-z\d])(?=[A-Z])/g, "$1_").split("_")
    .map((part, at) => capitals.has(part.toLowerCase()) ? part.toUpperCase()
      : at === 0 ? part : part.replace(/^[A-Z](?![A-Z])/, (hump) => hump.toLowerCase()));
  words[0] = words[0].replace(/^[a-z]/, (first) => first.toUpperCase());
  return words.join(" ");
}

/** The unit that a name ends with, or nothing. */
export const unitIn = (name) => endingOf(name)?.[1];
