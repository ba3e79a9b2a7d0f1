// SPDX-License-Identifier: Apache-2.0
//
// Documents of widgets as a publish writes them, and data for them: what the schema of a
// layout allows, by chance, with texts that mean harm.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { absolute } from "../peers/tap.mjs";

export const LAYOUTS = ["message", "card", "list", "carousel", "table", "chart", "detail", "form"];

const folder = mkdtempSync(join(tmpdir(), "mica-widgets-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** {schemas, document(layout, {data, failure, mock, theme, submit})}, by that program. */
export function documents(program) {
  const run = (words, input = "") => execFileSync(absolute(program), words,
    { input, encoding: "utf8", maxBuffer: 1 << 24 });
  let count = 0;
  return {
    schemas: JSON.parse(run(["--schemas"])),
    document(layout, { data, failure, mock, theme, submit = "message" } = {}) {
      const words = [layout, submit];
      if (theme) {
        const file = join(folder, `${++count}.json`);
        writeFileSync(file, JSON.stringify(theme));
        words.push(file);
      }
      return run(words, mock ? "mock" : data || failure ? JSON.stringify({ data, failure }) : "");
    },
  };
}

// ---- Chance ------------------------------------------------------------------------

/** A generator of numbers from 0 to 1 (mulberry32): the same seed gives the same ones. */
export function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Texts that would do harm as markup, script, style, address or order of characters. */
export const HARM = [
  "<script>harmed=1</script>", "</script><script>harmed=1</script>", "</title><img src=x onerror=harmed=1>",
  "<img src=x onerror=harmed=1>", "<svg onload=harmed=1>", "<svg><script>harmed=1</script></svg>",
  "\"><b onmouseover=harmed=1>", "' onfocus=harmed=1 autofocus x='", "<iframe srcdoc='<script>parent.harmed=1</script>'>",
  "<style>*{display:none}</style>", "</style><style>main{display:none}", "<base href=//a.example>",
  "<meta http-equiv=refresh content='0;url=//a.example'>", "<form action=//a.example><button>x",
  "<math><mtext><table><mglyph><style><img src=x onerror=harmed=1>", "<!--", "-->", "<![CDATA[", "]]>",
  "javascript:harmed=1", "data:text/html,<script>harmed=1</script>", "{{constructor.constructor('harmed=1')()}}",
  "${harmed=1}", "`${harmed=1}`", "\\u003cscript\\u003e", "&lt;script&gt;", "&#60;b&#62;", "%3Cscript%3E",
  "__proto__", "constructor", "toString", "hasOwnProperty", "undefined", "null", "NaN", "[object Object]",
  "\u202egnp.exe", "a\u2066b\u2069c", "\u200b\u200c\u200d", "\u0000\u0001\u001b[31mred", "\ufeffx", "\ud83d\ude00\ud83c\udffd",
  "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "\u05d0\u05d1\u05d2 123", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629", "\u{e0041}\u{e0042}",
  "\u2028line\u2029", "a\nb\n\nc", "\t tab", " ", "ﷺ".repeat(20), "w".repeat(200), "漢字".repeat(40), "ß", "İ", "ǆ",
  "expression(harmed=1)", "url(https://a.example/x)", "red;background:url(//a.example)", "@import '//a.example'",
  "2026-02-30", "2026-10-05", "2026-10-05T09:12:00Z", "-1", "1e999", "0x10", "", "ordinary words",
];

const URLS = ["https://example.com/a?b=c#d", "http://example.com", "https://user@example.com/",
  "https://xn--bcher-kva.example/\"onclick=harmed=1", "https://example.com/<script>", "https://[::1]/",
  "https://", "https://example.com/\u202egnp", "https://example.com:99999/"];
const PICTURES = ["https://img.example/a.png", "https://img.example/\"onerror=harmed=1",
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "data:image/png;base64,broken", "data:image/gif,", "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20onload='harmed=1'/%3E",
  "data:image/svg+xml,<svg/onload=harmed=1>"];

// What the patterns of the schemas allow. Another pattern needs a row here.
const PATTERNS = [
  [/^\^https\?:/, URLS],
  [/^\^\(https:.*data:image/, PICTURES],
  [/^\^\[A-Z\]\{3\}\$$/, ["USD", "EUR", "JPY", "ZZZ", "KWD"]],
  [/^\^\[A-Za-z\]\[A-Za-z0-9_\]\{0,63\}\$$/, ["a", "b", "constructor", "toString", "valueOf", "Z_9", "key"]],
];

/** A value that `schema` allows. `random()` is as of `chance`. */
export function valueFor(schema, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const type = schema.enum ? "enum" : pick([schema.type].flat());
  if (type === "enum") return pick(schema.enum);
  if (type === "null") return null;
  if (type === "boolean") return random() < 0.5;
  if (type === "number") {
    const value = pick([0, -0, 1, -1, 0.1 + 0.2, 1e-9, 12345.678, -98765.4321, 1e15, -1e15,
      random() * 100, Math.floor(random() * 1e6), 5e-324]);
    return Math.min(Math.max(value, schema.minimum ?? -Infinity), schema.maximum ?? Infinity);
  }
  if (type === "string") {
    if (schema.pattern) {
      const row = PATTERNS.find(([pattern]) => pattern.test(schema.pattern));
      if (!row) throw new Error(`no texts for the pattern ${schema.pattern}`);
      const fit = row[1].filter((text) => new RegExp(schema.pattern, "u").test(text));
      return pick(fit);
    }
    const text = [...random() < 0.2 ? pick(HARM) + pick(HARM) : pick(HARM)]
      .slice(0, schema.maxLength).join("");
    return text || (schema.minLength ? "x" : "");
  }
  if (type === "array") {
    const most = Math.min(schema.maxItems, random() < 0.1 ? 130 : 6);
    const least = schema.minItems ?? 0;
    return Array.from({ length: least + Math.floor(random() * (most - least + 1)) },
      () => valueFor(schema.items, random));
  }
  if (type !== "object") throw new Error(`no values of the type ${type}`);
  const made = {};
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    if (schema.required?.includes(name) || random() < 0.55) made[name] = valueFor(member, random);
  if (schema.additionalProperties)
    for (let left = Math.floor(random() * 6); left > 0; left--)
      made[valueFor({ type: "string", ...schema.propertyNames }, random)] =
        valueFor(schema.additionalProperties, random);
  return made;
}

/** A value of any shape. */
export function anyValue(random, depth = 4) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const kind = Math.floor(random() * (depth > 0 ? 7 : 5));
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return pick([0, -1, 1e308, -1e308, 1e-320, random()]);
  if (kind < 5) return pick([...HARM, ...URLS, ...PICTURES]);
  const size = Math.floor(random() * 5);
  if (kind === 5) return Array.from({ length: size }, () => anyValue(random, depth - 1));
  const names = ["title", "text", "items", "rows", "columns", "labels", "series", "values", "name",
    "fields", "type", "options", "facts", "value", "format", "currency", "image", "src", "alt",
    "links", "url", "label", "actions", "message", "sections", "steps", "state", "tone", "badge",
    "key", "price", "points", "kind", "stacked", "unit", "empty", "required", "min"];
  // As JSON.parse makes it: a member named __proto__ is one like others.
  return JSON.parse(`{${Array.from({ length: size * 3 }, () => [random() < 0.05 ? "__proto__"
    : pick(names), anyValue(random, depth - 1)])
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`);
}
