// SPDX-License-Identifier: Apache-2.0
//
// declared.mjs MICA: a view that is declared in C. The server of examples/views serves it,
// and it runs in Chromium, in a frame of opaque origin under the default policy, beside the
// official AppBridge.
import { resolve } from "node:path";

import { done, same, test } from "../peers/tap.mjs";
import { project } from "./example-views.mjs";
import { browser, inHost, POLICY, view } from "./frames.mjs";

// A view that fetches: from the REST of its server, without a line of C for it.
const watching = {
  "tools/watch_dice.c": `#include <mica/tool.h>

static enum mica_status
run(struct mica_call *call, const struct mica_nothing *in, struct mica_nothing *out)
{
    (void)call, (void)in, (void)out;
    return MICA_OK;
}
MICA_VIEW(watch_dice, .file = "watch_dice.html", .description = "Dice, thrown by fetch.");
MICA_TOOL(watch_dice, mica_nothing, mica_nothing, run, .description = "Shows dice.",
          .view = &mica_view_watch_dice);
`,
  "tools/watch_dice.html": `<!doctype html>
<meta charset="utf-8">
<title>Dice</title>
<p id="sum"></p>
<script type="module">
import { App, installFetch } from "mica:view";

const app = new App({ name: "watch-dice", version: "1" });
app.ontoolinput = async () => {
  const answer = await fetch("/api/throw_dice", { method: "POST", body: '{"count":4}',
    headers: { "Content-Type": "application/json" } });
  const refused = await fetch("/mcp").catch((error) => error.cause.code);
  document.getElementById("sum").textContent =
    JSON.stringify([answer.status, (await answer.json()).faces.length, refused]);
};
await app.connect();
installFetch(app);
</script>
`,
};
const { ask, call: callTool, end } = await project(resolve(process.argv[2]), { more: watching });
const MIME = "text/html;profile=mcp-app";
const chrome = await browser();
const page = await chrome.page();
await page.exposeFunction("callTool", callTool);
let html;

await test("the server names the view, and gives one document", async () => {
  const dice = ({ tools }) => tools.find(({ name }) => name === "throw_dice");
  const listed = await ask("tools/list", {});
  const tool = dice(listed);
  same(listed.tools.find(({ name }) => name === "http_request")._meta.ui, { visibility: ["app"] },
    "the tool for requests of views");
  const uri = tool._meta.ui.resourceUri;
  const { contents } = await ask("resources/read", { uri }, uri);
  same([contents.length, contents[0].mimeType, contents[0]._meta.ui, tool._meta["ui/resourceUri"]],
    [1, MIME, { prefersBorder: true }, uri], "the resource");
  html = contents[0].text;
  same([/\bimport\s*[{*"']/.test(html), html.includes("micaView")], [false, true],
    "it imports nothing");
  const others = await ask("tools/list", {}, undefined, {});
  same(others.tools.some(({ name }) => name === "http_request"), false, "it is for views alone");
  const plain = dice(others);
  same(plain._meta, undefined, "what others are told");
});

await test("it shows a result and calls its tool under the default policy", async () => {
  const guarded = html.replace('<meta charset="utf-8">', '<meta charset="utf-8">' +
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  const frame = await view(page, "dice", guarded, { context: { theme: "dark" } });
  const result = await callTool({ name: "throw_dice", arguments: { count: 3 } });
  await inHost(page, "dice", async (bridge, result) => {
    bridge.oncalltool = (params) => callTool(params);
    await bridge.sendToolInput({ arguments: { count: 3 } });
    await bridge.sendToolResult(result);
  }, result);
  const { faces, sum } = result.structuredContent;
  await frame.waitForFunction((sum) => document.getElementById("sum").textContent ===
    `Sum: ${sum}`, sum);
  same(await frame.evaluate(() => [document.getElementById("dice").ariaLabel, self.origin,
    document.documentElement.dataset.theme]), [faces.join(", "), "null", "dark"], "the view");
  await frame.evaluate(() => {
    document.getElementById("dice").textContent = "";
    document.getElementById("again").click();
  });
  await frame.waitForFunction(() => [...document.getElementById("dice").textContent].length === 3 &&
    !document.getElementById("again").disabled);
  same(page.said.filter((line) => /error|refused|violat/i.test(line)), [], "the console");
});

await test("a view fetches from the REST of its server", async () => {
  const { tools } = await ask("tools/list", {});
  const named = tools.find(({ name }) => name === "watch_dice")._meta.ui.resourceUri;
  const { contents: [{ text }] } = await ask("resources/read", { uri: named }, named);
  const frame = await view(page, "watch", text.replace('<meta charset="utf-8">',
    `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`));
  await inHost(page, "watch", async (bridge) => {
    bridge.oncalltool = (params) => callTool(params);
    await bridge.sendToolInput({ arguments: {} });
  });
  await frame.waitForFunction(() => document.getElementById("sum").textContent !== "");
  same(await frame.locator("#sum").textContent(), '[200,4,"NOT_MOUNTED"]', "what it got");
});

await chrome.end();
await end();
done();
