// SPDX-License-Identifier: Apache-2.0
//
// Charts of numbers that run over an index or time: bars or areas that are stacked, or
// lines, as SVG that fits its place. The same numbers stand in a table beside it, so a
// reader of the screen is told what is drawn, and led there.

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 208, LEFT = 52, RIGHT = 4, TOP = 8, BOTTOM = 22;
const MOST_BARS = 40;

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, typeof value === "number" ? value.toFixed(2) : value);
  made.append(...children);
  return made;
}

function html(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// ---- Scales ----------------------------------------------------------------------

/** About `count` round numbers from `low` to `high`, both inside, at least `least` apart. */
export function ticks(low, high, count = 4, least = 1e-12) {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  // As far apart as a double can tell them, at this size and at all.
  const raw = Math.max((high - low || largest || 1) / count, largest * 1e-10, least);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= raw * 0.999) * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: Math.max(last - first, 1) + 1 },
    (_, at) => Number(((first + at) * step).toPrecision(12)));
}

const compact = new Intl.NumberFormat("en",
  { notation: "compact", maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

// Each point's lower and upper end; those of a stack lie on each other.
function layers({ series, stacked }) {
  const base = series[0].values.map(() => 0);
  return series.map(({ values }) => values.map((value, at) => {
    const low = stacked ? base[at] : 0;
    if (stacked) base[at] += value;
    return [low, low + value];
  }));
}

function scaleOf(data, parts, bars) {
  const all = parts.flat(2);
  const lows = data.stacked || bars ? all : data.series.flatMap(({ values }) => values);
  const marks = ticks(Math.min(...lows), Math.max(...lows), 4, data.least);
  const low = marks[0], high = marks.at(-1);
  return { marks, y: (value) =>
    TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM) };
}

// ---- Drawing ---------------------------------------------------------------------

function bars(parts, { x, step, y }) {
  const width = Math.max(step * 0.7, 1);
  return parts.map((ends, layer) => svg("g", { class: `series-${layer + 1}` },
    ...ends.map(([low, high], at) => svg("rect", { class: "bar-part",
      x: x(at) - width / 2, width, rx: Math.min(2, width / 4),
      y: Math.min(y(low), y(high)),
      height: Math.abs(y(low) - y(high)) }))));
}

const path = (points) => points.map(([x, y], at) =>
  `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function areas(parts, { x, y }) {
  return parts.map((ends, layer) => svg("g", { class: `series-${layer + 1}` },
    svg("path", { class: "area", d: `${path([
      ...ends.map(([, high], at) => [x(at), y(high)]),
      ...ends.map(([low], at) => [x(at), y(low)]).reverse()])}Z` })));
}

function lines(parts, { x, y }) {
  return parts.map((ends, layer) => svg("g", { class: `series-${layer + 1}` },
    svg("path", { class: "line",
      d: path(ends.map(([, high], at) => [x(at), y(high)])) })));
}

function axes(data, { x, y, marks, width, count }) {
  const every = Math.ceil(count / Math.max(2, Math.floor((width - LEFT) / 64)));
  const labels = data.x.values.map((text, at) => [text, at])
    .filter(([, at]) => at % every === 0);
  return [
    ...marks.map((mark) => svg("g", {},
      svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(mark),
        y2: y(mark) }),
      svg("text", { x: LEFT - 8, y: y(mark) + 4, "text-anchor": "end" },
        compact.format(mark)))),
    ...labels.map(([text, at]) => svg("text", { x: x(at), y: HEIGHT - 4,
      "text-anchor": "middle" }, text)),
  ];
}

function draw(figure, data) {
  const width = Math.max(figure.clientWidth, 200);
  const count = data.x.values.length;
  const isBars = count <= MOST_BARS && (data.stacked || data.series.length === 1);
  const parts = layers(data);
  const step = (width - LEFT - RIGHT) / (isBars ? count : Math.max(count - 1, 1));
  const x = (at) => LEFT + step * (isBars ? at + 0.5 : at);
  const place = { ...scaleOf(data, parts, isBars), x, step, width, count };
  const draws = isBars ? bars : data.stacked ? areas : lines;
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img",
    "aria-label": data.label }, ...axes(data, place), ...draws(parts, place));
  figure.querySelector("svg").replaceWith(drawn);
  return { drawn, at: (offset) => Math.min(count - 1, Math.max(0,
    Math.round((offset - LEFT) / step - (isBars ? 0.5 : 0)))), x };
}

// ---- The figure ------------------------------------------------------------------

function legend({ series, unit, x }) {
  return [...series.map(({ title }, at) => html("span", {},
    html("i", { className: `series-${at + 1}` }), title)),
  html("span", {}, `${unit ? `${unit} ` : ""}by ${x.title.toLowerCase()}`)];
}

const readout = ({ series, x }, at) => [
  html("span", {}, `${x.title} ${x.values[at]}`),
  ...series.map(({ title, values }, layer) => html("span", {},
    html("i", { className: `series-${layer + 1}` }),
    `${title} ${whole.format(values[at])}`))];

/** A figure of {x: {title, values}, series: [{title, values}], stacked, unit, least}: texts
 * below, numbers above; `least` is how far apart marks are at least, 1 for what is counted. */
export function chart(given) {
  const data = { ...given, label: `Chart of ${
    given.series.map(({ title }) => title).join(", ")} by ${given.x.title}, ${
    given.x.values.length} points. The table has the numbers.` };
  const words = html("div", { className: "legend" }, ...legend(data));
  words.ariaHidden = "true";
  const figure = html("figure", { className: "chart" }, words,
    document.createElementNS(SVG, "svg"));
  let now;
  // Also when the place gets another width, or is seen for the first time.
  new ResizeObserver(() => {
    if (figure.clientWidth > 0) now = draw(figure, data);
  }).observe(figure);
  figure.addEventListener("pointermove", (event) => {
    if (!now) return;
    const at = now.at(event.clientX - figure.getBoundingClientRect().left);
    now.drawn.querySelector(".at")?.remove();
    now.drawn.append(svg("line", { class: "at", x1: now.x(at), x2: now.x(at), y1: TOP,
      y2: HEIGHT - BOTTOM }));
    words.replaceChildren(...readout(data, at));
  });
  figure.addEventListener("pointerleave", () => {
    now?.drawn.querySelector(".at")?.remove();
    words.replaceChildren(...legend(data));
  });
  return figure;
}
