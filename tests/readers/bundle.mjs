// SPDX-License-Identifier: Apache-2.0
//
// Bundles of `mica pack` as the bundle format's own tools read them: the manifest is
// valid, the archive unpacks, and what is in it serves. server.json is compared with
// the registry's rules. TAP.
//
//     node bundle.mjs --mica build/mica
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import Ajv from "ajv";
import addFormats from "ajv-formats";

import { absolute, done, folder, need, options, test } from
  "../peers/tap.mjs";

const words = options({ mica: "build/mica" });
const run = (...args) => execFileSync(absolute(words.mica), args,
  { cwd: folder, encoding: "utf8" });
const cli = fileURLToPath(new URL(
  "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js", import.meta.url));
const mcpb = (...args) =>
  spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" });

run("pack", "--name", "some-tools", "--author", "Ada", "--registry-name",
  "io.github.ada/some-tools", "--url", "https://example.org/some-tools.mcpb");
const bundle = join(folder, "build/some-tools.mcpb");
const there = join(folder, "unpacked");

await test("it unpacks, and its manifest is valid", () => {
  mkdirSync(there);
  const unpacked = mcpb("unpack", bundle, there);
  need(unpacked.status === 0, unpacked.stdout + unpacked.stderr);
  const said = mcpb("validate", join(there, "manifest.json"));
  need(said.status === 0, said.stdout + said.stderr);
});

const manifest = JSON.parse(readFileSync(join(there, "manifest.json"), "utf8"));

await test("the manifest has nothing that the format does not know", () => {
  const valid = new Ajv.default({ strict: false }).compile(JSON.parse(
    readFileSync(new URL("node_modules/@anthropic-ai/mcpb/dist/" +
      "mcpb-manifest-v0.3.schema.json", import.meta.url))));
  need(valid(manifest), JSON.stringify(valid.errors));
  need(!valid({ ...manifest, color: "red" }), "anything is valid");
});

await test("started as the manifest says, it serves what it names", () => {
  const { command, args, env } = manifest.server.mcp_config;
  const fill = (text) => text.replaceAll("${__dirname}", there);
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {} } } };
  const said = execFileSync(fill(command), args.map(fill), {
    input: JSON.stringify(list) + "\n", cwd: "/", encoding: "utf8",
    env: { HOME: folder, LD_LIBRARY_PATH: fill(env.LD_LIBRARY_PATH) } });
  const names = JSON.parse(said).result.tools.map((tool) => tool.name);
  need(names.join() === manifest.tools.map((tool) => tool.name).join(), names);
  need(names.length > 10, names);
});

await test("server.json keeps the rules of the registry", () => {
  const entry = JSON.parse(readFileSync(join(folder, "build/server.json")));
  const ajv = new Ajv.default({ strict: false });
  addFormats.default(ajv);
  // The parts of the schema of 2025-12-11 that such an entry uses.
  const valid = ajv.compile({
    type: "object", required: ["name", "description", "version"],
    properties: {
      $schema: { type: "string", format: "uri" },
      name: { type: "string", minLength: 3, maxLength: 200,
        pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
      title: { type: "string", minLength: 1, maxLength: 100 },
      description: { type: "string", minLength: 1, maxLength: 100 },
      version: { type: "string", maxLength: 255 },
      packages: { type: "array", items: {
        type: "object", additionalProperties: false,
        required: ["registryType", "identifier", "transport"],
        properties: {
          registryType: { const: "mcpb" },
          identifier: { type: "string", format: "uri" },
          version: { type: "string", minLength: 1, not: { const: "latest" } },
          fileSha256: { type: "string", pattern: "^[a-f0-9]{64}$" },
          transport: { type: "object", additionalProperties: false,
            required: ["type"], properties: { type: { const: "stdio" } } },
        },
      } },
    },
    additionalProperties: false,
  });
  need(valid(entry), JSON.stringify(valid.errors));
  need(entry.packages[0].fileSha256 === createHash("sha256")
    .update(readFileSync(bundle)).digest("hex"), "fileSha256");
});

done();
