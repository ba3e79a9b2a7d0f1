// SPDX-License-Identifier: Apache-2.0
//
// Items below each other.
import { element, objects } from "./widget_elements.js";
import { itemParts } from "./widget_items.js";

export function render({ items, currency }) {
  const all = objects(items, 100);
  if (!all.length) return null;
  return [element("ul", { className: "items" }, all.map((item) => {
    const { image, words, end } = itemParts(item, currency, false);
    return element("li", {}, image, words, end);
  }))];
}
