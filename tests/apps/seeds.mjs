// SPDX-License-Identifier: Apache-2.0
//
// The programs of the documents that describe MCP Apps and its tools, in seeds/, each as it
// stands there but for its import line. What a document leaves out follows a line that
// says "completed". They run in Chromium, in frames of opaque origin under the default
// policy, and their host is the official bridge.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { done, need, same, test, until } from "../peers/tap.mjs";
import { browser, bundle, document_, inHost, view } from "./frames.mjs";

const chrome = await browser();
const page = await chrome.page();

// Counts what the policy blocks, from the first script on.
const COUNTER = "<script>window.blocked = []; addEventListener('securitypolicyviolation', " +
  "({ blockedURI }) => blocked.push(blockedURI))</script>";
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Opens seeds/`file` in a frame of that name. With `plain` its schemas are JSON Schema. */
async function open(file, { plain = false, name = file, ...options } = {}) {
  const script = await bundle(`import "./seeds/${file}";`, "esm", {
    define: { "process.env.NODE_ENV": '"production"' }, jsx: "automatic",
    ...plain && { stdin: { resolveDir: here("."), loader: "ts",
      contents: readFileSync(here(`seeds/${file}`), "utf8")
        .replace("../../../web/view/index.js", "./seeds-plain.mjs") } } });
  return view(page, name, document_(script, { kind: ' type="module"', head: COUNTER }), options);
}
const call = (file, name, args) => inHost(page, file, (bridge, { name, args }) =>
  bridge.callTool({ name, arguments: args }).catch(({ message }) => message), { name, args });
const list = async (file) => (await inHost(page, file, async (bridge) =>
  (await bridge.listTools({})).tools)).map(({ name, description }) => [name, description]);

await test("an App with handlers and a transport", async () => {
  const frame = await open("overview.ts");
  await until(() => frame.evaluate(() => window.app?.state === "READY"), "it is ready");
});

await test("a button that calls a tool of the server", async () => {
  const frame = await open("button.ts");
  await frame.locator("button").click();
  await until(() => inHost(page, "button.ts", (bridge) => bridge.called !== undefined), "a call");
  same(await inHost(page, "button.ts", (bridge) => bridge.called.params.name), "do_thing",
    "its name");
});

await test("an App that waits for a tool of the server", async () => {
  await open("weather.ts");
  await until(() => inHost(page, "weather.ts", (bridge) => bridge.called !== undefined), "a call");
  same(await inHost(page, "weather.ts", ({ called: { params } }) => [params.name,
    params.arguments]), ["get_weather", { city: "NYC" }], "what it asks");
});

await test("React, with the App as a property", async () => {
  const frame = await open("drilling.tsx");
  await until(async () => (await frame.locator("main").innerText()) === "host", "its host");
});

// Each with the zod schemas that stand there, and with plain JSON Schema.
for (const plain of [false, true]) {
  const kind = plain ? "plain" : "zod";
  const opened = async (file) => {
    const name = `${file} ${kind}`;
    return { name, frame: await open(file, { plain, name }) };
  };

  await test(`tic-tac-toe: a host finds its tool and plays (${kind})`, async () => {
    const { name } = await opened("tic-tac-toe.ts");
    same(await list(name), [["make_move", "Make a move"]], "its tools");
    const { content, structuredContent } = await call(name, "make_move", { position: 4 });
    same([content[0].text, structuredContent.board[4], structuredContent.winner],
      ["Moved to 4", "X", null], "the move");
    need((await call(name, "make_move", { position: 9 }))
      .includes("Invalid input for tool make_move: position"), "a move that is none");
  });

  await test(`search: arguments and results are checked (${kind})`, async () => {
    const { name } = await opened("search.ts");
    // A default of plain JSON Schema fills nothing in.
    const given = { query: "mica", ...plain && { limit: 10 } };
    same((await call(name, "search", given)).structuredContent.results,
      [{ title: "mica 10", url: "/" }], "a result");
    need((await call(name, "search", { query: "" })).includes("Invalid input"), "an input");
    need((await call(name, "search", { query: "nothing" })).includes("Invalid output"),
      "an output");
  });

  await test(`budget allocator: a model asks for the state and changes it (${kind})`, async () => {
    const { name, frame } = await opened("budget.ts");
    await call(name, "set-allocation", { categoryId: "marketing", percent: 25 });
    need((await frame.locator("body").innerText()).includes("marketing,25"),
      "what a person sees");
    const { structuredContent } = await call(name, "get-allocations");
    same(structuredContent.allocations.marketing, { percent: 25, amount: 25000 }, "the state");
  });

  await test(`discover, query and act (${kind})`, async () => {
    const { name } = await opened("agent.ts");
    const tools = await list(name);
    same(tools.map(([tool]) => tool), ["get_board_state", "make_move"], "its tools");
    const state = await call(name, "get_board_state");
    same(state.structuredContent.currentPlayer, "X", "the state");
    await call(name, "make_move", { position: 4 });
    same((await call(name, "get_board_state")).structuredContent.currentPlayer, "O",
      "the state after a move");
  });

  await test(`the same as its document has it, in our host (${kind})`, async () => {
    const name = `ours ${kind}`;
    await open("agent.ts", { plain, name, ours: true });
    const block = readFileSync(here("seeds/discover.ts"), "utf8");
    const { tools, state } = await inHost(page, name, `async (bridge) => {${block}}`);
    same(tools.map(({ name }) => name), ["get_board_state", "make_move"], "tools");
    same(state.structuredContent.currentPlayer, "X", "state");
    same((await call(name, "get_board_state")).structuredContent.currentPlayer, "O",
      "the state after a move");
  });
}

await test("a tool is hidden, shown, renamed and removed", async () => {
  const frame = await open("lifecycle.ts");
  const seen = [];
  for (let steps = 0; steps < 4; steps++) {
    await until(() => frame.evaluate(() => window.next !== undefined), "a step");
    seen.push(await list("lifecycle.ts"));
    await frame.evaluate(() => {
      const { next } = window;
      window.next = undefined;
      next();
    });
  }
  await until(async () => (await list("lifecycle.ts")).length === 0, "its end");
  const before = [["my_tool", "Old description"]];
  same(seen, [before, [], before, [["my_tool", "New description"]]], "the lists");
});

await test("zod evaluates no text, not even to try", async () => {
  for (const frame of page.frames().slice(1))
    same(await frame.evaluate(() => window.blocked), [], frame.name());
});

await chrome.end();
done();
