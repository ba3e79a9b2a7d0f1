// SPDX-License-Identifier: Apache-2.0
//
// A recorded session of a view as a test, in Chromium: recordings/counter.json is played to
// the view as it is now, which passes, and to altered ones, which do not. By the module, as
// the host page has it, and by replay-view.mjs, as an author runs it from a shell.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { done, folder, options, test } from "../peers/tap.mjs";
import { bundle } from "./frames.mjs";
import { chromiumPath, openHost, script } from "./sandboxed.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const file = here("recordings/counter.json");
const { origin, mica, inPage, end } = await openHost(options({ sandbox: "" }).sandbox);

// With top-level await a script is a module.
const counter = script(await bundle('import "./recordings/counter.mjs"', "esm"), " type=module");
const altered = counter.replace("<body>", "<body><script>globalThis.STEP = 2</script>");
assert.notEqual(altered, counter);

await inPage(async (port) => {
  const { AppBridge } = await import("/web/host/bridge.js");
  const { openView } = await import("/web/host/frame.js");
  const { Watch } = await import("/web/hosttools/watch.js");
  const { readRecording } = await import("/web/hosttools/recording.js");
  const { replayView } = await import("/web/hosttools/replay.js");
  const place = () => ({ container: document.getElementById("views"),
    proxy: `http://${crypto.randomUUID()}.localhost:${port}/sandbox` });
  // A session with that view; resolves to its recording.
  globalThis.record = async (html) => {
    const bridge = new AppBridge(null, { name: "host", version: "1" },
      { serverTools: {}, updateModelContext: {} }, { hostContext: { theme: "dark" } });
    const watch = new Watch({ uri: "ui://counter/counter" }, [location.origin]);
    bridge.oncalltool = async ({ arguments: { after, step } }) =>
      ({ content: [], structuredContent: { count: after + step } });
    await openView(bridge, { ...place(), html, wrap: watch.wrap, audit: true });
    await bridge.sendToolInput({ arguments: { from: 6 } });
    await bridge.sendToolResult({ content: [], structuredContent: { count: 6 } });
    await until(() => bridge.modelContext?.structuredContent.count === 7);
    await bridge.callTool({ name: "reset", arguments: {} });
    await bridge.teardownResource();
    await bridge.close();
    return watch.recorder.text();
  };
  globalThis.replay = async (text, html) => {
    const found = await replayView(readRecording(text), { ...place(), html });
    return found ?? null;
  };
}, mica.port);

// Run with RECORD=1 where the protocol or the view has changed, and look at the difference.
if (process.env.RECORD) writeFileSync(file, await inPage((html) => record(html), counter));
const recorded = readFileSync(file, "utf8");

await test("the recorded session passes with the view as it is", async () => {
  assert.equal(await inPage(([text, html]) => replay(text, html), [recorded, counter]), null);
  assert.equal(await inPage(() => document.querySelectorAll("iframe").length), 0);
});

await test("an altered view fails, with the place of the first difference", async () => {
  const found = await inPage(([text, html]) => replay(text, html), [recorded, altered]);
  assert.equal(found.pointer, "/params/arguments/step");
  assert.match(found.text, /^Message \d+ \(tools\/call\): .*: recorded 1, now 2$/);
});

await test("a view that never speaks, and one that floods, end with what happened", async () => {
  const dead = await inPage(async ([text, html]) => {
    const { limits } = await import("/web/hosttools/tool_limits.js");
    Object.assign(limits, { replyMs: 200, loadMs: 2000 });
    return replay(text, html);
  }, [recorded, script("throw new Error('broken')")]);
  assert.match(dead.text, /^Message 1 \(ui\/initialize\): the view did not send it/);
  const flood = await inPage(async ([text, html]) => {
    const { limits } = await import("/web/hosttools/tool_limits.js");
    Object.assign(limits, { replyMs: 5000, loadMs: 30_000 });
    return replay(text, html).then((found) => found?.text, ({ message }) => message);
  }, [recorded, script(`for (let i = 0; i < 1e5; i++)
      parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/size-changed" }, "*");`)]);
  assert.match(flood, /^The view was stopped: .*1000 messages/);
});

await test("a session that is recorded now is the recorded one, but for its times", async () => {
  const now = await inPage((html) => record(html), counter);
  const plain = (text) => {
    const { messages, recorded, ...rest } = JSON.parse(text);
    return { ...rest, messages: messages.map(({ from, message }) => ({ from, message }))
      .filter(({ message }) => message.method !== "ui/notifications/size-changed") };
  };
  assert.deepEqual(plain(now), plain(recorded));
  assert.equal(await inPage(([text, html]) => replay(text, html), [now, counter]), null);
});

// ---- From the shell --------------------------------------------------------------------

const write = (name, text) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const run = (...words) => new Promise((resolve, reject) => {
  const child = spawn(process.execPath, [here("../../web/hosttools/replay-view.mjs"), ...words],
    { env: { ...process.env, CHROMIUM: chromiumPath } });
  let out = "", errors = "";
  child.stdout.on("data", (bytes) => { out += bytes; });
  child.stderr.on("data", (bytes) => { errors += bytes; });
  child.on("error", reject);
  child.on("close", (status) => resolve({ status, out, errors })); // all of it is read
});
const good = write("counter.html", counter), bad = write("altered.html", altered);

await test("replay-view.mjs: 0 and a line for a view that behaves as recorded", async () => {
  const { status, out, errors } = await run("--url", origin, "--html", good, file);
  assert.match(out, /^✓ .*counter\.json {2}\d+ messages as recorded\n$/, out + errors);
  assert.equal(status, 0);
});

await test("replay-view.mjs: 1 and the difference for one that does not", async () => {
  const { status, out } = await run("--url", origin, "--html", bad, file, file);
  assert.match(out, /✗ .*counter\.json {2}Message \d+ \(tools\/call\): .*recorded 1, now 2/);
  assert.equal(out.trim().split("\n").length, 2);
  assert.equal(status, 1);
});

await test("replay-view.mjs: 2 where a recording or the server is not what it should be",
  async () => {
    const broken = write("broken.json", recorded.replace('"version": 1', '"version": 9'));
    const { status, out } = await run("--url", origin, "--html", good, broken, join(folder, "no"));
    assert.match(out, /✗ .*broken\.json {2}The recording has version 9/);
    assert.match(out, /✗ .*no {2}ENOENT/);
    assert.equal(status, 2);
    const none = await run("--url", origin, file);
    assert.match(none.out, /The server has no view ui:\/\/counter\/counter: /);
    assert.equal(none.status, 2);
    for (const words of [[], ["--url", origin], [file], ["--url", origin, "--what", "1", file],
      ["--url"], ["--url", origin, "--header", "x", file]]) {
      const { status, errors } = await run(...words);
      assert.equal(status, 2, words.join(" "));
      assert.match(errors, /Usage: node replay-view\.mjs/);
    }
    assert.equal((await run("--help")).status, 0);
    const missing = await run("--url", origin, "--chromium", join(folder, "none"),
      "--html", good, file);
    assert.deepEqual([missing.status, /ENOENT/.test(missing.out)], [2, true], missing.out);
  });

await end();
done();
