// SPDX-License-Identifier: Apache-2.0
//
// Widgets in three kinds of hosts: the official AppBridge of ext-apps 2.0.4 in a frame of
// opaque origin, mica's own AppBridge behind its sandbox, and a page that behaves as the
// Apps SDK documents window.openai (developers.openai.com/apps-sdk/reference). Each under
// the policy of MCP Apps for a view that declares nothing. No commercial host was tried.
import { done, need, options, same, test, until } from "../peers/tap.mjs";
import { browser, inHost, POLICY, view } from "./frames.mjs";
import { openHost } from "./sandboxed.mjs";
import { documents, LAYOUTS } from "./widget-documents.mjs";

const found = options({ widget: "", sandbox: "" });
const { schemas, document: documentOf } = documents(found.widget);

// ---- The hosts ---------------------------------------------------------------------
//
// Each: open(html, {context, can}) gives {frame, result(params), context(changes),
// cancelled(reason), acts(), sizes(), end()}. `acts` are what the widget asked for, as
// [name, argument]; a tool answers {content, structuredContent: answers.tool}.

const ALL = { serverTools: {}, openLinks: {}, message: { text: {} }, updateModelContext: { text: {} } };
let number = 0;

async function officialHost() {
  const chrome = await browser();
  const page = await chrome.page();
  await page.evaluate(() => {
    globalThis.prepare = (bridge) => {
      bridge.acts = [];
      const act = (name, answer) => async (params) => {
        bridge.acts.push([name, params]);
        return answer?.(params) ?? {};
      };
      bridge.onopenlink = act("link", ({ url }) => ({ isError: url.includes("refused") }));
      bridge.onmessage = act("message");
      bridge.onupdatemodelcontext = act("model");
      bridge.oncalltool = act("tool", () => globalThis.answer);
    };
  });
  return {
    async open(html, { context = {}, can = ALL } = {}) {
      const name = `w${++number}`;
      const policed = html.replace('<meta charset="utf-8">', (all) => `${all}\n` +
        `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
      need(policed !== html, "the document has no place for a policy");
      const frame = await view(page, name, policed, { context, can });
      await inHost(page, name, (bridge) => globalThis.prepare(bridge));
      return {
        frame,
        result: (params) => inHost(page, name, (bridge, params) => bridge.sendToolResult(params), params),
        cancelled: (reason) => inHost(page, name, (bridge, reason) =>
          bridge.sendToolCancelled({ reason }), reason),
        context: (changes) => inHost(page, name, (bridge, changes) =>
          bridge.setHostContext(changes), changes),
        answers: (answer) => page.evaluate((answer) => { globalThis.answer = answer; }, answer),
        acts: () => inHost(page, name, (bridge) => bridge.acts),
        sizes: () => inHost(page, name, (bridge) => bridge.sizes),
        end: () => inHost(page, name, async (bridge) => {
          const answer = await bridge.teardownResource({});
          const { length } = bridge.sizes;
          bridge.frame.style.width = "300px";
          await new Promise((resolve) => setTimeout(resolve, 150));
          return [answer, bridge.sizes.length - length];
        }),
      };
    },
    end: () => chrome.end(),
  };
}

async function ownHost() {
  const { mica, inPage, page, end } = await openHost(found.sandbox);
  await inPage(async (port) => {
    const { AppBridge } = await import("/web/host/bridge.js");
    const { openView } = await import("/web/host/frame.js");
    globalThis.bridges = new Map();
    globalThis.open = async (name, html, hostContext, can) => {
      const bridge = new AppBridge(null, { name: "host", version: "1" }, can, { hostContext });
      Object.assign(bridge, { acts: [], sizes: [] });
      bridges.set(name, bridge);
      const act = (name, answer) => async (params) => {
        bridge.acts.push([name, params]);
        return answer?.(params) ?? {};
      };
      bridge.onopenlink = act("link", ({ url }) => ({ isError: url.includes("refused") }));
      bridge.onmessage = act("message");
      bridge.onupdatemodelcontext = act("model");
      bridge.oncalltool = act("tool", () => globalThis.answer);
      bridge.onsizechange = (size) => bridge.sizes.push(size);
      bridge.frame = await openView(bridge, { container: document.getElementById("views"),
        proxy: `http://${crypto.randomUUID()}.localhost:${port}/sandbox`, html });
      bridge.frame.style.cssText += "border:0;width:400px;height:300px";
      for (let i = 0; i < 2000 && bridge.state !== "LIVE"; i++)
        await new Promise((resolve) => setTimeout(resolve, 5));
    };
  }, mica.port);
  const on = (name, action, argument) => page.evaluate(([name, source, argument]) =>
    (0, eval)(`(${source})`)(bridges.get(name), argument), [name, String(action), argument]);
  return {
    once: true, // its views get one result: a host opens another view for another call
    async open(html, { context = {}, can = ALL } = {}) {
      const name = `w${++number}`;
      await page.evaluate(([name, html, context, can]) => globalThis.open(name, html, context, can),
        [name, html, context, can]);
      const frame = page.frames().at(-1);
      return {
        frame,
        result: (params) => on(name, async (bridge, params) => {
          await bridge.sendToolInput({ arguments: {} });
          await bridge.sendToolResult(params);
        }, params),
        cancelled: (reason) => on(name, (bridge, reason) => bridge.sendToolCancelled({ reason }), reason),
        context: (changes) => on(name, (bridge, changes) => bridge.setHostContext(changes), changes),
        answers: (answer) => page.evaluate((answer) => { globalThis.answer = answer; }, answer),
        acts: () => on(name, (bridge) => bridge.acts),
        sizes: () => on(name, (bridge) => bridge.sizes),
        end: () => on(name, async (bridge) => {
          const answer = await bridge.teardownResource({});
          const { length } = bridge.sizes;
          bridge.frame.style.width = "300px";
          await new Promise((resolve) => setTimeout(resolve, 150));
          return [answer, bridge.sizes.length - length];
        }),
      };
    },
    end,
  };
}

// A frame whose own window has the object, as the Apps SDK gives it before any script.
async function openaiHost() {
  const chrome = await browser();
  const page = await chrome.page("/plain");
  return {
    async open(html, { context = {} } = {}) {
      const name = `w${++number}`;
      const given = (context) => {
        const acts = [], sizes = [];
        const act = (name, answer) => async (...words) => {
          acts.push([name, words.length > 1 ? words : words[0]]);
          return answer?.();
        };
        Object.assign(globalThis, { acts, sizes, openai: {
          toolInput: {}, toolOutput: null, toolResponseMetadata: null, widgetState: null,
          theme: "light", locale: "en-US", displayMode: "inline", maxHeight: 10000, ...context,
          callTool: act("tool", () => globalThis.answer),
          sendFollowUpMessage: act("message"),
          openExternal: ({ href }) => acts.push(["link", { href }]),
          requestDisplayMode: async ({ mode }) => ({ mode }),
          setWidgetState: async () => {},
          notifyIntrinsicHeight: (height) => sizes.push({ height }),
        } });
        globalThis.setGlobals = (globals) => {
          Object.assign(globalThis.openai, globals);
          dispatchEvent(new CustomEvent("openai:set_globals", { detail: { globals } }));
        };
      };
      const policed = html.replace('<meta charset="utf-8">', (all) => `${all}\n` +
        `<meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
        `<script>(${given})(${JSON.stringify(context)})</script>`);
      await page.evaluate(([name, html]) => {
        const frame = document.createElement("iframe");
        Object.assign(frame, { name, sandbox: "allow-scripts", srcdoc: html });
        frame.style.cssText = "border:0;width:400px;height:300px";
        document.body.append(frame);
        return new Promise((resolve) => { frame.onload = () => resolve(); });
      }, [name, policed]);
      const frame = await until(() => page.frame({ name }), "the frame");
      return {
        frame,
        result: ({ structuredContent, isError, _meta }) => frame.evaluate((globals) =>
          setGlobals(globals), isError ? { toolResponseMetadata: _meta }
          : { toolOutput: structuredContent, toolResponseMetadata: _meta ?? null }),
        context: (changes) => frame.evaluate((changes) => setGlobals(changes), changes),
        answers: (answer) => frame.evaluate((answer) => { globalThis.answer = answer; }, answer),
        acts: () => frame.evaluate(() => acts),
        sizes: () => frame.evaluate(() => sizes),
      };
    },
    end: () => chrome.end(),
  };
}

// ---- What is the same in each ------------------------------------------------------

const stateOf = (frame) => frame.evaluate(() => document.querySelector("main").dataset.state ?? "");
const statusOf = (frame) => frame.evaluate(() => document.getElementById("status").textContent);
const resultOf = (structuredContent) => ({ content: [{ type: "text", text: "as text" }], structuredContent });
const failed = { isError: true, content: [{ type: "text", text: "It took <too> long" }],
  _meta: { "mica/error": { code: "TIMEOUT", message: "It took <too> long" } } };

const HOSTS = [["official AppBridge", officialHost, true], ["mica's AppBridge", ownHost, true],
  ["window.openai", openaiHost, false]];

for (const [name, begin, bridged] of HOSTS) {
  const host = await begin();
  const message = (text) => ["message", bridged ? { role: "user", content: [{ type: "text", text }] }
    : { prompt: text }];

  for (const layout of LAYOUTS) await test(`${name}: ${layout}: data, size, another result, an error`,
    async () => {
      let { frame, result, sizes } = await host.open(documentOf(layout));
      const again = async () => {
        if (host.once) ({ frame, result, sizes } = await host.open(documentOf(layout)));
      };
      same(await stateOf(frame), "", "before the result");
      await result(resultOf(schemas[layout].mock));
      await until(async () => (await stateOf(frame)) === "data", "the data");
      same(await frame.evaluate(() => [document.querySelector("h1").textContent, self.origin]),
        [schemas[layout].mock.title, "null"], "the heading, the origin");
      // The host knows the height that the content has.
      const height = () => frame.evaluate(() => Math.ceil(document.body.getBoundingClientRect().height));
      await until(async () => (await sizes()).at(-1)?.height === await height(), "the size");
      need(await height() > 60, "it has no height");
      const other = { ...schemas[layout].mock, title: "Another <b>one</b>" };
      await again();
      await result(resultOf(other));
      await until(() => frame.evaluate(() =>
        document.querySelector("h1").textContent === "Another <b>one</b>"), "the other result");
      await again();
      await result(failed);
      await until(async () => (await stateOf(frame)) === "error", "the error");
      same(await frame.evaluate(() => document.querySelector("[role=alert]").textContent),
        "It took <too> long", "its words");
    });

  await test(`${name}: theme, language and time zone of the host`, async () => {
    const variables = { "--color-text-primary": "rgb(1, 2, 3)", "--border-radius-md": "1px" };
    const { frame, result, context } = await host.open(documentOf("card",
      { theme: { "--border-radius-md": "9px" } }), { context: bridged
      ? { theme: "dark", locale: "de-DE", timeZone: "Europe/Berlin", styles: { variables } }
      : { theme: "dark", locale: "de-DE" } });
    await result(resultOf({ title: "T", facts: [
      { label: "a", value: 1234.5, format: "currency", currency: "EUR" },
      { label: "b", value: 0.256, format: "percent" }, { label: "c", value: "2026-10-05", format: "date" },
      { label: "d", value: "2026-10-05T22:30:00Z", format: "datetime" }, { label: "e", value: 12345.678 }] }));
    await until(async () => (await stateOf(frame)) === "data", "the data");
    const look = () => frame.evaluate(() => {
      const style = getComputedStyle(document.body);
      return [style.colorScheme, style.color, style.getPropertyValue("--border-radius-md"),
        document.documentElement.lang, [...document.querySelectorAll("dd")].map((dd) => dd.textContent)];
    });
    await until(async () => (await look())[0] === "dark", "the theme");
    const seen = await look();
    if (bridged) same(seen[1], "rgb(1, 2, 3)", "a variable of the host");
    same([seen[2], seen[3]], ["9px", "de-DE"], "a variable of the theme, the language");
    same(seen[4].filter((_, at) => at !== 3), ["1.234,50\u00a0€", "25,6\u00a0%", "05.10.2026",
      "12.345,678"], "values");
    if (bridged) same(seen[4][3], "06.10.2026, 00:30", "a moment in the time zone");
    await context(bridged ? { theme: "light", locale: "en-US", timeZone: "UTC" }
      : { theme: "light", locale: "en-US" });
    await until(async () => (await look())[0] === "light", "the other theme");
    same((await look())[4][0], "€1,234.50", "values in the other language");
  });

  await test(`${name}: a link is opened by the host, an action is a message`, async () => {
    const { frame, result, acts } = await host.open(documentOf("message"));
    await result(resultOf({ text: "t", actions: [{ label: "Ask", message: "What <now>?" }],
      links: [{ label: "Site", url: "https://example.com/a?b=\"c\"" },
        { label: "No", url: "https://refused.example/" }] }));
    await until(async () => (await stateOf(frame)) === "data", "the data");
    await frame.press("text=Ask", "Enter");
    await until(async () => (await statusOf(frame)) === "Sent.", "the message");
    await frame.press("text=Site", "Enter");
    await until(async () => (await acts()).length === 2, "the link");
    same(await acts(), [message("What <now>?"), ["link", bridged
      ? { url: "https://example.com/a?b=%22c%22" } : { href: "https://example.com/a?b=%22c%22" }]], "acts");
    if (!bridged) return;
    await frame.press("text=No", "Enter");
    await until(async () => (await statusOf(frame)) === "The host refused that.", "the refusal");
  });

  // ---- Forms

  const fill = async (frame) => {
    await frame.fill("#field-0", "Ada <i>");
    await frame.fill("#field-1", "ada@example.com");
    await frame.selectOption("#field-2", "A return");
    await frame.fill("#field-3", "2026-10-05");
    await frame.fill("#field-4", "It\nbroke");
    await frame.uncheck("#field-5");
  };
  const context = { name: "Ada <i>", email: "ada@example.com", topic: "A return",
    bought: "2026-10-05", details: "It\nbroke", copy: false };
  const words = "How can we help?\nYour name: Ada <i>\nEmail: ada@example.com\nWhat is it about?: " +
    "A return\nBought on: 2026-10-05\nWhat happened?: It\nbroke\nSend me a copy: no";
  // By a key: a click can miss what a frame that grows moves meanwhile.
  const send = (frame) => frame.press(".doings button", "Enter");

  await test(`${name}: a form is checked, and sent as a message`, async () => {
    const { frame, result, acts } = await host.open(documentOf("form"));
    await result(resultOf(schemas.form.mock));
    await until(async () => (await stateOf(frame)) === "data", "the form");
    await send(frame);
    same(await frame.evaluate(() => [document.activeElement.id, document.activeElement.ariaInvalid,
      document.getElementById("field-0-fault").textContent]),
    ["field-0", "true", "Please fill this in."], "what is missing");
    await fill(frame);
    await frame.fill("#field-1", "ada@");
    await send(frame);
    same(await frame.evaluate(() => document.activeElement.id), "field-1", "what is wrong");
    same(await acts(), [], "nothing was sent");
    await fill(frame);
    await frame.focus("#field-3");
    await frame.press("#field-0", "Enter");
    await until(async () => (await statusOf(frame)) === schemas.form.mock.done, "the end");
    same(await acts(), [message(words)], "acts");
    // The same result again leaves the form as it is.
    if (!host.once) await result(resultOf(schemas.form.mock));
    same(await frame.inputValue("#field-0"), "Ada <i>", "the field");
  });

  await test(`${name}: a form is sent as a call of the app's tool, whose result takes its place`,
    async () => {
      const { frame, result, acts, answers } = await host.open(documentOf("form", { submit: "tool" }));
      await result(resultOf(schemas.form.mock));
      await until(async () => (await stateOf(frame)) === "data", "the form");
      await fill(frame);
      await answers(failed);
      await send(frame);
      await until(async () => (await statusOf(frame)) === "It took <too> long", "the failure");
      same(await frame.inputValue("#field-0"), "Ada <i>", "the field after a failure");
      const next = { title: "One more thing", fields: [{ name: "more", label: "More" }] };
      await answers(resultOf(next));
      await send(frame);
      await until(() => frame.evaluate(() =>
        document.querySelector("h1").textContent === "One more thing"), "the next form");
      const call = { message: "The form was sent: How can we help?", context };
      const wanted = bridged ? ["tool", { name: "get_it", arguments: call }] : ["tool", ["get_it", call]];
      same((await acts()).slice(0, 2), [wanted, wanted], "the calls");
      if (bridged) {
        await until(async () => (await acts()).length === 3, "the model is told");
        same((await acts())[2], ["model", { content: [{ type: "text",
          text: `The person sent this form.\n${words}` }] }], "what the model is told");
      }
    });

  if (bridged) {
    await test(`${name}: the name of the tool is that of the host; without tools, a message`, async () => {
      const tool = { name: "other_name", inputSchema: { type: "object" } };
      const { frame, result, acts, answers } = await host.open(documentOf("form", { submit: "tool" }),
        { context: { toolInfo: { tool } } });
      await answers(resultOf(schemas.form.mock));
      await result(resultOf({ title: "T", fields: [{ name: "a", label: "A", type: "number", value: 2 }] }));
      await until(async () => (await stateOf(frame)) === "data", "the form");
      await send(frame);
      await until(async () => (await acts()).length > 0, "the call");
      same((await acts())[0][1], { name: "other_name", arguments: {
        message: "The form was sent: T", context: { a: 2 } } }, "the call");
      const second = await host.open(documentOf("form", { submit: "tool" }),
        { can: { message: { text: {} } } });
      await second.result(resultOf({ title: "T", fields: [{ name: "a", label: "A" }] }));
      await until(async () => (await stateOf(second.frame)) === "data", "the form");
      await send(second.frame);
      await until(async () => (await second.acts()).length > 0, "the message");
      same(await second.acts(), [message("T")], "the message");
      const third = await host.open(documentOf("form", { submit: "tool" }), { can: {} });
      await third.result(resultOf({ title: "T", fields: [{ name: "a", label: "A" }] }));
      await until(async () => (await stateOf(third.frame)) === "data", "the form");
      await send(third.frame);
      await until(async () => /nothing was sent/.test(await statusOf(third.frame)), "no way");
    });

    await test(`${name}: a cancelled call, a text without data, then the end`, async () => {
      const { frame, cancelled } = await host.open(documentOf("list"));
      await cancelled("the person stopped it");
      await until(async () => (await stateOf(frame)) === "error", "the words");
      same(await frame.evaluate(() => document.querySelector("[role=alert]").textContent),
        "The call was cancelled. the person stopped it", "the words");
      const { frame: second, result, end } = await host.open(documentOf("list"));
      await result({ content: [{ type: "text", text: "Only <words>" }] });
      await until(async () => (await stateOf(second)) === "empty", "the text");
      same(await second.evaluate(() => document.querySelector(".note").textContent), "Only <words>", "the text");
      same(await end(), [{}, 0], "the answer to teardown, and messages about sizes after it");
    });
  } else {
    await test(`${name}: what is there before the widget begins, and a height that is bounded`, async () => {
      const { frame, sizes } = await host.open(documentOf("list"),
        { context: { toolOutput: schemas.list.mock, maxHeight: 100 } });
      await until(async () => (await stateOf(frame)) === "data", "the data");
      // The first may be of the frame before anything stands in it.
      await until(async () => (await sizes()).at(-1)?.height === 100, "the height that is bounded");
      need((await sizes()).every(({ height }) => height <= 100), "no size is above the bound");
    });
  }
  await host.end();
}
done();
