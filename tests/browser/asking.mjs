// SPDX-License-Identifier: Apache-2.0
//
// An interactive tool in the hands of a person in Chromium: its input, each of its
// questions as a form, the words of a model, what it came to; and the same call
// after its page was closed and after its server was started anew.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";

import { done, folder, need, same, test } from "../peers/tap.mjs";
import { axe, browser, mica, open, paths } from "./chromium.mjs";

const found = paths({ mica: "", tools: "" });
cpSync(found.tools, join(folder, "tools"), { recursive: true });
execFileSync(found.mica, ["build"], { cwd: folder, stdio: "pipe",
  env: { ...process.env, XDG_STATE_HOME: folder } });
let server = await mica(found, "--store", `sqlite:${join(folder, "store.db")}`);
const chromium = await browser();

const button = (page, name) => page.getByRole("button", { name, exact: true });
const asks = (page, name) => page.getByRole("region", { name })
  .waitFor({ timeout: 20000 });

async function begin() {
  const page = await open(await chromium.newContext(),
    `${server.origin}/tools/book_flight`);
  need((await page.locator("#runs").innerText()).includes("server"), "where");
  await page.getByLabel("Destination").fill("Paris");
  await page.getByLabel("Date").fill("2027-03-01");
  await button(page, "Run").click();
  await page.waitForURL("**/calls/*");
  await asks(page, "A question");
  return page;
}

async function choose(page) {
  const flights = page.getByLabel("Flight");
  need(await flights.locator("option").count() > 1, "flights to choose from");
  await flights.selectOption({ index: 1 });
  await button(page, "Answer").click();
  await asks(page, "The tool asks a model; answer for it");
}

await test("a flight is booked by answering forms", async () => {
  const page = await begin();
  same(await axe(page), [], "what axe finds on a question");
  await choose(page);
  need((await page.locator("blockquote").innerText()).includes("Paris"),
    "what the model is asked");
  await page.getByLabel("What a model would answer").fill("A fine flight.");
  await button(page, "Answer").click();
  await page.getByText("Confirm this booking?").waitFor();
  need((await page.locator(".message").innerText()).includes("A fine flight."),
    "what the model said");
  await page.locator("[data-name=confirmed] select").selectOption("true");
  await button(page, "Answer").click();
  await page.getByText(/Booked flight B\d+/).waitFor();
  same(await page.locator("#state").innerText(), "Done.", "its state");
  same(await axe(page), [], "what axe finds at the end");
  await page.context().close();
});

await test("a wrong answer is asked for again, with the reason", async () => {
  const page = await begin();
  await button(page, "Answer").click();
  await page.getByText("The last answer was not accepted").waitFor();
  await choose(page);
  await page.context().close();
});

await test("a person may decline, and the tool says what it did", async () => {
  const page = await begin();
  await button(page, "Decline").click();
  await page.getByText("Booking cancelled").waitFor();
  await page.context().close();
});

await test("a call goes on where it was, after its server was ended", async () => {
  const page = await begin();
  const { pathname } = new URL(page.url());
  await page.context().close();
  await server.end();
  server = await mica(found, "--store", `sqlite:${join(folder, "store.db")}`);
  const other = await open(await chromium.newContext(),
    server.origin + pathname);
  await asks(other, "A question");
  await choose(other);
  await button(other, "Give up this call").click();
  await other.getByText("The call was given up.").waitFor();
  await other.context().close();
});

await test("a call that is not there says so", async () => {
  const page = await chromium.newPage();
  await page.goto(`${server.origin}/calls/AAAAAAAAAAAAAAAAAAAAAA`);
  await page.getByText("There is no such call, or no longer.").waitFor();
  await page.close();
});

await chromium.close();
await server.end();
done();
