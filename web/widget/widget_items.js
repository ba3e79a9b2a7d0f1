// SPDX-License-Identifier: Apache-2.0
//
// The parts of an item, which lists and carousels place in their own way.
import { actionButton, badge, element, link, picture, textElement, textOf }
  from "./widget_elements.js";
import { formatted } from "./widget_format.js";

/** {image, head, text, act}: elements, or undefined. */
export function itemParts(item, currency, big) {
  const price = textOf(formatted(item.price, { format: "currency", currency }));
  return {
    image: picture(item.image, big ? "wide" : "thumb"),
    words: element("div", { className: "words" },
      element("h2", {}, link(item.title, item.url)), badge(item),
      textElement("p", "subtitle", item.subtitle),
      textElement("p", "more", item.description)),
    end: price || item.action ? element("div", { className: "end" },
      price ? element("span", { className: "price" }, price) : null,
      actionButton(item.action, "small")) : undefined,
  };
}
