// SPDX-License-Identifier: Apache-2.0
//
// The official client as a command: connects to a server, answers its forms, sends
// requests, and prints what came of it as JSON.
//
//     node client.mjs PACKAGES '{"command": "node", "args": ["server.mjs"], "cwd": "…",
//         "form": {"nights": 3}, "requests": [["callTool", {"name": "area", …}]]}'
//
// With "url" in place of "command" it speaks HTTP; "host" is then the name that stands
// in its requests, as when a proxy has that name. PACKAGES is a folder with
// node_modules.
import { request } from "node:http";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { Readable } from "node:stream";

const require = createRequire(resolve(process.argv[2], "package.json"));
const sdk = (path) => require(`@modelcontextprotocol/sdk/${path}`);
const { Client } = sdk("client/index.js");
const { StdioClientTransport } = sdk("client/stdio.js");
const { StreamableHTTPClientTransport } = sdk("client/streamableHttp.js");
const { ElicitRequestSchema } = sdk("types.js");

const spec = JSON.parse(process.argv[3]);

// fetch, but with a Host of our own, which fetch itself does not send.
const fetchAs = (host) => (url, init) =>
  new Promise((done, failed) => {
    const headers = { ...Object.fromEntries(new Headers(init.headers)), host };
    const sent = request(url, { method: init.method ?? "GET", headers,
      signal: init.signal }, (reply) => {
      const body = [204, 304].includes(reply.statusCode) ? null
        : Readable.toWeb(reply);
      done(new Response(body,
        { status: reply.statusCode, headers: Object.entries(reply.headers) }));
    });
    sent.on("error", failed);
    sent.end(init.body);
  });

const transport = spec.url === undefined
  ? new StdioClientTransport({ ...spec, env: process.env, stderr: "inherit" })
  : new StreamableHTTPClientTransport(new URL(spec.url),
    spec.host === undefined ? {} : { fetch: fetchAs(spec.host) });
const client = new Client({ name: "first-day", version: "1.0.0" },
  { capabilities: { elicitation: { form: {} } } });
client.setRequestHandler(ElicitRequestSchema,
  () => ({ action: "accept", content: spec.form }));
await client.connect(transport);
const results = [];
for (const [method, params] of spec.requests)
  results.push(await client[method](params));
console.log(JSON.stringify({
  server: client.getServerVersion(),
  instructions: client.getInstructions(),
  results,
}));
await client.close();
