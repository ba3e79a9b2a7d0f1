// SPDX-License-Identifier: Apache-2.0
//
// The section of the theme: a few colors for light and dark, the shape, and every variable
// as it is. A theme is {"--name": "value"}; what it leaves out is the host's.
import { findingPlace } from "./field.js";
import { button, element, foreign, newId } from "./parts.js";
import { isObject } from "../view/peer.js";
import { put, same } from "./record.js";

const THEME = "themeVariables";

const COLORS = [
  ["--mica-color-accent", "Accent"],
  ["--mica-color-on-accent", "Text on accent"],
  ["--color-background-primary", "Background"],
  ["--color-background-secondary", "Second background"],
  ["--color-text-primary", "Text"],
  ["--color-text-secondary", "Soft text"],
  ["--color-border-primary", "Border"],
];

const SHAPES = [
  ["--border-radius-md", "Corners", [["", "as the host's"], ["0px", "square"],
    ["4px", "slightly round"], ["10px", "round"], ["18px", "very round"]]],
  ["--mica-space", "Space", [["", "as the host's"], ["3px", "dense"], ["4px", "normal"],
    ["6px", "airy"]]],
  ["--font-sans", "Font", [["", "as the host's"], ["system-ui, sans-serif", "of the system"],
    ["Georgia, \"Times New Roman\", serif", "with serifs"],
    ["ui-monospace, monospace", "typewriter"]]],
];

const two = (light, dark) => `light-dark(${light}, ${dark})`;
const PRESETS = [
  ["Host", {}],
  ["Ocean", { "--mica-color-accent": two("#0b5cad", "#7ab8f5"),
    "--mica-color-on-accent": two("#ffffff", "#04213f"),
    "--color-background-primary": two("#ffffff", "#0f1b2a"),
    "--color-background-secondary": two("#eef4fb", "#17273a"),
    "--color-text-primary": two("#12202f", "#e6eef7"),
    "--color-text-secondary": two("#475a6d", "#a9bccf"),
    "--color-border-primary": two("#8095aa", "#53687e") }],
  ["Forest", { "--mica-color-accent": two("#1d6b3f", "#7fd3a0"),
    "--mica-color-on-accent": two("#ffffff", "#06281a"),
    "--color-background-primary": two("#fbfdf9", "#101a14"),
    "--color-background-secondary": two("#eaf3ea", "#18271e"),
    "--color-text-primary": two("#16241b", "#e5f0e8"),
    "--color-text-secondary": two("#47594d", "#a8bcae"),
    "--color-border-primary": two("#84978a", "#546a5b") }],
  ["Plum", { "--mica-color-accent": two("#7a2f7d", "#e2a3e4"),
    "--mica-color-on-accent": two("#ffffff", "#330b35"),
    "--color-background-primary": two("#fffcff", "#1d131e"),
    "--color-background-secondary": two("#f6ecf7", "#2a1c2c"),
    "--color-text-primary": two("#2a162b", "#f4e8f5"),
    "--color-text-secondary": two("#674f69", "#c5aec7"),
    "--color-border-primary": two("#a08aa2", "#705a72") }],
  ["Paper", { "--mica-color-accent": two("#8a4b14", "#f0b27a"),
    "--mica-color-on-accent": two("#ffffff", "#33190a"),
    "--color-background-primary": two("#fdf9f1", "#1b1712"),
    "--color-background-secondary": two("#f4ecdd", "#282119"),
    "--color-text-primary": two("#2b2218", "#f2e9db"),
    "--color-text-secondary": two("#655643", "#c3b39c"),
    "--color-border-primary": two("#a09078", "#6f6250") }],
];

// ---- Values ------------------------------------------------------------------------

const SPLIT = /^light-dark\(\s*((?:[^(),]|\([^()]*\))+?)\s*,\s*((?:[^(),]|\([^()]*\))+?)\s*\)$/;

/** The colors of a value for light and for dark. */
function sidesOf(value = "") {
  const [, light, dark] = SPLIT.exec(value) ?? [];
  return light === undefined ? [value, value] : [light, dark];
}

/** The value for two colors; undefined: the host's. One that is missing is as the other. */
function valueOf(light, dark) {
  const [a, b] = [light.trim() || dark.trim(), dark.trim() || light.trim()];
  return !a ? undefined : a === b ? a : two(a, b);
}

// A color as the picker of the browser takes it.
function hexOf(text) {
  if (/^#[\da-f]{6}$/i.test(text)) return text.toLowerCase();
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(text);
  return short ? `#${short.slice(1).map((digit) => digit + digit).join("")}`.toLowerCase()
    : undefined;
}

// ---- Parts -------------------------------------------------------------------------

function side(editor, words, label, read, write) {
  const picker = element("input", { type: "color" });
  picker.ariaLabel = `${label}, ${words}: choose`;
  const text = element("input", { spellcheck: false, autocomplete: "off", placeholder: words });
  text.ariaLabel = `${label}, ${words}`;
  picker.addEventListener("input", () => {
    text.value = picker.value;
    write(picker.value);
  });
  text.addEventListener("input", () => write(text.value));
  const show = () => {
    const value = read();
    if (text.value.trim() !== value) text.value = value;
    const hex = hexOf(value);
    picker.value = hex ?? "#808080";
    picker.classList.toggle("unset", !hex);
  };
  editor.shows.push(show);
  show();
  return element("span", { className: "color-side" }, picker, text);
}

function colorRow(editor, [name, label]) {
  const place = `${THEME}/${name}`;
  const now = () => sidesOf(editor.saver.get(place));
  const root = element("div", { className: "color-row", role: "group" },
    element("span", { className: "label" }, label),
    side(editor, "light", label, () => now()[0], (text) =>
      editor.saver.set(place, valueOf(text, now()[1] === now()[0] ? text : now()[1]))),
    side(editor, "dark", label, () => now()[1], (text) =>
      editor.saver.set(place, valueOf(now()[0], text))));
  root.ariaLabel = label;
  root.append(findingPlace(editor, place, root, root.querySelectorAll("input")[1]));
  return root;
}

function shapeField(editor, [name, label, options]) {
  const place = `${THEME}/${name}`;
  const control = element("select", { id: newId("shape") });
  const root = element("div", { className: "field" },
    element("label", { htmlFor: control.id }, label), control);
  const show = () => {
    const value = editor.saver.get(place) ?? "";
    const known = options.some(([one]) => one === value);
    control.replaceChildren(...[...options, ...known ? [] : [[value, value]]]
      .map(([one, words]) => element("option", { value: one, selected: one === value }, words)));
  };
  control.addEventListener("change", () =>
    editor.saver.set(place, control.value || undefined));
  editor.shows.push(show);
  show();
  root.append(findingPlace(editor, place, root, control));
  return root;
}

function presets(editor) {
  return element("div", { className: "presets" }, ...PRESETS.map(([name, variables]) => {
    const swatch = element("span", { className: "preset-colors" });
    swatch.ariaHidden = "true";
    for (const variable of ["--color-background-secondary", "--color-text-primary",
      "--mica-color-accent"]) {
      const part = element("i");
      if (variables[variable]) part.style.background = variables[variable];
      swatch.append(part);
    }
    const pressed = button(name, "small", () => {
      const { saver } = editor;
      const kept = Object.entries(saver.get(THEME) ?? {})
        .filter(([key]) => !COLORS.some(([color]) => color === key));
      const next = Object.fromEntries([...kept, ...Object.entries(variables)]);
      saver.replace(put(saver.draft, THEME, Object.keys(next).length ? next : undefined),
        "preset");
    });
    pressed.prepend(swatch);
    return pressed;
  }));
}

// Every variable, one a line: --name: value
function rawPart(editor) {
  const { saver } = editor;
  const text = element("textarea", { id: newId("raw"), rows: 4, spellcheck: false,
    className: "code-text" });
  const linesOf = (theme) => Object.entries(isObject(theme) ? theme : {})
    .map(([name, value]) => `${name}: ${value}`).join("\n");
  const read = () => {
    const entries = text.value.split("\n").map((line) => line.trim().replace(/;$/, ""))
      .filter(Boolean).map((line) => {
        const colon = line.indexOf(":");
        return colon < 0 ? [line, ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      });
    return entries.length ? Object.fromEntries(entries) : undefined;
  };
  text.addEventListener("input", () => saver.set(THEME, read()));
  const show = () => {
    if (!same(read() ?? {}, saver.get(THEME) ?? {})) text.value = linesOf(saver.get(THEME));
  };
  editor.shows.push(show);
  text.value = linesOf(saver.get(THEME));
  return element("details", { className: "raw" },
    element("summary", { className: "help" }, "All variables"),
    element("label", { className: "visually-hidden", htmlFor: text.id },
      "Variables, one a line"), text,
    element("p", { className: "help" }, "One a line, ", foreign("--name: value", "code"),
      ". The 76 names of MCP Apps and those of mica are known; colors may be ",
      foreign("light-dark(#fff, #111)", "code"), "."));
}

export function themeSection(editor) {
  const root = element("div", { className: "stack" }, presets(editor),
    element("div", { className: "color-rows" }, ...COLORS.map((row) => colorRow(editor, row))),
    element("div", { className: "shape-fields" }, ...SHAPES.map((row) =>
      shapeField(editor, row))), rawPart(editor));
  root.append(findingPlace(editor, THEME, root, root.querySelector("textarea")));
  return { title: "Theme", id: "theme", parts: [root] };
}
