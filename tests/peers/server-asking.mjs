// SPDX-License-Identifier: Apache-2.0
//
// A tool with one question on the official TypeScript SDK, version 1, as its guide for
// sessions has it: a server and a transport for each session, on Node's own HTTP
// server. It keeps nothing that outlives the process. See bench/asks.c for the other.
//
//     node server-asking.mjs PORT
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from
  "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const transports = new Map();

function ask() {
  const server = new McpServer({ name: "sdk", version: "1.0.0" });
  for (const name of ["carried", "stored"])
    server.registerTool(name, {
      description: "Asks once.",
      outputSchema: { yes: z.boolean() },
    }, async ({ requestId }) => {
      const { content } = await server.server.elicitInput({
        message: "Is it so?",
        requestedSchema: { type: "object", required: ["yes"], properties: {
          yes: { type: "boolean", description: "Is it so?" } } },
      }, { relatedRequestId: requestId });
      return {
        content: [{ type: "text", text: JSON.stringify(content) }],
        structuredContent: content,
      };
    });
  return server;
}

async function begin() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => transports.set(id, transport),
  });
  transport.onclose = () => transports.delete(transport.sessionId);
  await ask().connect(transport);
  return transport;
}

const http = createServer(async (request, response) => {
  const id = request.headers["mcp-session-id"];
  const transport = id === undefined ? await begin() : transports.get(id);
  if (transport === undefined) response.writeHead(404).end();
  else await transport.handleRequest(request, response);
});
http.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () =>
  console.log(http.address().port));
