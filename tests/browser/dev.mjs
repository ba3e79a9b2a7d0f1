// SPDX-License-Identifier: Apache-2.0
//
// Pages that are open while their tools are written (mica dev): a source that is
// saved changes the page and the next tools/call, what does not build and what is
// missing is said on the page, and what was typed stays.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { done, folder, need, PATIENCE, same, serve, test, until } from "../peers/tap.mjs";
import { axe, browser, open, paths } from "./chromium.mjs";

const found = paths({ mica: "", sources: "" });
const source = join(folder, "engines/tip-splitter.c");
mkdirSync(join(folder, "engines"));
copyFileSync(join(found.sources, "tip-splitter.c"), source);
const good = readFileSync(source, "utf8");
const server = await serve(found.mica, ["dev", "--listen", "127.0.0.1:0"]);
const origin = `http://127.0.0.1:${server.port}`;
const chromium = await browser();

// Another title, and another tip where none is said.
const changed = (title, tip) =>
  good.replace(/\.title = "[^"]*"/, `.title = "${title}"`)
    .replace("MICA_JSON(15)", `MICA_JSON(${tip})`);
const save = (text) => {
  writeFileSync(source, text);
  return performance.now();
};

async function titleOf() {
  const response = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {
      _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
               "io.modelcontextprotocol/clientCapabilities": {} } } }),
  });
  return (await response.json()).result.tools[0].title;
}

await until(async () =>
  (await fetch(`${origin}/tools/tip-splitter`)).ok); // built for the first time
const page = await open(await chromium.newContext(),
  `${origin}/tools/tip-splitter`);
const board = page.getByRole("region",
  { name: "What the compiler and the checks say" });

await test("a tool that is saved is another on its page and for clients",
  async () => {
    await page.getByLabel("Amount").fill("77.5");
    const saved = save(changed("Who owes what", 20));
    const [called, shown] = await Promise.all([
      until(async () => await titleOf() === "Who owes what", "the title changes")
        .then(() => performance.now()),
      page.getByRole("heading", { name: "Who owes what" })
        .waitFor({ timeout: PATIENCE }).then(() => performance.now())]);
    console.log(`# saved to served ${Math.round(called - saved)} ms, ` +
      `to the page ${Math.round(shown - saved)} ms`);
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    same(await page.getByLabel("Amount").inputValue(), "77.5", "what was typed");
    const input = { amount: 100, currency: "EUR" };
    const inPage = await page.evaluate(async (input) =>
      (await import("/engines/tip-splitter.js")).default.handler(input), input);
    const response = await fetch(`${origin}/api/tip-splitter`, { method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(input) });
    same([inPage.tip, (await response.json()).tip], [20, 20],
      "the engine of the page, and that of the server");
  }, 2 * PATIENCE);

await test("what does not build is shown, and goes when it does", async () => {
  save(good.replace("MICA_ENGINE(", "MICA_ENGIN("));
  await board.getByText("tip-splitter does not build").waitFor({ timeout: PATIENCE });
  need((await board.locator("pre").innerText()).includes("tip-splitter.c"),
    "the compiler's words");
  same(await page.getByLabel("Amount").inputValue(), "77.5", "the page stays");
  same(await axe(page), [], "what axe finds");
  save(changed("Once more", 25));
  await page.getByRole("heading", { name: "Once more" })
    .waitFor({ timeout: PATIENCE });
  need(!await board.getByText("does not build").isVisible(), "it is gone");
}, 3 * PATIENCE);

await test("what the checks miss is shown with its code", async () => {
  save(changed("x", 15));
  await board.getByText("tip-splitter: what is missing")
    .waitFor({ timeout: PATIENCE });
  need(/[A-Z_]{5,}/.test(await board.locator("code").first().innerText()),
    "a code");
}, 2 * PATIENCE);

await test("a server that does not develop has none of it", async () => {
  const plain = await serve(found.mica, ["serve", "--drain=0", "--listen", "127.0.0.1:0"]);
  const address = `http://127.0.0.1:${plain.port}`;
  for (const path of ["/dev/state", "/dev/events"])
    same((await fetch(address + path)).status, 404, path);
  need(!(await (await fetch(address)).text()).includes("data-dev"), "the page");
  await plain.end();
}, PATIENCE);

await page.context().close();
await chromium.close();
await server.end();
done();
