// SPDX-License-Identifier: Apache-2.0
//
// The pages in Chromium behind nginx and haproxy that show the server at /tools/x/ and
// strip that prefix or leave it, which the server is told (--base-path) or not: each page
// loads all that it needs, tools run in the browser and on the server, a call asks, and
// what was loaded works without a network. The proxies know nothing else of their origin,
// so a request for another path fails the test.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { join } from "node:path";

import { done, folder, need, same, test, until } from "../peers/tap.mjs";
import { browser, keeps, mica, open, paths, ready } from "./chromium.mjs";

const PREFIX = "/tools/x";
const found = paths({ mica: "", engines: "", tools: "" });
cpSync(found.tools, join(folder, "tools"), { recursive: true });
execFileSync(found.mica, ["build"], { cwd: folder, stdio: "pipe",
  env: { ...process.env, XDG_STATE_HOME: folder } });
// A server with pages that run engines, and one with tools that ask.
const servers = async (name, ...words) => ({
  engines: await mica(found, ...words),
  asking: await mica({ mica: found.mica },
    "--store", `sqlite:${join(folder, name)}`, ...words),
});
const untold = await servers("untold.db");
const told = await servers("told.db", "--base-path", PREFIX);
const chromium = await browser();

// ---- The proxies ---------------------------------------------------------------

const nginx = (path, port, to, strips) => `
daemon off; master_process off; error_log ${path}/error.log; pid ${path}/pid;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${path}/body; proxy_temp_path ${path}/proxy;
  fastcgi_temp_path ${path}/fastcgi; uwsgi_temp_path ${path}/uwsgi;
  scgi_temp_path ${path}/scgi;
  server {
    listen 127.0.0.1:${port};
    location ${PREFIX}/ {
      proxy_pass http://127.0.0.1:${to}${strips ? "/" : ""}; proxy_http_version 1.1;
      proxy_set_header Host $http_host; proxy_buffering off;
    }
    location / { return 404; }
  }
}
`;

const haproxy = (path, port, to, strips) => `
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend front
  bind 127.0.0.1:${port}
  http-request return status 404 unless { path_beg ${PREFIX}/ }
  ${strips ? `http-request replace-path ${PREFIX}(/.*) \\1` : ""}
  default_backend back
backend back
  server mica 127.0.0.1:${to}
`;

const programOf = (kind) => [...process.env.PATH.split(":"), "/usr/sbin", "/sbin"]
  .map((path) => join(path, kind)).find(existsSync);

const freePort = () => new Promise((give) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => give(port));
  });
});

const answers = (port) => new Promise((give) => {
  const socket = connect(port, "127.0.0.1")
    .on("connect", () => { socket.destroy(); give(true); })
    .on("error", () => give(false));
});

let proxies = 0;

async function start({ kind, strips }, to) {
  need(programOf(kind), `${kind} is installed; scripts/packages test installs it`);
  const port = await freePort();
  const path = join(folder, `${kind}-${++proxies}`);
  mkdirSync(path);
  const config = join(path, "config");
  writeFileSync(config, (kind === "nginx" ? nginx : haproxy)(path, port, to, strips));
  const child = spawn(programOf(kind), kind === "nginx"
    ? ["-c", config, "-e", join(path, "early")] : ["-db", "-f", config],
  { stdio: "ignore" });
  const ended = new Promise((give) => child.on("exit", give));
  await until(() => {
    need(child.exitCode === null, `${kind} starts`);
    return answers(port);
  }, `${kind} answers`);
  return {
    origin: `http://127.0.0.1:${port}`,
    end: () => { child.kill(); return ended; },
  };
}

// `work` gets a page at the path, and its context. Every request of the context, also
// those of the service worker, stays below the prefix.
async function behind(way, server, path, work) {
  const proxy = await start(way, server.port);
  const context = await chromium.newContext();
  const astray = [];
  context.on("request", (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === proxy.origin && !pathname.startsWith(`${PREFIX}/`))
      astray.push(pathname);
  });
  try {
    const page = await open(context, proxy.origin + PREFIX + path);
    await work(page, context, proxy.origin + PREFIX);
    same(page.said, [], "the console");
    same(astray, [], "requests outside the prefix");
  } finally {
    await context.close();
    await proxy.end();
  }
}

// What the service worker has of a page, for the message of a test that fails.
const keptOf = async (context, address) => JSON.stringify(await Promise.all(
  context.serviceWorkers().map((worker) => worker.evaluate(async (url) => {
    const { registration } = globalThis;
    const kept = await caches.match(url, { ignoreSearch: true });
    const bytes = kept && (await kept.arrayBuffer()).byteLength;
    return { active: registration.active?.state, caches: await caches.keys(), bytes,
      status: kept?.status, type: kept?.type, redirected: kept?.redirected };
  }, address))));

const text = (page, selector) => page.locator(selector).innerText();
const result = (page, name) => page.locator(`[data-result="${name}"] .value`);

// ---- The pages -----------------------------------------------------------------

const ways = ["nginx", "haproxy"].flatMap((kind) => [
  { kind, strips: true, server: untold, name: kind },
  { kind, strips: true, server: told, name: `${kind}, with a base path` },
  { kind, strips: false, server: told,
    name: `${kind} that leaves the prefix, with a base path` },
]);
for (const way of ways) {
  const { name, server: { engines, asking } } = way;
  await test(`the catalog and a tool behind ${name}`, () =>
    behind(way, engines, "/", async (page, context, base) => {
      same(await text(page, "#endpoint"), `${base}/mcp`, "the endpoint");
      const described = await page.evaluate(async () => {
        const { href } = document.querySelector('a[href$="openapi.json"]');
        return (await fetch(href)).status;
      });
      same(described, 200, "the link to OpenAPI");
      await page.getByRole("link", { name: "Percentage calculator" }).click();
      await ready(page);
      same(new URL(page.url()).pathname, `${PREFIX}/tools/percentage-calculator`,
        "the page of the tool");
      need((await text(page, "#runs")).includes("WebAssembly"), "on the module");
      await page.goto(`${base}/tools/percentage-calculator?mode=of&a=1&b=100`);
      await ready(page);
      same(await result(page, "result").innerText(), "1", "the result");
      await page.getByRole("link", { name: "All tools" }).click();
      await ready(page);
      same(page.url(), `${base}/`, "back on the front page");
    }));

  await test(`a program behind ${name}`, async () => {
    const proxy = await start(way, engines.port);
    const post = async (path, message) => {
      const reply = await fetch(proxy.origin + PREFIX + path, { method: "POST",
        headers: { "content-type": "application/json",
          accept: "application/json, text/event-stream" },
        body: JSON.stringify(message) });
      return [reply.status, await reply.text()];
    };
    try {
      const [status, said] = await post("/mcp", { jsonrpc: "2.0", id: 1,
        method: "initialize", params: { protocolVersion: "2025-06-18",
          capabilities: {}, clientInfo: { name: "prefix", version: "1" } } });
      same(status, 200, "MCP");
      need(said.includes('"protocolVersion":"2025-06-18"'), `it answers: ${said}`);
      const [found, result] = await post("/api/percentage-calculator",
        { mode: "of", a: 1, b: 100 });
      same([found, JSON.parse(result).result], [200, 1], "REST");
    } finally {
      await proxy.end();
    }
  });

  await test(`a page that is not there behind ${name}`, () =>
    behind(way, engines, "/", async (page, context, base) => {
      for (const path of ["/tools/nothing", "/tools/a/b/c"]) {
        const reply = await page.goto(base + path);
        same(reply.status(), 404, path);
        await ready(page);
        await page.getByRole("link", { name: "All tools" }).click();
        await ready(page);
        same(page.url(), `${base}/`, `from ${path} to the front page`);
      }
      page.said.length = 0; // that there are pages with 404
    }));

  await test(`without a network, loaded behind ${name}`, () =>
    behind(way, engines, "/tools/percentage-calculator",
      async (page, context, base) => {
        const scope = await page.evaluate(async () =>
          (await navigator.serviceWorker.ready).scope);
        same(scope, `${base}/`, "what the service worker serves");
        // What the page has loaded is kept, and not only the page and its engine.
        await until(() => keeps(page, [`${base}/tools/percentage-calculator`,
          `${base}/engines/percentage-calculator.js`]),
        "the worker keeps all that the page has loaded");
        same(await page.evaluate(() => caches.keys()), [`mica ${PREFIX}/ 3`],
          "its caches");
        await context.setOffline(true);
        const address = `${base}/tools/percentage-calculator?mode=of&a=1&b=100`;
        await page.goto(address).catch(async ({ message }) => {
          throw new Error(`${message}; ${await keptOf(context, address)}`);
        });
        await ready(page);
        same(await result(page, "result").innerText(), "1", "the result");
        page.said.length = 0; // that there is no network
      }));

  await test(`a call that asks behind ${name}`, () =>
    behind(way, asking, "/tools/book_flight", async (page, context, base) => {
      need((await text(page, "#runs")).includes("server"), "where it runs");
      await page.getByLabel("Destination").fill("Paris");
      await page.getByLabel("Date").fill("2027-03-01");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.waitForURL(`${base}/calls/*`);
      await page.getByRole("region", { name: "A question" }).waitFor();
      await page.locator("[data-name=flightId] label").nth(1).click();
      await page.getByRole("button", { name: "Answer", exact: true }).click();
      await page.getByRole("region",
        { name: "The tool asks a model; answer for it" }).waitFor();
    }));
}

// Where the server was told how clients reach it, that is what a person copies.
await test("the endpoint of a public URL", async () => {
  const server = await mica(found, "--public-url", `https://tools.example${PREFIX}`);
  const context = await chromium.newContext();
  try {
    const page = await open(context, `${server.origin}${PREFIX}`);
    same(page.url(), `${server.origin}${PREFIX}/`, "where the prefix leads");
    same(await text(page, "#endpoint"), `https://tools.example${PREFIX}/mcp`,
      "the endpoint");
    same(page.said, [], "the console");
  } finally {
    await context.close();
    await server.end();
  }
});

await chromium.close();
for (const { engines, asking } of [untold, told]) {
  await engines.end();
  await asking.end();
}
done();
