// SPDX-License-Identifier: Apache-2.0
//
// The official clients as users of mica: version 2 in the stateless revision,
// version 1 with a handshake, each over stdio and HTTP. Every engine of the
// catalog is called with its first example; both clients check structured
// results against the output schema. TAP.
//
//     node clients.mjs --mica build/mica --fixture build/tests/conformance-server
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import * as modern from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from
  "@modelcontextprotocol/client/stdio";
import { discoverOAuthProtectedResourceMetadata, extractWWWAuthenticateParams }
  from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as LegacyClient } from
  "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport as LegacyStdio } from
  "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from
  "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { checkResourceAllowed } from
  "@modelcontextprotocol/sdk/shared/auth-utils.js";
import { ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema }
  from "@modelcontextprotocol/sdk/types.js";

import { absolute, done, folder, need, options, same, serve, serveAt, test, until } from
  "./tap.mjs";

const words = options({
  mica: "build/mica",
  fixture: "build/tests/conformance-server",
});
const mica = absolute(words.mica);
const fixture = absolute(words.fixture);
const info = { name: "mica-peers", version: "1.0.0" };

const CLIENTS = [
  {
    name: "client v2",
    revision: "2026-07-28",
    connect: () => new modern.Client(info, {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    }),
    call: (client, params, more) => client.callTool(params, more),
    stdio: (command, args) =>
      new ModernStdio({ command, args, cwd: folder, stderr: "ignore" }),
    http: (url) => new modern.StreamableHTTPClientTransport(new URL(url)),
  },
  {
    name: "sdk v1",
    revision: "2025-11-25",
    connect: () => new LegacyClient(info),
    call: (client, params, more) => client.callTool(params, undefined, more),
    stdio: (command, args) =>
      new LegacyStdio({ command, args, cwd: folder, stderr: "ignore" }),
    http: (url) => new LegacyHttp(new URL(url)),
  },
];

// ---- Checks --------------------------------------------------------------------

// Every member of `some` is in `all`, with the same value.
function contains(all, some, what) {
  for (const [name, value] of Object.entries(some)) {
    if (value !== null && typeof value === "object" && !Array.isArray(value))
      contains(all[name] ?? {}, value, `${what}/${name}`);
    else same(all[name], value, `${what}/${name}`);
  }
}

async function callFirstExample(kind, client, tool) {
  const example = tool._meta["mica/examples"].find((e) => e.output);
  need(example, `${tool.name} has no example`);
  const result = await kind.call(client,
    { name: tool.name, arguments: example.input });
  need(!result.isError, JSON.stringify(result));
  contains(result.structuredContent, example.output, tool.name);
  same(JSON.parse(result.content[0].text), result.structuredContent, "text");
}

async function callWrongly(kind, client) {
  const result = await kind.call(client, {
    name: "percentage-calculator",
    arguments: { mode: "ratio", a: 1, b: 0 },
  });
  need(result.isError, "no error");
  need(result.content[0].text.startsWith("DIVISION_BY_ZERO: "),
    result.content[0].text);
  same(result._meta["mica/error"].path, "/b", "path");
}

async function callNothing(kind, client) {
  try {
    await kind.call(client, { name: "percentage-calculater", arguments: {} });
  } catch (error) {
    same(error.code, -32602, "code");
    need(/did you mean "percentage-calculator"/.test(error.message),
      error.message);
    return;
  }
  throw new Error("no error");
}

const waits = async (kind, client) => (await kind.call(client,
  { name: "wait", arguments: { milliseconds: 0 } })).structuredContent;

// The client gives up; the server stops, and goes on serving.
async function cancel(kind, client) {
  const aborter = new AbortController();
  const call = kind.call(client,
    { name: "wait", arguments: { milliseconds: 60000 } },
    { signal: aborter.signal });
  const ending = assertRejects(call);
  await until(async () => (await waits(kind, client)).running === 1,
    "the call begins");
  aborter.abort();
  await ending;
  return until(async () => (await waits(kind, client)).cancelled === 1,
    "the call is cancelled");
}

async function assertRejects(call) {
  same(await call.then(() => "finished", () => "rejected"), "rejected",
    "the call");
}

// Each kind of content arrives as the client's own schemas have it.
async function content(kind, client) {
  const result = await kind.call(client,
    { name: "test_every_content", arguments: {} });
  same(result.content.map((block) => block.type),
    ["text", "image", "audio", "resource", "resource_link"], "kinds");
  same(result.structuredContent, { blocks: 5 }, "structure");
}

// What a client of older revisions has in its session: it is told of changes on
// the stream that it opened by itself, and comes back for what it missed.
async function session(named, client) {
  const told = [];
  for (const schema of [ToolListChangedNotificationSchema,
    ResourceUpdatedNotificationSchema])
    client.setNotificationHandler(schema, ({ method, params }) =>
      void told.push([method, params?.uri]));
  const change = (uri) =>
    client.callTool({ name: "change", arguments: { uri } });
  await test(named("is told that a list changed"), () =>
    until(async () => {
      await change(""); // its stream may not be open yet
      return told.some(([method]) =>
        method === "notifications/tools/list_changed");
    }, "it is told"));
  await test(named("is told of a resource that it subscribes to"), async () => {
    const uri = "test://watched-resource";
    const ofUri = () => told.filter(([, other]) => other === uri).length;
    await client.subscribeResource({ uri });
    await change(uri);
    await until(() => ofUri() === 1, "it is told");
    await client.unsubscribeResource({ uri });
    await change(uri);
    told.length = 0;
    await change("");
    await until(() => told.length > 0, "it is told of the list");
    same(ofUri(), 0, "told of a resource that it left");
  });
  await test(named("comes back to a stream that was closed"), async () => {
    const steps = [];
    const { structuredContent } = await client.callTool(
      { name: "count", arguments: { steps: 6, pause_ms: 100, close_at: 2 } },
      undefined, { onprogress: ({ progress }) => steps.push(progress) });
    same(structuredContent, { counted: 6 }, "result");
    same(steps, [1, 2, 3, 4, 5, 6], "progress");
  });
  await test(named("sets its log level"), () =>
    client.setLoggingLevel("warning"));
}

// ---- Runs ----------------------------------------------------------------------

async function connected(kind, transport, check) {
  const client = kind.connect();
  await client.connect(transport);
  try {
    return await check(client);
  } finally {
    await client.close();
  }
}

async function catalog(kind, way, client) {
  const named = (what) => `${kind.name} over ${way}: ${what}`;
  let tools = [];
  await test(named("connects"), async () => {
    same(client.getServerVersion().name, "mica", "name");
    if (client.getNegotiatedProtocolVersion)
      same(client.getNegotiatedProtocolVersion(), kind.revision, "revision");
  });
  await test(named("lists"), async () => {
    ({ tools } = await client.listTools());
    need(tools.length >= 16, `${tools.length} tools`);
  });
  for (const tool of tools)
    await test(named(`calls ${tool.name}`),
      () => callFirstExample(kind, client, tool));
  await test(named("reads a tool's error"), () => callWrongly(kind, client));
  await test(named("reads a protocol error"), () => callNothing(kind, client));
}

async function native(kind, way, client) {
  const named = (what) => `${kind.name} over ${way}: ${what}`;
  await client.listTools();
  await test(named("reads every kind of content"),
    () => content(kind, client));
  await test(named("cancels"), () => cancel(kind, client));
  if (way === "HTTP" && kind.revision !== "2026-07-28")
    await session(named, client);
}

for (const kind of CLIENTS) {
  await test(`${kind.name} over stdio: comes and goes`, async () => {
    await connected(kind, kind.stdio(mica, ["stdio"]),
      (client) => catalog(kind, "stdio", client));
    await connected(kind, kind.stdio(fixture, ["--stdio"]),
      (client) => native(kind, "stdio", client));
  }, 300000);
  await test(`${kind.name} over HTTP: comes and goes`, async () => {
    for (const [command, args, check] of [
      [mica, ["serve", "--drain=0", "--listen", "127.0.0.1:0"], catalog],
      [fixture, ["--listen", "127.0.0.1:0"], native],
    ]) {
      const server = await serve(command, args);
      const transport = kind.http(`http://127.0.0.1:${server.port}/mcp`);
      await connected(kind, transport, async (client) => {
        await check(kind, "HTTP", client);
        await transport.terminateSession?.();
      });
      await server.end();
    }
  }, 300000);
}

// A client that may choose finds the stateless revision by itself.
const chooser = {
  ...CLIENTS[0],
  connect: () => new modern.Client(info, { versionNegotiation: { mode: "auto" } }),
};
const choose = async (client) => {
  same(client.getProtocolEra(), "modern", "era");
  need((await client.listTools()).tools.length >= 16, "no tools");
};
await test("client v2 over stdio: finds the newest revision", () =>
  connected(chooser, chooser.stdio(mica, ["stdio"]), choose));
await test("client v2 over HTTP: finds the newest revision", async () => {
  const server = await serve(mica, ["serve", "--drain=0", "--listen", "127.0.0.1:0"]);
  await connected(chooser,
    chooser.http(`http://127.0.0.1:${server.port}/mcp`), choose);
  await server.end();
});

// ---- Behind a base path ----------------------------------------------------------

const PREFIX = "/tools/x";

const once = (kind, server, path, transport = kind.http) => {
  const used = transport(`http://127.0.0.1:${server.port}${PREFIX}${path}`);
  return connected(kind, used, async (client) => {
    const { tools } = await client.listTools();
    await callFirstExample(kind, client,
      tools.find(({ name }) => name === "percentage-calculator"));
    await used.terminateSession?.();
  });
};

await test("behind a base path", async () => {
  const server = await serve(mica, ["serve", "--drain=0", "--listen", "127.0.0.1:0",
    "--http-sse", "--base-path", PREFIX]);
  for (const kind of CLIENTS)
    await test(`${kind.name} behind a base path`, () =>
      once(kind, server, "/mcp"));
  // It takes no endpoint of another origin than that of its stream.
  await test("sdk v1 behind a base path, over HTTP+SSE", () =>
    once(CLIENTS[1], server, "/sse", (url) => new SSEClientTransport(new URL(url))));
  await server.end();
}, 300000);

// From the refusal, and from the address of the endpoint alone (RFC 9728, 3.1).
await test("sdk v1 finds the metadata of a public URL", async () => {
  const auth = absolute("../wire/auth");
  const { resource, ...others } =
    JSON.parse(readFileSync(join(auth, "auth.json"), "utf8"));
  need(resource, "the file has another resource");
  copyFileSync(join(auth, "keys.json"), join(folder, "keys.json"));
  writeFileSync(join(folder, "auth.json"), JSON.stringify(others));
  const server = await serveAt(mica, (port) => ["serve", "--drain=0",
    "--listen", `127.0.0.1:${port}`, "--auth", join(folder, "auth.json"),
    "--public-url", `http://127.0.0.1:${port}${PREFIX}`]);
  const endpoint = `http://127.0.0.1:${server.port}${PREFIX}/mcp`;
  const refused = await fetch(endpoint, { method: "POST", body: "{}",
    headers: { "content-type": "application/json" } });
  same(refused.status, 401, "without a token");
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused);
  need(resourceMetadataUrl, "the refusal names the metadata");
  for (const opts of [{ resourceMetadataUrl }, {}]) {
    const found = await discoverOAuthProtectedResourceMetadata(endpoint, opts);
    same(found.resource, endpoint, "the resource");
    need(checkResourceAllowed({ requestedResource: endpoint,
      configuredResource: found.resource }), "it is the endpoint's");
  }
  await server.end();
});
done();
