// SPDX-License-Identifier: Apache-2.0
//
// What a page pays for a view, and for hosting views: minified and compressed, beside the
// official App.
import { gzipSync } from "node:zlib";

import { done, need, test } from "../peers/tap.mjs";
import { bundle } from "./frames.mjs";

const VIEW = '"../../web/view/index.js"';
const AIMS = [
  ["App with WebMCP", `export { App, registerTool } from ${VIEW}`,
    10],
  ["App with React", 'export { App, AppProvider, registerTool, useApp, useHostContext, ' +
    'useHostStyles, useTool, useToolInput, useToolResult } from "../../web/view/react.js"', 12],
  // A page that hosts and a view share peer.js, protocol.js, events.js and transport.js.
  ["AppBridge", 'export { AppBridge } from "../../web/host/bridge.js"', 9.5],
  ["AppBridge beside what views share",
    'export { AppBridge } from "../../web/host/bridge.js"', 7, ["../view/*"]],
];
for (const [what, source, aim, external = ["react"]] of AIMS) {
  const text = await bundle(source, "esm", { external });
  const size = gzipSync(text, { level: 9 }).length / 1024;
  await test(`${what}: ${size.toFixed(2)} KB gzip, ${text.length} bytes minified`, async () =>
    need(size <= aim, `more than ${aim} KB`));
}
const official = gzipSync(await bundle('export { App } from "@modelcontextprotocol/ext-apps"',
  "esm")).length / 1024;
await test(`the official App: ${official.toFixed(0)} KB gzip`, async () =>
  need(official > 50, "it has become small"));
done();
