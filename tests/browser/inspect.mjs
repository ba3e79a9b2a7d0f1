// SPDX-License-Identifier: Apache-2.0
//
// The Inspector of mica dev in Chromium: the list grows with what clients of every surface
// ask, is filtered, shows requests and replies, sends one again, copies it as curl and as
// a transcript that tests/wire runs; and tries tools, resources and prompts in several
// revisions, with questions, as a client would. What nobody may see is looked for, too.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";

import { done, folder, need, PATIENCE, same, serve, test, until } from "../peers/tap.mjs";
import { axe, browser, hold, open, paths } from "./chromium.mjs";

const found = paths({ mica: "", sources: "", fixture: "", wire: "" });
mkdirSync(join(folder, "engines"));
copyFileSync(join(found.sources, "tip-splitter.c"), join(folder, "engines/tip-splitter.c"));
const run = (...words) => execFileSync(found.mica, words, { cwd: folder, stdio: "pipe",
  env: { ...process.env, XDG_STATE_HOME: folder } });
run("new", "--interactive", "greet");
run("build");
// So that a request can come from another machine.
writeFileSync(join(folder, "mica.toml"), "[http]\ntrusted_proxies = [\"127.0.0.1\"]\n");
const server = await serve(found.mica,
  ["dev", "--http-sse", "--listen", "127.0.0.1:0"]);
const origin = `http://127.0.0.1:${server.port}`;
const chromium = await browser();

// ---- A client -------------------------------------------------------------------

const json = { "Content-Type": "application/json",
  Accept: "application/json, text/event-stream" };
const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {} };
const post = (path, body, headers = {}) => fetch(origin + path,
  { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
const call = (input, headers) => post("/mcp", { jsonrpc: "2.0", id: 1,
  method: "tools/call", params: { name: "tip-splitter", arguments: input, _meta: meta } },
  { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
    "Mcp-Name": "tip-splitter", ...headers });
const list = async (after = 0) =>
  (await fetch(`${origin}/inspect/exchanges?after=${after}`)).json();

async function begin(version) {
  const response = await post("/mcp", { jsonrpc: "2.0", id: 0, method: "initialize",
    params: { protocolVersion: version, capabilities: {},
      clientInfo: { name: "test", version: "1" } } });
  await response.text();
  return { "MCP-Protocol-Version": version,
    "Mcp-Session-Id": response.headers.get("Mcp-Session-Id") };
}

const served = async (name) => until(async () =>
  (await fetch(`${origin}/tools/${name}`)).ok, name);
await Promise.all([served("tip-splitter"), served("greet")]);

// ---- The page ---------------------------------------------------------------------

const context = await chromium.newContext();
const page = await open(context, `${origin}/inspect`);
const rows = page.locator("#exchanges li:not([hidden]) button");
const row = (words) => rows.filter({ hasText: words });
const button = (name) => page.getByRole("button", { name, exact: true });
const text = (id) => page.locator(`#${id}`).innerText();

async function select(words) {
  await row(words).first().click();
  await page.locator("#detail-title", { hasText: /\S/ }).waitFor();
  await page.locator("#selected").waitFor();
  await page.locator("#copy-curl:enabled").waitFor(); // it is that exchange
}

// The row of the last exchange, whose request has that text.
async function selectNewest(words) {
  const last = await until(async () => (await everything()).at(-1)
    ?.request.text.includes(words) && (await everything()).at(-1), words);
  await page.locator(`[data-number="${last.number}"]`).click();
  await page.waitForFunction(({ text }) => document.getElementById("request").textContent
    .replace(/\s/g, "") === text.replace(/\s/g, ""), last.request);
}

await test("an empty list says what to do", async () => {
  await page.getByText("Nothing has been asked yet").waitFor();
  same(await axe(page), [], "what axe finds");
});

let session;
await test("the list grows with what clients ask on each surface", async () => {
  await call({ amount: 100, currency: "EUR" });
  await row("tip-splitter").waitFor();
  same(await rows.count(), 1, "one request");
  need((await row("tip-splitter").innerText()).includes("MCP · 2026-07-28"), "which");
  await fetch(`${origin}/api/tip-splitter?amount=10&currency=EUR`);
  await row("/api/tip-splitter").waitFor();
  session = await begin("2025-06-18");
  await (await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, session)).text();
  await row("tools/list").waitFor();
  same(await page.locator("#count").innerText(), "4", "the count");
  need((await rows.first().innerText()).includes("tools/list"), "the newest stands first");
  // 2024-11-05: the reply comes on the stream, and is shown with its request.
  const stream = new AbortController();
  const events = (await fetch(`${origin}/sse`, { signal: stream.signal })).body
    .pipeThrough(new TextDecoderStream()).getReader();
  const [, path] = /data: (\S+)/.exec((await events.read()).value);
  await post(path, { jsonrpc: "2.0", id: 7, method: "ping" });
  await events.read();
  await row("ping").waitFor();
  await select("ping");
  await page.locator("#reply", { hasText: "\"id\": 7" }).waitFor();
  need((await text("facts")).includes("2024-11-05"), "the revision");
  same((await row("GET /sse").innerText()).includes("open"), true, "it is open");
  stream.abort();
  await row("GET /sse").filter({ hasNotText: "open" }).waitFor();
  const secret = new URL(path, origin).searchParams.get("session");
  need(!JSON.stringify(await everything()).includes(secret), "its session's id");
});

async function everything() {
  const { exchanges } = await list();
  return Promise.all(exchanges.map(async ({ number }) =>
    (await fetch(`${origin}/inspect/exchanges/${number}`)).json()));
}

await test("what is secret is nowhere", async () => {
  await call({ amount: 1, currency: "EUR" },
    { Authorization: "Bearer hush-1", Cookie: "a=hush-2", "X-Api-Key": "hush-3" });
  const all = JSON.stringify(await everything());
  need(!/hush-\d/.test(all), "a secret");
  need(!all.includes(session["Mcp-Session-Id"]), "the id of a session");
  need(all.includes(session["Mcp-Session-Id"].slice(0, 8)), "its beginning");
});

await test("filters by surface, session and words", async () => {
  await page.getByLabel("Surface").selectOption("rest");
  same(await rows.count(), 1, "of REST");
  await page.getByLabel("Surface").selectOption("mcp");
  await page.getByLabel("Session").selectOption(session["Mcp-Session-Id"].slice(0, 8));
  same(await rows.count(), 2, "of the session");
  await page.getByLabel("Filter by text").fill("TOOLS list");
  same(await rows.count(), 1, "with these words");
  same(await page.locator("#count").innerText(),
    `1 of ${(await list()).exchanges.length}`, "the count");
  await page.getByLabel("Filter by text").fill("nowhere");
  await page.getByText("No request fits these filters.").waitFor();
  await page.getByLabel("Filter by text").fill("");
  await page.getByLabel("Session").selectOption("");
  await page.getByLabel("Surface").selectOption("");
});

await test("a selection shows both bodies, with size and time", async () => {
  await call({ amount: 250, currency: "EUR" });
  await selectNewest("250");
  need((await text("reply")).includes("\"structuredContent\": {"), "the reply");
  need(/\d+ B|kB/.test(await text("reply-size")), "its size");
  need(/Took\s+[\d.]+ ms/.test(await text("facts")), "its time");
  same(await page.locator("#exchanges [aria-current]").count(), 1, "one is selected");
});

await test("what is done with a request is done with the one that is chosen", async () => {
  const [first, second] = [rows.nth(0), rows.nth(1)];
  await first.click();
  await page.locator("#copy-curl:enabled").waitFor();
  const answer = await hold(page, "**/inspect/exchanges/*");
  await second.click();
  same([await button("Copy as curl").isDisabled(), await button("Copy as transcript").isDisabled()],
    [true, true], "while it is fetched");
  await answer();
  await page.locator("#copy-curl:enabled").waitFor();
});

await test("the keyboard moves through the list", async () => {
  await rows.first().focus();
  await page.keyboard.press("ArrowDown");
  const second = await rows.nth(1).getAttribute("data-number");
  await page.locator(`#exchanges [aria-current][data-number="${second}"]`).waitFor();
  await page.keyboard.press("End");
  const last = await rows.last().getAttribute("data-number");
  await page.locator(`#exchanges [aria-current][data-number="${last}"]:focus`).waitFor();
  await page.getByRole("tab", { name: "Requests" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("#pane-try").waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.locator("#pane-requests").waitFor();
});

await test("a request is repeated as it was", async () => {
  await call({ amount: 640, currency: "EUR" });
  await selectNewest("640");
  const before = (await list()).exchanges.length;
  await button("Repeat").click();
  await page.getByText("This is the repetition.").waitFor();
  const all = await everything();
  same(all.length, before + 1, "one more");
  const [first, again] = all.slice(-2);
  same(again.request.text, first.request.text, "what was asked");
  same(again.reply.text, first.reply.text, "the reply");
});

await test("a request of a session is repeated in a session of the page's own", async () => {
  await select(/tools\/list[^]*2025-06-18/);
  await button("Repeat").click();
  await page.getByText("This is the repetition.").waitFor();
  await page.locator("#reply", { hasText: "inputSchema" }).waitFor();
  const { exchanges } = await list();
  const lists = exchanges.filter(({ method, version }) =>
    method === "tools/list" && version === "2025-06-18");
  same(lists.map(({ status }) => status), [200, 200], "both were answered");
  need(lists[0].session !== lists[1].session, "another session");
});

await test("what cannot be repeated says so", async () => {
  await select("GET /sse");
  await page.locator("#did", { hasText: "cannot be repeated" }).waitFor();
  need(await button("Repeat").isDisabled(), "the button");
});

// ---- Copies -----------------------------------------------------------------------

await context.grantPermissions(["clipboard-read", "clipboard-write"]);

async function copied(name) {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await button(name).click();
  return until(() => page.evaluate(() => navigator.clipboard.readText()), name);
}

await test("a copied command asks the same", async () => {
  await call({ amount: 77, currency: "EUR" });
  await selectNewest("77");
  const command = await copied("Copy as curl");
  need(command.startsWith("curl -gsN '"), command);
  const answer = JSON.parse(execFileSync("sh", ["-c", command], { encoding: "utf8" }));
  same(answer.result.structuredContent,
    JSON.parse((await everything()).at(-1).reply.text).result.structuredContent, "both");
});

// tests/wire has the engines that are inside mica, of which tip-splitter is one.
function replays(name, transcript) {
  const file = join(folder, `${name}.mt`);
  writeFileSync(file, transcript);
  execFileSync(join(found.wire, "run.py"), ["--mica", found.mica, "--fixture",
    found.fixture, "--over", "http", file], { stdio: "pipe" });
}

await test("a copied transcript is one that tests/wire runs", async () => {
  replays("stateless", await copied("Copy as transcript"));
  await select("/api/tip-splitter");
  await page.locator("#facts", { hasText: "REST" }).waitFor();
  replays("rest", await copied("Copy as transcript"));
  const again = await begin("2025-06-18");
  await (await post("/mcp", { jsonrpc: "2.0", id: "x", method: "tools/call", params:
    { name: "tip-splitter", arguments: { amount: 9, currency: "EUR" } } }, again)).text();
  await selectNewest("\"amount\":9,");
  const transcript = await copied("Copy as transcript");
  need(transcript.includes("\"initialize\""), "it begins the session");
  replays("session", transcript);
  // One that says something else fails.
  let fails = false;
  try {
    replays("wrong", transcript.replaceAll("10.35", "10.36"));
  } catch {
    fails = true;
  }
  need(transcript.includes("10.35") && fails, "a wrong one");
});

// What a client sends does not run in the shell of a person who copies it, and reads no file.
await test("a copied command is what was asked and no more", async () => {
  const mark = join(folder, "mark");
  for (const [method, path, body] of [["`touch$IFS'mark'`", "/mcp", ""],
    ["POST", "/api/tip-splitter?a=[1-3]{b,c}", "@/etc/hostname"]]) {
    await new Promise((resolve, reject) => {
      const raw = connect(server.port, "127.0.0.1", () => raw.end([`${method} ${path} HTTP/1.1`,
        "Host: localhost", "Content-Type: application/json", "Connection: close",
        `Content-Length: ${body.length}`, "", body].join("\r\n")));
      raw.on("error", reject).on("close", resolve).resume();
    });
    const before = (await everything()).length;
    await select(method === "POST" ? "a=[1-3]" : "touch");
    const command = await copied("Copy as curl");
    execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
    const after = await everything();
    need(!existsSync(mark), `it ran a command: ${command}`);
    same(after.length, before + 1, "requests of the command");
    same(after.at(-1).request.text, body, "its body");
  }
});

// ---- Pause and clear ----------------------------------------------------------------

await test("the list is paused and cleared", async () => {
  await button("Pause").click();
  const before = await rows.count();
  await fetch(`${origin}/api/tip-splitter?amount=11&currency=EUR`);
  await until(async () => (await list()).exchanges.at(-1).path.includes("11"), "asked");
  same(await rows.count(), before, "nothing moves");
  await button("Pause").click();
  await row("amount=11").waitFor();
  await button("Clear").click();
  same(await rows.count(), 0, "it is empty");
  await fetch(`${origin}/api/tip-splitter?amount=12&currency=EUR`);
  await row("amount=12").waitFor();
  same(await rows.count(), 1, "what is new");
});

// ---- Try ----------------------------------------------------------------------------

async function tries(on, revision, kind, target) {
  await on.getByRole("tab", { name: "Try" }).click();
  await on.getByLabel("Protocol revision").selectOption(revision);
  await on.getByLabel("Kind").selectOption(kind);
  await on.locator("#target option", { hasText: target }).first()
    .waitFor({ state: "attached" });
  await on.getByLabel("Name", { exact: true }).first().selectOption({ label: target });
  await on.locator("#send:enabled").waitFor();
}
const chip = (on, words) => on.locator("#try-state", { hasText: words }).waitFor();
const outcome = async (on) => JSON.parse(await on.locator("#outcome").innerText());

for (const revision of ["2026-07-28", "2025-11-25", "2025-06-18"]) {
  await test(`a tool is tried in ${revision}`, async () => {
    await tries(page, revision, "tool", "tip-splitter");
    await page.locator("#arguments").getByLabel("Amount").fill("120");
    await page.locator("#arguments").getByLabel("Currency").fill("EUR");
    need((await page.locator("#arguments-json").inputValue()).includes("120"), "as JSON");
    same(await page.locator("#arguments [data-unit]").first().innerText(), "EUR", "the unit");
    await button("Call").click();
    await chip(page, "Answered");
    same((await outcome(page)).structuredContent.total, 138, "the result");
    const seen = (await list()).exchanges.at(-1);
    same([seen.surface, seen.method, seen.name, seen.version],
      ["mcp", "tools/call", "tip-splitter", revision], "what the server saw");
    same(seen.session === undefined, revision === "2026-07-28", "a session");
  }, PATIENCE);

  await test(`a tool that asks is answered in ${revision}`, async () => {
    await tries(page, revision, "tool", "greet");
    await page.locator("#arguments").getByLabel("Name").fill("Ada");
    await button("Call").click();
    const asked = page.getByRole("region", { name: "A question" });
    await asked.getByText("How is Ada?").waitFor();
    same(await axe(page), [], "what axe finds");
    await asked.getByRole("radio", { name: "tired" }).check();
    await button("Answer").click();
    await chip(page, "Answered");
    same((await outcome(page)).structuredContent,
      { greeting: "Take it easy, Ada.", asked: true }, "the result");
    // The question is in the exchange of the call, as it was sent.
    const asks = (await everything()).filter(({ name, version, reply }) =>
      name === "greet" && version === revision && reply.text.includes("How is Ada?"));
    same(asks.length, 1, "the question");
    await until(async () => (await everything())
      .find(({ number }) => number === asks[0].number).outcome === "sent", "it is sent");
    same(asks[0].reply.text.includes("Take it easy"), revision !== "2026-07-28",
      "the result on the same stream");
    await button("Call").click();
    await asked.waitFor();
    await button("Decline").click();
    await chip(page, "The tool failed");
  }, PATIENCE);
}

await test("arguments are written as JSON, and refused as the server does", async () => {
  await tries(page, "2026-07-28", "tool", "tip-splitter");
  await page.getByText("Arguments as JSON, and their schema").click();
  await page.locator("#arguments-json").fill("{\"amount\": 5, \"currency\": \"EUR\"}");
  same(await page.locator("#arguments").getByLabel("Amount").inputValue(), "5", "the form");
  need((await text("arguments-schema")).includes("\"currency\""), "the schema");
  await page.locator("#arguments-json").fill("{");
  await page.getByText("This is no JSON yet").waitFor();
  await page.locator("#arguments-json").fill("{\"amount\": -5, \"currency\": \"EUR\"}");
  await button("Call").click();
  await chip(page, "The tool failed");
});

await test("the view follows the address", async () => {
  const shown = () => page.getByRole("tab", { selected: true }).innerText();
  await page.getByRole("tab", { name: "Requests" }).click();
  await page.evaluate(() => { location.hash = "#try"; });
  await page.locator("#kind").waitFor();
  same(await shown(), "Try", "an address that is given");
  await page.goBack();
  await page.locator("#exchanges").waitFor();
  same([await shown(), new URL(page.url()).hash], ["Requests", ""], "back");
  await page.goForward();
  await page.locator("#kind").waitFor();
  same(await shown(), "Try", "and forward");
});

await test("a tool that is saved is listed anew, and the page stays", async () => {
  await page.locator("#arguments").getByLabel("Amount").fill("321");
  const source = readFileSync(join(folder, "engines/tip-splitter.c"), "utf8");
  writeFileSync(join(folder, "engines/other.c"),
    source.replace(/MICA_ENGINE\(\s*tip_splitter/, "MICA_ENGINE(other"));
  await page.locator("#target option", { hasText: "other" })
    .waitFor({ state: "attached", timeout: PATIENCE });
  same(await page.getByLabel("Name", { exact: true }).first().inputValue(),
    "tip-splitter", "the choice stays");
  await page.locator("#send:enabled").waitFor();
  same(await page.locator("#arguments").getByLabel("Amount").inputValue(), "321",
    "so does what was typed");
}, 2 * PATIENCE);

// ---- Resources and prompts ------------------------------------------------------------

// A project that mica dev serves has none, so the page is that of mica dev and what it
// tries goes to a server that has all kinds: behind one address, as a proxy has it.
const fixture = await serve(found.fixture, ["--listen", "127.0.0.1:0"]);
const proxy = createServer((asked, answer) => {
  const port = asked.url.startsWith("/mcp") ? fixture.port : server.port;
  const through = request({ host: "127.0.0.1", port, path: asked.url,
    method: asked.method, headers: { ...asked.headers, host: `127.0.0.1:${port}`,
      ...asked.headers.origin && { origin: `http://127.0.0.1:${port}` } } }, (reply) => {
    answer.writeHead(reply.statusCode, reply.headers);
    reply.pipe(answer);
  });
  through.on("error", () => answer.destroy());
  answer.on("close", () => through.destroy());
  asked.pipe(through);
});
await new Promise((listening) => proxy.listen(0, "127.0.0.1", listening));
const both = await open(context, `http://127.0.0.1:${proxy.address().port}/inspect#try`);

for (const revision of ["2026-07-28", "2025-11-25"]) {
  await test(`resources are read and followed in ${revision}`, async () => {
    await tries(both, revision, "resource", "test://static-text");
    await both.getByRole("button", { name: "Read" }).click();
    await chip(both, "Answered");
    need((await outcome(both)).contents[0].text.includes("static text"), "the contents");
    await both.getByLabel("Name", { exact: true }).first()
      .selectOption({ label: "test://watched-resource" });
    await both.getByRole("button", { name: "Subscribe" }).click();
    await chip(both, "Follows");
    const { Client } = await import("../../web/mcp.js");
    const other = new Client(`http://127.0.0.1:${fixture.port}/mcp`, "2026-07-28",
      { ask: () => {}, tell: () => {} });
    await other.request("tools/call", { name: "test_trigger_contents_change",
      arguments: {} });
    await chip(both, "Updated: test://watched-resource");
    need((await both.locator("#told").innerText()).includes("resources/updated"), "told");
    await both.getByRole("button", { name: "Unsubscribe" }).click();
    await both.getByRole("button", { name: "Subscribe", exact: true }).waitFor();
  });

  await test(`prompts are asked for with arguments in ${revision}`, async () => {
    await tries(both, revision, "prompt", "test_prompt_with_arguments");
    await both.locator("#arguments").getByRole("textbox").nth(0).fill("one");
    await both.locator("#arguments").getByRole("textbox").nth(1).fill("two");
    await both.getByRole("button", { name: "Get" }).click();
    await chip(both, "Answered");
    need(JSON.stringify(await outcome(both)).includes("one"), "the argument");
  });

  await test(`a model is stood in for, and headers of arguments sent, in ${revision}`,
    async () => {
      await tries(both, revision, "tool", "test_sampling");
      await both.locator("#arguments").getByRole("textbox").first().fill("Hello?");
      await both.getByRole("button", { name: "Call" }).click();
      await both.getByLabel("What the model answers").fill("Good day.");
      await both.getByRole("button", { name: "Answer" }).click();
      await chip(both, "Answered");
      need(JSON.stringify(await outcome(both)).includes("Good day."), "its words");
      await tries(both, revision, "tool", "test_x_mcp_header");
      await both.getByText("Arguments as JSON, and their schema").click();
      await both.locator("#arguments-json").fill("{\"region\": \"Zürich\"}");
      await both.getByRole("button", { name: "Call" }).click();
      await chip(both, "Answered");
      same((await outcome(both)).structuredContent, { routed: { region: "Zürich" } },
        "the argument");
      await both.getByText("Arguments as JSON, and their schema").click();
    });
}
same(both.said, [], "what the console says");
await both.close();
proxy.closeAllConnections();
proxy.close();
await fixture.end();

// ---- How it looks ---------------------------------------------------------------------

await test("both views fit a phone, in both themes, without a finding of axe", async () => {
  for (const view of ["Requests", "Try"]) {
    await page.getByRole("tab", { name: view }).click();
    if (view === "Requests") await select("tools/call");
    for (const [width, height] of [[1280, 800], [360, 720]])
      for (const colorScheme of ["light", "dark"]) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        need(await page.evaluate(() =>
          document.documentElement.scrollWidth <= innerWidth), `${view}, ${width}`);
        same(await axe(page), [], `what axe finds: ${view}, ${width}, ${colorScheme}`);
      }
  }
  same(page.said, [], "what the console says");
}, 2 * PATIENCE);

// ---- Who may look -----------------------------------------------------------------------

const addresses = ["/inspect/exchanges", "/inspect/exchanges/1", "/inspect/events"];

await test("pages of other origins are refused", async () => {
  for (const path of addresses) {
    for (const headers of [{ Origin: "http://127.0.0.1:1" }, { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" }, { "Sec-Fetch-Site": "same-site" }])
      same(await statusOf(server.port, path, headers), 403, JSON.stringify(headers));
    same(await statusOf(server.port, path, { Host: "evil.example" }), 403, "the host");
  }
  same(await statusOf(server.port, "/inspect/exchanges",
    { Origin: origin, "Sec-Fetch-Site": "same-origin" }), 200, "its own");
});

// The status alone, with headers that fetch does not send.
function statusOf(port, path, headers) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers }, (reply) => {
      reply.destroy();
      resolve(reply.statusCode);
    });
    asked.on("error", reject);
    asked.end();
  });
}

await test("other machines are refused", async () => {
  for (const path of ["/inspect", ...addresses]) {
    same(await statusOf(server.port, path, { "X-Forwarded-For": "192.0.2.7" }), 403, path);
    same(await statusOf(server.port, path, { "X-Forwarded-For": "127.0.0.2" }),
      200, `${path} on the machine itself`);
    // The proxy adds the second; a client that sends the first makes the two differ.
    same(await statusOf(server.port, path, { Forwarded: "for=198.51.100.1",
      "X-Forwarded-For": "192.0.2.7" }), 403, `${path} of a client that says two addresses`);
  }
});

await test("a proxy that is not named is not the machine", async () => {
  const variables = { MICA_HTTP_ALLOW_HOSTS: "*", MICA_HTTP_TRUSTED_PROXIES: "203.0.113.1" };
  Object.assign(process.env, variables);
  const dev = await serve(found.mica, ["dev", "--listen", "127.0.0.1:0"]);
  for (const name of Object.keys(variables)) delete process.env[name];
  for (const path of ["/inspect", ...addresses]) {
    for (const headers of [{ "X-Forwarded-For": "192.0.2.7" },
      { Forwarded: "for=192.0.2.7" }, { "X-Forwarded-Host": "dev.example" },
      { "X-Real-IP": "192.0.2.7" }, { Via: "1.1 tunnel" }])
      same(await statusOf(dev.port, path, headers), 403, JSON.stringify([path, headers]));
    // A page of that name, which leads to this machine (DNS rebinding).
    same(await statusOf(dev.port, path, { Host: `evil.example:${dev.port}`,
      Origin: `http://evil.example:${dev.port}` }), 403, `${path} by another name`);
  }
  await dev.end();
});

await test("a server that does not develop has no Inspector", async () => {
  const plain = await serve(found.mica,
    ["serve", "--drain=0", "--listen", "127.0.0.1:0"]);
  for (const path of ["/inspect", ...addresses])
    same(await statusOf(plain.port, path, {}), 404, path);
  const front = await (await fetch(`http://127.0.0.1:${plain.port}`)).text();
  need(!front.includes("Inspector"), "a link to it");
  need((await (await fetch(origin)).text()).includes("href=\"./inspect\""), "the link");
  await plain.end();
}, PATIENCE);

await context.close();
await chromium.close();
await server.end();
done();
