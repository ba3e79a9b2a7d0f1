// SPDX-License-Identifier: Apache-2.0
//
// The client of web/client on mica in every revision that it serves over HTTP, and on the
// official SDK: its version 2, which speaks 2026-07-28, and its version 1, with sessions.
//
//     node client.mjs --mica build/mica --fixture build/tests/conformance-server
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from
  "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

import { Client, SUPPORTED_PROTOCOL_VERSIONS } from "../../web/client/client.js";
import { absolute, done, need, options, pause, same, serve, test, until } from "./tap.mjs";

const words = options({ mica: "build/mica", fixture: "build/tests/conformance-server" });
const fixture = await serve(absolute(words.fixture), ["--listen", "127.0.0.1:0"]);
const mica = await serve(absolute(words.mica), ["serve", "--listen", "127.0.0.1:0", "--quiet"]);
const at = ({ port }, path = "/mcp") => ({ type: "http", url: `http://127.0.0.1:${port}${path}` });
const info = { name: "mica-peers", version: "1.0.0" };
const fails = (promise) => promise.then(() => { throw new Error("it went well"); },
  (error) => error);

async function connected(server, more = {}, set = () => {}) {
  const client = new Client(info, more.options);
  set(client);
  await client.connect({ transport: at(server) }, more);
  return client;
}

// ---- Every revision of mica -----------------------------------------------------------

for (const version of [undefined, ...SUPPORTED_PROTOCOL_VERSIONS]) {
  const name = version ?? "what both speak";
  const open = (server = fixture, set) => connected(server, { protocolVersion: version }, set);

  await test(`${name}: connects, lists and calls`, async () => {
    const client = await open();
    same(client.getNegotiatedProtocolVersion(), version ?? "2026-07-28", "the revision");
    same(client.getServerVersion().name, "mica-conformance", "the server");
    need(client.getServerCapabilities().tools, "no tools");
    const tools = await client.listTools();
    need(Array.isArray(tools) && tools.tools === tools, "not a list");
    need(tools.some((tool) => tool.name === "greet"), "no greet");
    const { content } = await client.callTool({ name: "greet", arguments: { name: "Ada" } });
    need(content[0].text.includes("Ada"), content[0].text);
    await client.close();
    same((await fails(client.listTools())).code, "NOT_CONNECTED", "closed");
  });

  await test(`${name}: errors are those of the server`, async () => {
    const client = await open();
    const unknown = await fails(client.callTool({ name: "nothing", arguments: {} }));
    same([unknown.name, unknown.code], ["ProtocolError", -32602], "unknown");
    const { isError } = await client.callTool({ name: "test_error_handling", arguments: {} });
    same(isError, true, "of a tool");
    await client.close();
  });

  await test(`${name}: a handler answers what the server asks`, async () => {
    const client = await open(fixture, (client) =>
      client.setRequestHandler("elicitation/create", ({ params }) => ({ action: "accept",
        content: { username: "ada", email: `${params.message.length}@example.org` } })));
    if (version === "2025-03-26") { // it asks nothing
      need((await client.callTool({ name: "test_elicitation", arguments: { message: "Who?" } }))
        .isError, "it asked");
    } else {
      const { content } = await client.callTool({ name: "test_elicitation",
        arguments: { message: "Who?" } });
      need(content[0].text.includes("ada"), content[0].text);
    }
    await client.close();
  });

  await test(`${name}: progress, time-out and abort`, async () => {
    const client = await open();
    const seen = [];
    await client.callTool({ name: "test_tool_with_progress", arguments: {} },
      { onprogress: ({ progress }) => seen.push(progress), resetTimeoutOnProgress: true });
    need(seen.length >= 2, `told ${seen}`);
    const { cancelled } = await waits(client);
    const late = await fails(client.callTool({ name: "wait", arguments: { milliseconds: 30000 } },
      { timeout: 100 }));
    same(late.code, "REQUEST_TIMEOUT", "late");
    const controller = new AbortController();
    const waiting = fails(client.callTool({ name: "wait", arguments: { milliseconds: 30000 } },
      { signal: controller.signal }));
    setTimeout(() => controller.abort("enough"), 50);
    same([(await waiting).code, (await waiting).message], ["REQUEST_TIMEOUT", "enough"], "aborted");
    // On a busy machine one may be cancelled before its handler begins.
    await until(async () => {
      const now = await waits(client);
      return now.running === 0 && now.cancelled > cancelled;
    }, "the server cancels");
    same((await fails(client.listTools({}, { signal: AbortSignal.abort("before") }))).message,
      "before", "before it is sent");
    await client.close();
  });

  await test(`${name}: changes of lists and of a resource`, async () => {
    const told = [];
    const client = await open(fixture, (client) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => told.push("tools"));
      client.setNotificationHandler("notifications/resources/updated",
        ({ params }) => told.push(params.uri));
      client.onerror = (error) => told.push(error.message);
    });
    await until(async () => {
      await client.callTool({ name: "test_trigger_tool_change" });
      return told.includes("tools"); // once its stream is open
    }, "the tools");
    await client.subscribeResource({ uri: "test://watched-resource" });
    await client.subscribeResource({ uri: "test://watched-resource" });
    await client.callTool({ name: "test_trigger_contents_change" });
    await until(() => told.includes("test://watched-resource"), "the resource");
    await client.unsubscribeResource({ uri: "test://watched-resource" });
    same(told.filter((what) => !["tools", "test://watched-resource"].includes(what)), [], "errors");
    await client.close();
  });

  await test(`${name}: resources, prompts and pings`, async () => {
    const client = await open();
    const [first] = await client.listResources();
    need((await client.readResource({ uri: first.uri })).contents.length > 0, "no contents");
    need((await client.listResourceTemplates()).length > 0, "no templates");
    const prompts = await client.listPrompts();
    need(prompts.some(({ name }) => name === "test_simple_prompt"), "no prompt");
    const { messages } = await client.getPrompt({ name: "test_simple_prompt" });
    need(messages.length > 0, "no message");
    await client.ping();
    await client.close();
  });
}

async function waits(client) {
  const { structuredContent, content } = await client.callTool({ name: "wait",
    arguments: { milliseconds: 0 } });
  return structuredContent ?? JSON.parse(content[0].text);
}

await test("the engines of mica, and headers of their arguments", async () => {
  const client = await connected(mica);
  const tools = await client.listTools();
  need(tools.length > 5, "few engines");
  const { structuredContent } = await client.callTool({ name: "percentage-calculator",
    arguments: { mode: "of", a: 15, b: 200 } });
  same(structuredContent.result, 30, "15 % of 200");
  await client.close();
  const other = await connected(fixture);
  await other.listTools();
  const { content } = await other.callTool({ name: "test_x_mcp_header",
    arguments: { region: "süd", count: 3 } });
  need(content[0].text.includes("süd"), content[0].text);
  await other.close();
});

await test("pages of a list, one at a time or all", async () => {
  const { url } = at(mica);
  let pages = 0;
  const fetchPages = async (...given) => {
    const { method } = JSON.parse(given[1].body);
    if (method !== "tools/list") return fetch(...given);
    const { cursor } = JSON.parse(given[1].body).params;
    pages++;
    return Response.json({ jsonrpc: "2.0", id: JSON.parse(given[1].body).id,
      result: { resultType: "complete", tools: [{ name: `tool${cursor ?? 0}`, inputSchema: {} }],
        ...(cursor !== "2" && { nextCursor: String(Number(cursor ?? 0) + 1) }) } });
  };
  const client = new Client(info);
  await client.connect({ transport: { type: "http", url, fetch: fetchPages } });
  same((await client.listTools()).map(({ name }) => name), ["tool0", "tool1", "tool2"], "all");
  const page = await client.listTools({ cursor: "1" });
  same([page.length, page.nextCursor, pages], [1, "2", 4], "one");
  await client.close();
});

await test("what cannot be connected to", async () => {
  const refused = await fails(connected({ port: 1 }));
  same(refused.code, "CONNECTION_FAILED", "no server");
  same((await fails(new Client(info).connect({ transport: { type: "stdio" } }))).code,
    "UNKNOWN_TRANSPORT", "another transport");
  const client = await connected(fixture);
  same((await fails(client.connect({ transport: at(fixture) }))).code, "ALREADY_CONNECTED", "twice");
  await client.close();
  await client.close();
  const silent = createServer(() => {});
  await new Promise((listening) => silent.listen(0, "127.0.0.1", listening));
  const late = await fails(connected(silent.address(), { timeout: 100 }));
  same(late.code, "REQUEST_TIMEOUT", "a silent server");
  silent.closeAllConnections();
  silent.close();
  for (const [status, code] of [[401, "HTTP_ERROR"], [503, "HTTP_ERROR"]]) {
    let asked = 0;
    const closed = createServer((_, response) => (asked++, response.writeHead(status).end("no")));
    await new Promise((listening) => closed.listen(0, "127.0.0.1", listening));
    const error = await fails(connected(closed.address()));
    same([error.code, error.data.status, asked], [code, status, 1], `HTTP ${status}`);
    closed.close();
  }
});

await test("a stream that the server closes is taken up again", async () => {
  const client = await connected(fixture, { protocolVersion: "2025-11-25" });
  const seen = [];
  const { structuredContent } = await client.callTool({ name: "count",
    arguments: { steps: 4, pause_ms: 20, close_at: 2 } },
  { onprogress: ({ progress }) => seen.push(progress) });
  same([structuredContent.counted, seen.at(-1)], [4, 4], "the whole call");
  await client.close();
});

await test("handlers that are not there, fail, or are taken back", async () => {
  for (const version of ["2026-07-28", "2025-11-25"]) {
    const client = await connected(fixture, { protocolVersion: version,
      options: { capabilities: { elicitation: {} } } });
    const ask = async () => {
      const told = await client.callTool({ name: "test_elicitation", arguments: { message: "?" } })
        .catch(({ message }) => ({ content: [{ text: message }] }));
      return told.content[0].text;
    };
    need(/Method not found|-32601/.test(await ask()), `without one: ${await ask()}`);
    client.setRequestHandler({ shape: { method: { value: "elicitation/create" } } }, {}, async () => {
      throw new Error("I do not know");
    });
    need((await ask()).includes("I do not know"), `that fails: ${await ask()}`);
    client.removeRequestHandler("elicitation/create");
    const told = [];
    client.onerror = ({ message }) => told.push(message);
    client.setNotificationHandler("notifications/progress", () => { throw new Error("of the handler"); });
    await client.callTool({ name: "test_tool_with_progress", arguments: {} }, { onprogress() {} });
    same(told[0], "of the handler", "a failure of a listener");
    client.removeNotificationHandler("notifications/progress");
    await client.notification({ method: "notifications/roots/list_changed" });
    await client.close();
    same((await fails(client.notification({ method: "x" }))).code, "NOT_CONNECTED", "closed");
    same((await fails(client.subscribeResource({ uri: "x" }))).code, "NOT_CONNECTED", "closed, too");
  }
});

// Servers that answer in odd ways: `answer(message, response)` for each POST.
async function odd(answer) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    answer(text ? JSON.parse(text) : { method: request.method }, response, request);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const reply = (response, message, headers) =>
    response.writeHead(200, { "Content-Type": "application/json", ...headers })
      .end(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return { port: server.address().port, reply, end() {
    server.closeAllConnections();
    server.close();
  } };
}
const begin = (protocolVersion, capabilities = { tools: { listChanged: true } }) => ({
  result: { protocolVersion, capabilities, serverInfo: { name: "odd", version: "1" } } });

await test("a server of an older revision, and one of an unknown one", async () => {
  const methods = [];
  let speaks = "2025-06-18";
  const server = await odd(({ id, method }, response, { headers }) => {
    methods.push([method, headers["mcp-protocol-version"] ?? null]);
    if (method === "initialize") server.reply(response, { id, ...begin(speaks) });
    else if (id === undefined) response.writeHead(202).end();
    else if (method === "server/discover") server.reply(response, { id,
      error: { code: -32601, message: "Method not found" } });
    else server.reply(response, { id, result: { tools: [] } });
  });
  const client = await connected(server);
  same(client.getNegotiatedProtocolVersion(), "2025-06-18", "what both speak");
  await client.listTools();
  same(methods, [["server/discover", "2026-07-28"], ["initialize", null],
    ["notifications/initialized", "2025-06-18"], ["tools/list", "2025-06-18"]], "what was sent");
  await client.close();
  speaks = "1999-01-01";
  need((await fails(connected(server))).message.includes("1999-01-01"), "an unknown one");
  need((await fails(connected(server, { protocolVersion: "2025-11-25" }))).message.includes("1999"),
    "not the one that was asked for");
  same((await fails(connected(server, { protocolVersion: "2026-07-28" }))).code, -32601, "no discover");
  server.end();
});

await test("streams that break, lists without end, replies that are none", async () => {
  const told = [];
  let stream = "refuse";
  const server = await odd(({ id, method, params }, response) => {
    if (method === "initialize") server.reply(response, { id, ...begin("2025-11-25") });
    else if (method === "GET" && stream === "refuse") response.writeHead(405).end("none here");
    else if (method === "GET") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n");
      setTimeout(() => response.destroy(), 20);
    } else if (id === undefined) response.writeHead(202).end();
    else if (method === "tools/list") server.reply(response, { id,
      result: { tools: [], nextCursor: "more" } });
    else if (params?.name === "ends") response.writeHead(200, { "Content-Type": "text/event-stream" })
      .end("data: \n\n");
    else if (params?.name === "text") response.writeHead(502).end("bad gateway");
    else response.writeHead(200, { "Content-Type": "application/json" }).end("{");
  });
  const open = async () => connected(server, { protocolVersion: "2025-11-25" }, (client) => {
    client.onerror = ({ code, message }) => told.push(`${code} ${message}`);
    client.setNotificationHandler("notifications/tools/list_changed", () => told.push("changed"));
  });
  const client = await open();
  await until(() => told.length === 1, "a refused stream");
  need(told[0].includes("none here"), told[0]);
  same((await fails(client.listTools())).code, "TOO_MANY_PAGES", "a list");
  need((await fails(client.callTool({ name: "ends" }))).message.includes("before the reply"), "a stream");
  const bad = await fails(client.callTool({ name: "text" }));
  same([bad.code, bad.data.status], ["HTTP_ERROR", 502], "a refusal");
  same((await fails(client.callTool({ name: "none" }))).code, "INVALID_REPLY", "no JSON");
  await client.close();
  stream = "break";
  told.length = 0;
  const other = await open();
  await until(() => told.length === 2, "a broken stream");
  same(told[0], "changed", "what came before");
  need(told[1].startsWith("STREAM_BROKEN"), told[1]);
  await other.close();
  server.end();
});

// ---- The official servers -----------------------------------------------------------------

await test("the official SDK, version 2", async () => {
  const server = await serve(process.execPath, [absolute("server-sdk.mjs")]);
  const client = await connected(server, {});
  const [tool] = await client.listTools();
  same(tool.name, "percentage-calculator", "its tool");
  const { structuredContent } = await client.callTool({ name: tool.name,
    arguments: { mode: "of", a: 15, b: 200 } });
  same(structuredContent.result, 30, "its result");
  need(client.getNegotiatedProtocolVersion() >= "2025-11-25",
    `it speaks ${client.getNegotiatedProtocolVersion()}`);
  await client.close();
  server.kill();
});

// Version 1: a server and a transport for each session.
const sessions = new Map();
let ended = 0;
function support() {
  const server = new McpServer({ name: "support", version: "1.0.0" },
    { instructions: "Ask about orders." });
  server.registerTool("get_order_status", {
    description: "Retrieve the current status of a customer order.",
    inputSchema: { message: z.string() },
  }, async ({ message }, extra) => {
    if (message === "confirm") {
      const { content } = await server.server.elicitInput({ message: "Is it so?",
        requestedSchema: { type: "object", properties: { yes: { type: "boolean" } } } },
      { relatedRequestId: extra.requestId });
      return { content: [{ type: "text", text: String(content.yes) }] };
    }
    await extra.sendNotification({ method: "notifications/progress", params: {
      progressToken: extra._meta?.progressToken ?? 0, progress: 1 } });
    return { content: [{ type: "text", text: `You asked: ${message}` }] };
  });
  return server;
}
const http = createServer(async (request, response) => {
  const id = request.headers["mcp-session-id"];
  let transport = sessions.get(id);
  if (id === undefined) {
    transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: () => ended++ });
    await support().connect(transport);
  }
  await transport.handleRequest(request, response);
});
await new Promise((listening) => http.listen(0, "127.0.0.1", listening));

await test("the official SDK, version 1, with sessions", async () => {
  const client = await connected(http.address(), {}, (client) =>
    client.setRequestHandler("elicitation/create", () =>
      ({ action: "accept", content: { yes: true } })));
  same([client.getNegotiatedProtocolVersion(), client.getInstructions(),
    client.getServerVersion().name], ["2025-11-25", "Ask about orders.", "support"], "who it is");
  const seen = [];
  const { content } = await client.callTool({ name: "get_order_status",
    arguments: { message: "where" } }, undefined, { onprogress: (told) => seen.push(told) });
  same([content[0].text, seen], ["You asked: where", [{ progress: 1 }]], "a call");
  const { content: [asked] } = await client.callTool({ name: "get_order_status",
    arguments: { message: "confirm" } });
  same(asked.text, "true", "a question");
  client.setNotificationHandler("notifications/tools/list_changed", () => {});
  await pause(50);
  await client.close();
  await until(() => ended === 1, "the end of the session");
});

await test("the client of the contract, on the official SDK", async () => {
  const own = globalThis.fetch;
  const moved = (url) => String(url).replace("localhost:3001", `127.0.0.1:${http.address().port}`);
  globalThis.fetch = (url, ...rest) => own(moved(url), ...rest);
  const { client, tools, result } = await import("./seeds/client.mjs");
  same(tools.map(({ name }) => name), ["get_order_status"], "tools");
  same(result.content[0].text, "You asked: Where is my order #12345?", "the result");
  await client.close();
  globalThis.fetch = own;
});

http.closeAllConnections();
http.close();
await mica.end();
await fixture.end();
done();
