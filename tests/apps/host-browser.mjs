// SPDX-License-Identifier: Apache-2.0
//
// Views in real frames: our host in Chromium, mica's sandbox on an origin of its own,
// under the policy that the specification has for a view that declares nothing. The official
// App, and views that mean harm.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer, request } from "node:http";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { absolute, done, options, test, until } from "../peers/tap.mjs";
import { counts, folder } from "./coverage-browser.mjs";
import { openHost, script } from "./sandboxed.mjs";

const programs = options({ policy: "", sandbox: "", heavy: "all" });

// mica, with its sandbox. The page of the host has its origin.
const { mica, origin, browser, page, inPage, end } = await openHost(programs.sandbox);

// The policy that mica builds for what a view declares, as JSON, and whether it refused.
function built(csp) {
  const { status, stdout } = spawnSync(absolute(programs.policy), [csp ?? "", origin],
    { encoding: "utf8" });
  return { refused: status !== 0, text: stdout };
}
const policy = (csp) => built(csp).text;

// Another server, which views may or may not be allowed to reach.
const asked = [];
const other = createServer((incoming, response) => {
  asked.push(incoming.url);
  response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/html" });
  response.end(incoming.url !== "/embeds" ? "other"
    : `<iframe src="http://k3v9x1q7.localhost:${mica.port}/sandbox"></iframe>`);
});
await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
const otherPort = other.address().port;

// In the page: opens a view, and keeps its bridge and what it said under its name.
await page.evaluate(async (port) => {
  const { AppBridge } = await import("/web/host/bridge.js");
  const { openView } = await import("/web/host/frame.js");
  globalThis.views = {};
  globalThis.open = async (name, options) => {
    const bridge = new AppBridge(null, { name: "host", version: "1" }, { logging: {} },
      { hostContext: { theme: "dark" } });
    const view = { bridge, said: [], errors: [], sizes: [], ready: 0 };
    views[name] = view;
    bridge.onloggingmessage = ({ data }) => view.said.push(data);
    bridge.onsizechange = (size) => view.sizes.push(size);
    bridge.onsandboxready = () => view.ready++;
    bridge.onerror = (error) => view.errors.push(error.code ?? error.message);
    bridge.oncalltool = async ({ name }) => ({ content: [{ type: "text", text: name }] });
    bridge.onclose = () => { view.closed = true; };
    const random = crypto.randomUUID();
    view.frame = await openView(bridge, { container: document.getElementById("views"),
      proxy: `http://${random}.localhost:${port}/sandbox`, ...options });
    view.origin = `http://${random}.localhost:${port}`;
    if (options.wait !== false) await until(() => bridge.state === "LIVE");
  };
  globalThis.shut = async (name) => {
    await views[name].bridge.teardownResource();
    await views[name].bridge.close();
  };
}, mica.port);

// A view by hand: what the scripts below begin with.
const hand = (code, begins = true) => script(`
  let next = 0;
  const waiting = new Map(), got = [];
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) => new Promise((resolve) => {
    waiting.set(next, resolve);
    post({ id: next++, method, params });
  });
  const log = (data) => post({ method: "notifications/message", params: { level: "info", data } });
  addEventListener("message", ({ data }) => {
    if (data?.method === undefined) waiting.get(data?.id)?.(data);
    else if (data.method === "ui/resource-teardown")
      post({ id: data.id, error: { code: -32601, message: "Method not found" } });
    else got.push(data);
  });
  const hello = async () => {
    await ask("ui/initialize", { appInfo: { name: "hand", version: "1" },
      appCapabilities: {}, protocolVersion: "2026-01-26" });
    post({ method: "ui/notifications/initialized" });
  };
  (async () => { ${begins ? "await hello();" : ""} ${code} })();`);

// What the view gets for 12 requests with that value, sent at once, and after how long.
const heavy = (value) => hand(`const value = ${value};
  const codes = Array(12);
  const all = new Promise((done) => addEventListener("message", ({ data: { id, error } }) => {
    const [, at] = /^heavy(\\d+)$/.exec(id) ?? [];
    if (at) codes[at] = error?.data.code ?? "answered";
    if (!codes.includes(undefined)) done();
  }));
  const began = performance.now();
  for (let i = 0; i < codes.length; i++)
    post({ id: "heavy" + i, method: "ping", params: { value } });
  await all;
  const ms = performance.now() - began;
  await new Promise((done) => setTimeout(done, 2000));
  log([codes, ms]);`);

// Browsers copy some 200 MB for each of these values: --heavy few takes a text, and one
// that is no JSON; --heavy others those that this leaves out, and no other test.
const FEW_HEAVY = [`"x".repeat(16_000_000)`,
  `[1, 2].reduce((cycle) => { cycle.push(cycle, cycle); return cycle; }, [])`];
const OTHER_HEAVY = [`new Uint8Array(17 << 20)`, `new Map([[1, "x".repeat(17 << 20)]])`,
  `new String("x".repeat(17 << 20))`, `Array(4e9)`];
const HEAVY = [...FEW_HEAVY, ...OTHER_HEAVY];

async function heavyMessages(values) {
  for (const value of values) {
    const seen = await inPage(async (html) => {
      await open("heavy", { html });
      await until(() => views.heavy.said.length);
      const { said: [seen] } = views.heavy;
      await shut("heavy");
      return seen;
    }, heavy(value));
    const [codes, ms] = seen;
    assert.notEqual(codes[0], "RATE_LIMITED", value);
    // They count as some 500 messages each. A machine that takes so long for twelve of them
    // that the bucket fills meanwhile has nothing to refuse.
    assert.ok(codes.includes("RATE_LIMITED") || ms > 4000, `${value}: ${codes} in ${ms} ms`);
  }
}
if (programs.heavy === "others") {
  await test("other large messages count as many, too", () => heavyMessages(OTHER_HEAVY),
    120_000);
  other.closeAllConnections();
  other.close();
  await end();
  done();
}

const official = script((await build({
  stdin: {
    contents: `
      import { App } from "@modelcontextprotocol/ext-apps/app-with-deps";
      const app = new App({ name: "official", version: "1" }, {}, { autoResize: true });
      const said = [];
      app.ontoolinput = (params) => said.push(["input", params.arguments]);
      app.ontoolresult = (result) => said.push(["result", result.content[0].text]);
      app.onhostcontextchanged = (context) => said.push(["context", context.theme]);
      app.onteardown = async () => ({ saved: true });
      app.registerTool("said", { description: "What was said" }, async () =>
        ({ content: [], structuredContent: { said, theme: app.getHostContext().theme,
          origin: self.origin } }));
      document.body.innerHTML = "<p style='height: 120px'>Hello</p>";
      app.connect().then(async () => {
        const { content } = await app.callServerTool({ name: "weather", arguments: {} });
        await app.sendLog({ level: "info", data: content[0].text });
      });`,
    resolveDir: fileURLToPath(new URL(".", import.meta.url)),
  },
  bundle: true, write: false, format: "iife", minify: true,
})).outputFiles[0].text);

await test("the official App, in an opaque frame, under the policy of the specification",
  async () => {
    const seen = await inPage(async (html) => {
      await open("official", { html, wait: false });
      const { bridge, said, sizes } = views.official;
      await bridge.sendToolInput({ arguments: { city: "Bern" } });
      await bridge.sendToolResult({ content: [{ type: "text", text: "sunny" }] });
      await until(() => said.length && sizes.length);
      bridge.setHostContext({ theme: "light" });
      const { tools } = await bridge.listTools();
      const { structuredContent } = await bridge.callTool({ name: "said" });
      return { said, sizes, tools: tools.map(({ name }) => name), structuredContent,
        app: bridge.getAppVersion() };
    }, official);
    assert.deepEqual(seen.said, ["weather"]);
    assert.ok(seen.sizes[0].height >= 120);
    assert.deepEqual(seen.tools, ["said"]);
    assert.deepEqual(seen.structuredContent, { theme: "light", origin: "null", said: [
      ["input", { city: "Bern" }], ["result", "sunny"], ["context", "light"]] });
    assert.equal(seen.app.name, "official");
  });

await test("a transport around that of the frame sees what passes both ways", async () => {
  const seen = await inPage(async (html) => {
    const passed = [];
    await open("wrapped", { html, wrap: (inner) => {
      const outer = { start: () => inner.start(), close: () => inner.close(),
        send: (message) => (passed.push(["out", message.method]), inner.send(message)) };
      inner.onmessage = (message) => (passed.push(["in", message.method]),
        outer.onmessage(message));
      inner.onclose = () => outer.onclose();
      return outer;
    } });
    await views.wrapped.bridge.sendToolInput({ arguments: {} });
    await shut("wrapped");
    return passed.filter(([, method]) => method?.startsWith("ui/"));
  }, hand(""));
  assert.deepEqual(seen, [["in", "ui/notifications/sandbox-proxy-ready"],
    ["out", "ui/notifications/sandbox-resource-ready"], ["in", "ui/initialize"],
    ["in", "ui/notifications/initialized"], ["out", "ui/notifications/tool-input"],
    ["out", "ui/resource-teardown"]]);
});

await test("a frame that is loaded again gets input and result again", async () => {
  const [outer] = page.frames().filter((frame) => frame.url().includes("/sandbox"));
  await outer.childFrames()[0].evaluate(() => location.reload());
  const { said } = await inPage(async () => {
    const { bridge, said } = views.official;
    await until(() => said.length === 2);
    return (await bridge.callTool({ name: "said" })).structuredContent;
  });
  assert.deepEqual(said, [["input", { city: "Bern" }], ["result", "sunny"]]);
});

await test("teardown: the view answers, then its frame is gone", async () => {
  const seen = await inPage(async () => {
    const { bridge, frame } = views.official;
    const answer = await bridge.teardownResource();
    await bridge.close();
    return [answer, frame.isConnected, views.official.closed];
  });
  assert.deepEqual(seen, [{ saved: true }, false, true]);
});

await test("a host may replace the document of a view, and close its transport twice", async () => {
  const seen = await inPage(async ([first, second]) => {
    await open("swapped", { html: first });
    const { bridge, said, frame } = views.swapped;
    const { transport } = bridge;
    await bridge.sendToolInput({ arguments: { a: 1 } });
    await until(() => said.length === 1);
    await bridge.sendSandboxResourceReady({ html: second });
    await until(() => said.length === 2);
    await transport.close();
    await transport.close();
    transport.send({ jsonrpc: "2.0", method: "late" });
    return [said, bridge.state, frame.isConnected];
  }, ["first", "second"].map((name) => hand(`
    addEventListener("message", ({ data }) => {
      if (data.method === "ui/notifications/tool-input") log(["${name}", data.params.arguments]);
    });
    await hello();`, false)));
  assert.deepEqual(seen, [[["first", { a: 1 }], ["second", { a: 1 }]], "CLOSED", false]);
});

await test("what is not declared is blocked, by exactly the policy that was built",
  async () => {
    const tried = hand(`
      addEventListener("securitypolicyviolation", (event) =>
        log([event.effectiveDirective, event.originalPolicy]));
      const answer = await fetch("http://localhost:${otherPort}/${"x"}")
        .then((reply) => reply.text(), (error) => error.name);
      log(["fetch", answer]);`);
    const run = (name, csp) => inPage(async ({ name, html, csp }) => {
      await open(name, { html, csp });
      await until(() => views[name].said.some(([what]) => what === "fetch"));
      await shut(name);
      return views[name].said;
    }, { name, html: tried, csp });
    const bare = await run("bare");
    assert.deepEqual(bare.find(([what]) => what === "fetch"), ["fetch", "TypeError"]);
    assert.deepEqual(bare.find(([what]) => what === "connect-src"),
      ["connect-src", policy(null)]);
    assert.deepEqual(asked, []);
    const csp = { connectDomains: [`http://localhost:${otherPort}`] };
    assert.deepEqual(await run("declared", csp), [["fetch", "other"]]);
    assert.equal(asked.length, 1);
    const wrong = { connectDomains: ["https://a.example"], resourceDomains: ["https://b.example"],
      frameDomains: ["https://c.example"], baseUriDomains: ["https://d.example"] };
    const blocked = await run("elsewhere", wrong);
    assert.deepEqual(blocked.find(([what]) => what === "connect-src"),
      ["connect-src", policy(JSON.stringify(wrong))]);
  });

await test("a declaration that would widen the policy opens no view", async () => {
  for (const domain of ["https://a.example; script-src *", "'unsafe-eval'", "*",
    `http://localhost:${mica.port}`]) {
    const { refused, text } = built(JSON.stringify({ connectDomains: [domain] }));
    assert.equal(refused, true, domain);
    assert.ok(text.includes(`connectDomains: '${domain}'`), text);
  }
  const seen = await inPage(async (html) => {
    await open("widened", { html, csp: { connectDomains: ["*"] }, wait: false });
    await new Promise((done) => setTimeout(done, 300));
    const { ready, bridge } = views.widened;
    await bridge.close();
    return [ready, bridge.getAppVersion() ?? null];
  }, hand(""));
  assert.deepEqual(seen, [0, null]);
});

await test("an opaque view has no storage; one with the proxy's origin has", async () => {
  const html = hand(`
    let stored;
    try { localStorage.setItem("a", "1"); stored = localStorage.getItem("a"); }
    catch (error) { stored = error.name; }
    let top_;
    try { top_ = String(top.document); } catch (error) { top_ = error.name; }
    let proxy;
    try { proxy = parent.document.title; } catch (error) { proxy = error.name; }
    log([self.origin, top_, proxy, proxy === "View" || stored]);`);
  const run = (name, options) => inPage(async ({ name, options }) => {
    await open(name, options);
    await until(() => views[name].said.length);
    const { said: [said], origin, frame } = views[name];
    const seen = { said, origin, allow: frame.allow };
    await shut(name);
    return seen;
  }, { name, options: { html, ...options } });
  const opaque = await run("opaque");
  assert.deepEqual(opaque.said, ["null", "SecurityError", "SecurityError", "SecurityError"]);
  const same = await run("same", { sandbox: "allow-scripts allow-same-origin allow-top-navigation",
    permissions: { camera: {}, clipboardWrite: {} } });
  assert.deepEqual(same.said, [same.origin, "SecurityError", "View", true]);
  assert.equal(same.allow, "camera; clipboard-write");
});

await test("a view with a camera has an origin beside the proxy's, also when loaded again",
  async () => {
    const seen = await inPage(async (html) => {
      const viewName = crypto.randomUUID();
      await open("camera", { html, viewName, permissions: { camera: {} } });
      await until(() => views.camera.said.length === 1);
      return { said: views.camera.said[0], origin: views.camera.origin, viewName };
    }, hand(`
      let reached;
      try { reached = parent.document.title; } catch ({ name }) { reached = name; }
      log([self.origin, reached, document.featurePolicy.allowsFeature("camera")]);`));
    assert.deepEqual(seen.said, [`http://${seen.viewName}.localhost:${mica.port}`,
      "SecurityError", true]);
    assert.notEqual(seen.said[0], seen.origin);
    const [outer] = page.frames().filter((frame) => frame.url().includes("view="));
    await outer.childFrames()[0].evaluate(() => location.reload());
    assert.equal((await inPage(async () => {
      await until(() => views.camera.said.length === 2);
      return views.camera.said;
    })).length, 2);
    // Under another policy it is no view any more, whatever it claims before it goes.
    await outer.childFrames()[0].evaluate(() => {
      const address = new URL(location);
      parent.postMessage({ place: "x", address: location.href }, "*");
      address.searchParams.set("csp", '{"connectDomains":["https://a.example"]}');
      location = address;
    });
    const [inner] = outer.childFrames();
    await inner.waitForURL(/connectDomains/);
    assert.deepEqual(await inPage(async () => {
      await new Promise((later) => setTimeout(later, 500));
      await views.camera.bridge.close();
      return [views.camera.said.length, views.camera.errors];
    }), [2, []]);
  });

await test("no message of a sibling, and none of the proxy's own, passes", async () => {
  const seen = await inPage(async ({ victim, spoof }) => {
    await open("victim", { html: victim });
    await open("spoof", { html: spoof });
    await until(() => views.spoof.said.length);
    await views.victim.bridge.sendToolListChanged();
    await until(() => views.victim.said.length);
    const { victim: v, spoof: s } = views;
    const out = { victim: v.said, ready: [v.ready, s.ready],
      errors: [v.errors.length, s.errors.length],
      info: v.bridge.getAppVersion().name };
    await shut("victim");
    await shut("spoof");
    return out;
  }, {
    victim: hand(`addEventListener("message", ({ data }) => {
      if (data.method === "notifications/tools/list_changed")
        log(got.map(({ method }) => method));
    });`),
    spoof: hand(`
      const forged = [{ method: "ui/notifications/tool-result", params: { content: [] } },
        { method: "ui/notifications/sandbox-resource-ready", params: { html: "forged" } },
        { method: "notifications/message", params: { level: "info", data: "forged" } },
        { id: 0, method: "ui/initialize", params: { appInfo: { name: "forged", version: "1" },
          appCapabilities: {}, protocolVersion: "2026-01-26" } }];
      const host = parent.parent;
      for (const message of forged.map((one) => ({ jsonrpc: "2.0", ...one }))) {
        host.frames[0].postMessage(message, "*");
        host.frames[0].frames[0].postMessage(message, "*");
        host.postMessage(message, "*");
      }
      for (const method of ["sandbox-proxy-ready", "sandbox-resource-ready"])
        post({ method: "ui/notifications/" + method, params: { html: "" } });
      await ask("ping");
      log("done");`),
  });
  // Windows let a frame write to any other one. A view believes its parent alone; the one
  // here hears all, so that what the proxies pass on can be told from what came directly.
  assert.deepEqual(seen.ready, [1, 1]);
  assert.deepEqual(seen.errors, [0, 0]);
  assert.equal(seen.info, "hand");
  assert.equal(seen.victim.length, 1);
  assert.deepEqual(seen.victim[0].filter((name) => name.includes("sandbox")), [
    "ui/notifications/sandbox-resource-ready"]);
});

// While lines are counted, frames share a process, and so their time: a smaller flood then.
const FLOOD = folder === undefined ? 10_000 : 500;
await test("a flood in one frame leaves another frame its rate, and ends", async () => {
  const seen = await inPage(async ({ flood, quiet }) => {
    await open("quiet", { html: quiet });
    await open("flood", { html: flood });
    const began = performance.now();
    await until(() => views.quiet.said.length && views.flood.closed);
    const { said: [worst], errors } = views.quiet;
    const out = { worst, errors, flood: views.flood.errors, ms: performance.now() - began,
      frame: views.flood.frame.isConnected };
    await shut("quiet");
    return out;
  }, {
    flood: hand(`for (;;) {
      for (let i = 0; i < ${FLOOD}; i++) post({ id: 1e6 + i, method: "ping" });
      await new Promise((done) => setTimeout(done, 50));
    }`),
    quiet: hand(`let worst = 0;
      await new Promise((done) => setTimeout(done, 300));
      for (let i = 0; i < 50; i++) {
        const began = performance.now();
        await ask("ping");
        worst = Math.max(worst, performance.now() - began);
      }
      log(worst);`),
  });
  assert.deepEqual(seen.errors, []);
  assert.equal(seen.flood.at(-1), "VIEW_FLOODS");
  assert.equal(seen.frame, false);
  assert.ok(seen.worst < 10_000, `worst ping ${seen.worst} ms`);
});

await test("large messages count as many, and so does what is no JSON",
  () => heavyMessages(programs.heavy === "few" ? FEW_HEAVY : HEAVY), 120_000);

await test("a string of 20 MB is refused, and the view goes on", async () => {
  const seen = await inPage(async (html) => {
    await open("large", { html });
    await until(() => views.large.said.length);
    await shut("large");
    return views.large.said;
  }, hand(`
    const { error } = await ask("ui/message", { text: "x".repeat(20 << 20) });
    const { result } = await ask("ping");
    log([error.data.code, result]);`));
  assert.deepEqual(seen, [["MESSAGE_TOO_LARGE", {}]]);
});

// The document as mica serves it.
const document_ = await new Promise((resolve, reject) => request({ host: "127.0.0.1",
  port: mica.port, path: "/sandbox", headers: { host: `k3v9x1q7.localhost:${mica.port}` } },
async (response) => {
  let text = "";
  for await (const piece of response) text += piece;
  resolve(text);
}).on("error", reject).end());

await test("the proxy refuses a host of its own origin, and no host", async () => {
  const own = `http://own-host.localhost:${mica.port}`;
  // The document without its headers, and pages that embed it.
  const words = async (url, referrer, embeds) => {
    const tab = await browser.newPage();
    await counts(tab);
    await tab.route(`${own}/host`, (route) => route.fulfill({ contentType: "text/html",
      headers: { "referrer-policy": referrer }, body: embeds }));
    await tab.route("**/sandbox", (route) =>
      route.fulfill({ contentType: "text/html", body: document_ }));
    await tab.goto(url);
    const frame = tab.frames().at(-1);
    await frame.waitForFunction(() => document.body?.textContent.trim());
    const text = await frame.evaluate(() => document.body.textContent);
    await tab.close();
    return text.trim();
  };
  assert.match(await words(`${own}/sandbox`), /inside of a host/);
  assert.match(await words(`${own}/host`, "origin", `<iframe src="${own}/sandbox"></iframe>`),
    /origin of its sandbox/);
  assert.match(await words(`${own}/host`, "no-referrer",
    `<iframe src="http://other-host.localhost:${mica.port}/sandbox"></iframe>`),
  /referrerpolicy/);
  const refused = await inPage(async () => {
    const { openView } = await import("/web/host/frame.js");
    return openView({}, { container: document.body, proxy: location.origin + "/sandbox" })
      .catch((error) => error.message);
  });
  assert.match(refused, /another origin/);
});

await test("no page of another origin embeds the sandbox", async () => {
  const tab = await browser.newPage();
  await counts(tab);
  const said = [];
  tab.on("console", (message) => said.push(message.text()));
  await tab.goto(`http://localhost:${otherPort}/embeds`);
  await until(() => /frame-ancestors/.test(said.join()), "the console names frame-ancestors");
  await tab.close();
});

other.closeAllConnections();
other.close();
await end();
done();
