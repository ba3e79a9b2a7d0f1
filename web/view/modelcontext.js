// SPDX-License-Identifier: Apache-2.0
//
// WebMCP: document.modelContext, as agents of browsers and other scripts of the page use it.
// It has the tools of the page (tools.js), and what is registered with it is one of them, so
// the host of a view sees it too. Where the browser has its own and its policy allows it,
// that one is fed and stays; where it has none or refuses, as in the frames of most hosts, the
// class below takes its place with the same errors.
import { isObject } from "./peer.js";
import { followPublished, NAME, pageTools, publishedTools, rowOf, standardSchemaToJsonSchema }
  from "./tools.js";

// Of a tool that was registered here: its own execute and schema, and whether the browser
// has it already.
const executes = new WeakMap();

// ---- The errors of the browser -----------------------------------------------------

// Their names are those of the browser, their texts are shorter.
const refuse = (text, name) => {
  throw name ? new DOMException(text, name) : new TypeError(text);
};

function needMembers(object, ...members) {
  if (!isObject(object)) refuse("The tool is not an object.");
  for (const member of members)
    if (object[member] === undefined) refuse(`The tool has no ${member}.`);
}

function needSecure(origins = []) {
  for (const origin of origins)
    if (!/^(https:\/\/|http:\/\/(localhost|127\.|\[::1\]))/.test(origin))
      refuse(`${origin} is not a secure origin.`, "SecurityError");
}

/** A copy of the schema of a tool, as JSON has it. Throws what its toJSON does. */
function copySchema(schema) {
  if (schema === undefined) return undefined;
  const text = typeof schema === "object" ? JSON.stringify(schema) : undefined;
  return JSON.parse(text ?? refuse("The inputSchema is not an object."));
}

// ---- Registering -------------------------------------------------------------------

const refuseTwice = ({ name }) => publishedTools().has(String(name)) &&
  refuse(`Tool ${name} is already registered`, "InvalidStateError");

/** Refuses what a browser refuses; returns the tool's schema. */
function checkTool(tool, { signal, exposedTo } = {}) {
  needMembers(tool, "description", "execute", "name");
  const schema = copySchema(tool.inputSchema);
  if (typeof tool.execute !== "function") refuse("execute is not a function.");
  if (signal && !(signal instanceof AbortSignal)) refuse("signal is not an AbortSignal.");
  signal?.throwIfAborted();
  if (!NAME.test(tool.name) || tool.description === "")
    refuse("Illegal name or empty description", "InvalidStateError");
  refuseTwice(tool);
  needSecure(exposedTo);
  return schema;
}

/** What a value of WebMCP is as a result of MCP. */
function toResult(value) {
  if (Array.isArray(value?.content)) return value;
  const result = { content: [{ type: "text", text: toText(value) }] };
  if (isObject(value)) result.structuredContent = value;
  return result;
}

const toText = (value) => typeof value === "string" ? value
  : typeof value === "object" ? JSON.stringify(value) : String(value);

/** A tool of WebMCP becomes one of the page. Its schema is told, not checked: as browsers do. */
function adopt(tool, schema, signal, native) {
  const { execute, annotations: hints = {} } = tool;
  const json = () => schema ?? { type: "object", properties: {} };
  const handle = pageTools.register(String(tool.name), {
    title: tool.title, description: tool.description,
    annotations: { readOnlyHint: hints.readOnlyHint, destructiveHint: hints.consequentialHint },
    _meta: hints.untrustedContentHint ? { untrustedContentHint: true } : undefined,
    inputSchema: { "~standard": { version: 1, vendor: "webmcp",
      validate: (value) => ({ value }), jsonSchema: { input: json, output: json } } },
  }, async (input, extra) => {
    try {
      return toResult(await execute(input, { signal: extra.signal }));
    } catch (error) {
      return { content: [{ type: "text", text: String(error?.message ?? error) }], isError: true };
    }
  });
  executes.set(handle, { execute, schema, native });
  signal?.addEventListener("abort", () => handle.remove());
}

// Browsers of before gave and took JSON text.
const objectOf = (input) => (typeof input === "string" ? JSON.parse(input) : input);

/** Runs a tool for an agent: the value of one registered here, the result of another. */
async function execute(tool, input, signal) {
  const own = executes.get(tool);
  if (own) return own.execute(input, { signal });
  const result = await tool.handler(input, { signal, mcpReq: { signal } });
  if (result.isError) throw new Error(result.content?.[0]?.text ?? "The tool failed.");
  return result;
}

async function schemaOf(tool) {
  const own = executes.get(tool);
  if (own) return own.schema;
  return tool.inputSchema && standardSchemaToJsonSchema(tool.inputSchema, "input");
}

const hintsOf = ({ annotations, _meta }) => ({
  readOnlyHint: annotations?.readOnlyHint === true,
  untrustedContentHint: _meta?.untrustedContentHint === true,
  consequentialHint: annotations?.destructiveHint === true,
  debugging: false,
});

// ---- The place of the browser's ------------------------------------------------------

export class ModelContext extends EventTarget {
  ontoolchange = null;
  ontoolactivated = null;
  ontoolcancel = null;

  constructor() {
    super();
    followPublished(() => this.#tell("toolchange"));
  }

  #tell(type, toolName) {
    const event = Object.assign(new Event(type), { toolName });
    this.dispatchEvent(event);
    this[`on${type}`]?.(event);
  }

  get [Symbol.toStringTag]() {
    return "ModelContext";
  }

  async registerTool(tool, options) {
    adopt(tool, checkTool(tool, options), options?.signal);
  }

  async getTools({ fromOrigins } = {}) {
    needSecure(fromOrigins);
    const tools = [...publishedTools()].sort(([a], [b]) => (a < b ? -1 : 1));
    return Promise.all(tools.map(async ([name, tool]) => {
      const { title = "", description = "" } = tool;
      const found = { name, title, description, window, origin: window.origin };
      const schema = await schemaOf(tool);
      if (schema) found.inputSchema = structuredClone(schema);
      const hints = hintsOf(tool);
      if (Object.values(hints).includes(true)) found.annotations = hints;
      return found;
    }));
  }

  /** `input` is an object, or its JSON text, as browsers had it before. */
  async executeTool(asked, input = {}, { signal } = {}) {
    needMembers(asked, "description", "name", "origin", "title", "window");
    const object = objectOf(input);
    if (!isObject(object)) refuse("The input is not an object.");
    signal?.throwIfAborted();
    const tool = publishedTools().get(asked.name) ??
      refuse(`Tool ${asked.name} not found`, "UnknownError");
    const stop = new AbortController();
    this.#tell("toolactivated", asked.name);
    return new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => {
        reject(signal.reason);
        stop.abort();
        this.#tell("toolcancel", asked.name);
      });
      execute(tool, object, stop.signal).then((value) => resolve(toText(value)), () =>
        reject(new DOMException("The tool failed.", "UnknownError")));
    });
  }
}

// ---- The browser's own ---------------------------------------------------------------

/** Keeps the browser's tools at those of the page. `forbidden()`: its policy forbids that. */
function feed(native, register, forbidden) {
  const fed = new Map(); // the text of a tool: its name, and what takes it out again
  const offer = async (name, tool, stop) => {
    try {
      const inputSchema = await schemaOf(tool);
      if (stop.signal.aborted) return;
      await register({
        name, title: tool.title, description: tool.description || tool.title || name,
        ...inputSchema && { inputSchema }, annotations: hintsOf(tool),
        // The tool of now: one that was registered anew may look the same.
        execute: (input, { signal } = {}) =>
          execute(publishedTools().get(name), objectOf(input ?? {}), signal),
      }, { signal: stop.signal });
    } catch (error) {
      if (error.name === "NotAllowedError") end();
      else if (error.name !== "AbortError")
        console.warn(`Tool ${name}: the browser leaves it out (${error.message})`);
    }
  };
  const sync = () => {
    const now = new Map([...publishedTools()].map((row) => [rowOf(row), row]));
    for (const [text, [name, stop]] of fed) {
      if (now.has(text)) continue;
      stop.abort();
      native.unregisterTool?.(name); // browsers of before
      fed.delete(text);
    }
    for (const [text, [name, tool]] of now) {
      if (fed.has(text) || executes.get(tool)?.native) continue;
      const stop = new AbortController();
      fed.set(text, [name, stop]);
      offer(name, tool, stop);
    }
  };
  const unfollow = followPublished(sync);
  const end = () => {
    unfollow();
    forbidden();
  };
  sync();
}

/**
 * What is registered with the browser's own becomes a tool of the page, too. Returns what
 * registers with the browser alone.
 */
function listen(native, place) {
  const register = native.registerTool;
  native.registerTool = async (...given) => {
    const [tool, options] = given;
    if (tool) refuseTwice(tool);
    try {
      await register.apply(native, given);
    } catch (error) {
      if (error.name !== "NotAllowedError") throw error;
      return place().registerTool(...given);
    }
    adopt(tool, copySchema(tool.inputSchema), options?.signal, true);
  };
  return register.bind(native);
}

let installed = false;

/** Gives the document a modelContext with the tools of the page; once. */
export function installModelContext() {
  const native = document.modelContext;
  if (installed) return native;
  installed = true;
  let shim;
  const place = () => {
    shim ??= new ModelContext();
    Object.defineProperty(document, "modelContext",
      { configurable: true, enumerable: true, value: shim });
    return shim;
  };
  const policy = document.featurePolicy;
  const forbidden = policy?.features().includes("tools") && !policy.allowsFeature("tools");
  if (native && !forbidden) feed(native, listen(native, place), place);
  else place();
  const before = navigator.modelContext;
  if (!native && before) feed(before, before.registerTool.bind(before), () => {});
  return document.modelContext;
}

if (globalThis.document) installModelContext();
