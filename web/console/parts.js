// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the console share: elements, times in words, dialogs. Names, texts
// and findings of an app are text of others, and are shown as text alone.
import { shown } from "../host/tools.js";
import { button, element, find, foreign as isolated } from "../hostpage/elements.js";

export { button, element, find };

/** Text of others, without characters that hide or reorder it. */
export const foreign = (text, name) => isolated(shown(String(text), Infinity), name);

/** Tells screen readers what has happened. */
export function say(words) {
  find("console-state").textContent = words;
}

/** What the server says, as a sentence: its messages begin small, for others to go before. */
export const sentence = (words) => {
  const text = String(words);
  return text && `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
};

let count = 0;
export const newId = (word) => `${word}-${++count}`;

/** A link inside of the console. */
export const link = (hash, className, ...children) =>
  element("a", { href: hash, className }, ...children);

export const addressOf = (id, place) =>
  ["#app", encodeURIComponent(id), ...place ? [place] : []].join("/");

/** A card with a heading. */
export function card(title, ...children) {
  const id = newId("card");
  const heading = element("h2", { id }, title);
  const root = element("section", { className: "card" }, element("header", {}, heading),
    element("div", { className: "body" }, ...children));
  root.setAttribute("aria-labelledby", id);
  return root;
}

export const note = (words, className = "note") => element("p", { className }, words);

/** A choice of few, seen all at once. `options` are [value, words, title]. */
export function segments(label, options, chosen, changed) {
  const name = newId("choice");
  const root = element("div", { className: "segments" });
  root.setAttribute("role", "radiogroup");
  root.ariaLabel = label;
  for (const [value, words, title = ""] of options) {
    const input = element("input", { type: "radio", name, value, checked: value === chosen });
    input.addEventListener("change", () => changed(value));
    root.append(element("label", { title }, input, element("span", {}, words)));
  }
  root.choose = (value) => {
    for (const input of root.querySelectorAll("input")) input.checked = input.value === value;
  };
  return root;
}

// ---- Times -------------------------------------------------------------------------

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const STEPS = [[60, "second"], [60, "minute"], [24, "hour"], [30, "day"], [12, "month"],
  [Infinity, "year"]];

function ago(time) {
  let amount = (time - Date.now()) / 1000;
  if (amount > -45) return "just now";
  for (const [size, unit] of STEPS) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit);
    amount /= size;
  }
  return "";
}

/** A time that the server wrote, as people say it. */
export function when(text) {
  const time = Date.parse(text ?? "");
  if (Number.isNaN(time)) return element("span", {}, "never");
  return element("time", { dateTime: text, title: exact.format(time) }, ago(time));
}

// ---- Questions -----------------------------------------------------------------------

/**
 * Asks in the dialog of the page. Resolves to the value of the button that was pressed, or
 * to undefined: Escape, and "Cancel". `buttons` are [value, words, class].
 */
export function asks({ title, parts = [], buttons, cancel = "Cancel" }) {
  const dialog = find("console-dialog");
  return new Promise((resolve) => {
    const settle = (value) => {
      dialog.removeEventListener("close", closed);
      if (dialog.open) dialog.close();
      dialog.replaceChildren();
      resolve(value);
    };
    const closed = () => settle(undefined);
    dialog.addEventListener("close", closed);
    dialog.replaceChildren(
      element("h2", { id: "console-dialog-title", tabIndex: -1 }, title), ...parts,
      element("div", { className: "actions" },
        ...buttons.map(([value, words, className = ""]) =>
          button(words, className, () => settle(value))),
        button(cancel, "quiet right", () => settle(undefined))));
    dialog.showModal();
    // The first thing to do has the keyboard: a field, if there is one.
    (dialog.querySelector("input, textarea, select") ??
      dialog.querySelector(".actions button")).focus();
  });
}

/** While `work` runs the button waits, and says so; a failure is shown in `place`. */
export async function during(pressed, place, work) {
  if (pressed.ariaBusy === "true") return undefined;
  pressed.ariaBusy = "true";
  place.hidden = true;
  try {
    return await work();
  } catch (error) {
    if (!/^(Refusal|Unreachable)$/.test(error.name)) throw error;
    place.textContent = sentence(error.message);
    place.hidden = false;
    return undefined;
  } finally {
    pressed.ariaBusy = null;
  }
}

export const failure = () =>
  element("p", { className: "error", role: "alert", hidden: true });

/** Saves a value as a file. */
export function saveFile(name, value) {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(value, null, 2)}\n`],
    { type: "application/octet-stream" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
