// SPDX-License-Identifier: Apache-2.0
//
// Widgets in Chromium under the policy of MCP Apps for a view that declares nothing: their
// size, each of their states, valid data by chance, data of any shape, and texts, themes and
// addresses that mean harm. MICA_WIDGET_COUNT and MICA_WIDGET_SEED set the data.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import Ajv from "ajv/dist/2020.js";
import { chromium } from "playwright-core";

import { done, need, options, same, test } from "../peers/tap.mjs";
import { POLICY } from "./frames.mjs";
import { anyValue, chance, documents, HARM, LAYOUTS, valueFor } from "./widget-documents.mjs";

const { schemas, document: documentOf } = documents(options({ widget: "" }).widget);
const count = Number(process.env.MICA_WIDGET_COUNT ?? "60");
const seed = Number(process.env.MICA_WIDGET_SEED ?? "1");
const MOST_GZIP = 12 * 1024;
const HEADER = readFileSync(new URL("../../src/apps/widget.h", import.meta.url), "utf8");
// The policy of a document that is opened by itself.
const SERVED = [.../#define MICA_WIDGET_CSP([^#]*)/.exec(HEADER)[1].matchAll(/"([^"]*)"/g)]
  .map(([, text]) => text).join("");

const chrome = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
});

const ORIGIN = "https://widget.example";
/** A page for documents, which nothing else answers. */
async function newPage(openai) {
  const context = await chrome.newContext({ viewport: { width: 480, height: 600 },
    locale: "en-US", timezoneId: "UTC" });
  const page = await context.newPage();
  page.on("pageerror", (error) => page.said.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") page.said.push(message.text());
  });
  // What the policy blocks does not come here.
  await page.route("**/*", (route) => {
    if (route.request().url() === `${ORIGIN}/`)
      return route.fulfill({ contentType: "text/html; charset=utf-8", body: page.shown.html,
        headers: { "content-security-policy": page.shown.policy } });
    page.asked.push(route.request().url());
    return route.abort();
  });
  await page.addInitScript(`globalThis.harms = ${harms};`);
  await page.addInitScript(() => {
    globalThis.blocked = [];
    addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
      blocked.push(effectiveDirective));
  });
  // As the Apps SDK documents it: members of one object, and an event for changes.
  if (openai) await page.addInitScript(() => {
    globalThis.openai = { toolOutput: null, toolResponseMetadata: null, locale: "en-US",
      theme: "light", displayMode: "inline", maxHeight: 2000 };
    globalThis.setGlobals = (globals) => {
      Object.assign(globalThis.openai, globals);
      dispatchEvent(new CustomEvent("openai:set_globals", { detail: { globals } }));
    };
  });
  return page;
}

// One with window.openai and one without, in which all documents follow each other: a
// new page takes more of the processor than a dozen of documents.
const pages = new Map();

/** Opens that document; `said` and `asked` have its errors and what it asked for. */
async function open(html, { policy = POLICY, openai = false } = {}) {
  if (!pages.has(openai)) pages.set(openai, await newPage(openai));
  const page = pages.get(openai);
  await page.goto("about:blank"); // nothing of the document before is left
  Object.assign(page, { said: [], asked: [], shown: { html, policy } });
  await page.goto(`${ORIGIN}/`);
  return page;
}

const stateOf = (page) => page.evaluate(() => document.querySelector("main").dataset.state);

/** In a page: what of its document no data may bring about; a line each. */
const harms = () => {
  const TAGS = ("main header h1 h2 p ul ol li a button span strong div section dl dt dd img " +
    "table thead tbody tr th td figure details summary i input select option textarea label " +
    "svg g line rect path circle text").split(" ");
  const found = [];
  if (globalThis.harmed) found.push("a script ran");
  const main = document.querySelector("main");
  for (const element of main.querySelectorAll("*")) {
    const name = element.localName;
    if (!TAGS.includes(name)) found.push(`<${name}>`);
    for (const { name: key, value } of element.attributes) {
      if (/^on|^style$|^srcdoc$|^formaction$/.test(key)) found.push(`${name} ${key}`);
      if (key === "href" && !/^https?:\/\//i.test(value)) found.push(`href ${value}`);
      if (key === "src" && !/^(https:\/\/|data:image\/)/i.test(value)) found.push(`src ${value}`);
    }
    if (name === "a" && (element.rel !== "noopener noreferrer" || element.target !== "_blank"))
      found.push("a link without rel or target");
  }
  if (document.querySelectorAll("script").length > 2) found.push("a script element");
  if (document.querySelectorAll("style, link, base, meta, iframe, object, embed").length > 4)
    found.push("an element outside of main");
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  return found;
};
const harmOf = (page) => page.evaluate(harms);

/** What becomes of each of these data, one after the other, in one message to the browser:
 * the state of the document, its harms, and all that can be read. A chart is drawn in a
 * frame, which is waited for. */
async function showAll(page, layout, all) {
  return page.evaluate(async ([all, frames]) => {
    const { port1, port2 } = new MessageChannel();
    const turn = () => new Promise((done) => {
      if (frames) return requestAnimationFrame(() => requestAnimationFrame(done));
      port1.onmessage = done;
      port2.postMessage(null);
    });
    const seen = [];
    for (const json of all) {
      setGlobals({ toolOutput: JSON.parse(json) });
      await turn();
      const main = document.querySelector("main");
      seen.push({ json, state: main.dataset.state, harm: harms(),
        text: [main.textContent, ...[...main.querySelectorAll("*")].flatMap(({ attributes }) =>
          [...attributes].map(({ value }) => value))].join("\n") });
    }
    return seen;
  }, [all.map((data) => JSON.stringify(data)), layout === "chart"]);
}

// ---- Size --------------------------------------------------------------------------

for (const layout of LAYOUTS) {
  const bytes = gzipSync(documentOf(layout, { theme: Object.fromEntries(
    ["primary", "secondary", "tertiary", "info", "danger", "success", "warning"]
      .map((name) => [`--color-background-${name}`, "light-dark(#ffeeddcc, oklch(0.3 0.1 200))"])) }),
  { level: 9 }).length;
  await test(`${layout}: ${(bytes / 1024).toFixed(2)} KiB gzip with a theme`, async () =>
    need(bytes <= MOST_GZIP, "more than 12 KiB"));
}

// ---- States ------------------------------------------------------------------------

const EMPTY = {
  message: { text: " " }, list: { items: [] }, carousel: { items: [] },
  table: { columns: [{ key: "a", title: "A" }], rows: [] }, chart: { labels: [], series: [] },
  detail: { title: "T", sections: [] }, form: { title: "T", fields: [] },
};

for (const layout of LAYOUTS) await test(`${layout}: mock, empty, failed, waiting`, async () => {
  const page = await open(documentOf(layout), { openai: true });
  same(await page.evaluate(() => [document.querySelector("main").ariaBusy,
    document.querySelector("main").innerText.trim()]), ["true", 'A <test> & "app"\n\nLoading…'], "waiting");
  const push = (globals) => page.evaluate((globals) => setGlobals(globals), globals);
  await push({ toolOutput: schemas[layout].mock });
  same(await stateOf(page), "data", "mock data");
  same(await page.evaluate(() => document.querySelector("h1").textContent),
    schemas[layout].mock.title, "the heading");
  if (EMPTY[layout]) {
    const ajv = new Ajv({ allowUnionTypes: true }).compile(schemas[layout].schema);
    for (const [data, words] of [[EMPTY[layout], "There is nothing to show."],
      ...schemas[layout].schema.properties.empty
        ? [[{ ...EMPTY[layout], empty: "Not a thing." }, "Not a thing."]] : []]) {
      need(ajv(data), "the schema forbids empty data");
      await push({ toolOutput: data });
      same(await stateOf(page), "empty", "empty data");
      same(await page.evaluate(() => document.querySelector(".note").innerText), words, "words");
    }
  }
  await push({ toolResponseMetadata: { "mica/error": { code: "TIMEOUT", message: "Too <late>" } } });
  same(await page.evaluate(() => [document.querySelector("main").dataset.state,
    document.querySelector("[role=alert]").innerText]), ["error", "Too <late>"], "an error");
  await push({ toolResponseMetadata: null });
  same(await stateOf(page), EMPTY[layout] ? "empty" : "data", "a result after it");
  same([page.said, page.asked, await page.evaluate(() => blocked)], [[], [], []], "what it said");
});

for (const layout of LAYOUTS) await test(`${layout}: by itself, as it is served`, async () => {
  const shown = await open(documentOf(layout, { mock: true }), { policy: SERVED });
  same([await stateOf(shown), await harmOf(shown), shown.said, await shown.evaluate(() => self.origin)],
    ["data", [], [], "null"], "inline data");
  const failed = await open(documentOf(layout, { failure: "No </script> today" }), { policy: SERVED });
  same(await failed.evaluate(() => [document.querySelector("main").dataset.state,
    document.querySelector("[role=alert]").innerText]), ["error", "No </script> today"], "failure");
  const none = await open(documentOf(layout), { policy: SERVED });
  same(await stateOf(none), "empty", "without data and host");
});

// ---- Any data ----------------------------------------------------------------------

const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;
const plain = (text) => text.replace(UNSEEN, "").replace(/\s+/g, " ").trim();
// Members whose text a person sees as it is, whatever stands beside them.
const SEEN = new Set(["title", "subtitle", "description", "badge", "text", "body", "label", "help",
  "name", "note", "footer", "more", "submit"]);

/** The texts in data that have to be on the page: not those that another member hides. */
function seenTexts(value, key, parent) {
  if (typeof value === "string") return SEEN.has(key) && plain(value) ? [value] : [];
  if (Array.isArray(value)) {
    if (key === "points" || key === "labels") return value.filter((text) => plain(text));
    const most = { rows: 25 }[key] ?? Infinity;
    return value.slice(0, most).flatMap((item) => seenTexts(item, undefined, key));
  }
  if (typeof value !== "object" || value === null) return [];
  // An action without words for the model has no button; fields have names for programs.
  if ((key === "action" || parent === "actions") && (!plain(value.label) || !plain(value.message)))
    return [];
  return Object.entries(value).flatMap(([name, member]) =>
    (parent === "fields" && name === "name" || parent === "rows" || name === "empty" ? []
      : seenTexts(member, name, key)));
}

for (const layout of LAYOUTS) await test(`${layout}: ${count} valid data by chance`, async () => {
  const random = chance(seed * 1000 + LAYOUTS.indexOf(layout));
  const valid = new Ajv({ allowUnionTypes: true }).compile(schemas[layout].schema);
  const page = await open(documentOf(layout), { openai: true });
  const states = { data: 0, empty: 0 };
  const all = Array.from({ length: count }, () => valueFor(schemas[layout].schema, random));
  for (const data of all)
    need(valid(data), `not valid: ${JSON.stringify(valid.errors)} ${JSON.stringify(data)}`);
  for (const { json, state, harm, text } of await showAll(page, layout, all)) {
    need(state in states, `${state}: ${json} ${page.said}`);
    states[state]++;
    same(harm, [], json);
    const shown = plain(text);
    if (state !== "data") continue;
    for (const text of seenTexts(JSON.parse(json))
      .flatMap((text) => text.split(/\n[ \t]*\n/)).map(plain))
      need(shown.includes(text), `${JSON.stringify(text)} is not seen: ${json}`);
  }
  need(states.data > count / 3, `only ${states.data} had something to show`);
  same(page.said.filter((text) => !/img|image|ERR_FAILED|Content Security Policy/i.test(text)), [],
    "what it said");
  need((await page.evaluate(() => blocked)).every((directive) => directive === "img-src"),
    "something else than a picture was blocked");
  same(page.asked, [], "what it asked for");
}, 120000);

await test("charts of numbers that are tiny, huge, close to each other or all the same", async () => {
  const page = await open(documentOf("chart"), { openai: true });
  for (const values of [[5e-324, 0], [0, 0], [-0, -0], [7, 7], [-3, -3], [1e15, 1e15 - 0.125],
    [-1e15, 1e15], [1e-300, 2e-300], [0.1 + 0.2, 0.3], [1e15, 5e-324], [3], [-5e-324]])
    for (const kind of ["bar", "line", "area"]) {
      const wrong = await page.evaluate(async (all) => {
        const found = [];
        for (const toolOutput of all) {
          document.querySelector("svg")?.remove();
          setGlobals({ toolOutput });
          for (let i = 0; i < 600 && !document.querySelector("svg"); i++)
            await new Promise(requestAnimationFrame);
          found.push(document.querySelector("svg") === null ? ["no chart"]
            : [...document.querySelectorAll("svg *")]
              .flatMap(({ attributes }) => [...attributes].map(({ value }) => value))
              .filter((value) => /NaN|Infinity/.test(value)));
        }
        return found;
      }, [false, true].map((stacked) => ({ kind, stacked, labels: values.map(String),
        series: [{ name: "a", values }, { name: "b", values }] })));
      same([wrong, page.said], [[[], []], []], `${kind} of ${values}`);
    }
});

await test(`data of any shape: ${count * 2} by chance in each layout`, async () => {
  for (const layout of LAYOUTS) {
    const random = chance(seed * 1000 + 500 + LAYOUTS.indexOf(layout));
    const page = await open(documentOf(layout), { openai: true });
    const all = Array.from({ length: count * 2 }, () => anyValue(random));
    for (const { json, state, harm } of await showAll(page, layout, all)) {
      same(harm, [], json);
      need(["data", "empty", "error", undefined].includes(state), json);
    }
    need(!page.said.some((text) => text.startsWith("Error") || text.includes("Uncaught")),
      page.said.join("\n"));
  }
}, 120000);

await test("texts that mean harm stay texts in the document itself", async () => {
  const texts = HARM.filter((text) => plain(text));
  for (let at = 0; at < texts.length; at += 12) {
    const points = texts.slice(at, at + 12);
    const page = await open(documentOf("message", { data: { title: points[0], text: "x", points,
      links: points.slice(0, 4).map((label) => ({ label, url: "https://example.com/" })),
      actions: points.slice(0, 4).map((label) => ({ label, message: label })) } }),
    { policy: SERVED });
    same(await harmOf(page), [], points);
    same(await page.evaluate(() => [...document.querySelectorAll("h1, .message li")]
      .map(({ textContent }) => textContent)),
    [points[0], ...points].map((text) => text.replace(UNSEEN, "")), "what is seen");
    same(await page.title(), 'A <test> & "app"', "the title");
  }
});

// ---- Themes ------------------------------------------------------------------------

const CSS = ["red;}body{display:none", "red}</style><script>harmed=1</script>", "</style><img src=x onerror=harmed=1>",
  "url(https://a.example/x)", "\\75rl(https://a.example/x)", "image-set('https://a.example/x' 1x)",
  "@import 'https://a.example/x'", "red/*", "red;background-image:url(https://a.example/x)",
  "expression(harmed=1)", "-moz-binding:url(//a.example)", "red\n}\nmain{display:none", "<!--", "var(--x)"];

await test("a theme that means harm changes nothing", async () => {
  const theme = (value) => ({ "--color-text-primary": value, "--font-sans": value,
    "--shadow-sm": value, [`--x:${value}`]: "red", [value]: "red", "--color-text-info": "#123456" });
  const clean = documentOf("card", { mock: true, theme: { "--color-text-info": "#123456" } });
  for (const value of CSS) {
    const html = documentOf("card", { mock: true, theme: theme(value) });
    need(html === clean, `${value} changed the document`);
  }
  const page = await open(clean, { policy: SERVED });
  same(await harmOf(page), [], "the page");
  same(page.asked, [], "what it asked for");
});

await test("values that the grammar allows are values in Chromium, too", async () => {
  const good = { color: ["#f80", "#ff880080", "rgb(255 136 0 / 25%)", "rgba(255,0,0,.5)", "hsl(-90.5 50% 40%)",
    "hsla(210deg 50% 40% / 0.5)", "oklch(70% 25% 200deg / 80%)", "light-dark(#fff, black)", "Transparent",
    "RGB( 1  2  3 )", "rebeccapurple"],
  "font-family": ['Inter, "Noto Sans", ui-sans-serif', '"3270 Nerd.Font"', "Source-Sans_3"],
  "font-weight": ["400", "bold"], "border-radius": ["0", "12px", ".875rem", "50%"],
  "line-height": ["1.5", "24px"],
  "box-shadow": ["none", "0 1px 3px #0003", "inset 0 0 0 1px rgb(0 0 0 / 10%)",
    "0 1px 2px -1px #0001, 0 1px 3px light-dark(#0001,#000)"] };
  const page = await open(documentOf("message"), { policy: SERVED });
  for (const [property, values] of Object.entries(good))
    for (const value of values)
      need(await page.evaluate(([property, value]) => CSS.supports(property, value),
        [property, value]), `${property}: ${value}`);
});

await test("the theme of an app wins over its host, the host over the defaults", async () => {
  const color = (page, name) => page.evaluate((name) =>
    getComputedStyle(document.body).getPropertyValue(name), name);
  const page = await open(documentOf("message", { mock: true,
    theme: { "--color-text-primary": "#123456" } }), { policy: SERVED });
  same(await color(page, "--color-text-primary"), "#123456", "of the theme");
  await page.evaluate(() => {
    document.documentElement.style.setProperty("--color-text-primary", "red");
    document.documentElement.style.setProperty("--color-text-secondary", "blue");
  });
  same([await color(page, "--color-text-primary"), await color(page, "--color-text-secondary")],
    ["#123456", "blue"], "with a host");
});

await chrome.close();
done();
