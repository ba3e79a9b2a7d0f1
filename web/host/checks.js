// SPDX-License-Identifier: Apache-2.0
//
// The parameters of what a view sends: a shape for each method, and the text of the refusal
// as the official host writes it.

import { DISPLAY_MODES } from "../view/protocol.js";
import { ProtocolError } from "../view/peer.js";
import { shown } from "./tools.js";

// A shape is the name of a type, a list of one shape (an array), an object of shapes (a name
// that ends with "?" may be absent), or a function that returns what is wrong.

const wrong = "Invalid input";
const mode = (value) => DISPLAY_MODES.includes(value) ? undefined : wrong;
const level = (value) => ["debug", "info", "notice", "warning", "error", "critical", "alert",
  "emergency"].includes(value) ? undefined : wrong;

// The blocks of content: what each must have.
const media = { data: "string", mimeType: "string" };
const blocks = {
  text: { text: "string" },
  image: media,
  audio: media,
  resource_link: { uri: "string", name: "string" },
  resource: {
    resource: (value) => faults({ uri: "string" }, value).length === 0 &&
      (typeof value.text === "string" || typeof value.blob === "string") ? undefined : wrong,
  },
};
const oneOf = (...types) => (value) =>
  types.includes(value?.type) && faults(blocks[value.type], value).length === 0 ? undefined
    : wrong;
const content = [oneOf(...Object.keys(blocks))];
const page = { "cursor?": "string" };
const anything = () => undefined;

const SHAPES = {
  "ui/initialize": {
    appInfo: { name: "string", version: "string", "title?": "string" },
    appCapabilities: {
      "experimental?": "record",
      "tools?": { "listChanged?": "boolean" },
      "availableDisplayModes?": [mode],
    },
    protocolVersion: "string",
  },
  "ui/open-link": { url: "string" },
  "ui/download-file": { contents: [oneOf("resource", "resource_link")] },
  "ui/message": { role: (value) => value === "user" ? undefined
    : `${wrong}: expected "user"`, content },
  "ui/update-model-context": { "content?": content, "structuredContent?": "record" },
  "ui/request-display-mode": { mode },
  "ui/notifications/size-changed": { "width?": "number", "height?": "number" },
  "notifications/message": { level, "logger?": "string", data: anything },
  "tools/call": { name: "string", "arguments?": "record" },
  "tools/list": page,
  "resources/list": page,
  "resources/templates/list": page,
  "resources/read": { uri: "string" },
  "prompts/list": page,
  "sampling/createMessage": { messages: [{ role: "string" }], maxTokens: "number" },
};

const typeOf = (value) => value === null ? "null" : Array.isArray(value) ? "array"
  : typeof value;

function fault(expected, value) {
  const received = typeOf(value);
  return received === (expected === "record" ? "object" : expected) ? []
    : [["", `${wrong}: expected ${expected}, received ${received}`]];
}

// What is wrong with `value`: pairs of a path and a text.
function faults(shape, value) {
  if (typeof shape === "string") return fault(shape, value);
  if (typeof shape === "function") {
    const text = shape(value);
    return text ? [["", text]] : [];
  }
  const list = Array.isArray(shape);
  const found = fault(list ? "array" : "object", value);
  if (found.length) return found;
  const under = (name, inner, item) => faults(inner, item).map(([path, text]) =>
    [path ? `${name}.${path}` : String(name), text]);
  if (list) return value.flatMap((item, i) => under(i, shape[0], item));
  return Object.keys(shape).flatMap((key) => {
    const name = key.replace("?", "");
    return name !== key && value[name] === undefined ? []
      : under(name, shape[key], value[name]);
  });
}

/** The parameters themselves, {} for absent ones; throws -32602 with every fault. */
export function checked(method, params = {}) {
  const found = faults(SHAPES[method] ?? {}, params);
  if (found.length)
    throw new ProtocolError(-32602, shown(`Invalid params for ${method}: ` +
      found.map(([path, text]) => `${path}: ${text}`).join(", ")));
  return params;
}
