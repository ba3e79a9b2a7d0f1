// SPDX-License-Identifier: Apache-2.0
//
// What the pages make of inputs and results in Chromium: titles and units, the answer
// first, tables with pages and files, charts, colors, grids that take rows of a
// spreadsheet; refusals as pages; and that nothing moves while a page loads.
import { readFileSync } from "node:fs";

import { done, need, same, test, until } from "../peers/tap.mjs";
import { axe, browser, mica, moves, open, paths, ready, watchMoves } from "./chromium.mjs";

const found = paths({ mica: "", engines: "" });
const server = await mica(found);
const chromium = await browser();
const loan = "/tools/loan-payment?principal=250000&currency=EUR" +
  "&annual_rate_percent=3.6&term_months=240&schedule=monthly";

async function onPage(path, work, settings = {}) {
  const context = await chromium.newContext(settings);
  const page = await open(context, server.origin + path);
  await work(page, context);
  same(page.said, [], "the console");
  await context.close();
}

const label = (page, words) => page.getByLabel(words, { exact: true });
const textOf = (page, selector) => page.locator(selector).innerText();
const jsonOf = async (page) => JSON.parse(await page.locator("#json").inputValue());

// ---- Words -----------------------------------------------------------------------

await test("a field has its title, its unit and one sentence of help", () =>
  onPage(loan, async (page) => {
    same(await label(page, "Interest a year").inputValue(), "3.6", "a title");
    same(await textOf(page, "[data-name=annual_rate_percent] .unit"), "%",
      "the unit that the name ends with");
    same(await textOf(page, "[data-name=principal] .unit"), "EUR", "a sibling's");
    await label(page, "Currency").fill("JPY");
    same(await textOf(page, "[data-name=principal] .unit"), "JPY", "as it is now");
    same(await textOf(page, "[data-name=term_months] .help"),
      "Number of monthly payments, e.g. 360 for 30 years. 1 to 600.", "one sentence");
    need((await page.locator(".words").textContent())
      .includes("Fewer are made where the rounded payment"), "all words for models");
  }));

// The rules for names are written twice: in C for forms, in JavaScript for results.
await test("names become the same words in forms and results", () =>
  onPage("/", async (page) => {
    const tools = await (await fetch(`${server.origin}/openapi.json`)).json();
    const slugs = Object.keys(tools.paths).map((path) => path.split("/").at(-1))
      .filter((slug) => slug !== "calls" && !slug.startsWith("{"));
    let compared = 0;
    for (const slug of slugs) {
      const reply = await page.request.get(`${server.origin}/tools/${slug}`);
      if (!reply.ok()) continue;
      const wrong = await page.evaluate(async (html) => {
        const { titleOf, unitIn } = await import("/web/label.js");
        const page = new DOMParser().parseFromString(html, "text/html");
        const text = page.querySelector("#schema").content.textContent;
        const found = [];
        for (const [name, schema] of Object.entries(JSON.parse(text).properties ?? {})) {
          const field = page.querySelector(`[data-name="${name}"]`);
          const words = field.querySelector("label, legend, .label").textContent;
          const unit = field.querySelector(":scope > .unit:not([data-unit])");
          found.push([words, titleOf(name, schema)]);
          if (unit) found.push([unit.textContent, unitIn(name)]);
        }
        return found;
      }, await reply.text());
      for (const [inForm, inResult] of wrong) same(inForm, inResult, slug);
      compared += wrong.length;
    }
    need(compared > 50, `${compared} names`);
  }));

// ---- The answer ------------------------------------------------------------------

await test("the answer is first and the largest, with its unit", () =>
  onPage(loan, async (page) => {
    const hero = page.locator("#result > .hero").first();
    same(await hero.locator("dt").innerText(), "Monthly payment", "its title");
    same(await hero.locator(".value").innerText(), "1462.78", "the exact text");
    same(await hero.locator(".unit").innerText(), "EUR", "its unit");
    same(await hero.locator(".digits").count(), 1,
      "in groups as the amounts beside it, which are longer");
    const sizes = await page.evaluate(() => [...document.querySelectorAll("main *")]
      .filter(({ children }) => children.length === 0)
      .map((one) => parseFloat(getComputedStyle(one).fontSize)));
    const size = await hero.locator(".value").evaluate((one) =>
      parseFloat(getComputedStyle(one).fontSize));
    same(size, Math.max(...sizes), "nothing is larger");
    const total = page.locator("[data-result=total_paid] .value");
    need(await total.locator(".digits").count() > 0, "groups of digits stand apart");
    same(await total.evaluate((one) =>
      getComputedStyle(one.lastElementChild, "::after").content),
    "\"0\"", "a zero fills up to the cent and is no part of the text");
    need(await page.locator("[data-result=currency]").isHidden(),
      "the unit is no value of its own");
  }));

await test("JSON and code stand in tabs, which a keyboard turns", () =>
  onPage(loan, async (page) => {
    await page.getByRole("tab", { name: "Answer" }).focus();
    await page.keyboard.press("ArrowRight");
    same(JSON.parse(await textOf(page, "#result-json")).payment, 1462.78, "JSON");
    need(await page.locator("#pane-answer").isHidden(), "in its place");
    await page.keyboard.press("ArrowRight");
    need((await textOf(page, "[data-code=cli]")).startsWith("mica call loan-payment"),
      "a command");
    same(await axe(page), [], "findings");
  }));

await test("a fault is said at its field and where the result would stand", () =>
  onPage("/tools/tip-splitter?amount=many&currency=EUR", async (page) => {
    await page.locator(".error:visible").waitFor();
    same(await page.locator(".error:visible").allInnerTexts(),
      ["Enter a number above 0 and at most 1\u202f000\u202f000\u202f000"],
      "once, at the field");
    const failure = page.locator("#failure");
    same(await failure.innerText(), "To get a result, correct Amount.", "beside the result");
    await failure.getByRole("link").click();
    need(await label(page, "Amount").evaluate(
      (element) => element === document.activeElement), "and leads there");
    same(await axe(page), [], "findings");
    await page.getByRole("tab", { name: "JSON" }).click();
    const { code, path, message } = JSON.parse(await textOf(page, "#result-json"));
    same([code, path], ["WRONG_TYPE", "/amount"], "what programs read");
    need(message.includes("decimal number"), `their words: ${message}`);
  }));

await test("a fault in a grid names its row, and has the focus when it is sent", () =>
  onPage("/tools/statistics-summary?values=[1,\"many\",3]", async (page) => {
    await page.locator(".error:visible").waitFor();
    same(await page.locator(".error:visible").allInnerTexts(), ["Row 2: Enter a number"],
      "words");
    same(await textOf(page, "#failure"), "To get a result, correct Values, row 2.", "place");
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator("[data-name=values] li:nth-child(2) input:focus").waitFor();
    await page.goto(`${server.origin}/tools/statistics-summary?values=[]`);
    await ready(page);
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator(".error:visible").waitFor();
    same(await page.locator(".error:visible").allInnerTexts(), ["Add at least 1 item"],
      "of the list as a whole");
    await page.locator("[data-name=values]:focus-within").waitFor();
  }));

// ---- Numbers ---------------------------------------------------------------------

await test("a number is seen with ten digits, and copied with all", () =>
  onPage("/tools/statistics-summary?values=[12.5,14.1,13.8,15.2,40,12.9,13.3]",
    async (page) => {
      const value = page.locator("[data-result=first_quartile] .value");
      same(await value.innerText(), "13.1", "what is seen");
      same(await value.locator("[data-exact]").getAttribute("title"),
        "13.100000000000001", "its title");
      same(await textOf(page, "[data-result=third_quartile] .value"), "14.65", "rounded up");
      same(JSON.parse(await page.locator("#result-json").textContent()).first_quartile,
        13.100000000000001, "JSON");
      const copy = async (selector) => {
        await page.evaluate((selector) => getSelection()
          .selectAllChildren(document.querySelector(selector)), selector);
        await page.keyboard.press("Control+c");
        return page.evaluate(() => navigator.clipboard.readText());
      };
      // What copies is loaded after the page is there.
      await until(async () => await copy("[data-result=first_quartile] .value") ===
        "13.100000000000001", "a copy");
      const all = await copy("#result .facts");
      need(all.includes("13.100000000000001") && all.includes("14.649999999999999"), all);
      same(await copy("[data-result=median] .value"), "13.8", "what is short");
    }, { permissions: ["clipboard-read", "clipboard-write"] }));

await test("numbers are rounded by their text", () =>
  onPage("/", async (page) => {
    const shown = await page.evaluate(async () => {
      const [{ shownOf }, { parse }] =
        await Promise.all([import("/web/number.js"), import("/web/exact.js")]);
      return parse(`[0.30000000000000004,0.6666666666666666,-14.649999999999999,
        12345678901.25,9007199254740993,12345678901234567.256,0.00012345678901234567,
        1.2345678901234567e-7,99999999.99999999,1234567.891,5]`).map(shownOf);
    });
    same(shown, ["0.3", "0.6666666667", "-14.65", "12345678901.25", "9007199254740993",
      "12345678901234567.26", "0.000123456789", "1.23456789e-7", "100000000", "1234567.891",
      "5"], "texts");
  }));

await test("numbers of one unit are grouped alike, and years are not", () =>
  onPage("/", async (page) => {
    same(await page.evaluate(async () => {
      const { renderResult } = await import("/web/result.js");
      const digits = (value) => {
        const holder = document.createElement("div");
        holder.append(...renderResult(value, {}));
        return [...holder.querySelectorAll(".value, td")].map((one) =>
          [one.textContent, one.querySelectorAll(".digits").length]);
      };
      return [digits({ a: 1234, b: 12345, year: 2026 }), digits({ a: 1234, b: 2345 }),
        digits([{ a: 9614.19 }, { a: 10040.61 }]), digits([{ a: 9614.19 }])];
    }), [[["1234", 1], ["12345", 1], ["2026", 0]], [["1234", 0], ["2345", 0]],
      [["9614.19", 1], ["10040.61", 1]], [["9614.19", 0]]], "groups");
  }));

// ---- Tables and charts -----------------------------------------------------------

await test("a long table has pages, its total in sight, and files", () =>
  onPage(loan, async (page) => {
    const table = page.locator("[data-result=schedule] .table");
    same(await table.locator("tbody tr").count(), 12, "rows");
    same(await table.getByRole("status").innerText(), "1–12 of 240 rows", "the total");
    await table.getByRole("button", { name: /next rows/ }).click();
    same(await table.getByRole("status").innerText(), "13–24 of 240 rows", "the next");
    await table.getByRole("button", { name: /last rows/ }).click();
    same(await table.getByRole("status").innerText(), "229–240 of 240 rows", "the last");
    need(await table.getByRole("button", { name: /next rows/ }).isDisabled(), "the end");
    await table.getByRole("button", { name: /all rows/ }).click();
    same([await table.locator("tbody tr").count(),
      await table.getByRole("status").innerText()], [240, "1–240 of 240 rows"], "all");
    const frame = await table.locator(".wide").evaluate((one) =>
      [one.scrollHeight > one.clientHeight, one.clientHeight <= innerHeight]);
    same(frame, [true, true], "they scroll in their frame");
    await table.getByRole("button", { name: /fewer rows/ }).click();
    await table.getByRole("button", { name: /last rows/ }).click();
    await table.getByRole("button", { name: /first rows/ }).click();
    same(await table.getByRole("status").innerText(), "1–12 of 240 rows", "the first");
    same(await table.locator("thead th").allInnerTexts(),
      ["Payment number", "Payment EUR", "Interest EUR", "Repaid EUR", "Balance EUR"],
      "titles and units in the head");
    const cell = table.locator("tbody td").nth(1);
    same(await cell.evaluate((one) => [getComputedStyle(one).textAlign,
      getComputedStyle(one).fontVariantNumeric]), ["end", "tabular-nums"], "figures");
    const [csv] = await Promise.all([page.waitForEvent("download"),
      table.getByRole("button", { name: /as CSV/ }).click()]);
    const lines = readFileSync(await csv.path(), "utf8").split("\r\n");
    same([csv.suggestedFilename(), lines.length, lines[0]], ["schedule.csv", 242,
      "payment_number,payment,interest,principal,balance"], "CSV");
    const [json] = await Promise.all([page.waitForEvent("download"),
      table.getByRole("button", { name: /as JSON/ }).click()]);
    same(JSON.parse(readFileSync(await json.path(), "utf8")).length, 240, "JSON");
  }, { acceptDownloads: true }));

await test("a CSV holds every cell, and none that a spreadsheet would run", () =>
  onPage("/", async (page) => {
    same(await page.evaluate(async () =>
      (await import("/web/table.js")).toCsv(["a", "b"],
        [["x,\"y\"\nz", -5], ["=1+1", null], ["-2", true]])),
    "a,b\r\n\"x,\"\"y\"\"\nz\",-5\r\n'=1+1,\r\n'-2,true\r\n", "the file");
  }));

await test("a list of lists is a table with the names of its columns", () =>
  onPage("/tools/csv-parser", async (page) => {
    await page.getByLabel("CSV", { exact: true }).fill("city,people\nRome,3\nOslo,1\n");
    const table = page.locator("[data-result=rows] .table");
    await table.getByText("Rome").waitFor();
    same(await table.locator("thead th").allInnerTexts(), ["city", "people"], "names");
  }));

await test("numbers that run over an index are drawn, and stand in a table", () =>
  onPage(loan.replace("monthly", "yearly"), async (page) => {
    const chart = page.locator("[data-result=schedule] .chart");
    await chart.locator("rect.bar-part").first().waitFor();
    same(await chart.locator("rect.bar-part").count(), 2 * 20, "two parts a year");
    need((await chart.getByRole("img").getAttribute("aria-label"))
      .includes("The table has the numbers"), "words for readers of the screen");
    const heights = await chart.locator("svg").evaluate((drawn) => {
      const groups = [...drawn.querySelectorAll("g[class^=series]")];
      return groups.map((group) => [...group.children]
        .map((bar) => Number(bar.getAttribute("height"))));
    });
    const rows = JSON.parse(await page.locator("#result-json").textContent()).schedule;
    const ratio = heights[0][3] / heights[1][3];
    need(Math.abs(ratio - rows[3].principal / rows[3].interest) < 0.02 * ratio,
      `their heights are as the numbers: ${ratio}`);
    await chart.hover({ position: { x: 200, y: 90 } });
    need(/Payment number \d+/.test(await chart.locator(".legend").innerText()),
      "the numbers at the pointer");
    await page.setViewportSize({ width: 400, height: 800 });
    await page.waitForFunction(() => document.querySelector(".chart svg")
      .getAttribute("viewBox").split(" ")[2] < 400);
  }, { viewport: { width: 1200, height: 900 } }));

await test("marks of an axis are round numbers around the values", () =>
  onPage("/", async (page) => {
    same(await page.evaluate(async () => {
      const { ticks } = await import("/web/chart.js");
      return [ticks(0, 97), ticks(-3, 4), ticks(0, 0.0007), ticks(5, 5), ticks(0, 1, 4, 1),
        ticks(0, 3, 4, 1)];
    }), [[0, 25, 50, 75, 100], [-4, -2, 0, 2, 4],
      [0, 0.0002, 0.0004, 0.0006, 0.0008], [4, 6], [0, 1], [0, 1, 2, 3]], "marks");
    same(await page.evaluate(async () => {
      const { ticks } = await import("/web/chart.js");
      return [[0, 5e-324], [1e15 - 0.125, 1e15], [-1e15, 1e15], [1e15, 1e15], [1e-300, 2e-300]]
        .map((ends) => [ends, ticks(...ends)])
        .filter(([, marks]) => marks.some((mark, at) =>
          !Number.isFinite(mark) || mark <= marks[at - 1]));
    }), [], "marks of values that lie closer than numbers can");
  }));

await test("a color is seen", () =>
  onPage("/tools/color-converter", async (page) => {
    const value = page.locator("[data-result=hex] .value");
    const [shown, hex] = await value.evaluate((one) => [
      getComputedStyle(one.querySelector(".swatch")).backgroundColor, one.innerText]);
    same(shown.match(/\d+/g).map((part) => Number(part).toString(16).padStart(2, "0"))
      .join(""), hex.slice(1), "its swatch");
  }));

// ---- Grids -----------------------------------------------------------------------

const paste = (page, selector, text) => page.evaluate(([selector, text]) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  document.querySelector(selector).dispatchEvent(
    new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}, [selector, text]);

await test("a grid of numbers takes a column of a spreadsheet", () =>
  onPage("/tools/statistics-summary?values=[1,2]", async (page) => {
    await paste(page, "[data-name=values] li:nth-child(2) input",
      "3\r\n4.5\r\n\"1,234.50\"\r\n");
    same((await jsonOf(page)).values, [1, 3, 4.5, 1234.5], "the list");
    same(await page.locator("[data-result=count] .value").innerText(), "4", "result");
    const last = page.locator("[data-name=values] li").last().locator("input");
    await last.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("7");
    same((await jsonOf(page)).values, [1, 3, 4.5, 1234.5, 7], "Enter adds a cell");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    same((await jsonOf(page)).values, [1, 3, 4.5, 1234.5], "Backspace takes it away");
    same(await axe(page), [], "findings");
  }));

await test("an example that is unchanged gives way to a paste", () =>
  onPage("/tools/statistics-summary", async (page) => {
    const said = () => textOf(page, "[data-name=values] .pasted");
    const before = await said();
    need((await jsonOf(page)).values.length > 8, "the example is longer");
    await paste(page, "[data-name=values] li:nth-child(3) input",
      "Value\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n");
    same((await jsonOf(page)).values, [1, 2, 3, 4, 5, 6, 7, 8], "the list");
    same(await said(), "8 rows were pasted in place of the example. The first row, “Value”, " +
      "was left out as titles.", "and it is said");
    await paste(page, "[data-name=values] li:nth-child(8) input", "9\r\n10\r\n");
    same((await jsonOf(page)).values, [1, 2, 3, 4, 5, 6, 7, 9, 10], "then it is their list");
    await page.locator("#examples > summary").click();
    await page.locator(".preset").first().click();
    same(await said(), before, "what is said is gone");
    await page.locator("[data-name=values] li input").first().fill("77");
    await paste(page, "[data-name=values] li:nth-child(2) input", "1\r\n2\r\n");
    need((await jsonOf(page)).values.length > 8, "an example that was changed stays");
  }));

await test("a first row is left out where it is titles alone", () =>
  onPage("/tools/statistics-summary?values=[0]", async (page) => {
    for (const [text, values] of [["Value\n1\n2", [1, 2]], ["Gewicht (kg)\n1.5\n2", [1.5, 2]],
      ["Values\n1", [1]], ["1\n2", [1, 2]], ["many\nmore\n3", ["many", "more", 3]]]) {
      await page.goto(`${server.origin}/tools/statistics-summary?values=[0]`);
      await ready(page);
      await paste(page, "[data-name=values] li input", text);
      same((await jsonOf(page)).values, values, text);
    }
  }));

await test("thousands of values become lines, not cells", () =>
  onPage("/tools/statistics-summary?values=[1]", async (page) => {
    await paste(page, "[data-name=values] li input",
      Array.from({ length: 5000 }, (_, at) => at).join("\n"));
    const lines = page.getByLabel("Rows as JSON, one a line");
    same((await lines.inputValue()).split("\n").length, 5000, "lines");
    same(await page.locator("[data-result=count] .value").innerText(), "5000", "result");
    await lines.fill("1\n2\n3");
    same(await page.locator("[data-result=mean] .value").innerText(), "2", "edited");
  }));

await test("cells of a spreadsheet are read as it writes them", () =>
  onPage("/", async (page) => {
    same(await page.evaluate(async () => {
      const { readCells } = await import("/web/grid.js");
      return ["a\tb\nc\td", "\"x\ty\"\t\"say \"\"hi\"\"\"\r\n1\t", "5", "", "a \"b\"\tc"]
        .map(readCells);
    }), [[["a", "b"], ["c", "d"]], [["x\ty", "say \"hi\""], ["1", ""]], [["5"]], [],
      [["a \"b\"", "c"]]], "cells");
  }));

// ---- A phone ---------------------------------------------------------------------

await test("on a phone the answer is in sight above the form", () =>
  onPage(loan, async (page) => {
    const glance = page.locator("#glance");
    await glance.waitFor();
    need((await glance.innerText()).includes("1462.78"), "the answer");
    const top = await page.locator("#tool .field").first().evaluate((field) =>
      field.getBoundingClientRect().top);
    need(top < 500, `the first field begins at ${top}`);
    const result = await page.locator(".result").evaluate((one) =>
      one.getBoundingClientRect().top + scrollY);
    need(result < 1600, `the result begins at ${result}`);
    await glance.click();
    await page.locator("#glance").waitFor({ state: "hidden" });
    need(await page.locator("#result .hero").evaluate((hero) =>
      hero.getBoundingClientRect().top < innerHeight), "it leads to the result");
    need(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      "nothing sticks out");
  }, { viewport: { width: 360, height: 640 }, hasTouch: true }));

// ---- Refusals --------------------------------------------------------------------

const HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

await test("a browser gets a page where a program gets a problem", async () => {
  for (const [path, status] of [["/tools/loan-paymant", 404], ["/nothing", 404],
    ["/api/nothing", 404], ["/engines/nothing.js", 404], ["/web/form", 405],
    ["/calls/a/b", 404]]) {
    const page = await fetch(server.origin + path, { headers: { Accept: HTML } });
    const html = await page.text();
    same([page.status, page.headers.get("content-type")],
      [status, "text/html; charset=utf-8"], path);
    need(html.includes("<h1>") && html.includes("All tools"), `${path}: a page`);
    need(page.headers.get("content-security-policy").includes("default-src 'none'"),
      `${path}: its policy`);
    for (const accept of ["*/*", "application/json", "text/html", "text/html;q=0,*/*"]) {
      if (path.startsWith("/api") && accept === "text/html") continue; // that is 406
      const reply = await fetch(server.origin + path, { headers: { Accept: accept } });
      same([reply.status, reply.headers.get("content-type")],
        [status, "application/problem+json"], `${path}, ${accept}`);
      same((await reply.json()).status, status, "the document");
    }
  }
});

await test("a page that is not there names the tool that was meant", async () => {
  for (const colorScheme of ["light", "dark"])
    for (const width of [360, 1280]) {
      const context = await chromium.newContext(
        { colorScheme, viewport: { width, height: 800 } });
      const page = await open(context, `${server.origin}/tools/loan-paymant`);
      same(await axe(page), [], `findings, ${colorScheme}, ${width}`);
      await page.getByRole("link", { name: "Loan payment" }).click();
      await ready(page);
      same(await textOf(page, "h1"), "Loan payment", "the tool");
      await context.close();
    }
});

// ---- The catalog -----------------------------------------------------------------

await test("a search that finds nothing says what to do", () =>
  onPage("/?q=loan%20mortgage", async (page) => {
    same(await label(page, "Search the tools").inputValue(), "loan mortgage",
      "it is in the address");
    need(await page.getByText("No tool has all of these words").isVisible(), "words");
    need(await page.locator("#near").getByRole("link", { name: "Loan payment" })
      .isVisible(), "what is near it");
    same(await axe(page), [], "findings");
    await page.getByRole("button", { name: "Show all tools" }).click();
    same([await page.locator(".tools > li:visible").count(), new URL(page.url()).search],
      [19, ""], "all of them");
  }));

await test("each client is connected by what a button copies", () =>
  onPage("/", async (page) => {
    for (const client of ["Claude Code", "VS Code", "Cursor", "Codex", "Gemini CLI",
      "Claude Desktop", "Another client"]) {
      const entry = page.locator(".connect details", { hasText: client });
      if (await entry.getAttribute("open") === null)
        await entry.locator("summary").click();
      await entry.getByRole("button", { name: /^Copy/ }).click();
      await until(async () => (await page.evaluate(() => navigator.clipboard.readText()))
        .includes(`${server.origin}/mcp`), client);
      await page.evaluate(() => navigator.clipboard.writeText(""));
    }
    const place = (selector) => page.locator(selector).evaluate((one) =>
      one.getBoundingClientRect());
    const [tools, connect] = [await place(".stack"), await place(".connect")];
    need(connect.left >= tools.right && connect.top < tools.top + 50,
      "beside the tools");
  }, { permissions: ["clipboard-read", "clipboard-write"],
    viewport: { width: 1280, height: 800 } }));

await test("names stay whole and rows are full", () =>
  onPage("/", async (page) => {
    for (const width of [360, 800, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const broken = await page.evaluate(() =>
        [...document.querySelectorAll(".tools code")]
          .filter((code) => code.getClientRects().length !== 1 ||
            code.scrollWidth > code.clientWidth + 1).map(({ textContent }) => textContent));
      same(broken, [], `${width}: names that break`);
      const narrow = await page.evaluate(() => {
        const whole = document.querySelector(".stack").clientWidth;
        return [...document.querySelectorAll(".tools > li")]
          .filter((row) => row.clientWidth < whole * 0.9).length;
      });
      same(narrow, 0, `${width}: rows that are not full`);
    }
  }));

await test("a slash leads to the search, from every page", () =>
  onPage(loan, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("tip");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/?q=tip");
    await ready(page);
    same(await page.locator(".tools > li:visible").count(), 1, "found");
  }));

// ---- Loading ---------------------------------------------------------------------

for (const path of ["/", loan, "/tools/statistics-summary", "/tools/csv-parser",
  "/tools/json-formatter", "/tools/nothing"])
  for (const width of [360, 1280])
    await test(`nothing moves while ${path.split("?")[0]} loads, ${width} wide`,
      async () => {
        const context = await chromium.newContext(
          { viewport: { width, height: 800 } });
        await watchMoves(context);
        const page = await open(context, server.origin + path);
        same(await moves(page), [], "what moved");
        await context.close();
      });

await chromium.close();
await server.end();
done();
