// SPDX-License-Identifier: Apache-2.0
//
// The host page in mica dev: what a developer sees of an open view, what is chosen for it,
// a document that is built anew while its view is open, and a session that is recorded,
// replayed in the page and from the shell.
import { spawn } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { done, folder, need, same, serve, test, until } from "../peers/tap.mjs";
import { axe, browser, open, paths } from "./chromium.mjs";

const found = paths({ mica: "", watched: "" });
cpSync(found.watched, join(folder, "tools"), { recursive: true });
const server = await serve(found.mica, ["dev", "--listen", "127.0.0.1:0"]);
const origin = `http://127.0.0.1:${server.port}`;
const chromium = await browser();

await until(async () => (await fetch(`${origin}/tools/dial`)).ok, "the first build");
const context = await chromium.newContext({ acceptDownloads: true,
  permissions: ["clipboard-read", "clipboard-write"] });
const page = await open(context, `${origin}/host`);
const card = (title) => page.getByRole("region", { name: title, exact: true });
const tools = (title) => page.getByRole("region", { name: `Tools for ${title}` });
const part = (title, name) => tools(title).locator("details.dev-part")
  .filter({ has: page.locator("summary", { hasText: new RegExp(`^${name}\\b`) }) });
const unfold = async (title, name) => {
  const one = part(title, name);
  if (await one.getAttribute("open") === null) await one.locator("> summary").click();
  return one;
};

// The frame of a view's own document, inside of the sandbox proxy.
async function frameOf(title, words = /./) {
  return until(async () => {
    const outer = await (await card(title).locator(".view iframe").elementHandle())?.contentFrame();
    const [inner] = outer?.childFrames() ?? [];
    const text = await inner?.evaluate(() => globalThis.restored &&
      document.getElementById("at").textContent !== "?" &&
      document.getElementById("title").textContent).catch(() => {});
    return text && words.test(text) ? inner : undefined;
  }, `the view of ${title}`);
}

const dialog = page.locator("#consent");
const asks = (words) => dialog.getByText(words).first().waitFor();

async function openDial(json) {
  await page.locator('#host-tools [data-name="dial"]').click();
  await page.locator("#call-send:enabled").waitFor();
  if (!await page.locator("#call-json").isVisible())
    await page.getByText("Arguments as JSON, and their schema").click();
  await page.locator("#call-json").fill(JSON.stringify(json));
  await page.locator("#call-send").click();
  await asks("This view wants to write to your clipboard.");
  await page.locator("#consent-allow:enabled").click();
  const title = await page.locator("#cards h3").first().innerText();
  return { title, frame: await frameOf(title) };
}
const copied = () => page.evaluate(() => navigator.clipboard.readText());
const quieten = (words) => { page.said = page.said.filter((line) => !words.test(line)); };

const dial = await openDial({ start: 7 });
const { title } = dial;

await test("the handshake: each step with its time", async () => {
  const steps = await unfold(title, "Handshake");
  await steps.getByText("Size reported").waitFor();
  const lines = await until(async () => {
    const all = await steps.locator("li").allInnerTexts();
    return all.every((line) => /· done at \d+ ms$/.test(line)) && all;
  }, "all steps done");
  same(lines.map((line) => line.split(" · ")[0]), ["Sandbox loaded", "Document handed over",
    "ui/initialize received", "Version agreed", "Initialized", "Input sent", "Result sent",
    "Size reported"], "the steps");
  same(await axe(page), [], "what axe finds");
});

await test("the traffic: filtered, paused, opened, cleared", async () => {
  const traffic = await unfold(title, "Traffic");
  await traffic.locator("li", { hasText: "ui/initialize" }).first().waitFor();
  await traffic.getByLabel("Filter the messages").fill("tool-result");
  const row = traffic.locator("li:not([hidden])");
  // The document that was handed over has the word, too.
  await until(async () => await row.count() === 2, "two messages");
  await row.locator("summary", { hasText: "ui/notifications/tool-result" }).click();
  await row.locator("pre", { hasText: '"at": 7' }).waitFor();
  await traffic.getByLabel("Filter the messages").fill("");
  await traffic.getByLabel("Direction").selectOption("view");
  await until(async () => !(await row.allInnerTexts()).some((line) => /→ view/.test(line)),
    "one direction");
  await traffic.getByLabel("Direction").selectOption("");
  const before = await traffic.locator("li").count();
  await traffic.getByRole("button", { name: "Pause" }).click();
  await dial.frame.evaluate(() => globalThis.turn());
  await page.waitForTimeout(200);
  same(await traffic.locator("li").count(), before, "messages while it is paused");
  await traffic.getByRole("button", { name: "Pause" }).click();
  await traffic.locator("li", { hasText: "ui/update-model-context" }).first().waitFor();
  const answered = await traffic.locator("li", { hasText: "ui/update-model-context" })
    .first().innerText();
  need(/\d+\.\d ms/.test(answered), `no latency: ${answered}`);
  same(await axe(page), [], "what axe finds");
  await traffic.getByLabel("Direction").selectOption("view");
  await traffic.getByRole("button", { name: "Copy" }).click();
  const lines = await until(async () => (await copied()).includes("ui/initialize") &&
    (await copied()).split("\n").map((line) => JSON.parse(line)), "the log in the clipboard");
  need(lines.length > 3 && lines.every(({ from }) => from === "view"), "one direction");
  await traffic.getByLabel("Direction").selectOption("");
  await traffic.getByRole("button", { name: "Clear" }).click();
  await until(async () => await traffic.locator("li").count() === 0, "an empty log");
});

await test("the policy: what was blocked, and the member that opens it", async () => {
  const policy = await unfold(title, "Policy");
  await policy.getByText("The policy has blocked nothing.").waitFor();
  await dial.frame.evaluate(() => fetch("https://api.example.com/v1").catch(() => {}));
  await policy.getByText('.connect_domains = MICA_DOMAINS("https://api.example.com")').waitFor();
  await policy.getByText('"connectDomains": ["https://api.example.com"]').waitFor();
  await dial.frame.evaluate((origin) => fetch(`${origin}/mcp`).catch(() => {}), origin);
  await policy.getByText("Call a tool of the server instead").waitFor();
  need(/2 blocked/.test(await policy.locator("summary").innerText()), "the count");
  await policy.getByRole("button", { name: "Copy for C" }).click();
  await until(async () => await copied() === '.connect_domains = MICA_DOMAINS(' +
    '"https://api.example.com"),', "the member in the clipboard");
  same(await axe(page), [], "what axe finds");
  quieten(/Content Security Policy|Fetch API cannot load|Refused to connect/i);
});

await test("the context: theme, device, locale, time zone and mode reach the view", async () => {
  const controls = await unfold(title, "Context");
  const told = () => dial.frame.evaluate(() => {
    const { theme, locale, timeZone, platform, displayMode, containerDimensions } =
      globalThis.app.getHostContext();
    return { theme, locale, timeZone, platform, displayMode, ...containerDimensions };
  });
  const becomes = async (wanted) => {
    let now;
    await until(async () => {
      now = await told();
      return Object.entries(wanted).every(([name, value]) => now[name] === value);
    }, `${JSON.stringify(wanted)}`).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(now)}`);
    });
  };
  await controls.getByLabel("Theme").selectOption("dark");
  await becomes({ theme: "dark" });
  await controls.getByLabel("Theme").selectOption("light");
  await becomes({ theme: "light" });
  await controls.getByLabel("Device").selectOption("phone");
  await becomes({ platform: "mobile", width: 360 });
  const wide = async () => (await card(title).locator(".view").boundingBox()).width;
  need(await wide() <= 360, "the frame is wider than a phone");
  await controls.getByLabel("Locale").fill("de-ch");
  await controls.getByLabel("Time zone").fill("europe/zurich");
  await controls.getByLabel("Time zone").press("Enter");
  await controls.getByLabel("Theme").focus();
  await becomes({ locale: "de-CH", timeZone: "Europe/Zurich" });
  await controls.getByLabel("Time zone").fill("Mars/Olympus");
  await controls.getByLabel("Theme").focus();
  await controls.getByText(/Invalid time zone/).waitFor();
  await controls.getByLabel("Time zone").fill("UTC");
  await controls.getByLabel("Theme").focus();
  await becomes({ timeZone: "UTC" });
  const first = await card(title).locator(".view iframe").elementHandle();
  await controls.getByLabel("Display mode").selectOption("pip");
  await becomes({ displayMode: "pip", width: 320, height: 240 });
  same(await card(title).locator(".view").evaluate((view) => getComputedStyle(view).position),
    "fixed", "the picture in the picture");
  await controls.getByLabel("Display mode").selectOption("inline");
  await becomes({ displayMode: "inline" });
  await controls.getByLabel("Device").selectOption("desktop");
  await becomes({ platform: "desktop" });
  need(await first.evaluate((frame) => frame.isConnected), "the frame was moved");
  same(await dial.frame.evaluate(() => document.getElementById("turns").textContent), "1",
    "the view was loaded again");
});

await test("the state: both sides, the model's context, the tools of the view", async () => {
  const state = await unfold(title, "State");
  await state.locator("pre", { hasText: '"turns": 1' }).waitFor();
  const text = JSON.parse(await state.locator("pre").innerText());
  same(text.modelContext, { structuredContent: { turns: 1 } }, "the model's context");
  same(text.tools.map(({ name }) => name), ["turn"], "tools");
  same([text.app.name, text.state, text.hostContext.theme], ["dial", "LIVE", "light"], "the rest");
});

await test("a document that is built anew takes the place of the old one, with its state",
  async () => {
    await dial.frame.evaluate(() => globalThis.turn());
    const source = join(folder, "tools/dial.html");
    writeFileSync(source, readFileSync(source, "utf8").replace("First dial", "Second dial"));
    dial.frame = await frameOf(title, /Second dial/);
    const shown = await dial.frame.evaluate(() => ({ restored: globalThis.restored,
      ...Object.fromEntries(["at", "turns", "input"].map((id) =>
        [id, document.getElementById(id).textContent])) }));
    same(shown, { at: "7", turns: "2", input: "7", restored: { state: { turns: 2 },
      modelContext: { structuredContent: { turns: 2 } } } }, "what the new document shows");
    same(await dial.frame.evaluate(() => globalThis.app.getHostContext().timeZone), "UTC",
      "the context");
    same(await dial.frame.evaluate(() => document.featurePolicy.allowsFeature("clipboard-write")),
      true, "what the person allowed for this view");
    // Its tools are there, and one can call them.
    const row = page.locator('#host-tools [data-name="turn"]');
    await row.waitFor();
    same(await row.count(), 1, "tools of the view");
    await unfold(title, "Handshake");
    await part(title, "Handshake").getByText("Result sent · done").waitFor();
    same(await axe(page), [], "what axe finds");
  });

const rebuild = (change) => {
  const source = join(folder, "tools/dial.html");
  writeFileSync(source, change(readFileSync(source, "utf8")));
};

await test("a document that stays blank: the step that is missing, and the state is kept",
  async () => {
    const source = join(folder, "tools/dial.html");
    const good = readFileSync(source, "utf8");
    const late = card(title).getByText("The view has not connected in 10 seconds.");
    writeFileSync(source, good.replace("await app.connect();", "throw new Error('broken');"));
    const handshake = part(title, "Handshake");
    await handshake.locator("summary", { hasText: "ui/initialize received: missing" }).waitFor();
    await unfold(title, "Handshake");
    await handshake.getByText("No script of the view called connect()").waitFor();
    await late.waitFor();
    writeFileSync(source, good.replace("Second dial", "Third dial"));
    dial.frame = await frameOf(title, /Third dial/);
    same(await dial.frame.evaluate(() => globalThis.restored), { state: { turns: 2 },
      modelContext: { structuredContent: { turns: 2 } } }, "what the third document gets");
    await handshake.getByText("Result sent · done").waitFor();
    same(await late.isVisible(), false, "what was said of the document before");
    quieten(/broken/);
  });

await test("a document that declares other domains asks again, and is not late meanwhile",
  async () => {
    const source = join(folder, "tools/dial.c");
    const asOf = performance.now();
    const other = await openDial({ start: 4 });
    writeFileSync(source, readFileSync(source, "utf8").replace(".permissions",
      '.connect_domains = MICA_DOMAINS("https://a.example"), .permissions'));
    for (const one of [title, other.title]) {
      await asks("This view wants to write to your clipboard.");
      const asking = await page.locator("#consent-who").innerText();
      need([title, other.title].includes(asking), `${asking} beside ${one}`);
      // Longer than a view has until it is said to be late.
      if (one === title) await page.waitForTimeout(Math.max(0, 11_000 - (performance.now() - asOf)));
      await page.locator("#consent-allow:enabled").click();
    }
    dial.frame = await frameOf(title);
    await frameOf(other.title);
    same(await page.getByText("has not connected in 10 seconds").filter({ visible: true }).count(),
      0, "views that are late");
    await page.getByRole("button", { name: `Close ${other.title}` }).click();
  });

await test("a question of a document that replaced another closes the view, too", async () => {
  const other = await openDial({ start: 5 });
  rebuild((html) => html.replace("Third dial", "Fourth dial"));
  other.frame = await frameOf(other.title, /Fourth dial/);
  const answer = other.frame.evaluate(() => globalThis.app.openLink({ url: "https://a.example/" })
    .then(({ isError }) => isError, (error) => error.code)).catch(() => "its frame is gone");
  await asks("https://a.example/");
  await dialog.getByRole("button", { name: "Close the view" }).click();
  await card(other.title).getByText("The view has ended").waitFor();
  need([true, "its frame is gone", "CONNECTION_CLOSED"].includes(await answer), "not opened");
  await page.getByRole("button", { name: `Close ${other.title}` }).click();
  dial.frame = await frameOf(title, /Fourth dial/);
});

await test("a strict host has no capabilities", async () => {
  const controls = await unfold(title, "Context");
  await controls.getByText("Strict host").click();
  dial.frame = await until(async () => {
    const frame = await frameOf(title);
    return await frame.evaluate(() =>
      Object.keys(globalThis.app.getHostCapabilities()).length === 0).catch(() => false) && frame;
  }, "a view without capabilities");
  const refused = await dial.frame.evaluate(() => globalThis.app.openLink({ url: "https://a.example" })
    .then(() => "opened", (error) => error.message));
  need(/openLinks/.test(refused), refused);
  // And the host refuses what a view asks all the same.
  same(await dial.frame.evaluate(() => new Promise((resolve) => {
    addEventListener("message", ({ data }) => data.id === "x" && resolve(data.error?.code));
    parent.postMessage({ jsonrpc: "2.0", id: "x", method: "ui/open-link",
      params: { url: "https://a.example" } }, "*");
  })), -32601, "the refusal");
  await (await unfold(title, "Context")).getByText("Strict host").click();
  dial.frame = await until(async () => {
    const frame = await frameOf(title);
    return await frame.evaluate(() =>
      Object.keys(globalThis.app.getHostCapabilities()).length > 0).catch(() => false) && frame;
  }, "a view with capabilities");
});

let recording;
await test("a session is saved, and replayed in the page", async () => {
  await dial.frame.evaluate(() => globalThis.turn());
  const part_ = await unfold(title, "Recording");
  const [download] = await Promise.all([page.waitForEvent("download"),
    part_.getByRole("button", { name: "Save recording" }).click()]);
  recording = join(folder, download.suggestedFilename());
  same(download.suggestedFilename(), "dial.recording.json", "the name of the file");
  await download.saveAs(recording);
  const text = readFileSync(recording, "utf8");
  need(JSON.parse(text).messages.length > 5, text);
  const replay = async (name, buffer) => {
    await part_.locator("input[type=file]").setInputFiles({ name, buffer: Buffer.from(buffer),
      mimeType: "application/json" });
    const status = part_.getByRole("status");
    await until(async () => !/^(Replaying …|\d+ messages were saved\.|)$/.test(
      await status.innerText()), "an outcome");
    const outcome = await status.innerText();
    await part_.locator("input[type=file]").setInputFiles([]);
    return outcome;
  };
  // The host page turned the dial; in a replay nothing does, as the view did it itself.
  need(/the view did not send it within/.test(await replay("a.json", text)), "a view that waits");
  const until_ = JSON.parse(text);
  until_.messages = until_.messages.slice(0, until_.messages.findIndex(({ message }) =>
    message.method === "ui/update-model-context"));
  recording = join(folder, "short.json");
  writeFileSync(recording, JSON.stringify(until_));
  need(/^\d+ messages as recorded\.$/.test(await replay("b.json", JSON.stringify(until_))),
    "a view that behaves");
  need(/version 7/.test(await replay("c.json", text.replace('"version": 1', '"version": 7'))),
    "another version");
  need(/no member "__proto__"/.test(await replay("d.json",
    text.replace("{", '{ "__proto__": {},'))), "a foreign member");
  same(await axe(page), [], "what axe finds");
});

const replayScript = fileURLToPath(new URL("../../web/hosttools/replay-view.mjs", import.meta.url));
const fromShell = () => new Promise((resolve, reject) => {
  const child = spawn(process.execPath, [replayScript, "--url", origin, recording], { env: {
    ...process.env, CHROMIUM: process.env.CHROMIUM ?? "/usr/bin/chromium" } });
  let out = "";
  child.stdout.on("data", (bytes) => { out += bytes; });
  child.stderr.on("data", (bytes) => { out += bytes; });
  child.on("error", reject);
  child.on("exit", (status) => resolve({ status, out }));
});

await test("the same file is a test from the shell, which an altered view fails", async () => {
  const good = await fromShell();
  same([good.status, /✓ .* messages as recorded/.test(good.out)], [0, true], good.out);
  const source = join(folder, "tools/dial.html");
  writeFileSync(source, readFileSync(source, "utf8").replace('name: "dial"', 'name: "dail"'));
  const bad = await until(async () => {
    const ended = await fromShell();
    return ended.status === 1 && ended;
  }, "a document that was built anew");
  need(/Message 1 \(ui\/initialize\): \/params\/appInfo\/name: recorded "dial", now "dail"/
    .test(bad.out), bad.out);
});

await test("a result of many tokens has a warning", async () => {
  same(await card(title).locator(".tokens").count(), 0, "warnings of a small result");
  const large = await openDial({ start: 1, large: true });
  await card(large.title).getByText(/about 25,\d+ tokens of a model, more than 20,000/).waitFor();
  same(await axe(page), [], "what axe finds");
  await page.getByRole("button", { name: `Close ${large.title}` }).click();
});

await test("so has a list of tools", async () => {
  // No project of a test has so many: the list is handed to the part that warns.
  const list = (count) => page.evaluate(async (count) => {
    const { hooks } = await import("/web/hostpage/view.js");
    const tools = new Map(Array.from({ length: count }, (_, i) => [`t${i}`,
      { name: `t${i}`, description: "x".repeat(400), inputSchema: { type: "object" } }]));
    for (const listed of hooks.listed) listed(tools);
  }, count);
  const warning = page.locator("#host-tools .tokens");
  same(await warning.count(), 0, "warnings of one tool");
  await list(60);
  await warning.getByText(/The tools take about 6,\d+ tokens/).waitFor();
  await list(1);
  same(await warning.count(), 0, "warnings of one tool");
});

await test("a view that floods leaves a bounded log, and the page goes on", async () => {
  const flood = await openDial({ start: 2 });
  const traffic = await unfold(flood.title, "Traffic");
  await flood.frame.evaluate(() => {
    for (let i = 0; i < 20_000; i++)
      parent.postMessage({ jsonrpc: "2.0", method: "nothing/known", params: { i } }, "*");
  });
  await card(flood.title).getByText("The view has ended").waitFor();
  need(await traffic.locator("li").count() <= 1000, "a log that grows");
  await until(async () => await page.locator('#host-tools [data-name="turn"]').count() === 1,
    "the tools of the other view alone");
  await page.getByRole("button", { name: `Close ${flood.title}` }).click();
});

await test("a view that is closed while its document is replaced is gone", async () => {
  const other = await openDial({ start: 3 });
  await other.frame.evaluate(() => { globalThis.slow = true; });
  const frames = await page.locator(".view iframe").count();
  await (await unfold(other.title, "Context")).getByText("Strict host").click();
  await page.getByRole("button", { name: `Close ${other.title}` }).click();
  await until(async () => await page.locator(".view iframe").count() === frames - 1, "its end");
  await page.waitForTimeout(2000);
  same(await page.locator(".view iframe").count(), frames - 1, "frames afterwards");
  same(await page.locator("#host-note").isHidden(), true, "no complaint");
  // The one that stays is still opened anew.
  await (await unfold(title, "Context")).getByText("Strict host").click();
  await until(async () => /was opened anew/.test(await page.locator("#host-state").innerText()),
    "the other view");
});

await test("on a phone all of it has room, and the keyboard reaches it", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const name of ["Handshake", "Policy", "Traffic", "Context", "State", "Recording"])
    await unfold(title, name);
  need(await page.evaluate(() => document.documentElement.scrollWidth <= 360), "too wide");
  same(await axe(page), [], "what axe finds");
  await part(title, "Policy").locator("> summary").focus();
  await page.keyboard.press("Enter");
  same(await part(title, "Policy").getAttribute("open"), null, "folded by the keyboard");
});

await test("the page said nothing, and the view ends", async () => {
  await page.getByRole("button", { name: `Close ${title}` }).click();
  await page.getByText("Call a tool: its result appears here").waitFor();
  quieten(/Content Security Policy|Refused to connect/i);
  same(page.said, [], "the console");
});

await chromium.close();
await server.end();
done();
