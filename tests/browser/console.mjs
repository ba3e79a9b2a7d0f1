// SPDX-License-Identifier: Apache-2.0
//
// The console in Chromium, against a server with an empty store: an app is made, edited,
// published, called by a client of MCP, published again, rolled back and unpublished. Then
// what may go wrong meanwhile: two tabs, no network, names that mean harm, a phone, a
// keyboard alone.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { done, folder, need, PATIENCE, pause, same, test, until } from "../peers/tap.mjs";
import { Client } from "../../web/client/client.js";
import { addUsage, apiBelow } from "./apps.mjs";
import { axe, browser, hold, mica, open, paths, pressing, ready } from "./chromium.mjs";

const TABS = 120; // keys until a control has the keyboard
const found = paths({ mica: "", engines: "" });
const server = await mica(found, "--store", `sqlite:${folder}/apps.db`);
const { origin } = server;
const chromium = await browser();
const context = await chromium.newContext({ acceptDownloads: true });
const page = await open(context, `${origin}/console`);

// ---- The API, beside the page --------------------------------------------------------

const api = apiBelow(`${origin}/api/apps`);
const make = (name, more) => api("POST", "", { name, propose: true, ...more });

// ---- The page ------------------------------------------------------------------------

const main = page.locator("#console");
const field = (label, where = main) => where.getByRole("textbox", { name: label, exact: true });
const press = pressing(main);
const place = (name) => main.getByRole("navigation", { name: "This app" })
  .getByRole("link", { name, exact: true });
const saved = (of = page) => of.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
const idOf = (of = page) => decodeURIComponent(/#app\/([^/]+)/.exec(of.url())[1]);
const dialog = page.getByRole("dialog");
const visit = async (place, of = page) => {
  // What is on its way when a page is left is merged later, which a browser's console tells.
  if (await of.locator(".save-state").count() > 0)
    await of.locator(".save-state", { hasText: /^(✓ )?(Saved|Kept on this device)$/ }).waitFor();
  await of.goto("about:blank"); // another hash alone would not load it anew
  await of.goto(`${origin}/console${place}`);
  await ready(of);
};

// The document of the widget, inside of its frame.
async function widget(of = page) {
  const frame = of.locator(".stage iframe:not(.coming)");
  await frame.waitFor();
  return (await frame.elementHandle()).contentFrame();
}
// What a function of the widget's page comes to; undefined while another document comes.
const inWidget = async (what) => (await widget())?.evaluate(what).catch(() => undefined);
const shows = (words, of = page) => until(async () => {
  const frame = await widget(of);
  return (await frame?.locator("body").innerText().catch(() => ""))?.includes(words);
}, `the preview shows ${words}`);

async function publish() {
  await page.locator(".app-acts .main").click();
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByLabel("Address of the app", { exact: true }).waitFor();
}

async function client(slug) {
  const made = new Client({ name: "console-test", version: "1" });
  await made.connect({ transport: { type: "http", url: `${origin}/servers/${slug}/mcp` } });
  return made;
}

// ---- From nothing to an app that is called ---------------------------------------------

// Presses Tab until the control has the keyboard: there is no other way to it.
async function tabTo(locator) {
  for (let keys = 0; keys < TABS; keys++) {
    if (await locator.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the keyboard does not reach ${locator}`);
}

await test("an empty store says what to do; an app is made by keyboard alone", async () => {
  await main.getByText("No apps yet").waitFor();
  same(await axe(page), [], "what axe finds");
  await tabTo(main.getByRole("link", { name: "Make the first app" }));
  await page.keyboard.press("Enter");
  await field("Name").waitFor();
  await page.keyboard.type("Order Status");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Shows where an order is, by its number.");
  same(await axe(page), [], "what axe finds on the form");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight"); // from the card to the list
  await main.getByText("as a list", { exact: false }).or(main.locator(".layouts + .help"))
    .first().waitFor();
  await tabTo(main.getByRole("button", { name: "Create the draft" }));
  await page.keyboard.press("Enter");
  await main.getByRole("heading", { name: "Order Status", level: 1 }).waitFor();
  const app = await api("GET", `/${idOf()}`);
  same([app.name, app.layoutTemplate, app.mcpSlug, app.status],
    ["Order Status", "list", "order-status", "draft"], "the app");
  need(app.toolName && app.toolDescription, "a proposed tool");
});

await test("what is typed is saved, and findings come while one types", async () => {
  await field("Tool name").fill("order");
  await main.locator("#section-tool .findings li").first().waitFor();
  await field("Tool name").fill("get order!");
  await main.locator("#section-tool .findings .saving, #section-tool .findings .publishing")
    .first().waitFor();
  await until(async () => await field("Tool name").getAttribute("aria-invalid") === "true",
    "it is marked");
  await field("Tool name").fill("get_order_status");
  await until(async () => await field("Tool name").getAttribute("aria-invalid") === null,
    "the finding is gone");
  await field("Tool description").fill("Shows the state, place and expected delivery of an " +
    "order. Use when a customer asks about an order. Needs the order number.");
  await saved();
  same((await api("GET", `/${idOf()}`)).toolName, "get_order_status", "what is stored");
  await field("Description").fill("Where an order is now.");
  await saved();
  await press("Undo");
  await saved();
  same((await api("GET", `/${idOf()}`)).description, "Shows where an order is, by its number.",
    "undone");
});

await test("the preview is the widget, and follows data, layout, theme and width", async () => {
  await shows("Widget Pro");
  await main.locator("#section-data summary", { hasText: "Widget Pro" }).click();
  await main.locator("#section-data .data-list li").first()
    .getByRole("textbox", { name: "Title", exact: true }).fill("Anvil");
  await shows("Anvil");
  await saved();
  same((await api("GET", `/${idOf()}`)).mockData.items[0].title, "Anvil", "what is stored");
  await main.getByRole("radio", { name: "Table" }).check({ force: true });
  await shows("New checkout");
  await press("Undo");
  await shows("Anvil");
  await main.getByRole("radio", { name: "Dark" }).check({ force: true });
  await until(async () => await inWidget(() =>
    document.documentElement.style.colorScheme) === "dark", "dark");
  await main.getByRole("radio", { name: "Light" }).check({ force: true });
  const wide = (await main.locator(".stage").boundingBox()).width;
  await main.getByRole("radio", { name: "Phone" }).check({ force: true });
  await until(async () => (await main.locator(".stage").boundingBox()).width < wide, "narrow");
  await main.getByRole("radio", { name: "Wide" }).check({ force: true });
  await press("Ocean");
  await until(async () => await inWidget(() =>
    getComputedStyle(document.body).backgroundColor) === "rgb(255, 255, 255)", "its colors");
  await saved();
  need((await api("GET", `/${idOf()}`)).themeVariables["--mica-color-accent"]
    .startsWith("light-dark("), "the theme is stored");
  same(await page.evaluate(() => document.querySelector(".stage iframe").sandbox.value),
    "allow-scripts", "the frame is apart");
  same(await (await widget()).evaluate(() => self.origin), "null", "and has no origin");
});

// A press in its two halves, with `meanwhile` between them.
async function pressWhile(locator, meanwhile) {
  await locator.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await locator.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await meanwhile();
  await pause(200);
  await page.mouse.up();
}

await test("what is pressed stays below the pointer, whatever comes meanwhile", async () => {
  await place("More").click();
  await main.getByRole("button", { name: "Delete" }).first().waitFor();
  // The preview comes above the test of the draft, and is higher than the place that waits.
  const showPreview = await hold(page, "**/console/stage");
  await place("Design").click();
  await page.evaluate(() => addEventListener("message", ({ data }) => {
    if (data.method === "ui/notifications/size-changed") globalThis.viewTold = true;
  }));
  await pressWhile(main.locator(".test summary", { hasText: "Context" }), async () => {
    await showPreview();
    await until(() => page.evaluate(() => globalThis.viewTold), "the view tells its height");
  });
  await field("Context as JSON").waitFor();
  await shows("Anvil");

  // A request that fails puts a note above all.
  const fail = await hold(page, "**/api/apps/*", (route) => route.abort());
  await field("Description").fill("Where an order is at this moment.");
  await main.locator(".save-state", { hasText: "Saving" }).waitFor();
  await pressWhile(main.locator(".test summary", { hasText: "Context" }), fail);
  await field("Context as JSON").waitFor({ state: "hidden" });
  await saved(); // it is sent again by itself
  page.said = page.said.filter((line) => !/ERR_FAILED/.test(line));
});

await test("a theme that cannot be read says why, at its field", async () => {
  await field("Text, light").fill("#dddddd");
  await main.locator("#section-theme .findings .warning", { hasText: /contrast|alike/i })
    .first().waitFor();
  await field("Text, light").fill("url(x)");
  await main.locator("#section-theme .findings .saving, #section-theme .findings .publishing")
    .first().waitFor();
  await press("Ocean");
  await until(async () => await main.locator("#section-theme .findings li").count() === 0,
    "no finding");
  await saved();
});

await test("a test of the draft shows what a model reads", async () => {
  await field("Message").fill("Where is my order?");
  await press("Test");
  await main.getByText("What the model reads").waitFor();
  need((await main.locator(".test blockquote").innerText()).includes("Anvil"), "the text");
  same(await axe(page), [], "what axe finds in the editor");
});

await test("what forbids publishing is listed, and leads to its field", async () => {
  await field("Tool name").fill("");
  await page.locator(".app-acts .main").click();
  const lacks = main.getByRole("region", { name: "What forbids publishing" });
  await lacks.waitFor();
  await lacks.getByRole("button", { name: "Tool name" }).click();
  need(await field("Tool name").evaluate((one) => one === document.activeElement), "its field");
  await page.keyboard.type("get_order_status");
  await lacks.waitFor({ state: "detached" });
});

await test("a published app has an address, and a client of MCP calls it", async () => {
  await publish();
  const url = await page.getByLabel("Address of the app", { exact: true }).innerText();
  same(url, `${origin}/servers/order-status/mcp`, "its address");
  need((await main.getByLabel("Command for Claude Code", { exact: true })
    .innerText()).includes(url),
    "how to connect");
  same(await axe(page), [], "what axe finds");
  const caller = await client("order-status");
  const { tools } = await caller.listTools();
  same(tools.map(({ name }) => name), ["get_order_status"], "its tool");
  const result = await caller.callTool({ name: "get_order_status",
    arguments: { message: "Where is my order?" } });
  same(result.structuredContent.items[0].title, "Anvil", "its data");
});

await test("a change is published as another version, and the history shows it", async () => {
  await main.getByRole("link", { name: "Design", exact: true }).click();
  await main.locator("#section-data summary", { hasText: "Anvil" }).click();
  await main.locator("#section-data .data-list li").first()
    .getByRole("textbox", { name: "Title", exact: true }).fill("Hammer");
  await saved();
  await until(async () => await page.locator(".app-acts .main").innerText() ===
    "Publish 1 change", "what differs");
  await publish();
  const caller = await client("order-status");
  const call = () => caller.callTool({ name: "get_order_status", arguments: { message: "?" } });
  await until(async () => (await call()).structuredContent.items[0].title === "Hammer",
    "the new version answers");
  await main.getByRole("link", { name: "History", exact: true }).click();
  await main.locator(".versions b", { hasText: "Version 2" }).waitFor();
  const change = main.locator(".change-row", { hasText: "Data" });
  await change.locator("del", { hasText: "Anvil" }).waitFor();
  await change.locator("ins", { hasText: "Hammer" }).waitFor();
  same(await axe(page), [], "what axe finds");

  await main.getByRole("button", { name: "Roll back to version 1" }).click();
  await dialog.getByRole("button", { name: "Roll back to version 1" }).click();
  await main.locator(".versions b", { hasText: "Version 3" }).waitFor();
  await until(async () => (await call()).structuredContent.items[0].title === "Anvil",
    "the content of version 1 answers");
});

await test("usage is shown by day, the calls of this test too", async () => {
  addUsage(join(folder, "apps.db"), idOf(), [[1, 25, 0, 1400], [9, 3, 1, 0]]);
  const rows = () => main.locator("tbody tr").evaluateAll((all) => all.map(({ cells }) =>
    [...cells].slice(1).map(({ textContent }) => textContent)));
  await until(async () => {
    await visit(`#app/${idOf()}/usage`);
    await main.locator(".facts").waitFor();
    const now = await rows();
    return now.length === 3 && Number(now[0][0]) >= 3;
  }, "the calls of today are counted");
  const [today, ...before] = await rows();
  same(today.slice(1), ["0", "0"], "without a failure");
  same(before, [["25", "0", "1,400"], ["3", "1", "0"]], "the newest day first");
  same(await axe(page), [], "what axe finds");
});

await test("an unpublished app answers nothing; a file of it becomes another app", async () => {
  await main.getByRole("link", { name: "More", exact: true }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), press("Export")]);
  const file = await download.path();
  same(JSON.parse(readFileSync(file, "utf8")).micaApp, 1, "the file");
  same(await axe(page), [], "what axe finds");
  await press("Unpublish");
  await dialog.getByRole("button", { name: "Unpublish", exact: true }).click();
  await main.locator(".app-status", { hasText: "Unpublished" }).waitFor();
  await until(async () => (await fetch(`${origin}/servers/order-status/mcp`, { method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })).status === 404, "404");
  await visit("");
  await main.getByLabel("File of an app").setInputFiles(file);
  await main.getByRole("heading", { name: "Order Status", level: 1 }).waitFor();
  same((await api("GET", `/${idOf()}`)).mcpSlug, "order-status-2", "another app");
  await visit("");
  same(await main.locator(".apps li").count(), 2, "both are listed");
});

await test("an app is deleted after its name is typed", async () => {
  await visit("");
  await main.locator(".apps a", { hasText: "order-status-2" }).click();
  await main.getByRole("link", { name: "More", exact: true }).click();
  await press("Delete");
  await dialog.getByRole("textbox").fill("another");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await main.getByText("Nothing was deleted").waitFor();
  await press("Delete");
  await dialog.getByRole("textbox").fill("order-status-2");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await until(async () => await main.locator(".apps li").count() === 1, "one is left");
});

// ---- Other behaviors -----------------------------------------------------------------

// A row of an argument map: where it goes to, and what it is.
async function mapRow(map, target, kind, value) {
  await press("Add a row", map);
  const row = map.locator(".map-rows li").last();
  await row.getByLabel("Goes to").fill(target);
  await row.getByLabel("Comes from").selectOption(kind);
  await row.getByLabel("Value").fill(value);
}

await test("a tool of the server is mapped, published and called", async () => {
  const { id } = await make("Share a Bill", { description: "Splits a bill among people." });
  await visit(`#app/${id}`);
  await main.getByRole("radio", { name: "A tool" }).check({ force: true });
  await main.getByRole("combobox", { name: "Tool of this server" }).fill("tip-splitter");
  await main.locator("#section-behavior h2").click(); // the places of the tool are offered
  const given = main.getByRole("group", { name: "Its arguments" });
  await mapRow(given, "/amount", "pointer", "/context/amount");
  await mapRow(given, "/currency", "value", "USD");
  await mapRow(given, "/people", "value", "2");
  const shown = main.getByRole("group", { name: "What is shown" });
  await mapRow(shown, "/title", "value", "Each pays");
  await mapRow(shown, "/subtitle", "pointer", "/nowhere");
  await main.locator("#section-behavior .findings li", { hasText: "nowhere" }).waitFor();
  await shown.locator(".map-rows li").last().getByRole("button").click();
  await main.locator("#section-behavior .findings li").first().waitFor({ state: "detached" });
  same(await axe(page), [], "what axe finds");
  await saved();
  await publish();
  const caller = await client("share-a-bill");
  const { tools } = await caller.listTools();
  const result = await caller.callTool({ name: tools[0].name,
    arguments: { message: "?", context: { amount: 84 } } });
  same(result.structuredContent, { title: "Each pays" }, "what the map makes");
});

await test("a language model: what the server has none of is said", async () => {
  const { id } = await make("Asks a Model", { description: "Answers questions of people." });
  await visit(`#app/${id}`);
  await main.getByRole("radio", { name: "A language model" }).check({ force: true });
  await main.getByText("This server has no provider of language models", { exact: false })
    .waitFor();
  need(await main.getByRole("radio", { name: "the client" }).isChecked(), "the client does it");
  await field("Instructions").fill("Answer in one sentence.");
  await saved();
  same((await api("GET", `/${id}`)).behavior, { type: "prompt", by: "client",
    systemPrompt: "Answer in one sentence." }, "what is stored");
  await main.getByRole("radio", { name: "Fixed data" }).check({ force: true });
  await main.getByRole("radio", { name: "A language model" }).check({ force: true });
  same(await field("Instructions").inputValue(), "Answer in one sentence.", "it comes back");
});

// ---- What may go wrong ---------------------------------------------------------------

await test("two tabs: the second is shown what the first saved, and chooses", async () => {
  const { id } = await make("Two Tabs", { description: "Says hello to a person." });
  await visit(`#app/${id}`);
  const other = await open(context, `${origin}/console#app/${id}`);
  const their = (label) => field(label, other.locator("#console"));
  await their("Name").fill("Named by the other tab");
  await their("Description").fill("Described by the other tab.");
  await saved(other);
  await field("Name").fill("Named here");
  await field("Tool name").fill("say_hello_here");
  const conflict = main.getByRole("region", { name: "Changed elsewhere" });
  await conflict.waitFor();
  need((await conflict.innerText()).includes("Described by the other tab."), "what they did");
  await conflict.getByRole("radio", { name: "Theirs" }).check({ force: true });
  same(await axe(page), [], "what axe finds");
  await press("Save with these choices");
  await saved();
  const app = await api("GET", `/${id}`);
  same([app.name, app.description, app.toolName],
    ["Named by the other tab", "Described by the other tab.", "say_hello_here"], "merged");
  same(await field("Name").inputValue(), "Named by the other tab", "the page follows");
  page.said = page.said.filter((line) => !/412/.test(line));
  await other.close();
});

await test("without a network a draft is kept, survives a reload, and is sent", async () => {
  const { id } = await make("Offline", { description: "Says hello to a person." });
  await visit(`#app/${id}`);
  await until(() => page.evaluate(async () => (await caches.keys()).length > 0 &&
    Boolean(await caches.match(new URL("console", location.href)))), "the page is kept");
  await shows("Cabin by the lake"); // its frame is of the server alone
  await context.setOffline(true);
  await field("Description").fill("Typed on a train.");
  await main.locator(".save-state", { hasText: "Kept on this device" }).waitFor();
  await main.getByText("The server cannot be reached.", { exact: false }).first().waitFor();
  // The rules run in the page; a frame for another document needs the server.
  await field("Tool name").fill("say hello!");
  await main.locator("#section-tool .findings .saving, #section-tool .findings .publishing")
    .first().waitFor();
  await press("Undo");
  await field("Title").fill("Cabin by the sea");
  await shows("Cabin by the sea");
  await press("Undo");
  await main.getByRole("radio", { name: "Table" }).check({ force: true });
  await main.getByText("The preview needs the server for this change.").waitFor();
  await press("Undo");
  page.said = page.said.filter((line) => !/ERR_INTERNET_DISCONNECTED/.test(line));
  await page.reload();
  await ready(page);
  await main.getByRole("heading", { name: "Offline", level: 1 }).waitFor();
  same(await field("Description").inputValue(), "Typed on a train.", "after a reload");
  await context.setOffline(false);
  await saved();
  same((await api("GET", `/${id}`)).description, "Typed on a train.", "what is stored");
  // Where a request went out as the network came and its answer was lost, the next one is of
  // an old revision (412), which the console settles by itself.
  page.said = page.said.filter((line) => !/ERR_INTERNET_DISCONNECTED|412/.test(line));
});

await test("a tab that ends before it saved leaves its changes to the next one", async () => {
  const { id } = await make("Left Behind", { description: "Says hello to a person." });
  const tab = await open(context, `${origin}/console#app/${id}`);
  await tab.route("**/api/apps/**", (route) => route.request().method() === "PATCH"
    ? route.abort() : route.continue());
  await field("Description", tab.locator("#console")).fill("Not sent before the end.");
  await tab.locator(".save-state", { hasText: "Kept on this device" }).waitFor();
  await tab.close();
  await visit("");
  await main.locator(".apps li", { hasText: "Left Behind" }).getByText("Not saved yet").waitFor();
  await visit(`#app/${id}`);
  await saved();
  same((await api("GET", `/${id}`)).description, "Not sent before the end.", "what is stored");
});

await test("an app whose record comes late draws over nothing", async () => {
  const { id } = await make("Late", { description: "Says hello to a person." });
  await visit("");
  const answer = await hold(page, `**/api/apps/${id}`);
  await page.goto(`${origin}/console#app/${id}`);
  await main.getByText("Loading…").waitFor();
  await page.goto(`${origin}/console#new`);
  await main.getByRole("heading", { name: "New app" }).waitFor();
  const answered = page.waitForResponse((response) => response.url().endsWith(id));
  await answer();
  await (await answered).finished();
  await pause(500);
  need(await main.getByRole("heading", { name: "New app" }).isVisible(), "the page stays");
});

await test("a place that fails late draws over nothing", async () => {
  const { id } = await make("Late Usage", { description: "Says hello to a person." });
  await visit(`#app/${id}`);
  const fail = await hold(page, "**/usage", (route) => route.abort());
  await place("Usage").click();
  await place("More").click();
  await main.getByRole("button", { name: "Delete" }).first().waitFor();
  await fail();
  await pause(300);
  need(await main.getByRole("button", { name: "Delete" }).first().isVisible(), "it stays");
  page.said = page.said.filter((line) => !/ERR_FAILED/.test(line));
});

await test("the versions that are compared are those that are chosen", async () => {
  const { id } = await make("Compared", { description: "Says hello to a person." });
  const versions = ["First", "Second", "Third"];
  for (const name of versions) {
    await api("PATCH", `/${id}`, { name });
    await api("POST", `/${id}/publish`, {});
  }
  await visit(`#app/${id}/history`);
  const words = (text) => main.locator(".change-row", { hasText: text }).first().waitFor();
  await words("Second");
  const answer = await hold(page, "**/difference?*");
  await main.getByLabel("From").selectOption("2");
  await main.getByLabel("to", { exact: true }).selectOption("1");
  await main.getByLabel("From").selectOption("3");
  await answer();
  await main.locator(".change-row ins", { hasText: "First" }).waitFor();
  await main.locator(".change-row del", { hasText: "Third" }).waitFor();
});

await test("a conflict that cannot be read is looked at again", async () => {
  const { id } = await make("Old Revision", { description: "Says hello to a person." });
  await visit(`#app/${id}`);
  const path = new RegExp(`/api/apps/${id}$`);
  await page.route(path, (route) => route.request().method() === "GET" ? route.abort()
    : route.fulfill({ status: 412, contentType: "application/json",
      body: '{"error":{"code":"REVISION_CHANGED","message":"it was changed"}}' }));
  await field("Description").fill("Sent again by itself.");
  await main.locator(".save-state", { hasText: "Kept on this device" }).waitFor();
  await page.unroute(path);
  await saved();
  same((await api("GET", `/${id}`)).description, "Sent again by itself.", "what is stored");
  page.said = page.said.filter((line) => !/ERR_FAILED|412/.test(line));
});

await test("what an editor sends that was left does not touch what the next one keeps", async () => {
  const { id } = await make("Left and Back", { description: "Says hello to a person." });
  await visit(`#app/${id}`);
  const patches = [];
  const path = new RegExp(`/api/apps/${id}$`);
  await page.route(path, (route) => {
    if (route.request().method() === "GET") return route.continue();
    patches.push(route);
    return undefined;
  });
  await field("Description").fill("Typed before.");
  await page.goto(`${origin}/console#new`);
  await until(() => patches.length === 1, "it is sent as it is left");
  await page.goto(`${origin}/console#app/${id}`);
  await field("Description").fill("Typed after.");
  await until(() => patches.length === 2, "the next one sends, too");
  await patches[0].continue();
  await until(async () => (await api("GET", `/${id}`)).description === "Typed before.", "stored");
  await pause(300);
  need(await page.evaluate((id) => Object.entries(localStorage).some(([name, value]) =>
    name.includes(id) && value.includes("Typed after.")), id), "it is kept");
  await page.unroute(path); // which lets the other one go
  // The server has two of one revision, so the person says which it is.
  const conflict = main.getByRole("region", { name: "Changed elsewhere" });
  await conflict.getByRole("radio", { name: "Mine" }).check({ force: true });
  await press("Save with these choices");
  await saved();
  same((await api("GET", `/${id}`)).description, "Typed after.", "what is stored in the end");
  page.said = page.said.filter((line) => !/412/.test(line));
});

await test("names that mean harm are text", async () => {
  const name = "<img src=x onerror=document.title=1>\"'&amp;";
  const { id } = await make(name, { description: "<script>alert(1)</script> {{x}} ${x}",
    toolName: "show_it", toolDescription: "<b>bold</b> </template><script>alert(1)</script>" });
  await visit("");
  await main.locator(".apps b", { hasText: name }).waitFor();
  for (const place of ["", "/connect", "/history", "/usage", "/settings"]) {
    await visit(`#app/${id}${place}`);
    same(await main.getByRole("heading", { level: 1 }).innerText(), name, place);
    same(await main.locator("img, script").count(), 0, `nothing of it is an element ${place}`);
  }
  await visit(`#app/${id}`);
  await shows("Cabin by the lake");
  same(await page.title(), name, "the title");
  await visit("#app/..%2F..%2Fmcp");
  await main.getByText("There is no app here that you may see.").waitFor();
  page.said = page.said.filter((line) => !/404/.test(line));
});

// ---- On a phone, in both themes ----------------------------------------------------------

for (const colorScheme of ["light", "dark"])
  await test(`on a phone, ${colorScheme}, nothing stands out and axe finds nothing`, async () => {
    const phone = await chromium.newContext({ colorScheme, viewport: { width: 360, height: 760 } });
    const { apps } = await api("GET", "");
    const { id } = apps.find((one) => one.name === "Order Status");
    for (const place of ["", "#new", `#app/${id}`, `#app/${id}/connect`, `#app/${id}/history`,
      `#app/${id}/usage`, `#app/${id}/settings`]) {
      const view = await open(phone, `${origin}/console${place}`);
      same(await view.evaluate(() => document.documentElement.scrollWidth), 360, place);
      same(await axe(view), [], `what axe finds at ${place}`);
      if (place === `#app/${id}`) {
        await view.getByRole("radio", { name: "Preview" }).check({ force: true });
        await shows("Hammer", view);
        same(await view.evaluate(() => document.documentElement.scrollWidth), 360, "preview");
        same(await axe(view), [], "what axe finds in the preview");
      }
      same(view.said, [], "what the browser says");
      await view.close();
    }
    await phone.close();
  }, 4 * PATIENCE);

await test("each control of the editor has a name, and Escape leaves a question", async () => {
  const { apps } = await api("GET", "");
  const { id } = apps.find((one) => one.name === "Offline");
  await visit(`#app/${id}`);
  await field("Description").focus(); // from the middle of the form
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  same((await api("GET", `/${id}`)).status, "draft", "nothing was published");
  need(await page.locator(".app-acts .main").evaluate((one) => one === document.activeElement),
    "the keyboard is where it was");
});

await test("below a base path an app is made, shown and published", async () => {
  const there = await mica(found, "--store", `sqlite:${folder}/below.db`,
    "--base-path", "/tools/x");
  const base = `${there.origin}/tools/x`;
  const below = await open(context, `${base}/console#new`);
  const inside = below.locator("#console");
  await field("Name", inside).fill("Below");
  await field("What it does", inside).fill("Says hello to a person.");
  await press("Create the draft", inside);
  await inside.getByRole("heading", { name: "Below", level: 1 }).waitFor();
  await shows("Cabin by the lake", below);
  await below.locator(".app-acts .main").click();
  await below.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }).click();
  const address = below.getByLabel("Address of the app", { exact: true });
  await address.waitFor();
  same(await address.innerText(), `${base}/servers/below/mcp`, "its address");
  same(below.said, [], "the browser");
  await below.close();
  await there.end();
});

await test("the browser had nothing to say", () => same(page.said, [], "its console"));

await chromium.close();
await server.end();
done();
