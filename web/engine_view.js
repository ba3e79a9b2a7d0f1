// SPDX-License-Identifier: Apache-2.0
//
// The view of an engine (src/page/engine_view.c writes its document): the form and the
// result of its page, in a frame of a host. The module is in the document. It runs here as
// WebAssembly, or translated to JavaScript where the host forbids that; a host that
// forbids both is asked to call the tool.
//
//     input of a call ──┐                     ┌──> the form, the result
//     a person's edit ──┼──> show(text) ──> call ──> context of the model
//     <slug>.set ───────┘                     └──> result of <slug>.set
import { callText, makeEngine } from "./engine.js";
import { start } from "./engine_start.js";
import { parse } from "./exact.js";
import { clearFaults, fieldAt, fill, focusField, read, showFault, showUnits, Unreadable }
  from "./form.js";
import { useLists } from "./grid.js";
import { pretty, renderResult } from "./result.js";
import { files } from "./table.js";
import { App } from "./view/app.js";
import { applyHostContext } from "./view/styles.js";

const PAUSE_MS = 300; // of a person who types, before others are told

const find = (id) => document.getElementById(id);
const jsonOf = (id) => JSON.parse(find(id).textContent || "{}");

// ---- Results -----------------------------------------------------------------------

/** An answer {ok, text} as the server writes it. */
function resultOf({ ok, text }) {
  const value = JSON.parse(text);
  if (ok) return { content: [{ type: "text", text }], structuredContent: value };
  return { content: [{ type: "text", text: `${value.code}: ${value.message}` }],
    isError: true, _meta: { "mica/error": value } };
}

/** The answer in a result of the server, whose text has every digit. */
function answerOf({ isError, content = [], _meta }) {
  const text = content[0]?.text ?? "";
  if (!isError) return { ok: true, text };
  return { ok: false, text: JSON.stringify(_meta?.["mica/error"] ??
    { code: "EXECUTION_ERROR", message: text, path: "" }) };
}

// The engine alone judges its input, so a schema is told and not checked.
const told = (schema) => ({ "~standard": { version: 1, vendor: "mica",
  validate: (value) => ({ value }), jsonSchema: { input: () => schema, output: () => schema } } });

// ---- The view ----------------------------------------------------------------------

async function begin() {
  const facts = find("mica-facts").textContent;
  const { name, title, description, inputSchema, ...limits } = JSON.parse(facts);
  const schema = jsonOf("output");
  const form = find("tool");
  const app = new App({ name, title, version: limits.version });
  const state = { input: "{}", answer: undefined, number: 0 };
  let call; // of JSON text: {ok, text}, or a promise of it

  const say = (words) => {
    find("state").textContent = words;
  };

  const fault = (field, { code, message }, focus) => {
    if (!showFault(field, message)) {
      find("failure").textContent = code ? `${message} (${code})` : message;
      find("failure").hidden = false;
    }
    if (focus && field) focusField(field);
    else if (focus) form.focus();
  };

  const render = ({ ok, text }, submitted) => {
    const value = parse(text);
    find("result").replaceChildren(...ok ? renderResult(value, schema) : []);
    find("result-json").textContent = ok ? pretty(value) : "";
    find("as-json").hidden = !ok;
    if (ok) return say("");
    const field = fieldAt(form, value.path ?? "");
    // A person is not blamed for what is not yet filled in.
    if (value.code === "MISSING_FIELD" && !submitted) return say("Fill in what is missing.");
    say("There is no result.");
    fault(field, value, submitted);
  };

  /** Runs an input; the answer, or nothing if another one came meanwhile. */
  const show = async (text, submitted = false) => {
    const number = ++state.number;
    clearFaults(form);
    find("failure").hidden = true;
    const answer = await call(text);
    if (number !== state.number) return answer;
    Object.assign(state, { input: text, answer });
    render(answer, submitted);
    return answer;
  };

  const edited = async (submitted = false) => {
    showUnits(form);
    try {
      await show(read(form), submitted);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      state.number++;
      find("result").replaceChildren();
      say("There is no result.");
      fault(error.field, { message: error.message }, submitted);
      return;
    }
    tellLater();
  };

  /** Shows an input that comes from elsewhere. */
  const given = (input) => {
    fill(form, input);
    return show(JSON.stringify(input));
  };

  // ---- What the model knows ------------------------------------------------------

  const current = () => {
    const { input, answer } = state;
    const word = answer?.ok === false ? "error" : "result";
    return answer ? `{"input":${input},"${word}":${answer.text}}` : `{"input":${input}}`;
  };

  let timer;
  const tellLater = () => {
    clearTimeout(timer);
    if (app.state !== "READY" || !app.getHostCapabilities().updateModelContext) return;
    timer = setTimeout(() => app.updateModelContext({
      content: [{ type: "text", text: `The person changed the input of ${title}: ${current()}` }],
      structuredContent: JSON.parse(current()),
    }).catch(console.warn), PAUSE_MS);
  };

  app.registerTool(`${name}.set`, {
    title: `Fill in: ${title}`,
    description: `Fill in the form that the person sees, and return its result. ${description}`,
    inputSchema: told(inputSchema),
    annotations: { readOnlyHint: false, idempotentHint: true, openWorldHint: false },
  }, async (input) => resultOf(await given(input)));
  app.registerTool(`${name}.get`, {
    title: `Read: ${title}`,
    description: "Return the input that the form has now, which the person may have " +
      "changed, and its result or error.",
    annotations: { readOnlyHint: true },
  }, () => ({ content: [{ type: "text", text: current() }],
    structuredContent: JSON.parse(current()) }));

  // ---- The host ------------------------------------------------------------------

  const waiting = []; // inputs that came before the engine could run
  const receive = (input) => (call ? given(input) : waiting.push(input));
  app.ontoolinputpartial = ({ arguments: input }) => fill(form, input ?? {});
  app.ontoolinput = ({ arguments: input }) => receive(input ?? {});
  app.ontoolresult = (result) => {
    if (place.runsOn === "server") render(state.answer = answerOf(result), false);
  };
  app.onhostcontextchanged = applyHostContext;
  const place = { runsOn: "server" };
  const [, loaded] = await Promise.all([
    app.connect().then(() => applyHostContext(app.getHostContext()),
      (error) => error.code === "NO_HOST" || console.warn(error)),
    start().catch((error) => void console.warn(error)),
  ]);
  const host = app.state === "READY" ? app.getHostCapabilities() : {};
  files.save = host.downloadFile && ((file, mimeType, text) => app.downloadFile({
    contents: [{ type: "resource", resource: { uri: `file:///${file}`, mimeType, text } }],
  }).catch(console.warn));
  if (loaded) {
    const engine = makeEngine({ ...limits, facts }, loaded);
    Object.assign(place, loaded);
    call = (text) => callText(engine, text);
  } else {
    const tool = app.getHostContext()?.toolInfo?.tool?.name ?? name;
    call = async (text) => {
      if (!host.serverTools) return { ok: false, text: JSON.stringify({ code: "UNAVAILABLE",
        message: "This host lets the view run nothing.", path: "" }) };
      return answerOf(await app.callServerTool({ name: tool, arguments: JSON.parse(text) }));
    };
  }
  find("runs").textContent = loaded ? "Runs in this view." : "Runs on the server.";
  document.documentElement.dataset.runs = place.runsOn;

  // ---- The person ----------------------------------------------------------------

  // A server is asked when the person pauses, an engine at once.
  let pause;
  const later = () => {
    clearTimeout(pause);
    if (loaded) return edited();
    pause = setTimeout(edited, PAUSE_MS);
  };
  form.addEventListener("input", later);
  useLists(form, later);
  form.addEventListener("reset", () => setTimeout(() => {
    fill(form, {});
    edited();
  }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(pause);
    edited(true);
  });
  if (waiting.length) await given(waiting.at(-1));
  else if (loaded) await show(read(form));
  document.documentElement.dataset.ready = "";
}

begin();
