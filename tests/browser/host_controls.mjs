// SPDX-License-Identifier: Apache-2.0
//
// What a person does on the host page: tools are chosen and called, a view is opened, its
// questions are answered. For the project in hosted/.
import { until } from "../peers/tap.mjs";

/** The controls of a page at /host, as functions and locators. */
export function controlsOf(page) {
  const tool = (name, from = "Server") =>
    page.locator(`#host-tools [data-name="${name}"]`).filter({ hasText: from });
  const card = (title) => page.getByRole("region", { name: title, exact: true });
  const inCard = (title, name) => card(title).getByRole("button", { name });
  const dialog = page.locator("#consent");
  const asks = (words) => dialog.getByText(words).first().waitFor();
  const allow = (name = "Allow") => dialog.getByRole("button", { name, exact: true }).click();
  const refuse = () => dialog.getByRole("button", { name: "Do not allow" }).click();

  async function choose(name, from) {
    await tool(name, from).click();
    await page.locator("#call-send:enabled").waitFor();
  }

  async function callWith(json) {
    if (!await page.locator("#call-json").isVisible())
      await page.getByText("Arguments as JSON, and their schema").click();
    await page.locator("#call-json").fill(JSON.stringify(json));
    await page.locator("#call-send").click();
  }

  // What the browser says of a view that does what it may not.
  const quieten = (words) => { page.said = page.said.filter((line) => !words.test(line)); };

  // The frame of a view's own document, inside of the sandbox proxy.
  async function frameOf(title) {
    const outer = await (await card(title).locator("iframe").elementHandle()).contentFrame();
    const inner = await until(() => outer.childFrames()[0], `the view of ${title}`);
    await inner.waitForFunction(() => globalThis.app?.state === "READY");
    return inner;
  }

  // Calls the tool with the view; the camera that it wants is `allowed` or not.
  async function openPuppet(word, allowed = false) {
    await choose("puppet");
    await callWith({ word });
    await asks("This view wants to use your camera.");
    await (allowed ? allow() : refuse());
    const title = await page.locator("#cards h3").first().innerText();
    const frame = await frameOf(title);
    await frame.waitForFunction((word) =>
      document.getElementById("result").textContent === word, word);
    return { title, frame };
  }
  const close = (title) => page.getByRole("button", { name: `Close ${title}` }).click();
  const isOpen = () => dialog.evaluate(({ open }) => open);
  return { tool, card, inCard, dialog, asks, allow, refuse, isOpen, choose, callWith, quieten,
    frameOf, openPuppet, close };
}
