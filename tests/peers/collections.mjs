// SPDX-License-Identifier: Apache-2.0
//
// The official clients, version 2 and version 1, at a collection of apps of `mica serve`: they
// list and call the tool of each app, read its widget, and hear of a member that comes. TAP.
//
//     node collections.mjs --mica build/mica
import { join } from "node:path";

import * as modern from "@modelcontextprotocol/client";
import { Client as LegacyClient } from
  "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyHttp } from
  "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from
  "@modelcontextprotocol/sdk/types.js";

import { absolute, done, folder, listening, need, options, same, serve, test } from "./tap.mjs";

const words = options({ mica: "build/mica" });
const info = { name: "mica-peers", version: "1.0.0" };
const server = await serve(absolute(words.mica), ["serve", "--built-in", "--listen",
  "127.0.0.1:0", "--store", `sqlite:${join(folder, "collections.db")}`, "--drain", "0"]);
const origin = `http://127.0.0.1:${server.port}`;
const address = new URL(`${origin}/servers/front-desk/mcp`);

async function post(path, body) {
  const response = await fetch(`${origin}/api/${path}`, { method: "POST",
    headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const value = await response.json();
  need(response.ok, JSON.stringify(value));
  return value;
}

async function app(name, tool) {
  const { mcpSlug } = await post("apps", { name, layoutTemplate: "card",
    mockData: { title: name }, toolName: tool, toolDescription: "Looks up what is there. " +
    "Use when a person asks for it. Requires its number." });
  await post(`apps/${mcpSlug}/publish`, {});
  return mcpSlug;
}

const members = [await app("Orders", "get_order"), await app("Stock", "get_stock")];
await post("collections", { name: "Front Desk", members });

const CLIENTS = [
  {
    name: "client v2",
    open: () => new modern.Client(info, {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    }),
    transport: () => new modern.StreamableHTTPClientTransport(address),
  },
  {
    name: "sdk v1",
    open: () => new LegacyClient(info),
    transport: () => new LegacyHttp(address),
  },
];

for (const one of CLIENTS) {
  await test(`${one.name} lists and calls the tools of a collection`, async () => {
    const client = one.open();
    await client.connect(one.transport());
    same(client.getServerVersion().name, "Front Desk", "the server");
    const { tools } = await client.listTools();
    same(tools.map(({ name }) => name), ["get_order", "get_stock"], "tools");
    for (const [index, title] of ["Orders", "Stock"].entries()) {
      const result = await client.callTool({ name: tools[index].name,
        arguments: { message: "Where is it?" } });
      same(result.structuredContent, { title }, "its data");
      const uri = result._meta["openai/outputTemplate"];
      same(uri, tools[index]._meta["openai/outputTemplate"], "its widget");
      need(uri.startsWith(`ui://widget/${members[index]}.html?v=`), uri);
      const { contents: [widget] } = await client.readResource({ uri });
      same(widget.mimeType, "text/html;profile=mcp-app", "its document");
      need(widget.text.includes("<!doctype html>"), widget.text.slice(0, 80));
    }
    await client.close();
  });
}

await test("sdk v1 hears of an app that comes, and calls it", async () => {
  const client = new LegacyClient(info);
  const heard = new Promise((told) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, told));
  const stream = listening();
  await client.connect(new LegacyHttp(address, stream));
  await stream.opened;
  await post("collections/front-desk/apps", { app: await app("Later", "get_later") });
  await heard;
  same((await client.listTools()).tools.map(({ name }) => name),
    ["get_order", "get_stock", "get_later"], "its tools");
  const result = await client.callTool({ name: "get_later", arguments: { message: "?" } });
  same(result.structuredContent, { title: "Later" }, "its data");
  await client.close();
});

await server.end();
done();
