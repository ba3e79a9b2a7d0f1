// SPDX-License-Identifier: Apache-2.0
//
// Tools: which of the server's a view may call, and what of a view's own tools a host can
// show and hand to a model.

import { RESOURCE_URI_META_KEY } from "../view/protocol.js";
import { asJson, SdkError } from "../view/peer.js";
import { limits } from "./limits.js";

// ---- Tools of the server

/** The address of a tool's view; throws if it is not a `ui://` address. */
export function getToolUiResourceUri(tool) {
  const uri = tool._meta?.ui?.resourceUri ?? tool._meta?.[RESOURCE_URI_META_KEY];
  if (uri === undefined) return undefined;
  if (typeof uri === "string" && uri.startsWith("ui://")) return uri;
  throw new Error(`Invalid UI resource URI: ${JSON.stringify(uri)}`);
}

const only = (word) => (tool) => {
  const visibility = tool._meta?.ui?.visibility;
  return visibility?.length === 1 && visibility[0] === word;
};
export const isToolVisibilityModelOnly = only("model");
export const isToolVisibilityAppOnly = only("app");

/** Whether a view may call the tool: always, where its server says nothing of visibility. */
export function isToolVisibleToApp(tool) {
  const visibility = tool._meta?.ui?.visibility;
  return visibility === undefined || (Array.isArray(visibility) && visibility.includes("app"));
}

// ---- Tools of a view

// Control, format, private and unassigned characters and lone surrogates, and the other
// characters that show nothing: fillers and variation selectors of ideographs. Lines and
// tabs stay.
export const HIDDEN = /(?![\n\t])[\p{C}\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}]/gu;

/** The text without characters that hide or reorder it, cut to `most` characters. */
export function shown(text, most = limits.toolText) {
  const first = text.slice(0, 8 * most); // a long text takes no longer
  const clean = first.replace(HIDDEN, "");
  return clean.length > most || first.length < text.length
    ? `${clean.slice(0, most - 1)}…` : clean;
}

function cleaned(value, key = "the tool") {
  if (typeof value === "string") return shown(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => {
    if (shown(name) !== name)
      throw new SdkError("TOOL_TEXT", `a name in ${key} has hidden characters`);
    return [name, cleaned(item, name)];
  }));
}

function cleanTool(tool) {
  const { name } = tool ?? {};
  if (typeof name !== "string" || !/^[A-Za-z0-9_.-]+$/.test(name) ||
      name.length > limits.toolName)
    throw new SdkError("TOOL_NAME", `a name is 1 to ${limits.toolName} of A-Z a-z 0-9 _ . -`);
  return cleaned(asJson(tool, limits.toolSize));
}

/**
 * A page of a view's tools as a host may show them, at most `left` of them. `report` is told
 * of each tool that is left out.
 */
export function cleanTools(result, left, report) {
  const tools = [];
  if (!Array.isArray(result.tools))
    throw new SdkError("INVALID_RESULT", 'tools/list: the view sent no list of tools.');
  for (const tool of result.tools.slice(0, left)) {
    try {
      tools.push(cleanTool(tool));
    } catch (error) {
      report(new SdkError(error.code, "A tool of the view was left out " +
        `(${shown(String(tool?.name), 40)}): ${error.message}`));
    }
  }
  if (result.tools.length > left)
    report(new SdkError("TOO_MANY_TOOLS", `A view may have ${limits.tools} tools; ` +
      `${result.tools.length - left} were left out.`));
  return { ...result, tools };
}

/** The result of a view's tool, within its bounds. */
export function boundedResult(result) {
  try {
    asJson(result, limits.resultSize);
  } catch (error) {
    throw new SdkError("RESULT_TOO_LARGE",
      `The result of the view's tool was refused: ${error.message}`);
  }
  return result.content === undefined ? { content: [], ...result } : result;
}
