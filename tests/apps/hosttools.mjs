// SPDX-License-Identifier: Apache-2.0
//
// The tools for developers of views, message by message, without a browser: traffic,
// recordings and their replay, the checklist, advice about a policy, tokens, the context.
import assert from "node:assert/strict";

import { App } from "../../web/view/app.js";
import { AppBridge } from "../../web/host/bridge.js";
import { adviceOf, PolicyAudit, VIOLATION } from "../../web/hosttools/audit.js";
import { Checklist } from "../../web/hosttools/checklist.js";
import { contextOf, localeOf, sizeOf, timeZoneOf } from "../../web/hosttools/context_controls.js";
import { firstDifference, without } from "../../web/hosttools/difference.js";
import { readRecording, Recorder } from "../../web/hosttools/recording.js";
import { Replay } from "../../web/hosttools/replay.js";
import { TappedTransport } from "../../web/hosttools/tap.js";
import { tokensOfResult, tokensOfText, tokensOfTools, tokenWarning }
  from "../../web/hosttools/tokens.js";
import { limits } from "../../web/hosttools/tool_limits.js";
import { fits, linesOf, TrafficLog } from "../../web/hosttools/traffic.js";
import { leave, RESTORED, stateOf } from "../../web/hosttools/view_state.js";
import { Watch } from "../../web/hosttools/watch.js";
import { done, pause, test, until } from "../peers/tap.mjs";
import { pair } from "./host-pair.mjs";

const rpc = (message) => ({ jsonrpc: "2.0", ...message });
const request = (id, method, params) => rpc({ id, method, params });
const reply = (id, result) => rpc({ id, result });
const code = (wanted) => (error) => {
  assert.equal(error.code, wanted, error.message);
  return true;
};

// A view and its host, and what a developer sees of them.
async function open({ capabilities = { logging: {} }, view = { uri: "ui://s/v" }, begin } = {}) {
  const [host, end] = pair();
  const bridge = new AppBridge(null, { name: "h", version: "1" }, capabilities,
    { hostContext: { theme: "dark" } });
  const app = new App({ name: "v", version: "1" }, {}, { autoResize: false });
  const watch = new Watch(view, ["http://127.0.0.1:1"]);
  begin?.(app, bridge);
  await bridge.connect(watch.wrap(host));
  await app.connect(end);
  await until(() => bridge.state === "LIVE");
  return { bridge, app, watch };
}

// ---- Traffic ---------------------------------------------------------------------

await test("traffic: each message with direction, method, size; replies with their request",
  async () => {
    const { bridge, watch: { traffic } } = await open({ begin(app) {
      app.registerTool("add", { inputSchema: { type: "object" } }, async () => {
        await pause(20);
        return { content: [{ type: "text", text: "2" }] };
      });
    } });
    await bridge.callTool({ name: "add", arguments: {} });
    const methods = traffic.entries.map(({ from, kind, method }) => `${from} ${kind} ${method}`);
    assert.deepEqual(methods.slice(0, 3), ["view request ui/initialize",
      "host result ui/initialize", "view notification ui/notifications/initialized"]);
    const called = traffic.entries.find(({ method }) => method === "tools/call");
    const answer = traffic.entries[traffic.entries.length - 1];
    assert.equal(called.reply, answer.number);
    assert.equal(answer.request, called.number);
    assert.ok(called.latency >= 15 && called.latency === answer.latency, `${called.latency} ms`);
    assert.equal(called.size, JSON.stringify(request(called.id, "tools/call",
      { name: "add", arguments: {} })).length);
    assert.equal(JSON.parse(answer.text).result.content[0].text, "2");
  });

await test("traffic: ids of both sides, and of both types, do not mix", async () => {
  const log = new TrafficLog();
  log.add("view", request(1, "a"), 0);
  log.add("host", request(1, "b"), 10);
  log.add("view", request("1", "c"), 20);
  log.add("host", reply("1", {}), 50);
  log.add("view", reply(1, {}), 60);
  log.add("host", reply(1, {}), 70);
  log.add("host", reply(1, {}), 80);
  assert.deepEqual(log.entries.map(({ method, latency }) => [method, latency]), [["a", 70],
    ["b", 50], ["c", 30], ["c", 30], ["b", 50], ["a", 70], [undefined, undefined]]);
});

await test("traffic: a view that floods makes the log forget, never grow", async () => {
  const log = new TrafficLog();
  let told = 0;
  const silence = log.listen(() => told++);
  for (let id = 0; id < 100_000; id++) log.add("view", request(id, "ping"), id);
  assert.equal(log.entries.length, limits.messages);
  assert.equal(log.forgotten, 100_000 - limits.messages);
  assert.equal(told, 100_000);
  silence();
  const large = rpc({ method: "x", params: { text: "x".repeat(limits.shownSize * 2) } });
  for (let i = 0; i < 300; i++) log.add("view", large, i);
  const kept = log.entries.reduce((sum, { text }) => sum + text.length, 0);
  assert.ok(kept <= limits.logSize && kept > limits.logSize / 2, `${kept}`);
  const last = log.entries[log.entries.length - 1];
  assert.deepEqual([last.cut, last.text.length, last.size > limits.shownSize], [true,
    limits.shownSize, true]);
  assert.equal(told, 100_000);
  // The oldest requests are not awaited any more, so that their replies count as alone.
  log.clear();
  assert.deepEqual([log.entries.length, log.forgotten], [0, 0]);
  log.add("host", reply(0, {}), 0);
  assert.equal(log.entries[0].method, undefined);
});

await test("traffic: what is too large, too deep or no message is shown as such", async () => {
  const log = new TrafficLog();
  let deep = {};
  for (let i = 0; i < 10_000; i++) deep = { deep };
  log.add("view", rpc({ method: "a", params: { text: "x".repeat(20 << 20) } }), 0);
  log.add("view", rpc({ method: "b", params: deep }), 0);
  log.add("view", { jsonrpc: "2.0" }, 0);
  log.add("view", rpc({ method: "c", params: { n: 1n } }), 0);
  log.add("view", rpc({ method: "pay\u202eyap", params: { t: "a\u200bb" } }), 0);
  log.add("view", null, 0);
  const [large, nested, none, big, hidden, nothing] = log.entries;
  assert.match(large.text, /larger than/);
  assert.match(nested.text, /64 levels/);
  assert.equal(none.kind, "invalid");
  assert.match(big.text, /not JSON/);
  assert.equal(hidden.method, "payyap");
  assert.ok(hidden.text.includes('"pay\\u202eyap"') && hidden.text.includes('"a\\u200bb"'));
  assert.equal(nothing.text, "null");
  assert.equal(JSON.parse(hidden.text).params.t, "a\u200bb");
});

await test("traffic: filter and lines to copy", async () => {
  const log = new TrafficLog();
  log.add("view", request(1, "tools/call", { name: "Toss" }), 5);
  log.add("host", reply(1, { heads: true }), 7.25);
  const [asked, answered] = log.entries;
  assert.equal(fits(asked, "toss CALL"), true);
  assert.equal(fits(asked, "toss", "host"), false);
  assert.equal(fits(answered, "tools/call heads", "host"), true);
  assert.equal(fits(asked, ""), true);
  assert.deepEqual(linesOf(log.entries).split("\n").map((line) => JSON.parse(line)), [
    { from: "view", ms: 0, message: request(1, "tools/call", { name: "Toss" }) },
    { from: "host", ms: 2.3, message: reply(1, { heads: true }) }]);
  log.add("view", rpc({ method: "x", params: { text: "x".repeat(limits.shownSize) } }), 9);
  assert.equal(JSON.parse(linesOf(log.entries).split("\n")[2]).size > limits.shownSize, true);
});

await test("a tool that fails keeps no message from its end", async () => {
  const [host, view] = pair();
  const tapped = new TappedTransport(host, () => { throw new Error("broken"); });
  const got = [], errors = [], seen = [];
  let closed = 0;
  tapped.onmessage = (message) => got.push(message);
  tapped.onerror = (error) => errors.push(error.message);
  tapped.onclose = () => closed++;
  view.onmessage = (message) => seen.push(message);
  await tapped.start();
  await view.start();
  await view.send(rpc({ method: "a" }));
  await tapped.send(rpc({ method: "b" }));
  await until(() => got.length && seen.length);
  host.onerror(new Error("of the wire"));
  await tapped.close();
  assert.deepEqual([got[0].method, seen[0].method, errors, closed],
    ["a", "b", ["broken", "broken", "of the wire"], 1]);
});

// ---- Recording and replay ----------------------------------------------------------

// Plays a recording to a view by hand; resolves to the text of the difference, if any.
async function play(recording, answer) {
  const sent = [];
  const replay = new Replay(recording, (message) => {
    sent.push(message);
    setImmediate(() => answer(message, say, sent));
  });
  const say = (message) => replay.received(structuredClone(rpc(message)));
  const finished = replay.start(0);
  setImmediate(() => answer(undefined, say, sent));
  return { found: await finished, sent };
}

const recordingOf = (messages, more) => readRecording(JSON.stringify({
  format: "mica-view-recording", version: 1, view: { uri: "ui://s/v" },
  messages: messages.map(([from, message]) => ({ from, ms: 0, message })), ...more }));

const usual = { ...limits };
// A message that is missing is waited for as long as usual, unless that is what is tried: what
// comes late on a busy machine is there.
const quick = (more = {}) => Object.assign(limits, { settleMs: 30, ...more });
const calm = () => Object.assign(limits, usual);

await test("a session that was recorded is played to the same view, and passes", async () => {
  const behave = (app) => {
    app.ontoolresult = async ({ content }) => {
      const { content: [{ text }] } = await app.callServerTool(
        { name: "next", arguments: { after: content[0].text } });
      await app.sendLog({ level: "info", data: text });
    };
    app.registerTool("get", { inputSchema: { type: "object" } }, async () =>
      ({ content: [], structuredContent: { n: 1 } }));
  };
  const begin = (app, bridge) => {
    behave(app);
    bridge.oncalltool = async ({ arguments: { after } }) =>
      ({ content: [{ type: "text", text: `${after}!` }] });
  };
  const { bridge, app, watch } = await open({ begin,
    capabilities: { logging: {}, serverTools: {} } });
  let logged;
  bridge.onloggingmessage = ({ data }) => { logged = data; };
  await bridge.sendToolInput({ arguments: { a: 1 } });
  await bridge.sendToolResult({ content: [{ type: "text", text: "one" }] });
  await until(() => logged);
  await bridge.callTool({ name: "get", arguments: {} });
  await bridge.teardownResource();
  await app.close();
  const text = watch.recorder.text();
  const recording = readRecording(text);
  assert.equal(recording.view.uri, "ui://s/v");
  assert.ok(recording.messages.length >= 12, text);

  const against = async (behave) => {
    quick();
    const [host, end] = pair();
    const replay = new Replay(recording, (message) => host.send(message));
    host.onmessage = (message) => replay.received(message);
    await host.start();
    const fresh = new App({ name: "v", version: "1" }, {}, { autoResize: false });
    behave(fresh);
    const finished = replay.start();
    fresh.connect(end).catch(() => {});
    return finished.finally(calm);
  };
  assert.equal(await against(behave), undefined);
  const found = await against((app) => {
    behave(app);
    app.ontoolresult = ({ content }) => app.callServerTool(
      { name: "next", arguments: { after: content[0].text.toUpperCase() } });
  });
  assert.equal(found.pointer, "/params/arguments/after");
  assert.match(found.text, /^Message \d+ \(tools\/call\): .*recorded "one", now "ONE"$/);
});

await test("replay: ids and tokens of progress may be others; replies follow them", async () => {
  const recording = recordingOf([
    ["view", request(0, "tools/call", { name: "a", _meta: { progressToken: 0 } })],
    ["view", request(1, "tools/call", { name: "b" })],
    ["host", rpc({ method: "notifications/progress", params: { progressToken: 0, progress: 1 } })],
    ["host", reply(1, { b: 1 })],
    ["view", rpc({ method: "notifications/cancelled", params: { requestId: 0 } })],
    ["host", request(0, "tools/list")],
    ["host", rpc({ method: "notifications/progress", params: { progressToken: "x", progress: 1 } })],
    ["view", reply(0, { tools: [] })]]);
  quick();
  const { found, sent } = await play(recording, (message, say) => {
    if (!message) {
      say(request("k", "tools/call", { name: "a", _meta: { progressToken: "t" } }));
      say(request("l", "tools/call", { name: "b" }));
      say({ method: "notifications/cancelled", params: { requestId: "k" } });
    } else if (message.method === "tools/list") {
      say({ id: message.id, result: { tools: [] } });
    }
  });
  calm();
  assert.equal(found, undefined, found?.text);
  assert.equal(sent[0].params.progressToken, "t");
  assert.equal(sent[1].id, "l");
  assert.equal(sent[3].params.progressToken, "x");
});

await test("replay: what a view sends less, more, otherwise or in another order is told",
  async () => {
    const recording = recordingOf([["view", rpc({ method: "a" })],
      ["view", rpc({ method: "b", params: { list: [1, { "x/y": 2 }] } })]]);
    const played = (more) => async (...messages) => {
      quick(more);
      const { found } = await play(recording, (_, say) => messages.forEach(say));
      calm();
      return found?.text;
    };
    const run = played(), silent = played({ replyMs: 1000 });
    const b = (value) => ({ method: "b", params: { list: [1, { "x/y": value }] } });
    assert.equal(await run({ method: "a" }, b(2)), undefined);
    assert.match(await silent({ method: "a" }),
      /^Message 2 \(b\): the view did not send it within/);
    assert.match(await run({ method: "a" }, b(2), { method: "c" }),
      /^Message 3 \(c\): the recording has ended, and the view sent .*"c"/);
    assert.match(await run(b(2), { method: "a" }), /^Message 1 \(a\): recorded a, now b: /);
    assert.equal(await run({ method: "a" }, b("2")),
      'Message 2 (b): /params/list/1/x~1y: recorded 2, now "2"');
    assert.match(await run({ method: "a" }, { id: 0, ...b(2) }), /Message 2 \(b\)/);
    assert.match(await run({ method: "a", params: { t: "x".repeat(20 << 20) } }),
      /Message 1 \(a\): .*larger than/);
    assert.match(await run({ method: "a", params: { text: "y".repeat(300) } }),
      /\/params: recorded nothing, now \{"text":"y{100,120}…$/);
    assert.match(await run({ nothing: 1 }), /Message 1 \(a\)/);
  });

await test("replay: sizes are ignored, and what the file says", async () => {
  const size = (height) => ({ method: "ui/notifications/size-changed", params: { height } });
  const ignore = [{ method: "ui/notifications/size-changed" },
    { method: "tools/call", pointer: "/params/arguments/at" }, { method: "tools/call" }];
  const call = (at) => ({ id: 0, method: "tools/call", params: { arguments: { at, b: 1 } } });
  const recording = recordingOf([["view", rpc(size(1))], ["view", rpc(call(1))],
    ["host", reply(0, {})]], { ignore });
  quick();
  const { found, sent } = await play(recording, (message, say) => {
    if (message) return;
    say(call(2));
    say(size(7));
    say(size(8));
  });
  calm();
  assert.equal(found, undefined, found?.text);
  assert.equal(sent[0].id, 0);
});

await test("a recording that is not one is refused, each with its reason", async () => {
  const good = { format: "mica-view-recording", version: 1, view: { uri: "ui://s/v" },
    messages: [{ from: "view", ms: 0, message: rpc({ method: "a" }) }] };
  const refused = (file, wanted, pattern) =>
    assert.throws(() => readRecording(typeof file === "string" ? file : JSON.stringify(file)),
      (error) => code(wanted)(error) && assert.match(error.message, pattern) === undefined);
  assert.equal(readRecording(JSON.stringify(good)).messages.length, 1);
  refused("x".repeat(limits.recordingSize + 1), "RECORDING_TOO_LARGE", /2000 messages/);
  refused("{", "RECORDING_NOT_JSON", /not JSON/);
  refused("null", "RECORDING_FORM", /no recording/);
  refused({ ...good, format: "x" }, "RECORDING_FORM", /no recording/);
  refused({ ...good, version: 2 }, "RECORDING_VERSION", /version 2; .*reads version 1/);
  refused({ ...good, version: undefined }, "RECORDING_VERSION", /version none/);
  refused({ ...good, extra: 1 }, "RECORDING_FORM", /no member "extra"/);
  refused(JSON.stringify(good).replace("{", '{"__proto__":{"polluted":1},'), "RECORDING_FORM",
    /no member "__proto__"/);
  refused({ ...good, view: {} }, "RECORDING_FORM", /"uri"/);
  refused({ ...good, view: { uri: "https://a.example" } }, "RECORDING_FORM", /ui:\/\//);
  refused({ ...good, ignore: {} }, "RECORDING_FORM", /"ignore" is no list/);
  refused({ ...good, ignore: [{ method: "a", pointer: "b" }] }, "RECORDING_FORM", /begins/);
  refused({ ...good, ignore: [null] }, "RECORDING_FORM", /"method"/);
  refused({ ...good, messages: [] }, "RECORDING_FORM", /no list with items/);
  const messages = (...items) => ({ ...good, messages: items });
  const [first] = good.messages;
  refused({ ...good, messages: Array(limits.recorded + 1).fill(first) }, "RECORDING_TOO_LARGE",
    /2000/);
  refused(messages(null), "RECORDING_FORM", /Message 1: "from"/);
  refused(messages({ ...first, from: "server" }), "RECORDING_FORM", /"from"/);
  refused(messages({ ...first, ms: -1 }), "RECORDING_FORM", /"ms"/);
  refused(messages({ ...first, message: {} }), "RECORDING_FORM", /not JSON-RPC/);
  refused(messages({ ...first, message: rpc({ method: VIOLATION }) }), "RECORDING_FORM",
    /sandbox/);
  refused(messages(first, { from: "host", ms: 0, message: reply(0, {}) }), "RECORDING_FORM",
    /Message 2 answers no request/);
  refused(messages({ from: "host", ms: 0, message: rpc({ method: "a" }) }), "RECORDING_FORM",
    /ui\/initialize/);
  const deep = `${'{"a":'.repeat(100)}1${"}".repeat(100)}`;
  refused(JSON.stringify(good).replace('"method":"a"', `"method":"a","params":${deep}`),
    "MESSAGE_TOO_DEEP", /Message 1: /);
});

await test("members named __proto__ are members, in replays and in what they ignore", async () => {
  const text = JSON.stringify({ format: "mica-view-recording", version: 1,
    view: { uri: "ui://s/v" },
    ignore: [{ method: "a", pointer: "/params/__proto__/at" }, { method: "a", pointer: "/no/x" }],
    messages: [{ from: "view", ms: 0, message: rpc({ method: "a", params: "P" }) }] })
    .replace('"P"', '{"__proto__":{"polluted":1,"at":1}}');
  quick();
  const run = async (params) => (await play(readRecording(text), (_, say) =>
    say({ method: "a", params: JSON.parse(params) }))).found?.text;
  assert.equal(await run('{"__proto__":{"polluted":1,"at":2}}'), undefined);
  assert.match(await run('{"__proto__":{"polluted":2}}'),
    /\/params\/__proto__\/polluted: recorded 1, now 2/);
  assert.match(await run("{}"), /\/params\/__proto__: recorded .*, now nothing/);
  calm();
  assert.equal({}.polluted, undefined);
});

await test("differences: members in any order, absent or undefined, lists and types", async () => {
  assert.equal(firstDifference({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1, c: undefined }), undefined);
  assert.deepEqual(firstDifference([1], [1, 2]), { pointer: "/1", expected: undefined, actual: 2 });
  assert.equal(firstDifference({ a: [] }, { a: {} }).pointer, "/a");
  assert.equal(firstDifference({ a: null }, { a: {} }).pointer, "/a");
  assert.equal(firstDifference(0, false).pointer, "");
  assert.equal(firstDifference({ toString: 1 }, {}).pointer, "/toString");
  assert.deepEqual(without({ a: [{ "b/c": 1, d: 2 }, 3] }, "/a/0/b~1c"), { a: [{ d: 2 }, 3] });
  assert.deepEqual(without([1, 2, 3], "/1"), [1, 3]);
  assert.deepEqual(without({ a: 1 }, "/a/b"), { a: 1 });
  assert.deepEqual(without({ a: 1 }, "/b"), { a: 1 });
});

await test("a recorder that cannot keep all says so, and gives no file", async () => {
  const empty = new Recorder({ uri: "ui://s/v" });
  assert.throws(() => empty.text(), code("RECORDING_EMPTY"));
  empty.add("view", rpc({ method: "ui/notifications/sandbox-proxy-ready" }), 0);
  assert.equal(empty.count, 0);
  const many = new Recorder({ uri: "ui://s/v" });
  for (let i = 0; i <= limits.recorded; i++) many.add("view", rpc({ method: "a" }), i);
  assert.throws(() => many.text(), code("RECORDING_TOO_LARGE"));
  assert.equal(many.count, 0);
  const large = new Recorder({ uri: "ui://s/v" });
  for (let i = 0; i < 20; i++)
    large.add("view", rpc({ method: "a", params: { text: "x".repeat(1 << 20) } }), i);
  assert.throws(() => large.text(), code("RECORDING_TOO_LARGE"));
  const odd = new Recorder({ uri: "ui://s/v" });
  odd.add("view", { no: "message" }, 0);
  assert.throws(() => odd.text(), code("RECORDING_FORM"));
  const long = new Recorder({ uri: "ui://s/v", csp: { connectDomains:
    [`https://${"x".repeat(limits.recordingSize)}`] } });
  long.add("view", rpc({ method: "a" }), 0);
  assert.throws(() => long.text(), /larger than|at most/);
});

// ---- The policy ----------------------------------------------------------------------

await test("advice about a policy: the exact member, for C and as JSON", async () => {
  const of = (directive, blocked, csp) => adviceOf({ directive, blocked }, csp,
    ["http://127.0.0.1:8080", "http://localhost:8080"]);
  const api = of("connect-src", "https://api.example.com/v1/x?y=1");
  assert.equal(api.macro, '.connect_domains = MICA_DOMAINS("https://api.example.com")');
  assert.equal(api.json, '"connectDomains": ["https://api.example.com"]');
  assert.match(api.text, /^Add https:\/\/api.example.com to connectDomains\.$/);
  const second = of("connect-src", "wss://b.example:444/s",
    { connectDomains: ["https://a.example"] });
  assert.equal(second.macro,
    '.connect_domains = MICA_DOMAINS("https://a.example", "wss://b.example:444")');
  for (const [directive, member] of [["script-src-elem", "resource"], ["img-src", "resource"],
    ["style-src-elem", "resource"], ["font-src", "resource"], ["media-src", "resource"],
    ["frame-src", "frame"], ["base-uri", "base_uri"]])
    assert.ok(of(directive, "https://c.example/x").macro
      .startsWith(`.${member}_domains = MICA_DOMAINS("https://c.example")`), directive);
  const wrongList = of("img-src", "https://a.example/i.png",
    { connectDomains: ["https://a.example"] });
  assert.match(wrongList.text, /connectDomains has .*, but img-src is opened by resourceDomains/);
  const plain = of("connect-src", "http://api.example.com/");
  assert.equal(plain.domain, "https://api.example.com");
  assert.match(plain.text, /for this machine alone/);
  assert.equal(of("connect-src", "http://127.0.0.1:9/x").domain, "http://127.0.0.1:9");
  assert.equal(of("connect-src", "ws://d.example/").domain, "wss://d.example");
  assert.match(of("connect-src", "https://a.example/", { connectDomains: ["https://a.example"] })
    .text, /open the view again/);
});

await test("advice about a policy: what is never allowed says so", async () => {
  const of = (directive, blocked) => adviceOf({ directive, blocked }, {},
    ["http://127.0.0.1:8080"]);
  for (const [directive, blocked, pattern] of [["script-src", "eval", /No host lets/],
    ["script-src", "wasm-eval", /WebAssembly/], ["script-src-attr", "inline", /addEventListener/],
    ["connect-src", "data", /atob/], ["img-src", "blob", /data: address/],
    ["worker-src", "https://a.example/w.js", /no workers/], ["object-src", "https://a.example/",
      /<object>/], ["form-action", "https://a.example/", /submit/],
    ["script-src-elem", "ftp://a.example/x.js", /ftp: are never allowed/],
    ["connect-src", "http://127.0.0.1:8080/mcp", /Call a tool/],
    ["connect-src", "not an address", /Nothing in a declaration/],
    ["constructor", "https://a.example", /Nothing in a declaration/]]) {
    const advice = of(directive, blocked);
    assert.match(advice.text, pattern, directive);
    assert.equal(advice.macro, undefined, directive);
  }
});

await test("the audit counts what repeats, is bounded, and takes any parameters", async () => {
  const audit = new PolicyAudit({ connectDomains: "all" }, []);
  let told = 0;
  const silence = audit.listen(() => told++);
  audit.add({ directive: "connect-src", blocked: "https://a.example/1", source: "about:srcdoc",
    line: 7, column: 3 });
  audit.add({ directive: "connect-src", blocked: "https://a.example/2" });
  for (const params of [undefined, null, {}, { directive: 1 }, { directive: {} }]) audit.add(params);
  audit.add({ directive: "img-src", blocked: { __proto__: null }, line: "x", source: 7 });
  audit.add({ directive: "x\u202ey".repeat(100), blocked: "https://b.example" });
  assert.deepEqual([audit.findings.length, audit.findings[0].count, told], [3, 2, 4]);
  assert.deepEqual(audit.findings[0].place, { source: "about:srcdoc", line: 7, column: 3 });
  assert.deepEqual(audit.findings[1].place, { source: "", line: 0, column: 0 });
  assert.equal(audit.findings[2].directive.length, 40);
  silence();
  for (let i = 0; i < 500; i++)
    audit.add({ directive: "img-src", blocked: `https://h${i}.example/` });
  assert.equal(audit.findings.length, limits.violations);
  assert.equal(audit.missed, 500 + 3 - limits.violations);
});

// ---- The checklist ---------------------------------------------------------------------

const named = (steps) => Object.fromEntries(steps.map(({ name, ...rest }) => [name, rest]));

await test("the checklist: steps with their times, and what is missing", async () => {
  const list = new Checklist(0);
  let told = 0;
  list.listen(() => told++);
  const blank = list.steps(limits.missingMs + 1);
  assert.deepEqual(blank.map(({ state, why }) => [state, why !== undefined]).slice(0, 3),
    [["missing", true], ["missing", false], ["missing", false]]);
  assert.match(blank[0].why, /frame of the sandbox/);
  assert.ok(list.steps(1).every(({ state, why }) => state === "waiting" && why === undefined));
  list.add("view", rpc({ method: "ui/notifications/sandbox-proxy-ready", params: {} }), 12.4);
  list.add("host", rpc({ method: "ui/notifications/sandbox-resource-ready", params: {} }), 13);
  const started = list.steps(limits.missingMs + 1);
  assert.deepEqual([started[0].state, started[0].ms, started[2].state], ["done", 12, "missing"]);
  assert.match(started[2].why, /connect\(\)/);
  assert.equal(told, 2);
  list.add("view", { nothing: 1 }, 14);
  list.add("view", request(0, "ui/initialize", { protocolVersion: "2020-01-01" }), 20);
  list.add("host", reply(0, { protocolVersion: "2026-01-26" }), 21);
  const old = named(list.steps(30))["Version agreed"];
  assert.deepEqual([old.state, old.ms], ["wrong", 21]);
  assert.match(old.why, /2020-01-01/);
  list.add("view", rpc({ method: "ui/notifications/initialized" }), 25);
  list.add("host", rpc({ method: "ui/notifications/tool-input", params: {} }), 26);
  list.add("host", rpc({ method: "ui/notifications/tool-result", params: { isError: true } }), 27);
  list.add("view", rpc({ method: "ui/notifications/size-changed", params: { height: 0 } }), 28);
  const all = named(list.steps(30));
  assert.deepEqual([all["Result sent"].state, all["Size reported"].state], ["wrong", "wrong"]);
  assert.match(all["Size reported"].why, /height is 0/);
  // Loaded again: it begins again, and the sandbox is there.
  list.add("view", request(0, "ui/initialize", { protocolVersion: "2026-01-26" }), 50);
  list.add("host", rpc({ id: 0, error: { code: -1, message: "no\u202e" } }), 51);
  const again = named(list.steps(limits.missingMs + 1));
  assert.deepEqual([again["ui/initialize received"].ms, again["Version agreed"].why,
    again.Initialized.state, again["Input sent"].why], [20, "refused: no", "missing", undefined]);
  assert.match(again.Initialized.why, /connect\(\) failed/);
});

await test("the checklist of a view that works has nothing missing but what is optional",
  async () => {
    const { bridge, watch } = await open();
    await bridge.sendToolInput({ arguments: {} });
    await bridge.sendToolCancelled({ reason: "x" });
    const steps = named(watch.checklist.steps(performance.now() + limits.missingMs + 1));
    for (const name of ["ui/initialize received", "Version agreed", "Initialized", "Input sent"])
      assert.equal(steps[name].state, "done", name);
    assert.equal(steps["Result sent"].why, "the call was canceled");
  });

// ---- Tokens, context, state ------------------------------------------------------------

await test("tokens: how they are estimated, and the two warnings", async () => {
  assert.equal(tokensOfText("a".repeat(400)), 100);
  assert.equal(tokensOfText("日本語"), 2);
  assert.equal(tokensOfText(""), 0);
  assert.equal(tokensOfResult({ content: [{ type: "text", text: "a".repeat(40) },
    { type: "image", data: "A".repeat(4000), mimeType: "image/png" },
    { type: "resource", resource: { uri: "x", blob: "A".repeat(4000) } }] }), 10);
  assert.equal(tokensOfResult({ content: [], structuredContent: { a: "b".repeat(32) } }), 10);
  assert.equal(tokensOfResult({}), 0);
  assert.equal(tokensOfResult({ content: "x" }), 0);
  assert.ok(tokensOfResult({ content: [{ type: "resource_link", uri: "https://a", name: "n" }] }) > 5);
  assert.equal(tokensOfTools([{ name: "t", description: "x".repeat(380), inputSchema: {},
    _meta: { big: "y".repeat(4000) } }, null]), 98);
  assert.equal(tokenWarning("result", 5000), undefined);
  const some = tokenWarning("result", 5001), many = tokenWarning("tools", 20_001);
  assert.match(some.text, /5,001 tokens.*more than 5,000/);
  assert.equal(some.strong, false);
  assert.match(many.text, /20,001 tokens.*more than 20,000.*fewer tools/);
  assert.equal(many.strong, true);
});

await test("the context: theme, locale, time zone, device and mode reach the view", async () => {
  const settings = { theme: "light", locale: "de-ch", timeZone: "Europe/Zurich",
    device: "phone", displayMode: "inline" };
  const place = { width: 900, height: 600 };
  const { bridge, app } = await open();
  bridge.setHostContext(contextOf(settings, { userAgent: "mica" }, place));
  await until(() => app.getHostContext().theme === "light");
  assert.deepEqual(app.getHostContext(), { theme: "light", displayMode: "inline",
    platform: "mobile", availableDisplayModes: ["inline", "fullscreen", "pip"],
    userAgent: "mica", locale: "de-CH", timeZone: "Europe/Zurich",
    deviceCapabilities: { touch: true, hover: false },
    containerDimensions: { width: 360, maxHeight: 6000 },
    safeAreaInsets: { top: 24, right: 0, bottom: 16, left: 0 } });
  const sized = (device, displayMode) => contextOf({ ...settings, device, displayMode }, {}, place)
    .containerDimensions;
  assert.deepEqual(sized("desktop", "inline"), { width: 900, maxHeight: 6000 });
  assert.deepEqual(sized("desktop", "fullscreen"), { width: 900, height: 600 });
  assert.deepEqual(sized("phone", "fullscreen"), { width: 360, height: 740 });
  assert.deepEqual(sized("phone", "pip"), { width: 320, height: 240 });
  assert.deepEqual(sizeOf({ device: "desktop", displayMode: "inline" }),
    { width: undefined, height: undefined });
  assert.throws(() => localeOf("not a locale"), RangeError);
  assert.throws(() => timeZoneOf("Mars/Olympus"), RangeError);
  assert.equal(timeZoneOf("europe/zurich"), "Europe/Zurich");
});

await test("the state: what both sides said, what the model gets, the tools of the view",
  async () => {
    const { bridge, app } = await open({ capabilities: { updateModelContext: {}, logging: {} },
      begin(app) {
        app.registerTool("get", { inputSchema: { type: "object" } }, async () => ({ content: [] }));
      } });
    await app.updateModelContext({ structuredContent: { board: [1] } });
    const seen = await stateOf(bridge);
    assert.deepEqual(seen.modelContext, { structuredContent: { board: [1] } });
    assert.deepEqual([seen.state, seen.app.name, seen.hostContext.theme], ["LIVE", "v", "dark"]);
    assert.deepEqual(seen.tools.map(({ name }) => name), ["get"]);
    assert.deepEqual(Object.keys(seen.hostCapabilities), ["updateModelContext", "logging"]);
    await bridge.close();
    const ended = await stateOf(bridge);
    assert.deepEqual([ended.state, ended.tools], ["CLOSED", []]);
  });

await test("a view that is replaced leaves its model context and what its teardown answers",
  async () => {
    const capabilities = { updateModelContext: {} };
    const { bridge, app } = await open({ capabilities, begin(app) {
      app.onteardown = async () => ({ round: 3 });
    } });
    await app.updateModelContext({ content: [{ type: "text", text: "board" }] });
    const errors = [];
    const left = await leave(bridge, (error) => errors.push(error.code));
    assert.deepEqual(left, { state: { round: 3 },
      modelContext: { content: [{ type: "text", text: "board" }] } });
    assert.equal(bridge.state, "CLOSED");
    assert.deepEqual(await leave(bridge, assert.fail), {});
    const next = await open({ begin: (_, bridge) => bridge.setHostContext({ [RESTORED]: left }) });
    assert.deepEqual(next.app.getHostContext()[RESTORED].state, { round: 3 });

    const greedy = await open({ begin(app) {
      app.onteardown = async () => ({ text: "x".repeat(limits.restoredSize) });
    } });
    assert.deepEqual(await leave(greedy.bridge, (error) => errors.push(error.code)),
      { state: undefined });
    assert.deepEqual(errors, ["MESSAGE_TOO_LARGE"]);
    const plain = await open();
    assert.deepEqual(await leave(plain.bridge, assert.fail), {});
  });

done();
