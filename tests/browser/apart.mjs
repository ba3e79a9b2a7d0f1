// SPDX-License-Identifier: Apache-2.0
//
// A page that an engine brings, written by somebody who means harm: it tries what a
// page of the same origin could do. Its engine works, and nothing else does. The tool
// `booking` leaves a trace when it runs, which is looked for at the end.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync }
  from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { done, folder, need, same, test } from "../peers/tap.mjs";
import { browser, mica, paths, strict } from "./chromium.mjs";

const found = paths({ mica: "", sources: "" });
const here = dirname(fileURLToPath(import.meta.url));

// Runs in the page. What gives anything but an error, a refusal or nothing is in
// `won`.
async function attack() {
  const won = [], all = [];
  const booking = JSON.stringify({ who: "the page" });
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call",
    params: { name: "booking", arguments: {}, _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {} } } });
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1,
    method: "initialize", params: { protocolVersion: "2025-11-25",
      capabilities: {}, clientInfo: { name: "evil", version: "1" } } });
  const json = { "Content-Type": "application/json",
    Accept: "application/json, text/event-stream" };
  const late = () => new Promise((_, no) =>
    setTimeout(() => no(new Error("late")), 3000));
  const attempt = async (name, action) => {
    all.push(name);
    try {
      const got = await Promise.race([action(), late()]);
      if (got) won.push(`${name}: ${got}`);
    } catch {
      // As it should be.
    }
  };
  const read = (path, options) => async () => {
    const response = await fetch(path, options);
    return `${response.status} ${await response.text()}`.slice(0, 80);
  };
  // An answer that the page cannot read is nothing; the trace tells whether the
  // request has had an effect.
  const blind = (path, options) => async () => {
    const response = await fetch(path, { mode: "no-cors", ...options });
    return response.type === "opaque" ? "" : response.type;
  };
  const opens = (make) => () => new Promise((yes, no) => {
    const channel = make();
    channel.onopen = () => yes("open");
    channel.onerror = () => no(new Error("refused"));
  });
  const loads = (tag, name, path) => () => new Promise((yes, no) => {
    const element = document.createElement(tag);
    element[name] = path;
    element.onerror = () => no(new Error("refused"));
    element.onload = () => {
      try {
        yes(element.contentDocument?.body?.innerText);
      } catch (error) {
        no(error);
      }
    };
    document.body.append(element);
  });

  await attempt("REST", read("/api/booking", { method: "POST", headers: json,
    body: booking }));
  await attempt("REST, read", read("/api/booking"));
  await attempt("REST, list", read("/api"));
  await attempt("OpenAPI", read("/openapi.json"));
  for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
    await attempt(`REST, ${type}`, blind("/api/booking", { method: "POST",
      headers: { "Content-Type": type }, body: booking }));
    await attempt(`MCP, ${type}`, blind("/mcp", { method: "POST",
      headers: { "Content-Type": type }, body: message }));
  }
  await attempt("REST, with credentials", read("/api/booking", { method: "POST",
    credentials: "include", headers: json, body: booking }));
  await attempt("beacon", async () => {
    navigator.sendBeacon("/api/booking", booking);
    navigator.sendBeacon("/mcp",
      new Blob([message], { type: "application/json" }));
  });
  await attempt("MCP", read("/mcp", { method: "POST", headers: json,
    body: message }));
  await attempt("session", read("/mcp", { method: "POST", headers: json,
    body: initialize }));
  await attempt("stream", read("/mcp", { headers: json }));
  await attempt("oldest transport", opens(() => new EventSource("/sse")));
  await attempt("socket", opens(() =>
    new WebSocket(`ws://${location.host}/mcp`)));
  for (const path of ["/", "/tools/booking", location.pathname, "/web/page.js",
    "/engines/tip-splitter.js", "/engines/tip-splitter.wasm",
    "/engines/tip-splitter.twin.js", "/engines/percentage-calculator.js"])
    await attempt(`page ${path}`, read(path));
  for (const [tag, name] of [["iframe", "src"], ["object", "data"],
    ["embed", "src"]])
    await attempt(`frame ${tag}`, loads(tag, name, "/tools/booking"));
  await attempt("window", async () => window.open("/tools/booking") && "open");
  await attempt("opener", async () => window.opener?.document.title);
  await attempt("cookie", async () => {
    document.cookie = "a=b";
    return document.cookie;
  });
  for (const name of ["localStorage", "sessionStorage"])
    await attempt(name, async () => {
      window[name].setItem("a", "b");
      return window[name].getItem("a");
    });
  await attempt("database", () => new Promise((yes, no) => {
    const opened = indexedDB.open("a");
    opened.onsuccess = () => yes("open");
    opened.onerror = () => no(new Error("refused"));
  }));
  await attempt("caches", async () => (await caches.keys()).join() || "empty");
  for (const path of ["/sw.js", "/engines/tip-splitter.js",
    "/engines/tip-splitter.twin.js"])
    await attempt(`service worker ${path}`, async () =>
      (await navigator.serviceWorker.register(path)) && "registered");
  await attempt("the pages' service worker", async () =>
    navigator.serviceWorker.controller && "controlled");
  for (const path of ["/web/page.js", "/engines/percentage-calculator.js"])
    await attempt(`worker ${path}`, opens(() => {
      const worker = new Worker(path, { type: "module" });
      setTimeout(() => worker.onopen(), 1000);
      return worker;
    }));
  for (const path of ["/web/form.js", "/engines/percentage-calculator.js",
    "/engines/tip-splitter.twin.js"])
    await attempt(`import ${path}`, async () =>
      Object.keys(await import(path)).join());
  await attempt("script", loads("script", "src", "/web/form.js"));
  await attempt("eval", async () => eval("1 + 1"));
  await attempt("domain", async () => {
    document.domain = location.hostname;
    return self.origin === "null" ? "" : self.origin;
  });
  return { won, tried: all.length, origin: self.origin };
}

const html = (title, script) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title><body>
<form method="post" action="/api/booking" enctype="text/plain">
<input name='{"who":"form' value='"}'><button>Send</button></form>
<p id="works"></p><p id="done"></p>
<script type="module">
import engine from "/engines/tip-splitter.js";
import { EngineError } from "/engines/_engine.js";
let said = engine.handler({ currency: "EUR", amount: 90, tip_percent: 10,
  people: 3 }).shares[0].amount;
try {
  engine.handler({});
} catch (error) {
  said += error instanceof EngineError ? " and " + error.code : " and a stranger";
}
document.querySelector("#works").textContent = said;
${script}
</script>
</body></html>
`;

mkdirSync(join(folder, "engines"));
mkdirSync(join(folder, "tools"));
copyFileSync(join(found.sources, "tip-splitter.c"),
  join(folder, "engines", "tip-splitter.c"));
copyFileSync(join(found.sources, "percentage-calculator.c"),
  join(folder, "engines", "percentage-calculator.c"));
copyFileSync(join(here, "booking.c"), join(folder, "tools", "booking.c"));
writeFileSync(join(folder, "engines", "tip-splitter.html"),
  html("Evil", `${attack}
document.querySelector("#done").textContent = JSON.stringify(await attack());`));
execFileSync(found.mica, ["build"], { cwd: folder, stdio: "pipe",
  env: { ...process.env, XDG_STATE_HOME: folder } });
const server = await mica(found);
const chromium = await browser();
const address = `${server.origin}/tools/tip-splitter/page`;
const traces = () => existsSync(join(folder, "booked"))
  ? readFileSync(join(folder, "booked"), "utf8") : "";

async function attacked(context) {
  const page = await context.newPage();
  await page.goto(address);
  await page.locator("#done", { hasText: "tried" })
    .waitFor({ state: "attached", timeout: 120000 });
  const { won, tried, origin } = JSON.parse(await page.locator("#done")
    .innerText());
  same(await page.locator("#works").innerText(), "33 and MISSING_FIELD",
    "its engine works");
  same(won, [], "what it could do");
  same(origin, "null", "whose it is");
  need(tried > 40, `it tried ${tried} things`);
  same(traces(), "", "what was booked");
  return page;
}

await test("the page of an engine can use its engine and nothing else",
  async () => {
    const context = await chromium.newContext();
    await attacked(context);
    await context.close();
  }, 180000);

await test("nor where the pages' service worker is, with and without a network",
  async () => {
    const context = await chromium.newContext();
    const own = await context.newPage();
    await own.goto(`${server.origin}/tools/booking`);
    await own.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await own.reload();
    need(await own.evaluate(() => navigator.serviceWorker.controller !== null),
      "the worker is there");
    await (await attacked(context)).close();
    await context.setOffline(true);
    await (await attacked(context)).close();
    await context.close();
  }, 360000);

await test("where WebAssembly is refused, the JavaScript fallback inside the page runs",
  async () => {
    const policy = (await fetch(address)).headers.get("content-security-policy");
    const careful = await strict(server.origin,
      policy.replace(" 'wasm-unsafe-eval'", ""));
    const page = await chromium.newPage();
    await page.goto(`${careful.origin}/tools/tip-splitter/page`);
    await page.locator("#works", { hasText: "MISSING_FIELD" }).waitFor();
    same(await page.locator("#works").innerText(), "33 and MISSING_FIELD",
      "its engine works");
    await page.close();
    await careful.end();
  });

await test("a form that it sends is refused", async () => {
  const page = await chromium.newPage();
  await page.goto(address);
  const answered = page.waitForResponse((response) =>
    response.request().method() === "POST" &&
    response.url().endsWith("/api/booking") &&
    response.request().isNavigationRequest());
  await page.getByRole("button", { name: "Send" }).click();
  same((await answered).status(), 403, "the answer");
  same(traces(), "", "what was booked");
  await page.close();
});

await test("every answer with the page says that it is apart", async () => {
  for (const options of [{}, { method: "HEAD" }]) {
    const response = await fetch(address, options);
    const policy = response.headers.get("content-security-policy");
    need(policy.startsWith("sandbox allow-scripts allow-forms;"), policy);
    same(response.headers.get("x-content-type-options"), "nosniff", "its type");
    const again = await fetch(address, { ...options,
      headers: { "If-None-Match": response.headers.get("etag") } });
    same(again.status, 304, "what is known");
    same(again.headers.get("content-security-policy"), policy, "the policy");
  }
});

await test("no address believes a page without an origin", async () => {
  for (const path of ["/", "/mcp", "/api", "/api/booking", "/openapi.json",
    "/sse", "/messages", "/healthz", "/tools/tip-splitter",
    "/tools/tip-splitter/page", "/engines/tip-splitter.js",
    "/engines/tip-splitter.wasm", "/engines/_engine.js", "/web/page.js",
    "/calls/a", "/sw.js", "/favicon.ico", "/nothing"])
    for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
      const response = await fetch(server.origin + path,
        { method, headers: { Origin: "null" } });
      same(response.status, 403, `${method} ${path}`);
      same(response.headers.get("access-control-allow-origin"), null, path);
    }
});

await test("the tool does leave a trace when it runs", async () => {
  const response = await fetch(`${server.origin}/api/booking`, { method: "POST",
    headers: { "Content-Type": "application/json" }, body: "{}" });
  same(response.status, 200, await response.text());
  same(traces(), "a page\n", "the trace");
});

await chromium.close();
await server.end();
done();
