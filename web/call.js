// SPDX-License-Identifier: Apache-2.0
//
// A call that asks, in the hands of a person: its questions as forms, what it tells
// meanwhile, and what it came to. The server keeps the call, so this page can be
// closed and opened again.
import { below, post, quiet, takeOver, tell, textOf } from "./ask.js";
import { element } from "./element.js";
import { parse, stringify } from "./exact.js";
import { clearFaults, controlOf, fieldAt, fieldsOf, fill, focusField, focusable, read, showFault,
  Unreadable } from "./form.js";
import { useLists } from "./grid.js";
import { renderResult } from "./result.js";

const find = (id) => document.getElementById(id);
const section = find("call");
const address = below(`api/calls/${section.dataset.call}`);
const PAUSE = 1000; // between looks at a call that works

function fail(message, code = "") {
  section.dataset.shown = "";
  find("failure").replaceChildren(message, " ", element("code", {}, code));
  find("failure").hidden = false;
}

// ---- What the server says ------------------------------------------------------

function failure({ detail, pointer, status }) {
  const error = new Error(detail ?? `The server says ${status}.`);
  return Object.assign(error, { pointer: pointer ?? "", status });
}

let told = 0; // number of the last message of a task that is shown

async function ask(url, options) {
  const response = await fetch(url, options);
  const body = parse(await textOf(response));
  if (!response.ok) throw failure(body);
  return body;
}

const askNow = () => ask(`${address}?after=${told}`);

// What the answers come to is the next state, or the result by itself.
async function answer(state, text) {
  // The link has the path that the server believes in; this page knows it is here.
  const { search } = new URL(state.links.answers, address);
  const { kind, text: said } = await post(address + search, text);
  const value = parse(said);
  if (kind === "problem") {
    // That of the call itself is shown with its state.
    const now = await askNow();
    if (isOpen(now) && now.round === state.round) throw failure(value);
    if (isOpen(now)) tell("log", { message: value.detail }); // it continued elsewhere
    return now;
  }
  return kind === "call" ? value : askNow();
}

// ---- Questions -----------------------------------------------------------------

// What was answered, by the key of the question without the number of its attempt.
const given = new Map();
const plain = (key) => key.replace(/#\d+$/, "");

let count = 0; // of all that was shown, for ids

// Each gives an element and a function that reads the answer's JSON text.
async function formOf({ schema, error }, key) {
  const response = await fetch(below(`web/form?n=${++count}`), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: stringify(schema ?? { type: "object" }),
  });
  if (!response.ok) throw new Error("The server cannot show this question.");
  const holder = element("form", { className: "fields", noValidate: true });
  holder.innerHTML = await response.text(); // made by mica alone, all escaped
  const typed = error ? given.get(plain(key)) : undefined;
  fill(holder, parse(typed ?? "{}"));
  const fault = error && (await import("./form_error.js")).errorWords({ ...error, message: error.detail, path: error.pointer },
    schema, typed && parse(typed));
  const atField = error && showFault(fieldAt(holder, error.pointer), fault);
  useLists(holder, () => {});
  return { body: holder, wrong: atField ? undefined : fault, yesNo: yesNoOf(holder), answer: () => {
    const text = read(holder);
    given.set(plain(key), text);
    return text;
  }, told: () => toldOf(holder) };
}

// A form of one yes or no is two buttons.
function yesNoOf(holder) {
  const fields = fieldsOf(holder);
  if (fields.length !== 1 || fields[0].dataset.kind !== "boolean" ||
      "optional" in fields[0].dataset) return undefined;
  const [field] = fields;
  return {
    words: field.querySelector(".help").textContent.trim(),
    text: (yes) => `{${JSON.stringify(field.dataset.name)}:${yes}}`,
  };
}

// An answer as a person gave it: the words of choices, not their values.
function toldOf(holder) {
  return fieldsOf(holder).map((field) => {
    const control = controlOf(field);
    const chosen = control?.matches("[role=radiogroup]")
      ? control.querySelector("input:checked")?.parentElement.textContent
      : control?.selectedOptions?.[0]?.textContent;
    return (chosen ?? control?.value ?? read(field) ?? "").trim();
  }).filter(Boolean).join(", ");
}

const partOf = ({ type, text }) => text ?? `(${type})`;

function wordsOf({ request }) {
  const { systemPrompt, messages = [] } = request ?? {};
  const said = messages.map(({ role, content }) =>
    [role, [content].flat().map(partOf).join("\n")]);
  const asked = [...systemPrompt ? [["system", systemPrompt]] : [], ...said]
    .map(([role, text]) => element("blockquote", {}, `${role}: ${text}`));
  const area = element("textarea", { rows: 4, id: `words-${++count}` });
  return {
    body: element("div", {},
      ...asked,
      element("label", { htmlFor: area.id }, "What a model would answer"),
      area),
    answer: () => JSON.stringify(area.value),
    told: () => area.value,
  };
}

function rootsOf() {
  const area = element("textarea", { rows: 3, id: `roots-${++count}` });
  return {
    body: element("div", {},
      element("label", { htmlFor: area.id },
        "Folders, one address a line (file:///…)"),
      area),
    answer: () => JSON.stringify(area.value.split("\n")
      .map((line) => line.trim()).filter(Boolean).map((uri) => ({ uri }))),
    told: () => area.value.trim().replaceAll("\n", ", ") || "none",
  };
}

function visitOf({ url }) {
  const link = /^https?:/.test(url) ? element("a",
    { href: url, rel: "noopener noreferrer", target: "_blank" }, url) : url;
  return {
    body: element("p", {}, link),
    answer: () => JSON.stringify({ action: "accept" }),
    told: () => "visited",
  };
}

const kinds = { form: formOf, sampling: wordsOf, roots: rootsOf, page: visitOf };

const titles = {
  form: "A question",
  sampling: "The tool asks a model; answer for it",
  roots: "The tool asks for folders",
  page: "The tool asks you to visit a page",
};

const answers = {
  form: "Answer",
  sampling: "Answer",
  roots: "Answer",
  page: "I have been there",
};

// What is asked, in the tool's own words: their first line is the headline.
function headOf({ kind, message }, yesNo) {
  const [first, ...rest] = (message ?? "").trim().split("\n");
  const words = rest.join("\n").trim();
  if (kind === "form" && first)
    // The question itself comes last where words about it come first.
    return words && !first.endsWith("?") && rest.at(-1).endsWith("?")
      ? { title: rest.at(-1), message: [first, ...rest.slice(0, -1)].join("\n").trim() }
      : { title: first, message: words };
  return { title: kind === "form" && yesNo ? yesNo.words : titles[kind],
    message: message ?? "" };
}

let current; // the state that is shown
let last = Promise.resolve(); // answer: one at a time, each to the state of then

const button = (words, className, work) => {
  const made = element("button", { type: "button", className }, words);
  made.addEventListener("click", work);
  return made;
};

// What the other ways to answer do, for those who have not met them.
const footOf = () => element("footer", {}, "“Decline” tells the tool that you say no; " +
  "“Close” leaves the question without an answer. The tool decides what follows. " +
  "You can close this page and come back to it.");

async function showQuestion(key, question) {
  const made = await kinds[question.kind](question, key);
  const { body, yesNo } = made;
  const head = headOf(question, yesNo);
  const wrong = element("p", { className: "error", hidden: !made.wrong }, made.wrong ?? "");
  wrong.role = "alert";
  const send = async (text, told) => {
    wrong.hidden = true;
    try {
      find("state").textContent = words.working;
      const mine = last.then(() =>
        go(answer(current, `{${JSON.stringify(key)}:${text}}`)));
      last = mine.catch(() => {}); // said below
      await mine;
      noteAnswer(plain(key), head.title, told);
    } catch (error) {
      find("state").textContent = words[current.status];
      wrong.textContent = error.message;
      wrong.hidden = false;
    }
  };
  const accepted = async () => {
    try {
      await send(made.answer(), made.told());
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      clearFaults(body);
      showFault(error.field, error.message);
      focusField(error.field);
    }
  };
  body.addEventListener("submit", (event) => {
    event.preventDefault();
    accepted();
  });
  const refusable = /^(form|page)$/.test(question.kind);
  const main = yesNo
    ? [button("Yes", "main", () => send(yesNo.text(true), "Yes")),
       button("No", "", () => send(yesNo.text(false), "No"))]
    : [button(answers[question.kind], "main", accepted)];
  const others = refusable
    ? [button("Decline", "quiet", () => send("{\"action\":\"decline\"}", "declined")),
       button("Close", "quiet", () => send("{\"action\":\"cancel\"}", "closed"))]
    : [];
  const shown = element("section", { className: "card question" },
    element("div", { className: "body" },
      element("h2", {}, head.title),
      ...(head.message
        ? [element("p", { className: "message" }, head.message)] : []),
      ...(yesNo && !body.querySelector(".error:not([hidden])")
        ? yesNo.words && yesNo.words !== head.title
          ? [element("p", { className: "help" }, yesNo.words)] : []
        : [body]),
      wrong, element("div", { className: "actions" }, ...main, ...others)),
    ...(refusable ? [footOf()] : []));
  shown.ariaLabel = titles[question.kind];
  return shown;
}

// ---- Earlier answers -------------------------------------------------------------

// Of this tab, also after the page was loaded anew.
const kept = `answers ${section.dataset.call}`;
const earlier = new Map(JSON.parse(sessionStorage.getItem(kept) ?? "[]"));

function showAnswers() {
  find("answered").hidden = earlier.size === 0;
  find("answered").replaceChildren(...[...earlier.values()].map(([asked, told]) =>
    element("li", {}, asked, element("b", {}, told))));
}

// One that was not taken is asked again, and is no answer yet.
function noteAnswer(key, asked, told) {
  const again = Object.keys(current.questions ?? {}).some((one) => plain(one) === key);
  if (again) earlier.delete(key);
  else earlier.set(key, [asked, told]);
  showAnswers();
  try {
    sessionStorage.setItem(kept, JSON.stringify([...earlier]));
  } catch (error) {
    console.info(error); // it is full; the answers are in sight until it is loaded
  }
}

// ---- The state -----------------------------------------------------------------

const words = {
  working: "The tool works …",
  input_required: "The tool has a question.",
  completed: "The tool has finished. Its result is below.",
  failed: "The call has failed.",
  cancelled: "The call was given up.",
};

const isOpen = ({ status }) => /^(working|input_required)$/.test(status);

let noted;
let shown = new Map(); // what was made of each question, by its text

// One that is asked still keeps what was typed into it.
async function showQuestions(questions) {
  const before = shown;
  shown = new Map(await Promise.all(Object.entries(questions).map(
    async ([key, question]) => {
      const text = stringify([key, question]);
      return [text, before.get(text) ?? await showQuestion(key, question)];
    })));
  const holder = find("questions");
  const had = holder.contains(document.activeElement);
  section.dataset.shown = ""; // what is out of sight takes no focus
  holder.replaceChildren(...shown.values());
  const wrong = holder.querySelector("[aria-invalid]")?.closest(".field");
  const first = holder.querySelector("input, select, textarea, [role=radiogroup], button");
  // Behind the last answer the focus is not left at the top of the page.
  if (wrong) focusField(wrong);
  else if (first) focusable(first).focus();
  else if (had) find("state").focus();
}

// What a task tells is kept with its state.
function showTold({ status, note, progress, log = [] }) {
  if (status !== "working") quiet();
  else if (progress) tell("progress", progress);
  for (const { number, message } of log) {
    if (number <= told) continue;
    tell("log", { message: number === told + 1 ? message : `…\n${message}` });
    told = number;
  }
  if (note && note !== noted) tell("log", { message: note });
  noted = note;
}

function showEnd({ tool, status, result }) {
  find("end").hidden = !/^(completed|failed|cancelled)$/.test(status);
  find("outcome").replaceChildren(
    ...(result === undefined ? [] : renderResult(result)));
  find("outcome").hidden = result === undefined;
  if (find("outcome").querySelector("[data-exact]"))
    import("./exact_copy.js").then(({ copyExact }) => copyExact(), console.warn);
  find("again").href = below(`tools/${tool}`);
}

async function show(state) {
  current = state;
  const title = state.title ?? state.tool;
  find("call-title").textContent = title;
  document.title = document.title.replace(/^.*? – /, () => `${title} – `);
  find("state").textContent = words[state.status] ?? state.status;
  find("failure").hidden = true;
  find("cancel").hidden = !isOpen(state);
  showTold(state);
  showAnswers();
  await showQuestions(state.questions ?? {});
  if (state.problem) fail(state.problem.detail, state.problem.code);
  showEnd(state);
  if (state.status === "working") setTimeout(look, PAUSE);
}

// What is not the fault of the request may pass: no network, a server that is busy.
function failLook({ message, status }) {
  fail(message);
  if (status === undefined || status >= 500) setTimeout(look, PAUSE);
}

const look = () => go(askNow()).catch(failLook);

async function go(asked) {
  await show(await asked);
}

// A call ends when its clean-ups have run, which takes a moment.
async function cancel() {
  await ask(address, { method: "DELETE" });
  find("state").textContent = "The call is being given up …";
  for (let i = 0; i < 20; i++) {
    const state = await askNow();
    if (!isOpen(state)) return show(state);
    await new Promise((resolve) => setTimeout(resolve, PAUSE / 2));
  }
  return go(askNow());
}

find("cancel").addEventListener("click", () =>
  cancel().catch(({ message }) => fail(message)));

takeOver(section.dataset.call);
export const ready = go(askNow()).catch((error) => {
  find("state").textContent = error.status === 404
    ? "There is no such call, or no longer." : "This call cannot be shown.";
  failLook(error);
});
