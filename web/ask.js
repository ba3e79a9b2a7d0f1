// SPDX-License-Identifier: Apache-2.0
//
// A call on the server: what it comes to, and what it tells until then, as it comes.

import { unpressed } from "./press.js";

const MOST_LINES = 500; // of what is told

// This file is web/ask.js below the root of the server, wherever a proxy shows that.
const root = new URL("../", import.meta.url);

/** The address of a path below the root of the server, which has no "/" before it. */
export const below = (path) => root.href + path;

const find = (id) => document.getElementById(id);
const nameOf = (id) => `told ${id}`;
let lines = [];

// ---- What a call tells ---------------------------------------------------------

function addLine(line) {
  lines.push(line);
  const item = document.createElement("li");
  item.textContent = line;
  find("log").append(item);
  if (lines.length > MOST_LINES) {
    lines.shift();
    find("log").firstChild.remove();
  }
}

function showProgress({ progress, total }) {
  const bar = find("progress");
  bar.hidden = false;
  if (total === undefined) return bar.removeAttribute("value");
  bar.max = total;
  bar.value = progress;
}

/** Shows one thing that a call tells: "progress" or "log". */
export function tell(event, data) {
  if (event === "progress") showProgress(data);
  if (data.message) addLine(data.message);
}

/** Hides the progress: no call is working. */
export function quiet() {
  find("progress").hidden = true;
}

/** Forgets what was told, for another call. */
export function begin() {
  lines = [];
  find("log").replaceChildren();
  quiet();
}

/** Hands what was told on to the page of the call, and takes it there. */
export function handOn(id) {
  try {
    sessionStorage.setItem(nameOf(id), JSON.stringify(lines));
  } catch (error) {
    console.info(error); // it is full; the call continues without them
  }
}

export function takeOver(id) {
  for (const line of JSON.parse(sessionStorage.getItem(nameOf(id)) ?? "[]"))
    addLine(line);
}

// ---- Asking --------------------------------------------------------------------

function eventOf(text) {
  const found = { event: "", data: "" };
  for (const line of text.split("\n")) {
    const [, name, value] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    if (name in found) found[name] += value;
  }
  return found;
}

/** The events of a response, {event, data}, as they come. */
export async function* eventsOf(response) {
  const reader =
    response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (waiting + value).split("\n\n");
    waiting = parts.pop();
    await unpressed();
    yield* parts.map(eventOf);
  }
}

/** The text of a response, once the page may show it. */
export async function textOf(response) {
  const text = await response.text();
  await unpressed();
  return text;
}

const kindOf = ({ ok, status }) =>
  status === 202 ? "call" : ok ? "result" : "problem";

/** Posts JSON text; {kind, text}: "result", "call" (it asks, or continues by itself)
 * or "problem", and what the server says. */
export async function post(url, text) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: text,
  });
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream"))
    return { kind: kindOf(response), text: await textOf(response) };
  for await (const { event, data } of eventsOf(response))
    if (/^(progress|log)$/.test(event)) tell(event, JSON.parse(data));
    else if (event) return { kind: event, text: data };
  throw new Error("The server has not said how the call ended.");
}
