// SPDX-License-Identifier: Apache-2.0
//
// The official clients, version 2 in rounds and version 1 in a session, at apps whose result
// an engine, a tool or a language model makes: what they get, what they are asked, and what
// they are told on the way. The stand-in of tests/wire is the provider. TAP.
//
//     node app-behaviors.mjs --mica build/mica --app-store build/tests/wire/app-store
//         --engines build/engines --tools build/tools --model tests/wire/model_server.py
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import * as modern from "@modelcontextprotocol/client";
import { Client as LegacyClient } from
  "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyHttp } from
  "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from
  "@modelcontextprotocol/sdk/types.js";

import { absolute, done, folder, need, options, same, serve, test } from "./tap.mjs";

const words = options({ mica: "build/mica", "app-store": "build/tests/wire/app-store",
  engines: "build/engines", tools: "build/tools", model: "tests/wire/model_server.py" });
const info = { name: "mica-peers", version: "1.0.0" };
const capabilities = { elicitation: { form: {} }, sampling: {} };
const store = `sqlite:${join(folder, "apps.db")}`;

// ---- The apps -------------------------------------------------------------------------

const facts = (label, pointer) => ({ "/facts/0/label": { value: label },
  "/facts/0/value": { pointer } });
const TIP = {
  type: "tool", tool: "tip-splitter", message: "The bill with the tip:",
  arguments: { "/amount": { pointer: "/context/amount" }, "/currency": { value: "EUR" } },
  data: { "/title": { value: "The bill" }, ...facts("Total", "/total") },
};
const SURVEY = {
  type: "tool", tool: "survey", arguments: { "/subject": { pointer: "/message" } },
  data: { "/title": { pointer: "/ending" }, ...facts("Score", "/score") },
};
const IMPORT = {
  type: "tool", tool: "import",
  arguments: { "/feed": { value: "trade-fair" }, "/rows": { pointer: "/context/rows" } },
  data: { "/title": { value: "Imported" }, ...facts("Rows", "/taken") },
};
const prompt = (by, provider) => ({ type: "prompt", systemPrompt: "Answer as a clerk.", by,
  ...(provider && { provider }) });

function publish(slug, behavior) {
  const app = { name: slug, description: "Helps with orders.", toolName: "get_order_status",
    toolDescription: "Retrieve the status of an order.", layoutTemplate: "card",
    mockData: { title: "Order 1" }, behavior, visibility: "public",
    budget: { callsPerDay: 1000, tokensPerDay: 1000000, seconds: 30, concurrent: 10 } };
  execFileSync(absolute(words["app-store"]), [store, "publish", `id-${slug}`, slug,
    JSON.stringify(app), "0123456789abcdef", "<!doctype html><p>widget</p>"]);
}

// The stand-in serves until its input ends.
const model = spawn("python3", [absolute(words.model)], { stdio: ["pipe", "pipe", "inherit"] });
process.on("exit", () => model.kill());
const provider = await new Promise((found) => model.stdout.once("data",
  (bytes) => found(String(bytes).trim())));
writeFileSync(join(folder, "mica.toml"), Object.entries({
  quick: "echo", slow: "step-5", broken: "status-500",
}).map(([name, of]) => `[providers.${name}]\ntype = "openai"\nurl = "${provider}"\n` +
  `model = "${of}"\nattempts = 1\n`).join("\n"));

publish("tip", TIP);
publish("survey", SURVEY);
publish("import", IMPORT);
publish("quick", prompt("provider", "quick"));
publish("slow", prompt("provider", "slow"));
publish("broken", prompt("provider", "broken"));
publish("either", prompt("any", "quick"));
publish("sampled", prompt("client"));
const server = await serve(absolute(words.mica), ["serve", "--listen", "127.0.0.1:0",
  "--store", store, "--engines", absolute(words.engines), "--tools", absolute(words.tools),
  "--models", "--drain", "0", "--quiet"]);

// ---- The clients ------------------------------------------------------------------------

const CLIENTS = [
  {
    name: "client v2",
    open: () => new modern.Client(info, {
      capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } },
    }),
    transport: (url) => new modern.StreamableHTTPClientTransport(url),
    answer: (client, form, sampling) => {
      client.setRequestHandler("elicitation/create", ({ params }) => form(params));
      client.setRequestHandler("sampling/createMessage", ({ params }) => sampling(params));
    },
    call: (client, params, more) => client.callTool(params, more),
  },
  {
    name: "sdk v1",
    open: () => new LegacyClient(info, { capabilities }),
    transport: (url) => new LegacyHttp(url),
    answer: (client, form, sampling) => {
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => form(params));
      client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => sampling(params));
    },
    call: (client, params, more) => client.callTool(params, undefined, more),
  },
];

const RIGHT = { title: "Order 12345", badge: "Shipped" };
const said = (text) => ({ role: "assistant", model: "of-the-client",
  content: { type: "text", text } });

for (const one of CLIENTS) {
  // Calls the app; `forms` and `samples` are what the client answers, in their order.
  const run = async (slug, args, forms = [], samples = []) => {
    const client = one.open();
    const told = [];
    const asked = [];
    const next = (answers) => (params) => {
      asked.push(params);
      need(answers.length > 0, `more was asked than expected: ${JSON.stringify(params)}`);
      return answers.shift();
    };
    one.answer(client, next(forms), next(samples));
    await client.connect(one.transport(
      new URL(`http://127.0.0.1:${server.port}/servers/${slug}/mcp`)));
    // Structured results are checked against the output schema by the client itself.
    await client.listTools();
    const result = await one.call(client, { name: "get_order_status", arguments: args },
      // Version 2 tells of its rounds as well, without a total.
      { onprogress: ({ progress, total }) => total !== undefined && told.push([progress, total]) });
    await client.close();
    same(forms.length + samples.length, 0, "answers left over");
    return { result, told: told.map(([progress]) => progress), asked,
      totals: told.every(([, total]) => total === 100) };
  };
  const rises = ({ told, totals }, what) => {
    need(totals, `a total is not 100 (${what})`);
    need(told.every((value, i) => i === 0 || value > told[i - 1]), `${what}: ${told}`);
    same([told[0], told.at(-1)], [0, 100], what);
  };

  await test(`${one.name} calls an app that runs an engine`, async () => {
    const run_ = await run("tip", { message: "x", context: { amount: 100 } });
    same(run_.result.structuredContent,
      { title: "The bill", facts: [{ label: "Total", value: 115 }] }, "the data");
    same(run_.result.content[0].text, "The bill with the tip:", "the message");
    same(run_.told, [0, 50, 100], "progress");
    const { result } = await run("tip", { message: "x", context: { amount: -1 } });
    same([result.isError, result._meta["mica/error"].code,
      result._meta["mica/error"].details.path],
    [true, "EXECUTION_ERROR", "/context/amount"], "a failure");
    same(result.structuredContent, undefined, "structure of a failure");
  });

  await test(`${one.name} answers what a tool asks through an app`, async () => {
    const accept = (content) => ({ action: "accept", content });
    const run_ = await run("survey", { message: "tea" },
      [accept({ score: 9 }), accept({ words: "Nice.", more: false })]);
    same(run_.result.structuredContent,
      { title: "finished", facts: [{ label: "Score", value: 9 }] }, "the data");
    same(run_.asked[0].message, "How much do you like tea?", "the question");
    need(run_.told.every((value, i) => i === 0 || value > run_.told[i - 1]), run_.told);
  });

  await test(`${one.name} is told how far a tool is`, async () => {
    const run_ = await run("import", { message: "x", context: { rows: 1000 } });
    same(run_.result.structuredContent.title, "Imported", "the data");
    rises(run_, "of the tool");
    need(run_.told.length > 4 && run_.told[1] === 50, run_.told);
  });

  await test(`${one.name} calls an app whose provider answers`, async () => {
    const { result } = await run("quick", { message: JSON.stringify(RIGHT) });
    same(result.structuredContent, RIGHT, "the data");
    need(result.content.some(({ text }) => text.includes("Shipped")), "no text");
    const long = { title: "Long", body: "word ".repeat(150).trim() };
    const slow = await run("slow", { message: JSON.stringify(long) });
    same(slow.result.structuredContent, long, "the data");
    rises(slow, "of the words");
    need(slow.told.length > 4, slow.told);
    const either = await run("either", { message: JSON.stringify(RIGHT) });
    same([either.result.structuredContent, either.asked], [RIGHT, []], "the provider first");
  });

  await test(`${one.name} is told of a provider that fails`, async () => {
    const { result } = await run("broken", { message: "x" });
    same([result.isError, result._meta["mica/error"]], [true, { code: "LLM_ERROR",
      message: "the language model could not answer", details: {} }], "the failure");
  });

  await test(`${one.name} lends its model, which is corrected once`, async () => {
    const first = await run("sampled", { message: "Where?" }, [], [said(JSON.stringify(RIGHT))]);
    same(first.result.structuredContent, RIGHT, "the data");
    need(first.asked[0].systemPrompt.includes("Answer as a clerk."), "no system prompt");
    same(first.asked[0].messages.length, 1, "messages");
    const second = await run("sampled", { message: "Where?" }, [],
      [said("I do not know."), said(JSON.stringify(RIGHT))]);
    same(second.result.structuredContent, RIGHT, "the data");
    same(second.asked.map(({ messages }) => messages.length), [1, 3], "messages");
    need(second.told.every((value, i) => i === 0 || value > second.told[i - 1]), second.told);
    const third = await run("sampled", { message: "Where?" }, [], [said("No."), said("No.")]);
    same([third.result.isError, third.result._meta["mica/error"].code],
      [true, "EXECUTION_ERROR"], "wrong twice");
  });
}

await server.end();
model.stdin.end();
done();
