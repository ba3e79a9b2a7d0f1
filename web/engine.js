// SPDX-License-Identifier: Apache-2.0
//
// Runs the module of an engine in a browser (or in Node): the same bytes that the
// server runs. Served and built as _engine.js beside the engines, which import it.
// Where WebAssembly is refused, the JavaScript fallback (`twin`) takes the module's place.
// Every call gets a fresh instance, so nothing of one call is seen by another.

/** How a call failed: `code` is stable, `path` says what it is about. */
export class EngineError extends Error {
  constructor(message, code = "EXECUTION_ERROR", path = "") {
    super(message);
    this.name = "EngineError";
    this.code = code;
    this.path = path;
  }
}

const inner = new WeakMap(); // engine → what it runs on

// ---- Loading ---------------------------------------------------------------

async function read(url) {
  if (url.protocol === "file:") {
    // A name that no bundler for browsers follows.
    const files = ["node", "fs/promises"].join(":");
    return (await import(files)).readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href.slice(0, 200)} gives ${response.status}`);
  return response.arrayBuffer();
}

// A function that makes an instance's exports, and what it makes them from.
// Messages name the engine: where it is inlined, the addresses are its bytes.
async function load(name, base, { module, twin }) {
  const failures = [];
  try {
    const compiled = await WebAssembly.compile(
      await read(new URL(module, base)));
    return {
      runsOn: "wasm",
      start: () => new WebAssembly.Instance(compiled, {}).exports,
    };
  } catch (error) {
    failures.push(error);
  }
  try {
    if (twin === undefined) throw new Error("it has no JavaScript fallback");
    const made = await import(new URL(twin, base).href);
    return { runsOn: "twin", start: made.default };
  } catch (error) {
    failures.push(error);
  }
  throw new EngineError(
    `Neither the module of ${name} nor its JavaScript fallback can run here: ` +
    failures.map(String).join("; "), "NOT_LOADED");
}

// ---- One call --------------------------------------------------------------

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function failure(code, message) {
  return { ok: false, text: JSON.stringify({ code, message, path: "" }) };
}

function noMemory({ name, memoryBytes }) {
  return failure("LIMIT_EXCEEDED",
    `The call needs more than the ${Math.floor(memoryBytes / 1024)} KiB of ` +
    `memory that ${name} may use. Ask for less: shorter texts, fewer items.`);
}

function exchange(exports) {
  const at = exports.mica_module_exchange() >>> 0;
  const [status, result, size] =
    new Uint32Array(exports.memory.buffer, at, 3);
  return { status, result, size };
}

// What a fault means. The words are those of the server (src/sandbox/outcome.c).
function fault(engine, exports, error) {
  const unreachable = /unreachable/i.test(error.message);
  let words = "it stopped for an unknown reason";
  if (unreachable && exchange(exports).status === engine.limitStatus)
    return noMemory(engine);
  if (unreachable)
    words = "it reached a point that it says cannot be reached, or an integer " +
      "overflowed, an array index was outside its array, or a number did not " +
      "fit the integer it was converted to";
  else if (/bounds/.test(error.message)) // a RangeError, where it is translated
    words = "it read or wrote outside its memory";
  else if (error instanceof RangeError || /recursion/.test(error.message))
    words = "its functions called each other too deeply";
  return failure("EXECUTION_ERROR",
    `The engine ${engine.name} has a fault: ${words}. Its author has to mend ` +
    "it; other arguments may work.");
}

// Runs one entry of the module on the JSON text of the arguments.
function enter(engine, entry, text) {
  const bytes = encoder.encode(text);
  const exports = engine.start();
  try {
    const at = exports.mica_module_input(bytes.length) >>> 0;
    if (at === 0) return noMemory(engine);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    exports[entry](bytes.length);
    const { status, result, size } = exchange(exports);
    const answer = new Uint8Array(exports.memory.buffer, result, size);
    return { ok: status === 0, text: decoder.decode(answer) };
  } catch (error) {
    return fault(engine, exports, error);
  }
}

function write(input) {
  try {
    return JSON.stringify(input === undefined ? {} : input) ?? "null";
  } catch (error) {
    throw new EngineError(`The input is no JSON: ${error.message}`,
      "INVALID_JSON");
  }
}

// As values: what JSON.parse makes of the answer, or an EngineError.
function answer({ ok, text }) {
  const value = JSON.parse(text);
  if (ok) return value;
  throw new EngineError(value.message, value.code, value.path);
}

// ---- What engines and pages call -----------------------------------------------

/** The engine object of what is loaded: {runsOn, start}, `start` making the exports of a
 * fresh instance. */
export function makeEngine({ facts, ...limits }, loaded) {
  const { name, description, inputSchema, examples } = JSON.parse(facts);
  const engine = { name, ...limits, ...loaded };
  // Not enumerable: a schema that is copied or printed is a schema alone.
  Object.defineProperty(inputSchema, "parse", {
    value: (input) => answer(enter(engine, "mica_module_parse", write(input))),
  });
  const handler = (input) =>
    answer(enter(engine, "mica_module_run", write(input)));
  const result =
    Object.freeze({ name, description, inputSchema, handler, examples });
  inner.set(result, engine);
  return result;
}

/** The engine object of <slug>.js. `base` is that module's own address. */
export async function defineEngine(base, { module, twin, ...said }) {
  const { name } = JSON.parse(said.facts);
  return makeEngine(said, await load(name, base, { module, twin }));
}

/** "wasm" or "twin". */
export function runsOn(engine) {
  return inner.get(engine).runsOn;
}

/** Offers an engine to agents in the browser (WebMCP), where it has them: `run` takes JSON
 * text and gives {ok, text}. Older drafts have it at navigator, and give the input as
 * text. Numbers of an object are doubles already, and so are those of structuredContent;
 * the text beside it has every digit. */
export function offerEngine({ name, title, description, inputSchema }, run) {
  const context = document.modelContext ?? navigator.modelContext;
  if (!context?.registerTool) return;
  const tool = {
    name, title, description, inputSchema,
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

/** One call on JSON text: {ok, text}, the text being the result or the error, to
 * the byte what other surfaces give. */
export function callText(engine, text) {
  return enter(inner.get(engine), "mica_module_run", text);
}
