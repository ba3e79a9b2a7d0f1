// SPDX-License-Identifier: Apache-2.0
//
// page.mjs MICA ENGINES ROUNDS: how long it takes in Chromium from the navigation to
// a tool's page until its first result is there, and until the next one, on the
// page as it is and on the same page when it calls the server for each result; on
// the loopback, and with the latency of a network. Prints JSON.
import { createServer, request } from "node:http";
import { resolve } from "node:path";

import { browser, mica } from "../tests/browser/chromium.mjs";

const [program, engines] = process.argv.slice(2, 4).map((path) => resolve(path));
const rounds = Number(process.argv[4]);
const NEXT = 20; // results after the first, of which the median counts
const LATENCY_MS = 40; // of the network that is simulated, each way and back
const path = "/tools/percentage-calculator";

const server = await mica({ mica: program, engines }, "--quiet");
const chromium = await browser();

// Both ways go through it, so that it costs both the same. In one of them the page
// does not know that there is an engine.
const without = [["/web/tool.js", /if \(engine !== (undefined|void 0)\)/, "if (false)"],
                 [path, /<link rel="(?:module)?preload"[^>]*\/engines\/[^>]*>/g, ""]];

function change(url, text) {
  for (const [start, what, instead] of without)
    if (url.startsWith(start)) {
      if (text.search(what) < 0) throw new Error(`${url} does not have ${what}`);
      text = text.replace(what, instead);
    }
  return text;
}

async function through(changes) {
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, host: `127.0.0.1:${server.port}`,
                      "accept-encoding": "identity" };
    asked.pipe(request({ host: "127.0.0.1", port: server.port, path: asked.url,
      method: asked.method, headers }, async (reply) => {
      const parts = [];
      for await (const part of reply) parts.push(part);
      const body = Buffer.concat(parts);
      const { "content-length": _, ...rest } = reply.headers;
      answer.writeHead(reply.statusCode, rest);
      answer.end(changes && /html|javascript/.test(rest["content-type"])
        ? change(asked.url, body.toString()) : body);
    }));
  });
  await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
  return { origin: `http://127.0.0.1:${proxy.address().port}`, proxy };
}

const ways = { engine: await through(false), server: await through(true) };
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

// In the page: when the words of a result are there.
const watch = () => {
  globalThis.shown = new Promise((done) => {
    document.addEventListener("DOMContentLoaded", () => {
      const look = () => {
        if (document.querySelector("#result .value")?.textContent)
          done(performance.now());
      };
      new MutationObserver(look).observe(document,
        { subtree: true, childList: true });
    });
  });
};

const next = async (count) => {
  const form = document.getElementById("tool");
  const value = () => document.querySelector("[data-result=result] .value")?.textContent;
  const input = form.querySelector("[data-name=a] input");
  const times = [];
  for (let i = 1; i <= count; i++) {
    const began = performance.now();
    const changed = new Promise((done, fail) => {
      const observer = new MutationObserver(() => {
        if (value() !== String(2 * i)) return;
        observer.disconnect();
        clearTimeout(late);
        done();
      });
      const late = setTimeout(() => fail(new Error(`no result for ${i}: ${value()}`)), 10000);
      observer.observe(document.getElementById("result"), { childList: true, subtree: true });
    });
    input.value = i;
    form.requestSubmit();
    await changed;
    times.push(performance.now() - began);
  }
  return times;
};

async function measure(way, latency) {
  const context = await chromium.newContext({ serviceWorkers: "block" });
  await context.addInitScript(watch);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions",
    { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 });
  await page.goto(`${ways[way].origin}${path}?mode=of&a=15&b=200`);
  const first = await page.evaluate(() => globalThis.shown);
  const place = await page.evaluate(() => document.documentElement.dataset.runs);
  if ((place === "server") !== (way === "server"))
    throw new Error(`${way} runs on ${place}`);
  const later = median(await page.evaluate(next, NEXT));
  await context.close();
  return { first, later };
}

await measure("engine", 0); // the browser itself has to come to life
const found = [];
for (let round = 0; round < rounds; round++)
  for (const latency of [0, LATENCY_MS])
    for (const way of round % 2 ? ["server", "engine"] : ["engine", "server"])
      found.push({ round, latency, way, ...await measure(way, latency) });
console.log(JSON.stringify(found));

await chromium.close();
for (const { proxy } of Object.values(ways)) {
  proxy.closeAllConnections();
  proxy.close();
}
await server.end();
process.exit(0);
