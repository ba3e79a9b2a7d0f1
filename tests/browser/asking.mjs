// SPDX-License-Identifier: Apache-2.0
//
// Interactive tools in the hands of a person in Chromium: their input, what they
// tell while they work, each of their questions as a form, the words of a model,
// what they came to; and the same call after its page was closed and after its
// server was started anew.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { done, folder, need, same, test } from "../peers/tap.mjs";
import { axe, browser, mica, moves, open, paths, watchMoves } from "./chromium.mjs";

const found = paths({ mica: "", tools: "" });
cpSync(found.tools, join(folder, "tools"), { recursive: true });
for (const name of ["interview.c", "errand.c"])
  copyFileSync(join(dirname(fileURLToPath(import.meta.url)), name),
    join(folder, "tools", name));
execFileSync(found.mica, ["build"], { cwd: folder, stdio: "pipe",
  env: { ...process.env, XDG_STATE_HOME: folder } });
const start = (...more) =>
  mica(found, "--store", `sqlite:${join(folder, "store.db")}`, ...more);
let server = await start();
const chromium = await browser();

const button = (page, name) => page.getByRole("button", { name, exact: true });
const asks = (page, name) => page.getByRole("region", { name })
  .waitFor({ timeout: 20000 });
const state = (page, words) =>
  page.locator("#state", { hasText: words }).waitFor();
const QUESTION = "A question";
const MODEL = "The tool asks a model; answer for it";
const FOLDERS = "The tool asks for folders";
const VISIT = "The tool asks you to visit a page";

const openTool = async (name, settings = {}) =>
  open(await chromium.newContext(settings), `${server.origin}/tools/${name}`);

// In light and dark, on a phone.
async function looksGood(page, what) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    same(await axe(page), [], `what axe finds on ${what}, ${colorScheme}`);
  }
  const before = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 800 });
  need(await page.evaluate(() =>
    document.documentElement.scrollWidth <= innerWidth), `${what}: it fits`);
  same(await axe(page), [], `what axe finds on ${what}, on a phone`);
  await page.setViewportSize(before);
}

async function begin() {
  const page = await openTool("book_flight");
  need((await page.locator("#runs").innerText()).includes("server"), "where");
  await page.getByLabel("Destination").fill("Paris");
  await page.getByLabel("Date").fill("2027-03-01");
  await button(page, "Run").click();
  await page.waitForURL("**/calls/*");
  await asks(page, QUESTION);
  return page;
}

async function choose(page) {
  const flights = page.locator("[data-name=flightId] label");
  need(await flights.count() > 1, "flights to choose from");
  await flights.nth(1).click();
  await button(page, "Answer").click();
  await asks(page, MODEL);
}

await test("interactive tools are in the catalog", async () => {
  const page = await open(await chromium.newContext(), `${server.origin}/`);
  await page.getByRole("link", { name: "Book a flight" }).click();
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  same(await page.locator("h1").innerText(), "Book a flight", "its page");
  await state(page, "Runs when you send it.");
  await looksGood(page, "its input");
  await page.context().close();
});

await test("a flight is booked by answering forms", async () => {
  const page = await begin();
  need((await page.locator("#log").innerText()).includes("Found"),
    "what it has told before its question");
  await looksGood(page, "a question");
  await choose(page);
  need((await page.locator("blockquote").innerText()).includes("Paris"),
    "what the model is asked");
  await looksGood(page, "a question to a model");
  await page.getByLabel("What a model would answer").fill("A fine flight.");
  await button(page, "Answer").click();
  await page.getByText("Confirm this booking?").waitFor();
  need((await page.locator(".message").innerText()).includes("A fine flight."),
    "what the model said");
  same(await page.getByRole("heading", { level: 2 }).innerText(),
    "Confirm this booking?", "the question is the headline");
  same(await page.locator("#answered li").count(), 2, "the answers so far");
  await page.reload();
  await page.getByText("Confirm this booking?").waitFor();
  same(await page.locator("#answered li").count(), 2, "the same, loaded anew");
  await button(page, "Yes").click();
  await page.getByText(/Booked flight B\d+/).waitFor();
  same(await page.locator("#state").innerText(), "The tool has finished. Its result is below.", "its state");
  await looksGood(page, "the end");
  same(page.said, [], "the console");
  await page.context().close();
});

await test("what is missing is told once, at its field, in words for people", async () => {
  const page = await begin();
  await button(page, "Answer").click();
  const error = page.locator("[data-name=flightId] .error");
  await error.waitFor();
  same(await error.innerText(), "Choose one", "the words");
  same(await page.locator(".error:visible, .message:visible").count(), 1, "once");
  same(await page.locator("#questions h2").innerText(), "Found 3 flights to Paris. Pick one:",
    "the question is as it was");
  need(await page.locator("[data-name=flightId]").evaluate((field) =>
    field.contains(document.activeElement)), "the focus is there");
  await looksGood(page, "a question that is asked again");
  await page.reload();
  await error.waitFor();
  same(await error.innerText(), "Choose one", "the same, loaded anew");
  await page.context().close();
});

for (const width of [360, 1280])
  await test(`nothing moves while a question loads, ${width} wide`, async () => {
    const page = await begin();
    const context = await chromium.newContext({ viewport: { width, height: 800 } });
    await watchMoves(context);
    const other = await open(context, page.url());
    same(await moves(other), [], "what moved");
    await context.close();
    await page.context().close();
  });

await test("a wrong answer is shown at its field, with what was typed", async () => {
  const page = await openTool("interview");
  await button(page, "Run").click();
  await asks(page, QUESTION);
  const form = page.getByRole("region", { name: QUESTION });
  await form.getByLabel("Name").fill("Ada");
  await form.getByLabel("Nights").fill("99");
  await button(form, "Answer").click();
  await button(page.getByRole("region", { name: FOLDERS }), "Answer").click();
  await button(page.getByRole("region", { name: VISIT }),
    "I have been there").click();
  await form.locator("[data-name=nights] .error").waitFor();
  same(await form.locator("[data-name=nights] .error").innerText(),
    "Enter a whole number from 1 to 14", "what is wrong with it");
  same(await form.getByLabel("Nights").getAttribute("aria-invalid"), "true",
    "it is marked");
  need(await form.getByLabel("Nights").evaluate(
    (element) => element === document.activeElement), "it has the focus");
  same(await form.getByLabel("Name").inputValue(), "Ada", "what was right");
  await looksGood(page, "a wrong answer");
  await form.getByLabel("Nights").fill("3");
  await button(form, "Answer").click();
  await asks(page, MODEL);
  await page.context().close();
});

await test("questions of every kind stand beside each other", async () => {
  const page = await openTool("interview");
  await button(page, "Run").click();
  for (const name of [QUESTION, VISIT, FOLDERS]) await asks(page, name);
  await looksGood(page, "three questions");
  const form = page.getByRole("region", { name: QUESTION });
  const visit = page.getByRole("region", { name: VISIT });
  const link = visit.getByRole("link", { name: "https://example.com/terms" });
  same([await link.getAttribute("target"), await link.getAttribute("rel")],
    ["_blank", "noopener noreferrer"], "the link of a page");
  await form.getByLabel("Name").fill("Grace");
  await page.getByRole("textbox", { name: "Folders" }).fill("file:///srv/grace\n");
  await button(visit, "I have been there").click();
  await visit.waitFor({ state: "detached" });
  same(await form.getByLabel("Name").inputValue(), "Grace",
    "what was typed into another one");
  await button(page.getByRole("region", { name: FOLDERS }), "Answer").click();
  await page.getByRole("region", { name: FOLDERS }).waitFor({ state: "detached" });
  await form.getByLabel("Nights").fill("2");
  await form.getByLabel("Nights").press("Tab");
  await page.keyboard.press("Enter"); // on its button
  await asks(page, MODEL);
  same(await page.locator("#log li").last().innerText(),
    "all questions have answers", "what it tells after an answer");
  await page.getByLabel("What a model would answer").fill("Hello, Grace.");
  await button(page, "Answer").click();
  await state(page, "The tool has finished. Its result is below.");
  same(await page.evaluate(() => document.activeElement.id), "state",
    "where the keyboard is after the last answer");
  const shown = await page.locator("#outcome").innerText();
  for (const part of ["Grace", "2", "yes", "file:///srv/grace", "Hello, Grace."])
    need(shown.includes(part), `${part} in ${shown}`);
  await page.context().close();
});

await test("progress and log are shown as they come", async () => {
  const page = await openTool("interview");
  await page.getByLabel("Parts").fill("4");
  await page.getByLabel("Pause").fill("4000"); // axe looks three times meanwhile
  await button(page, "Run").click();
  const lines = () => page.locator("#log li").count();
  await page.locator("#log li").first().waitFor();
  const early = await lines();
  need(early < 8, `${early} lines when there is the first`);
  const bar = page.locator("#progress");
  same(await bar.getAttribute("max"), "4", "how far it goes");
  need(Number(await bar.getAttribute("value")) < 4, "how far it is");
  same(await page.locator("#state").innerText(), "The tool works …", "state");
  await looksGood(page, "a tool that works");
  await page.waitForURL("**/calls/*");
  await asks(page, QUESTION);
  same(await lines(), 8, "all lines, on the page of the call, too");
  need(await bar.isHidden(), "it is at rest");
  same(await page.locator("#log li").first().innerText(), "part 1 of 4", "a line");
  await page.context().close();
});

await test("a task shows what it tells, whenever its page is opened", async () => {
  const page = await openTool("errand");
  await page.getByLabel("Pause").fill("4000"); // all this is looked at meanwhile
  await button(page, "Run").click();
  await page.waitForURL("**/calls/*");
  const bar = page.locator("#progress");
  await bar.waitFor();
  same(await bar.getAttribute("max"), "4", "how far it goes");
  need(Number(await bar.getAttribute("value")) < 4, "how far it is");
  await page.locator("#log li", { hasText: "stop 1 is closed" }).waitFor();
  same(await page.locator("#state").innerText(), "The tool works …", "state");
  need((await page.title()).startsWith(`${await page.locator("h1").innerText()} – `),
    "the name of its page");
  await looksGood(page, "a task that works");
  await state(page, "The tool has finished. Its result is below.");
  need(await bar.isHidden(), "it is at rest");
  const closed = (of) => of.locator("#log li", { hasText: "is closed" })
    .allInnerTexts();
  const all = [1, 2, 3, 4].map((number) => `stop ${number} is closed`);
  same(await closed(page), all, "each message once");
  const other = await open(await chromium.newContext(), page.url());
  await state(other, "The tool has finished. Its result is below.");
  same(await closed(other), all, "the same, opened later");
  await other.context().close();
  await page.context().close();
});

await test("a page waits for a server that is busy", async () => {
  const page = await openTool("errand");
  await page.getByLabel("Stops").fill("2");
  let busy = 2;
  await page.route("**/api/calls/*", (route) => busy-- > 0
    ? route.fulfill({ status: 503, contentType: "application/problem+json",
        body: "{\"status\":503,\"detail\":\"busy\"}" })
    : route.continue());
  await button(page, "Run").click();
  await page.waitForURL("**/calls/*");
  await state(page, "The tool has finished. Its result is below.");
  await page.context().close();
});

await test("who answers too late sees the next question", async () => {
  const page = await begin();
  const id = new URL(page.url()).pathname.split("/").pop();
  const address = `${server.origin}/api/calls/${id}`;
  const { questions } = await (await fetch(address)).json();
  const [[key, { schema }]] = Object.entries(questions);
  const [name, { enum: words, oneOf }] = Object.entries(schema.properties)[0];
  const chosen = words?.[0] ?? oneOf[0].const;
  const response = await fetch(address, { method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ [key]: { [name]: chosen } }) });
  same(response.status, 202, "somebody else answers");
  await page.locator("[data-name=flightId] label").nth(1).click();
  await button(page, "Answer").click();
  await asks(page, MODEL);
  await page.context().close();
});

await test("a person may decline or close, and the tool says what it did",
  async () => {
    for (const name of ["Decline", "Close"]) {
      const page = await begin();
      await button(page, name).click();
      await page.getByText("Booking cancelled").waitFor();
      await page.context().close();
    }
  });

await test("a call is found by its address, as a program is told it", async () => {
  const response = await fetch(`${server.origin}/api/interview`, {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: "{\"parts\":0}" });
  same(response.status, 202, "status");
  const { links } = await response.json();
  const page = await open(await chromium.newContext(),
    server.origin + links.page);
  await asks(page, QUESTION);
  await page.context().close();
});

await test("what is copied from its page begins a call", async () => {
  const page = await openTool("interview",
    { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = async (kind) => {
    await page.locator(`[data-copy=${kind}]`).click();
    await page.getByText("done.").waitFor();
    return page.evaluate(async () => {
      document.getElementById("copied").textContent = "";
      return navigator.clipboard.readText();
    });
  };
  const begun = JSON.parse(execFileSync("sh", ["-c", await copied("curl")],
    { stdio: ["ignore", "pipe", "ignore"] }));
  same([begun.tool, begun.status], ["interview", "input_required"], "curl");
  const body = await copied("mcp");
  const response = await fetch(`${server.origin}/mcp`, { method: "POST", body,
    headers: { "Content-Type": "application/json",
               Accept: "application/json, text/event-stream",
               "MCP-Protocol-Version": "2026-07-28",
               "Mcp-Method": "tools/call", "Mcp-Name": "interview" } });
  same((await response.json()).result.resultType, "input_required", "MCP");
  const command = (await copied("cli")).replace(/^mica/, `'${found.mica}'`);
  const answers = join(folder, "answers.json");
  writeFileSync(answers, JSON.stringify([
    { action: "accept", content: { name: "Ada", nights: 2 } },
    { action: "accept" }, { roots: [] }, "Hello."]));
  const done = JSON.parse(execFileSync("sh",
    ["-c", `${command} --answers '${answers}'`], { cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, XDG_STATE_HOME: folder } }));
  same([done.guest, done.words], ["Ada", "Hello."], "command");
  await page.context().close();
});

await test("a call goes on where it was, after its server was ended", async () => {
  const page = await begin();
  const { pathname } = new URL(page.url());
  await page.context().close();
  await server.end();
  server = await start();
  const other = await open(await chromium.newContext(),
    server.origin + pathname);
  await asks(other, QUESTION);
  await choose(other);
  await button(other, "Give up this call").click();
  await other.getByText("The call was given up.").waitFor();
  await looksGood(other, "a call that was given up");
  await other.context().close();
});

await test("a keyboard is enough for a question", async () => {
  const page = await begin();
  need(await page.locator("[data-name=flightId]").evaluate((element) =>
    element.contains(document.activeElement)), "the question has the focus");
  await page.keyboard.press("ArrowDown");
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement.innerText) === "Answer")
      break;
  }
  await page.keyboard.press("Enter");
  await asks(page, MODEL);
  await page.context().close();
});

await test("a call that is not there says so", async () => {
  const page = await chromium.newPage();
  await page.goto(`${server.origin}/calls/AAAAAAAAAAAAAAAAAAAAAA`);
  await page.getByText("There is no such call, or no longer.").waitFor();
  await looksGood(page, "no call");
  await page.close();
});

// ---- A command that speaks for the model -------------------------------------------

// It greets whom it reads of, which jq would do better.
const speaker = "sed -n 's/.*Greet \\([A-Za-z]*\\)\\..*/Good day, \\1!/p'";

async function answerAll(page) {
  await button(page, "Run").click();
  await asks(page, QUESTION);
  await page.getByLabel("Name").fill("Edsger");
  await page.getByLabel("Nights").fill("1");
  await button(page.getByRole("region", { name: QUESTION }), "Answer").click();
  await button(page.getByRole("region", { name: VISIT }), "Decline").click();
  await button(page.getByRole("region", { name: FOLDERS }), "Answer").click();
}

await test("with --sampler the command speaks for the model", async () => {
  await server.end();
  server = await start("--sampler", speaker);
  const page = await openTool("interview");
  await answerAll(page);
  await page.getByText("Good day, Edsger!").waitFor();
  await state(page, "The tool has finished. Its result is below.");
  await page.context().close();
});

await test("what the command does not answer is asked of the person", async () => {
  await server.end();
  server = await start("--sampler", "exit 3");
  const page = await openTool("interview");
  await answerAll(page);
  await asks(page, MODEL);
  await page.context().close();
});

await chromium.close();
await server.end();
done();
