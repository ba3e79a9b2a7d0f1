// SPDX-License-Identifier: Apache-2.0
//
// The widgets of examples/widgets: a plain one and one in React, beside a server
// of mica, as an app would have them.
import { createServer, request } from "node:http";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { done, need, same, test, until } from "../peers/tap.mjs";
import { browser, mica, paths } from "./chromium.mjs";

const found = paths({ mica: "", engines: "" });
const here = dirname(fileURLToPath(import.meta.url));
const widgets = join(here, "../../examples/widgets");
const server = await mica(found);
const chromium = await browser();

const { outputFiles: [bundle] } = await build({
  entryPoints: [join(widgets, "react.jsx")],
  bundle: true, format: "esm", write: false, external: ["/engines/*"],
  jsx: "automatic", nodePaths: [join(here, "node_modules")],
  define: { "process.env.NODE_ENV": "\"production\"" },
});
const files = {
  "/plain.html": [readFileSync(join(widgets, "plain.html")), "text/html"],
  "/plain.js": [readFileSync(join(widgets, "plain.js")), "text/javascript"],
  "/react.html": [readFileSync(join(widgets, "react.html")), "text/html"],
  "/react.js": [bundle.contents, "text/javascript"],
};

// An app's own server, with the engines behind it.
const app = createServer((asked, answer) => {
  const [bytes, type] = files[asked.url] ?? [];
  if (bytes)
    return answer.writeHead(200, { "Content-Type": type }).end(bytes);
  asked.pipe(request({ host: "127.0.0.1", port: server.port, path: asked.url,
    headers: { ...asked.headers, host: `127.0.0.1:${server.port}` } },
  (reply) => {
    answer.writeHead(reply.statusCode, reply.headers);
    reply.pipe(answer);
  }));
});
await new Promise((resolve) => app.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${app.address().port}`;

for (const widget of ["plain", "react"])
  await test(`the ${widget} widget calls the engine`, async () => {
    const page = await chromium.newPage();
    await page.goto(`${origin}/${widget}.html`);
    const status = page.getByRole("status");
    await status.filter({ hasText: "×" }).waitFor(); // its engine is loaded
    await page.getByLabel("Bill").fill("90");
    await page.getByLabel("Tip").fill("10");
    await page.getByLabel("People").fill("3");
    await until(async () => await status.innerText() === "3 × 33.00 EUR", "the shares");
    await page.getByLabel("People").fill("0");
    await status.filter({ hasNotText: "×" }).filter({ hasText: "1" }).waitFor(); // the error
    await page.close();
  });

await chromium.close();
app.closeAllConnections();
app.close();
await server.end();
done();
