// SPDX-License-Identifier: Apache-2.0
//
// Rows and columns. A head sorts its column: up, down, as it came.
import { button, element, objects, textOf } from "./widget_elements.js";
import { formatted } from "./widget_format.js";

const FIRST = 25; // rows that are seen at first
const ORDERS = ["none", "ascending", "descending"];

const valueOf = (row, key) => (Object.hasOwn(row, key) ? row[key] : null);

// Numbers before texts, what is missing last.
function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

export function render({ title, columns, rows }) {
  const heads = objects(columns, 12), all = objects(rows, 500);
  if (!all.length || !heads.length) return null;
  const numeric = heads.map(({ key }) => all.some((row) => typeof valueOf(row, key) === "number"));
  const body = element("tbody");
  let sorted = all, most = FIRST;

  const fill = () => {
    body.replaceChildren(...sorted.slice(0, most).map((row) => element("tr", {},
      heads.map((column, at) => element(at ? "td" : "th",
        { className: numeric[at] ? "num" : column.format ? "one" : "",
          ...at ? {} : { scope: "row" } },
        textOf(formatted(valueOf(row, column.key), column)))))));
    moreButton.hidden = most >= all.length;
  };
  const moreButton = button(`Show all ${all.length} rows`, "small", () => {
    most = all.length;
    fill();
  });
  const cells = heads.map((column, at) => {
    const cell = element("th", { scope: "col", className: numeric[at] ? "num" : "",
      ariaSort: "none" });
    cell.append(button(column.title, "sort", () => {
      const order = ORDERS[(ORDERS.indexOf(cell.ariaSort) + 1) % 3];
      for (const other of cells) other.ariaSort = "none";
      cell.ariaSort = order;
      const sign = order === "descending" ? -1 : 1;
      sorted = order === "none" ? all : all.toSorted((a, b) => {
        const one = valueOf(a, column.key), two = valueOf(b, column.key);
        return (one === null || two === null ? 1 : sign) * compare(one, two);
      });
      fill();
    }));
    return cell;
  });
  fill();
  const scroll = element("div", { className: "scroll", role: "region", tabIndex: 0,
    "aria-label": textOf(title) || "Table" },
  element("table", {}, element("thead", {}, element("tr", {}, cells)), body));
  // A shadow where columns are out of sight.
  const update = () => scroll.classList.toggle("on",
    Math.abs(scroll.scrollLeft) + scroll.clientWidth < scroll.scrollWidth - 2);
  scroll.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(scroll);
  return [scroll, moreButton];
}
