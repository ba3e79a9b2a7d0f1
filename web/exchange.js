// SPDX-License-Identifier: Apache-2.0
//
// An exchange of the Inspector as text: what is shown of it, a command of curl, and a
// transcript as tests/wire has them.
import { below } from "./ask.js";
import { parse, stringify } from "./exact.js";

const UNITS = ["B", "kB", "MB", "GB"];

/** A number of bytes, short. */
export function sizeOf(bytes) {
  let at = 0;
  for (; bytes >= 1000 && at < UNITS.length - 1; at++) bytes /= 1000;
  return `${at === 0 ? bytes : bytes.toFixed(1)} ${UNITS[at]}`;
}

/** How long an exchange took; "open" while it is not over. */
export function timeOf({ duration_us: took }) {
  if (took === undefined) return "open";
  return took < 1e6 ? `${(took / 1000).toFixed(1)} ms` : `${(took / 1e6).toFixed(2)} s`;
}

/** What was asked, in a few words: [the method, and whose]. */
export const wordsOf = ({ method, name, verb, path }) =>
  method ? [method, name ?? ""] : [verb, path];

// ---- What is shown ---------------------------------------------------------------

function prettyJson(text) {
  try {
    return stringify(parse(text), 2);
  } catch {
    return text; // it is cut, or no JSON
  }
}

/** The data of each event of a stream. */
export const dataOf = (text) => text.split("\n\n").map((event) =>
  event.split("\n").filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).replace(/^ /, "")).join("\n")).filter(Boolean);

const prettyEvent = (event) => event.split("\n").map((line) =>
  line.startsWith("data:") ? `data: ${prettyJson(line.slice(5).trim())}` : line)
  .join("\n");

/** A body as people read it. */
export function prettyOf({ text, cut }, type, bytes) {
  const shown = type?.startsWith("text/event-stream")
    ? text.split("\n\n").map(prettyEvent).join("\n\n") : prettyJson(text);
  return cut ? `${shown}\n… cut: the Inspector keeps ${text.length} of ${bytes} bytes`
    : shown;
}

// ---- curl ------------------------------------------------------------------------

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The headers that a request is sent again with. */
export const headersOf = ({ headers }) => Object.fromEntries(headers
  .filter(({ name }) => !/^(accept-encoding|user-agent|traceparent)$/i.test(name))
  .map(({ name, value }) => [name, value]));

export function curlOf(exchange) {
  const { verb, path, session, request, surface } = exchange;
  const parts = [`curl -gsN ${quote(below(path.slice(1)))}`];
  if (verb !== (request.text ? "POST" : "GET")) parts.push(`-X ${quote(verb)}`);
  for (const [name, value] of Object.entries(headersOf(exchange)))
    parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (surface === "mcp" && session) parts.push("-H \"Mcp-Session-Id: $SESSION\"");
  if (request.text) parts.push(`--data-raw ${quote(request.text)}`);
  const command = parts.join(" \\\n  ");
  return surface === "mcp" && session
    ? `# SESSION is the Mcp-Session-Id that the reply to initialize has (${session}…).\n` +
      command : command;
}

// ---- Transcripts -------------------------------------------------------------------

const ANY = "\u{1}any\u{1}"; // stands for "..."

// What another run has otherwise: who the server is, and sealed states.
function pattern(text) {
  const value = parse(text);
  if (value?.result?._meta) value.result._meta = ANY;
  if (value?.result?.serverInfo) value.result.serverInfo = ANY;
  if (value?.result?.requestState) value.result.requestState = ANY;
  return stringify(value).replaceAll(JSON.stringify(ANY), "...");
}

// In a transcript "$" begins what the runner puts in.
const sent = (text) => stringify(parse(text)).replaceAll("$", "\\u0024");

const handshake = (version) => [
  `> {"jsonrpc":"2.0","id":"handshake","method":"initialize","params":` +
  `{"protocolVersion":"${version}","capabilities":{"elicitation":{},"sampling":{},` +
  `"roots":{}},"clientInfo":{"name":"transcript","version":"1"}}}`,
  `< {"jsonrpc":"2.0","id":"handshake","result":{"protocolVersion":"${version}", ...}}`];

function repliesOf({ status, type, reply }) {
  const code = status === 200 ? "" : `${status} `;
  if (!reply.text) return [`< ${status}`];
  const messages = type?.startsWith("text/event-stream")
    ? dataOf(reply.text) : [reply.text];
  return messages.map((text) => `< ${code}${pattern(text)}`);
}

/** A transcript of the exchange; throws where one cannot say it. */
export function transcriptOf(exchange) {
  const { surface, verb, path, version, method, session, request, reply } = exchange;
  if (surface === "sse")
    throw new Error("a transcript has no client of 2024-11-05 over HTTP");
  if (request.cut || reply.cut)
    throw new Error("the Inspector has only a part of it");
  if (surface === "mcp" && verb !== "POST")
    throw new Error("only messages that were posted can be in a transcript");
  const lines = [`title: ${wordsOf(exchange).join(" ").trim()}`, "over: http", ""];
  if (surface === "rest") {
    for (const [name, value] of Object.entries(headersOf(exchange)))
      lines.push(`>@ ${name}: ${value}`);
    lines.push(`> ${verb} ${path}${request.text ? ` ${sent(request.text)}` : ""}`);
  } else {
    if (session && method !== "initialize") lines.push(...handshake(version));
    for (const [name, value] of Object.entries(headersOf(exchange)))
      if (/^mcp-param-/i.test(name)) lines.push(`>@ ${name}: ${value}`);
    lines.push(`> ${sent(request.text)}`);
  }
  return `${[...lines, ...repliesOf(exchange)].join("\n")}\n`;
}
