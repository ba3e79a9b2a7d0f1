// SPDX-License-Identifier: Apache-2.0
//
// How a value was, and how it is, in a form that people read: words that were taken out and
// put in, or two values one above the other.
import { element, foreign } from "./parts.js";
import { labelOf } from "./record.js";

const MOST_PARTS = 600; // of a text: the comparison takes their product

const textOf = (value) => value === undefined ? "" : typeof value === "string" ? value
  : JSON.stringify(value, null, 2);
const partsOf = (text) => text.match(/\s+|[^\s]+/g) ?? [];

/** [kind, text] of each run: "same", "out", "in". Longest common subsequence of words. */
export function runs(before, after) {
  const [a, b] = [partsOf(before), partsOf(after)];
  if (a.length > MOST_PARTS || b.length > MOST_PARTS)
    return [["out", before], ["in", after]].filter(([, text]) => text);
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1
        : Math.max(length[i + 1][j], length[i][j + 1]);
  const found = [];
  const add = (kind, text) => {
    if (found.at(-1)?.[0] === kind) found.at(-1)[1] += text;
    else found.push([kind, text]);
  };
  let i = 0, j = 0;
  while (i < a.length || j < b.length)
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add("same", a[i++]);
      j++;
    } else if (j === b.length || (i < a.length && length[i + 1][j] >= length[i][j + 1]))
      add("out", a[i++]);
    else add("in", b[j++]);
  return found;
}

const SAME_ENOUGH = 0.4; // of the characters: below it, a text is another text

// Changed words with only blanks between them are one change; texts that have little in
// common are shown whole, one after the other.
function readable(before, after) {
  const found = runs(before, after);
  const kept = found.filter(([kind]) => kind === "same").reduce((sum, [, text]) =>
    sum + text.length, 0);
  if (kept < SAME_ENOUGH * Math.max(before.length, after.length))
    return [["out", before], ["in", after]].filter(([, text]) => text);
  const joined = [];
  let out = "", into = "";
  const flush = () => {
    if (out) joined.push(["out", out]);
    if (into) joined.push(["in", into]);
    out = into = "";
  };
  found.forEach(([kind, text], at) => {
    const between = at > 0 && at < found.length - 1 && !text.trim();
    if (kind === "out" || (kind === "same" && between)) out += text;
    if (kind === "in" || (kind === "same" && between)) into += text;
    if (kind === "same" && !between) {
      flush();
      joined.push([kind, text]);
    }
  });
  flush();
  return joined;
}

const AROUND = 3; // lines of what is the same that are shown around a change

// What is the same in the middle of a long value is left out.
function clipped(text, first, last) {
  const rows = text.split("\n");
  const [before, after] = [first ? 0 : AROUND, last ? 0 : AROUND];
  if (rows.length <= before + after + 1) return text;
  return [...rows.slice(0, before), "⋯", ...after ? rows.slice(-after) : []]
    .join("\n");
}

const TAGS = { same: "span", out: "del", in: "ins" };

function changeRow({ place, before, after }) {
  const text = element("div", { className: "change", tabIndex: 0, role: "group",
    ariaLabel: `What changed in ${labelOf(place)}` });
  const plain = [before, after].every((value) => typeof value !== "object");
  text.classList.toggle("code-text", !plain);
  const found = readable(textOf(before), textOf(after));
  text.append(...found.map(([kind, words], at) => {
    const run = foreign(kind === "same" && !plain
      ? clipped(words, at === 0, at === found.length - 1) : words, TAGS[kind]);
    run.dir = "auto";
    return run;
  }));
  const kind = before === undefined ? "new" : after === undefined ? "removed" : "";
  return element("div", { className: "change-row" },
    element("dt", {}, foreign(labelOf(place)), kind ? " " : "",
      kind ? element("span", { className: "chip" }, kind) : ""),
    element("dd", {}, text));
}

/** The changes as a list, or a line that says there is no difference. */
export const changeList = (changes) => changes.length === 0
  ? element("p", { className: "help" }, "There is no difference.")
  : element("dl", { className: "changes" }, ...changes.map(changeRow));
