// SPDX-License-Identifier: Apache-2.0
//
// Pictures of pages as PNG with a palette of 256 colors, which are a quarter as large:
// pages have few colors and the edges of letters. Reads what Chromium writes: 8 bits,
// RGB or RGBA, not interlaced.
import { deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MOST = 256;

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? 0xedb88320 ^ (byte >>> 1) : byte >>> 1;
  return byte;
});
const crc32 = (bytes) =>
  ~bytes.reduce((crc, byte) => CRC[(crc ^ byte) & 255] ^ (crc >>> 8), ~0) >>> 0;

function* chunksOf(bytes) {
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    yield { type: bytes.toString("latin1", at + 4, at + 8),
      data: bytes.subarray(at + 8, at + 8 + length) };
    at += 12 + length;
  }
}

const paeth = (a, b, c) => {
  const p = a + b - c, da = Math.abs(p - a), db = Math.abs(p - b), dc = Math.abs(p - c);
  return da <= db && da <= dc ? a : db <= dc ? b : c;
};

// Takes the filters of PNG off the rows.
function unfilter(raw, width, height, size) {
  const stride = width * size, out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const kind = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const a = x >= size ? out[at - size] : 0;
      const b = y > 0 ? out[at - stride] : 0;
      const c = x >= size && y > 0 ? out[at - stride - size] : 0;
      const add = [0, a, b, (a + b) >> 1, paeth(a, b, c)][kind];
      out[at] = (raw[y * (stride + 1) + 1 + x] + add) & 255;
    }
  }
  return out;
}

/** {width, height, size, pixels}: `size` bytes each. */
export function readPng(bytes) {
  const chunks = [...chunksOf(bytes)];
  const { data: head } = chunks.find(({ type }) => type === "IHDR");
  const width = head.readUInt32BE(0), height = head.readUInt32BE(4);
  const size = { 2: 3, 6: 4 }[head[9]];
  if (head[8] !== 8 || !size || head[12] !== 0)
    throw new Error("a PNG that Chromium would not write");
  const raw = inflateSync(Buffer.concat(chunks
    .filter(({ type }) => type === "IDAT").map(({ data }) => data)));
  return { width, height, size, pixels: unfilter(raw, width, height, size) };
}

const distance = (a, b) => {
  const red = (a >> 16) - (b >> 16), green = ((a >> 8) & 255) - ((b >> 8) & 255);
  const blue = (a & 255) - (b & 255);
  return 3 * red * red + 4 * green * green + 2 * blue * blue;
};

// The commonest colors, none near another one while there is a choice.
function paletteOf(counts) {
  const all = [...counts].sort(([, a], [, b]) => b - a).map(([color]) => color);
  for (let near = 0; ; near = near * 2 + 20) {
    const chosen = [];
    for (const color of all) {
      if (chosen.length === MOST) break;
      if (chosen.every((one) => distance(one, color) > near)) chosen.push(color);
    }
    if (chosen.length < MOST || all.length <= MOST || near > 300) return chosen;
  }
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const head = Buffer.alloc(4), tail = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  tail.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, tail]);
}

/** The same picture with a palette. */
export function small(bytes) {
  const { width, height, size, pixels } = readPng(bytes);
  const colors = new Uint32Array(width * height), counts = new Map();
  for (let i = 0; i < colors.length; i++) {
    const at = i * size;
    colors[i] = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
    counts.set(colors[i], (counts.get(colors[i]) ?? 0) + 1);
  }
  const palette = paletteOf(counts);
  const numbers = new Map(palette.map((color, at) => [color, at]));
  for (const color of counts.keys())
    if (!numbers.has(color))
      numbers.set(color, palette.reduce((best, one, at) =>
        distance(one, color) < distance(palette[best], color) ? at : best, 0));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = numbers.get(colors[y * width + x]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([SIGNATURE, chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette.flatMap((color) =>
      [color >> 16, (color >> 8) & 255, color & 255]))),
    chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
