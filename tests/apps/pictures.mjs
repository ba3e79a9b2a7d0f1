// SPDX-License-Identifier: Apache-2.0
//
// Pictures of the views of examples/views in our host, at two widths, light and dark, for
// docs/pictures. Run by scripts/screenshots.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { small } from "../browser/png.mjs";
import { absolute, done, options, serve, test } from "../peers/tap.mjs";
import { hostPage, openExample, project } from "./example-views.mjs";
import { browser } from "./frames.mjs";

const MOST_BYTES = 60 * 1024;
const found = options({ mica: "", sandbox: "", out: "" });
const server = await project(absolute(found.mica));
const chrome = await browser("--force-device-scale-factor=1");
const mica = await serve(absolute(found.sandbox), []);

const VIEWS = [
  ["tic_tac_toe", "X is next.", { board: "XO--X-O--" }],
  ["allocate_budget", "10 %", { total: 250000 }],
];
async function picture(page, name, theme, width) {
  await page.waitForTimeout(300); // the size settles
  const height = await page.evaluate(() =>
    document.querySelector("iframe").getBoundingClientRect().height);
  await page.setViewportSize({ width, height: Math.ceil(height) });
  const bytes = small(await page.screenshot({ animations: "disabled" }));
  if (bytes.length > MOST_BYTES) throw new Error(`it has ${bytes.length} bytes`);
  writeFileSync(join(absolute(found.out),
    `view-${name.replaceAll("_", "-")}-${width}-${theme}.png`), bytes);
}

for (const [name, shown, given] of VIEWS)
  for (const theme of ["light", "dark"])
    for (const width of [360, 720])
      await test(`${name}, ${theme}, ${width}`, async () => {
        const context = await chrome.context({ colorScheme: theme,
          viewport: { width, height: 480 }, permissions: ["local-network-access"] });
        const page = await hostPage(context, mica.port);
        await page.exposeFunction("callServer", (_, params) => server.call(params));
        const frame = await openExample(page, "v", await server.document(name), { theme,
          locale: "en" });
        const result = await server.call({ name, arguments: given });
        await page.evaluate(async ([given, result]) => {
          await bridges.get("v").sendToolInput({ arguments: given });
          await bridges.get("v").sendToolResult(result);
        }, [given, result]);
        await frame.waitForFunction((shown) =>
          document.getElementById("status").textContent.includes(shown), shown);
        await picture(page, name, theme, width);
        await context.close();
      });

// The view of a form, before it answers.
for (const theme of ["light", "dark"])
  for (const width of [360, 720])
    await test(`choose_seat, ${theme}, ${width}`, async () => {
      const context = await chrome.context({ colorScheme: theme,
        viewport: { width, height: 480 }, permissions: ["local-network-access"] });
      const page = await hostPage(context, mica.port);
      const { params, document } = await server.asked({ name: "choose_seat",
        arguments: { flight: "MC 12" } });
      const frame = await openExample(page, "v", document, { theme, locale: "en" });
      await page.evaluate(async (params) => {
        const { requestElicitation } = await import("/web/host/elicitation.js");
        requestElicitation(bridges.get("v"), params).catch(() => {}); // it ends with the page
      }, params);
      await frame.locator("input[name=seat]:enabled").nth(17).press("Space");
      await picture(page, "choose_seat", theme, width);
      await context.close();
    });

await chrome.end();
await mica.end();
await server.end();
done();
