// SPDX-License-Identifier: Apache-2.0
//
// A message as text: JSON in which every character can be seen. What a view sends is
// foreign, so that a value which is too large, too deep or no JSON gives a reason instead.

import { asJson } from "../view/peer.js";
import { HIDDEN } from "../host/tools.js";

const escaped = (text) => text.replace(/[^]/g, (unit) =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The JSON text of a value; what hides or reorders text is written as \uXXXX. Throws. */
export const jsonText = (value, indent) =>
  (JSON.stringify(asJson(value), null, indent) ?? "null").replace(HIDDEN, escaped);

/** {text, size, cut}: at most `most` characters of it; without a size, the reason. */
export function textOf(value, most, indent) {
  try {
    const text = jsonText(value, indent);
    return { text: text.slice(0, most), size: text.length, cut: text.length > most };
  } catch (error) {
    return { text: error.message, size: undefined, cut: true };
  }
}
