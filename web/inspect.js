// SPDX-License-Identifier: Apache-2.0
//
// The Inspector of `mica dev`: a list of what clients ask, which grows by a stream of the
// server (/inspect/events); the exchange that is selected, with its bodies; and ways to
// send it again.
import { below } from "./ask.js";
import { copy } from "./copy.js";
import { element } from "./element.js";
import { curlOf, headersOf, prettyOf, sizeOf, timeOf, transcriptOf, wordsOf }
  from "./exchange.js";
import { Client } from "./mcp.js";
import { unpressed } from "./press.js";
import { open as openTry } from "./try.js";

const find = (id) => document.getElementById(id);
const surfaces = { mcp: "MCP", sse: "MCP 2024-11-05", rest: "REST" };

const known = new Map(); // exchanges by their numbers
const rows = new Map(); // what is shown of them
const state = { change: 0, cleared: 0, selected: undefined, exchange: undefined,
  awaited: undefined, waiting: [], paused: false };

// ---- The list --------------------------------------------------------------------

const failed = ({ status, code }) => status >= 400 || code !== undefined;

const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });

function rowOf(entry) {
  const [what, whose] = wordsOf(entry);
  const button = element("button", { type: "button" },
    element("span", {}, element("b", {}, what), ` ${whose}`),
    element("span", { className: failed(entry) ? "status error" : "status" },
      entry.status ? `${entry.code ?? entry.status}` : "…"),
    element("small", {}, [surfaces[entry.surface], entry.version ?? "",
      entry.session ?? "", clock(entry.at_ms), timeOf(entry),
      `${sizeOf(entry.request_bytes)} → ${sizeOf(entry.reply_bytes)}`]
      .filter(Boolean).join(" · ")));
  button.dataset.number = entry.number;
  return button;
}

function place(entry) {
  const made = rowOf(entry);
  const old = rows.get(entry.number)?.firstChild;
  if (entry.number === state.selected) made.setAttribute("aria-current", "true");
  if (!old) {
    const item = element("li", {}, made);
    rows.set(entry.number, item);
    return find("exchanges").prepend(item);
  }
  const focused = old === document.activeElement;
  old.replaceWith(made);
  if (focused) made.focus();
}

function drop(number) {
  rows.get(number)?.remove();
  rows.delete(number);
  known.delete(number);
}

function fits(entry) {
  const surface = find("surface").value;
  const session = find("session").value;
  const words = find("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = rows.get(entry.number).textContent.toLowerCase();
  return (!surface || entry.surface === surface) &&
    (!session || (entry.session ?? "-") === session) &&
    words.every((word) => text.includes(word));
}

function filter() {
  let shown = 0;
  for (const entry of known.values()) {
    const fit = fits(entry);
    rows.get(entry.number).hidden = !fit;
    shown += fit;
  }
  find("count").textContent = shown === known.size
    ? `${shown}` : `${shown} of ${known.size}`;
  find("empty").hidden = known.size > 0;
  find("none").hidden = known.size === 0 || shown > 0;
}

function addSession({ session }) {
  const select = find("session");
  if (session && ![...select.options].some(({ value }) => value === session))
    select.append(element("option", { value: session }, `Session ${session}…`));
}

function forget(count) {
  for (const number of known.keys()) if (number <= count) drop(number);
  find("forgotten").hidden = count === 0;
  find("forgotten").textContent =
    `The server has forgotten ${count === 1 ? "one older request" : `${count} older requests`}.`;
}

function take({ change, forgotten, exchanges }) {
  if (change < state.change) { // another server
    for (const number of [...known.keys()]) drop(number);
    state.cleared = 0;
  }
  state.change = change;
  for (const entry of exchanges) {
    if (entry.number <= state.cleared) continue;
    known.set(entry.number, entry);
    addSession(entry);
    place(entry);
    expect(entry);
    if (entry.number === state.selected) select(entry.number).catch(say);
  }
  forget(forgotten);
  filter();
}

// ---- One exchange ------------------------------------------------------------------

function say(error) {
  find("did").textContent = error.message ?? error;
}

function facts(exchange) {
  const { surface, version, session, verb, path, status, code, at_ms: at } = exchange;
  const all = { Surface: surfaces[surface], Revision: version, Session: session &&
    `${session}…`, Target: `${verb} ${path}`, Status: status || "no reply yet",
    Code: code, Time: `${clock(at)}.${String(at % 1000).padStart(3, "0")}`,
    Took: timeOf(exchange), End: exchange.outcome ?? "open" };
  find("facts").replaceChildren(...Object.entries(all)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => element("div", {}, element("dt", {}, name),
      element("dd", {}, String(value)))));
}

// Why an exchange cannot be sent again; undefined when it can.
function obstacle({ surface, verb, method, request }) {
  if (surface === "sse") return "Its stream belongs to its client. Use “Try”.";
  if (request.cut) return "The Inspector has only a part of its body.";
  if (surface === "mcp" && verb === "GET" || method === "subscriptions/listen")
    return "It would not end. Use “Try” to subscribe.";
  return undefined;
}

// What is done with the exchange that is shown.
const acts = () => ["repeat", "copy-curl", "copy-transcript"].map(find);

function show(exchange) {
  const [what, whose] = wordsOf(exchange);
  state.exchange = exchange;
  for (const act of acts()) act.disabled = false;
  find("detail-title").textContent = `${what} ${whose}`.trim();
  find("unselected").hidden = true;
  find("selected").hidden = false;
  facts(exchange);
  const why = obstacle(exchange);
  find("repeat").disabled = why !== undefined;
  if (why) say(`This request cannot be repeated. ${why}`);
  find("request-size").textContent = sizeOf(exchange.request_bytes);
  find("reply-size").textContent = sizeOf(exchange.reply_bytes);
  find("request").textContent =
    prettyOf(exchange.request, "application/json", exchange.request_bytes) || "no body";
  find("reply").textContent =
    prettyOf(exchange.reply, exchange.type, exchange.reply_bytes) || "no body";
}

async function select(number) {
  if (number !== state.selected) {
    rows.get(state.selected)?.firstChild.removeAttribute("aria-current");
    rows.get(number)?.firstChild.setAttribute("aria-current", "true");
    for (const act of acts()) act.disabled = true; // until it is that one
    say("");
  }
  state.selected = number;
  const response = await fetch(below(`inspect/exchanges/${number}`),
    { cache: "no-store" });
  const exchange = await response.json();
  if (!response.ok) throw new Error(exchange.detail);
  if (state.selected === number) show(exchange);
}

// ---- Sending it again ----------------------------------------------------------------

const clients = new Map(); // of sessions, by their revision

// In a session of this page's own, as the Inspector knows no whole id of another.
function clientFor(version) {
  if (!clients.has(version))
    clients.set(version, new Client(below("mcp"), version, {
      ask: () => Promise.reject(new Error("the Inspector repeats and does not answer")),
      tell: () => {},
    }));
  return clients.get(version);
}

async function sendAgain(exchange) {
  const { surface, verb, path, method, session, version, request } = exchange;
  const headers = headersOf(exchange);
  const inSession = surface === "mcp" && session && method !== "initialize";
  const response = await (inSession && verb === "POST"
    ? clientFor(version).raw(request.text, headers)
    : fetch(below(path.slice(1)),
      { method: verb, headers, ...request.text && { body: request.text } }));
  await response.text();
}

// The first exchange that comes from here on and asks the same is the repetition.
function expect(entry) {
  const { awaited } = state;
  if (awaited && entry.number > awaited.after && entry.outcome !== undefined &&
      entry.path === awaited.path && (entry.method ?? "") === (awaited.method ?? "")) {
    state.awaited = undefined;
    select(entry.number).then(() => say("This is the repetition.")).catch(say);
  }
}

async function repeat() {
  const { exchange } = state;
  state.awaited = { after: Math.max(...known.keys()), path: exchange.path,
    method: exchange.method };
  say("Sent again …");
  await sendAgain(exchange);
}

async function copies(make, what) {
  await copy(make(state.exchange));
  say(`Copied ${what}.`);
}

// ---- The page ----------------------------------------------------------------------

function move(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const shown = [...find("exchanges").querySelectorAll("li:not([hidden]) > button")];
  const at = shown.indexOf(document.activeElement);
  const next = by ? shown[at + by]
    : event.key === "Home" ? shown[0] : event.key === "End" ? shown.at(-1) : undefined;
  if (!next) return;
  event.preventDefault();
  next.focus();
  select(Number(next.dataset.number)).catch(say);
}

function useTabs() {
  const tabs = [find("tab-requests"), find("tab-try")];
  const byAddress = () => tabs[location.hash === "#try" ? 1 : 0];
  const open = (tab, focus) => {
    for (const one of tabs) {
      one.ariaSelected = String(one === tab);
      one.tabIndex = one === tab ? 0 : -1;
      find(one.getAttribute("aria-controls")).hidden = one !== tab;
    }
    if (tab !== byAddress())
      history.replaceState(null, "", tab === tabs[1] ? "#try" : location.pathname);
    if (focus) tab.focus();
    if (tab === tabs[1]) openTry();
  };
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", ({ key }) => {
      if (/^Arrow(Left|Right)$/.test(key)) open(tabs[1 - at], true);
    });
  }
  if (location.hash === "#try") open(tabs[1]);
  addEventListener("hashchange", () => open(byAddress()));
}

function pause() {
  state.paused = !state.paused;
  find("pause").ariaPressed = String(state.paused);
  if (!state.paused) for (const event of state.waiting.splice(0)) take(event);
}

function clear() {
  state.cleared = Math.max(0, ...known.keys());
  for (const number of [...known.keys()]) drop(number);
  filter();
}

async function receive({ data }) {
  await unpressed();
  const event = JSON.parse(data);
  if (state.paused) state.waiting.push(event);
  else take(event);
}

/** Brings the page to life. */
export function begin() {
  for (const place of document.querySelectorAll("[data-endpoint='']"))
    place.textContent = below("mcp");
  find("exchanges").addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    select(Number(button.dataset.number)).then(() => {
      // On a phone it stands below the list.
      if (matchMedia("(max-width: 56rem)").matches) find("detail").scrollIntoView();
    }).catch(say);
  });
  find("exchanges").addEventListener("keydown", move);
  find("filters").addEventListener("input", filter);
  find("filters").addEventListener("submit", (event) => event.preventDefault());
  find("pause").addEventListener("click", pause);
  find("clear").addEventListener("click", clear);
  find("repeat").addEventListener("click", () => repeat().catch(say));
  find("copy-curl").addEventListener("click",
    () => copies(curlOf, "the command of curl").catch(say));
  find("copy-transcript").addEventListener("click",
    () => copies(transcriptOf, "the transcript").catch(
      (error) => say(`Cannot copy: ${error.message}.`)));
  useTabs();
  new EventSource(below("inspect/events")).addEventListener("exchanges", receive);
}
