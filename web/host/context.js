// SPDX-License-Identifier: Apache-2.0
//
// The host context: what a view is told about the page around it.

import { DISPLAY_MODES, STYLE_VARIABLES } from "../view/protocol.js";
import { SdkError } from "../view/peer.js";

/** Where style variables go that are not of the protocol: an official view refuses them. */
export const OTHER_VARIABLES = "mica/variables";

const WORDS = {
  theme: ["light", "dark"],
  displayMode: DISPLAY_MODES,
  platform: ["web", "desktop", "mobile"],
};

// Splits the style variables; returns the context itself where all are known.
function withKnownVariables(context) {
  const { variables } = context.styles ?? {};
  const known = {}, other = {};
  for (const [name, value] of Object.entries(variables ?? {}))
    (STYLE_VARIABLES.includes(name) ? known : other)[name] = value;
  return Object.keys(other).length === 0 ? context
    : { ...context, styles: { ...context.styles, variables: known },
        [OTHER_VARIABLES]: { ...context[OTHER_VARIABLES], ...other } };
}

/**
 * The context as every view accepts it. Throws if it has a word that the protocol does not
 * know, or a display mode that is not among those of the view (`modes`).
 */
export function acceptable(context, modes) {
  for (const [name, words] of Object.entries(WORDS))
    if (context[name] !== undefined && !words.includes(context[name]))
      throw new SdkError("INVALID_HOST_CONTEXT",
        `${name}: "${context[name]}" is not one of ${words.join(", ")}.`);
  if (modes && context.displayMode && !modes.includes(context.displayMode))
    throw new SdkError("DISPLAY_MODE_NOT_SUPPORTED",
      `The view offers ${modes.join(", ")}, not ${context.displayMode}.`);
  return withKnownVariables(context);
}

/** Equal as JSON, in any order of names. */
export function same(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return a === b;
  const names = Object.keys(a);
  return Array.isArray(a) === Array.isArray(b) && names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}

/** What changed, at the top; a key that is gone is undefined. Undefined: nothing did. */
export function difference(before, after) {
  const changed = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (!same(before[key], after[key])) changed[key] = after[key];
  return Object.keys(changed).length ? changed : undefined;
}
