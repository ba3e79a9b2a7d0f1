// SPDX-License-Identifier: Apache-2.0
//
// The console where people sign in: an owner, an editor, a viewer and a stranger each see
// what they may do, and an end of the session in the middle of an edit loses nothing.
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";

import { done, need, same, test } from "../peers/tap.mjs";
import { axe, browser, open, paths, ready } from "./chromium.mjs";
import { serveGuarded } from "./guarded.mjs";

const found = { ...paths({ mica: "", issuer: "" }), scopes: ["apps:write"] };
const { issuer, server, origin } = await serveGuarded(found);
const chromium = await browser();
const context = await chromium.newContext();

// ---- Grace, by the API -------------------------------------------------------------------

const sign = "import json, sys, time, tokens; print(tokens.token(json.dumps({'iss': sys.argv[1]," +
  " 'aud': sys.argv[2], 'sub': 'grace', 'scope': 'apps:write', 'iat': int(time.time())," +
  " 'exp': int(time.time()) + 3600})))";
const token = execFileSync("python3", ["-c", sign, `http://127.0.0.1:${issuer.port}`,
  `${origin}/mcp`], { cwd: dirname(found.issuer) }).toString().trim();

async function graceSends(what, body) {
  const response = await fetch(`${origin}/api/${what}`, { method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body) });
  const made = await response.json();
  need(response.ok, JSON.stringify(made));
  return made;
}
const graceMakes = (name, roles) => graceSends("apps", { name, roles, propose: true,
  description: "Says hello to people." });
const edited = await graceMakes("Edited by Ada", { editors: ["ada"] });
const viewed = await graceMakes("Viewed by Ada", { viewers: ["ada"] });
const hidden = await graceMakes("Hidden from Ada", {});

// ---- Ada, in a browser ---------------------------------------------------------------------

const page = await open(context, `${origin}/console`);
const main = page.locator("#console");
const field = (name) => main.getByRole("textbox", { name, exact: true });
const saved = () => page.locator(".save-state", { hasText: /^Saved$/ }).waitFor();

async function signIn() {
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Continue as ada", exact: true }).click();
  await page.waitForURL(`${origin}/console**`);
  await ready(page);
}
async function visit(place) {
  await page.goto("about:blank"); // another hash alone would not load it anew
  await page.goto(`${origin}/console${place}`);
  await ready(page);
}

await test("the console asks to sign in, and shows the apps of the person", async () => {
  need((await page.locator("h1").innerText()).includes("not signed in"), "its headline");
  page.said.length = 0; // that there are pages with 401
  await signIn();
  same((await main.locator(".apps b").allInnerTexts()).sort(),
    ["Edited by Ada", "Viewed by Ada"], "what she sees");
  same(await axe(page), [], "what axe finds");
});

await test("an app of others does not exist", async () => {
  await visit(`#app/${hidden.id}`);
  await main.getByText("There is no app here that you may see.").waitFor();
  page.said = page.said.filter((line) => !/404/.test(line));
});

await test("a viewer looks, and changes nothing", async () => {
  await visit(`#app/${viewed.id}`);
  await main.getByText("You may look at it.").waitFor();
  need(await field("Name").isDisabled(), "the fields are disabled");
  need(await page.locator(".app-acts .main").isHidden(), "no way to publish");
  same(await axe(page), [], "what axe finds");
  await main.getByRole("link", { name: "More", exact: true }).click();
  await main.getByRole("button", { name: "Export" }).waitFor();
  same(await main.getByRole("button", { name: "Delete" }).count(), 0, "no way to delete");
});

await test("an editor changes and publishes, and not who may", async () => {
  await visit(`#app/${edited.id}`);
  await field("Description").fill("Says hello to all people.");
  await saved();
  need(await field("Editors").isDisabled(), "the people are the owner's");
  need(await field("Calls a day").isDisabled(), "and the budget");
  same(await main.getByText("Its owner decides this.").count(), 2, "it says so");
  await page.locator(".app-acts .main").click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByLabel("Address of the app", { exact: true }).waitFor();
});

await test("a collection of others: an editor has its apps, a viewer looks", async () => {
  const members = [edited.mcpSlug];
  const shared = await graceSends("collections", { name: "Shared Desk", members,
    roles: { editors: ["ada"] } });
  await visit(`#collection/${shared.id}`);
  await main.getByRole("button", { name: "Remove Edited by Ada" }).waitFor();
  await main.getByText("Its owner decides this.").waitFor();
  need(await field("Editors").isDisabled(), "the people are the owner's");
  await main.getByText("Owner: grace").waitFor();
  for (const name of ["Save the people", "Hand over", "Delete"])
    same(await main.getByRole("button", { name, exact: true }).count(), 0, name);
  same(await axe(page), [], "what axe finds");
  const seen = await graceSends("collections", { name: "Seen Desk", members,
    roles: { viewers: ["ada"] } });
  await visit(`#collection/${seen.id}`);
  await main.getByText("You may look at it.").waitFor();
  await main.getByRole("link", { name: "Try in a host" }).waitFor();
  same(await main.locator("textarea, input, select").count(), 0, "nothing to change");
  same(await axe(page), [], "what axe finds for a viewer");
});

await test("the session ends in the middle of an edit: it is saved after signing in", async () => {
  await visit(`#app/${edited.id}`);
  await context.clearCookies();
  await field("Description").fill("Typed after the session ended.");
  await main.getByText("You are signed out.", { exact: false }).waitFor();
  page.said = page.said.filter((line) => !/401/.test(line));
  await main.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "not signed in" }).waitFor();
  await signIn();
  page.said = page.said.filter((line) => !/401/.test(line));
  await visit(`#app/${edited.id}`);
  await saved();
  same(await field("Description").inputValue(), "Typed after the session ended.", "it is there");
});

await test("her own app is hers", async () => {
  await visit("#new");
  await field("Name").fill("Made by Ada");
  await main.getByRole("button", { name: "Create the draft" }).click();
  await main.getByRole("heading", { name: "Made by Ada", level: 1 }).waitFor();
  await main.getByText("Owner: ada").waitFor();
  same(page.said, [], "the console of the browser");
});

await chromium.close();
await server.end();
issuer.kill();
done();
