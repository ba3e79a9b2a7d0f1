// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are shown with fewer digits than they have are copied with all of them.

import { shownOf } from "./number.js";

let begun = false;

// Whether a copied element is the whole of what is shown, and not a part of its digits.
const isWhole = ({ dataset, textContent }) => textContent === shownOf(dataset.exact);

function exactIn(fragment) {
  const rounded = [...fragment.querySelectorAll("[data-exact]")].filter(isWhole);
  for (const one of rounded) one.textContent = one.dataset.exact;
  return rounded.length > 0;
}

// The text of a fragment as the browser would copy it, tabs between cells included.
function textOf(fragment) {
  const holder = document.createElement("div");
  holder.append(fragment);
  Object.assign(holder.style, { position: "fixed", left: "-99rem" });
  document.body.append(holder);
  const text = holder.innerText;
  holder.remove();
  return text;
}

/** From now on numbers that are selected and copied have all of their digits. */
export function copyExact() {
  if (begun) return;
  begun = true;
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (selection.isCollapsed || selection.rangeCount !== 1) return;
    const range = selection.getRangeAt(0);
    const around = range.commonAncestorContainer;
    const inside = (around.closest ? around : around.parentElement)?.closest("[data-exact]");
    const fragment = range.cloneContents();
    const alone = inside && range.toString() === shownOf(inside.dataset.exact);
    if (!alone && !exactIn(fragment)) return;
    event.clipboardData.setData("text/plain",
      alone ? inside.dataset.exact : textOf(fragment));
    event.preventDefault();
  });
}
