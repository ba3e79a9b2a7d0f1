// SPDX-License-Identifier: Apache-2.0
//
// /api/apps: what the console asks of the server. Every answer is a value, or one of two
// errors: the server refused, or it could not be reached.
import { below, eventsOf } from "../ask.js";
import { unpressed } from "../press.js";

const PATIENCE_MS = 30_000;
const TEST_MS = 180_000; // a test runs the app, with its model

/** The server answered, and refused: {code, message, details}. */
export class Refusal extends Error {
  constructor({ code = "INTERNAL_ERROR", message = "The server gave no reason.", details },
    status) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.details = details ?? {};
    this.status = status;
  }

  /** Findings of a draft, if it is about one. */
  get findings() {
    return Array.isArray(this.details.findings) ? this.details.findings : [];
  }
}

/** There was no answer: no network, or no server. */
export class Unreachable extends Error {
  constructor(cause) {
    super("The server cannot be reached.", { cause });
    this.name = "Unreachable";
  }
}

/** The person has cancelled it. */
export class Cancelled extends Error {
  constructor() {
    super("It was cancelled.");
    this.name = "Cancelled";
  }
}

const jsonOf = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a page of a proxy, say
  }
};

function refusalOf(response, text) {
  const body = jsonOf(text);
  // Refusals that come before the apps are problem documents (RFC 9457).
  const error = body?.error ?? { code: body?.code, message: body?.detail ?? body?.title };
  return new Refusal({ ...error, message: error.message ??
    `The server answered ${response.status}${response.statusText && ` ${response.statusText}`}.` },
  response.status);
}

// Ends with the patience of the page, or when the person cancels.
function signalOf(patience, cancel) {
  const time = AbortSignal.timeout(patience);
  if (!cancel) return time;
  const both = new AbortController();
  for (const one of [cancel, time])
    one.addEventListener("abort", () => both.abort(one.reason), { once: true });
  return both.signal;
}

const isStream = (response) =>
  response.headers.get("Content-Type")?.startsWith("text/event-stream");

// The last event of a stream, {event, text}; `told` gets each progress before it.
async function lastOf(response, told) {
  for await (const { event, data } of eventsOf(response))
    if (event === "progress") told(jsonOf(data) ?? {});
    else if (event) return { event, text: data };
  throw new Error("the stream has no end");
}

/** Asks below /api/`root`; for the files beside this one. */
export async function ask(method, path, { body, revision, patience = PATIENCE_MS,
  page = false, root = "apps", cancel, told } = {}) {
  const headers = { Accept: page ? "text/html" : told ? "application/json, text/event-stream"
    : "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (revision !== undefined) headers["If-Match"] = `"${revision}"`;
  let response, text, event;
  try {
    response = await fetch(below(`api/${root}${path}`), { method, headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signalOf(patience, cancel) });
    if (told && isStream(response)) ({ event, text } = await lastOf(response, told));
    else text = await response.text();
  } catch (error) {
    if (cancel?.aborted) throw new Cancelled();
    throw new Unreachable(error);
  } finally {
    await unpressed(); // both are shown
  }
  if (event === "error" || event === "problem") throw refusalOf(response, text);
  // What stands before the server says so with these: its own refusals have a reason.
  if ([502, 503, 504].includes(response.status) && !jsonOf(text)) throw new Unreachable();
  if (!response.ok) throw refusalOf(response, text);
  return page ? text : jsonOf(text);
}

export const query = (values) => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length ? `?${new URLSearchParams(given)}` : "";
};
const one = (id) => "/" + encodeURIComponent(id);
const post = (id, act, body = {}, more = {}) => ask("POST", `${one(id)}/${act}`,
  { body, ...more });

export const list = (after) => ask("GET", query({ limit: 100, after }));
export const layouts = () => ask("GET", "/-/layouts");
/** A draft, or what exportApp gave. */
export const create = (draft) => ask("POST", "", { body: draft });
export const read = (id) => ask("GET", one(id));
export const edit = (id, patch, revision) => ask("PATCH", one(id),
  { body: patch, revision });
export const remove = (id) => ask("DELETE", one(id));
export const check = (id, draft) => post(id, "check", { draft });
export const preview = (id, draft) => post(id, "preview", { draft }, { page: true });
/** Runs the draft. `told` gets {progress, total, message}; `cancel` is an AbortSignal. */
export const test = (id, call, { cancel, told } = {}) => post(id, "test", call,
  { patience: TEST_MS, cancel, told });
/** Drafts an app from {sentence, name?, layoutTemplate?}; nothing is stored. */
export const draft = (request, { cancel, told } = {}) => ask("POST", "/-/draft",
  { body: request, patience: TEST_MS, cancel, told });
export const publish = (id, revision) => post(id, "publish", {}, { revision });
export const unpublish = (id) => post(id, "unpublish");
export const version = (id, number) => ask("GET", `${one(id)}/versions/${number}`);
export const rollback = (id, version) => post(id, "rollback", { version });
export const handOver = (id, owner) => post(id, "owner", { owner });
export const versions = (id, before) => ask("GET",
  `${one(id)}/versions${query({ limit: 50, before })}`);
export const difference = (id, from, to) => ask("GET",
  `${one(id)}/difference${query({ from, to })}`);
export const exportApp = (id) => ask("GET", `${one(id)}/export`);
export const usage = (id) => ask("GET", `${one(id)}/usage`);
