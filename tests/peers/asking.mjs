// SPDX-License-Identifier: Apache-2.0
//
// Conversations of the official clients with the tools of tools/: version 2, which
// answers in rounds, and version 1, which is asked by its server, each over stdio
// and HTTP, and version 1 also over the transport of 2024-11-05. Both answer forms and stand in for the model. What must happen once is
// counted in the files of the services. Tasks, which neither client knows, and rounds
// that are repeated by plain requests. TAP.
//
//     node asking.mjs --mica build/mica --tools tools
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import * as modern from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from
  "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from
  "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as OldestHttp } from
  "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport as LegacyStdio } from
  "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from
  "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from
  "@modelcontextprotocol/sdk/types.js";

import { absolute, done, folder, need, options, pause, same, serve, test, until } from
  "./tap.mjs";

const words = options({ mica: "build/mica", tools: "tools" });
const mica = absolute(words.mica);
const info = { name: "mica-asking", version: "1.0.0" };
const capabilities = { elicitation: { form: {} }, sampling: {} };
const state = { ...process.env, XDG_STATE_HOME: folder };

// ---- Clients -------------------------------------------------------------------

const CLIENTS = [
  {
    name: "client v2",
    connect: () => new modern.Client(info, {
      capabilities,
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    }),
    answer: (client, form, sampling) => {
      client.setRequestHandler("elicitation/create",
        ({ params }) => form(params));
      client.setRequestHandler("sampling/createMessage",
        ({ params }) => sampling(params));
    },
    call: (client, params) => client.callTool(params),
    stdio: (command, args) => new ModernStdio(
      { command, args, cwd: folder, env: state, stderr: "ignore" }),
    http: (url) => new modern.StreamableHTTPClientTransport(new URL(url)),
  },
  {
    name: "sdk v1",
    connect: () => new LegacyClient(info, { capabilities }),
    answer: (client, form, sampling) => {
      client.setRequestHandler(ElicitRequestSchema,
        ({ params }) => form(params));
      client.setRequestHandler(CreateMessageRequestSchema,
        ({ params }) => sampling(params));
    },
    call: (client, params) => client.callTool(params),
    stdio: (command, args) => new LegacyStdio(
      { command, args, cwd: folder, env: state, stderr: "ignore" }),
    http: (url) => new LegacyHttp(new URL(url)),
    sse: (url) => new OldestHttp(new URL(url)),
  },
];

const accept = (content) => ({ action: "accept", content });
const decline = { action: "decline" };
const dismiss = { action: "cancel" };

// Answers in their order; `answers` are results of forms, or functions of the form.
// All of them must be wanted, and no more.
function person(kind, client, answers, says = "A fine flight.") {
  const left = [...answers];
  const asked = { forms: [], prompts: [] };
  kind.answer(client,
    (params) => {
      asked.forms.push(params);
      need(left.length > 0, `one form too many: ${params.message}`);
      const answer = left.shift();
      return typeof answer === "function" ? answer(params) : answer;
    },
    (params) => {
      asked.prompts.push(params);
      return { role: "assistant", model: "none", stopReason: "endTurn",
        content: { type: "text", text: says } };
    });
  asked.all = () => same(left.length, 0, "answers that nobody wanted");
  return asked;
}

// ---- What the tools and services have kept ----------------------------------------

// Of the one project that this folder is.
function fileOf(service) {
  const projects = join(folder, "mica", "projects");
  const project = join(projects, readdirSync(projects)[0]);
  return service.startsWith("tool.")
    ? join(project, "keep", `${service}.db`)
    : join(project, "services", service, `${service}.db`);
}

function rows(service, sql) {
  const file = fileOf(service);
  need(existsSync(file), `no ${file}`);
  return JSON.parse(execFileSync("python3", ["-c",
    "import json, sqlite3, sys\n" +
    "db = sqlite3.connect(sys.argv[1])\n" +
    "print(json.dumps(db.execute(sys.argv[2]).fetchall()))", file, sql],
  { encoding: "utf8" }));
}
// In one look: a start of python is the longest part of it. The database of a tool is
// made by its first step.
const counts = (service, tables) =>
  service.startsWith("tool.") && !existsSync(fileOf(service))
    ? tables.map(() => 0)
    : rows(service, `SELECT ${
      tables.map((table) => `(SELECT count(*) FROM ${table})`)}`)[0];
const count = (service, table) => counts(service, [table])[0];

// ---- book_flight -----------------------------------------------------------------

const FLIGHT = { name: "book_flight",
  arguments: { destination: "Lisbon", date: "2027-05-01" } };

const optionsOf = (form, field) => {
  const schema = form.requestedSchema.properties[field];
  return (schema.oneOf ?? []).map(({ const: value }) => value);
};
const pick = (form) => {
  const flights = optionsOf(form, "flightId");
  need(flights.length >= 3, `${flights.length} flights`);
  return accept({ flightId: flights[0], seatPreference: "window" });
};

async function books(kind, client) {
  const before = count("tool.book_flight", "bookings");
  const asked = person(kind, client, [pick, accept({ confirmed: true })]);
  const result = await kind.call(client, FLIGHT);
  need(!result.isError, JSON.stringify(result));
  need(/^Booked flight B\d{6}$/.test(result.content[0].text),
    result.content[0].text);
  asked.all();
  same(asked.prompts.length, 1, "samplings");
  need(/Summarize .* to Lisbon, seat: window/.test(
    JSON.stringify(asked.prompts[0].messages)), "the prompt");
  need(asked.forms[1].message.startsWith("A fine flight.\n\n"),
    asked.forms[1].message);
  same(count("tool.book_flight", "bookings"), before + 1, "bookings");
}

const leaves = (answers, reason) => async (kind, client) => {
  const before = count("tool.book_flight", "bookings");
  const asked = person(kind, client, answers);
  const result = await kind.call(client, FLIGHT);
  same(result.content[0].text, `Booking cancelled: ${reason}`, "the result");
  asked.all();
  same(counts("tool.book_flight", ["bookings", "sessions WHERE status = 'searching'"]),
    [before, 0], "bookings, and sessions left open");
};

// The form refuses it, says why, and asks again.
async function corrects(kind, client) {
  let again = "";
  const asked = person(kind, client, [
    accept({ flightId: "XX999", seatPreference: "window" }),
    (form) => {
      again = form.message;
      return pick(form);
    },
    accept({ confirmed: true }),
  ]);
  const result = await kind.call(client, FLIGHT);
  need(/^Booked/.test(result.content[0].text), result.content[0].text);
  need(/XX999/.test(again), `the fault is not in: ${again}`);
  asked.all();
}

// ---- deploy_approval ---------------------------------------------------------------

const DEPLOY = { name: "deploy_approval", arguments: { service: "shop",
  version: "1.4.2", environment: "production" } };
const DEPLOYS = ["builds", "deployments", "notices", "locks"];
const deploys = () => counts("deploys", DEPLOYS);

const deploying = (answers, outcome, more) => async (kind, client) => {
  const before = deploys();
  const asked = person(kind, client, answers);
  const result = await kind.call(client, DEPLOY);
  need(!result.isError, JSON.stringify(result));
  asked.all();
  same(result.structuredContent.outcome, outcome, "outcome");
  same(deploys().map((n, i) => n - before[i]), more, "what was done");
};

// ---- survey ------------------------------------------------------------------------

const SURVEY = { name: "survey", arguments: { subject: "the canteen" } };

const surveying = (answers, ending, score, troubles, comments) =>
  async (kind, client) => {
    const asked = person(kind, client, answers);
    const result = await kind.call(client, SURVEY);
    need(!result.isError, JSON.stringify(result));
    asked.all();
    const said = result.structuredContent;
    same(said.ending, ending, "ending");
    same(said.score, score, "score");
    same(said.troubles, troubles, "troubles");
    same(said.comments, comments, "comments");
    need(said.seconds >= 0, "seconds");
  };

const CONVERSATIONS = [
  ["books a flight", books],
  ["declines to pick one", leaves([decline], "user_declined")],
  ["closes the form", leaves([dismiss], "user_dismissed")],
  ["does not confirm",
    leaves([pick, accept({ confirmed: false })], "not_confirmed")],
  ["is asked again after a wrong answer", corrects],
  ["approves a deployment", deploying(
    [accept({ approved: true, note: "go" })], "deployed", [1, 1, 1, 0])],
  ["rejects a deployment", deploying([decline], "rejected", [1, 0, 0, 0])],
  ["closes an approval, and then gives it", deploying(
    [dismiss, dismiss, accept({ approved: true, strategy: "all-at-once" })],
    "deployed", [1, 1, 1, 0])],
  ["never approves", deploying([dismiss, dismiss, dismiss], "unanswered",
    [1, 0, 0, 0])],
  ["is happy in a survey", surveying(
    [accept({ score: 9 }), accept({ words: "Soup.", more: false })],
    "finished", 9, [], ["Soup."])],
  ["is unhappy in a survey, and has much to say", surveying(
    [accept({ score: 2 }), accept({ troubles: ["price", "speed"] }),
      accept({ words: "Slow.", more: true }),
      accept({ words: "Dear.", more: true }), decline],
    "declined", 2, ["price", "speed"], ["Slow.", "Dear."])],
];

// ---- Runs --------------------------------------------------------------------------

async function converse(kind, way, transport) {
  const named = (what) => `${kind.name} over ${way}: ${what}`;
  const client = kind.connect();
  await client.connect(transport);
  const { tools } = await client.listTools();
  await test(named("is shown the tools that ask"), () =>
    same(["book_flight", "deploy_approval", "survey"].filter((name) =>
      tools.some((tool) => tool.name === name)).length, 3, "tools"));
  for (const [what, conversation] of CONVERSATIONS)
    await test(named(what), () => conversation(kind, client));
  await test(named("imports"), async () => {
    const result = await kind.call(client,
      { name: "import", arguments: { feed: "fair", rows: 1000 } });
    need(!result.isError, JSON.stringify(result));
    same(result.structuredContent.taken, 900, "rows");
  });
  await client.close();
}

// A client that can be asked for nothing does not see what asks it.
async function mute(kind, transport) {
  const client = kind.name === "sdk v1" ? new LegacyClient(info)
    : new modern.Client(info,
      { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  need(!names.includes("survey") && names.includes("import"), `${names}`);
  let said = "";
  try {
    said = JSON.stringify(await kind.call(client, SURVEY));
  } catch (error) {
    said = `${error.message} ${JSON.stringify(error.data ?? {})}`;
  }
  need(/elicitation/.test(said), said);
  await client.close();
}

// ---- Plain requests ----------------------------------------------------------------

const META = "io.modelcontextprotocol";
let id = 0;

async function post(url, method, name, params, capabilities, meta) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Accept": "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
      "Mcp-Name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0", id: ++id, method,
      params: { ...params, _meta: {
        [`${META}/protocolVersion`]: "2026-07-28",
        [`${META}/clientCapabilities`]: capabilities,
        ...meta,
      } },
    }),
  });
  const type = response.headers.get("content-type");
  const text = await response.text();
  return JSON.parse(type === "text/event-stream"
    ? text.trim().split("\n").at(-1).replace(/^data: /, "") : text);
}

async function request(url, method, name, params) {
  const { result, error } = await post(url, method, name, params,
    { extensions: { [`${META}/tasks`]: {} } });
  need(result, JSON.stringify(error));
  return result;
}

// ---- Rounds that are repeated ------------------------------------------------------

const deploy = (url, more, meta) => post(url, "tools/call", DEPLOY.name,
  { ...DEPLOY, ...more }, { elicitation: {} }, meta);

async function repeat(url) {
  let first;
  await test("a first request that is repeated by its key is the same call",
    async () => {
      const before = deploys();
      const meta = { "mica/idempotencyKey": "release-1.4.2" };
      first = await deploy(url, {}, meta);
      const again = await deploy(url, {}, meta);
      same(Object.keys(again.result.inputRequests), ["approval"], "questions");
      same(deploys().map((n, i) => n - before[i]), [1, 0, 0, 1], "what was done");
    });
  await test("another deployment is refused meanwhile", async () => {
    const { result } = await deploy(url, {});
    need(result.isError && /^ENVIRONMENT_LOCKED/.test(result.content[0].text),
      JSON.stringify(result));
  });
  await test("a round that is repeated has the same reply", async () => {
    const before = deploys();
    const answer = (approved) => ({
      requestState: first.result.requestState,
      inputResponses: { approval: accept({ approved }) },
    });
    const one = await deploy(url, answer(true));
    same(one.result.structuredContent.outcome, "deployed", "outcome");
    const two = await deploy(url, answer(true));
    same(two.result, one.result, "the reply");
    const other = await deploy(url, answer(false));
    same(other.error?.data.code, "STATE_SUPERSEDED", JSON.stringify(other));
    same(deploys().map((n, i) => n - before[i]), [0, 1, 1, -1],
      "what was done");
  });
}

// ---- Tasks -------------------------------------------------------------------------

const importing = (url, rows, part_ms) => request(url, "tools/call", "import",
  { name: "import", arguments: { feed: "long", rows, part_ms } });
const getTask = (url, taskId) => request(url, "tasks/get", taskId, { taskId });

// What a process held that was killed is another's after half a minute.
const settled = (url, taskId) => until(async () => {
  const task = await getTask(url, taskId);
  return task.status !== "working" && task;
}, "the end of the task", 90_000);

const importState = () => rows("contacts",
  "SELECT state FROM imports ORDER BY number DESC LIMIT 1")[0][0];

async function tasks(start) {
  let server = await start();
  const url = () => `http://127.0.0.1:${server.port}/mcp`;
  await test("an import is a task, and finishes", async () => {
    const task = await importing(url(), 1000, 10);
    same(task.resultType, "task", "kind of result");
    const end = await settled(url(), task.taskId);
    same(end.status, "completed", "status");
    same(end.result.structuredContent.taken, 900, "rows");
    same(importState(), "finished", "import");
  });
  await test("an import that is cancelled stops", async () => {
    const { taskId } = await importing(url(), 100000, 50);
    await request(url(), "tasks/cancel", taskId, { taskId });
    same((await settled(url(), taskId)).status, "cancelled", "status");
    same(await until(() => importState() !== "running" && importState(),
      "the import stops"), "stopped", "import");
  });
  await test("an import goes on after a restart", async () => {
    const { taskId } = await importing(url(), 6000, 100); // 30 parts
    await pause(600);
    await server.kill();
    server = await start();
    const end = await settled(url(), taskId);
    same(end.status, "completed", JSON.stringify(end));
    same(end.result.structuredContent.taken, 5400, "rows");
  }, 120000);
  await server.end();
}

// ---- All of it ---------------------------------------------------------------------

cpSync(absolute(words.tools), join(folder, "tools"), { recursive: true });
const ready = await test("the tools are built", () => {
  execFileSync(mica, ["build"], { cwd: folder, env: state, stdio: "pipe" });
  return Promise.resolve();
}, 300000);
if (!ready) done();
// The files of the services, before the first count of their rows.
const start = (...more) =>
  serve(mica, ["serve", "--drain=0", "--listen", "127.0.0.1:0", ...more]);
for (const kind of CLIENTS) {
  await test(`${kind.name} over HTTP: comes and goes`, async () => {
    const server = await start();
    const url = `http://127.0.0.1:${server.port}/mcp`;
    await converse(kind, "HTTP", kind.http(url));
    await test(`${kind.name} that cannot be asked is told so`,
      () => mute(kind, kind.http(url)));
    await server.end();
  }, 300000);
  if (kind.sse)
    await test(`${kind.name} over SSE: comes and goes`, async () => {
      const server = await start("--http-sse");
      const url = `http://127.0.0.1:${server.port}/sse`;
      await converse(kind, "SSE", kind.sse(url));
      await server.end();
    }, 300000);
  await test(`${kind.name} over stdio: comes and goes`, () =>
    converse(kind, "stdio", kind.stdio(mica, ["stdio"])), 300000);
}
await test("rounds are repeated", async () => {
  const server = await start();
  await repeat(`http://127.0.0.1:${server.port}/mcp`);
  await server.end();
}, 300000);
await test("tasks: come and go", () => tasks(start), 300000);
rmSync(join(folder, "tools"), { recursive: true, force: true });
done();
