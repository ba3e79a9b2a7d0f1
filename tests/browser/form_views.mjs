// SPDX-License-Identifier: Apache-2.0
//
// Forms that views show, on the host page in Chromium: the view stands in the place of the
// form, its answer goes to the tool, and the form itself comes whenever the view does not
// answer as it must. Views that mean harm, too.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";

import { done, folder, need, same, serve, test, until } from "../peers/tap.mjs";
import { axe, browser, open, paths } from "./chromium.mjs";

const found = paths({ mica: "", forms: "", views: "" });
cpSync(found.forms, join(folder, "tools"), { recursive: true });
for (const file of ["choose_seat.c", "choose_seat.html"])
  cpSync(join(found.views, file), join(folder, "tools", file));
execFileSync(found.mica, ["build"], { cwd: folder, stdio: "pipe",
  env: { ...process.env, XDG_STATE_HOME: folder } });
const start = (...options) => serve(found.mica,
  ["serve", "--host-page", "--drain=0", "--listen", "127.0.0.1:0", ...options]);
const server = await start("--form-views");
const chromium = await browser();
const context = await chromium.newContext();
const page = await open(context, `http://127.0.0.1:${server.port}/host`);

// ---- The page ---------------------------------------------------------------------

const card = (title, on = page) => on.getByRole("region", { name: title, exact: true });
const formViews = (on = page) => on.locator("#questions .form-view");
const question = (on = page) => on.getByRole("region", { name: "A question" });

async function call(name, given, on = page) {
  await on.locator(`#host-tools [data-name="${name}"]`).click();
  await on.locator("#call-send:enabled").waitFor();
  if (!await on.locator("#call-json").isVisible())
    await on.getByText("Arguments as JSON, and their schema").click();
  await on.locator("#call-json").fill(JSON.stringify(given));
  await on.locator("#call-send").click();
  return until(() => on.locator("#cards h3").first().innerText().catch(() => {}), "a card");
}

// The document of the form view that is shown last.
async function viewFrame() {
  const handle = await formViews().last().locator("iframe").elementHandle();
  const outer = await handle.contentFrame();
  return until(() => outer.childFrames()[0], "the document of the view");
}

async function askPuppet() {
  const title = await call("pick", {});
  const frame = await viewFrame();
  await frame.waitForFunction(() => globalThis.question?.());
  return { title, frame,
    id: await frame.evaluate(() => question().id),
    send: (message) => frame.evaluate((message) => send(message), message) };
}

async function resultOf(title, on = page) {
  const shown = card(title, on).locator("details", { hasText: "Raw output" });
  await shown.locator("pre").waitFor({ state: "attached" });
  return JSON.parse(await shown.locator("pre").evaluate((pre) => pre.textContent)).result;
}

async function answered(title, content, on = page) {
  await card(title, on).getByText("Answered").waitFor();
  same((await resultOf(title, on)).structuredContent, content, "the result");
  await until(async () => await formViews(on).count() === 0, "the view is gone");
}

// The form of the page, with why it is shown, answered there.
async function answersByForm(title, why, on = page) {
  await question(on).getByText(why).waitFor();
  await until(async () => await formViews(on).count() === 0, "the view is gone");
  same(await question(on).getByRole("heading").innerText(), "How many?", "the question");
  await question(on).locator("input").first().fill("7");
  await question(on).getByRole("button", { name: "Answer" }).click();
  await answered(title, { n: 7 }, on);
}

// A view that does not connect has ten seconds, which pass meanwhile.
const aside = await open(context, `http://127.0.0.1:${server.port}/host`);
const mute = await call("pick", { view: "mute" }, aside);
await page.bringToFront();

// ---- The example --------------------------------------------------------------------

await test("a seat is chosen in the view, with the keyboard alone", async () => {
  const title = await call("choose_seat", { flight: "MC 12" });
  const frame = await viewFrame();
  await frame.getByText("Which seat do you want on MC 12?").waitFor();
  same(await question().count(), 0, "no form beside it");
  const seats = frame.locator("input[name=seat]");
  same(await seats.count(), 60, "seats");
  need(await frame.locator("input[name=seat]:disabled").count() > 5, "some are taken");
  same(await axe(page), [], "what axe finds");
  await frame.locator("input[name=seat]:enabled").first().focus();
  await page.keyboard.press("ArrowRight");
  const seat = await frame.locator("input[name=seat]:checked").getAttribute("value");
  await frame.locator("#bag").focus();
  await page.keyboard.press("Space");
  await frame.locator("#take").focus();
  await page.keyboard.press("Enter");
  await answered(title, { seat, bag: true });
});

await test("the person refuses in the view", async () => {
  const title = await call("choose_seat", { flight: "MC 12" });
  await (await viewFrame()).getByRole("button", { name: "No seat" }).click();
  await card(title).getByText("The tool failed").waitFor();
  need(JSON.stringify(await resultOf(title)).includes("ELICITATION_DECLINED"), "its code");
  await until(async () => await formViews().count() === 0, "the view is gone");
});

await test("the person wants the form, which is whole", async () => {
  const title = await call("choose_seat", { flight: "MC 12" });
  const frame = await viewFrame();
  await frame.locator("input[name=seat]:enabled").nth(3).press("Space");
  const seat = await frame.locator("input[name=seat]:checked").getAttribute("value");
  await formViews().getByRole("button", { name: "Show the form" }).click();
  await question().getByText("Shown in place of the view: The person chose it.").waitFor();
  await question().locator("select").selectOption(seat);
  await question().getByRole("button", { name: "Answer" }).click();
  await answered(title, { seat, bag: false });
});

await test("a server that was not told to names no view", async () => {
  const other = await start();
  const elsewhere = await open(context, `http://127.0.0.1:${other.port}/host`);
  await call("choose_seat", { flight: "MC 12" }, elsewhere);
  await question(elsewhere).locator("select").waitFor();
  same(await formViews(elsewhere).count(), 0, "views");
  same(await question(elsewhere).getByText("in place of the view").count(), 0, "no words of it");
  await elsewhere.close();
  await other.end();
});

// ---- Views by hand --------------------------------------------------------------------

await test("a view gets the question as the server sent it, and its host says that it asks",
  async () => {
    const { title, frame, id, send } = await askPuppet();
    const [hello, asked] = await frame.evaluate(() => [got[0].result, question()]);
    same(hello.hostCapabilities.elicitation, {}, "the capability of the host");
    same(hello.hostContext.toolInfo, undefined, "no tool");
    same(asked.params, { mode: "form", message: "How many?", requestedSchema: { type: "object",
      properties: { n: { description: "How many.", type: "integer", minimum: 1, maximum: 9 } },
      required: ["n"] }, _meta: { ui: { resourceUri: "ui://mica/puppet" } } }, "the params");
    await send({ id, result: { action: "accept", content: { n: 3 }, _meta: { more: 1 } } });
    await answered(title, { n: 3 });
  });

const WRONG = [
  ["a number out of range", { action: "accept", content: { n: 12 } }, /n: expected number <=9/],
  ["a text for a number", { action: "accept", content: { n: "3" } }, /n: expected integer/],
  ["a member that the form has not", { action: "accept", content: { n: 3, admin: true } },
    /admin: unrecognized key/],
  ["no content", { action: "accept" }, /accepts without content/],
  ["a list as content", { action: "accept", content: [3] }, /accepts without content/],
  ["another action", { action: "sure", content: { n: 3 } }, /must be accept, decline or cancel/],
  ["nothing", {}, /must be accept, decline or cancel/],
  ["more than an answer has", { action: "accept", content: { n: 3, x: "x".repeat(70_000) } },
    /larger than 65536/],
];
for (const [what, result, why] of WRONG)
  await test(`a view that answers with ${what} is closed, and the form is shown`, async () => {
    const { title, id, send } = await askPuppet();
    await send({ id, result });
    await answersByForm(title, why);
  });

await test("a view that answers with an error is closed, and the form is shown", async () => {
  const { title, id, send } = await askPuppet();
  await send({ id, error: { code: -32603, message: "I am broken." } });
  await answersByForm(title, /I am broken\./);
});

await test("the first answer counts; what answers nothing changes nothing", async () => {
  const { title, frame, id } = await askPuppet();
  await frame.evaluate((id) => {
    const answer = (id, n) => send({ id, result: { action: "accept", content: { n } } });
    answer("hello", 1);
    answer(id + 1, 1);
    answer(-1, 1);
    answer(String(id), 1);
    send({ id, method: "elicitation/create", result: { action: "accept", content: { n: 1 } } });
    answer(id, 4);
    answer(id, 5);
    send({ id, result: { action: "decline" } });
  }, id);
  await answered(title, { n: 4 });
});

await test("a view that floods is stopped, and the form is shown", async () => {
  const { title, frame, id } = await askPuppet();
  await frame.evaluate((id) => {
    for (let i = 0; i < 20_000; i++)
      send({ id: id + 100, result: { action: "accept", content: { n: 1 } } });
  }, id).catch(() => {}); // its document is gone
  await answersByForm(title, /closed|disconnected|ends, or has ended/);
});

await test("a view that closes itself makes room for the form", async () => {
  const { title, send } = await askPuppet();
  await send({ method: "ui/notifications/request-teardown" });
  await answersByForm(title, /closed|ends, or has ended/);
});

await test("a view cannot answer the question of another one", async () => {
  const first = await askPuppet();
  const second = await call("pick", {});
  await until(async () => await formViews().count() === 2, "two views");
  const frame = await viewFrame();
  await frame.waitForFunction(() => globalThis.question?.());
  // To the host page, and to the sandbox and the document of each view on it.
  const reached = await first.frame.evaluate(() => {
    const windows = [top];
    for (let i = 0; i < top.length; i++)
      if (top[i] !== parent) windows.push(top[i], top[i][0]); // its own way is open
    for (const window of windows)
      for (const id of [0, 1, 2])
        window.postMessage({ jsonrpc: "2.0", id, result: { action: "accept",
          content: { n: 1 } } }, "*");
    return windows.length;
  });
  same(reached, 3, "windows");
  await frame.evaluate(() => send({ id: question().id,
    result: { action: "accept", content: { n: 2 } } }));
  await card(second).getByText("Answered").waitFor();
  same((await resultOf(second)).structuredContent, { n: 2 }, "the second");
  await first.send({ id: first.id, result: { action: "accept", content: { n: 6 } } });
  await answered(first.title, { n: 6 });
});

await test("a call that is closed withdraws its question", async () => {
  const { title } = await askPuppet();
  await page.getByRole("button", { name: `Close ${title}` }).click();
  await until(async () => await formViews().count() === 0, "the view is gone");
  same(await question().count(), 0, "no form comes for it");
});

await test("a view that answers no forms, and one that does not connect, make room", async () => {
  await answersByForm(await call("pick", { view: "plain" }),
    /The view does not support elicitation/);
  await answersByForm(mute, /has not connected in 10 seconds/, aside);
});

await test("the page was silent", async () => {
  // What hostile views provoke is said in their frames.
  same([...page.said, ...aside.said].filter((line) => !/NAVIGATION|frame/i.test(line)), [], "its console");
});

await chromium.close();
await server.end();
done();
