// SPDX-License-Identifier: Apache-2.0
//
// The official clients, version 2 and version 1, and the client of the contract for
// published apps, each at a slug of `mica serve`. TAP.
//
//     node apps.mjs --mica build/mica --app-store build/tests/wire/app-store
import { execFileSync } from "node:child_process";
import { request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";

import * as modern from "@modelcontextprotocol/client";
import { Client as LegacyClient } from
  "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyHttp } from
  "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from
  "@modelcontextprotocol/sdk/types.js";

import { absolute, done, folder, listening, need, options, same, serve, test, until } from
  "./tap.mjs";

const words = options({ mica: "build/mica", "app-store": "build/tests/wire/app-store" });
const program = absolute(words["app-store"]);
const store = `sqlite:${join(folder, "apps.db")}`;
const hash = "0123456789abcdef";
const info = { name: "mica-peers", version: "1.0.0" };

function publish(title) {
  const app = {
    name: "My Support Bot", description: "Helps with orders.",
    toolName: "get_order_status", toolDescription: "Retrieve the status of an order.",
    layoutTemplate: "list", mockData: { items: [{ title }] },
    behavior: { type: "data", message: "Here is the order:" }, visibility: "public",
  };
  execFileSync(program, [store, "publish", "id-1", "my-support-bot", JSON.stringify(app),
    hash, "<!doctype html><p>widget</p>"]);
}

publish("Order 1");
const server = await serve(absolute(words.mica),
  ["serve", "--listen", "127.0.0.1:0", "--store", store, "--drain", "0",
    "--app-host", "support.localhost=my-support-bot"]);
const address = new URL(`http://127.0.0.1:${server.port}/servers/my-support-bot/mcp`);

// The app by a host name of its own, which this machine's resolver need not know. The fetch
// of Node sets Host itself.
const named = new URL(`http://127.0.0.1:${server.port}/mcp`);
const byName = (url, init = {}) => new Promise((resolve, reject) => {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), host: "support.localhost" };
  request(url, { method: init.method ?? "GET", signal: init.signal, headers }, (answer) => {
    const { statusCode: status } = answer;
    const body = status === 204 || status === 304 ? null : Readable.toWeb(answer);
    resolve(new Response(body, { status, headers: Object.entries(answer.headers) }));
  }).on("error", reject).end(init.body);
});

const CLIENTS = [
  {
    name: "client v2",
    open: () => new modern.Client(info, {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    }),
    transport: () => new modern.StreamableHTTPClientTransport(address),
    byName: () => new modern.StreamableHTTPClientTransport(named, { fetch: byName }),
    call: (client, params, more) => client.callTool(params, more),
  },
  {
    name: "sdk v1",
    open: () => new LegacyClient(info),
    transport: () => new LegacyHttp(address),
    byName: () => new LegacyHttp(named, { fetch: byName }),
    call: (client, params, more) => client.callTool(params, undefined, more),
  },
];

for (const one of CLIENTS) {
  await test(`${one.name} has the app at a host name of its own`, async () => {
    const client = one.open();
    await client.connect(one.byName());
    same((await client.listTools()).tools.map(({ name }) => name), ["get_order_status"],
      "tools");
    const result = await one.call(client, { name: "get_order_status",
      arguments: { message: "Where is it?" } });
    same(result.content[0].text, "Here is the order:", "the message");
    const { contents: [widget] } = await client.readResource({
      uri: result._meta["openai/outputTemplate"] });
    same(widget.text, "<!doctype html><p>widget</p>", "its document");
    await client.close();
  });

  await test(`${one.name} lists and calls the tool of an app`, async () => {
    const client = one.open();
    await client.connect(one.transport());
    same(client.getServerVersion().name, "My Support Bot", "the server");
    const { tools } = await client.listTools();
    same(tools.map(({ name, description }) => [name, description]),
      [["get_order_status", "Retrieve the status of an order."]], "tools");
    // It checks the structured result against the output schema itself.
    const told = [];
    const result = await one.call(client, { name: "get_order_status",
      arguments: { message: "Where is it?", context: { order: 1 } } },
    { onprogress: ({ progress, total }) => told.push([progress, total]) });
    same(result.structuredContent, { items: [{ title: "Order 1" }] }, "the data");
    same(result.content[0].text, "Here is the order:", "the message");
    same(told, [[0, 100], [50, 100], [100, 100]], "progress");
    const uri = result._meta["openai/outputTemplate"];
    same(uri, tools[0]._meta["openai/outputTemplate"], "the widget");
    const { contents: [widget] } = await client.readResource({ uri });
    same([widget.mimeType, widget.text],
      ["text/html;profile=mcp-app", "<!doctype html><p>widget</p>"], "its document");
    await client.close();
  });
}

await test("sdk v1 hears of a new version, and finds nothing afterwards", async () => {
  const client = new LegacyClient(info);
  const heard = new Promise((told) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, told));
  const stream = listening();
  await client.connect(new LegacyHttp(address, stream));
  await stream.opened;
  publish("Order 2");
  await heard;
  const { structuredContent } = await client.callTool({ name: "get_order_status",
    arguments: { message: "Where?" } });
  same(structuredContent, { items: [{ title: "Order 2" }] }, "the data");
  execFileSync(program, [store, "unpublish", "id-1"]);
  const error = await until(() => client.listTools().then(() => undefined,
    (refused) => refused), "it finds nothing");
  need(String(error?.message).includes("APP_NOT_FOUND"), `it says ${error?.message}`);
  await client.close();
  publish("Order 3");
});

await test("the client of the contract, on mica", async () => {
  const own = globalThis.fetch;
  const moved = (url) => String(url).replace("localhost:3001", `127.0.0.1:${server.port}`);
  globalThis.fetch = (url, ...rest) => own(moved(url), ...rest);
  await until(async () => (await own(String(address).replace(/\/mcp$/, ""))).ok, "its page");
  const { client, tools, result } = await import("./seeds/client.mjs");
  same(tools.map(({ name, description }) => [name, description]),
    [["get_order_status", "Retrieve the status of an order."]], "tools");
  same(result.content[0].text, "Here is the order:", "the message");
  same(result.structuredContent, { items: [{ title: "Order 3" }] }, "the data");
  same(result._meta["openai/outputTemplate"],
    `ui://widget/my-support-bot.html?v=${hash}`, "the widget");
  await client.close();
  globalThis.fetch = own;
});

await server.end();
done();
