// SPDX-License-Identifier: Apache-2.0
//
// views.mjs ROUNDS SECONDS: a host and a view in Chromium, ours and the official pair, in
// turns: from the source of the frame to the view's handshake, calls of the view, one after
// the other and FLIGHT at a time, and a large result. The frame has an opaque origin and the policy that the
// specification sets for a view that declares nothing. Prints JSON.
import { createServer } from "node:http";

import { bundle, document_ } from "../tests/apps/frames.mjs";
import { browser } from "../tests/browser/chromium.mjs";

const [rounds, seconds] = process.argv.slice(2).map(Number);
const RECORDS = 4000; // of the large result: 0.68 MB as JSON
const FLIGHT = 16; // calls at a time
const LARGE = 5; // large results in a round, of which the median counts

const LARGE_RESULT = `
  const large = { content: [], structuredContent: { records: Array.from(
    { length: ${RECORDS} }, (_, i) => ({ number: i, name: "record number " + i, value: i / 7,
      words: "what a table has in one of its cells, a sentence of some length, and a half" +
        " of another one", })) } };
`;
const HOST = (bridge, transport, more = "") => `
  import { AppBridge } from "${bridge}";
  import { PostMessageTransport } from "${transport}";
  console.debug = console.log = () => {};
  ${more}
  ${LARGE_RESULT}
  window.openView = async (html) => {
    const frame = document.createElement("iframe");
    frame.name = "view";
    frame.sandbox = "allow-scripts";
    const bridge = new AppBridge(null, { name: "host", version: "1" }, { serverTools: {} },
      { hostContext: {} });
    bridge.oncalltool = async ({ name, arguments: { a } = {} }) =>
      name === "large" ? large : { content: [{ type: "text", text: String(a) }] };
    const begun = new Promise((done) => { bridge.oninitialized = done; });
    document.body.append(frame);
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    const start = performance.now();
    frame.srcdoc = html;
    await begun;
    return performance.now() - start;
  };
`;

const VIEW = (module, connect) => `
  import { App, PostMessageTransport } from "${module}";
  console.debug = console.log = () => {};
  window.app = new App({ name: "view", version: "1" }, {}, { autoResize: false });
  ${connect}
`;

const PAIRS = {
  // Ours refuses more than a thousand messages a second.
  ours: [HOST("../../web/host/bridge.js", "../../web/view/index.js",
    'import { limits } from "../../web/host/bridge.js"; limits.rate = limits.burst = 1e9;'),
    VIEW("../../web/view/index.js", "app.connect();")],
  official: [HOST("@modelcontextprotocol/ext-apps/app-bridge",
    "@modelcontextprotocol/ext-apps/app-bridge"),
    VIEW("@modelcontextprotocol/ext-apps",
      "app.connect(new PostMessageTransport(window.parent, window.parent));")],
};

// The least that such a pair does: messages, and nothing done with them.
PAIRS.messages = [`
  addEventListener("message", ({ data: { id, params }, source }) => {
    if (id === undefined) return begun();
    const { name, arguments: { a } = {} } = params;
    source.postMessage({ jsonrpc: "2.0", id, result: name === "large" ? large
      : { content: [{ type: "text", text: String(a) }] } }, "*");
  });
  ${LARGE_RESULT}
  window.openView = async (html) => {
    const frame = document.createElement("iframe");
    frame.name = "view";
    frame.sandbox = "allow-scripts";
    const ready = new Promise((done) => { window.begun = done; });
    document.body.append(frame);
    const start = performance.now();
    frame.srcdoc = html;
    await ready;
    return performance.now() - start;
  };`, `
  const waiting = new Map();
  let last = 0;
  addEventListener("message", ({ data: { id, result } }) => {
    waiting.get(id)(result);
    waiting.delete(id);
  });
  window.app = { callServerTool: (params) => new Promise((done) => {
    waiting.set(++last, done);
    parent.postMessage({ jsonrpc: "2.0", id: last, method: "tools/call", params }, "*");
  }) };
  parent.postMessage({}, "*");`];

const hosts = {};
const views = {};
for (const [name, [host, view]] of Object.entries(PAIRS)) {
  hosts[`/${name}`] = `<!doctype html><title>host</title><body><script>${
    (await bundle(host)).replaceAll("</script", "<\\/script")}</script>`;
  views[name] = document_(await bundle(view));
}
const server = createServer(({ url }, answer) => {
  answer.setHeader("content-type", "text/html");
  answer.end(hosts[url] ?? "");
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const chromium = await browser();

async function measure(name) {
  const page = await chromium.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/${name}`);
  const live = await page.evaluate((html) => openView(html), views[name]);
  const frame = page.frame({ name: "view" });
  const rate = (flight) => frame.evaluate(async ([flight, ms]) => {
    const start = performance.now();
    let count = 0;
    const caller = async () => {
      while (performance.now() - start < ms) {
        const a = count++;
        const { content } = await app.callServerTool({ name: "echo", arguments: { a } });
        if (content[0].text !== String(a)) throw new Error(`the answer to ${a} is wrong`);
      }
    };
    await Promise.all(Array.from({ length: flight }, caller));
    return count / (performance.now() - start) * 1000;
  }, [flight, seconds * 1000]);
  const turns = await rate(1);
  const calls = await rate(FLIGHT);
  const large = await frame.evaluate(async (count) => {
    const times = [];
    for (let i = 0; i < count; i++) {
      const start = performance.now();
      const { structuredContent } = await app.callServerTool({ name: "large" });
      times.push(performance.now() - start);
      if (structuredContent.records.length === 0) throw new Error("no records came");
    }
    return times.sort((a, b) => a - b)[count >> 1];
  }, LARGE);
  await page.close();
  return { live, turns, calls, large };
}

const found = [];
for (let round = 0; round < rounds; round++) {
  const one = {};
  const names = Object.keys(PAIRS);
  for (const name of round % 2 ? names.reverse() : names)
    one[name] = await measure(name);
  found.push(one);
  console.error(`views round ${round + 1}: ${JSON.stringify(one)}`);
}
console.log(JSON.stringify(found));
await chromium.close();
server.closeAllConnections();
server.close();
