// SPDX-License-Identifier: Apache-2.0
//
// Cards side by side. The row scrolls by itself (touch, wheel, arrow keys when it has the
// focus); the buttons move it by one card.
import { button, element, objects, textOf } from "./widget_elements.js";
import { itemParts } from "./widget_items.js";

export function render({ title, items, currency }) {
  const all = objects(items, 30);
  if (!all.length) return null;
  const row = element("ul", { className: "row", tabIndex: 0, role: "list",
    "aria-label": textOf(title) || "Cards" }, all.map((item) => {
    const { image, words, end } = itemParts(item, currency, true);
    return element("li", {}, image, words, end);
  }));
  const go = (by) => {
    const [first, second] = row.children;
    const step = second ? second.offsetLeft - first.offsetLeft : row.clientWidth;
    row.scrollBy({ left: by * step });
  };
  const back = button("‹", "round", () => go(-1));
  const on = button("›", "round", () => go(1));
  back.ariaLabel = "Previous";
  on.ariaLabel = "Next";
  const turns = element("div", { className: "turns" }, back, on);
  // Where there is nothing more, a button says so, but keeps the focus.
  const update = () => {
    const most = row.scrollWidth - row.clientWidth, at = Math.abs(row.scrollLeft);
    turns.hidden = most < 2;
    back.ariaDisabled = String(at < 2);
    on.ariaDisabled = String(at > most - 2);
  };
  row.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(row);
  return [turns, row];
}
