// SPDX-License-Identifier: Apache-2.0
//
// The hooks of a view in Chromium: with React under StrictMode, beside the official bridge.
import { done, same, test, until } from "../peers/tap.mjs";
import { becomes, browser, bundle, document_, inHost, view } from "./frames.mjs";

const chrome = await browser();
const page = await chrome.page();
const HEAD = `
  import { createElement as h, StrictMode, useState } from "react";
  import { createRoot } from "react-dom/client";
  import * as mica from "../../web/view/react.js";
  window.errors = [];
  console.warn = (text) => errors.push(String(text));
  console.error = (text) => errors.push(String(text));
  const root = window.root = createRoot(document.getElementById("root"));
  const show = window.show = (element) => root.render(h(StrictMode, null, element));
  const info = { name: "react", version: "1" };
`;
const page_ = async (source) => document_(await bundle(HEAD + source, "iife", {
  define: { "process.env.NODE_ENV": '"development"' } }), { body: '<div id="root"></div>' });
// A message of the host takes its time to the frame, and React takes its own until it draws:
// what is read of a page is read until it is so.
const texts = (frame) => frame.evaluate(() => document.getElementById("root").textContent);
const drawn = async (frame) => JSON.parse(await texts(frame) || "{}");

await test("input, result and context reach nested components, under StrictMode", async () => {
  await page.evaluate(() => { log.length = 0; });
  const frame = await view(page, "nested", await page_(`
    function Nested() {
      const { app, isConnected } = mica.useApp();
      const input = mica.useToolInput();
      const partial = mica.useToolInput({ partial: true });
      const result = mica.useToolResult();
      const cancelled = mica.useToolCancelled();
      const context = mica.useHostContext();
      mica.useHostStyles();
      const theme = mica.useDocumentTheme();
      window.app = app;
      return JSON.stringify({ isConnected, input, partial, result, cancelled, context, theme });
    }
    window.created = 0;
    show(h(mica.AppProvider, { appInfo: info, capabilities: {}, onAppCreated: () => created++ },
      h("div", null, h(Nested))));`), { context: { theme: "dark", locale: "de" } });
  await frame.waitForFunction(() => window.app);
  await inHost(page, "nested", (bridge) => bridge.sendToolInputPartial({ arguments: { a: 1 } }));
  await becomes(async () => {
    const { isConnected, input, partial, context, theme } = await drawn(frame);
    return [isConnected, input, partial, context, theme];
  }, [true, undefined, { a: 1 }, { theme: "dark", locale: "de" }, "dark"], "at first");
  await inHost(page, "nested", async (bridge) => {
    await bridge.sendToolInput({ arguments: { a: 12 } });
    await bridge.sendToolResult({ content: [], structuredContent: { ok: 1 } });
    await bridge.sendToolCancelled({ reason: "why" });
    bridge.setHostContext({ theme: "light", locale: "de", styles: { css: { fonts: "p{}" },
      variables: { "--font-sans": "serif" } } });
  });
  await becomes(async () => {
    const { input, partial, result, cancelled, context, theme } = await drawn(frame);
    return [input, partial, result?.structuredContent, cancelled, context?.theme, theme];
  }, [{ a: 12 }, { a: 12 }, { ok: 1 }, { reason: "why" }, "light", "light"], "later");
  same(await frame.evaluate(() => [created, errors,
    document.documentElement.style.getPropertyValue("--font-sans"),
    Boolean(document.getElementById("__mcp-host-fonts"))]), [1, [], "serif", true], "the page");
  same(await page.evaluate(() => log.filter(({ method }) => method === "ui/initialize").length),
    1, "handshakes");
  await frame.evaluate(() => root.unmount());
  await until(() => frame.evaluate(() => app.state === "CLOSED"), "the end of the App");
});

await test("a tool is there while its component is, and runs its last callback", async () => {
  const frame = await view(page, "tools", await page_(`
    function Counter({ by, off }) {
      const [count, setCount] = useState(0);
      const add = mica.useTool("add", { description: "Adds " + by, enabled: !off,
        inputSchema: { type: "object", properties: { times: { type: "integer" } } } },
        async ({ times = 1 }) => {
          setCount((now) => now + by * times);
          return { content: [], structuredContent: { by } };
        });
      mica.useTool("bare", {}, async () => ({ content: [] }));
      return h("button", { id: "b", onClick: () => add({}) }, String(count));
    }
    const draw = window.draw = (props) => show(h(mica.AppProvider, { appInfo: info,
      onAppCreated: (made) => { window.app = made; } }, props && h(Counter, props)));
    draw({ by: 1 });`));
  await frame.waitForFunction(() => window.app?.state === "READY");
  await inHost(page, "tools", (bridge) => {
    bridge.changes = 0;
    bridge.setNotificationHandler("notifications/tools/list_changed", () => { bridge.changes++; });
  });
  const list = () => inHost(page, "tools", async (bridge) =>
    (await bridge.listTools({})).tools.map(({ name, description }) => [name, description]));
  const call = () => inHost(page, "tools", (bridge) =>
    bridge.callTool({ name: "add", arguments: { times: 2 } }));
  // The list, and how often its changes were told: once for each that there was.
  const listed = async () => [await list(), await inHost(page, "tools", ({ changes }) => changes)];
  same(await list(), [["add", "Adds 1"], ["bare", undefined]], "the list");
  await call();
  await frame.click("#b");
  await becomes(() => texts(frame), "3", "both ways");
  same((await listed())[1], 0, "renders change no list");
  await frame.evaluate(() => draw({ by: 10 }));
  await becomes(listed, [[["add", "Adds 10"], ["bare", undefined]], 1], "another render");
  same((await call()).structuredContent, { by: 10 }, "the callback of another render");
  await frame.evaluate(() => draw({ by: 10, off: true }));
  await becomes(listed, [[["bare", undefined]], 2], "switched off");
  await frame.evaluate(() => draw());
  await becomes(listed, [[], 3], "unmounted");
  same(await frame.evaluate(() => errors), [], "errors");
});

await test("useApp as the official package has it, and an App made outside", async () => {
  const frame = await view(page, "official", await page_(`
    const outside = new mica.App(info, {}, { autoResize: false });
    function Inside() {
      mica.useHostStyleVariables(outside, { theme: "dark" });
      mica.useHostFonts(null);
      mica.useAutoResize(mica.useApp().app);
      return JSON.stringify([mica.useApp().isConnected, mica.useToolInput()]);
    }
    const connected = outside.connect();
    connected.then(() => show(h(mica.AppProvider, { app: outside }, h(Inside))));
    window.outside = outside;`));
  await becomes(() => texts(frame), "[true,null]", "the hooks before the input");
  await inHost(page, "official", (bridge) => bridge.sendToolInput({ arguments: { b: 2 } }));
  await becomes(() => texts(frame), '[true,{"b":2}]', "the hooks");
  await until(() => inHost(page, "official", (bridge) => bridge.sizes.length > 0), "a size");
  same(await frame.evaluate(() => document.documentElement.dataset.theme), "dark", "the theme");
});

await test("without a host, and with one that refuses", async () => {
  const tab = await chrome.page("/plain");
  const source = await bundle(HEAD.replace('document.getElementById("root")', "document.body") + `
    function Page({ onAppCreated }) {
      const { app, isConnected, error } = mica.useApp({ appInfo: info, capabilities: {},
        onAppCreated });
      return JSON.stringify([app, isConnected, error?.code ?? error?.message]);
    }
    window.draw = (key, onAppCreated) => show(h(Page, { key, onAppCreated }));`, "iife",
  { define: { "process.env.NODE_ENV": '"development"' } });
  await tab.addScriptTag({ content: source });
  await tab.evaluate(() => draw("a"));
  await tab.waitForFunction(() => document.body.textContent.includes("NO_HOST"));
  await tab.evaluate(() => draw("b", () => { throw new Error("mine"); }));
  await tab.waitForFunction(() => document.body.textContent.includes("mine"));
  await tab.evaluate(() => draw("c", () => { throw "text"; }));
  await tab.waitForFunction(() => document.body.textContent.includes("Failed to connect"));
  await tab.evaluate(() => root.unmount());
  await tab.close();
});

await chrome.end();
done();
