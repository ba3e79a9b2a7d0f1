// SPDX-License-Identifier: Apache-2.0
//
// A short text with a tone.
import { element, paragraphs, textOf, toneOf } from "./widget_elements.js";

export function render(data) {
  const points = (Array.isArray(data.points) ? data.points : []).slice(0, 12)
    .map(textOf).filter(Boolean).map((point) => element("li", {}, point));
  const text = paragraphs(data.text);
  if (!text.length && !points.length) return null;
  return [element("div", { className: `message ${toneOf(data)}` }, text,
    points.length ? element("ul", {}, points) : null)];
}
