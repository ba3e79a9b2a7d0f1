// SPDX-License-Identifier: Apache-2.0
//
// A small drawing of each layout, so that one is chosen by its shape. The style sheet
// colors the parts: "t" text, "f" faint text, "p" a picture, "a" what stands out.
const SVG = "http://www.w3.org/2000/svg";

// [class, x, y, width, height] of each part on a plane of 96 × 64.
const DRAWINGS = {
  message: [["f", 12, 14, 20, 20], ["t", 38, 16, 46, 5], ["t", 38, 26, 40, 5],
    ["t", 38, 36, 44, 5], ["f", 38, 46, 24, 4]],
  card: [["p", 22, 8, 52, 20], ["t", 26, 33, 34, 5], ["f", 26, 41, 42, 4],
    ["a", 26, 49, 18, 7]],
  list: [0, 1, 2].flatMap((row) => [["p", 14, 10 + row * 16, 11, 11],
    ["t", 30, 11 + row * 16, 34, 4], ["f", 30, 17 + row * 16, 26, 3],
    ["a", 74, 12 + row * 16, 9, 6]]),
  carousel: [0, 1, 2].flatMap((column) => [["p", 8 + column * 32, 12, 27, 22],
    ["t", 8 + column * 32, 38, 22, 4], ["f", 8 + column * 32, 45, 16, 3]]),
  table: [["t", 12, 12, 72, 6], ...[0, 1, 2, 3].flatMap((row) =>
    [["f", 12, 24 + row * 8, 24, 4], ["f", 44, 24 + row * 8, 14, 4],
      ["f", 66, 24 + row * 8, 18, 4]])],
  chart: [18, 30, 22, 38, 28].map((height, at) =>
    [at === 3 ? "a" : "p", 14 + at * 14, 52 - height, 10, height]),
  detail: [["t", 12, 8, 40, 6], ["p", 12, 19, 30, 24], ...[0, 1, 2].flatMap((row) =>
    [["f", 48, 20 + row * 9, 12, 4], ["t", 64, 20 + row * 9, 20, 4]]),
  ["f", 12, 48, 72, 3], ["f", 12, 54, 58, 3]],
  form: [["f", 20, 9, 18, 3], ["o", 20, 14, 56, 10], ["f", 20, 28, 24, 3],
    ["o", 20, 33, 56, 10], ["a", 20, 49, 22, 8]],
};

export function thumbnail(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 96 64");
  svg.setAttribute("class", "thumbnail");
  svg.setAttribute("aria-hidden", "true");
  for (const [kind, x, y, width, height] of DRAWINGS[name] ?? []) {
    const part = document.createElementNS(SVG, "rect");
    for (const [key, value] of Object.entries({ class: kind, x, y, width, height,
      rx: kind === "a" || kind === "p" || kind === "o" ? 2 : 1 })) part.setAttribute(key, value);
    svg.append(part);
  }
  return svg;
}
