// SPDX-License-Identifier: Apache-2.0
//
// The percentage calculator on the official TypeScript SDK, version 2, as its
// guide for HTTP has it: a server for each request, on Node's own HTTP server.
//
//     node server-sdk.mjs PORT
import { createServer } from "node:http";

import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

import { calculate, description, input, output } from "./percentage.mjs";

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "sdk", version: "1.0.0" });
  server.registerTool(
    "percentage-calculator",
    {
      title: "Percentage calculator",
      description,
      inputSchema: input,
      outputSchema: output,
    },
    async (args) => {
      const result = calculate(args);
      return {
        content: [{ type: "text", text: JSON.stringify(result) }],
        structuredContent: result,
      };
    },
  );
  return server;
});

const http = createServer(toNodeHandler(handler));
http.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () =>
  console.log(`listening on port ${http.address().port}`));
