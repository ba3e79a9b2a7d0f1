// SPDX-License-Identifier: Apache-2.0
//
// Pictures of the catalogue and of three tools, for docs/pictures. Run by
// scripts/screenshots.
import { join } from "node:path";

import { browser, mica, open, paths } from "./chromium.mjs";

const found = paths({ mica: "", engines: "", out: "" });
const server = await mica(found);
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
await chromium.close();
await server.end();
