// SPDX-License-Identifier: Apache-2.0
//
// fetch.mjs FIXTURE: fetch and XMLHttpRequest of a view, carried by a host to a server in C
// (build/tests/conformance-server --mounts): in Node by our two ends and the official client,
// and in Chromium in a frame of opaque origin, under the policy of a view that declares nothing.
import assert from "node:assert/strict";
import { createServer } from "node:http";

import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { Client as OurClient } from "../../web/client/client.js";
import { AppBridge } from "../../web/host/bridge.js";
import { App, initMcpFetch, initMcpHttp, installFetch } from "../../web/view/index.js";
import { absolute, done, pause, serve, test, until } from "../peers/tap.mjs";
import { browser, document_, inHost, script, view } from "./frames.mjs";
import { pair } from "./host-pair.mjs";

const fixture = await serve(absolute(process.argv[2]), ["--listen", "127.0.0.1:0", "--mounts"]);
const address = `http://127.0.0.1:${fixture.port}`;
const UI = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

/** A view that is connected to the server by way of a host. */
async function carried(capabilities = { serverTools: {} }, client) {
  if (!client) {
    client = new Client({ name: "c", version: "1" }, { capabilities: UI });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
  }
  const [near, far] = pair();
  const bridge = new AppBridge(client, { name: "h", version: "1" }, capabilities);
  const app = new App({ name: "v", version: "1" }, {}, { autoResize: false });
  await bridge.connect(near);
  await app.connect(far);
  await until(() => bridge.state === "LIVE");
  return { app, bridge, client };
}

const native = globalThis.fetch;
const { app } = await carried();
const { fetch: carry } = initMcpFetch(app, { installGlobal: false });
const rejects = (promise, code, name = "TypeError") => assert.rejects(promise, (error) => {
  assert.equal(error.name, name);
  if (code) assert.equal(error.cause.code, code, error.message);
  return true;
});

// ---- In Node -----------------------------------------------------------------------

await test("a tool of the server over REST", async () => {
  const response = await carry("/api/throw_dice", { method: "POST", body: "{}",
    headers: { "Content-Type": "application/json" } });
  assert.ok(response instanceof Response);
  assert.deepEqual([response.status, response.ok, response.redirected], [200, true, false]);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.match(response.url, /^http:\/\/view\.invalid\/api\/throw_dice$/);
  assert.equal(response.clone().url, response.url);
  assert.deepEqual(await response.json(), { points: 7, views: true });
});

await test("visibility holds: a tool for views answers, one for models does not", async () => {
  const call = (name) => carry(`/api/${name}`, { method: "POST", body: "{}",
    headers: { "Content-Type": "application/json" } });
  assert.equal((await call("throw_again")).status, 200);
  const refused = await call("count_dice");
  assert.equal(refused.status, 403);
  assert.equal((await refused.json()).code, "MODEL_ONLY");
  assert.equal((await call("http_request")).status, 403);
  const { tools } = await (await carry("/api")).json();
  const names = tools.map(({ name }) => name);
  assert.ok(names.includes("throw_again") && !names.includes("count_dice"), String(names));
});

await test("bodies of every kind", async () => {
  const put = async (body, headers) => (await carry("/mirror", { method: "PUT", body, headers })).json();
  assert.equal((await put("ünï\n\ufeffx")).body, "ünï\n\ufeffx");
  assert.equal((await put("ünï")).headers["content-type"], "text/plain;charset=UTF-8");
  assert.equal((await put(new URLSearchParams({ a: "b c" }))).body, "a=b+c");
  assert.equal((await put(new Blob(["x"], { type: "image/png" }))).headers["content-type"], "image/png");
  const bytes = Uint8Array.from({ length: 70000 }, (_, i) => i);
  assert.deepEqual(Buffer.from((await put(bytes)).base64, "base64"), Buffer.from(bytes));
  const form = new FormData();
  form.append("a", "1");
  form.append("file", new Blob([Uint8Array.of(0, 255)], { type: "x/y" }), "f.bin");
  const sent = await put(form);
  assert.match(sent.headers["content-type"], /^multipart\/form-data; boundary=/);
  assert.match(Buffer.from(sent.base64, "base64").toString("latin1"), /filename="f\.bin"[^]*\0\xff/);
  assert.equal((await put(undefined)).body, "");
  assert.equal((await put("{}", { "X-Tenant": "blue" })).headers["x-tenant"], "blue");
});

await test("what comes back is what the mount gave", async () => {
  const bytes = await carry("/mirror/bytes");
  assert.deepEqual([...new Uint8Array(await bytes.arrayBuffer())], [0, 255, 128, 97]);
  const head = await carry("/mirror", { method: "HEAD" });
  assert.equal(await head.text(), "");
  const given = await carry("/mirror?q=%20+ü#part");
  assert.equal(given.headers.get("set-cookie"), null);
  assert.equal((await given.json()).query, "q=%20+%C3%BC");
  const tagged = await carry("/api");
  const again = await carry("/api", { headers: { "If-None-Match": tagged.headers.get("etag") } });
  assert.equal(again.status, 304);
});

await test("redirections: followed, refused, or as they are", async () => {
  const followed = await carry("/mirror/moved", { method: "POST", body: "x" });
  assert.deepEqual([followed.redirected, new URL(followed.url).pathname], [true, "/mirror/there"]);
  assert.equal((await followed.json()).method, "GET");
  await rejects(carry("/mirror/moved", { redirect: "error" }), "BAD_FORMAT");
  const manual = await carry("/mirror/moved", { redirect: "manual" });
  assert.deepEqual([manual.status, manual.headers.get("location")], [303, "/mirror/there?a=1"]);
  await rejects(carry("/mirror/moved?out"), "BAD_FORMAT");
});

await test("what is not mounted, and what is never carried", async () => {
  for (const path of ["/mcp", "/", "/healthz", "/mirrors", "/api/../mcp", "/mirror/%2e%2e/mcp"])
    await rejects(carry(path), "NOT_MOUNTED");
  await rejects(carry("/api/%2fx"), "BAD_FORMAT");
  await rejects(carry("/api//x"), "BAD_FORMAT");
  for (const name of ["Authorization", "X-Other", "Mcp-Session-Id"])
    await rejects(carry("/mirror", { headers: { [name]: "x" } }), "HEADER_REFUSED");
  await rejects(carry("/mirror", { method: "PROPFIND" }), "METHOD_NOT_ALLOWED");
  await rejects(carry("/mirror/fails"), "MIRROR_BROKEN");
  await rejects(carry("/mirror", { method: "POST", body: new Uint8Array(5 << 20) }),
    "LIMIT_EXCEEDED");
  await rejects(carry("/mirror", { method: "GET", body: "x" })); // as the browser says it
});

await test("abort, before and while", async () => {
  await rejects(carry("/mirror", { signal: AbortSignal.abort() }), undefined, "AbortError");
  const controller = new AbortController();
  const running = carry("/mirror", { signal: controller.signal });
  controller.abort();
  await rejects(running, undefined, "AbortError");
  await rejects(carry("/mirror", { signal: AbortSignal.abort(new RangeError("own")) }), undefined,
    "RangeError");
});

await test("all at once: 16 run, the others wait, and one may give up", async () => {
  let running = 0, most = 0;
  const end = [];
  const stub = {
    getHostCapabilities: () => ({ serverTools: {} }),
    async callServerTool() {
      most = Math.max(most, ++running);
      await new Promise((go) => end.push(go));
      running--;
      return { structuredContent: { status: 204 }, content: [] };
    },
  };
  const { fetch } = initMcpFetch(stub, { installGlobal: false });
  const controller = new AbortController();
  const all = Array.from({ length: 39 }, () => fetch("/x"));
  const left = fetch("/x", { signal: controller.signal });
  await until(() => running === 16);
  controller.abort();
  await rejects(left, undefined, "AbortError");
  const many = Array.from({ length: 1001 }, () => fetch("/x")); // with 23 of `all`
  await rejects(fetch("/x"), "TOO_MANY_REQUESTS");
  const drain = setInterval(() => end.splice(0).forEach((go) => go()), 1);
  for (const one of all) assert.equal((await one).status, 204);
  await Promise.allSettled(many);
  clearInterval(drain);
  assert.equal(most, 16);
});

await test("other origins, other paths and no host: the browser's own fetch", async () => {
  const seen = [];
  const own = async (input) => (seen.push(String(input.url ?? input)), new Response("native"));
  const with_ = (options, caller = app) =>
    initMcpFetch(caller, { installGlobal: false, fetch: own, ...options }).fetch;
  const text = async (response) => (await response).text();
  assert.equal(await text(with_()("https://api.example.com/x")), "native");
  assert.equal(await text(with_()("data:text/plain,x")), "native");
  assert.equal(await text(with_()("http://[")), "native");
  assert.equal(await text(with_({ interceptPaths: ["/api/"] })("/mirror")), "native");
  assert.equal(await text(with_({ interceptEnabled: () => false })("/mirror")), "native");
  assert.equal(await text(with_({ shouldIntercept: () => false })("/mirror")), "native");
  assert.deepEqual(seen, ["https://api.example.com/x", "data:text/plain,x", "http://[", "/mirror",
    "/mirror", "/mirror"]);
  assert.equal((await with_({ origins: ["https://api.example.com"] })(
    "https://api.example.com/mirror?a")).status, 200);
  await rejects(with_({ allowAbsoluteUrls: true })("https://api.example.com/mirror"), "BAD_FORMAT");
  const alone = new App({ name: "v", version: "1" });
  assert.equal(await text(with_({}, alone)("/mirror")), "native");
  await rejects(with_({ fallbackToNative: false }, alone)("/mirror"), "NO_HOST");
  const { app: without } = await carried({});
  assert.equal(await text(with_({}, without)("/mirror")), "native");
  assert.equal(await text(with_({ isMcpApp: () => false })("/mirror")), "native");
});

await test("a Request, and a Request with options", async () => {
  const request = new Request("http://view.invalid/mirror/r", { method: "POST", body: "one" });
  assert.equal((await (await carry(request.clone())).json()).body, "one");
  const other = await (await carry(request, { method: "PUT", body: "two" })).json();
  assert.deepEqual([other.method, other.body], ["PUT", "two"]);
  assert.equal((await (await carry(new URL("http://view.invalid/mirror/u"))).json()).path, "/mirror/u");
});

await test("a host or a server that answers badly is an error of the network", async () => {
  const answering = (result) => initMcpFetch({ getHostCapabilities: () => ({ serverTools: {} }),
    callServerTool: async () => result() }, { installGlobal: false }).fetch("/x");
  const says = (structuredContent) => answering(() => ({ structuredContent, content: [] }));
  for (const bad of [{}, { status: 99 }, { status: "200" + "0" }, { status: 200, headers: { "a b": "x" } },
    { status: 200, body: "*", bodyType: "base64" }, { status: 200, body: 1, bodyType: "formData" },
    { status: 200, url: "http://[" }])
    await rejects(says(bad), "INVALID_RESPONSE");
  await rejects(answering(() => ({ content: [{ type: "text", text: "no" }] })), "INVALID_RESPONSE");
  await rejects(answering(() => ({ content: [] })), "INVALID_RESPONSE");
  await rejects(answering(() => ({ content: [{ type: "text", text: "x" }], isError: true })),
    "HTTP_REQUEST_FAILED");
  await rejects(answering(() => ({ content: [], isError: true })), "HTTP_REQUEST_FAILED");
  await rejects(answering(() => { throw Object.assign(new Error("gone"), { code: -32000 }); }), -32000);
  // Other servers say the same in other ways.
  const told = { status: 200, headers: { "content-type": "x" }, body: { a: 1 } };
  assert.deepEqual(await (await answering(() => ({
    content: [{ type: "text", text: JSON.stringify(told) }] }))).json(), { a: 1 });
  assert.equal(await (await says({ status: 200, body: { a: "b c" }, bodyType: "urlEncoded" })).text(),
    "a=b+c");
  assert.equal(await (await says({ status: 200, body: { data: "aGk=" }, bodyType: "base64" })).text(), "hi");
  assert.equal(await (await says({ status: 200, body: "[1]", bodyType: "json" })).text(), "[1]");
  assert.equal((await says({ status: 204, body: "x" })).body, null);
  const form = await (await says({ status: 200, headers: { "content-type": "multipart/form-data" },
    bodyType: "formData", body: [{ name: "a" }, { name: "f", data: "aGk=", filename: "f.txt" }] })).formData();
  assert.equal(await form.get("f").text(), "hi");
});

await test("the names of the page are replaced, stopped, started and given back", async () => {
  const handle = initMcpHttp(app);
  assert.notEqual(globalThis.fetch, native);
  assert.ok(handle.isActive());
  assert.equal((await fetch("/mirror")).status, 200);
  handle.stop();
  await assert.rejects(fetch("/mirror"), TypeError); // Node has no base
  handle.start();
  assert.equal((await fetch("/mirror")).status, 200);
  handle.restore();
  handle.start();
  assert.deepEqual([globalThis.fetch === native, handle.isActive()], [true, false]);
  const outer = installFetch(app);
  const mine = globalThis.fetch = async () => new Response();
  outer.restore();
  assert.equal(globalThis.fetch, mine);
  globalThis.fetch = native;
});

await test("timeoutMs ends the call", async () => {
  const never = { getHostCapabilities: () => ({ serverTools: {} }),
    callServerTool: async ({ arguments: { timeoutMs } }, { timeout }) => {
      throw Object.assign(new Error(`${timeoutMs} ${timeout}`), { code: "REQUEST_TIMEOUT" });
    } };
  await rejects(initMcpFetch(never, { installGlobal: false, timeoutMs: 5 }).fetch("/x"),
    "REQUEST_TIMEOUT");
});

await test("view, host and client of mica, in a session and without one", async () => {
  for (const protocolVersion of ["2026-07-28", "2025-11-25", "2025-06-18"]) {
    const client = new OurClient({ name: "c", version: "1" }, { capabilities: UI });
    await client.connect({ transport: { type: "http", url: `${address}/mcp` } }, { protocolVersion });
    const { app } = await carried(undefined, client);
    const { fetch } = initMcpFetch(app, { installGlobal: false });
    const response = await fetch("/mirror/x", { method: "POST", body: "y" });
    assert.equal((await response.json()).body, "y", protocolVersion);
    await rejects(fetch("/mcp"), "NOT_MOUNTED");
    await client.close();
  }
});

// ---- In Chromium ---------------------------------------------------------------------

const chrome = await browser();
const page = await chrome.page();
let id = 0;
await page.exposeFunction("callServer", async ({ name, arguments: given }) => {
  const answer = await native(`${address}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "tools/call", params: { name,
      arguments: given, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": UI } } }),
  });
  return (await answer.json()).result;
});
const direct = createServer((request, response) => {
  response.setHeader("access-control-allow-origin", "*");
  response.end(`direct ${request.url}`);
});
await new Promise((listening) => direct.listen(0, "127.0.0.1", listening));
const directAt = `http://127.0.0.1:${direct.address().port}`;
const more = "mica.installFetch(app); window.ready = app.connect();";

async function open(name, policy) {
  const frame = await view(page, name, document_(await script(more), policy && { policy }));
  await inHost(page, name, (bridge) => { bridge.oncalltool = (params) => callServer(params); });
  await frame.evaluate(() => ready);
  return frame;
}
const frame = await open("carried");

await test("Chromium: fetch of an opaque frame without network", async () => {
  const got = await frame.evaluate(async () => {
    const post = await fetch("/api/throw_again", { method: "POST", body: "{}",
      headers: { "content-type": "application/json" } });
    const form = new FormData();
    form.append("f", new Blob([new Uint8Array([0, 255])]), "f.bin");
    const mirrored = await (await fetch("mirror/form", { method: "POST", body: form })).json();
    const failed = await fetch("/mcp").catch((error) => [error.constructor.name, error.cause.code]);
    return [origin, await post.json(), /^multipart/.test(mirrored.headers["content-type"]),
      mirrored.path, failed, errors];
  });
  assert.deepEqual(got, ["null", { points: 7, views: true }, true, "/mirror/form",
    ["TypeError", "NOT_MOUNTED"], []]);
});

await test("Chromium: the policy decides about every other origin", async () => {
  assert.deepEqual(await frame.evaluate(async (at) => {
    const told = new Promise((heard) =>
      addEventListener("securitypolicyviolation", heard, { once: true }));
    const failed = await fetch(at).catch((error) => error.constructor.name);
    await told;
    return [failed, errors.splice(0)];
  }, directAt), ["TypeError", ["connect-src"]]);
  const declared = await open("declared", "default-src 'none'; script-src 'unsafe-inline'; " +
    `connect-src ${directAt}`);
  assert.equal(await declared.evaluate(async (at) => (await fetch(`${at}/x`)).text(), directAt),
    "direct /x");
});

const xhr = (what) => frame.evaluate(what);

await test("Chromium: XMLHttpRequest, its events and its types", async () => {
  const got = await frame.evaluate(async () => {
    const send = (path, { method = "GET", body, type = "", headers = {} } = {}) =>
      new Promise((end) => {
        const request = new XMLHttpRequest(), events = [];
        for (const name of ["readystatechange", "loadstart", "progress", "load", "error", "loadend"])
          request.addEventListener(name, () =>
            events.push(name === "readystatechange" ? request.readyState : name));
        request.open(method, path);
        request.responseType = type;
        for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
        request.onloadend = () => end([request, events]);
        request.send(body);
      });
    const [text, events] = await send("/mirror?x", { headers: { "X-Tenant": "t" } });
    const [json] = await send("/mirror", { method: "post", body: "hello", type: "json" });
    const [bytes] = await send("/mirror/bytes", { type: "arraybuffer" });
    const [blob] = await send("/mirror/bytes", { type: "blob" });
    const [page] = await send("/mirror", { type: "document" });
    const [bad, failed] = await send("/mcp", { type: "json" });
    const [none] = await send("/mirror/bytes", { type: "json" });
    const sent = new DOMParser().parseFromString("<p>x", "text/html");
    const [documented] = await send("/mirror", { method: "PUT", body: sent, type: "json" });
    return {
      events, failed, status: [text.status, text.statusText, bad.status, bad.response, bad.responseURL],
      headers: JSON.parse(text.responseText).headers, all: text.getAllResponseHeaders(),
      type: text.getResponseHeader("Content-Type"), absent: text.getResponseHeader("x-none"),
      url: new URL(text.responseURL).search, xml: text.responseXML !== null,
      json: [json.response.method, json.response.body],
      bytes: [...new Uint8Array(bytes.response)], blob: [blob.response.size, blob.response.type],
      page: page.response.nodeType, none: none.response,
      documented: [documented.response.body, documented.response.headers["content-type"]],
      wrong: (() => { try { return json.responseText; } catch (error) { return error.name; } })(),
    };
  });
  assert.deepEqual(got, {
    events: [1, "loadstart", 2, 3, 4, "progress", "load", "loadend"],
    failed: [1, "loadstart", 4, "error", "loadend"],
    status: [200, "", 0, null, ""], headers: { "x-tenant": "t" },
    all: "content-type: application/json\r\n", type: "application/json", absent: null, url: "?x",
    xml: true, json: ["POST", "hello"], bytes: [0, 255, 128, 97],
    blob: [4, "application/octet-stream"], page: 9, none: null,
    documented: ['<html xmlns="http://www.w3.org/1999/xhtml"><head></head><body><p>x</p></body></html>',
       "text/html;charset=UTF-8"],
    wrong: "InvalidStateError",
  });
});

await test("Chromium: an XMLHttpRequest that ends early, and wrong uses of one", async () => {
  assert.deepEqual(await xhr(async () => {
    const thrown = (what) => { try { what(); return "no"; } catch (error) { return error.name; } };
    const ended = (request) => new Promise((end) => {
      for (const name of ["abort", "timeout", "load", "error"])
        request.addEventListener(name, () => end(name));
    });
    const fresh = (path = "/mirror", isAsync = true) => {
      const request = new XMLHttpRequest();
      request.open("GET", path, isAsync);
      return request;
    };
    const aborted = fresh();
    const abort = ended(aborted);
    aborted.send();
    const twice = thrown(() => aborted.send());
    const late = thrown(() => aborted.setRequestHeader("accept", "x"));
    aborted.abort();
    const slow = fresh();
    slow.timeout = 1;
    const held = app.callServerTool;
    app.callServerTool = () => new Promise(() => {});
    const timeout = ended(slow);
    slow.send();
    const how = [await abort, aborted.readyState, aborted.responseXML, await timeout, slow.status];
    app.callServerTool = held;
    const again = fresh();
    again.abort(); // it was not sent
    again.open("GET", "/mirror/again");
    const load = ended(again);
    again.send();
    how.push(await load, JSON.parse(again.response).path);
    again.open("GET", "/mirror");
    return [...how, again.readyState, again.responseText, twice, late,
      thrown(() => fresh("/mirror", false))];
  }), ["abort", 0, null, "timeout", 0, "load", "/mirror/again", 1, "", "InvalidStateError",
    "InvalidStateError", "InvalidAccessError"]);
});

await test("Chromium: an XMLHttpRequest of another origin is the browser's own", async () => {
  const declared = page.frame({ name: "declared" });
  assert.deepEqual(await declared.evaluate((at) => new Promise((end) => {
    const request = new XMLHttpRequest();
    const gone = new XMLHttpRequest();
    gone.open("GET", at);
    gone.send();
    gone.abort();
    request.open("GET", `${at}/y`);
    request.setRequestHeader("accept", "text/plain");
    request.onload = () => end([request.readyState, request.status, request.statusText,
      request.responseText, request.response, request.responseURL === `${at}/y`,
      request.getResponseHeader("x"), request.getAllResponseHeaders() !== undefined,
      request.responseXML]);
    request.send();
  }), directAt), [4, 200, "OK", "direct /y", "direct /y", true, null, true, null]);
  assert.equal(await declared.evaluate(() => {
    try {
      new XMLHttpRequest().open("GET", "http://[");
    } catch (error) {
      return error.name;
    }
    return "no";
  }), "SyntaxError");
});

await test("Chromium: a page without a host uses the network, and a restored one too", async () => {
  const plain = await chrome.page("/plain");
  const source = await script("window.handle = mica.installFetch(app);");
  await plain.addScriptTag({ content: source });
  assert.match(await plain.evaluate(async () => (await fetch("/plain")).text()), /<body>plain/);
  assert.deepEqual(await frame.evaluate(async () => {
    const own = fetch, request = XMLHttpRequest;
    const handle = mica.initMcpXhr(app);
    const other = XMLHttpRequest !== request;
    handle.restore();
    return [other, XMLHttpRequest === request, fetch === own];
  }), [true, true, true]);
  await plain.close();
});

await pause();
await chrome.end();
direct.close();
await fixture.end();
done();
