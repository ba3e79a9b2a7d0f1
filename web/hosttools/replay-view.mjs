// SPDX-License-Identifier: Apache-2.0
//
// replay-view.mjs --url URL RECORDING…: replays recordings of views as tests, in a Chromium
// without a window. The document of each view is read from the server at URL, which shows
// its sandbox (`mica dev`, `mica serve --host-page`). Needs Node.js 20.19 and Chromium, nothing
// else. Ends with 0 if all views behave as recorded, 1 if one does not, 2 if it could not
// be tried.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { limits } from "./tool_limits.js";

const HELP = `Usage: node replay-view.mjs --url URL [--html FILE] [--header "NAME: VALUE"]
         [--chromium PATH] RECORDING…

  --url URL        the server, as http://127.0.0.1:8080 or with the path of its endpoint
  --html FILE      a built document, in place of the one that the server has
  --header TEXT    a header of the request for the document, as Authorization
  --chromium PATH  else $CHROMIUM, or the first of chromium, chromium-browser,
                   google-chrome and chrome on the PATH
`;
const web = fileURLToPath(new URL("../", import.meta.url));
const PLACE = "mica-replay/"; // below the server's origin: files of this folder
const OVERALL_MS = 600_000; // for one recording
const CLOSE_MS = 5000; // for Chromium to end

class Usage extends Error {}

// ---- The command line ----------------------------------------------------------------

function readWords(words) {
  const options = { headers: [], files: [] };
  const single = { "--url": "url", "--html": "html", "--chromium": "chromium" };
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === "--help") return { help: true };
    if (!word.startsWith("--")) {
      options.files.push(word);
      continue;
    }
    const value = words[++i];
    if (value === undefined) throw new Usage(`${word} needs a value.`);
    if (word === "--header") options.headers.push(value);
    else if (single[word]) options[single[word]] = value;
    else throw new Usage(`There is no option ${word}.`);
  }
  if (!options.url || !URL.canParse(options.url)) throw new Usage("--url names the server.");
  if (options.files.length === 0) throw new Usage("Name a recording.");
  return options;
}

function findChromium(named = process.env.CHROMIUM) {
  if (named) return named;
  for (const name of ["chromium", "chromium-browser", "google-chrome", "chrome"])
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const path = join(folder, name);
      if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
    }
  throw new Usage("There is no Chromium on the PATH: name one with --chromium or $CHROMIUM.");
}

// ---- The document ----------------------------------------------------------------------

const META = { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "replay-view", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { extensions: {
    "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } } };

// {html, csp, permissions} of a view, as the server has it now.
async function readView(endpoint, uri, headers) {
  const response = await fetch(endpoint, { method: "POST", headers: {
    "Content-Type": "application/json", Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": uri,
    ...headers },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read",
    params: { uri, _meta: META } }) });
  const text = await response.text();
  let reply;
  try {
    reply = JSON.parse(text.replace(/^[^]*?\ndata: ?(?=\{)|^data: ?/, ""));
  } catch {
    throw new Error(`${endpoint} answered with HTTP ${response.status} and no reply of MCP.`);
  }
  const content = reply.result?.contents?.find((one) => one.uri === uri);
  if (!content)
    throw new Error(`The server has no view ${uri}: ${reply.error?.message ?? "no contents"}`);
  const { csp, permissions } = content._meta?.ui ?? {};
  return { html: content.text ?? Buffer.from(content.blob, "base64").toString(), csp, permissions };
}

// ---- Chromium --------------------------------------------------------------------------

// Chromium by its protocol for debuggers, over two pipes: messages end with a NUL.
class Chromium {
  #child;
  #profile = mkdtempSync(join(tmpdir(), "replay-view-"));
  #last = 0;
  #open = new Map(); // id: {resolve, reject}
  #listeners = new Map(); // method: function of the parameters
  #ended;

  constructor(path) {
    const words = ["--headless=new", "--remote-debugging-pipe", `--user-data-dir=${this.#profile}`,
      "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-quic",
      "--disable-extensions", "--disable-background-networking", "--disable-component-update",
      // The page stands for one of the server's machine, and has no address itself.
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"];
    // Chromium cannot confine itself under this user; in containers there is no other one.
    if (process.getuid?.() === 0) words.push("--no-sandbox");
    this.#child = spawn(path, words, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", (error) => resolve(`${path}: ${error.message}`));
      this.#child.on("exit", (code) => resolve(`${path} ended with ${code}`));
    });
    this.#ended.then((why) => {
      for (const { reject } of this.#open.values()) reject(new Error(why));
    });
    const [, , , to, from] = this.#child.stdio;
    to.on("error", () => {}); // it has ended, which is told above
    let said = [];
    from.on("data", (bytes) => {
      for (let end; (end = bytes.indexOf(0)) >= 0; bytes = bytes.subarray(end + 1)) {
        this.#take(JSON.parse(Buffer.concat([...said, bytes.subarray(0, end)])));
        said = [];
      }
      said.push(bytes);
    });
  }

  #take({ id, method, params, result, error }) {
    if (id === undefined) return this.#listeners.get(method)?.(params);
    const open = this.#open.get(id);
    this.#open.delete(id);
    return error ? open.reject(new Error(`Chromium: ${error.message}`)) : open.resolve(result);
  }

  on(method, listener) {
    this.#listeners.set(method, listener);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  // Asks it to end, and makes it. Its children may write a moment longer.
  async end() {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), CLOSE_MS);
    this.send("Browser.close").catch(() => {}); // it has ended, which is awaited
    await this.#ended;
    clearTimeout(timer);
    for (let left = 100; ; left--) {
      try {
        rmSync(this.#profile, { recursive: true, force: true });
        return;
      } catch (error) {
        if (left > 0) await new Promise((done) => setTimeout(done, 50));
        else return void process.stderr.write(`Cannot remove a folder: ${error.message}\n`);
      }
    }
  }
}

const TYPES = { js: "text/javascript" };

// A tab whose page has the origin of the server, and modules of this folder.
async function openTab(chromium, origin) {
  const { targetId } = await chromium.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await chromium.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method, params) => chromium.send(method, params, sessionId);
  const place = `${origin}/${PLACE}`;
  chromium.on("Fetch.requestPaused", ({ requestId, request: { url } }) => {
    const name = new URL(url).pathname.slice(PLACE.length + 1);
    const file = /^(view|host|hosttools)\/\w+\.js$/.test(name) ? readFileSync(join(web, name))
      : Buffer.from("<!doctype html><title>Replay</title><div id=\"views\"></div>");
    send("Fetch.fulfillRequest", { requestId, responseCode: 200,
      responseHeaders: [{ name: "Content-Type", value: TYPES[name.split(".")[1]] ?? "text/html" }],
      body: file.toString("base64") }).catch(() => {}); // the tab has ended
  });
  await send("Fetch.enable", { patterns: [{ urlPattern: `${place}*` }] });
  await send("Page.enable");
  const loaded = new Promise((resolve) => { chromium.on("Page.loadEventFired", resolve); });
  const { errorText } = await send("Page.navigate", { url: `${place}page` });
  if (errorText) throw new Error(`Chromium cannot open the page: ${errorText}`);
  await loaded;
  return { send, close: () => chromium.send("Target.closeTarget", { targetId }) };
}

// Runs in the page.
async function play(json) {
  const [text, view, port] = JSON.parse(json);
  const { readRecording } = await import("./hosttools/recording.js");
  const { replayView } = await import("./hosttools/replay.js");
  const found = await replayView(readRecording(text), { ...view,
    container: document.getElementById("views"),
    proxy: `http://${crypto.randomUUID()}.localhost${port && `:${port}`}/sandbox` });
  return found?.text ?? "";
}

async function replay(chromium, origin, text, view) {
  const tab = await openTab(chromium, origin);
  const given = JSON.stringify(JSON.stringify([text, view, new URL(origin).port]));
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${OVERALL_MS / 1000} s`)), OVERALL_MS);
  });
  try {
    const { result, exceptionDetails } = await Promise.race([late, tab.send("Runtime.evaluate",
      { expression: `(${play})(${given})`, awaitPromise: true, returnByValue: true })]);
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  } finally {
    clearTimeout(timer);
    await tab.close();
  }
}

// ---- All of them -----------------------------------------------------------------------

function readFile(name) {
  const { size } = statSync(name);
  if (size > 4 * limits.recordingSize) throw new Error(`${name} has ${size} bytes: too many.`);
  return readFileSync(name, "utf8");
}

async function main() {
  const options = readWords(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const { readRecording } = await import("./recording.js");
  const url = new URL(options.url);
  const endpoint = url.pathname === "/" ? new URL("/mcp", url) : url;
  const headers = Object.fromEntries(options.headers.map((header) => {
    const [, name, value] = /^([^:]+): *(.*)$/.exec(header) ?? [];
    if (!name) throw new Usage(`--header ${header}: it has the form "NAME: VALUE".`);
    return [name, value];
  }));
  const chromium = new Chromium(findChromium(options.chromium));
  let status = 0;
  try {
    for (const name of options.files) {
      let found;
      try {
        const text = readFile(name);
        const recording = readRecording(text);
        const view = options.html
          ? { ...recording.view, html: readFileSync(options.html, "utf8") }
          : await readView(endpoint, recording.view.uri, headers);
        found = await replay(chromium, url.origin, text, view);
        console.log(found ? `✗ ${name}  ${found}`
          : `✓ ${name}  ${recording.messages.length} messages as recorded`);
        if (found) status = Math.max(status, 1);
      } catch (error) {
        console.log(`✗ ${name}  ${error.message}`);
        status = 2;
      }
    }
  } finally {
    await chromium.end();
  }
  return status;
}

main().then((status) => { process.exitCode = status; }, (error) => {
  process.stderr.write(error instanceof Usage ? `${error.message}\n\n${HELP}` : `${error.message}\n`);
  process.exitCode = 2;
});
