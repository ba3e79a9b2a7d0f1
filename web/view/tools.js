// SPDX-License-Identifier: Apache-2.0
//
// The tools of a page: functions that a model may call, and the page's own buttons too.
// One registry, `pageTools`, serves the host (app.js), document.modelContext
// (modelcontext.js) and the page. A tool may be registered before there is an App. An App
// has a registry of its own besides, which only its host sees.
import { parse, SdkError } from "./peer.js";
import { fromJsonSchema } from "./schema.js";

const TARGET = { target: "draft-2020-12" }; // the JSON Schema that MCP has
const standard = new WeakMap(); // plain schema: its Standard Schema

/** `schema` as a Standard Schema: zod and its like as they are. */
function standardOf(schema) {
  if (schema["~standard"]) return schema;
  if (!standard.has(schema)) standard.set(schema, fromJsonSchema(schema));
  return standard.get(schema);
}

/** The value that `schema` makes of `value`. Throws `prefix` and what is wrong with it. */
const parsed = (schema, value, prefix) =>
  parse(standardOf(schema), value, (why) => new Error(prefix + why));

/** As of @modelcontextprotocol/ext-apps: the JSON Schema of a Standard Schema. */
export async function standardSchemaToJsonSchema(schema, io) {
  const { vendor, jsonSchema } = standardOf(schema)["~standard"];
  if (jsonSchema) return jsonSchema[io](TARGET);
  throw new Error(`Schema (vendor: ${vendor}) does not implement Standard JSON Schema ` +
    "(~standard.jsonSchema). Use a library that does (zod v4, ArkType, Valibot) or wrap your " +
    "schema accordingly.");
}

// MCP wants the word `type` in the schema of arguments, which are always an object.
async function argumentsOf(schema) {
  if (!schema) return { type: "object", properties: {} };
  const json = await standardSchemaToJsonSchema(schema, "input");
  return json.type === undefined ? { ...json, type: "object" } : json;
}

/** A tool as `tools/list` has it. */
async function describe(name, tool) {
  const { title, description, inputSchema, outputSchema, annotations, _meta } = tool;
  return {
    name, title, description, inputSchema: await argumentsOf(inputSchema),
    ...outputSchema &&
      { outputSchema: await standardSchemaToJsonSchema(outputSchema, "output") },
    ...annotations && { annotations }, ..._meta && { _meta },
  };
}

// A schema as a list shows it: two that say the same are the same.
function textOf(schema, io) {
  const { jsonSchema } = schema?.["~standard"] ?? {};
  try {
    return jsonSchema ? jsonSchema[io](TARGET) : schema;
  } catch (error) {
    return error.message; // JSON Schema has no words for it: tools/list says so
  }
}

/** All that lists tell of a tool, as one text: a change of anything else changes no list. */
export const rowOf = ([name, tool]) => JSON.stringify([name, tool.title, tool.description,
  textOf(tool.inputSchema, "input"), textOf(tool.outputSchema, "output"), tool.annotations,
  tool._meta]);

// ---- Changes ---------------------------------------------------------------------

const watchers = new Map(); // watcher: {tools(), told}
let waiting = false;

const textOfList = (tools) => tools().map(rowOf).join();

/** Calls `watcher()` once after all changes of `tools()` that a microtask makes. */
export function watch(tools, watcher) {
  watchers.set(watcher, { tools, told: textOfList(tools) });
  return () => watchers.delete(watcher);
}

function changed() {
  if (waiting) return;
  waiting = true;
  queueMicrotask(() => {
    waiting = false;
    for (const [watcher, watched] of [...watchers]) {
      const now = textOfList(watched.tools);
      if (now === watched.told) continue;
      watched.told = now;
      watcher();
    }
  });
}

// ---- The registry ----------------------------------------------------------------

/** Refuses a plain schema that the interpreter does not know in full. */
function check(name, { inputSchema, outputSchema }) {
  const refuse = (why) => {
    throw new SdkError("SCHEMA_REFUSED", `Tool ${name}: ${why}`);
  };
  try {
    for (const schema of [inputSchema, outputSchema]) if (schema) standardOf(schema);
  } catch (error) {
    refuse(error.message);
  }
  if (!inputSchema?.["~standard"] && (inputSchema?.type ?? "object") !== "object")
    refuse("the type of an inputSchema is object.");
}

/** The names that hosts take. */
export const NAME = /^[\w.-]{1,128}$/;

function found(name, tool) {
  if (!tool) throw new Error(`Tool ${name} not found`);
  return tool;
}

/** Tools by their names, in the order of their registration. */
export class ToolRegistry {
  #tools = new Map();
  #shared; // another registry, whose tools are here too

  constructor(shared) {
    this.#shared = shared;
  }

  /**
   * Registers a tool: `callback(args, extra)`, or `callback(extra)` if `config` has no
   * inputSchema. Schemas are plain JSON Schema or any Standard Schema.
   */
  register(name, config, callback) {
    if (this.get(name)) throw new Error(`Tool ${name} is already registered`);
    check(name, config);
    // Hosts tell their own console alone (web/host/tools.js).
    if (!NAME.test(name))
      console.warn(`Tool ${name}: Illegal name, hosts leave it out`);
    const tools = this.#tools;
    const takesArguments = config.inputSchema !== undefined;
    const tool = {
      ...config,
      enabled: true,
      enable() {
        this.update({ enabled: true });
      },
      disable() {
        this.update({ enabled: false });
      },
      update(changes) {
        check(name, changes);
        Object.assign(this, changes);
        changed();
      },
      remove() {
        // A handle of a tool that has been registered anew is a handle of nothing.
        if (tools.get(name) === tool) tools.delete(name);
        changed();
      },
      async handler(args, extra) {
        if (!tool.enabled) throw new Error(`Tool ${name} is disabled`);
        if (!takesArguments) return finish(name, tool, await callback(extra));
        const input = tool.inputSchema === undefined ? args ?? {}
          : await parsed(tool.inputSchema, args ?? {}, `Invalid input for tool ${name}: `);
        return finish(name, tool, await callback(input, extra));
      },
    };
    tools.set(name, tool);
    changed();
    return tool;
  }

  get(name) {
    return this.#tools.get(name) ?? this.#shared?.get(name);
  }

  /** [name, tool] of the tools that are enabled. */
  enabled() {
    const all = [...this.#shared?.enabled() ?? [], ...this.#tools];
    // An App may have taken a name first that the page took later: its own tool counts.
    return all.filter(([name, tool]) => tool.enabled && this.get(name) === tool);
  }

  get size() {
    return this.#tools.size + (this.#shared?.size ?? 0);
  }

  list() {
    return Promise.all(this.enabled().map(([name, tool]) => describe(name, tool)));
  }

  /** Runs a tool: the one way by which hosts, agents and buttons do. */
  async call(name, args, extra = {}) {
    return found(name, this.get(name)).handler(args, extra);
  }
}

// A result without content is one with none; a result of undefined is no message at all.
async function finish(name, { outputSchema }, result) {
  const found = result ?? { content: [] };
  if (!outputSchema || found.isError) return found;
  return { ...found, structuredContent: await parsed(outputSchema, found.structuredContent,
    `Invalid output for tool ${name}: `) };
}

/** The tools of this page. */
export const pageTools = new ToolRegistry();

/** Registers a tool of the page, for every App of it and for document.modelContext. */
export const registerTool = (name, config, callback) =>
  pageTools.register(name, config, callback);

// ---- What document.modelContext shows ---------------------------------------------

const published = new Set([pageTools]);

/** Shows the tools of a registry to document.modelContext, until `hide`. */
export function publish(registry) {
  published.add(registry);
  changed();
}

export function hide(registry) {
  published.delete(registry);
  changed();
}

/** name: tool, of all published registries; those of the page count first. */
export const publishedTools = () =>
  new Map([...published].reverse().flatMap((registry) => registry.enabled()));

/** Runs a tool of the page or of its Apps as the host would: for buttons. */
export async function callTool(name, args, extra = {}) {
  return found(name, publishedTools().get(name)).handler(args, extra);
}

/** Calls `follower()` after each change of what is published. */
export const followPublished = (follower) => watch(() => [...publishedTools()], follower);
