// SPDX-License-Identifier: Apache-2.0
//
// What a person is asked on the host page when a view calls tools and sends requests, and for
// how long a question stands, in Chromium.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";

import { done, folder, need, pause, same, serve, test, until } from "../peers/tap.mjs";
import { axe, browser, open, paths } from "./chromium.mjs";
import { controlsOf } from "./host_controls.mjs";

const found = paths({ mica: "", hosted: "" });
cpSync(found.hosted, join(folder, "tools"), { recursive: true });
execFileSync(found.mica, ["build"], { cwd: folder, stdio: "pipe",
  env: { ...process.env, XDG_STATE_HOME: folder } });
const server = await serve(found.mica,
  ["serve", "--host-page", "--drain=0", "--listen", "127.0.0.1:0"]);
const chromium = await browser();
const page = await open(await chromium.newContext(), `http://127.0.0.1:${server.port}/host`);
const { card, dialog, asks, allow, refuse, isOpen, openPuppet, close } = controlsOf(page);
const one = await openPuppet("asks");

await test("requests of a view are judged by what they are, not by the tool that carries them",
  async () => {
    const send = (method, url, body) => one.frame.evaluate(([method, url, body]) =>
      app.callServerTool({ name: "http_request", arguments: { method, url,
        ...body !== undefined && { body, bodyType: "text",
          headers: { "content-type": "application/json" } } } })
        .then(({ structuredContent }) => structuredContent.status, ({ data }) => data.code),
    [method, url, body]);
    same(await send("GET", "/api"), 200, "a GET");
    same(await send("HEAD", "/openapi.json"), 200, "a HEAD");
    same(await send("POST", "/api/puppet", "{}"), 200, "a tool that only reads");
    same(await isOpen(), false, "without a question");
    let answer = send("POST", "/api/note", JSON.stringify({ word: "by REST" }));
    await asks("Let this view send a request that may change something?");
    same(await dialog.locator(".facts").innerText(), ["Method", "POST", "Path", "/api/note",
      "Tool of the server", "note", "Title", "Take a note"].join("\n"), "the facts");
    same(JSON.parse(await dialog.getByLabel("Its body").innerText()), { word: "by REST" },
      "the body");
    need((await dialog.getByLabel("Its headers").innerText()).includes("application/json"),
      "the headers");
    same(await dialog.locator("#consent-for").innerText(), "and POST /api/note", "always");
    same(await axe(page), [], "what axe finds");
    await refuse();
    same(await answer, "NOT_ALLOWED", "refused");
    answer = send("POST", "/api/note", '{"word":"a","word":"b"}');
    await asks('{"word":"a","word":"b"}'); // as it is sent: another reader may take the first
    await dialog.getByLabel("Always for this view").check();
    await allow("Send");
    same(await answer, 400, "a name that stands twice");
    same(await send("POST", "/api/note", '{"word":"again"}'), 200, "always");
    same(await isOpen(), false, "without a question");
    // Another path, and another way to write it, are other requests.
    for (const url of ["/api/calls/1", "/api/./note", "/api/n%6fte"]) {
      answer = send("POST", url, btoa("x"));
      await asks("Let this view send");
      await refuse();
      same(await answer, "NOT_ALLOWED", url);
    }
    answer = one.frame.evaluate(() => app.callServerTool({ name: "http_request", arguments: {
      method: "PUT", url: "/api/note", body: btoa("delete it"), bodyType: "base64" } })
      .then(() => "answered", ({ data }) => data.code));
    await asks("delete it"); // the text of a body that is written otherwise
    await refuse();
    same(await answer, "NOT_ALLOWED", "base64");
  });

let two;
await test("a question goes away with its request, and says so", async () => {
  two = await openPuppet("impatient");
  const log = () => card(two.title).locator(".log li").allTextContents();
  const requests = {
    "Let this view call a tool": "callServerTool({ name: 'note', arguments: { word: 'late' } }, ",
    "Open this address?": "openLink({ url: 'https://late.example/' }, ",
    "Save this file?": "downloadFile({ contents: [{ type: 'resource', resource: " +
      "{ uri: 'file:///late', text: 'late' } }] }, ",
    "Send this message": "sendMessage({ role: 'user', content: [{ type: 'text', " +
      "text: 'late' }] }, ",
  };
  for (const [question, request] of Object.entries(requests)) {
    const code = two.frame.evaluate(`app.${request}{ timeout: 4000 }).then(() => "answered",
      ({ code }) => code)`);
    await asks(question);
    same(await code, "REQUEST_TIMEOUT", "the view has waited");
    await until(async () => !await isOpen(), "the dialog is closed");
    await until(async () => (await log()).at(-1)?.startsWith("Withdrawn"), "the page says so");
    need(/no longer waits/.test(await page.locator("#host-state").innerText()), "to everyone");
  }
  same((await log()).filter((line) => /^(Allowed|Not allowed)/.test(line)), [], "answers");
  // One that waits behind another leaves the queue, and the dialog to that one.
  const [first, second] = ["first", "second"].map((word, i) => two.frame.evaluate(
    ([word, timeout]) => app.openLink({ url: `https://${word}.example/` }, { timeout })
      .then(({ isError }) => isError, ({ code }) => code), [word, [60_000, 1000][i]]));
  await asks("https://first.example/");
  same(await second, "REQUEST_TIMEOUT", "the second one");
  need((await dialog.innerText()).includes("first.example"), "the first one stays");
  await refuse();
  same(await first, true, "the first one");
  await pause(300);
  same(await isOpen(), false, "no question is left");
});

await test("the time that a person reads is not the view's", async () => {
  const answer = two.frame.evaluate(() => app.callServerTool({ name: "note",
    arguments: { word: "read slowly" } }, { timeout: 15_000 }).then(
    ({ structuredContent }) => structuredContent, ({ code }) => code));
  await asks("Let this view call");
  await pause(16_000);
  await allow("Call");
  same(await answer, { word: "read slowly" }, "answered after its time-out");
  await close(two.title);
});

await test("the console of the page stays silent", async () =>
  same(page.said, [], "what the console says"));

await chromium.close();
await server.end();
done();
