// SPDX-License-Identifier: Apache-2.0
//
// Views in Chromium: a host page with the official AppBridge, and frames of opaque origin
// under the policy that the specification sets for a view that asks for nothing.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

import { build } from "esbuild";
import { chromium } from "playwright-core";

import { PATIENCE, same, until } from "../peers/tap.mjs";
import * as coverage from "./coverage-browser.mjs";

export const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; " +
  "object-src 'none'; connect-src 'none'";
const here = fileURLToPath(new URL(".", import.meta.url));
const web = fileURLToPath(new URL("../../web/", import.meta.url));

/** The text of one script with all that `source` imports. */
export async function bundle(source, format = "iife", more = {}) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: here }, bundle: true, write: false, format,
    minify: true, target: "es2022", logLevel: "error", nodePaths: [`${here}node_modules`],
    ...coverage.joined, ...more,
  });
  return outputFiles[0].text;
}

const HOST = `
  import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
  import { AppBridge as OurBridge } from "../../web/host/bridge.js";
  console.debug = () => {};
  window.log = [];
  addEventListener("message", ({ data }) =>
    log.push({ from: "view", ...JSON.parse(JSON.stringify(data)) }));
  const bridges = window.bridges = new Map();
  const text = (t) => ({ content: [{ type: "text", text: t }] });
  window.openView = async (name, html, { can, context, sandbox = "allow-scripts", allow,
    fit = true, style = "", ours = false } = {}) => {
    const frame = document.createElement("iframe");
    if (sandbox) frame.sandbox = sandbox;
    if (allow) frame.allow = allow;
    frame.name = name;
    frame.style.cssText = "border:0;width:400px;height:200px;" + style;
    const bridge = new (ours ? OurBridge : AppBridge)(null, { name: "host", version: "1" }, can ?? {
      serverTools: {}, openLinks: {}, logging: {}, message: {}, updateModelContext: {} },
      { hostContext: context ?? {} });
    bridge.sizes = [];
    bridge.onsizechange = (size) => {
      bridge.sizes.push(size);
      if (fit && size.height) frame.style.height = size.height + "px";
    };
    bridge.oncalltool = async (params, extra) => {
      bridge.called = { params, extra };
      if (params.name === "echo") return text(JSON.stringify(params.arguments));
      // Three steps take longer than one may, which on a machine with other work comes late
      // (browser.mjs). Before silence they may be short.
      const ms = params.name === "progress" ? 1000 : 50;
      for (let i = 1; i <= 3; i++) {
        await new Promise((done) => setTimeout(done, ms));
        if (params._meta?.progressToken !== undefined) await extra.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken: params._meta.progressToken, progress: i, total: 3 } });
      }
      if (params.name === "progress") return text("done");
      return new Promise(() => {});
    };
    bridges.set(name, bridge);
    const begun = new Promise((done) => { bridge.oninitialized = done; });
    document.body.append(frame);
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.srcdoc = html;
    await begun;
    bridge.frame = frame;
  };
`;

/** Run in a page: `until(check)` there waits as that of tap.mjs does. */
export function waits(patience) {
  globalThis.until = async (check) => {
    for (const end = performance.now() + patience; !(await check());) {
      if (performance.now() > end) throw new Error(`it did not happen: ${check}`);
      await new Promise((later) => setTimeout(later, 5));
    }
  };
}

/** {page(), view(page, name, script, options), origin, end()}. */
export async function browser(...args) {
  const host = await bundle(HOST);
  const types = { js: "text/javascript", html: "text/html" };
  const server = createServer(({ url }, answer) => {
    const [, file] = /^\/web\/((?:view|host)\/[\w.-]+\.js)$/.exec(url) ?? [];
    const html = `<!doctype html><title>host</title><body><script>${host}</script>`;
    answer.setHeader("content-type", file ? types.js : types.html);
    answer.end(file ? readFileSync(web + file) : url === "/plain"
      ? "<!doctype html><title>plain</title><body>plain" : html);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const chrome = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", ...coverage.words, ...args],
  });
  const counted = [];
  return {
    origin,
    context: (options) => chrome.newContext(options),
    async page(path = "/") {
      const page = await chrome.newPage();
      counted.push(await coverage.counts(page));
      page.said = [];
      page.on("console", (message) => page.said.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => page.said.push(String(error)));
      await page.goto(origin + path);
      await page.evaluate(waits, PATIENCE);
      return page;
    },
    async end() {
      for (const write of counted) await write();
      await chrome.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A view's document: `body`, and `script` as one inline script. */
export const document_ = (script, { body = "", kind = "", head = "", policy = POLICY } = {}) =>
  `<!doctype html><html><head><meta charset="utf-8">` +
  `<meta http-equiv="Content-Security-Policy" content="${policy}">${head}</head><body>${body}` +
  `<script${kind}>${script.replace(/<\/script/g, "<\\/script")}</script></body></html>`;

/** Opens a view and returns its frame. */
export async function view(page, name, html, options = {}) {
  await page.evaluate(([name, html, options]) => openView(name, html, options),
    [name, html, options]);
  return page.frame({ name });
}

/**
 * Waits until `read()` comes to `wanted`. Where it does not, it says by how much, before the
 * patience of the test is over.
 */
export async function becomes(read, wanted, what) {
  const is = async () => isDeepStrictEqual(await read(), wanted);
  await until(is, what, PATIENCE / 2).catch(async () => same(await read(), wanted, what));
}

/** Runs `action(bridge, argument)` in the host page. */
export const inHost = (page, name, action, argument) => page.evaluate(
  ([name, source, argument]) => (0, eval)(`(${source})`)(bridges.get(name), argument),
  [name, String(action), argument]);

const VIEW = `
  import * as mica from "../../web/view/index.js";
  window.mica = mica;
  window.errors = [];
  addEventListener("securitypolicyviolation", ({ violatedDirective }) =>
    errors.push(violatedDirective));
  const app = window.app = new mica.App({ name: "view", version: "1" }, WHAT, OPTIONS);
  app.onerror = (error) => errors.push(error.message);
`;
/** Our App as one script, with what `more` does. */
export const script = async (more = "app.connect();", { what = "{}", options = "{}", kind } = {}) =>
  bundle(VIEW.replace("WHAT", what).replace("OPTIONS", options) + more, kind);
