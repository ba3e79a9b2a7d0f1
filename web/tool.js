// SPDX-License-Identifier: Apache-2.0
//
// The page of a tool. It knows no schema of an input: the server has written the form
// (src/page/page_form.h says how), and this reads it back into JSON text, which goes
// to the engine as it is, so that the engine alone says what is right.
import { begin as beginCall, below, handOn, post, quiet } from "./ask.js";
import { copy } from "./copy.js";
import { parse } from "./exact.js";
import { bodyOf, clearFaults, fieldAt, fieldsOf, fill, focusField, read, showFault,
  showUnits, Unreadable } from "./form.js";
import { showExample, useLists } from "./grid.js";
import { glance, pretty, renderResult } from "./result.js";

const find = (id) => document.getElementById(id);

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
  beginCall();
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

// {place, call, offer}: `call` takes JSON text and gives {ok, text}, or a promise of it.
async function load({ tool, engine, rest }) {
  if (engine !== undefined)
    try {
      const [{ default: made }, { callText, offerEngine, runsOn }] = await Promise.all(
        [import(below(`engines/${tool}.js`)), import(below("engines/_engine.js"))]);
      const title = document.querySelector("h1").textContent;
      return { place: runsOn(made), call: (text) => callText(made, text),
        offer: (run) => offerEngine({ ...made, name: tool, title }, run) };
    } catch (error) {
      console.warn(error);
    }
  if (rest !== undefined)
    return { place: "server", call: (text) => ask(tool, text) };
  return { place: "nowhere", call: () => refuse(tool, places.nowhere) };
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

// ---- A tool ------------------------------------------------------------------------

const LONGEST_LINK = 4000; // of a query that the server takes, too

function toQuery(form) {
  const query = new URLSearchParams();
  for (const field of fieldsOf(bodyOf(form))) {
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
  for (const field of fieldsOf(bodyOf(form))) {
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

function fillExample(form, preset) {
  fill(form, parse(preset.dataset.input));
  showExample(form);
}

// ---- What is shown ---------------------------------------------------------------

const titleOf = (field) =>
  field?.querySelector("label, legend, .label")?.textContent ?? "the input";

// What went well is said to readers of the screen alone; the rest to everybody.
function say(words, loud = true) {
  find("state").textContent = words;
  find("state").classList.toggle("loud", loud);
}

// The result; `error` is what there is in its place for programs.
function show(value, schema, error) {
  const answer = value === undefined ? undefined : glance(value, schema);
  find("result").replaceChildren(
    ...(value === undefined ? [] : renderResult(value, schema)));
  if (find("result").querySelector("[data-exact]"))
    import("./exact_copy.js").then(({ copyExact }) => copyExact(), console.warn);
  find("result-json").textContent =
    value === undefined && error === undefined ? "" : pretty(value ?? error);
  find("glance").hidden = answer === undefined || find("glance").seen === true;
  find("glance").querySelector("span").textContent = answer?.title ?? "";
  find("glance").querySelector("b").replaceChildren(...(answer?.nodes ?? []));
}

// On a phone the answer stays in sight while it stands below.
function follow() {
  const glance = find("glance");
  new IntersectionObserver(([{ isIntersecting }]) => {
    glance.seen = isIntersecting;
    glance.hidden = isIntersecting || !glance.querySelector("b").hasChildNodes();
  }, { rootMargin: "0px 0px -96px" }).observe(find("result-title"));
}

// What people read of errors comes with the first one. Where it cannot come, as the server is
// gone and the browser has not kept it, they read what programs do.
const explain = () => import("./form_error.js").catch((error) => {
  console.warn(error);
  return { errorWords: ({ message }) => message, placeWords: (path) => path.slice(1) };
});

// Says what is wrong where it is wrong.
function fault(field, message, focus) {
  if (!showFault(field, message)) {
    find("form-error").textContent = message;
    find("form-error").hidden = false;
  }
  if (focus && field) focusField(field);
}

// Beside where the result would stand: the way to the field that keeps it away, which has
// the words; or the words themselves, if no field has them.
function failure(field, title, { code, message }) {
  const place = find("failure");
  if (field) {
    const way = document.createElement("a");
    way.href = `#${field.id || "tool"}`;
    way.textContent = title;
    way.addEventListener("click", (event) => {
      event.preventDefault();
      focusField(field);
    });
    place.replaceChildren("To get a result, correct ", way, ".");
  } else {
    const told = document.createElement("code");
    told.textContent = code;
    place.replaceChildren(message, " ", told);
  }
  place.hidden = false;
}

function useTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const open = (chosen, focus) => {
    for (const tab of tabs) {
      const on = tab === chosen;
      tab.ariaSelected = String(on);
      tab.tabIndex = on ? 0 : -1;
      find(tab.getAttribute("aria-controls")).hidden = !on;
    }
    if (focus) chosen.focus();
  };
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (by) open(tabs.at((at + by) % tabs.length), true);
    });
  }
}

function closeOutside(menu) {
  document.addEventListener("click", ({ target }) => {
    if (!menu.contains(target)) menu.open = false;
  });
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

/** Brings the page of a tool to life; `dev` is the part for tools that are being
 * written, or nothing. */
export async function begin(form, dev) {
  const slug = form.dataset.tool;
  const pure = form.dataset.engine !== undefined;
  const json = find("json");
  const schema = JSON.parse(find("output").content.textContent || "{}");
  const taken = parse(find("schema").content.textContent || "{}");
  const state = { input: "{}", answer: undefined, number: 0 };

  const code = () => {
    for (const place of document.querySelectorAll("[data-code]"))
      place.textContent = copies[place.dataset.code](
        slug, state.input, state.answer, pure);
  };

  const settle = async (answer, submitted) => {
    state.answer = answer;
    const value = parse(answer.text);
    show(answer.ok ? value : undefined, schema, value);
    find("copies").hidden = false;
    code();
    if (answer.ok) {
      say(answer.moved ? "The tool has a question." : "Here is the result.",
        answer.moved === true);
      return;
    }
    const field = fieldAt(form, value.path);
    // A person is not blamed for what is not yet filled in.
    if (value.code === "MISSING_FIELD" && !submitted) {
      say(`Fill in what is missing: ${titleOf(field)}`);
      return;
    }
    say("There is no result.", false);
    const { number, input } = state;
    const { errorWords, placeWords } = await explain();
    if (number !== state.number) return;
    if (field) fault(field, errorWords(value, taken, parse(input)), submitted);
    failure(field, placeWords(value.path, taken), value);
  };

  const run = async (submitted = false) => {
    const number = ++state.number;
    clearFaults(form);
    find("failure").hidden = true;
    try {
      state.input = read(form);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      show(undefined);
      say("There is no result.", false);
      fault(error.field, error.message, submitted);
      failure(error.field, titleOf(error.field), { code: "", message: error.message });
      return;
    }
    if (document.activeElement !== json) json.value = state.input;
    if (!pure && !submitted) {
      say("Runs when you send it.");
      find("copies").hidden = false;
      code();
      return;
    }
    if (!pure) say("The tool works …");
    const answer = await place.call(state.input);
    if (number === state.number) await settle(answer, submitted);
  };

  const edited = () => {
    showUnits(form);
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
  else if (first) fillExample(form, first);
  await (await dev)?.restore(form);
  form.dataset.filled = "";

  useTabs();
  if (find("examples")) closeOutside(find("examples"));
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
      fault(undefined, `This is no JSON yet: ${error.message}`);
    }
  });
  useLists(form, edited);
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
      fillExample(form, preset);
      find("examples").open = false;
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

  // The same function as the button's.
  place.offer?.(async (text) => {
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
  follow();
}
