// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people see them: about ten digits, in groups of three. The element of a number
// that is shown with fewer digits has all of them in its title (and see exact_copy.js).

import { element } from "./element.js";
import { Written } from "./exact.js";

const DIGITS = 10; // that a number with a fraction is shown with
const LEAST_PLACES = 2; // that stay also behind many digits, as of an amount
const SHORT = 5; // digits from which on a number is in groups by itself

/** A number as its JSON has it; Written has more digits than JavaScript. */
export const isNumber = (value) =>
  typeof value === "number" || value instanceof Written;

function placesOf(currency) {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency })
      .resolvedOptions().maximumFractionDigits;
  } catch {
    return 0;
  }
}

/** The places that amounts of a currency are shown with; 0 for other units. */
export const padOf = (unit) => /^[A-Z]{3}$/.test(unit ?? "") ? placesOf(unit) : 0;

// ---- Rounding --------------------------------------------------------------------

// By their text, as a double does not have all digits of Written.
function roundTo(whole, part, places) {
  if (part.length <= places) return `${whole}.${part}`;
  const up = part[places] >= "5" ? 1n : 0n;
  const digits = String(BigInt(whole + part.slice(0, places)) + up)
    .padStart(places + 1, "0");
  const at = digits.length - places;
  return `${digits.slice(0, at)}.${digits.slice(at)}`.replace(/\.?0+$/, "");
}

/** The text that people see of a number: its JSON, with at most about ten digits if it has
 * a fraction. */
export function shownOf(value) {
  const text = String(value);
  const [, sign, whole, part, power] =
    /^(-?)(\d+)\.(\d+)(e.*)?$/i.exec(text) ?? [];
  if (part === undefined) return text;
  const [zeros] = whole === "0" ? /^0*/.exec(part) : [""];
  const digits = whole === "0" ? 0 : whole.length;
  const places = Math.max(LEAST_PLACES, DIGITS + zeros.length - digits);
  if (part.length <= places) return text;
  return sign + roundTo(whole, part, places) + (power ?? "");
}

/** How many places a number is shown with behind its point. */
export const places = (value) =>
  /^-?\d+(?:\.(\d+))?$/.exec(shownOf(value))?.[1]?.length ?? 0;

// ---- Groups ----------------------------------------------------------------------

/** Whether a number is so long that it stands in groups of three digits, and so do those
 * beside it. */
export const isLongNumber = (value) =>
  isNumber(value) && /^-?\d+/.exec(String(value))[0].replace("-", "").length >= SHORT;

/** A number as nodes: groups of three digits apart if it is `grouped` or long, and room or
 * zeros for `pad` places. Their text is what is seen of it. */
export function number(value, { pad = 0, zeros = false, grouped = false } = {}) {
  const text = shownOf(value);
  const [, sign, digits, rest] = /^(-?)(\d+)(.*)$/.exec(text) ?? [];
  if (digits === undefined) return [text];
  const groups = grouped || isLongNumber(value)
    ? digits.match(/^\d{1,3}(?=(?:\d{3})+$)|\d{3}|^\d+$/g) : [digits];
  const nodes = groups.map((group, at) => at === 0 ? sign + group
    : element("span", { className: "digits" }, group));
  nodes.push(rest);
  const missing = pad - places(value);
  if (missing > 0 && !/e/i.test(text)) {
    const fill = element("span");
    fill.dataset[zeros ? "pad" : "room"] =
      (places(value) === 0 ? "." : "") + "0".repeat(missing);
    nodes.push(fill);
  }
  if (text === String(value)) return nodes;
  const whole = element("span", { title: String(value) }, ...nodes);
  whole.dataset.exact = String(value);
  return [whole];
}
