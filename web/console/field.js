// SPDX-License-Identifier: Apache-2.0
//
// One field of the editor: a place of the draft, its control, and the findings about it.
import { element, foreign, newId, sentence } from "./parts.js";

const NEAR = 0.8; // of the most characters: from there on they are counted

/** Words that are typed, as a member: an empty text removes it. */
export const optionalText = { read: (text) => text === "" ? undefined : text,
  write: (value) => typeof value === "string" ? value : "" };

export const wholeNumber = {
  read: (text) => text.trim() === "" ? undefined
    : /^\d{1,15}$/.test(text.trim()) ? Number(text) : text,
  write: (value) => value === undefined ? "" : String(value) };

/** A list of words, one a line. */
export const lines = {
  read: (text) => {
    const found = text.split("\n").map((line) => line.trim()).filter(Boolean);
    return found.length ? found : undefined;
  },
  write: (value) => Array.isArray(value) ? value.join("\n") : "" };

function counter(control, most) {
  const words = element("span", { className: "help count" });
  const count = () => {
    const length = [...control.value].length;
    words.hidden = length < most * NEAR;
    words.textContent = `${length} of ${most}`;
    words.classList.toggle("over", length > most);
  };
  control.addEventListener("input", count);
  return { words, count };
}

/** What holds the findings about a place; `editor` knows it by its place. */
export function findingPlace(editor, place, root, control) {
  const list = element("ul", { className: "findings", id: newId("findings"), hidden: true });
  const target = control ?? root;
  root.dataset.place = place;
  editor.places.push({ place, root, focus: () => target.focus(),
    show: (findings) => {
      list.replaceChildren(...findings.map((finding) => element("li",
        { className: finding.severity === "error" ? finding.forbids ?? "publishing" : "warning" },
        foreign(sentence(finding.message)))));
      list.hidden = findings.length === 0;
      if (!control) return;
      if (findings.some(({ severity }) => severity === "error"))
        control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    } });
  return list;
}

/**
 * A field for the value at `place`. `control` is an input, textarea or select; `kind`
 * turns its text into the value and back; `most` is how many characters it may have.
 */
export function field(editor, { place, label, help, control, kind = optionalText, most }) {
  control.id ||= newId("field");
  const root = element("div", { className: "field" },
    element("label", { htmlFor: control.id }, label), control);
  const described = [];
  if (help) {
    const words = element("p", { className: "help", id: newId("help") }, help);
    root.append(words);
    described.push(words.id);
  }
  const counts = most && counter(control, most);
  if (counts) root.append(counts.words);
  const list = findingPlace(editor, place, root, control);
  root.append(list);
  control.setAttribute("aria-describedby", [list.id, ...described].join(" "));
  const show = () => {
    const text = kind.write(editor.saver.get(place));
    // What is typed stays as it is typed while it says the same.
    if (JSON.stringify(kind.read(control.value)) !== JSON.stringify(kind.read(text)))
      control.value = text;
    counts?.count();
  };
  control.addEventListener("input", () =>
    editor.saver.set(place, kind.read(control.value)));
  editor.shows.push(show);
  control.value = kind.write(editor.saver.get(place));
  counts?.count();
  return root;
}

export const input = (properties = {}) => element("input",
  { autocomplete: "off", ...properties });
export const area = (rows, properties = {}) => element("textarea", { rows, ...properties });
