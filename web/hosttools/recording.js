// SPDX-License-Identifier: Apache-2.0
//
// A recording: what a host and a view said, from the first message to the last, as a file.
// docs/hosting.md describes it. Its reader need not have made it, so that readRecording
// takes nothing for granted.

import { asJson, isObject, kindOf, SdkError } from "../view/peer.js";
import { shown } from "../host/tools.js";
import { limits } from "./tool_limits.js";
import { jsonText } from "./message_text.js";

const FORMAT = "mica-view-recording";
const VERSION = 1;
const MEMBERS = ["format", "version", "recorded", "view", "ignore", "messages"];

// What depends on fonts and windows, and not on what a view does.
const IGNORED = [{ method: "ui/notifications/size-changed" }];

// Between a host and its sandbox, which a replay has of its own.
export const SANDBOX = "ui/notifications/sandbox-";

const tooLarge = () => new SdkError("RECORDING_TOO_LARGE",
  `A recording has at most ${limits.recorded} messages and ${limits.recordingSize} characters.`);

// ---- Writing ---------------------------------------------------------------------

/** Keeps what passes, as text, until it is more than a file may have. */
export class Recorder {
  #view;
  #lines = [];
  #size = 0;
  #began;
  #fault;

  /** `view`: {uri, csp, permissions}, of the resource that is shown. */
  constructor(view) {
    this.#view = view;
  }

  get count() {
    return this.#lines.length;
  }

  add(from, message, at) {
    if (this.#fault || String(message?.method).startsWith(SANDBOX)) return;
    this.#began ??= at;
    try {
      if (kindOf(message) === undefined)
        throw new SdkError("RECORDING_FORM", `Message ${this.count + 1}, from the ${from}, ` +
          "is not JSON-RPC 2.0.");
      const line = `{ "from": "${from}", "ms": ${Math.round(at - this.#began)}, ` +
        `"message": ${jsonText(message)} }`;
      this.#size += line.length;
      if (this.count >= limits.recorded || this.#size > limits.recordingSize - 100_000)
        throw tooLarge();
      this.#lines.push(line);
    } catch (error) {
      this.#fault = error;
      this.#lines = [];
    }
  }

  /** The file. Throws if a message could not be kept: what is left would be no session. */
  text() {
    if (this.#fault) throw this.#fault;
    if (!this.#lines.some((line) => line.startsWith('{ "from": "view"')))
      throw new SdkError("RECORDING_EMPTY", "The view sent nothing yet.");
    const text = `{
  "format": "${FORMAT}",
  "version": ${VERSION},
  "recorded": "${new Date().toISOString()}",
  "view": ${jsonText(this.#view)},
  "ignore": ${jsonText(IGNORED)},
  "messages": [
    ${this.#lines.join(",\n    ")}
  ]
}
`;
    if (text.length > limits.recordingSize) throw tooLarge();
    return text;
  }
}

// ---- Reading ---------------------------------------------------------------------

const refuse = (code, message) => { throw new SdkError(code, message); };
const form = (message) => refuse("RECORDING_FORM", message);

function checkIgnored(ignore) {
  if (!Array.isArray(ignore)) form('"ignore" is no list.');
  for (const rule of ignore)
    if (typeof rule?.method !== "string" ||
        !(rule.pointer === undefined || /^\//.test(rule.pointer)))
      form('Each item of "ignore" has a "method", and may have a "pointer" that begins ' +
        'with "/".');
}

// Every reply has its request before it, and every message is one of JSON-RPC.
function checkMessages(messages) {
  if (!Array.isArray(messages) || messages.length === 0) form('"messages" is no list with items.');
  if (messages.length > limits.recorded) throw tooLarge();
  const open = new Set();
  messages.forEach((item, i) => {
    const where = `Message ${i + 1}`;
    const { from, ms, message } = item ?? {};
    if (from !== "host" && from !== "view") form(`${where}: "from" is neither host nor view.`);
    if (typeof ms !== "number" || !(ms >= 0)) form(`${where}: "ms" is no time.`);
    const kind = kindOf(message);
    if (kind === undefined) form(`${where} is not JSON-RPC 2.0.`);
    if (message.method?.startsWith(SANDBOX)) form(`${where} is one of a sandbox.`);
    try {
      asJson(message);
    } catch (error) {
      refuse(error.code, `${where}: ${error.message}`);
    }
    const key = (sender) => `${sender} ${typeof message.id} ${message.id}`;
    if (kind === "request") open.add(key(from));
    else if (kind !== "notification" && !open.delete(key(from === "host" ? "view" : "host")))
      form(`${where} answers no request.`);
  });
  if (messages[0].from !== "view")
    form("The first message is the host's: a session begins with ui/initialize of the view.");
}

/** The recording in the text of a file; throws what is wrong with it. */
export function readRecording(text) {
  let file;
  if (text.length > limits.recordingSize) throw tooLarge();
  try {
    file = JSON.parse(text);
  } catch (error) {
    refuse("RECORDING_NOT_JSON", `The recording is not JSON: ${error.message}`);
  }
  if (!isObject(file) || file.format !== FORMAT)
    form(`This is no recording: "format" is not "${FORMAT}".`);
  if (file.version !== VERSION)
    refuse("RECORDING_VERSION",
      `The recording has version ${shown(JSON.stringify(file.version) ?? "none", 40)}; ` +
      `this program reads version ${VERSION}. Record the session anew.`);
  for (const name of Object.keys(file))
    if (!MEMBERS.includes(name))
      form(`A recording has no member ${JSON.stringify(shown(name, 40))}.`);
  if (!isObject(file.view) || typeof file.view.uri !== "string" ||
      !file.view.uri.startsWith("ui://"))
    form('"view" has no "uri" that begins with ui://.');
  checkIgnored(file.ignore ?? []);
  checkMessages(file.messages);
  return { view: file.view, ignore: file.ignore ?? [], messages: file.messages };
}
