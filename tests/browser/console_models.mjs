// SPDX-License-Identifier: Apache-2.0
//
// The console of a server with a provider of language models, in Chromium: an app is drafted
// from its sentence and the draft taken back; a draft with a prompt, and one with a tool, are
// tested; what takes long says how far it is, and is cancelled.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { done, folder, need, same, test, until } from "../peers/tap.mjs";
import { apiBelow } from "./apps.mjs";
import { axe, browser, mica, open, paths, pressing } from "./chromium.mjs";

const found = paths({ mica: "", engines: "", models: "" });

// The stand-in for a provider, which ends when its input does.
const stand = spawn("python3", [found.models, "--serve"],
  { stdio: ["pipe", "pipe", "inherit"] });
const url = await new Promise((resolve) =>
  createInterface({ input: stand.stdout }).once("line", resolve));
writeFileSync(join(folder, "key"), "sk-of-a-test-1", { mode: 0o600 });
writeFileSync(join(folder, "mica.toml"), ["main", "slow"].map((name, index) =>
  `[providers.${name}]\ntype = "openai"\nurl = "${url}"\nkey_file = "${join(folder, "key")}"\n` +
  `model = "${["draft-0", "hang"][index]}"\nattempts = 1\n`).join(""));
const server = await mica(found, "--store", `sqlite:${folder}/apps.db`, "--project", folder,
  "--models");
const { origin } = server;
const chromium = await browser();
const context = await chromium.newContext();
const page = await open(context, `${origin}/console#new`);
const main = page.locator("#console");
const field = (label, where = main) => where.getByRole("textbox", { name: label, exact: true });
const press = pressing(main);

const api = apiBelow(`${origin}/api/apps`);

await test("an app is drafted from a sentence, shown, and taken back", async () => {
  await press("Draft");
  await main.getByText("Write what the app does first.").waitFor();
  await field("What it does").fill("Shows where an order is, by its number.");
  await press("Draft");
  await main.getByText("A language model has drafted this.", { exact: false }).waitFor();
  same(await field("Name").inputValue(), "Order Finder", "the name");
  need(await main.getByRole("radio", { name: "Table" }).isChecked(), "the layout");
  need((await main.locator(".drafted").innerText()).includes("find_order"), "the tool");
  same(await main.locator(".drafted .chip", { hasText: "by the model" }).count(), 6, "sources");
  same((await api("GET", "")).apps, [], "nothing is stored");
  same(await axe(page), [], "what axe finds");
  await press("Undo the draft");
  same([await field("Name").inputValue(), await main.locator(".drafted").count()], ["", 0],
    "taken back");
  need(await main.getByRole("radio", { name: "Card" }).isChecked(), "the layout of before");
});

await test("what was drafted becomes the app, with the name of the person", async () => {
  await field("Name").fill("Mine");
  await press("Draft");
  await main.locator(".drafted .chip", { hasText: "yours" }).waitFor();
  await press("Create the draft");
  await main.getByRole("heading", { name: "Mine", level: 1 }).waitFor();
  const { apps: [{ id }] } = await api("GET", "");
  const app = await api("GET", `/${id}`);
  same([app.name, app.layoutTemplate, app.toolName, app.description, app.mockData.rows],
    ["Mine", "table", "find_order", "Shows where an order is.", [{ a: "1" }]], "the app");
  same(app.findings.filter(({ severity }) => severity === "error"), [], "it can be published");
});

await test("a test of a prompt asks the provider, and the widget shows the answer", async () => {
  const behavior = { type: "prompt", systemPrompt: "Answer.", by: "provider", model: "echo" };
  const { id } = await api("POST", "", { name: "Echo", propose: true, behavior });
  await page.goto(`${origin}/console#app/${id}`);
  await main.getByRole("heading", { name: "Echo", level: 1 }).waitFor();
  await field("Message").fill('{"title": "From a model"}');
  await press("Test");
  await main.getByText("What the model reads").waitFor();
  await until(async () => {
    const frame = await (await main.locator(".stage iframe:not(.coming)").elementHandle())
      .contentFrame();
    return (await frame.locator("body").innerText()).includes("From a model");
  }, "the widget shows it");
  await field("Message").fill("no data");
  await press("Test");
  await main.locator(".test .error", { hasText: "answered twice" }).waitFor();
  same(await axe(page), [], "what axe finds");
  await until(async () => (await api("GET", `/${id}/usage`)).total.calls === 2, "both count");
});

await test("a test that takes long is cancelled", async () => {
  const behavior = { type: "prompt", systemPrompt: "Answer.", provider: "slow" };
  const { id } = await api("POST", "", { name: "Slow", propose: true, behavior });
  await page.goto(`${origin}/console#app/${id}`);
  await main.getByRole("heading", { name: "Slow", level: 1 }).waitFor();
  await field("Message").fill("Where?");
  await press("Test");
  const bar = main.getByRole("progressbar");
  await until(async () => Number(await bar.getAttribute("value")) >= 50, "it says how far");
  same(await axe(page), [], "what axe finds");
  await press("Cancel", main.locator(".waiting"));
  await bar.waitFor({ state: "hidden" });
  await until(async () => (await api("GET", `/${id}/usage`)).total.failures === 1,
    "the server cancels it, too");
});

await test("a test of a tool runs it, and tells its refusal", async () => {
  const behavior = { type: "tool", tool: "tip-splitter",
    arguments: { "/amount": { pointer: "/context/amount" }, "/currency": { value: "EUR" } },
    data: { "/title": { value: "The bill" }, "/facts/0/label": { value: "Total" },
      "/facts/0/value": { pointer: "/total" } } };
  const { id } = await api("POST", "", { name: "Bill", propose: true, behavior });
  await page.goto(`${origin}/console#app/${id}`);
  await main.getByRole("heading", { name: "Bill", level: 1 }).waitFor();
  await field("Message").fill("How much?");
  await main.locator(".test summary", { hasText: "Context" }).click();
  await field("Context as JSON").fill('{"amount": 100}');
  await press("Test");
  await main.locator(".test blockquote", { hasText: "Total: 115" }).waitFor();
  await field("Context as JSON").fill('{"amount": -1}');
  await press("Test");
  await main.locator(".test .error", { hasText: "must be greater than 0" }).waitFor();
});

await test("a hostile draft is text, and what is not taken says why", async () => {
  await page.route("**/api/apps/-/draft", async (route) => {
    const body = { draft: { name: "<img src=x onerror=document.title=1>",
      description: "<script>alert(1)</script>", layoutTemplate: "card", toolName: "get_it",
      toolDescription: "{{x}}\u202etxt", mockData: { title: "</pre><script>1</script>" } },
    by: "model", sources: { name: "model", description: "model", layoutTemplate: "rule",
      toolName: "rule", toolDescription: "model", mockData: "model" },
    findings: [{ code: "DRAFTED_BY_RULE", severity: "warning", path: "/toolName",
      message: "the language model's toolName is not taken: <b>why</b>" }] };
    await route.fulfill({ status: 200, contentType: "application/json",
      body: JSON.stringify(body) });
  });
  await page.goto(`${origin}/console#new`);
  await field("What it does").fill("Anything.");
  await press("Draft");
  await main.locator(".findings .warning", { hasText: "<b>why</b>" }).waitFor();
  same(await main.locator(".drafted :is(img, script, b), .findings b").count(), 0, "elements");
  need((await main.locator(".drafted").innerText()).includes("<script>alert(1)</script>"),
    "as text");
  same(await axe(page), [], "what axe finds");
});

await test("the browser had nothing to say", () => {
  // What a browser tells of refusals that the page shows.
  const said = page.said.filter((line) => !/status of (500|422)/.test(line));
  same(said, [], "its console");
});

await chromium.close();
await server.end();
stand.stdin.end();
done();
