// SPDX-License-Identifier: Apache-2.0
//
// Pictures of every page at two widths, light and dark, for docs/pictures. Run by
// scripts/screenshots; with --only NAME those alone whose name begins so.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { folder, pause, serve } from "../peers/tap.mjs";
import { browser, mica, open, paths } from "./chromium.mjs";
import { serveGuarded } from "./guarded.mjs";
import { small } from "./png.mjs";

const MOST_BYTES = 120 * 1024;
const found = paths({ mica: "", engines: "", tools: "", sources: "", issuer: "", views: "", out: "",
  only: "" });
const only = basename(found.only);
const server = await mica(found, "--tools", found.tools);
const chromium = await browser("--force-device-scale-factor=1");

// Ports and times are others at each run, and would change a picture that is the same.
const steady = (page) => page.evaluate(() => {
  const texts = document.createTreeWalker(document.querySelector("main") ?? document.body,
    NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    texts.currentNode.data = texts.currentNode.data.replace(location.origin,
      "http://127.0.0.1:8080").replace(/(?<![\d.])\d+ ms\b/, "12 ms");
});

async function ask(page) {
  await page.getByLabel("Destination").fill("Paris");
  await page.getByLabel("Date").fill("2027-03-01");
  await page.getByRole("button", { name: "Run" }).click();
  await page.waitForURL("**/calls/*");
  await page.locator("[data-name=flightId] label").nth(1).click();
}

async function book(page) {
  await ask(page);
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByLabel("What a model would answer").fill("A direct flight at noon.");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByRole("button", { name: "Yes" }).click();
  await page.getByText(/Booked flight/).waitFor();
}

const loan = "/tools/loan-payment?principal=250000&currency=EUR" +
  "&annual_rate_percent=3.6&term_months=240&schedule=yearly";
const statistics = "/tools/statistics-summary?values=" +
  "[12.5,14.1,13.8,15.2,40,12.9,13.3,14.7,13.9,12.2]";
const pages = [
  ["catalog", "/"],
  ["catalog-empty", "/?q=mortgage"],
  ["tool", loan],
  ["tool-grid", statistics],
  ["tool-fault", "/tools/tip-splitter?amount=many&currency=EUR"],
  ["tool-color", "/tools/color-converter"],
  ["question", "/tools/book_flight", ask],
  ["question-end", "/tools/book_flight", book],
  ["refusal", "/tools/loan-paymant"],
  ["own-page", "/tools/tip-splitter/page"],
];

// A tool with something to mend, under mica dev.
const work = join(folder, "engines");
mkdirSync(work);
copyFileSync(join(found.sources, "tip-splitter.c"), join(work, "tip-splitter.c"));
writeFileSync(join(work, "broken.c"), "#include <mica/engine.h>\nMICA_ENGIN(broken);\n");

async function take(name, origin, path, act, look) {
  if (!name.startsWith(only)) return;
  for (const colorScheme of ["light", "dark"])
    for (const width of [360, 1280]) {
      const context = await chromium.newContext(
        { colorScheme, viewport: { width, height: width === 360 ? 720 : 800 } });
      const page = name === "own-page" ? await context.newPage()
        : await open(context, origin + path);
      if (name === "own-page") {
        await page.goto(origin + path);
        await page.getByText("×").waitFor();
      }
      await act?.(page);
      await look?.(page);
      await steady(page);
      await page.mouse.move(0, 0);
      const picture = small(await page.screenshot({ animations: "disabled" }));
      if (picture.length > MOST_BYTES)
        throw new Error(`${name} has ${picture.length} bytes`);
      writeFileSync(join(found.out, `${name}-${width}-${colorScheme}.png`), picture);
      await context.close();
    }
}

for (const [name, path, act] of pages)
  await take(name, server.origin, path, act);
const dev = await serve(found.mica, ["dev", "--listen", "127.0.0.1:0"]);
await take("dev", `http://127.0.0.1:${dev.port}`, "/", undefined,
  (page) => page.getByText("broken does not build").waitFor({ timeout: 60000 }));

// The Inspector, with what some clients have asked, and one of them selected.
async function inspects(page) {
  const origin = `http://127.0.0.1:${dev.port}`;
  const json = { "Content-Type": "application/json",
    Accept: "application/json, text/event-stream" };
  const post = (body, headers) => fetch(`${origin}/mcp`, { method: "POST",
    headers: { ...json, ...headers }, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });
  for (let seconds = 0; seconds < 60; seconds++) { // mica dev builds it first
    if ((await fetch(`${origin}/tools/tip-splitter`)).ok) break;
    await pause(1000);
  }
  const begun = await post({ id: 1, method: "initialize", params: { capabilities: {},
    protocolVersion: "2025-11-25", clientInfo: { name: "client", version: "1" } } });
  const session = { "MCP-Protocol-Version": "2025-11-25",
    "Mcp-Session-Id": begun.headers.get("Mcp-Session-Id") };
  const call = (id, name, input) =>
    post({ id, method: "tools/call", params: { name, arguments: input } }, session);
  await post({ method: "notifications/initialized" }, session);
  await post({ id: 2, method: "tools/list" }, session);
  await call(3, "tip-spliter", {});
  await fetch(`${origin}/api/tip-splitter?amount=84.5&currency=USD`);
  await call(4, "tip-splitter", { amount: 84.5, currency: "USD", people: 3 });
  await page.locator("#exchanges button", { hasText: "tools/call tip-splitter" }).first()
    .click();
  await page.locator("#reply", { hasText: "structuredContent" }).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
}
await take("inspect", `http://127.0.0.1:${dev.port}`, "/inspect", inspects);
await take("inspect-try", `http://127.0.0.1:${dev.port}`, "/inspect#try", async (page) => {
  await page.locator("#send:enabled").waitFor();
  await page.locator("#arguments").getByLabel("Amount").fill("84.5");
  await page.locator("#arguments").getByLabel("Currency").fill("USD");
  await page.locator("#send").click();
  await page.locator("#try-state", { hasText: "Answered" }).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
});

// The host, with a view of examples/views.
const hosted = await serve(found.mica, ["host", "--listen", "127.0.0.1:0",
  "--tools", found.views, "--engines", found.engines]);
const host = `http://127.0.0.1:${hosted.port}`;
async function throws(page) {
  await page.getByLabel("Filter the tools").fill("dice");
  await page.locator("#host-tools [data-name=throw_dice]").click();
  await page.locator("#call-send:enabled").waitFor();
  await page.locator("#call-form").getByLabel("Count").fill("3");
}
await take("host", host, "/host", throws);
const shown = async (page) => {
  await throws(page);
  await page.locator("#call-send").click();
  const outer = await (await page.locator("#cards iframe").elementHandle()).contentFrame();
  while (!outer.childFrames()[0]) await pause(50);
  await outer.childFrames()[0].getByText("Sum:").waitFor();
  await page.locator("#cards-title").evaluate((title) => title.scrollIntoView());
};
await take("host-view", host, "/host", shown);
await take("host-dialog", host, "/host", async (page) => {
  await shown(page);
  const [view] = page.frames().filter((frame) => frame.parentFrame()?.parentFrame());
  await view.getByRole("button", { name: "Throw again" }).click();
  await page.locator("#consent-allow:enabled").waitFor();
});
await hosted.end();

// The console, with some apps.
const made = await mica(found, "--store", `sqlite:${join(folder, "apps.db")}`);
const apps = (method, path, body) => fetch(`${made.origin}/api/apps${path}`, { method,
  headers: { "Content-Type": "application/json",
    ...(method === "PATCH" && { "If-Match": "*" }) }, body: JSON.stringify(body) })
  .then((response) => response.json());
await apps("POST", "", { name: "Contact Us", layoutTemplate: "form",
  description: "Takes a message to our team." });
await apps("POST", "", { name: "Sales of the Week", layoutTemplate: "chart", propose: true,
  description: "Shows how many orders came in, by day." });
const orders = await apps("POST", "", { name: "Order Status", layoutTemplate: "detail",
  description: "Shows where an order is, by its number.", toolName: "get_order_status",
  toolDescription: "Shows where an order is. Use when a customer asks about an order. " +
    "Requires the order number." });
await apps("POST", `/${orders.id}/publish`, {});
await apps("PATCH", `/${orders.id}`, { toolDescription: "Shows the state, place and expected " +
  "delivery of an order. Use when a customer asks about an order, shipping or delivery. " +
  "Requires the order number or the customer's email.",
themeVariables: { "--mica-color-accent": "light-dark(#0b5cad, #7ab8f5)" } });
await apps("POST", `/${orders.id}/publish`, {});
const seen = async (page) => {
  const width = page.viewportSize().width;
  if (width < 960) return;
  const frame = await (await page.locator(".stage iframe:not(.coming)").elementHandle())
    .contentFrame();
  await frame.getByText("Order 12345").first().waitFor();
};
await take("console", made.origin, "/console", undefined,
  (page) => page.getByText("Contact Us").waitFor());
await take("console-app", made.origin, `/console#app/${orders.id}`, undefined, seen);
await take("console-test", made.origin, `/console#app/${orders.id}`, async (page) => {
  if (page.viewportSize().width < 960)
    await page.getByRole("radio", { name: "Preview" }).check({ force: true });
  const part = page.locator(".test");
  await part.getByLabel("Message").fill("Where is order 12345?");
  await part.getByRole("button", { name: "Test", exact: true }).click();
  await part.getByText("What the model reads").waitFor();
  // The preview above it takes its height once the result is drawn.
  for (let calm = 0, before; calm < 10; await pause(50)) {
    await part.evaluate((one) => {
      const card = one.closest(".preview"); // scrolls by itself where there is room beside it
      scrollTo(0, 0);
      card.scrollTop = card.scrollHeight;
      if (card.scrollTop === 0) one.scrollIntoView();
    });
    const { height } = await page.locator(".stage").boundingBox();
    calm = height === before ? calm + 1 : 0;
    before = height;
  }
  await steady(page);
});
await take("console-connect", made.origin, `/console#app/${orders.id}/connect`, undefined,
  async (page) => {
    await page.getByText("Try in a host").waitFor();
    await steady(page);
  });
// The app, for people; and in the host.
await take("app", made.origin, "/servers/order-status", undefined, async (page) => {
  const [, frame] = page.frames();
  await frame.getByText("Order 12345").first().waitFor();
});
await take("app-host", made.origin, "/servers/order-status/host", async (page) => {
  await page.locator("#call-send:enabled").waitFor();
  await page.getByLabel("Message").fill("Where is my order 12345?");
  await page.locator("#call-send").click();
  await page.getByText("Answered", { exact: true }).waitFor();
  const outer = await (await page.locator(".outcome iframe").elementHandle()).contentFrame();
  while (!outer.childFrames()[0]) await pause(50);
  await outer.childFrames()[0].getByText("Order 12345").first().waitFor();
  await page.locator(".outcome").evaluate((card) => card.scrollIntoView());
  await steady(page);
});
await take("console-history", made.origin, `/console#app/${orders.id}/history`, undefined,
  (page) => page.locator(".change-row").first().waitFor());
await made.end();

// A person who is signed out, and one who is signed in.
const guarded = await serveGuarded(found, "--tools", found.tools);
await take("login", guarded.origin, "/tools/book_flight");
await take("signed-in", guarded.origin, "/tools/book_flight", async (page) => {
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Continue as ada", exact: true }).click();
  await page.waitForURL("**/tools/book_flight");
  await page.locator(".person").waitFor();
});
await chromium.close();
await guarded.server.end();
guarded.issuer.kill();
await dev.end();
await server.end();
