// SPDX-License-Identifier: Apache-2.0
//
// Collections in the console, in Chromium: one is made, gets apps, is put in another order, is
// called by a client of MCP, renamed and deleted; by keyboard and on a phone, axe clean.
import { done, folder, need, same, test, until } from "../peers/tap.mjs";
import { Client } from "../../web/client/client.js";
import { apiBelow } from "./apps.mjs";
import { axe, browser, idle, mica, open, paths, pressing, ready } from "./chromium.mjs";

const found = paths({ mica: "", engines: "" });
const server = await mica(found, "--store", `sqlite:${folder}/collections.db`);
const { origin } = server;
const chromium = await browser();
const context = await chromium.newContext();
const page = await open(context, `${origin}/console`);
const main = page.locator("#console");
const dialog = page.getByRole("dialog");
const press = pressing(main);
const focused = () => page.evaluate(() => document.activeElement.textContent);

const api = apiBelow(`${origin}/api/`);

async function app(name, tool) {
  const { mcpSlug } = await api("POST", "apps", { name, propose: true,
    description: "Shows what is there." });
  if (tool) await api("POST", `apps/${mcpSlug}/publish`, { toolName: tool });
  return mcpSlug;
}

const field = (name) => main.getByRole("textbox", { name, exact: true });
const region = (name) => main.getByRole("region", { name, exact: true });
const record = () => api("GET", "collections/front-desk");
const members = async () => (await record()).members
  .map(({ mcpSlug }) => mcpSlug);
const shown = () => main.locator(".members h3").allInnerTexts();

await test("a collection is made by name, and says when its address answers", async () => {
  await app("Orders", "get_order");
  await app("Stock", "get_stock");
  await app("<b>Later</b>");
  await page.reload();
  await ready(page);
  const list = main.getByRole("region", { name: "Collections" });
  await list.getByText("several apps at one address").waitFor();
  same(await axe(page), [], "what axe finds on the list");
  await list.getByRole("link", { name: "New collection" }).click();
  await main.getByLabel("Name").waitFor();
  same(await axe(page), [], "what axe finds on the form");
  await page.keyboard.press("Enter");
  await main.getByText("A collection needs a name.").waitFor();
  await page.keyboard.type("Front Desk");
  await page.keyboard.press("Enter");
  await main.getByRole("heading", { name: "Front Desk", level: 1 }).waitFor();
  await main.getByText("answers once one of its apps is published").waitFor();
  same(await axe(page), [], "what axe finds on an empty one");
});

await test("apps are added, moved and removed, with the keyboard in its place", async () => {
  const choice = main.getByLabel("Add an app");
  for (const slug of ["orders", "stock", "blaterb"]) {
    await choice.selectOption(slug);
    await press("Add");
    await until(async () => (await members()).includes(slug), `${slug} is added`);
    await main.locator(".members").getByText(slug === "blaterb" ? "<b>Later</b>"
      : new RegExp(slug, "i")).first().waitFor();
  }
  same(await shown(), ["Orders", "Stock", "<b>Later</b>"], "in the order of adding");
  await main.getByText("All of your apps are in the collection.").waitFor();
  await main.getByText("Not published").waitFor();
  same(await axe(page), [], "what axe finds");
  await main.getByRole("button", { name: "Move up Stock" }).focus();
  await page.keyboard.press("Enter");
  await until(async () => (await shown()).join() === "Stock,Orders,<b>Later</b>", "moved");
  same(await members(), ["stock", "orders", "blaterb"], "what is stored");
  same(await page.evaluate(() => document.activeElement.ariaLabel), "Move down Stock",
    "the keyboard stays at the app");
  await press("Remove <b>Later</b>");
  await until(async () => (await members()).length === 2, "removed");
});

await test("a client of MCP has the tools of its apps", async () => {
  const url = await main.getByLabel("Address of the app", { exact: true }).innerText();
  same(url, `${origin}/servers/front-desk/mcp`, "its address");
  const client = new Client({ name: "console-test", version: "1" });
  await client.connect({ transport: { type: "http", url } });
  same((await client.listTools()).tools.map(({ name }) => name), ["get_stock", "get_order"],
    "its tools");
});

await test("its tools are tried in a host of its own", async () => {
  const tried = await context.newPage();
  await tried.goto(await main.getByRole("link", { name: "Try in a host" })
    .evaluate(({ href }) => href));
  await tried.getByRole("heading", { name: "Try Front Desk" }).waitFor();
  await tried.locator("#host-tools [data-name=get_order]").click();
  await tried.locator("#call-send:enabled").waitFor();
  await tried.getByLabel("Message").fill("Where is it?");
  await tried.locator("#call-send").click();
  await tried.getByText("Answered", { exact: true }).waitFor();
  same(await axe(tried), [], "what axe finds");
  await tried.close();
});

await test("its owner says who may change it and who may look", async () => {
  await field("Editors").fill("ada\n grace ");
  await field("Viewers").fill("bob");
  await press("Save the people");
  await until(async () => (await record()).roles?.editors?.length === 2,
    "stored");
  const { roles } = await record();
  same(roles, { editors: ["ada", "grace"], viewers: ["bob"] }, "who");
  await until(async () => await focused() === "Save the people", "the keyboard stays");
  await field("Viewers").fill("");
  await press("Save the people");
  await until(async () => (await record()).roles.viewers.length === 0,
    "removed");
  await field("Editors").fill("x".repeat(300));
  await press("Save the people");
  const people = region("People");
  await people.getByRole("alert").waitFor();
  same(await axe(page), [], "what axe finds");
  same((await record()).roles,
    { editors: ["ada", "grace"], viewers: [] }, "nothing was stored");
});

await test("what is typed outlives the changes of other cards, and an answer", async () => {
  const name = field("Name");
  const viewers = field("Viewers");
  await name.fill("Front Desk of");
  await field("Editors").fill("ada");
  await viewers.fill("bob");
  let answer;
  await page.route("**/api/collections/*", async (route) => {
    await new Promise((resolve) => answer = resolve);
    await route.continue();
  }, { times: 1 });
  await press("Save the people");
  await until(() => answer, "the change is on its way");
  await viewers.fill("bob, or");
  answer();
  await until(async () => (await record()).roles?.viewers?.length === 1,
    "stored");
  await idle(main.getByRole("button", { name: "Save the people" })).waitFor();
  same([await viewers.inputValue(), await name.inputValue()], ["bob, or", "Front Desk of"],
    "what was typed is there");
  same(await viewers.evaluate((one) => one === document.activeElement), true,
    "and the keyboard where the person took it");
  await viewers.fill("");
  await name.fill("Front Desk");
  await press("Save the people");
  await until(async () => (await record()).roles.viewers.length === 0,
    "removed");
});

await test("what clashes is refused with both names, and a change of others is shown", async () => {
  await app("Twin", "get_stock");
  await page.reload();
  await main.getByLabel("Add an app").selectOption("twin");
  await press("Add");
  await main.getByRole("alert").filter({ hasText: "stock" }).waitFor();
  need((await main.getByRole("alert").innerText()).includes("twin"), "both names");
  same(await members(), ["stock", "orders"], "nothing was stored");
  await api("PATCH", "collections/front-desk", { members: ["orders", "stock"] });
  await press("Remove Stock");
  await until(async () => (await shown()).join() === "Orders,Stock", "what others have changed");
  same(await members(), ["orders", "stock"], "and nothing was overwritten");
  await main.getByRole("alert").filter({ hasText: "has changed meanwhile" }).waitFor();
});

// Holds the next change back; resolves to what lets it go, once it is on its way.
async function held(act) {
  let go;
  await page.route("**/api/collections/*", async (route) => {
    await new Promise((resolve) => { go = resolve; });
    await route.continue();
  }, { times: 1 });
  await act();
  await until(() => go, "the change is on its way");
  return go;
}

await test("a change is made beside those of others that do not touch it", async () => {
  await field("Editors").fill("ada\ngrace");
  await field("Description").fill("Mine.");
  await api("PATCH", "collections/front-desk", { roles: { editors: ["ada", "carol"] },
    name: "Front Office" });
  await press("Save");
  await main.getByRole("heading", { name: "Front Office", level: 1 }).waitFor();
  await until(async () => (await record()).description === "Mine.", "it is saved");
  same(await field("Editors").inputValue(), "ada\ngrace", "what was typed");
  await region("People").getByText("Stored meanwhile: ada, carol").waitFor();
  same(await axe(page), [], "what axe finds");
  await press("Take it");
  same([await field("Editors").inputValue(), await region("People").getByRole("status").count()],
    ["ada\ncarol", 0], "taken");
});

await test("a change of the same is not overwritten unseen, and nothing typed is lost", async () => {
  await field("Name").fill("Mine");
  await api("PATCH", "collections/front-desk", { name: "Theirs" });
  await press("Save");
  await region("Name").getByRole("alert").filter({ hasText: "has changed meanwhile" }).waitFor();
  await region("Name").getByText("Stored meanwhile: Theirs").waitFor();
  same([await field("Name").inputValue(), (await record()).name], ["Mine", "Theirs"], "both");
  await press("Save");
  await main.getByRole("heading", { name: "Mine", level: 1 }).waitFor();
  same((await record()).name, "Mine", "done again");
});

await test("acts wait for each other, and a choice and the keyboard stay", async () => {
  const choice = main.getByLabel("Add an app");
  const chosen = await choice.locator("option").last().getAttribute("value");
  await choice.selectOption(chosen);
  await field("Description").fill("Both.");
  const go = await held(() => press("Move up Stock"));
  await press("Save");
  await choice.focus();
  go();
  await until(async () => (await record()).description === "Both.", "the second");
  same(await members(), ["stock", "orders"], "the first");
  await idle(main.getByRole("button", { name: "Save", exact: true })).waitFor();
  same([await choice.inputValue(), await choice.evaluate((one) => one === document.activeElement),
    await main.getByRole("alert").count()], [chosen, true, 0], "choice, keyboard, complaints");
});

await test("what is typed is there after a visit elsewhere, which a late answer leaves alone",
  async () => {
    await field("Description").fill("Not yet.");
    const go = await held(() => press("Move up Orders"));
    await main.getByRole("link", { name: "Apps", exact: true }).click();
    await main.getByRole("heading", { name: "Apps", level: 1 }).waitFor();
    go();
    await until(async () => (await members()).join() === "orders,stock", "the change is stored");
    same(await page.title(), "Apps", "the title");
    await page.goBack();
    await main.getByRole("heading", { name: "Mine", level: 1 }).waitFor();
    same([await page.title(), await field("Description").inputValue()], ["Mine", "Not yet."],
      "the page");
    await press("Save");
    await until(async () => (await record()).description === "Not yet.", "stored");
  });

// Would the browser ask before the page is left?
const asksToLeave = () => page.evaluate(() => {
  const event = new Event("beforeunload", { cancelable: true });
  dispatchEvent(event);
  return event.defaultPrevented;
});
const refused = (card) => region(card).getByRole("alert")
  .filter({ hasText: "has changed meanwhile" }).waitFor();

await test("what waited for its turn does not undo what it has not seen", async () => {
  const go = await held(() => press("Remove Orders"));
  await press("Move up Stock"); // it will be the first
  go();
  await refused("Apps");
  same(await members(), ["stock"], "one is removed, and nothing else");
  await field("Name").fill("Mine again");
  await api("PATCH", "collections/front-desk", { name: "Theirs" });
  const on = await held(() => press("Remove Stock"));
  await press("Save");
  on();
  await refused("Name");
  await region("Name").getByText("Stored meanwhile: Theirs").waitFor();
  same([await members(), (await record()).name], [[], "Theirs"], "what is stored");
  same(await asksToLeave(), true, "it would ask");
});

await test("what others stored during a visit elsewhere stands beside what is typed", async () => {
  await main.getByRole("link", { name: "Apps", exact: true }).click();
  await main.getByRole("heading", { name: "Apps", level: 1 }).waitFor();
  await api("PATCH", "collections/front-desk", { name: "Later theirs", members: ["orders"] });
  await page.goBack();
  await region("Name").getByText("Stored meanwhile: Later theirs").waitFor();
  same([await field("Name").inputValue(), await shown()], ["Mine again", ["Orders"]], "the page");
  await press("Take it");
  same([await field("Name").inputValue(), await asksToLeave()], ["Later theirs", false], "taken");
});

await test("the keyboard stays when there is nothing left to add", async () => {
  const choice = main.getByLabel("Add an app");
  for (const slug of ["stock", "blaterb"]) {
    await choice.selectOption(slug);
    await press("Add");
    await until(async () => (await members()).includes(slug), `${slug} is added`);
  }
  await api("POST", "apps/twin/publish", { toolName: "get_twin" });
  await idle(main.getByRole("button", { name: "Add", exact: true })).focus();
  await page.keyboard.press("Enter");
  await main.getByText("All of your apps are in the collection.").waitFor();
  same(await page.evaluate(() => document.activeElement.tagName), "H1", "the keyboard");
});

await test("it is renamed, listed, and deleted after a question; on a phone too", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await field("Name").fill("Desk <i>2</i>");
  await press("Save");
  await main.getByRole("heading", { name: "Desk <i>2</i>", level: 1 }).waitFor();
  same(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true,
    "nothing is wider than the phone");
  same(await axe(page), [], "what axe finds on a phone");
  await main.getByRole("link", { name: "Apps", exact: true }).click();
  await main.getByRole("region", { name: "Collections" }).getByText("Desk <i>2</i>").click();
  await press("Delete");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await press("Delete");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await main.getByText("several apps at one address").waitFor();
  same((await fetch(`${origin}/api/collections/front-desk`)).status, 404, "it is gone");
  same((await api("GET", "apps")).apps.length, 4, "its apps stay");
});

await test("it is handed over, after a question, to another owner", async () => {
  const { id } = await api("POST", "collections", { name: "Given Away", members: [] });
  await page.goto(`${origin}/console#collection/${id}`);
  await main.getByRole("heading", { name: "Given Away", level: 1 }).waitFor();
  await field("New owner").fill("grace");
  await page.keyboard.press("Enter");
  await dialog.getByText("Its owner will be grace", { exact: false }).waitFor();
  same(await axe(page), [], "what axe finds");
  await dialog.getByRole("button", { name: "Hand over", exact: true }).click();
  await main.getByText("several apps at one address").waitFor();
  same((await fetch(`${origin}/api/collections/${id}`)).status, 404, "it is another's");
});

await test("the browser had nothing to say", () => same(page.said.filter((words) =>
  !/40[49]|412|422/.test(words)), [], "its console")); // what was refused above

await chromium.close();
await server.end();
done();
