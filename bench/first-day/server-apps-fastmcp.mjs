// SPDX-License-Identifier: Apache-2.0
//
// Many apps on fastmcp, in one process: a FastMCP for each slug, which has a port of its
// own, as its guide for remote servers has it.
//
//     node --expose-gc server-apps-fastmcp.mjs sessions|stateless COUNT APP
//
// APP is a file with what an app is: toolName, toolDescription, data, text, html. Prints the
// ports; a line on stdin collects the garbage, and is answered when that is done.
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

import { FastMCP } from "fastmcp";
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

const nothing = () => {};
const silent = { debug: nothing, error: nothing, info: nothing, log: nothing, warn: nothing };

// A FastMCP does not tell which port the system has chosen for 0.
async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

async function serverOf(slug) {
  const app = JSON.parse(record);
  const uri = `ui://widget/${slug}.html`;
  const server = new FastMCP({ name: slug, version: "1.0.0", logger: silent });
  server.addResource({
    uri,
    name: "widget",
    mimeType: "text/html;profile=mcp-app",
    load: async () => ({ text: html }),
  });
  server.addTool({
    name: app.toolName,
    description: app.toolDescription,
    parameters: input(),
    outputSchema: output(),
    annotations: { readOnlyHint: true, idempotentHint: true },
    _meta: { ui: { resourceUri: uri }, "openai/outputTemplate": uri },
    execute: async () => ({
      content: [{ type: "text", text: app.text }],
      structuredContent: app.data,
    }),
  });
  const port = await freePort();
  await server.start({
    transportType: "httpStream",
    httpStream: {
      port,
      host: "127.0.0.1",
      endpoint: `/servers/${slug}/mcp`,
      enableJsonResponse: true,
      stateless: kind === "stateless",
    },
  });
  return port;
}

const ports = [];
for (let i = 0; i < Number(count); i++) ports.push(await serverOf(`app-${i}`));
process.stdout.write(`${ports.join(" ")}\n`);
createInterface({ input: process.stdin }).on("line", () => {
  globalThis.gc();
  process.stdout.write("collected\n");
});
