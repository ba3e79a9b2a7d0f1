// SPDX-License-Identifier: Apache-2.0
//
// Brings the pages to life. It knows no schema: the server has written the form
// (src/page/page_form.h says how), and this reads it back into JSON text, which goes to
// the engine as it is, so that the engine alone says what is right.
import { begin, below, handOn, post, quiet } from "./ask.js";
import { parse } from "./exact.js";
import { fieldAt, fieldsOf, fill, grow, read, shrink, Unreadable }
  from "./form.js";
import { show } from "./result.js";

const find = (id) => document.getElementById(id);

// ---- Offline ---------------------------------------------------------------

// The worker keeps what this page has loaded, the page itself included.
async function keep() {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(below("sw.js"));
  const { active } = await navigator.serviceWorker.ready;
  const loaded = performance.getEntriesByType("resource")
    .map(({ name }) => name)
    .filter((name) => name.startsWith(below("")));
  active.postMessage({ keep: [location.href, ...loaded] });
}

// ---- The catalog -----------------------------------------------------------

function search(form) {
  const input = find("query");
  const all = [...document.querySelectorAll(".card")];
  const look = () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const card of all) {
      const text = card.textContent.toLowerCase();
      card.hidden = !words.every((word) => text.includes(word));
    }
    for (const section of document.querySelectorAll(".category"))
      section.hidden = !section.querySelector(".card:not([hidden])");
    const count = all.filter((card) => !card.hidden).length;
    find("found").textContent = count === 1 ? "1 tool" : `${count} tools`;
  };
  // Behind a proxy that speaks TLS only the browser knows the whole address, unless
  // the server was told.
  const endpoint = find("endpoint");
  if (!("known" in endpoint.dataset)) endpoint.textContent = below("mcp");
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  input.addEventListener("input", look);
  form.addEventListener("submit", (event) => event.preventDefault());
  if (input.value) look();
}

// ---- Where a tool runs ---------------------------------------------------------

const places = {
  wasm: "Runs in this browser, as WebAssembly. What you type stays here.",
  twin: "Runs in this browser, as JavaScript. What you type stays here.",
  server: "Runs on the server. What you type is sent to it.",
  nowhere: "This browser cannot run the tool, and the server has no API.",
};

function failed(text) {
  const { code, detail, pointer } = JSON.parse(text);
  return {
    ok: false,
    text: JSON.stringify({ code, message: detail, path: pointer ?? "" }),
  };
}

async function ask(slug, input) {
  begin();
  const { kind, text } = await post(below(`api/${slug}`), input);
  quiet();
  if (kind === "problem") return failed(text);
  if (kind === "call") { // it asks, or continues by itself: there is a page for that
    const { id } = JSON.parse(text);
    handOn(id);
    location.assign(below(`calls/${id}`));
  }
  return { ok: true, text, moved: kind === "call" };
}

function refuse(slug, message) {
  return {
    ok: false,
    text: JSON.stringify({ code: "UNAVAILABLE", message, path: "" }),
  };
}

// {place, call, engine}: `call` takes JSON text and gives {ok, text}, or a promise
// of it.
async function load({ tool, engine, rest }) {
  if (engine !== undefined)
    try {
      const [{ default: made }, { callText, runsOn }] = await Promise.all(
        [import(below(`engines/${tool}.js`)), import(below("engines/_engine.js"))]);
      return { place: runsOn(made), call: (text) => callText(made, text) };
    } catch (error) {
      console.warn(error);
    }
  if (rest !== undefined)
    return { place: "server", call: (text) => ask(tool, text) };
  return { place: "nowhere", call: () => refuse(tool, places.nowhere) };
}

// ---- Agents in the browser -------------------------------------------------------

// WebMCP: the same function as the button's. Older drafts have it at navigator,
// and give the input as JSON text. Numbers of an object are doubles already, and so
// are those of structuredContent; the text beside it has every digit.
function offer(slug, run) {
  const context = document.modelContext ?? navigator.modelContext;
  const schema = find("schema")?.content.textContent;
  if (!context?.registerTool || !schema) return;
  const tool = {
    name: slug,
    title: document.querySelector("h1").textContent,
    description: find("description").textContent,
    inputSchema: JSON.parse(schema),
    annotations: { readOnlyHint: true },
    async execute(input) {
      const { ok, text } = await run(
        typeof input === "string" ? input : JSON.stringify(input ?? {}));
      const value = JSON.parse(text);
      const said = ok ? text : `${value.code}: ${value.message}`;
      return {
        content: [{ type: "text", text: said }],
        ...(ok ? { structuredContent: value } : { isError: true }),
      };
    },
  };
  try {
    Promise.resolve(context.registerTool(tool)).catch(console.warn);
  } catch (error) {
    console.warn(error);
  }
}

// ---- Copies ----------------------------------------------------------------------

// A request that stands for itself; a tool that asks needs a client that answers.
const metaOf = (pure) => JSON.stringify({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": pure ? {} : {
    elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
});

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

const copies = {
  link: () => location.href,
  json: (slug, input, answer) => answer?.text ?? input,
  curl: (slug, input) =>
    `curl ${quote(below(`api/${slug}`))} ` +
    `-H 'Content-Type: application/json' -d ${quote(input)}`,
  mcp: (slug, input, answer, pure) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` +
    `{"name":${JSON.stringify(slug)},"arguments":${input},` +
    `"_meta":${metaOf(pure)}}}`,
  cli: (slug, input) => `mica call ${slug} --json ${quote(input)}`,
};

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Where pages are not served over TLS there is only the old way.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("this browser does not let pages copy");
}

// ---- A tool ------------------------------------------------------------------------

const LONGEST_LINK = 4000; // of a query that the server takes, too

function toQuery(form) {
  const query = new URLSearchParams();
  for (const field of fieldsOf(form)) {
    const text = read(field);
    if (text === undefined) continue;
    const word = /^(text|choice)$/.test(field.dataset.kind) && text !== "null";
    query.append(field.dataset.name, word ? JSON.parse(text) : text);
  }
  const written = query.toString();
  return written.length > LONGEST_LINK || written === "" ? "" : `?${written}`;
}

function fromQuery(form, query) {
  const given = {};
  for (const field of fieldsOf(form)) {
    const { name, kind } = field.dataset;
    const text = query.get(name);
    if (text === null) continue;
    const word = /^(text|choice|number)$/.test(kind) &&
      !(text === "null" && field.querySelector(":scope > .null"));
    try {
      given[name] = word ? text : parse(text);
    } catch {
      given[name] = text;
    }
  }
  return given;
}

function clearFaults(form) {
  // A reader of the screen is given what describes a control though it is hidden.
  for (const line of form.querySelectorAll(".error")) {
    line.hidden = true;
    line.textContent = "";
  }
  for (const control of form.querySelectorAll("[aria-invalid]"))
    control.removeAttribute("aria-invalid");
  find("failure").hidden = true;
}

// Says what is wrong where it is wrong.
function fault(form, field, message, focus) {
  const line = field?.querySelector(":scope > .error") ?? find("form-error");
  const control = field?.querySelector(
    ":scope > :is(input, select, textarea)") ?? field;
  line.textContent = message;
  line.hidden = false;
  control?.setAttribute("aria-invalid", "true");
  if (focus) control?.focus();
}

async function tool(form) {
  const slug = form.dataset.tool;
  const pure = form.dataset.engine !== undefined;
  const json = find("json");
  const state = { input: "{}", answer: undefined, number: 0 };

  const settle = (text, answer, submitted) => {
    state.answer = answer;
    const value = parse(answer.text);
    show(answer.ok ? value : undefined);
    if (answer.ok) {
      find("state").textContent = answer.moved
        ? "The tool has a question." : "Here is the result.";
      return;
    }
    const field = fieldAt(form, value.path);
    // A person is not blamed for what is not yet filled in.
    if (value.code === "MISSING_FIELD" && !submitted) {
      find("state").textContent = "Fill in what is missing: " +
        (field?.querySelector("label, legend")?.textContent ?? "the input");
      return;
    }
    find("state").textContent = "There is no result.";
    if (field) fault(form, field, value.message, submitted);
    const failure = find("failure");
    failure.textContent = `${value.code}: ${value.message}`;
    failure.hidden = field !== undefined;
  };

  const run = async (submitted = false) => {
    const number = ++state.number;
    clearFaults(form);
    try {
      state.input = read(form);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      show(undefined);
      find("state").textContent = "There is no result.";
      fault(form, error.field, error.message, submitted);
      return;
    }
    if (document.activeElement !== json) json.value = state.input;
    if (!pure && !submitted) {
      find("state").textContent = "Runs when you send it.";
      return;
    }
    if (!pure) find("state").textContent = "The tool works …";
    const answer = await place.call(state.input);
    if (number === state.number) settle(state.input, answer, submitted);
  };

  const edited = () => {
    history.replaceState(null, "", location.pathname + link());
    return later();
  };
  const link = () => {
    try {
      return toQuery(form);
    } catch {
      return "";
    }
  };

  // A server is asked when the person pauses, an engine at once.
  let timer;
  const later = () => {
    clearTimeout(timer);
    if (place.place !== "server") return run();
    timer = setTimeout(run, 300);
  };

  const query = new URLSearchParams(location.search);
  const first = document.querySelector(".preset");
  if (query.size > 0) fill(form, fromQuery(form, query));
  else if (first) fill(form, parse(first.dataset.input));
  await (await dev)?.restore(form);

  const place = await load(form.dataset);
  find("runs").textContent = places[place.place];
  document.documentElement.dataset.runs = place.place;

  form.addEventListener("input", ({ target }) => {
    if (target !== json) return edited();
    try {
      fill(form, parse(json.value));
      edited();
    } catch (error) {
      clearFaults(form);
      fault(form, undefined, `This is no JSON yet: ${error.message}`);
    }
  });
  form.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-add], [data-remove]");
    if (!button) return;
    if ("add" in button.dataset) grow(button.parentElement, true);
    else shrink(button.closest("li"));
    edited();
  });
  form.addEventListener("reset", () => setTimeout(() => {
    fill(form, {});
    edited();
  }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    run(true);
  });
  for (const preset of document.querySelectorAll(".preset"))
    preset.addEventListener("click", () => {
      fill(form, parse(preset.dataset.input));
      edited();
    });
  for (const button of document.querySelectorAll("[data-copy]"))
    button.addEventListener("click", async () => {
      try {
        await copy(copies[button.dataset.copy](
          slug, state.input, state.answer, pure));
        find("copied").textContent = `${button.textContent}: done.`;
      } catch (error) {
        find("copied").textContent = `Cannot copy: ${error.message}`;
      }
    });

  if (pure)
    offer(slug, async (text) => {
      const answer = await place.call(text);
      try {
        fill(form, parse(text));
        edited();
      } catch {
        // No input of this form; the answer says why.
      }
      return answer;
    });
  await run();
}

// ---- Begin ---------------------------------------------------------------------------

// The tools are being written (mica dev).
const dev = "dev" in document.documentElement.dataset
  ? import("./dev.js") : undefined;
const form = find("tool");
if (form) await tool(form);
else if (find("search")) search(find("search"));
else if (find("call")) await (await import("./call.js")).ready;
document.documentElement.dataset.ready = "";
(await dev)?.follow();
keep().catch(console.warn);
