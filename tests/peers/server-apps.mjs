// SPDX-License-Identifier: Apache-2.0
//
// Many apps on the official TypeScript SDK, in one process: a server for each slug, at
// /servers/app-0/mcp, /servers/app-1/mcp, …, on Node's own HTTP server.
//
//     node --expose-gc server-apps.mjs handlers|servers COUNT APP
//
// "handlers" is version 2 as its guide for HTTP has it: a handler for each slug, which makes
// a server for each request. "servers" is version 1 with an McpServer for each slug that
// stays, and the session of one client. APP is a file with what an app is: toolName,
// toolDescription, data, text, html. Prints the port; a line on stdin collects the garbage, and
// is answered when that is done.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer as OneServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const [kind, count, file] = process.argv.slice(2);
const { html, ...rest } = JSON.parse(readFileSync(file, "utf8"));
const record = JSON.stringify(rest); // each app has its own; documents are read when asked for

const input = () => z.object({
  message: z.string().describe("User query or request"),
  context: z.record(z.string(), z.unknown()).optional()
    .describe("Additional context (optional)"),
});

// The data of the layout "detail", as far as this app has it.
const tone = () => z.enum(["neutral", "info", "success", "warning", "danger"]);
const output = () => z.object({
  title: z.string(),
  subtitle: z.string().optional(),
  badge: z.string().optional(),
  tone: tone().optional(),
  steps: z.array(z.object({
    title: z.string(),
    time: z.string().optional(),
    text: z.string().optional(),
    state: z.enum(["done", "current", "next"]),
  })).optional(),
  sections: z.array(z.object({
    title: z.string(),
    text: z.string().optional(),
    facts: z.array(z.object({
      label: z.string(),
      value: z.union([z.string(), z.number(), z.boolean()]),
      format: z.string().optional(),
      currency: z.string().optional(),
    })).optional(),
  })),
  actions: z.array(z.object({ label: z.string(), message: z.string() })).optional(),
  links: z.array(z.object({ label: z.string(), url: z.string() })).optional(),
  empty: z.string().optional(),
});

function offer(server, slug, app) {
  const uri = `ui://widget/${slug}.html`;
  server.registerResource("widget", uri, { mimeType: "text/html;profile=mcp-app" },
    async () => ({ contents: [{ uri, mimeType: "text/html;profile=mcp-app",
      text: html }] }));
  server.registerTool(
    app.toolName,
    {
      title: "Order status",
      description: app.toolDescription,
      inputSchema: input(),
      outputSchema: output(),
      annotations: { readOnlyHint: true, idempotentHint: true },
      _meta: { ui: { resourceUri: uri }, "openai/outputTemplate": uri },
    },
    async () => ({
      content: [{ type: "text", text: app.text }],
      structuredContent: app.data,
      _meta: { "openai/outputTemplate": uri },
    }),
  );
  return server;
}

function handlerOf(slug, app) {
  return toNodeHandler(createMcpHandler(
    () => offer(new McpServer({ name: slug, version: "1.0.0" }), slug, app)));
}

async function serverOf(slug, app) {
  const server = offer(new OneServer({ name: slug, version: "1.0.0" }), slug, app);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => `session-${slug}`,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  return (request, response) => transport.handleRequest(request, response);
}

const slugs = new Map();
for (let i = 0; i < Number(count); i++) {
  const slug = `app-${i}`, app = JSON.parse(record);
  slugs.set(`/servers/${slug}/mcp`,
    kind === "handlers" ? handlerOf(slug, app) : await serverOf(slug, app));
}
const http = createServer((request, response) => {
  const answer = slugs.get(request.url);
  if (answer === undefined) {
    response.writeHead(404).end();
    return;
  }
  answer(request, response);
});
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
createInterface({ input: process.stdin }).on("line", () => {
  globalThis.gc();
  console.log("collected");
});
