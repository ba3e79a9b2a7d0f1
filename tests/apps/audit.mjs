// SPDX-License-Identifier: Apache-2.0
//
// The audit of a view's policy, in Chromium: what the browser blocks is reported through
// the sandbox, the advice opens it, and a view that forges reports, or makes many, gets
// nothing by it.
import assert from "node:assert/strict";
import { createServer } from "node:http";

import { done, options, test } from "../peers/tap.mjs";
import { openHost, script } from "./sandboxed.mjs";

const { mica, origin, page, inPage, end } = await openHost(options({ sandbox: "" }).sandbox);
const other = createServer((_, response) => {
  response.writeHead(200, { "access-control-allow-origin": "*" });
  response.end("other");
});
await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
const elsewhere = `http://127.0.0.1:${other.address().port}`;

await inPage(async (port) => {
  const { AppBridge } = await import("/web/host/bridge.js");
  const { openView } = await import("/web/host/frame.js");
  const { Watch } = await import("/web/hosttools/watch.js");
  globalThis.views = {};
  globalThis.open = async (name, { html, csp, audit = true, sandbox }) => {
    const bridge = new AppBridge(null, { name: "host", version: "1" }, {});
    const watch = new Watch({ uri: "ui://v/v", csp }, [location.origin]);
    const said = [];
    bridge.onloggingmessage = ({ data }) => said.push(data);
    bridge.onerror = (error) => said.push(error.message);
    const frame = await openView(bridge, { container: document.getElementById("views"), html, csp,
      sandbox, proxy: `http://${crypto.randomUUID()}.localhost:${port}/sandbox`,
      wrap: watch.wrap, audit });
    views[name] = { bridge, watch, said, frame };
  };
  // Opens a view until it said "done" and `reports` violations were told, which may be later;
  // what it said, and what was found until some time after that.
  globalThis.tried = async ({ reports = 0, wait = 100, ...options }) => {
    await open("tried", options);
    const { bridge, watch, said } = views.tried;
    const methods = () => watch.traffic.entries.map(({ from, method }) => `${from} ${method}`);
    const told = () => methods().filter((method) => /policy-violation/.test(method)).length;
    await until(() => said.includes("done") && told() >= reports);
    await new Promise((r) => setTimeout(r, wait));
    await bridge.close();
    return { said, findings: watch.audit.findings, missed: watch.audit.missed,
      methods: methods() };
  };
}, mica.port);
const tried = (options) => inPage((options) => globalThis.tried(options), options);

const view = (code, before = "") => before + script(`
const say = (data) => parent.postMessage({ jsonrpc: "2.0", method: "notifications/message",
  params: { level: "info", data } }, "*");
(async () => { ${code}
await new Promise((done) => setTimeout(done, 50));
say("done"); })();`);

await test("a blocked request: the advice names the member, and what it says opens it", async () => {
  const html = view(`say(await fetch("${elsewhere}/x").then((r) => r.text(), (e) => e.name));`);
  const shut = await tried({ html, reports: 1, csp: { connectDomains: ["https://a.example"] } });
  assert.deepEqual(shut.said, ["TypeError", "done"]);
  assert.equal(shut.findings.length, 1);
  const [{ directive, blocked, advice, count }] = shut.findings;
  assert.deepEqual([directive, blocked, count], ["connect-src", `${elsewhere}/x`, 1]);
  assert.equal(advice.macro,
    `.connect_domains = MICA_DOMAINS("https://a.example", "${elsewhere}")`);
  const opened = await tried({ html, csp: JSON.parse(`{${advice.json}}`) });
  assert.deepEqual([opened.said, opened.findings], [["other", "done"], []]);
});

await test("images, scripts, styles, frames, base, eval, workers and the host: each by its member",
  async () => {
    const html = view(`
      const add = (name, properties) => document.body.append(
        Object.assign(document.createElement(name), properties));
      add("img", { src: "https://img.example/a.png" });
      add("script", { src: "https://cdn.example/a.js" });
      add("link", { rel: "stylesheet", href: "https://css.example/a.css" });
      add("iframe", { src: "https://maps.example/embed" });
      document.head.append(Object.assign(document.createElement("base"),
        { href: "https://base.example/" }));
      try { eval("1"); } catch {}
      fetch("${origin}/mcp").catch(() => {});
      fetch("data:text/plain,x").catch(() => {});
      add("img", { src: URL.createObjectURL(new Blob(["x"])) });`);
    const { findings } = await tried({ html, reports: 9, wait: 500, csp: {} });
    const advised = Object.fromEntries(findings.map(({ advice: { macro, text }, blocked, directive }) =>
      [`${directive} ${/^\w+:\/\/[^/]+/.exec(blocked)?.[0] ?? blocked}`, macro ?? text]));
    const domains = (member, domain) => `.${member} = MICA_DOMAINS("https://${domain}")`;
    assert.equal(advised["img-src https://img.example"], domains("resource_domains", "img.example"));
    assert.equal(advised["script-src-elem https://cdn.example"],
      domains("resource_domains", "cdn.example"));
    assert.equal(advised["style-src-elem https://css.example"],
      domains("resource_domains", "css.example"));
    assert.equal(advised["frame-src https://maps.example"],
      domains("frame_domains", "maps.example"));
    assert.equal(advised["base-uri https://base.example"],
      domains("base_uri_domains", "base.example"));
    assert.match(advised["script-src eval"], /No host lets a view evaluate text/);
    assert.match(advised[`connect-src ${origin}`], /Call a tool/);
    assert.match(advised["connect-src data"], /atob/);
    assert.match(advised["img-src blob"], /data: address/);
  });

await test("a frame that leaves for elsewhere is stopped and reported by the proxy itself",
  async () => {
    const { findings } = await tried({ reports: 1, wait: 300, csp: {},
      html: view('setTimeout(() => { location = "https://away.example/"; }, 60);') });
    assert.deepEqual(findings.map(({ directive, advice }) => [directive, advice.list]),
      [["frame-src", "frameDomains"]]);
  });

await test("a view cannot forge a report, and does not see the one who makes them", async () => {
  const html = view(`
    const post = (data) => parent.postMessage(data, "*");
    const report = { directive: "connect-src", blocked: "https://evil.example/" };
    post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-policy-violation", params: report });
    for (const secret of ["", undefined, null, "1-2-3-4", true]) post({ secret, report });
    document.dispatchEvent(new SecurityPolicyViolationEvent("securitypolicyviolation", {
      bubbles: true, composed: true, effectiveDirective: "connect-src",
      blockedURI: "https://evil.example/", violatedDirective: "connect-src",
      originalPolicy: "", documentURI: "", sourceFile: "", disposition: "enforce",
      statusCode: 0 }));
    say([document.scripts.length, document.documentElement.outerHTML.includes("isTr" + "usted")]);`);
  const seen = await tried({ html, csp: {} });
  assert.deepEqual(seen.findings, []);
  assert.deepEqual(seen.said, [[1, false], "done"]);
  assert.ok(!seen.methods.includes("view ui/notifications/sandbox-policy-violation"));
  // Nor can a view whose frame stands beside that of another.
  await inPage((html) => open("victim", { html, csp: {} }), view(""));
  await inPage(() => until(() => views.victim.said.includes("done")));
  const beside = view(`
    for (let i = 0; i < parent.parent.frames.length; i++) {
      const proxy = parent.parent.frames[i];
      for (const window_ of [proxy, parent.parent])
        window_.postMessage({ jsonrpc: "2.0",
          method: "ui/notifications/sandbox-policy-violation",
          params: { directive: "connect-src", blocked: "https://evil.example/" } }, "*");
    }`);
  await tried({ html: beside, csp: {} });
  assert.equal(await inPage(() => views.victim.watch.audit.findings.length), 0);
  await inPage(() => views.victim.bridge.close());
});

await test("what a view puts into a report is bounded, whatever functions it replaces", async () => {
  await inPage(() => {
    globalThis.sizes = [];
    addEventListener("message", ({ data }) => /policy-violation/.test(data?.method) &&
      globalThis.sizes.push(JSON.stringify(data).length));
  });
  const { said } = await tried({ reports: 2, wait: 500, csp: {}, html: view(`
    const slice = String.prototype.slice;
    for (const value of ["x".repeat(1e6), { list: Array(1e5).fill(1) }]) {
      String.prototype.slice = () => value;
      await fetch("https://a.example/").catch(() => {});
      await new Promise((done) => setTimeout(done, 200));
    }
    String.prototype.slice = slice;`) });
  assert.deepEqual(said, ["done"]);
  const sizes = await inPage(() => globalThis.sizes);
  assert.ok(sizes.length === 2 && sizes.every((size) => size < 10_000), sizes.join());
});

await test("thousands of violations: 100 are told, and the view goes on", async () => {
  const { findings, said, methods } = await tried({ reports: 100, wait: 500, csp: {}, html: view(`
    for (let i = 0; i < 3000; i++) fetch("https://h" + i + ".example/").catch(() => {});
    await new Promise((done) => setTimeout(done, 500));`) });
  assert.equal(findings.length, 100);
  assert.equal(methods.filter((method) => /policy-violation/.test(method)).length, 100);
  assert.deepEqual(said, ["done"]);
  // A document that loads itself again gets no other hundred: the proxy counts.
  const again = await tried({ wait: 1500, csp: {}, html: view(`
    for (let i = 0; i < 80; i++) fetch("https://h" + i + ".example/").catch(() => {});
    setTimeout(() => location.reload(), 300);`) });
  assert.ok(again.methods.filter((method) => /policy-violation/.test(method)).length <= 100);
});

await test("the reporter changes no layout and no line of the document", async () => {
  const where = (audit, sandbox, doctype) => tried({ audit, sandbox, csp: {}, wait: 0,
    html: `${doctype}<title>v</title>\n<body>\n${view(`
    say([document.compatMode, document.scripts.length, document.title,
      Number(/:(\\d+):\\d+/.exec(new Error().stack)[1])]);`).replace("<!doctype html>", "")}` });
  const opaque = "allow-scripts", same = "allow-scripts allow-same-origin";
  for (const [sandbox, doctype, mode] of [[opaque, "<!doctype html>\n", "CSS1Compat"],
    [same, "\n<!doctype html>", "CSS1Compat"], [same, "", "BackCompat"],
    [same, " <!-- a --> <!-- > --!>\n<!DOCTYPE html >\n", "CSS1Compat"],
    [same, "<!---->\n<!doctype html>", "CSS1Compat"], [same, "<!-->\n<!doctype html>",
      "CSS1Compat"]]) {
    const plain = await where(false, sandbox, doctype);
    assert.equal(plain.said[0][0], mode, doctype);
    assert.deepEqual((await where(true, sandbox, doctype)).said, plain.said, doctype);
  }
});

await test("without the audit nothing is put into a view, and nothing is reported", async () => {
  const { findings, methods, said } = await tried({ audit: false, csp: {}, html: view(
    'await fetch("https://a.example/").catch(() => {}); say(document.scripts.length);') });
  assert.deepEqual([findings, said], [[], [1, "done"]]);
  assert.ok(!methods.some((method) => /policy-violation/.test(method)));
});

await test("a view with the origin of its sandbox is audited, too", async () => {
  const { findings } = await tried({ csp: {}, reports: 1,
    sandbox: "allow-scripts allow-same-origin",
    html: view('await fetch("https://a.example/").catch(() => {});') });
  assert.deepEqual(findings.map(({ advice }) => advice.domain), ["https://a.example"]);
});

await page.close();
await end();
other.closeAllConnections();
other.close();
done();
