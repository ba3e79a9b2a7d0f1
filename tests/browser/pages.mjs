// SPDX-License-Identifier: Apache-2.0
//
// The pages in Chromium: each thing a person can do with them, with a mouse, a
// keyboard or a phone, with a network and without, and where browsers refuse what
// an engine usually runs on.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { done, folder, need, same, test, until } from "../peers/tap.mjs";
import { axe, browser, keeps, mica, open, paths, ready, strict, withoutWasm } from "./chromium.mjs";

const found = paths({ mica: "", engines: "", kinds: "", inputs: "" });
const run = promisify(execFile);
const server = await mica(found);

// Of the engines for tests, only this one is any good.
const apart = join(folder, "kinds");
mkdirSync(apart);
for (const name of readdirSync(found.kinds))
  if (/^(every-kind|_engine)/.test(name))
    copyFileSync(join(found.kinds, name), join(apart, name));
const kinds = await mica({ ...found, engines: apart });
const policy = await withoutWasm(server.origin);
const chromium = await browser();
const percentage = "/tools/percentage-calculator";

async function onPage(path, work, settings = {}, base = server.origin) {
  const context = await chromium.newContext(settings);
  const page = await open(context, base + path);
  await work(page, context);
  same(page.said, [], "the console");
  await context.close();
}

const text = (page, selector) => page.locator(selector).innerText();
const value = (page, name) =>
  text(page, `[data-result="${name}"] .value`);
const label = (page, words) => page.getByLabel(words, { exact: true });
const choose = (page, name, words) =>
  page.getByRole("radiogroup", { name }).getByLabel(words, { exact: true })
    .check({ force: true });
async function preset(page, name) {
  await page.locator("#examples > summary").click();
  await page.getByRole("button", { name, exact: true }).click();
}

// ---- The catalog -------------------------------------------------------------

await test("the catalog has every tool and finds some", () =>
  onPage("/", async (page) => {
    same(await page.locator(".tools > li").count(), 19, "tools");
    need(await page.locator(".category").count() > 2, "categories");
    await label(page, "Search the tools").fill("percent chang");
    same(await page.locator(".tools > li:visible").count(), 1, "found");
    same(new URL(page.url()).search, "?q=percent+chang", "the address");
    same(await text(page, "#found"), "1 tool", "how many");
    await page.getByRole("link", { name: "Percentage calculator" }).click();
    await ready(page);
    same(await text(page, "h1"), "Percentage calculator", "the page");
  }));

await test("the catalog names the address that the browser came by", async () => {
  const context = await chromium.newContext();
  await context.route("https://tools.example/**", async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const reply = await fetch(server.origin + pathname + search);
    await route.fulfill({ status: reply.status,
      headers: { "content-type": reply.headers.get("content-type") },
      body: Buffer.from(await reply.arrayBuffer()) });
  });
  const page = await context.newPage();
  await page.goto("https://tools.example/");
  await ready(page);
  same(JSON.parse(await page.locator("[aria-label='Configuration of a client']")
    .textContent())
    .mcpServers.mica.url, "https://tools.example/mcp", "the endpoint");
  await context.close();
});

await test("an address that is nothing says so", async () => {
  const response = await fetch(`${server.origin}/tools/no%3Cb%3E`,
    { headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
  same([response.status, response.headers.get("content-type")],
    [404, "text/html; charset=utf-8"], "a page");
  need(!(await response.text()).includes("<b>"), "it is escaped");
});

// ---- A tool --------------------------------------------------------------------

await test("a result is there at once, and follows what is typed", () =>
  onPage(percentage, async (page) => {
    same(await value(page, "result"), "30", "the first example's");
    await label(page, "A").fill("50");
    same(await value(page, "result"), "100", "as typed");
    await choose(page, "Mode", "change");
    same(await value(page, "result"), "300", "as chosen");
    need((await text(page, "#runs")).includes("WebAssembly"), "where it runs");
  }));

await test("examples are presets", () =>
  onPage(percentage, async (page) => {
    await preset(page, "A third, to four places");
    same(await value(page, "result"), "33.3333", "its result");
    same(await label(page, "Precision").inputValue(), "4", "its input");
    await preset(page, "15% of 200");
    same(await label(page, "Precision").inputValue(), "2", "the default");
  }));

await test("what is wrong is said at its field, and goes with it", () =>
  onPage(percentage, async (page) => {
    await label(page, "B").fill("many");
    const wrong = page.locator("[data-name=b] .error");
    await wrong.waitFor();
    same(await wrong.innerText(), "Enter a number", "words for people");
    same(await label(page, "B").getAttribute("aria-invalid"), "true", "marked");
    need(await page.locator("[data-result=result]").isHidden(), "no result");
    await label(page, "B").fill("3");
    need(await wrong.isHidden(), "gone");
    await choose(page, "Mode", "ratio");
    await label(page, "B").fill("0");
    await wrong.filter({ hasText: "zero" }).waitFor(); // the handler's own words
  }));

await test("what is missing is asked for, and blamed when it is sent", () =>
  onPage(percentage, async (page) => {
    await page.getByRole("button", { name: "Clear" }).click();
    await until(async () =>
      (await text(page, "#state")).includes("Mode"), "it is asked for");
    need(await page.locator("[data-name=mode] .error").isHidden(), "no blame");
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator("[data-name=mode] .error").waitFor(); // blame
    need(await page.getByRole("radiogroup", { name: "Mode" }).evaluate(
      (element) => element.contains(document.activeElement)), "has the focus");
  }));

await test("a link holds the input", () =>
  onPage(percentage, async (page, context) => {
    await label(page, "A").fill("12.50");
    const other = await open(context,
      await page.evaluate(() => location.href));
    same(await label(other, "A").inputValue(), "12.50", "as it was typed");
    same(await value(other, "result"), await value(page, "result"), "result");
  }));

// One message to a server that somebody has started.
async function overPipe(message) {
  const child = run(found.mica, ["stdio", "--engines", found.engines]);
  child.child.stdin.end(`${message}\n`);
  return JSON.parse((await child).stdout).result.structuredContent;
}

const quoted = (command) => command
  .replace(/^mica/, `'${found.mica}'`) + (/^mica/.test(command)
    ? ` --engines '${found.engines}'` : "");

await test("what is copied runs for every tool, quotes and all", async () => {
  const context = await chromium.newContext(
    { permissions: ["clipboard-read", "clipboard-write"] });
  for (const slug of readdirSync(found.engines)
    .filter((name) => name.endsWith(".twin.js"))
    .map((name) => name.replace(".twin.js", ""))) {
    const page = await open(context, `${server.origin}/tools/${slug}`);
    if (slug === "text-statistics")
      await page.getByLabel("Text", { exact: true })
        .fill("it's \"a\" $HOME `text`\nof 'two' lines \\ — é");
    const copied = async (kind) => {
      await page.locator(`[data-copy=${kind}]`).click();
      await until(async () =>
        (await text(page, "#copied")).includes("done"), kind);
      const words = await page.evaluate(async () => {
        document.getElementById("copied").textContent = "";
        return navigator.clipboard.readText();
      });
      return words;
    };
    const wanted = await copied("json");
    for (const kind of ["curl", "cli"]) {
      const { stdout } = await run("sh", ["-c", quoted(await copied(kind))])
        .catch((error) => error); // curl and mica say by it that a call failed
      same(JSON.parse(stdout), JSON.parse(wanted), `${slug}: ${kind}`);
    }
    same(await overPipe(await copied("mcp")), JSON.parse(wanted),
      `${slug}: MCP`);
    await page.close();
  }
  await context.close();
}, 600000);

await test("every copy works where it is pasted", () =>
  onPage(`${percentage}?mode=of&a=15&b=200`, async (page) => {
    const copied = async (kind) => {
      await page.locator(`[data-copy=${kind}]`).click();
      await until(async () => (await text(page, "#copied")) !== "", kind);
      return page.evaluate(() => {
        document.getElementById("copied").textContent = "";
        return navigator.clipboard.readText();
      });
    };
    const wanted = JSON.parse(await copied("json"));
    same(wanted.result, 30, "JSON");
    const shell = async (command) => JSON.parse((await run("sh", ["-c",
      command.replace(/^mica/, found.mica)])).stdout);
    same(await shell(await copied("curl")), wanted, "curl");
    same(await shell(await copied("cli")), wanted, "command");
    const message = await copied("mcp");
    same(JSON.parse(message).params.arguments,
      { mode: "of", a: 15, b: 200, precision: 2 }, "MCP");
    same(await overPipe(message), wanted, "MCP, sent");
    same(await copied("link"), await page.evaluate(() => location.href), "link");
  }, { permissions: ["clipboard-read", "clipboard-write"] }));

// ---- Forms of every kind -----------------------------------------------------------

const every = "/tools/every-kind";

await test("a form of every kind shows an input and reads it back", () =>
  onPage(every, async (page) => {
    for (const [name, inputs] of [
      ["The least", { yes: true, integer: 7, other: "medium" }],
      ["All of it", { points: [{ x: 1 }, { x: 2, y: 3 }], counts: { a: 1, b: 2 },
                      rows: [[1, 2], [], [3]], any: { a: [1, null] },
                      maybe: 4.5, maybe_size: null, text: "two\nlines" }]]) {
      await preset(page, name);
      const json = JSON.parse(await page.locator("#json").inputValue());
      same({ ...json, ...inputs }, json, `${name}, as JSON`);
      same(await text(page, "#state"), "Here is the result.", name);
    }
  }, {}, kinds.origin));

await test("lists and maps grow and shrink", () =>
  onPage(every, async (page) => {
    await preset(page, "All of it");
    await page.getByRole("button", { name: "Add to Points" }).click();
    const third = page.locator("[data-name=points] > ol > li").nth(2);
    need(await third.getByLabel("X").evaluate(
      (element) => element === document.activeElement), "it has the focus");
    await third.getByLabel("X").fill("9");
    await page.getByRole("button", { name: "Add to Counts" }).click();
    const entry = page.locator("[data-name=counts] > ol > li").nth(2);
    await entry.getByLabel("Name").fill("c");
    await entry.getByLabel("Value").fill("0");
    await entry.locator(".error:visible", { hasText: "at least 1" }).waitFor();
    await entry.getByLabel("Value").fill("5");
    await page.getByRole("button", { name: "Remove from Points" }).first().click();
    const json = JSON.parse(await page.locator("#json").inputValue());
    same(json.points, [{ x: 2, y: 3 }, { x: 9 }], "the list");
    same(json.counts, { a: 1, b: 2, c: 5 }, "the map");
  }, {}, kinds.origin));

await test("what is written as JSON fills the form", () =>
  onPage(every, async (page) => {
    await page.getByText("The input as JSON").click();
    await page.locator("#json").fill("{\"text\":");
    need((await text(page, "#form-error")).includes("JSON"), "not yet");
    await page.locator("#json").fill(JSON.stringify({ text: "t", number: 5,
      size: "large", point: { x: 0 }, maybe: null, rows: [[3]] }));
    same(await label(page, "Text").inputValue(), "t", "a field");
    same(await text(page, "#state"), "Here is the result.", "its result");
  }, {}, kinds.origin));

await test("fifty random inputs go through the form as they are", () =>
  onPage(every, async (page) => {
    const { stdout } = await run(found.inputs,
      [found.kinds, "every-kind", "200", "3"], { maxBuffer: 1 << 28 });
    const calls = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
      .filter(({ ok }) => ok).slice(0, 50);
    need(calls.length === 50, `${calls.length} inputs that are right`);
    const results = await page.evaluate(async (inputs) => {
      const [{ fill, read }, { default: engine }, { callText }] =
        await Promise.all([import("/web/form.js"),
          import("/engines/every-kind.js"), import("/engines/_engine.js")]);
      const form = document.getElementById("tool");
      return inputs.map((input) => {
        fill(form, JSON.parse(input));
        return callText(engine, read(form)).text;
      });
    }, calls.map(({ input }) => input));
    for (const [i, { input, text }] of calls.entries()) {
      const got = JSON.parse(results[i]);
      // HTML: the value of a text area has LF alone for an end of a line.
      const wanted = JSON.parse(text, (name, value) =>
        name === "text" || name === "note"
          ? value.replace(/\r\n?/g, "\n") : value);
      // An optional that is empty is one that is not there.
      for (const name of ["note", "points", "rows", "counts", "prices"])
        if (wanted.input?.[name]?.length === 0 ||
            JSON.stringify(wanted.input?.[name]) === "{}")
          delete wanted.input[name];
      same(got, wanted, input);
    }
  }, {}, kinds.origin));

// ---- For everybody ---------------------------------------------------------------

for (const [path, origin] of [["/", server.origin], [percentage, server.origin],
  ["/tools/csv-parser", server.origin], ["/tools/calculate", server.origin],
  [every, kinds.origin]])
  for (const colorScheme of ["light", "dark"])
    for (const width of [360, 1200])
      await test(`axe finds nothing on ${path}, ${colorScheme}, ${width} wide`,
        () => onPage(path, async (page) => {
          if (path === every)
            await preset(page, "All of it");
          same(await axe(page), [], "findings");
          need(await page.evaluate(() =>
            document.documentElement.scrollWidth <= innerWidth),
            "nothing sticks out");
          const back = await page.evaluate(() =>
            getComputedStyle(document.documentElement).backgroundColor);
          const bright = Number(/\d+/.exec(back)[0]) > 128;
          same(bright, colorScheme === "light", `the background is ${back}`);
        }, { colorScheme, viewport: { width, height: 800 } }, origin));

await test("a keyboard is enough", () =>
  onPage(percentage, async (page) => {
    const focus = () => page.evaluate(() => {
      const { activeElement: at } = document;
      return at.labels?.[0]?.innerText ?? at.innerText;
    });
    const tabTo = async (words) => {
      for (let i = 0; i < 60; i++) {
        if (await focus() === words) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`no way to ${words}`);
    };
    await page.keyboard.press("Tab");
    same(await focus(), "Skip to the content", "the first stop");
    await tabTo("Examples");
    await page.keyboard.press("Enter");
    await tabTo("40 is what % of 200");
    await page.keyboard.press("Space");
    same(await value(page, "result"), "20", "a preset");
    await tabTo("A");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("10");
    same(await value(page, "result"), "5", "typed");
    await page.keyboard.press("Enter");
    same(await value(page, "result"), "5", "sent");
    await tabTo("Copy JSON");
  }));

await test("a tool brings a page of its own, which uses its engine", () =>
  onPage("/tools/tip-splitter", async (page, context) => {
    await page.getByRole("link", { name: "The page that this tool brings" })
      .click();
    await page.getByLabel("People").waitFor();
    const output = page.locator("output");
    await until(async () => (await output.innerText()) !== "", "a result");
    await page.getByLabel("Bill, in euros").fill("90");
    await page.getByLabel("People").fill("3");
    await page.getByLabel("Tip, in percent").fill("10");
    same(await output.innerText(), "3 × 33.00 €", "the engine's shares");
    const styled = await page.locator("output").evaluate(
      (element) => getComputedStyle(element).display);
    same(styled, "block", "its style is allowed");
    same(await axe(page), [], "findings");
    same((await fetch(`${server.origin}${percentage}/page`)).status, 404,
      "a tool without one");
  }));

// ---- Where things are missing -------------------------------------------------------

await test("where WebAssembly is refused, the JavaScript fallback runs", async () => {
  const careful = await strict(server.origin, policy);
  const context = await chromium.newContext();
  const page = await open(context, careful.origin + percentage);
  need((await text(page, "#runs")).includes("JavaScript"), "it says so");
  same(await value(page, "result"), "30", "the same result");
  await label(page, "A").fill("50");
  same(await value(page, "result"), "100", "as typed");
  await context.close();
  await careful.end();
});

await test("where neither runs, the server is asked", async () => {
  const careful = await strict(server.origin, policy);
  const context = await chromium.newContext();
  await context.route("**/*.twin.js*", (route) => route.abort());
  const page = await open(context, careful.origin + percentage);
  need((await text(page, "#runs")).includes("server"), "it says so");
  same(await value(page, "result"), "30", "the same result");
  await label(page, "B").fill("many");
  await until(() => page.locator("[data-name=b] .error").isVisible(),
    "the same error");
  await context.close();
  await careful.end();
});

await test("a page that was loaded works without a network", () =>
  onPage(percentage, async (page, context) => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await until(() => keeps(page, [percentage, "/engines/percentage-calculator.js"]),
      "all that it has loaded is kept");
    await context.setOffline(true);
    await page.goto(`${server.origin}${percentage}?mode=of&a=1&b=100`);
    await ready(page);
    same(await value(page, "result"), "1", "the result");
    need((await text(page, "#runs")).includes("WebAssembly"), "on the module");
    page.said.length = 0; // that there is no network
  }));

await test("an input of any name does not keep an old page", () =>
  onPage(`${percentage}?v=1`, async (page) => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await until(() => page.evaluate(async () =>
      (await caches.match("/tools/percentage-calculator")) !== undefined),
      "it is kept by its path");
    await page.reload();
    await ready(page);
    same(await page.evaluate(async () =>
      (await caches.match(location.href)) === undefined), true,
      "and not with the input");
  }));

await test("a page that is not there is one that helps", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const context = await chromium.newContext(
      { colorScheme, viewport: { width: 360, height: 800 } });
    const page = await open(context, `${server.origin}/tools/nothing`);
    same(await axe(page), [], `findings, ${colorScheme}`);
    await page.getByRole("link", { name: "All tools" }).click();
    await ready(page);
    same(await page.locator(".tools > li").count(), 19, "all tools");
    await context.close();
  }
});

await test("a keyboard is enough to find a tool", () =>
  onPage("/", async (page) => {
    for (let i = 0; i < 5 && await page.evaluate(() =>
      document.activeElement.id) !== "query"; i++)
      await page.keyboard.press("Tab");
    await page.keyboard.type("tip split");
    await page.keyboard.press("Enter"); // to the first that was found
    await page.keyboard.press("Enter");
    await page.waitForURL("**/tools/tip-splitter");
    await ready(page);
  }));

// ---- WebMCP --------------------------------------------------------------------------

await test("an agent in the browser calls the tool by WebMCP", async () => {
  const agentic = await browser("--enable-features=WebMCP");
  const page = await open(await agentic.newContext(),
    server.origin + percentage);
  await until(() => page.evaluate(async () =>
    (await document.modelContext.getTools()).length > 0), "the tool is there");
  const { tool, result, wrong } = await page.evaluate(async () => {
    const context = document.modelContext;
    const [tool] = await context.getTools();
    const call = async (input) =>
      JSON.parse(await context.executeTool(tool, input));
    return {
      tool: { name: tool.name, schema: tool.inputSchema,
              hints: tool.annotations?.readOnlyHint },
      result: await call({ mode: "of", a: 15, b: 200 }),
      wrong: await call({ mode: "of", a: "x", b: 200 }),
    };
  });
  same(tool.name, "percentage-calculator", "its name");
  same(tool.schema.required, ["mode", "a", "b"], "its schema");
  same(result.structuredContent.result, 30, "a result");
  same([wrong.isError, wrong.content[0].text.split(":")[0]],
    [true, "WRONG_TYPE"], "an error");
  await agentic.close();
});

await test("a browser without it has the page as it is", () =>
  onPage(percentage, async (page) => {
    same(await page.evaluate(() =>
      [typeof document.modelContext, typeof navigator.modelContext]),
    ["undefined", "undefined"], "no WebMCP");
    same(await value(page, "result"), "30", "the result");
  }));

for (const where of ["document", "navigator"])
  await test(`the form of WebMCP with JSON text, at ${where}, too`, async () => {
    const context = await chromium.newContext();
    await context.addInitScript((where) => {
      Object.defineProperty(globalThis[where], "modelContext", {
        value: { registerTool: (tool) => { globalThis.offered = tool; } },
      });
    }, where);
    const page = await open(context, server.origin + percentage);
    const result = await page.evaluate(() =>
      globalThis.offered.execute("{\"mode\":\"of\",\"a\":50,\"b\":200}"));
    same(result.structuredContent.result, 100, "a result");
    same(await value(page, "result"), "100", "the person sees it");
    await context.close();
  });

// ---- What is sent ----------------------------------------------------------------------

await test("pages, scripts and engines are sent as they should be", async () => {
  const page = await fetch(server.origin + percentage);
  const rules = page.headers.get("content-security-policy");
  need(rules.includes("default-src 'none'") && !rules.includes("unsafe-inline") &&
    !rules.includes("'unsafe-eval'"), rules);
  same(page.headers.get("referrer-policy"), "no-referrer", "referrer");
  const html = await page.text();
  const named = [...html.matchAll(/\/(?:web|engines)\/[\w./-]+\?v=[0-9a-f]+/g)];
  need(named.length >= 4, "what a page loads is named by hashes");
  for (const [path] of named) {
    const response = await fetch(server.origin + path);
    need(response.headers.get("cache-control").includes("immutable"), path);
    const again = await fetch(server.origin + path,
      { headers: { "If-None-Match": response.headers.get("etag") } });
    same(again.status, 304, `${path}, again`);
    same(response.headers.get("content-encoding"),
      path.startsWith("/web") ? "gzip" : null, `${path}, compressed`);
  }
  const old = await fetch(`${server.origin}/web/page.js?v=0000000000000000`);
  same(old.headers.get("cache-control"), "no-cache", "another hash");
  same((await fetch(`${server.origin}/engines/nothing.wasm`)).status, 404, "404");
});

await test("scripts and styles of a page stay below 36 KB", () =>
  onPage(percentage, async (page) => {
    const bytes = await page.evaluate(() =>
      performance.getEntriesByType("resource")
        .filter(({ name }) => !/\.(wasm|svg)/.test(name))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0));
    need(bytes > 5000 && bytes < 36000, `${bytes} bytes`);
  }));

await test("a server without pages has none, and the engines inside serve", async () => {
  const plain = await mica(found, "--no-pages");
  for (const path of ["/", percentage, "/sw.js", "/engines/_engine.js"])
    same((await fetch(plain.origin + path)).status, 404, path);
  await plain.end();
  const inside = await mica({ ...found, engines: "" });
  const page = await open(await chromium.newContext(),
    inside.origin + percentage);
  same(await value(page, "result"), "30", "from inside the program");
  const engine = await fetch(`${inside.origin}/engines/tip-splitter.wasm`);
  same(engine.headers.get("content-encoding"), "gzip", "compressed");
  const bare = await fetch(`${inside.origin}/engines/tip-splitter.wasm`,
    { headers: { "Accept-Encoding": "identity" } });
  same([bare.status, (await bare.json()).code], [406, "NOT_ACCEPTABLE"], "bare");
  await page.context().close();
  await inside.end();
});

await chromium.close();
await kinds.end();
await server.end();
done();
