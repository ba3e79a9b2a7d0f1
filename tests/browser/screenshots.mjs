// SPDX-License-Identifier: Apache-2.0
//
// Pictures of the catalog, of three tools, and of the question of an interactive
// one, for docs/pictures. Run by scripts/screenshots.
import { join } from "node:path";

import { browser, mica, open, paths } from "./chromium.mjs";

const found = paths({ mica: "", engines: "", tools: "", out: "" });
const server = await mica(found, "--tools", found.tools);
const chromium = await browser("--force-device-scale-factor=1");

for (const [name, path, colorScheme, width] of [
  ["catalogue", "/", "light", 1100],
  ["percentage-calculator", "/tools/percentage-calculator", "light", 1100],
  ["loan-payment-dark", "/tools/loan-payment", "dark", 1100],
  ["csv-parser-phone", "/tools/csv-parser", "light", 390]]) {
  const context = await chromium.newContext(
    { colorScheme, viewport: { width, height: 800 } });
  const page = await open(context, server.origin + path);
  await page.screenshot({ path: join(found.out, `${name}.png`) });
  await context.close();
}
const page = await open(await chromium.newContext(
  { colorScheme: "light", viewport: { width: 700, height: 620 } }),
`${server.origin}/tools/book_flight`);
await page.getByLabel("Destination").fill("Paris");
await page.getByLabel("Date").fill("2027-03-01");
await page.getByRole("button", { name: "Run" }).click();
await page.waitForURL("**/calls/*");
await page.getByLabel("Flight").waitFor();
await page.screenshot({ path: join(found.out, "question.png") });
await chromium.close();
await server.end();
