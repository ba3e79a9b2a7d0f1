// SPDX-License-Identifier: Apache-2.0
//
// The views of examples/views in Chromium, plain and with React, in our host behind mica's
// sandbox and in the official AppBridge: what a person does with the buttons, a model does
// with the view's tools, and the tools of the server, in C, judge both.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

import { absolute, done, options, serve, test, until } from "../peers/tap.mjs";
import { hostPage, openExample, project } from "./example-views.mjs";
import { browser, POLICY, view } from "./frames.mjs";

const programs = options({ mica: "", sandbox: "" });
const chrome = await browser();
const context = await chrome.context({ permissions: ["local-network-access"] });
const mica = await serve(absolute(programs.sandbox), []);

// How each host shows a view: {frame, host(action, argument), context()}.
const servers = new Map();
const serverOf = (name) => servers.get(name);
const official = await chrome.page();
await official.exposeFunction("callServer", (name, params) => serverOf(name).call(params));
const ours = await hostPage(context, mica.port);
await ours.exposeFunction("callServer", (name, params) => serverOf(name).call(params));
const inHost = (page) => (name) => (action, argument) => page.evaluate(
  ([name, source, argument]) => (0, eval)(`(${source})`)(bridges.get(name), argument),
  [name, String(action), argument]);

const HOSTS = [
  ["our host", ours, async (name, html) => ({
    frame: await openExample(ours, name, html, { theme: "dark", locale: "en" }),
    host: inHost(ours)(name),
    context: () => inHost(ours)(name)((bridge) => bridge.modelContext),
  })],
  ["the official host", official, async (name, html) => {
    const guarded = html.replace('<meta charset="utf-8">', '<meta charset="utf-8">' +
      `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
    const frame = await view(official, name, guarded, { context: { theme: "dark", locale: "en" } });
    const host = inHost(official)(name);
    await official.evaluate((name) => {
      const bridge = bridges.get(name);
      bridge.oncalltool = (params) => callServer(name, params);
      bridge.onupdatemodelcontext = async (params) => {
        bridge.kept = params;
        return {};
      };
    }, name);
    return { frame, host, context: () => host((bridge) => bridge.kept) };
  }],
];

const status = (frame, text) => until(() => frame.evaluate((text) =>
  document.getElementById("status")?.textContent === text, text), `the status "${text}"`);
// What the view has told the model is the data: it is on its way when the view shows it.
async function tells(opened, data) {
  await until(async () => isDeepStrictEqual((await opened.context())?.structuredContent, data),
    `the model has ${JSON.stringify(data)}`);
}
const fails = (host, params) => host((bridge, params) => bridge.callTool(params)
  .then(() => "no error", (error) => error.message), params);
const tool = async (host, name, given = {}) => (await host((bridge, params) =>
  bridge.callTool(params), { name, arguments: given })).structuredContent;
const names = (host) => host(async (bridge) =>
  (await bridge.listTools({})).tools.map(({ name }) => name).sort());

async function begin(opened, server, name, given = {}) {
  const result = await server.call({ name, arguments: given });
  await opened.host(async (bridge, [given, result]) => {
    await bridge.sendToolInput({ arguments: given });
    await bridge.sendToolResult(result);
  }, [given, result]);
}

// Buttons are pressed by keyboard: a click could miss one while its frame grows.
async function playTicTacToe(server, opened) {
  const { frame, host } = opened;
  const square = (position) => frame.locator("#board button").nth(position);
  await begin(opened, server, "tic_tac_toe");
  await status(frame, "X is next.");
  assert.deepEqual(await names(host), ["get_board_state", "make_move", "reset_game"]);
  await square(0).press("Enter");
  await status(frame, "O is next.");
  await tells(opened, { board: "X--------", next: "O", winner: "none" });

  // The model plays on the same board.
  assert.equal((await tool(host, "make_move", { position: 4 })).board, "X---O----");
  await status(frame, "X is next.");
  assert.equal(await square(4).textContent(), "O");
  assert.equal(await square(4).getAttribute("aria-label"), "Square 5: O");
  assert.equal(await fails(host, { name: "make_move", arguments: { position: 0 } }),
    "Square 0 is not empty.");
  assert.match(await fails(host, { name: "make_move", arguments: { position: 9 } }),
    /^Invalid input for tool make_move: position: /);

  // The server plays O: it does not lose.
  await square(8).press("Enter");
  await status(frame, "O is next.");
  await frame.locator("#reply").press("Enter");
  await status(frame, "X is next.");
  const { board } = await tool(host, "get_board_state");
  assert.equal([...board].filter((mark) => mark === "O").length, 2);
  assert.deepEqual((await server.call({ name: "tic_tac_toe", arguments: { board } }))
    .structuredContent.board, board);

  await frame.locator("#again").press("Enter");
  await until(() => frame.evaluate(() => document.getElementById("board").textContent === ""),
    "an empty board");
  for (const position of [0, 3, 1, 4, 2]) await tool(host, "make_move", { position });
  await status(frame, "X wins.");
  assert.equal(await square(5).isDisabled(), true);
  assert.equal(await fails(host, { name: "make_move", arguments: { position: 5 } }),
    "The game is over: X wins.");
  assert.equal((await tool(host, "reset_game")).board, "---------");
}

async function playBudget(server, opened) {
  const { frame, host } = opened;
  await begin(opened, server, "allocate_budget", { total: 1000.01 });
  await status(frame, "€100.00 (10 %) is left.");
  assert.equal(await frame.locator("#total").textContent(), "Budget: €1,000.01");
  assert.deepEqual(await names(host), ["get-allocations", "set-allocation"]);

  // The model sets a part: slider, amount and the rest follow.
  const set = await tool(host, "set-allocation", { categoryId: "Support", percent: 20 });
  assert.equal(set.unallocated, 0);
  assert.equal(set.allocations.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0),
    100001);
  await status(frame, "All is allocated.");
  assert.equal(await frame.locator("input").nth(3).inputValue(), "20");
  assert.equal(await frame.locator("b").nth(3).textContent(), "20 % · €200.00");
  await tells(opened, set);
  assert.deepEqual(await tool(host, "get-allocations"), (await server.call({
    name: "allocate_budget", arguments: { total: 1000.01, currency: "EUR",
      shares: set.allocations.map(({ id, percent }) => ({ id, percent })) } })).structuredContent);

  // The person moves a slider, by keyboard; more than there is goes back.
  await frame.locator("input").nth(0).press("ArrowLeft");
  await status(frame, "€10.00 (1 %) is left.");
  assert.equal((await tool(host, "get-allocations")).allocations[0].percent, 24);
  await frame.locator("input").nth(0).fill("60");
  await until(() => frame.evaluate(() => /^OVER_BUDGET: The parts add up to 135 %/.test(
    document.getElementById("status").textContent)), "the refusal of 135 %");
  assert.equal(await frame.locator("input").nth(0).inputValue(), "24");
  assert.match(await fails(host, { name: "set-allocation",
    arguments: { categoryId: "Nothing", percent: 1 } }), /^There is no category Nothing; there are /);
  assert.match(await fails(host, { name: "set-allocation",
    arguments: { categoryId: "Support", percent: 200 } }), /^Invalid input .*percent: /);
}

let count = 0;
for (const [kind, react] of [["plain", false], ["with React", true]]) {
  const server = await project(absolute(programs.mica), { react });
  for (const [name, play] of [["tic_tac_toe", playTicTacToe], ["allocate_budget", playBudget]]) {
    const html = await server.document(name);
    for (const [host, page, open] of HOSTS)
      await test(`${name} ${kind}, in ${host}`, async () => {
        const view = `v${++count}`;
        servers.set(view, server);
        page.said.length = 0;
        const opened = await open(view, html);
        await play(server, opened);
        assert.equal(await opened.frame.evaluate(() => document.documentElement.dataset.theme),
          "dark");
        assert.deepEqual(page.said.filter((line) => /error|refused|violat/i.test(line)), []);
        await opened.host((bridge) => bridge.teardownResource({}));
      });
  }
  // A form that a view shows: the question and the answer go through the host as they are.
  if (!react)
    for (const [host, , open] of HOSTS)
      await test(`choose_seat, in ${host}`, async () => {
        const { params, document, answer } = await server.asked({ name: "choose_seat",
          arguments: { flight: "MC 12" } });
        const opened = await open(`v${++count}`, document);
        const given = opened.host((bridge, params) => bridge.request(
          { method: "elicitation/create", params },
          { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } }), params);
        await opened.frame.getByText("Which seat do you want on MC 12?").waitFor();
        const seat = opened.frame.locator("input[name=seat]:enabled").nth(4);
        await seat.press("Space");
        await status(opened.frame, `Chosen: ${params.requestedSchema.properties.seat.oneOf[4].title}.`);
        await opened.frame.locator("#take").press("Enter");
        const content = { seat: params.requestedSchema.properties.seat.oneOf[4].const, bag: false };
        assert.deepEqual(await given, { action: "accept", content });
        assert.deepEqual((await answer(await given)).structuredContent, content);
        await opened.host((bridge) => bridge.teardownResource({}));
      });
  await server.end();
}

await chrome.end();
await mica.end();
done();
