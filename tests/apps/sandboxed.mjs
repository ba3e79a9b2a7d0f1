// SPDX-License-Identifier: Apache-2.0
//
// A host page in Chromium beside mica's sandbox, for views in real frames.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

import { absolute, PATIENCE, serve } from "../peers/tap.mjs";
import { counts, words } from "./coverage-browser.mjs";
import { waits } from "./frames.mjs";

const web = fileURLToPath(new URL("../../web/", import.meta.url));
export const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/**
 * {mica, origin, browser, page, inPage(body, argument), end()}: /web/ of the page has the
 * modules, and `until(check)`.
 */
export async function openHost(sandbox) {
  const mica = await serve(absolute(sandbox), []);
  const origin = `http://127.0.0.1:${mica.port}`;
  const browser = await chromium.launch({ executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", ...words] });
  // A page that the test writes has no address; one of mica's would be local itself.
  const context = await browser.newContext({ permissions: ["local-network-access"] });
  const page = await context.newPage();
  const count = await counts(page);
  page.on("pageerror", (error) => console.log(`# page: ${error}`));
  await page.route(`${origin}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    return pathname.startsWith("/web/")
      ? route.fulfill({ contentType: "text/javascript",
        body: readFileSync(web + pathname.slice(5), "utf8") })
      : route.fulfill({ contentType: "text/html", headers: { "referrer-policy": "no-referrer" },
        body: "<!doctype html><title>Host</title><div id=views></div>" });
  });
  await page.goto(`${origin}/host`);
  await page.evaluate(waits, PATIENCE);
  return { mica, origin, browser, page, inPage: (body, argument) => page.evaluate(body, argument),
    async end() {
      await count();
      await browser.close();
      await mica.end();
    } };
}

/** A document whose one script is this code. */
export const script = (code, kind = "") => `<!doctype html><title>View</title><body><script${kind}>${
  code.replaceAll("</script", "<\\/script")}</script>`;
