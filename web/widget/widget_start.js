// SPDX-License-Identifier: Apache-2.0
//
// The states of a widget, and what each shows:
//
//     waiting   until a host brings a result             "Loading…"
//     data      the layout shows it
//     empty     data without anything to show            its own words for that
//     error     the call failed or was cancelled         what went wrong
//
// Any state may follow any other: a host may send another result at any time.
import { badge, doings, element, isObject, paragraphs, say, textElement, textOf }
  from "./widget_elements.js";
import { setLocale } from "./widget_format.js";
import { openHost, tellSize } from "./widget_host.js";

const root = document.documentElement;
const main = document.querySelector("main");
let layout; // its function, which makes elements of data; null: there is nothing to show
let shown = ""; // what is shown of the last result, as JSON
let last; // that result

// ---- States ------------------------------------------------------------------------

function put(state, nodes) {
  main.dataset.state = state;
  main.ariaBusy = null;
  main.replaceChildren(...nodes.filter(Boolean));
  say("");
  tellSize(); // at once: a frame that is not in sight yet has no observers
}

const note = (words, tone, role) =>
  element("div", { className: `note ${tone}`, role }, paragraphs(words));

function head(data) {
  const title = textOf(data.title);
  return element("header", { className: title || data.badge ? "" : "unseen" },
    element("h1", { className: title ? "" : "unseen" }, title || document.title),
    badge(data), textElement("p", "subtitle", data.subtitle));
}

const showError = (words) => put("error",
  [head({}), note(words || "This could not be done.", "danger", "alert")]);

const showWords = (words) => put("empty",
  [head({}), note(words || "There is nothing to show.", "")]);

function showData(data) {
  let nodes = null;
  try {
    nodes = layout(data);
  } catch (error) {
    // A host may send what no schema allowed.
    console.error(error);
    return showError("The result has a form that cannot be shown.");
  }
  put(nodes ? "data" : "empty", [head(data),
    ...nodes ?? [note(textOf(data.empty) || "There is nothing to show.", "")],
    doings(data), textElement("p", "foot", data.footer ?? data.more ?? data.note)]);
}

// ---- Results -----------------------------------------------------------------------

const wordsOf = ({ content }) => (Array.isArray(content) ? content : [])
  .map((part) => textOf(part?.text)).filter(Boolean).join("\n\n");

/** Shows a result of the tool. The same one again changes nothing: a form keeps its input. */
export function showResult(result) {
  const json = JSON.stringify(result.isError ? result
    : result.structuredContent ?? result.content ?? null);
  if (json === shown) return;
  shown = json;
  last = result;
  const error = result._meta?.["mica/error"];
  if (result.isError) showError(wordsOf(result) || textOf((error?.error ?? error)?.message));
  else if (isObject(result.structuredContent)) showData(result.structuredContent);
  else showWords(wordsOf(result));
}

// ---- The host's look ---------------------------------------------------------------

function applyContext(context) {
  const { theme, styles, safeAreaInsets: inset } = context;
  if (theme === "light" || theme === "dark") root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (/^--[\w-]+$/.test(name) && typeof value === "string") root.style.setProperty(name, value);
  if (styles?.css?.fonts && !document.getElementById("fonts"))
    document.head.append(element("style", { id: "fonts" }, String(styles.css.fonts)));
  if (inset)
    main.style.padding = ["top", "right", "bottom", "left"]
      .map((side) => `calc(4 * var(--mica-space) + ${Number(inset[side]) || 0}px)`).join(" ");
  if (context.locale) root.lang = context.locale;
  // A form would lose what was filled in.
  if (setLocale(context) && last && document.body.dataset.layout !== "form") {
    shown = "";
    showResult(last);
  }
}

// ---- The beginning -----------------------------------------------------------------

const inline = (id) => {
  const found = document.getElementById(id);
  return found && JSON.parse(found.textContent);
};

/** Shows what the document has, and then what its host brings. */
export function start(render) {
  layout = render;
  const data = inline("data"), failure = inline("failure");
  if (failure !== null) showResult({ isError: true, content: [{ text: failure }] });
  else if (data) showResult({ structuredContent: data });
  openHost((event, params) => {
    if (event === "result") showResult(params);
    else if (event === "context") applyContext(params);
    else {
      shown = "";
      showError(["The call was cancelled.", textOf(params.reason)].join(" ").trim());
    }
  });
  if (!shown && parent === self && !globalThis.openai)
    showWords();
}
