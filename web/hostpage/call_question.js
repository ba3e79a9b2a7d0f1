// SPDX-License-Identifier: Apache-2.0
//
// What a person is asked before a view calls a tool of the server. What only reads is not
// asked about. An HTTP request that the tool http_request carries is judged by what it is: by
// its method, and by the tool that its path names.
import { isToolVisibilityAppOnly, shown } from "../host/tools.js";
import { fact, facts, long } from "./consent.js";
import { bytesOfBase64 } from "./files.js";
import { foreign, pretty, sizeOf } from "./elements.js";

const CARRIER = "http_request"; // of web/view/fetch.js and src/rest/http_request_tool.c
const SAFE = ["GET", "HEAD"]; // of HTTP: they change nothing
const NAMES = ["method", "url", "headers", "body", "bodyType"]; // that the dialog shows by itself

const onlyReads = (tool) => tool?.annotations?.readOnlyHint === true;

// A tool of another kind may have the name: that one has no address among its arguments.
const isCarrier = (tool) => tool?.name === CARRIER && isToolVisibilityAppOnly(tool) &&
  tool.inputSchema?.required?.includes("url");

const code = (text, most = 200) => foreign(shown(String(text), most), "code");

const factsOfTool = (tool, name) => [fact("Tool of the server", code(name, 128)),
  ...tool?.title ? [fact("Title", foreign(shown(tool.title, 200)))] : []];

// JSON is indented where that leaves nothing out: of a name that stands twice, another reader
// may take the other value.
function wordsOfText(text) {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? pretty(value) : text;
  } catch {
    return text;
  }
}

// A body that is base64 is shown as the text that the server reads.
function wordsOfBody({ body, bodyType }) {
  if (typeof body !== "string") return pretty(body);
  if (bodyType !== "base64") return wordsOfText(body);
  try {
    const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
    return wordsOfText(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return `${sizeOf(bytesOfBase64(body))} that are no text`;
  }
}

const hasBody = ({ body, bodyType }) => body !== undefined && body !== "" && bodyType !== "none";

const isEmpty = (value) => Object.keys(value ?? {}).length === 0;

// A path with an escape, or one that is not yet resolved, names no tool here: it is asked about.
function questionOfRequest(given, tools) {
  const { method = "GET", url, headers } = given;
  const path = String(url).split("?", 1)[0];
  const what = `${method} ${url}`;
  const name = /^\/api\/([\w.-]+)$/.exec(path)?.[1];
  const tool = tools.get(name);
  if (SAFE.includes(method) || (method === "POST" && onlyReads(tool))) return { what };
  const others = Object.fromEntries(Object.entries(given).filter(([key]) => !NAMES.includes(key)));
  return { what, question: { kind: `request ${method} ${path}`, yes: "Send",
    title: "Let this view send a request that may change something?",
    always: `${method} ${path}`,
    parts: [facts(fact("Method", code(method)), fact("Path", code(url, Infinity)),
      ...tool ? factsOfTool(tool, name) : []),
    ...hasBody(given) ? [long("Its body", wordsOfBody(given))] : [],
    ...isEmpty(headers) ? [] : [long("Its headers", pretty(headers))],
    ...isEmpty(others) ? [] : [long("The rest of it", pretty(others))]] } };
}

/**
 * A call of a tool by a view: `what` says it in a few words, and `question` is what
 * Consent.allows asks, or undefined where the call only reads. `tools` are the server's.
 */
export function questionOfCall({ name, arguments: given = {} }, tool, tools) {
  const what = `call ${name}`;
  if (isCarrier(tool)) return questionOfRequest(given, tools);
  if (onlyReads(tool)) return { what };
  return { what, question: { kind: what, yes: "Call", always: name,
    title: "Let this view call a tool that may change something?",
    parts: [facts(...factsOfTool(tool, name)), long("Its arguments", pretty(given))] } };
}
