// SPDX-License-Identifier: Apache-2.0
//
// A person in Chromium who signs in at the stand-in authorization server, calls a tool
// that asks, and signs out: at each step what the page shows, what the browser keeps and
// what a page of another site can do with it.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { done, folder, need, same, serve, test } from "../peers/tap.mjs";
import { axe, browser, open, paths, ready } from "./chromium.mjs";
import { serveGuarded } from "./guarded.mjs";

const found = paths({ mica: "", tools: "", issuer: "" });
cpSync(found.tools, join(folder, "tools"), { recursive: true });
execFileSync(found.mica, ["build"], { cwd: folder, stdio: "pipe",
  env: { ...process.env, XDG_STATE_HOME: folder } });

// ---- An issuer, a server, a browser ---------------------------------------------------

const { issuer, server, port, origin } = await serveGuarded(found, "--host-page");
const chromium = await browser();
const context = await chromium.newContext();
const TOOL = `${origin}/tools/book_flight`;

const button = (page, name) => page.getByRole("button", { name, exact: true });

// In light and dark, and on a phone.
async function looksGood(page, what) {
  const before = page.viewportSize();
  for (const colorScheme of ["light", "dark"])
    for (const size of [before, { width: 360, height: 800 }]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      same(await axe(page), [], `what axe finds on ${what}, ${colorScheme}`);
      need(await page.evaluate(() =>
        document.documentElement.scrollWidth <= innerWidth), `${what}: it fits`);
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(before);
}

let page;
await test("a page asks to sign in, and looks like one", async () => {
  page = await open(context, TOOL);
  need((await page.locator("h1").innerText()).includes("not signed in"), "its headline");
  need(!(await page.locator("main").innerText()).includes("access token"), "people's words");
  page.said.length = 0; // that there are pages with 401
  await looksGood(page, "who is not signed in");
});

await test("signing in leads back to the page", async () => {
  await page.getByRole("link", { name: "Sign in" }).click();
  await button(page, "Continue as ada").click();
  await page.waitForURL(TOOL);
  await ready(page);
  need((await page.locator(".person").innerText()).includes("Ada <of> Example"),
    "who is signed in");
  await looksGood(page, "who is signed in");
  same(page.said, [], "the console");
});

await test("the browser has an id and nothing else", async () => {
  const cookies = await context.cookies(origin);
  same(cookies.map(({ name, httpOnly, sameSite, path }) =>
    ({ name, httpOnly, sameSite, path })),
  [{ name: `mica-${port}`, httpOnly: true, sameSite: "Lax", path: "/" }], "cookies");
  need(/^[A-Za-z0-9_-]{43}$/.test(cookies[0].value), "its value");
  same(await page.evaluate(() => [document.cookie, localStorage.length,
    sessionStorage.length]), ["", 0, 0], "what scripts see");
});

await test("a tool asks, and gets its answer", async () => {
  await page.getByLabel("Destination").fill("Paris");
  await page.getByLabel("Date").fill("2027-03-01");
  await button(page, "Run").click();
  await page.waitForURL(`${origin}/calls/*`);
  await page.getByRole("region", { name: "A question" }).waitFor();
  await page.locator("[data-name=flightId] label").nth(1).click();
  await button(page, "Answer").click();
  await page.getByRole("region",
    { name: "The tool asks a model; answer for it" }).waitFor();
  same(page.said, [], "the console");
});

// localhost is another site than 127.0.0.1, which gets no cookie at all; another port of
// 127.0.0.1 is the same site, so there the origin counts.
for (const [host, statuses] of [["localhost", [401, 403]], ["127.0.0.1", [403, 403]]])
  await test(`a page of ${host} calls nothing`, async () => {
    const other = createServer((_, answer) => answer.writeHead(200,
      { "content-type": "text/html" }).end("<link rel=icon href='data:,'>" +
      `<form method=post enctype="text/plain" action="${origin}/api/book_flight">` +
      "<input name='{\"x\":\"' value='\"}'><button>call</button></form>" +
      `<form method=post action="${origin}/logout"><button>out</button></form>`))
      .listen(0, host);
    await new Promise((resolve) => other.once("listening", resolve));
    const got = [];
    try {
      for (const name of ["call", "out"]) {
        const evil = await context.newPage();
        await evil.goto(`http://${host}:${other.address().port}/`);
        const [reply] = await Promise.all([
          evil.waitForResponse((one) => one.url().startsWith(origin)),
          button(evil, name).click({ noWaitAfter: true })]);
        got.push(reply.status());
      }
    } finally {
      other.close();
    }
    same(got, statuses, "what it gets");
    same((await page.goto(TOOL)).status(), 200, "the login is still there");
    await ready(page);
  });

await test("the host page calls as the person, and asks to sign in when the login ends",
  async () => {
    const host = await open(context, `${origin}/host`);
    need((await host.locator(".person").innerText()).includes("Ada <of> Example"), "who");
    await host.locator("#host-tools [data-name=book_flight]").click();
    await host.locator("#call-form").getByLabel("Destination").fill("Paris");
    await host.locator("#call-form").getByLabel("Date").fill("2027-03-01");
    await host.locator("#call-send:enabled").click();
    await host.getByRole("region", { name: "A question" }).waitFor();
    await host.locator("#questions [data-name=flightId] label").nth(1).click();
    await button(host, "Answer").click();
    await host.getByLabel("What the model answers").fill("A direct flight.");
    await button(host, "Answer").click();
    await host.locator("#questions").getByText("Confirm this booking?").waitFor();
    same(host.said, [], "the console");
    const cookies = await context.cookies(origin);
    await context.clearCookies();
    await host.locator("#host-tools [data-name=survey]").click();
    await host.getByText("There is no form for the arguments of this tool").waitFor();
    await host.locator("#call-send:enabled").click();
    await host.getByText("Your login has ended.").waitFor();
    same(await host.getByRole("link", { name: "Sign in again" }).getAttribute("href"),
      `${origin}/login?to=%2Fhost`, "where it leads");
    await context.addCookies(cookies);
    await host.close();
  });

await test("no page with a name is kept for later", async () => {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.goto(`${origin}/`);
  await ready(page);
  const kept = await page.evaluate(async () => {
    const all = [];
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) all.push(url);
    return all;
  });
  same(kept.filter((url) => !new URL(url).pathname.startsWith("/web/") &&
    !new URL(url).pathname.startsWith("/engines/")), [], "pages in caches");
});

await test("signing out ends it here and at the issuer", async () => {
  const [left] = await context.cookies(origin);
  const ended = page.waitForRequest((request) =>
    request.url().startsWith(`http://127.0.0.1:${issuer.port}/end?`));
  await button(page, "Sign out").click();
  await ended;
  await page.waitForURL(`${origin}/`);
  need((await page.locator("h1").innerText()).includes("not signed in"), "afterwards");
  same(await context.cookies(origin), [], "cookies");
  await context.addCookies([left]); // what a thief has kept
  same((await page.goto(TOOL)).status(), 401, "the old id");
});

await chromium.close();
await server.end();
issuer.kill();
done();
