// SPDX-License-Identifier: Apache-2.0
//
// Coverage of web/view and web/host in Chromium, for coverage.mjs: with MICA_COVERAGE set,
// pages write there which of their lines ran. Frames stay in the process of their page
// then, because Chromium counts for one process at a time.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const folder = process.env.MICA_COVERAGE;
const web = fileURLToPath(new URL("../../web/", import.meta.url));

/** Words for Chromium. */
export const words = folder === undefined ? [] : ["--disable-site-isolation-trials",
  "--disable-features=IsolateOrigins,site-per-process,IsolateSandboxedFrames," +
    "OriginKeyedProcessesByDefault"];

/** How esbuild joins modules, so that lines can be found again. */
export const joined = folder === undefined ? {} : { minify: false, sourcemap: "inline" };

// Those that stand in a document of the sandbox.
const inline = ["host/proxy.js", "host/view_place.js"].map((file) =>
  [file, readFileSync(web + file, "utf8").trim()]);
let number = 0;

/** Counts from now on, until the page closes or `await (await counts(page))()`. */
export async function counts(page) {
  if (folder === undefined) return async () => {};
  await page.coverage.startJSCoverage({ reportAnonymousScripts: true, resetOnNavigation: false });
  let open = true;
  const write = async () => {
    if (!open) return;
    open = false;
    const found = (await page.coverage.stopJSCoverage()).flatMap(linesOf);
    writeFileSync(`${folder}/browser-${process.pid}-${++number}.json`, JSON.stringify(found));
  };
  const close = page.close.bind(page);
  page.close = async () => {
    await write();
    await close();
  };
  return write;
}

// [file, line, ran] for each piece of a script that has a place in web/.
function linesOf({ url, source, functions }) {
  if (source === undefined) return [];
  const ran = ranOf(source.length, functions);
  const [, map] = /\n\/\/# sourceMappingURL=data:application\/json;base64,(\S+)/.exec(source) ?? [];
  if (map !== undefined) return joinedLines(source, JSON.parse(atob(map)), ran);
  const [, path] = /\/web\/((?:view|host)\/[\w.-]+\.js)$/.exec(url) ?? [];
  if (path !== undefined) return plainLines(path, source, 0, source.length, ran);
  return inline.flatMap(([file, text]) => {
    const at = source.indexOf(text);
    return at < 0 ? [] : plainLines(file, source, at, at + text.length, ran);
  });
}

/** Whether each character ran: the innermost range counts. */
export function ranOf(length, functions) {
  const ran = new Uint8Array(length).fill(1);
  const ranges = functions.flatMap(({ ranges }) => ranges).sort((a, b) =>
    a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges)
    ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return ran;
}

/** [file, line, ran] of source[begin, end), which is the file. A line ran if a word of it did. */
export function plainLines(file, source, begin, end, ran) {
  const lines = [];
  let at = begin;
  source.slice(begin, end).split("\n").forEach((text, i) => {
    let any = 0;
    for (let j = 0; j < text.length; j++) if (/\w/.test(text[j])) any |= ran[at + j];
    at += text.length + 1;
    if (/\w/.test(text) && !/^\s*(\/\/|\/\*|\*)/.test(text)) lines.push([file, i + 1, any]);
  });
  return lines;
}

// The same for a script that esbuild joined, by its source map (ECMA-426).
function joinedLines(source, { mappings, sources }, ran) {
  const begins = [0];
  for (let i = source.indexOf("\n"); i >= 0; i = source.indexOf("\n", i + 1)) begins.push(i + 1);
  const files = sources.map((path) => /web\/((?:view|host)\/[\w.-]+\.js)$/.exec(path)?.[1]);
  const lines = new Map();
  let [file, line] = [0, 0];
  mappings.split(";").forEach((segments, generated) => {
    let column = 0;
    for (const segment of segments.split(",").filter(Boolean)) {
      const [step, fileStep, lineStep] = numbers(segment);
      column += step;
      if (fileStep === undefined) continue;
      file += fileStep;
      line += lineStep;
      if (files[file] === undefined) continue;
      const key = `${files[file]} ${line + 1}`;
      lines.set(key, (lines.get(key) ?? 0) | ran[begins[generated] + column]);
    }
  });
  return [...lines].map(([key, any]) => {
    const [path, at] = key.split(" ");
    return [path, Number(at), any];
  });
}

// Base64 VLQ.
function numbers(text) {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const found = [];
  let [value, shift] = [0, 0];
  for (const letter of text) {
    const digit = digits.indexOf(letter);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    found.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return found;
}
