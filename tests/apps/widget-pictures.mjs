// SPDX-License-Identifier: Apache-2.0
//
// Pictures of each layout with its mock data, for docs/pictures. Run by scripts/screenshots.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { small } from "../browser/png.mjs";
import { absolute, done, options, test } from "../peers/tap.mjs";
import { browser } from "./frames.mjs";
import { documents, LAYOUTS } from "./widget-documents.mjs";

const MOST_BYTES = 60 * 1024;
const found = options({ widget: "", out: "" });
const { document: documentOf } = documents(found.widget);
const chrome = await browser("--force-device-scale-factor=1");

for (const layout of LAYOUTS)
  for (const colorScheme of ["light", "dark"])
    await test(`${layout}, ${colorScheme}`, async () => {
      const context = await chrome.context({ colorScheme, locale: "en-US", timezoneId: "UTC",
        viewport: { width: 360, height: 100 } });
      const page = await context.newPage();
      await page.setContent(documentOf(layout, { mock: true }));
      await page.waitForSelector("main[data-state=data]");
      await page.waitForTimeout(200); // the chart is drawn
      const picture = small(await page.screenshot({ animations: "disabled", fullPage: true }));
      if (picture.length > MOST_BYTES) throw new Error(`it has ${picture.length} bytes`);
      writeFileSync(join(absolute(found.out), `widget-${layout}-360-${colorScheme}.png`), picture);
      await context.close();
    });

await chrome.end();
done();
