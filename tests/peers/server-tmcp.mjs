// SPDX-License-Identifier: Apache-2.0
//
// The percentage calculator on tmcp, as its guide has it: one server and its HTTP
// transport, on srvx, which was the fastest of the three adapters tried.
//
//     node server-tmcp.mjs PORT
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { HttpTransport } from "@tmcp/transport-http";
import { serve } from "srvx/node";
import { McpServer } from "tmcp";

import { calculate, description, input, output } from "./percentage.mjs";

const server = new McpServer(
  { name: "tmcp", version: "1.0.0", description: "A percentage calculator" },
  {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: { tools: {} },
  },
);
server.tool(
  {
    name: "percentage-calculator",
    title: "Percentage calculator",
    description,
    schema: input,
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

const transport = new HttpTransport(server, { path: "/mcp" });
const http = serve({
  port: Number(process.argv[2] ?? 0),
  hostname: "127.0.0.1",
  silent: true,
  fetch: async (request) =>
    (await transport.respond(request)) ?? new Response(null, { status: 404 }),
});
await http.ready();
console.log(`listening on port ${new URL(http.url).port}`);
