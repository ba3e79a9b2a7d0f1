// SPDX-License-Identifier: Apache-2.0
//
// What the tests in Chromium share: a server of mica, a browser, a page.
import { createServer, request } from "node:http";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

import { chromium } from "playwright-core";

import { options, serve, until } from "../peers/tap.mjs";

const require = createRequire(import.meta.url);
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** The words of the command line, each of which is a path. */
export function paths(defaults) {
  const found = options(defaults);
  for (const name in found)
    if (found[name] !== "") found[name] = resolve(found[name]);
  return found;
}

/** A server on the engines of `found.engines`, at {origin, end}. */
export async function mica(found, ...options) {
  const server = await serve(found.mica, ["serve", "--drain=0", "--listen", "127.0.0.1:0",
    ...(found.engines ? ["--engines", found.engines] : []), ...options]);
  return { ...server, origin: `http://127.0.0.1:${server.port}` };
}

export function browser(...args) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", ...args],
  });
}

/** A page whose console stays silent: what it says goes to `page.said`. */
export async function open(context, url) {
  const page = await context.newPage();
  page.said = [];
  page.on("console", (message) => {
    if (/error|warning/.test(message.type())) page.said.push(message.text());
  });
  page.on("pageerror", (error) => page.said.push(String(error)));
  await page.goto(url);
  await ready(page);
  return page;
}

/** `button`, once what it has begun has ended: until then a page takes no second press. */
export const idle = (button) => button.and(button.page().locator(":not([aria-busy=true])"));

/** press(NAME[, WHERE]), below `main`. */
export const pressing = (main) => (name, where = main) =>
  idle(where.getByRole("button", { name, exact: true })).click();

/** Holds back what the page asks at `path`. What it returns lets go what it has asked by then,
 * with `end`. */
export async function hold(page, path, end = (route) => route.continue()) {
  const held = [];
  await page.route(path, (route) => { held.push(route); });
  return async () => {
    await until(() => held.length > 0, `the page asks at ${path}`);
    await Promise.all(held.map(end));
    await page.unroute(path);
  };
}

/** Whether the service worker keeps these addresses, and the scripts and engines that the page
 * has loaded. */
export const keeps = (page, urls) => page.evaluate(async (urls) => (await Promise.all(
  [...urls, ...performance.getEntriesByType("resource").map(({ name }) => name)
    .filter((url) => /\/(engines|web)\//.test(url))]
    .map((url) => caches.match(url)))).every(Boolean), urls);

export const ready = (page) =>
  page.waitForSelector("html[data-ready]", { state: "attached" });

/** What axe finds, one line each. Its script goes around the page's policy, as a
 * browser's own tools do. */
export async function axe(page) {
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) =>
      `${id}: ${target}: ${failureSummary}`));
}

const MOVED = 0.02; // of the window, that may move while a page loads

/** From now on the pages of a context note what moves in them (`moves`). */
export const watchMoves = (context) => context.addInitScript(() => {
  globalThis.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) globalThis.moved.push([value, ...sources.map(({ node }) =>
        node?.outerHTML?.slice(0, 60))]);
  }).observe({ type: "layout-shift", buffered: true });
});

/** What has moved in a page, if that is too much. */
export async function moves(page) {
  await page.waitForTimeout(300);
  const moved = await page.evaluate(() => globalThis.moved);
  return moved.reduce((sum, [value]) => sum + value, 0) < MOVED ? [] : moved;
}

/** The same server behind another policy, as a careful proxy might set it. */
export async function strict(origin, policy) {
  const target = new URL(origin);
  const proxy = createServer((asked, answer) => {
    const through = request({ host: target.hostname, port: target.port,
      path: asked.url, method: asked.method,
      headers: { ...asked.headers, host: target.host } }, (reply) => {
      const headers = { ...reply.headers };
      if ("content-security-policy" in headers)
        headers["content-security-policy"] = policy;
      answer.writeHead(reply.statusCode, headers);
      reply.pipe(answer);
    });
    through.on("error", () => answer.destroy());
    asked.pipe(through);
  });
  await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
  return {
    origin: `http://127.0.0.1:${proxy.address().port}`,
    end: () => new Promise((done) => {
      proxy.closeAllConnections();
      proxy.close(done);
    }),
  };
}

/** Our policy without what lets WebAssembly run. */
export const withoutWasm = async (origin) =>
  (await fetch(origin)).headers.get("content-security-policy")
    .replace(" 'wasm-unsafe-eval'", "");
