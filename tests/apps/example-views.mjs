// SPDX-License-Identifier: Apache-2.0
//
// The views of examples/views for tests and pictures: served by mica from a copy, plain or
// bundled with React, and shown in Chromium by our host behind mica's sandbox.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const MIME = "text/html;profile=mcp-app";
const VIEWS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME] } } };
const FORM_VIEWS = { elicitation: { form: {} },
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME], elicitation: {} } } };

/** {ask, call, document}: a server of MCP at `address`, as a host with views asks it. */
export function serverAt(address) {
  async function ask(method, params, name, capabilities = VIEWS) {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method, ...name && { "Mcp-Name": name } },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities } } }),
    });
    const { result, error } = await answer.json();
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
  return {
    ask,
    call: ({ name, arguments: given = {} }) => ask("tools/call", { name, arguments: given }, name),
    /** Calls a tool that asks once: {params, document, answer(result)}, with the document of
     * the view that its question names. */
    async asked({ name, arguments: given }) {
      const call = (more) => ask("tools/call", { name, arguments: given, ...more }, name,
        FORM_VIEWS);
      const { inputRequests, requestState } = await call({});
      const [[key, { params }]] = Object.entries(inputRequests);
      const uri = params._meta.ui.resourceUri;
      const { contents: [{ text }] } = await ask("resources/read", { uri }, uri);
      return { params, document: text,
        answer: (result) => call({ requestState, inputResponses: { [key]: result } }) };
    },
    async document(name) {
      const { tools } = await ask("tools/list", {});
      const uri = tools.find((tool) => tool.name === name)._meta.ui.resourceUri;
      const { contents: [{ text }] } = await ask("resources/read", { uri }, uri);
      return text;
    },
  };
}

/**
 * {ask, call, asked, document, end}: the server of examples/views, with `more` files (path:
 * text); `react`: its views by build.mjs. Views show its forms.
 */
export async function project(mica, { react = false, more = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "mica-views-"));
  cpSync(join(root, "examples/views"), folder, { recursive: true });
  for (const [path, text] of Object.entries(more)) writeFileSync(join(folder, path), text);
  if (react) { // what an author does, whose packages are those of this folder
    symlinkSync(join(root, "tests/apps/node_modules"), join(folder, "react/node_modules"));
    execFileSync(process.execPath, ["build.mjs"], { cwd: join(folder, "react"),
      env: { ...process.env, MICA_WEB: join(root, "web") } });
  }
  const server = spawn(mica, ["serve", "--form-views", "--listen", "127.0.0.1:0"], {
    cwd: folder, stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_STATE_HOME: folder, MICA_INCLUDE_DIR: join(root, "include") },
  });
  process.on("exit", () => server.kill("SIGKILL"));
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const address = await new Promise((found, failed) => {
    let said = "";
    const read = (data) => {
      said += data;
      const [url] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said) ?? [];
      if (url) found(url);
    };
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    server.on("exit", () => failed(new Error(said)));
  });
  return {
    ...serverAt(address),
    async end() {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A page of `context` with our host, on the origin of mica's sandbox at `port`. */
export async function hostPage(context, port) {
  const origin = `http://127.0.0.1:${port}`;
  const page = await context.newPage();
  page.said = [];
  page.on("console", (message) => page.said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => page.said.push(`error: ${error}`));
  await page.route(`${origin}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    return pathname.startsWith("/web/")
      ? route.fulfill({ contentType: "text/javascript",
        body: readFileSync(join(root, pathname), "utf8") })
      : route.fulfill({ contentType: "text/html", headers: { "referrer-policy": "no-referrer" },
        body: "<!doctype html><title>Host</title><body style=margin:0><div id=views></div>" });
  });
  await page.goto(`${origin}/host`);
  await page.evaluate(async (port) => {
    const { AppBridge } = await import("/web/host/bridge.js");
    const { openView } = await import("/web/host/frame.js");
    globalThis.bridges = new Map();
    globalThis.errors = [];
    globalThis.openExample = async (name, html, hostContext) => {
      const bridge = new AppBridge(null, { name: "host", version: "1" },
        { serverTools: {}, updateModelContext: { structuredContent: {} } }, { hostContext });
      bridges.set(name, bridge);
      bridge.onerror = (error) => errors.push(error.message);
      bridge.oncalltool = (params) => callServer(name, params);
      const live = new Promise((resolve) => { bridge.oninitialized = resolve; });
      const frame = await openView(bridge, { container: document.getElementById("views"), html,
        proxy: `http://${crypto.randomUUID()}.localhost:${port}/sandbox` });
      frame.name = name;
      frame.style.cssText = "border:0;width:100%;height:520px;display:block";
      bridge.onsizechange = ({ height }) => {
        if (height) frame.style.height = `${height}px`;
      };
      await live;
    };
  }, port);
  return page;
}

/** Opens a view on such a page; the frame of its document. */
export async function openExample(page, name, html, context = {}) {
  const before = new Set(page.frames());
  await page.evaluate(([name, html, context]) => openExample(name, html, context),
    [name, html, context]);
  return page.frames().find((frame) => !before.has(frame) && frame.parentFrame() &&
    frame.parentFrame() !== page.mainFrame());
}
