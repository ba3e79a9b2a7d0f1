// SPDX-License-Identifier: Apache-2.0
//
// What the console says of an app is what holds: the budget in effect, the published tool,
// hints before a publish, numbers of calls. In Chromium, by keyboard and on a phone.
import { join } from "node:path";

import { done, folder, need, same, test, until } from "../peers/tap.mjs";
import { addUsage, apiBelow } from "./apps.mjs";
import { axe, browser, mica, open, paths, pressing, ready } from "./chromium.mjs";

const found = paths({ mica: "", engines: "" });
const server = await mica(found, "--store", `sqlite:${folder}/shown.db`);
const { origin } = server;
const chromium = await browser();
const context = await chromium.newContext();
const page = await open(context, `${origin}/console`);
const main = page.locator("#console");
const dialog = page.getByRole("dialog");
const field = (label) => main.getByRole("textbox", { name: label, exact: true });
const press = pressing(main);
const saved = () => main.locator(".save-state", { hasText: /^Saved$/ }).waitFor();
const limits = ["Calls a day", "Tokens a day", "Seconds a call", "Calls at once"];
const placeholders = () => Promise.all(limits.map((label) =>
  field(label).getAttribute("placeholder")));

const api = apiBelow(`${origin}/api/apps`);
const make = (name, more) => api("POST", "", { name, propose: true,
  description: "Shows where an order is.", ...more });
async function visit(place) {
  await page.goto("about:blank"); // another hash alone would not load it anew
  await page.goto(`${origin}/console${place}`);
  await ready(page);
}
const PROMPT = { type: "prompt", systemPrompt: "Greet.", by: "client" };
const SMALL = { callsPerDay: 200, tokensPerDay: 200000, seconds: 60, concurrent: 4 };

await test("fields of a budget show what holds where they are empty", async () => {
  const { id } = await make("Budgeted");
  await visit(`#app/${id}`);
  await field("Calls a day").waitFor();
  same(await placeholders(), Array(4).fill("no limit"), "fixed data");
  await main.getByRole("radio", { name: "With a token" }).check({ force: true });
  await main.getByRole("radio", { name: "A language model" }).check({ force: true });
  await until(async () => (await placeholders()).join() === "200,200,000,60,4", "a prompt");
  await main.getByText("small limits of its own", { exact: false }).waitFor();
  await field("Instructions").fill("Greet.");
  await field("Calls a day").fill("50");
  await saved();
  const app = await api("GET", `/${id}`);
  same([app.budget, app.effectiveBudget], [{ callsPerDay: 50 }, { ...SMALL, callsPerDay: 50 }],
    "what is stored, and what holds");
  same(await axe(page), [], "what axe finds");
});

await test("a public prompt takes the proposed budget by one key", async () => {
  const { id } = await make("Open to Everyone", { behavior: PROMPT });
  await visit(`#app/${id}`);
  const part = main.locator("#section-budget");
  const wrong = part.locator(".findings li");
  await wrong.waitFor();
  same(/[{}"]/.test(await wrong.innerText()), false, "its words are for people");
  const take = part.getByRole("button", { name: "Use these numbers" });
  same(await axe(page), [], "what axe finds");
  await field("Calls at once").focus();
  await page.keyboard.press("Tab");
  need(await take.evaluate((one) => one === document.activeElement), "the next of the keyboard");
  await page.keyboard.press("Enter");
  await take.waitFor({ state: "hidden" });
  await wrong.waitFor({ state: "detached" });
  need(await field("Calls a day").evaluate((one) => one === document.activeElement),
    "the keyboard is at the numbers");
  await saved();
  same((await api("GET", `/${id}`)).budget, SMALL, "what is stored");
});

await test("a publish shows hints, and forbids nothing for them", async () => {
  const { id } = await make("Hinted", { toolName: "order" });
  await visit(`#app/${id}`);
  await main.locator("#section-tool .findings .warning").first().waitFor();
  await main.locator(".app-acts .main").click();
  await dialog.locator(".findings .warning", { hasText: "order" }).first().waitFor();
  same(await axe(page), [], "what axe finds");
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByLabel("Address of the app", { exact: true }).waitFor();
});

await test("Connect names the tool that clients have, and what the draft has instead", async () => {
  const { id } = await make("Order Status", { toolName: "get_order_status" });
  await api("POST", `/${id}/publish`, {});
  await visit(`#app/${id}/connect`);
  await main.getByText("Its tool is get_order_status.", { exact: false }).waitFor();
  same(await main.getByText("The draft differs", { exact: false }).count(), 0, "no difference");
  await api("PATCH", `/${id}`, { toolName: "find_the_order", visibility: "token" });
  await visit(`#app/${id}/connect`);
  await main.getByText("Its tool is get_order_status. Anyone who knows", { exact: false })
    .waitFor();
  await main.getByText("The draft differs in tool name and who may call", { exact: false })
    .waitFor();
  same(await axe(page), [], "what axe finds");
});

await test("usage is in whole calls, and its table fits a phone", async () => {
  const { id } = await make("Used");
  addUsage(join(folder, "shown.db"), id, [[1, 1, 0, 123456], [2, 1, 1, 0]]);
  await page.setViewportSize({ width: 360, height: 740 });
  await visit(`#app/${id}/usage`);
  await main.locator(".chart svg text").first().waitFor();
  const marks = await main.locator(".chart svg text[text-anchor=end]").allTextContents();
  same(marks, ["0", "1"], "marks of the axis");
  same(await main.locator(".usage").evaluate((one) => one.scrollWidth <= one.clientWidth), true,
    "the table is not cut");
  same(await axe(page), [], "what axe finds");
});

await test("another owner has a field with a label, apart from the button", async () => {
  const { apps: [{ id }] } = await api("GET", "");
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    await visit(`#app/${id}/settings`);
    await main.getByText("New owner", { exact: true }).waitFor();
    const owner = await field("New owner").boundingBox();
    const act = await main.getByRole("button", { name: "Hand over" }).boundingBox();
    need(act.x >= owner.x + owner.width + 8 || act.y >= owner.y + owner.height + 8,
      `they touch at ${width}: ${JSON.stringify([owner, act])}`);
  }
});

await test("without the server the list says so, and tries again", async () => {
  await page.route("**/api/**", (route) => route.abort());
  await visit("");
  await main.getByText("The server cannot be reached.", { exact: false }).waitFor();
  same(await axe(page), [], "what axe finds");
  await page.unroute("**/api/**");
  await main.getByRole("button", { name: "Try again" }).click();
  await main.locator(".apps li").first().waitFor();
  page.said = page.said.filter((line) => !/ERR_FAILED/.test(line));
});

await test("what is not there, and what cannot be asked for, is said as that", async () => {
  for (const [place, words] of [["#app/nothing", "There is no app here that you may see."],
    ["#collection/nothing", "There is no collection here that you may see."],
    ["#app/%", "There is no app here that you may see."]]) {
    await visit(place);
    await main.getByRole("heading", { name: "Not found", level: 1 }).waitFor();
    await main.getByText(words).waitFor();
  }
  await page.route("**/api/**", (route) => route.abort());
  await visit("#app/nothing");
  await main.getByRole("heading", { name: "Not available", level: 1 }).waitFor();
  same(await axe(page), [], "what axe finds");
  await page.unroute("**/api/**");
  await press("Try again");
  await main.getByRole("heading", { name: "Not found", level: 1 }).waitFor();
  page.said = page.said.filter((line) => !/ERR_FAILED|404/.test(line));
});

await test("a new app without a name says so at its name", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await visit("#new");
  await field("Name").waitFor();
  await page.keyboard.press("Enter");
  const words = main.getByRole("alert").filter({ hasText: "An app needs a name." });
  await words.waitFor();
  const { y } = await words.boundingBox();
  need(y < (await field("What it does").boundingBox()).y, "below the name");
  same(await axe(page), [], "what axe finds");
  const help = await main.getByText("Drafts all parts from the sentence.").boundingBox();
  const act = await main.getByRole("button", { name: "Draft", exact: true }).boundingBox();
  need(Math.abs(help.y + help.height / 2 - act.y - act.height / 2) <= 2, "words beside a button");
  await page.keyboard.type("A");
  await words.waitFor({ state: "hidden" });
});

await test("the browser had nothing to say", () => same(page.said, [], "its console"));

await chromium.close();
await server.end();
done();
