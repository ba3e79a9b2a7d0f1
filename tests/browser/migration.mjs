// SPDX-License-Identifier: Apache-2.0
//
// The widget of examples/migration before and after (docs/migrating.md): the old page
// with its own script, and the page that its engine serves, in the same hands.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { done, folder, same, test } from "../peers/tap.mjs";
import { browser, mica, paths } from "./chromium.mjs";

const found = paths({ mica: "", migration: "" });
cpSync(found.migration, folder, { recursive: true });
execFileSync(found.mica, ["build"], { cwd: folder, stdio: "pipe" });
const server = await mica(found);
const chromium = await browser();

/** What a page says of a run. */
async function says(url, [kilometres, minutes, seconds]) {
  const page = await chromium.newPage();
  await page.goto(url);
  await page.getByRole("status").filter({ hasText: "5:40" }).waitFor();
  await page.getByLabel("Kilometres").fill(kilometres);
  await page.getByLabel("Minutes").fill(minutes);
  await page.getByLabel("Seconds").fill(seconds);
  const said = await page.getByRole("status").innerText();
  await page.close();
  return said;
}

const before = pathToFileURL(join(folder, "widget.html")).href;
const after = `${server.origin}/tools/running-pace/page`;

await test("the widget says what it said", async () => {
  for (const run of [["10", "56", "40"], ["42.195", "240", "0"], ["0.4", "1", "7"]])
    same(await says(after, run), await says(before, run), run.join(" "));
});

await test("what was wrong is right now", async () => {
  same(await says(before, ["1.43", "10", "0"]), "6:60 a km, 8.6 km/h", "before");
  same(await says(after, ["1.43", "10", "0"]), "7:00 a km, 8.6 km/h", "after");
});

await test("what is refused is explained", async () => {
  const said = await says(after, ["10", "0", "0"]);
  same(said.includes("how long it took"), true, said);
});

await chromium.close();
await server.end();
done();
