// SPDX-License-Identifier: Apache-2.0
//
// How many tokens of a model a result or a list of tools takes, estimated: each model has a
// tokenizer of its own. A token is taken as four characters of ASCII, or one and a half of
// others. Images and sounds are not counted: what they take depends on the model alone.

import { isObject } from "../view/peer.js";
import { limits } from "./tool_limits.js";

/** The estimate for a text. */
export function tokensOfText(text) {
  const ascii = text.replace(/[^\0-\x7f]+/g, "").length;
  return Math.ceil(ascii / 4 + (text.length - ascii) / 1.5);
}

const tokensOf = (value) => tokensOfText(JSON.stringify(value) ?? "");

function tokensOfBlock(block) {
  if (typeof block?.text === "string") return tokensOfText(block.text);
  if (typeof block?.data === "string") return 0;
  if (typeof block?.resource?.blob === "string") return 0;
  return tokensOf(block);
}

/** The estimate for a result: its content, and its structured content if that says more. */
export function tokensOfResult({ content, structuredContent } = {}) {
  const blocks = Array.isArray(content) ? content : [];
  const said = blocks.reduce((sum, block) => sum + tokensOfBlock(block), 0);
  return Math.max(said, structuredContent === undefined ? 0 : tokensOf(structuredContent));
}

/** The estimate for a list of tools: what a model reads of each. */
export const tokensOfTools = (tools) => tools.filter(isObject).reduce((sum, tool) =>
  sum + tokensOf([tool.name, tool.description, tool.inputSchema]), 0);

const ADVICE = {
  result: "Return less, in pages, or let the view fetch its data by a tool for apps " +
    "(.audience = MICA_APP); what is for the view alone belongs into _meta.",
  tools: "Offer fewer tools, shorten descriptions and schemas, or serve groups of tools at " +
    "addresses of their own.",
};

/** A warning about that many tokens in a "result" or in "tools", or undefined. */
export function tokenWarning(kind, tokens) {
  if (tokens <= limits.tokensMany) return undefined;
  const what = kind === "result" ? "This result takes" : "The tools take";
  const limit = tokens > limits.tokensTooMany ? limits.tokensTooMany : limits.tokensMany;
  return { strong: tokens > limits.tokensTooMany,
    text: `${what} about ${tokens.toLocaleString("en")} tokens of a model, more than ` +
      `${limit.toLocaleString("en")}. ${ADVICE[kind]}` };
}
