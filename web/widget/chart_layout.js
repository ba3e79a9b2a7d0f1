// SPDX-License-Identifier: Apache-2.0
//
// Numbers over labels as bars, lines or areas, drawn as SVG for the width that there is.
// The same numbers stand in a table below, for all who do not see the drawing.
import { element, objects, paragraphs, textOf } from "./widget_elements.js";
import { formatted } from "./widget_format.js";

const HEIGHT = 220, TOP = 8, BOTTOM = 24, RIGHT = 4;

function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
  made.append(...children);
  return made;
}

// About four round numbers, both ends inside; as far apart as a double can tell them.
function ticks(low, high) {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const raw = Math.max((high - low || largest || 1) / 4, largest * 1e-10, 1e-12);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= raw * 0.999) * power;
  const first = Math.floor(low / step + 1e-9);
  const count = Math.max(Math.ceil(high / step - 1e-9) - first, 1);
  return Array.from({ length: count + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)));
}

// ---- What is drawn -----------------------------------------------------------------

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

function read({ kind, stacked, labels, series, format, currency, unit }) {
  const names = (Array.isArray(labels) ? labels : []).slice(0, 120).map(textOf);
  return {
    names, format, currency, unit: textOf(unit), kind, stacked: stacked && kind !== "line",
    series: objects(series, 6).map(({ name, values }) => ({ name: textOf(name),
      values: names.map((_, at) => (isNumber(values?.[at]) ? values[at] : null)) })),
  };
}

// [lower, upper] of each value; null for a gap. What is below zero is stacked downwards.
function endsOf({ series, names, stacked }) {
  const up = names.map(() => 0), down = names.map(() => 0);
  return series.map(({ values }) => values.map((value, at) => {
    if (value === null) return null;
    if (!stacked) return [0, value];
    const base = value < 0 ? down : up;
    base[at] += value;
    return [base[at] - value, base[at]];
  }));
}

function bars(data, ends, { x, y, step }) {
  const side = data.stacked ? 1 : ends.length;
  const width = Math.max(Math.min(step * 0.72, 64 * side) / side, 1);
  return ends.map((layer, number) => svg("g", { class: `series-${number + 1}` },
    ...layer.flatMap((end, at) => (end ? [svg("rect", {
      x: x(at) - width * side / 2 + (data.stacked ? 0 : number * width) + 0.5,
      y: Math.min(y(end[0]), y(end[1])), width: Math.max(width - 1, 1),
      height: Math.abs(y(end[0]) - y(end[1])), rx: Math.min(3, width / 4) })] : []))));
}

// The stretches without gaps.
function stretches(layer) {
  const all = [[]];
  layer.forEach((end, at) => {
    if (end) all.at(-1).push([at, end]);
    else all.push([]);
  });
  return all.filter((stretch) => stretch.length);
}

const path = (points) => points.map(([x, y], at) =>
  `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function curves(data, ends, { x, y }) {
  return ends.map((layer, number) => svg("g", { class: `series-${number + 1}` },
    ...stretches(layer).flatMap((stretch) => {
      const top = stretch.map(([at, end]) => [x(at), y(end[1])]);
      const floor = stretch.map(([at, end]) => [x(at), y(end[0])]).reverse();
      return [
        data.kind === "area" ? svg("path", { class: "area", d: `${path([...top, ...floor])}Z` })
          : null,
        svg("path", { class: "line", d: path(top) }),
        ...stretch.length === 1 || data.names.length <= 24
          ? top.map(([cx, cy]) => svg("circle", { cx, cy, r: 2.5 })) : [],
      ].filter(Boolean);
    })));
}

// ---- The drawing -------------------------------------------------------------------

function axes(data, { x, y, marks, words, width, left }) {
  const room = Math.max(...data.names.map((name) => name.length), 3) * 7 + 12;
  const every = Math.ceil(data.names.length / Math.max(1, Math.floor((width - left) / room)));
  return [
    ...marks.map((mark, at) => svg("g", {},
      svg("line", { class: mark === 0 ? "zero" : "grid", x1: left, x2: width - RIGHT,
        y1: y(mark), y2: y(mark) }),
      svg("text", { x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, words[at]))),
    ...data.names.flatMap((name, at) => (at % every ? [] : [svg("text",
      { x: x(at), y: HEIGHT - 6, "text-anchor": "middle" },
      name.length > 16 ? `${name.slice(0, 15)}…` : name)])),
  ];
}

function draw(data, width, label) {
  const ends = endsOf(data), isBars = data.kind !== "line" && data.kind !== "area";
  const all = ends.flat().filter(Boolean).flatMap((end) => (data.kind === "line" ? end[1] : end));
  const marks = ticks(Math.min(...all), Math.max(...all));
  const words = marks.map((mark) => formatted(mark, data, true));
  const left = Math.max(...words.map((word) => word.length)) * 7 + 12;
  const count = data.names.length, low = marks[0], high = marks.at(-1);
  const step = (width - left - RIGHT) / (isBars ? count : Math.max(count - 1, 1) + 0.5);
  const place = { marks, words, width, left, step,
    x: (at) => left + step * (at + (isBars ? 0.5 : 0.25)),
    y: (value) => TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM) };
  return svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img",
    "aria-label": label }, ...axes(data, place), ...(isBars ? bars : curves)(data, ends, place));
}

const table = (data) => element("details", {}, element("summary", {}, "Numbers"),
  element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Numbers" },
    element("table", {},
      element("thead", {}, element("tr", {}, element("td"), data.series.map(({ name }) =>
        element("th", { scope: "col", className: "num" }, name)))),
      element("tbody", {}, data.names.map((name, at) => element("tr", {},
        element("th", { scope: "row" }, name), data.series.map(({ values }) =>
          element("td", { className: "num" }, formatted(values[at], data) || "–"))))))));

export function render(given) {
  const data = read(given);
  if (!data.series.some(({ values }) => values.some(isNumber))) return null;
  const names = data.series.map(({ name }) => name).filter(Boolean);
  const label = `Chart of ${names.join(", ")} over ${data.names.length} labels. ` +
    "The table below has the numbers.";
  const figure = element("figure", { className: "chart" });
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.max(Math.floor(figure.clientWidth), 160);
    if (width === drawn || !figure.isConnected) return;
    drawn = width;
    figure.replaceChildren(draw(data, width, label));
  }).observe(figure);
  const legend = [...data.series.length > 1 || !given.title
    ? data.series.map(({ name }, at) => element("li", {},
      element("i", { className: `series-${at + 1}` }), name)) : [],
  ...data.unit ? [element("li", { className: "unit" }, data.unit)] : []];
  return [...paragraphs(given.text, "subtitle"),
    legend.length ? element("ul", { className: "legend" }, legend) : null, figure, table(data)];
}
