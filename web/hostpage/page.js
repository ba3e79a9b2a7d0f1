// SPDX-License-Identifier: Apache-2.0
//
// The host page: lists the tools of the server, or of one published app, and those of each
// open view, calls them by hand, and shows each result with its view.
import { parse } from "../exact.js";
import { getToolUiResourceUri, isToolVisibilityAppOnly } from "../host/bridge.js";
import { shown } from "../host/tools.js";
import { argumentsText, choose, drop, fail, typedSoFar } from "./call_form.js";
import { Card } from "./card.js";
import { answerQuestion } from "./form_view.js";
import { announce, bytesOf, element, find, foreign, pretty, since, sizeOf } from "./elements.js";
import { forms, isOfApp, SERVER, signInAddress } from "./place.js";
import { replyOf, replyOfError, ServerClient } from "./server_client.js";
import { makeFormsAt } from "../question.js";
import { appearance, onTheme } from "./theme.js";
import { hooks, View } from "./view.js";

const client = new ServerClient((request, signal) => answerQuestion(request, { client, signal,
  place: find("questions"), views }));
const origins = new Map(); // "server" and the numbers of views: {name, view, list}
let chosen; // {key, tool}
let count = 0; // of calls

// ---- The list ------------------------------------------------------------------------

const keyOf = (origin, name) => `${origin} ${name}`;

function wordsOf(tool, view) {
  const { annotations = {}, _meta } = tool;
  return [view ? view.name : isOfApp ? "App" : "Server", annotations.readOnlyHint === true && "only reads",
    !view && _meta?.ui?.resourceUri && "has a view",
    !view && isToolVisibilityAppOnly(tool) && "for views alone"].filter(Boolean).join(" · ");
}

function rowOf(tool, origin, { view }) {
  const made = element("button", { type: "button" },
    element("span", {}, foreign(shown(tool.title ?? tool.name, 200), "b"), " ",
      tool.title ? foreign(shown(tool.name, 128), "code") : ""),
    element("small", {}, wordsOf(tool, view)));
  made.dataset.key = keyOf(origin, tool.name);
  made.dataset.name = tool.name;
  if (made.dataset.key === chosen?.key) made.setAttribute("aria-current", "true");
  made.addEventListener("click", () => select(origin, tool).catch(complain));
  return element("li", {}, made);
}

/** Shows the tools of an origin as they are now. */
function showTools(origin) {
  const entry = origins.get(origin);
  const tools = entry.view ? entry.view.tools : client.tools;
  const focused = document.activeElement?.dataset.key;
  entry.list.replaceChildren(...[...tools.values()].map((tool) => rowOf(tool, origin, entry)));
  entry.section.hidden = tools.size === 0 && entry.view !== undefined;
  filter();
  if (focused && !document.activeElement?.dataset.key)
    document.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  follow(origin, tools);
}

// The tool that is chosen is shown as it is now, with what was typed.
function follow(origin, tools) {
  if (!chosen || chosen.origin !== origin) return;
  const now = tools.get(chosen.tool.name);
  if (!now) {
    chosen = undefined;
    drop("The tool that was chosen is gone. Choose another one.");
  } else if (JSON.stringify(now) !== JSON.stringify(chosen.tool)) {
    chosen.tool = now;
    choose(now, originName(origin), typedSoFar()).catch(complain);
  }
}

const originName = (origin) => origins.get(origin).view?.name ?? SERVER;

function addOrigin(origin, title, view) {
  const id = `tools-of-${origin}`;
  const list = element("ul", { className: "exchanges" });
  list.setAttribute("aria-labelledby", id);
  const section = element("section", {}, element("h3", { id }, title), list);
  origins.set(origin, { view, list, section });
  find("host-tools").append(section);
}

function removeOrigin(origin) {
  const entry = origins.get(origin);
  if (!entry) return;
  entry.section.remove();
  follow(origin, new Map());
  origins.delete(origin);
  filter();
}

function filter() {
  const words = find("tool-words").value.toLowerCase().split(/\s+/).filter(Boolean);
  let all = 0, fit = 0;
  for (const row of document.querySelectorAll("#host-tools li")) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    all++;
    fit += !row.hidden;
  }
  find("tool-count").textContent = fit === all ? `${all}` : `${fit} of ${all}`;
  find("tool-none").hidden = fit > 0;
  // An app has one tool, as a rule: there is nothing to choose.
  find("tools-card").hidden = isOfApp && all <= 1;
}

async function select(origin, tool) {
  document.querySelector("#host-tools [aria-current]")?.removeAttribute("aria-current");
  chosen = { origin, key: keyOf(origin, tool.name), tool };
  document.querySelector(`[data-key="${CSS.escape(chosen.key)}"]`)
    ?.setAttribute("aria-current", "true");
  await choose(tool, originName(origin));
  // On a phone it stands below the list.
  if (!find("tools-card").hidden && matchMedia("(max-width: 56rem)").matches) find("call-card").scrollIntoView();
}

function move(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const rows = [...document.querySelectorAll("#host-tools li:not([hidden]) > button")];
  const at = rows.indexOf(document.activeElement);
  const next = by ? rows[at + by]
    : event.key === "Home" ? rows[0] : event.key === "End" ? rows.at(-1) : undefined;
  if (!next) return;
  event.preventDefault();
  next.focus();
}

// ---- Calls ---------------------------------------------------------------------------

// The facts of an answer.
const known = (began, text, given, failed) => [["Took", since(began)],
  ["Result", sizeOf(bytesOf(text))], ["Arguments", sizeOf(bytesOf(given))],
  ["End", failed ? "error" : "result"]];

function answered(card, began, given, result, text) {
  card.answer(text, result, known(began, text, given, result.isError === true));
  for (const hook of hooks.answered) hook(card, result);
  card.state(result.isError ? "The tool failed" : "Answered");
  const error = result._meta?.["mica/error"]; // of an app: its view shows no code
  if (result.isError && error) card.fail(error);
}

function refused(card, began, given, error) {
  const text = replyOfError(error);
  card.answer(text, {}, known(began, text, given, true));
  card.state("Refused");
  card.fail(error);
  if (error.status === 401) signIn();
}

async function callServer(tool, text) {
  const number = ++count;
  const uri = isToolVisibilityAppOnly(tool) ? undefined : getToolUiResourceUri(tool);
  const title = `${uri ? "View" : "Call"} ${number} of ${tool.name}`;
  const abort = new AbortController();
  let view;
  const card = new Card({ title, origin: SERVER, hasView: uri !== undefined,
    showsData: isOfApp, close: () => {
    abort.abort();
    card.remove();
    view?.close().catch(complain);
    find("cards-title").focus();
  } });
  let opening;
  if (uri) {
    view = openView(number, title, tool, card);
    const input = { arguments: JSON.parse(text) };
    opening = view.open().then(() => view.told("ui/notifications/tool-input", input));
    opening.catch((error) => card.fail(error)); // and below, where it is awaited
  }
  card.root.scrollIntoView({ block: "nearest" });
  const began = performance.now();
  let tell; // what the view is told of the end
  try {
    const result = await client.request({ method: "tools/call",
      params: { name: tool.name, arguments: parse(text) } }, { signal: abort.signal,
      onprogress: ({ message, progress, total }) => card.state(shown(message ??
        `${progress}${total === undefined ? "" : ` of ${total}`}`, 80)) });
    answered(card, began, text, result, replyOf(result) ?? JSON.stringify(result));
    tell = ["ui/notifications/tool-result", result];
  } catch (error) {
    if (abort.signal.aborted) return;
    refused(card, began, text, error);
    tell = ["ui/notifications/tool-cancelled", { reason: error.message }];
  }
  announce(`${title}: answered in ${since(began)}.`);
  await opening?.catch(() => {}); // it has been shown
  await view?.told(...tell);
}

async function callView(view, tool, text) {
  const title = `Call ${++count} of ${tool.name}`;
  const abort = new AbortController();
  const card = new Card({ title, origin: view.name, hasView: false, close: () => {
    abort.abort("The person closed the call.");
    card.remove();
    find("cards-title").focus();
  } });
  const began = performance.now();
  try {
    const result = await view.callTool(tool, JSON.parse(text), abort.signal);
    answered(card, began, text, result, pretty(result));
  } catch (error) {
    if (abort.signal.aborted) return;
    refused(card, began, text, error);
  }
  announce(`${title}: answered in ${since(began)}.`);
}

async function send() {
  const text = argumentsText();
  if (text === undefined || !chosen) return;
  const { origin, tool } = chosen;
  const { view } = origins.get(origin);
  await (view ? callView(view, tool, text) : callServer(tool, text));
}

// ---- Views ---------------------------------------------------------------------------

const views = new Set();

function openView(number, name, tool, card) {
  const origin = String(number);
  const view = new View({ client, tool, name, container: card.place, listener: {
    tools: () => showTools(origin),
    said: (what, words) => card.did(what, words),
    asked: (what, allowed) => card.did(allowed ? "Allowed" : "Not allowed", shown(what)),
    context: (params) => card.context(params),
    mode: (mode) => card.display(mode),
    failed: (error) => card.fail(error),
    mended: (error) => card.mend(error),
    closed: () => {
      removeOrigin(origin);
      views.delete(view);
      card.state("The view has ended");
      card.display("inline");
      announce(`${name} has ended.`);
    },
  } });
  card.ondisplay = (mode) => {
    const context = view.bridge?.getHostContext();
    if (context && !view.closed && context.displayMode !== mode)
      view.bridge.setHostContext({ ...context, displayMode: mode });
  };
  addOrigin(origin, name, view);
  origins.get(origin).section.hidden = true; // until it has tools
  views.add(view);
  return view;
}

onTheme(() => {
  for (const { bridge, closed } of views)
    if (bridge && !closed) bridge.setHostContext({ ...bridge.getHostContext(), ...appearance() });
});

// ---- The page ------------------------------------------------------------------------

function complain(error) {
  find("host-note").textContent = error.message;
  find("host-note").hidden = false;
  if (error.status === 401) signIn();
}

// The login of the browser has ended.
function signIn() {
  find("host-note").replaceChildren("Your login has ended. ", element("a",
    { href: signInAddress() }, "Sign in again"), ".");
  find("host-note").hidden = false;
}

async function load() {
  try {
    await client.listTools();
    find("host-note").hidden = true;
    showTools("server");
    if (isOfApp && !chosen && client.tools.size === 1) {
      await select("server", [...client.tools.values()][0]);
      if (document.activeElement === document.body)
        find("call-form").querySelector("input, textarea")?.focus({ preventScroll: true });
    }
    for (const hook of hooks.listed) hook(client.tools);
  } catch (error) {
    complain(error);
  }
}

/** Brings the page to life. */
export async function begin() {
  // The tools are being written (mica dev).
  if (!isOfApp && "dev" in document.documentElement.dataset)
    (await import("./dev_tools.js")).join();
  makeFormsAt(forms);
  addOrigin("server", isOfApp ? "App" : "Server");
  find("tool-words").addEventListener("input", filter);
  find("host-tools").addEventListener("keydown", move);
  find("tool-filters").addEventListener("submit", (event) => event.preventDefault());
  find("call-send").addEventListener("click", () => {
    fail("");
    send().catch((error) => fail(error.message));
  });
  find("call-part").addEventListener("keydown", (event) => { // also from fields of many lines
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    find("call-send").click();
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && !document.querySelector("dialog[open]"))
      document.querySelector(".outcome.full button")?.click();
  });
  client.ontoolschanged = load;
  try {
    await client.connect();
  } catch (error) {
    return complain(error);
  }
  await load();
  client.follow(load, complain);
}
