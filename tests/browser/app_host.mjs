// SPDX-License-Identifier: Apache-2.0
//
// The host page of a published app in Chromium: from the console to a call, its widget and
// its structured result in one click; what a failure looks like; a phone, both themes, the
// keyboard alone; below a base path; and who may not call the app sees nothing.
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";

import { done, folder, need, PATIENCE, same, test, until } from "../peers/tap.mjs";
import { apiBelow } from "./apps.mjs";
import { axe, browser, mica, open, paths, ready } from "./chromium.mjs";
import { serveGuarded } from "./guarded.mjs";

const TABS = 60; // keys until a control has the keyboard
const found = { ...paths({ mica: "", issuer: "" }), scopes: ["apps:write", "orders"] };
const server = await mica({ mica: found.mica }, "--built-in", "--store",
  `sqlite:${folder}/apps.db`);
const chromium = await browser();
const context = await chromium.newContext();

// ---- Apps, by the API ----------------------------------------------------------------

const api = (origin, ...request) => apiBelow(`${origin}/api/apps`)(...request);

const WORDS = { toolName: "show_orders", toolDescription: "Shows the orders of a customer. " +
  "Use when a customer asks about an order. Needs the name of the customer." };
async function published(origin, name, more = {}, headers = {}) {
  const made = await api(origin, "POST", "", { name, ...WORDS, ...more }, headers);
  return api(origin, "POST", `/${made.id}/publish`, {}, headers);
}

const ORDERS = { layoutTemplate: "list", mockData: { title: "Orders", items: [
  { title: "Anvil", subtitle: "On its way" }, { title: "Rope", subtitle: "Delivered" }] } };
const orders = await published(server.origin, "Orders", { ...ORDERS,
  description: "The orders of a customer." });
const hostOf = (app, origin = server.origin) => `${origin}/servers/${app.mcpSlug}/host`;

// ---- The page ------------------------------------------------------------------------

const message = (page) => page.getByRole("textbox", { name: /^message/i }).first();
const call = (page) => page.locator("#call-send");
const card = (page) => page.locator(".outcome").first();

// The frame of the widget, inside of the sandbox.
async function widget(page) {
  await card(page).locator("iframe").waitFor();
  const outer = await (await card(page).locator("iframe").elementHandle()).contentFrame();
  return until(() => outer.childFrames()[0], "the widget's frame");
}
const shows = (page, words) => until(async () => (await (await widget(page)).locator("body")
  .innerText().catch(() => "")).includes(words), `the widget shows ${words}`);

async function ask(page, words) {
  await page.locator("#call-send:enabled").waitFor();
  await message(page).fill(words);
  await call(page).click();
}

async function tabTo(page, locator) {
  for (let keys = 0; keys < TABS; keys++) {
    if (await locator.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the keyboard does not reach ${locator}`);
}

const page = await open(context, `${server.origin}/console#app/${orders.id}/connect`);

await test("the console leads to the host of an app, which has its tool ready", async () => {
  await page.getByRole("link", { name: "Try in a host", exact: true }).click();
  await page.waitForURL(hostOf(orders));
  await ready(page);
  await page.locator("#call-send:enabled").waitFor();
  same(await page.getByRole("heading", { level: 1 }).innerText(), "Try Orders", "its headline");
  same(await page.locator("#call-title").innerText(), "Orders", "the tool");
  need(await page.locator("#tools-card").isHidden(), "there is nothing to choose");
  need(await message(page).isVisible(), "its form");
  same(await axe(page), [], "what axe finds");
});

await test("a call shows the widget and the structured result", async () => {
  await ask(page, "Where are my orders?");
  await card(page).getByText("Answered").waitFor();
  await shows(page, "Anvil");
  same(JSON.parse(await card(page).getByLabel("Structured result").innerText()),
    ORDERS.mockData, "the structured result");
  const raw = card(page).getByText("Raw output");
  await raw.click();
  const reply = JSON.parse(await card(page).getByLabel("Raw output").innerText());
  same(reply.result._meta.ui.resourceUri, `${reply.result._meta["openai/outputTemplate"]}`,
    "both vocabularies name the widget");
  same(await axe(page), [], "what axe finds");
  same(page.said, [], "what the browser says");
});

await test("the widget reaches nothing of the server", async () => {
  const frame = await widget(page);
  const outer = frame.parentFrame();
  for (const one of [outer, frame]) {
    same(await one.evaluate(() => globalThis.origin), "null", "its origin");
    same(await one.evaluate(() => {
      try {
        return document.cookie;
      } catch (error) {
        return error.name;
      }
    }), "SecurityError", "no cookies");
    same(await one.evaluate((url) => fetch(url).then(() => "reached", () => "refused"),
      `${server.origin}/healthz`), "refused", "no requests");
    same(await one.evaluate(() => {
      try {
        return parent.document.title;
      } catch (error) {
        return error.name;
      }
    }), "SecurityError", "nothing of the page around it");
  }
  page.said = page.said.filter((line) => !/Content Security Policy|Failed to fetch/.test(line));
  const { headers } = await fetch(`${hostOf(orders)}/sandbox`);
  need(/^sandbox allow-scripts allow-forms; default-src 'none'/
    .test(headers.get("content-security-policy")), "the policy of the sandbox");
  const refused = await fetch(`${hostOf(orders)}/sandbox?csp=${encodeURIComponent(
    JSON.stringify({ connectDomains: [server.origin] }))}`);
  same(refused.status, 400, "a view cannot declare the server itself");
});

await test("a republished app changes in the open page, and one that is gone says so", async () => {
  const app = await published(server.origin, "Fleeting", ORDERS);
  const mine = await open(context, hostOf(app));
  await mine.locator("#call-send:enabled").waitFor();
  await api(server.origin, "PATCH", `/${app.id}`, { toolDescription: `${WORDS.toolDescription} ` +
    "Second edition." });
  await api(server.origin, "POST", `/${app.id}/publish`, {});
  await mine.locator("#call-words", { hasText: "Second edition." }).waitFor();
  await ask(mine, "hello");
  await shows(mine, "Anvil");
  await api(server.origin, "POST", `/${app.id}/unpublish`, {});
  await until(async () => (await fetch(hostOf(app))).status === 404, "unpublished");
  await message(mine).fill("again");
  await call(mine).click();
  await mine.getByText("APP_NOT_FOUND").first().waitFor();
  await mine.reload();
  same(await mine.locator("h1").innerText(), "There is no such page", "the page");
  await mine.close();
});

await test("a failure is shown by the page and by the widget", async () => {
  const app = await published(server.origin, "Asks the model", { ...ORDERS,
    budget: { callsPerDay: 100 },
    behavior: { type: "prompt", systemPrompt: "You list orders.", by: "client" } });
  const mine = await open(context, hostOf(app));
  await ask(mine, "Where are my orders?");
  const question = mine.locator("#questions");
  const answer = question.getByLabel("What the model answers");
  await answer.fill(JSON.stringify({ items: [{ title: "Hammer" }] }));
  await question.getByRole("button").first().click();
  await shows(mine, "Hammer");
  for (const words of ["no JSON", "no JSON again"]) {
    if (words === "no JSON") await ask(mine, "And now?");
    await answer.fill(words);
    await question.getByRole("button").first().click();
    await until(async () => await answer.count() === 0 || await answer.inputValue() === "",
      "the answer was taken");
  }
  await card(mine).getByText("The tool failed").waitFor();
  await card(mine).locator(".error", { hasText: "EXECUTION_ERROR" }).waitFor();
  const alerts = (await widget(mine)).locator("[role=alert]");
  await alerts.first().waitFor();
  same(await alerts.count(), 1, "the widget's own words");
  same(await axe(mine), [], "what axe finds");
  await mine.close();
});

await test("the keyboard alone asks, and reaches the widget", async () => {
  await page.goto(hostOf(orders));
  await ready(page);
  await page.locator("#call-send:enabled").waitFor();
  need(await message(page).evaluate((one) => one === document.activeElement),
    "the message has the keyboard from the beginning");
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Control+Enter");
  await shows(page, "Anvil");
  await tabTo(page, card(page).getByRole("button", { name: /^Full screen/ }));
  await page.keyboard.press("Enter");
  await page.locator(".outcome.full").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".outcome:not(.full)").waitFor();
});

await test("a collection is tried, too: its tools are listed, and each has its widget", async () => {
  const weather = await published(server.origin, "Weather", { layoutTemplate: "message",
    toolName: "get_weather", mockData: { text: "It will rain." } });
  const send = (path, body) => fetch(`${server.origin}/api/collections${path}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
    .then(async (response) => [response.status, await response.json()]);
  const [status, made] = await send("", { name: "Shop" });
  same(status, 201, JSON.stringify(made));
  for (const { mcpSlug } of [orders, weather])
    need((await send(`/${made.slug ?? made.mcpSlug}/apps`, { app: mcpSlug }))[0] < 300, mcpSlug);
  const mine = await context.newPage();
  await until(async () => (await mine.goto(hostOf({ mcpSlug: made.slug ?? made.mcpSlug })))
    .status() === 200, "the collection is served");
  await ready(mine);
  await mine.locator("[data-name=get_weather]").click();
  await ask(mine, "Will it rain?");
  await shows(mine, "It will rain.");
  await mine.locator("[data-name=show_orders]").click();
  await ask(mine, "Where are my orders?");
  await shows(mine, "Anvil");
  same(await mine.locator(".outcome").count(), 2, "two results");
  same(await axe(mine), [], "what axe finds");
  await mine.close();
});

for (const colorScheme of ["light", "dark"])
  await test(`on a phone, ${colorScheme}, nothing stands out and axe finds nothing`, async () => {
    const phone = await chromium.newContext({ colorScheme, viewport: { width: 360, height: 760 } });
    const view = await open(phone, hostOf(orders));
    const fits = async (what) => {
      same(await view.evaluate(() => document.documentElement.scrollWidth), 360, what);
      same(await axe(view), [], `what axe finds: ${what}`);
    };
    await view.locator("#call-send:enabled").waitFor();
    await fits("the form");
    await ask(view, "Where are my orders?");
    await shows(view, "Anvil");
    same(await (await widget(view)).evaluate(() =>
      getComputedStyle(document.documentElement).colorScheme), colorScheme, "the widget's theme");
    await fits("the widget");
    same(view.said, [], "what the browser says");
    await phone.close();
  }, 2 * PATIENCE);

await test("below a base path it works as it does at the root", async () => {
  const there = await mica({ mica: found.mica }, "--built-in", "--store",
    `sqlite:${folder}/below.db`, "--base-path", "/tools/x");
  const base = `${there.origin}/tools/x`;
  const app = await published(base, "Below", ORDERS);
  const asked = [];
  const mine = await context.newPage();
  mine.on("request", (one) => asked.push(new URL(one.url()).pathname));
  await mine.goto(`${base}/servers/${app.mcpSlug}`);
  await mine.getByRole("link", { name: "Try it in a host" }).click();
  await mine.waitForURL(hostOf(app, base));
  await ask(mine, "hello");
  await shows(mine, "Anvil");
  same(asked.filter((path) => path.startsWith("/") && !path.startsWith("/tools/x/")), [],
    "requests outside of it");
  await mine.close();
  await there.end();
});

await test("the browser had nothing to say", () => same(page.said, [], "its console"));
await server.end();

// ---- Where people sign in --------------------------------------------------------------

const guarded = await serveGuarded(found);
const sign = "import json, sys, time, tokens; print(tokens.token(json.dumps({'iss': sys.argv[1]," +
  " 'aud': sys.argv[2], 'sub': 'grace', 'scope': 'apps:write', 'iat': int(time.time())," +
  " 'exp': int(time.time()) + 3600})))";
const token = execFileSync("python3", ["-c", sign, `http://127.0.0.1:${guarded.issuer.port}`,
  `${guarded.origin}/mcp`], { cwd: dirname(found.issuer) }).toString().trim();
const grace = { Authorization: `Bearer ${token}` };
const make = (name, more) => published(guarded.origin, name, { ...ORDERS, ...more }, grace);
const open_ = await make("For everyone", { visibility: "public" });
const tokens = await make("With a token", { visibility: "token" });
const scoped = await make("With a scope", { visibility: "scope", scope: "orders" });
const others = await make("For others", { visibility: "scope", scope: "admins" });

await test("without a login a public app is tried, and others are not there", async () => {
  const mine = await (await chromium.newContext()).newPage();
  await mine.goto(hostOf(open_, guarded.origin));
  await ask(mine, "hello");
  await shows(mine, "Anvil");
  for (const [app, status] of [[tokens, 401], [scoped, 404], [others, 404]])
    for (const path of ["", "/sandbox"])
      same((await fetch(hostOf(app, guarded.origin) + path)).status, status,
        `${app.mcpSlug}${path}`);
  for (const path of ["/rpc", "/form"])
    for (const [app, status] of [[tokens, 401], [scoped, 404], [others, 404]])
      same((await fetch(hostOf(app, guarded.origin) + path, { method: "POST", body: "{}",
        headers: { "Content-Type": "application/json",
          Accept: "application/json, text/event-stream" } })).status, status,
      `${app.mcpSlug}${path}`);
  await mine.context().close();
});

await test("who signs in tries what the login may call", async () => {
  const mine = await (await chromium.newContext()).newPage();
  await mine.goto(hostOf(tokens, guarded.origin));
  await mine.getByRole("link", { name: "Sign in" }).click();
  await mine.getByRole("button", { name: "Continue as ada", exact: true }).click();
  await mine.waitForURL(hostOf(tokens, guarded.origin));
  await ask(mine, "hello");
  await shows(mine, "Anvil");
  await mine.goto(hostOf(scoped, guarded.origin));
  await ask(mine, "hello");
  await shows(mine, "Anvil");
  same((await mine.goto(hostOf(others, guarded.origin))).status(), 404, "an app of others");
  await mine.goto(hostOf(tokens, guarded.origin));
  await mine.locator("#call-send:enabled").waitFor();
  await mine.context().clearCookies();
  await ask(mine, "hello");
  await mine.getByRole("link", { name: "Sign in again" }).click();
  await mine.getByRole("button", { name: "Continue as ada", exact: true }).click();
  await mine.waitForURL(hostOf(tokens, guarded.origin));
  await mine.context().close();
});

await chromium.close();
await guarded.server.end();
guarded.issuer.kill();
done();
