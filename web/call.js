// SPDX-License-Identifier: Apache-2.0
//
// A call that asks, in the hands of a person: its questions as forms, what it tells
// meanwhile, and what it came to. The server keeps the call, so this page can be
// closed and opened again.
import { fill, fieldAt, read, Unreadable } from "./form.js";
import { render } from "./result.js";

const find = (id) => document.getElementById(id);
const section = find("call");
const address = `/api/calls/${section.dataset.call}`;
const PAUSE = 1000; // between looks at a call that works

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function fail(message) {
  find("failure").textContent = message;
  find("failure").hidden = false;
}

// ---- What the server says ------------------------------------------------------

async function ask(url, options) {
  const response = await fetch(url, options);
  const body = await response.json();
  if (!response.ok) {
    const error = new Error(body.detail ?? `The server says ${response.status}.`);
    error.pointer = body.pointer ?? "";
    error.status = response.status;
    throw error;
  }
  return body;
}

const json = (value) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: typeof value === "string" ? value : JSON.stringify(value),
});

// ---- Questions -----------------------------------------------------------------

// Each gives an element and a function that reads the answer's JSON text.
async function formOf({ schema }) {
  const response = await fetch("/web/form", json(schema ?? { type: "object" }));
  if (!response.ok) throw new Error("The server cannot show this question.");
  const holder = element("form", { className: "fields", noValidate: true });
  holder.innerHTML = await response.text(); // made by mica alone, all escaped
  fill(holder, {});
  return { body: holder, answer: () => read(holder) };
}

function wordsOf({ request }) {
  const asked = (request?.messages ?? []).map(({ role, content }) =>
    element("blockquote", {}, `${role}: ${content?.text ?? "…"}`));
  const area = element("textarea", { rows: 4, id: "q-words" });
  return {
    body: element("div", {},
      ...asked,
      element("label", { htmlFor: "q-words" }, "What a model would answer"),
      area),
    answer: () => JSON.stringify(area.value),
  };
}

function rootsOf() {
  const area = element("textarea", { rows: 3, id: "q-roots" });
  return {
    body: element("div", {},
      element("label", { htmlFor: "q-roots" },
        "Folders, one address a line (file:///…)"),
      area),
    answer: () => JSON.stringify(area.value.split("\n")
      .map((line) => line.trim()).filter(Boolean).map((uri) => ({ uri }))),
  };
}

function visitOf({ url }) {
  return {
    body: element("p", {}, element("a",
      { href: url, rel: "noopener noreferrer", target: "_blank" }, url)),
    answer: () => JSON.stringify({ action: "accept" }),
  };
}

const kinds = { form: formOf, sampling: wordsOf, roots: rootsOf, page: visitOf };

const titles = {
  form: "A question",
  sampling: "The tool asks a model; answer for it",
  roots: "The tool asks for folders",
  page: "The tool asks you to visit a page",
};

async function showQuestion(state, key, question) {
  const { body, answer } = await kinds[question.kind](question);
  const wrong = element("p", { className: "error", hidden: true });
  wrong.role = "alert";
  const send = async (text) => {
    wrong.hidden = true;
    try {
      await go(ask(state.links.answers,
        json(`{${JSON.stringify(key)}:${text}}`)));
    } catch (error) {
      const field = error.pointer === undefined ? undefined
        : fieldAt(body, error.pointer.replace(/^\/[^/]*\/?/, ""));
      const line = field?.querySelector(":scope > .error") ?? wrong;
      line.textContent = error.message;
      line.hidden = false;
    }
  };
  const button = (words, text) => {
    const made = element("button", { type: "button" }, words);
    made.addEventListener("click", () => send(text));
    return made;
  };
  const accept = element("button", { type: "button", className: "main" }, "Answer");
  const accepted = async () => {
    try {
      await send(answer());
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      wrong.textContent = error.message;
      wrong.hidden = false;
    }
  };
  accept.addEventListener("click", accepted);
  body.addEventListener("submit", (event) => {
    event.preventDefault();
    accepted();
  });
  const choices = /^(form|page)$/.test(question.kind)
    ? [button("Decline", "{\"action\":\"decline\"}"),
       button("Close", "{\"action\":\"cancel\"}")]
    : [];
  const shown = element("section", { className: "tool question" },
    element("h2", {}, titles[question.kind]),
    element("p", { className: "message" }, question.message ?? ""),
    body, wrong, accept, ...choices);
  shown.ariaLabel = titles[question.kind];
  return shown;
}

// ---- The state -----------------------------------------------------------------

const words = {
  working: "The tool works …",
  input_required: "The tool has a question.",
  completed: "Done.",
  failed: "The call has failed.",
  cancelled: "The call was given up.",
};

const isOpen = ({ status }) => /^(working|input_required)$/.test(status);

let noted;

async function show(state) {
  find("call-title").textContent = state.tool;
  find("state").textContent = words[state.status] ?? state.status;
  find("failure").hidden = true;
  find("cancel").hidden = !isOpen(state);
  if (state.note && state.note !== noted) {
    noted = state.note;
    find("log").append(element("li", {}, state.note));
  }
  const questions = await Promise.all(Object.entries(state.questions ?? {})
    .map(([key, question]) => showQuestion(state, key, question)));
  find("questions").replaceChildren(...questions);
  questions[0]?.querySelector("input, select, textarea, button")?.focus();
  if (state.problem) fail(`${state.problem.code}: ${state.problem.detail}`);
  find("outcome").replaceChildren(
    ...(state.result === undefined ? [] : [render(state.result)]));
  if (state.status === "working") setTimeout(() => go(ask(address)), PAUSE);
}

// What an answer gives is the next state, or the result by itself.
async function go(asked) {
  const state = await asked;
  await show(state.id && state.status && state.links
    ? state : await ask(address));
}

// A call ends when its clean-ups have run, which takes a moment.
async function cancel() {
  await ask(address, { method: "DELETE" });
  find("state").textContent = "The call is being given up …";
  for (let i = 0; i < 20; i++) {
    const state = await ask(address);
    if (!isOpen(state)) return show(state);
    await new Promise((resolve) => setTimeout(resolve, PAUSE / 2));
  }
  return go(ask(address));
}

find("cancel").addEventListener("click", () =>
  cancel().catch(({ message }) => fail(message)));

export const ready = go(ask(address)).catch(({ message, status }) => {
  find("state").textContent = status === 404
    ? "There is no such call, or no longer." : "This call cannot be shown.";
  fail(message);
});
