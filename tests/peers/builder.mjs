// SPDX-License-Identifier: Apache-2.0
//
// The official clients, version 2 and version 1, build an app with the tools of
// /builder/mcp, and call it at its address. They check each structured result against the
// output schema of its tool. TAP.
//
//     node builder.mjs --mica build/mica
import * as modern from "@modelcontextprotocol/client";
import { Client as LegacyClient } from
  "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyHttp } from
  "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { absolute, done, need, options, same, serve, test } from "./tap.mjs";

const words = options({ mica: "build/mica" });
const server = await serve(absolute(words.mica), ["serve", "--listen", "127.0.0.1:0",
  "--built-in", "--store", "memory", "--drain", "0"]);
const at = (path) => new URL(`http://127.0.0.1:${server.port}${path}`);
const info = { name: "mica-peers", version: "1.0.0" };

const CLIENTS = [
  {
    name: "client v2",
    open: () => new modern.Client(info, {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    }),
    transport: (url) => new modern.StreamableHTTPClientTransport(url),
  },
  {
    name: "sdk v1",
    open: () => new LegacyClient(info),
    transport: (url) => new LegacyHttp(url),
  },
];

for (const one of CLIENTS) {
  const connected = async (url) => {
    const client = one.open();
    await client.connect(one.transport(url));
    return client;
  };

  await test(`${one.name} builds an app from a sentence, and calls it`, async () => {
    const client = await connected(at("/builder/mcp"));
    need(client.getInstructions().includes("publish_app"), client.getInstructions());
    const { tools } = await client.listTools();
    need(tools.length > 15, `${tools.length} tools`);
    const act = async (name, args) => {
      const result = await client.callTool({ name, arguments: args });
      need(!result.isError, `${name}: ${result.content[0]?.text}`);
      return result.structuredContent;
    };
    const { layouts } = await act("list_layouts", {});
    const data = { title: "Order 12345", body: "On its way." };
    need(layouts.some(({ name }) => name === "card"), "no card");
    const app = await act("create_app", { name: `Orders of ${one.name}`,
      description: "Shows where an order is.", layoutTemplate: "card", mockData: data,
      toolName: "get_order_status",
      toolDescription: "Retrieve the status of an order. Use when a customer asks where " +
        "an order is. Requires the order's number." });
    same(app.findings.filter(({ severity }) => severity === "error"), [], "findings");
    same((await act("check_app", { app: app.mcpSlug })).publishable, true, "publishable");
    await act("test_app", { app: app.mcpSlug, message: "Where is it?" });
    await act("preview_app", { app: app.mcpSlug });
    const { url } = await act("publish_app", { app: app.mcpSlug });
    const called = await connected(new URL(url));
    const result = await called.callTool({ name: "get_order_status",
      arguments: { message: "Where is it?" } });
    same(result.structuredContent, data, "the result of the app");
    await called.close();
    await act("edit_app", { app: app.mcpSlug, changes: { description: "Other words." } });
    await act("compare_app_versions", { app: app.mcpSlug });
    await act("publish_app", { app: app.mcpSlug });
    await act("rollback_app", { app: app.mcpSlug, version: 1 });
    await act("list_app_versions", { app: app.mcpSlug });
    await act("get_app_version", { app: app.mcpSlug });
    await act("get_app_usage", { app: app.mcpSlug });
    await act("import_app", { exported: await act("export_app", { app: app.mcpSlug }) });
    same((await act("list_apps", {})).apps.length, 2, "the app and its copy");
    await act("get_app", { app: app.id });
    await act("unpublish_app", { app: app.mcpSlug });
    await act("delete_app", { app: app.mcpSlug });
    await act("delete_app", { app: `${app.mcpSlug}-2` });
    const refused = await client.callTool({ name: "get_app",
      arguments: { app: app.mcpSlug } });
    same([refused.isError, refused._meta["mica/error"].code], [true, "APP_NOT_FOUND"],
      "a deleted app");
    await client.close();
  });
}

await server.end();
done();
