// SPDX-License-Identifier: Apache-2.0
//
// Version 1 of the official client, whose connections break while its call waits for
// an answer, or works: one to five times, with the same server behind or with one
// that was killed and begun again, in each revision that can be resumed. The client
// knows only the ids of the connection that breaks, so each has to bring one. TAP.
//
//     node breaks.mjs --fixture build/tests/conformance-server
import { connect, createServer } from "node:net";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from
  "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from
  "@modelcontextprotocol/sdk/types.js";

import { absolute, done, folder, need, options, PATIENCE, same, serve, test, together,
  until } from "./tap.mjs";

const words = options({ fixture: "build/tests/conformance-server" });
const fixture = absolute(words.fixture);
const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"];

// ---- Between client and server -------------------------------------------------------

// Passes bytes on to the port of `target`, and cuts. What it saw of each request: its
// head, and the events of its answer.
function between(target) {
  const seen = [];
  const server = createServer((near) => {
    const far = connect(target.port, "127.0.0.1");
    const one = { head: "", text: "", open: true, near };
    const end = () => {
      one.open = false;
      near.destroy();
      far.destroy();
    };
    seen.push(one);
    near.on("data", (bytes) => {
      one.head += bytes;
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      one.text += bytes;
      near.write(bytes);
    });
    for (const socket of [near, far])
      socket.on("error", end).on("close", end);
    one.end = end;
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve({
    seen, port: server.address().port,
    close: () => {
      seen.forEach((one) => one.end());
      server.close();
    },
  })));
}

// The events in what came on a connection, in their order.
const eventsOf = (one) => one.text.replace(/\r\n[0-9a-f]+\r\n/gi, "\r\n")
  .split("\n\n").map((part) => ({
    id: /^id: (.*)$/m.exec(part)?.[1],
    data: /^data: (.*)$/m.exec(part)?.[1],
  })).filter(({ data }) => data !== undefined);

const resumes = (proxy) =>
  proxy.seen.filter((one) => /\nlast-event-id:/i.test(one.head));

// ---- A client of one revision --------------------------------------------------------

// The client asks for its newest, and is made to ask for another.
const asking = (revision) => (url, init) => {
  if (typeof init?.body === "string" && init.body.includes('"initialize"'))
    return fetch(url, { ...init, body: init.body.replace(
      /"protocolVersion":"[^"]*"/, `"protocolVersion":"${revision}"`) });
  return fetch(url, init);
};

async function meet(proxy, revision, answer) {
  const client = new Client({ name: "mica-breaks", version: "1.0.0" },
    { capabilities: { elicitation: {}, sampling: {} } });
  for (const schema of [ElicitRequestSchema, CreateMessageRequestSchema])
    client.setRequestHandler(schema, ({ params }) => answer(params));
  const transport = new StreamableHTTPClientTransport(
    new URL(`http://127.0.0.1:${proxy.port}/mcp`), {
      fetch: asking(revision),
      reconnectionOptions: { initialReconnectionDelay: 100, maxRetries: 400,
        maxReconnectionDelay: 200, reconnectionDelayGrowFactor: 1 },
    });
  await client.connect(transport);
  same(transport.protocolVersion, revision, "revision");
  return client;
}

// ---- Breaking ------------------------------------------------------------------------

const start = (store) => serve(fixture,
  ["--listen", "127.0.0.1:0", "--store", `sqlite:${store}`]);

// Those that a server answered: between two servers a client comes in vain.
const answered = (proxy) =>
  resumes(proxy).filter((one) => eventsOf(one).length > 0).length;
const begun = (proxy, count) => until(() => answered(proxy) >= count,
  `resume ${count} brings an event`);

// Cuts all connections as soon as the newest that was resumed has begun; before the
// first time, once an event has come on that of the call.
async function breakOff(proxy, target, kills, before) {
  await begun(proxy, before);
  for (const one of resumes(proxy)) {
    const [first] = eventsOf(one);
    need(!first || first.id, `begins without an id: ${JSON.stringify(first)}`);
  }
  proxy.seen.forEach((one) => one.end());
  if (!kills) return;
  await target.server.kill();
  target.server = await start(target.store);
  target.port = target.server.port;
}

// On each connection of the call the first event has an id, and ids never fall; what
// is stored comes once.
function looks(proxy) {
  const connections = proxy.seen.filter((one) => /"tools\/call"/.test(one.head) ||
    /\nlast-event-id:/i.test(one.head));
  let last = -1;
  for (const one of connections)
    eventsOf(one).forEach(({ id }, place) => {
      if (!id && place > 0) return;
      need(id, "a connection begins without an id");
      const number = Number(id.split("-")[1]);
      need(place === 0 ? number >= last : number > last, `${id} after ${last}`);
      last = number;
    });
}

// Each has a server and a store of its own.
let conversations = 0;
async function within(revision, conversation) {
  const store = join(folder, `breaks-${++conversations}.db`);
  const target = { store, server: await start(store) };
  target.port = target.server.port;
  const proxy = await between(target);
  try {
    return await conversation(proxy, target, revision);
  } finally {
    proxy.close();
    await target.server.end();
  }
}

// By the text of the question: forms are younger than the oldest of the revisions.
const FORMS = {
  call: { name: "test_input_required_result_multi_round", arguments: {} },
  answers: {
    "What is your name?": { action: "accept", content: { name: "Ada" } },
    "Which color, Ada?":
      { action: "accept", content: { color: "red" } },
  },
  result: "Ada likes red.",
};
const MODEL = {
  call: { name: "test_sampling", arguments: { prompt: "Say hi." } },
  answers: { "Say hi.": { role: "assistant", model: "none",
    content: { type: "text", text: "Hi." } } },
  result: "LLM response: Hi.",
};
const textOf = ({ message, messages }) => message ?? messages[0].content.text;

// While somebody thinks, before each answer. Questions that are asked again are
// answered as before, and not thought about again.
const waits = (breaks, kills) => async (proxy, target, revision) => {
  const { call, answers, result } = revision === "2025-03-26" ? MODEL : FORMS;
  const thoughts = new Map();
  const think = async (question) => {
    const before = answered(proxy);
    for (let i = 0; i < breaks; i++)
      await breakOff(proxy, target, kills, before + i);
    await begun(proxy, before + breaks);
    need(answers[question], `asked: ${question}`);
    return answers[question];
  };
  const client = await meet(proxy, revision, (params) => {
    const question = textOf(params);
    if (!thoughts.has(question)) thoughts.set(question, think(question));
    return thoughts.get(question);
  });
  const { content } = await client.callTool(call, undefined,
    { timeout: 5 * PATIENCE });
  same(content[0].text, result, "the result");
  same([...thoughts.keys()], Object.keys(answers), "questions");
  looks(proxy);
  await client.close();
};

// While it works, with nothing to say for longer than a connection lasts. False if it was
// over before the last break.
const works = (breaks, pause_ms) => async (proxy, target, revision) => {
  const told = [];
  const client = await meet(proxy, revision, () => ({ action: "cancel" }));
  const call = client.callTool(
    { name: "count", arguments: { steps: 3, pause_ms: breaks * pause_ms } }, undefined,
    { timeout: 5 * PATIENCE, onprogress: ({ progress }) => told.push(progress) });
  await until(() => told.length > 0, "progress"); // a busy machine may skip one
  const over = call.then(() => true);
  let early;
  for (let i = 0; i < breaks && !early; i++)
    early = await Promise.race([over, breakOff(proxy, target, false, i)]);
  same(JSON.parse((await call).content[0].text), { counted: 3 }, "the result");
  same(told, [1, 2, 3], "progress");
  looks(proxy);
  await client.close();
  return !early;
};

// A machine that is busy may take longer for the breaks than the call works: then again, with
// three times as long for each.
async function worksLongEnough(breaks, revision) {
  for (const pause_ms of [700, 2000])
    if (await within(revision, works(breaks, pause_ms))) return;
  throw new Error("the call was over before the last break");
}

// They wait for clients that come again, most of the time.
const cases = [];
for (const revision of REVISIONS) {
  for (const breaks of revision === REVISIONS.at(-1) ? [1, 2, 3, 4, 5] : [1, 2, 5])
    for (const kills of [false, true])
      cases.push(() => test(`${revision}: a call that waits outlives ${breaks} ` +
        `broken connections${kills ? " and killed servers" : ""} a question`,
      () => within(revision, waits(breaks, kills)), 5 * PATIENCE));
  for (const breaks of [1, 3, 5])
    cases.push(() => test(`${revision}: a call that works outlives ${breaks} ` +
      "broken connections", () => worksLongEnough(breaks, revision), 5 * PATIENCE));
}
await together(6, cases);
done();
