// SPDX-License-Identifier: Apache-2.0
//
// Widgets of published apps for all people: what axe finds in light and dark, widths from 320
// to 1,200 px, the keyboard alone, less motion, forced colors.
import { done, need, same, test, until } from "../peers/tap.mjs";
import { documents, LAYOUTS } from "../apps/widget-documents.mjs";
import { axe, browser, paths } from "./chromium.mjs";

const { schemas, document: documentOf } = documents(paths({ widget: "" }).widget);
const chrome = await browser();

// Data that has every member of its schema.
const FULL = {
  message: { ...schemas.message.mock, tone: "danger" },
  card: schemas.card.mock,
  list: { ...schemas.list.mock, items: [...schemas.list.mock.items, { title: "With all",
    subtitle: "s", description: "d", price: "$5", badge: "b", tone: "danger",
    url: "https://example.com/", image: { src: "data:image/png,", alt: "A lost picture" },
    action: { label: "Ask", message: "Ask" } }] },
  carousel: schemas.carousel.mock,
  table: { ...schemas.table.mock, rows: Array.from({ length: 40 }, (_, at) => ({
    ...schemas.table.mock.rows[at % 4], budget: at * 1000, ...at % 5 ? {} : { owner: null } })) },
  chart: schemas.chart.mock,
  detail: schemas.detail.mock,
  form: schemas.form.mock,
};

// All documents follow each other in one page: a new one takes more of the processor than
// a dozen of documents.
const page = await (await chrome.newContext({ locale: "en-US" })).newPage();
page.on("pageerror", (error) => page.said.push(String(error)));

async function open(html, { width = 400, reducedMotion = "no-preference",
  forcedColors = "none" } = {}) {
  await page.goto("about:blank"); // nothing of the document before is left
  await page.mouse.move(0, 0);
  page.said = [];
  await page.setViewportSize({ width, height: 500 });
  await page.emulateMedia({ colorScheme: "light", reducedMotion, forcedColors });
  await page.setContent(html);
  await page.waitForSelector("main[data-state]");
}

// ---- What axe finds ----------------------------------------------------------------

for (const layout of LAYOUTS) await test(`${layout}: axe finds nothing, in light and dark`, async () => {
  const { title, ...rest } = FULL[layout];
  const states = { "all of it": { data: FULL[layout] }, "an error": { failure: "It failed." },
    ...layout === "card" || layout === "detail" || layout === "form" ? {} : { "no title": { data: rest } } };
  for (const [what, given] of Object.entries(states)) {
    await open(documentOf(layout, given));
    if (layout === "form" && given.data) await page.click(".doings button"); // with its faults
    if (layout === "chart" && given.data) await page.click("summary");
    const colors = [];
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      colors.push(await page.evaluate(() => getComputedStyle(document.body).color));
      same(await axe(page), [], `${what} in ${colorScheme}`);
    }
    need(colors[0] !== colors[1], `${colors[0]} in light and dark`);
    same(page.said, [], "what it said");
  }
});

// ---- Widths ------------------------------------------------------------------------

for (const layout of LAYOUTS) await test(`${layout}: from 320 to 1,200 px`, async () => {
  const long = JSON.parse(JSON.stringify(FULL[layout]),
    (key, value) => (["title", "subtitle", "body", "text", "label", "badge"].includes(key)
      ? `${value} ${"Donaudampfschifffahrtsgesellschaft".repeat(key === "badge" ? 1 : 3)}`.slice(0, 100)
      : value));
  if (long.items) long.items[0].badge = "Donaudampfschifffahrtsgesellschaft";
  for (const data of [FULL[layout], long]) {
    await open(documentOf(layout, { data }));
    for (const width of [320, 360, 480, 768, 1200]) {
      await page.setViewportSize({ width, height: 500 });
      // Two frames: the chart is drawn for its new width.
      await page.evaluate(() => new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(done))));
      const wide = await page.evaluate(() => [...document.querySelectorAll("main *")]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 &&
          !element.closest(".scroll > *, .row > *, svg, .unseen"))
        .map((element) => `${element.localName}.${element.className}`));
      same([await page.evaluate(() => document.documentElement.scrollWidth), wide], [width, []],
        `${width} px`);
    }
  }
});

await test("targets are as large as a finger needs (WCAG 2.2, 24 px)", async () => {
  for (const layout of LAYOUTS) {
    await open(documentOf(layout, { data: FULL[layout] }), { width: 360 });
    same(await page.evaluate(() => [...document.querySelectorAll("button, .button, input, select, summary")]
      .filter((element) => element.getBoundingClientRect().height < (element.type === "checkbox" ? 18 : 20) ||
        element.localName === "button" && element.getBoundingClientRect().height < 24)
      .map((element) => `${element.localName}.${element.className}`)), [], layout);
  }
});

// ---- The keyboard ------------------------------------------------------------------

const focused = (page) => page.evaluate(() => {
  const { activeElement: element } = document;
  return element === document.body ? "" : element.ariaLabel ?? element.textContent.trim();
});

await test("a carousel by the keyboard", async () => {
  await open(documentOf("carousel", { data: FULL.carousel }), { reducedMotion: "reduce" });
  const left = () => page.evaluate(() => document.querySelector(".row").scrollLeft);
  await page.keyboard.press("Tab");
  same(await focused(page), "Previous", "the first stop");
  await page.locator("[aria-label=Previous][aria-disabled=true]").waitFor();
  await page.keyboard.press("Tab");
  same(await focused(page), "Next", "the second stop");
  const places = [await left()];
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press("Enter");
    await page.waitForTimeout(80);
    places.push(await left());
  }
  need(places[1] > 100 && places[2] > places[1], `it does not move: ${places}`);
  await page.locator("[aria-label=Next][aria-disabled=true]").waitFor();
  same(await focused(page), "Next", "at the end");
  await page.keyboard.press("Tab");
  same(await focused(page), FULL.carousel.title, "the row itself");
  await page.keyboard.press("Home");
  for (let i = 0; i < 60 && await left() > 1; i++) {
    await page.keyboard.press("ArrowLeft");
    await page.waitForTimeout(30);
  }
  await until(async () => await left() < 2, "arrows move the row");
  await page.keyboard.press("Tab");
  same(await focused(page), "Plan this", "the button in the first card");
});

await test("a table is sorted by the keyboard, and says how", async () => {
  const data = { columns: [{ key: "a", title: "Name" }, { key: "b", title: "Price" }], rows: [
    { a: "b10", b: 3 }, { a: "b9", b: null }, { a: "c", b: 12 }, { a: "a", b: -1 }] };
  await open(documentOf("table", { data }));
  const rows = () => page.evaluate(() => [...document.querySelectorAll("tbody tr")]
    .map(({ cells }) => cells[0].textContent).join());
  const sorts = () => page.evaluate(() => [...document.querySelectorAll("thead th")]
    .map(({ ariaSort }) => ariaSort));
  await page.keyboard.press("Tab");
  same(await focused(page), "Table", "the table can be scrolled");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  same([await rows(), await sorts(), await focused(page)], ["a,b9,b10,c", ["ascending", "none"], "Name"], "up");
  await page.keyboard.press("Space");
  same([await rows(), await sorts()], ["c,b10,b9,a", ["descending", "none"]], "down");
  await page.keyboard.press("Enter");
  same([await rows(), await sorts()], ["b10,b9,c,a", ["none", "none"]], "as it came");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  same([await rows(), await sorts()], ["a,b10,c,b9", ["none", "ascending"]], "numbers, what is missing last");
  await page.keyboard.press("Enter");
  same(await rows(), "c,b10,a,b9", "numbers down");
});

await test("a long table shows all its rows when asked", async () => {
  await open(documentOf("table", { data: FULL.table }));
  same(await page.locator("tbody tr").count(), 25, "rows at first");
  await page.click("text=Show all 40 rows");
  same([await page.locator("tbody tr").count(), await page.isVisible("main > .small")], [40, false], "then");
});

await test("the numbers of a chart are in a table", async () => {
  await open(documentOf("chart", { data: FULL.chart }));
  await page.waitForSelector("svg");
  need(/table below/.test(await page.getAttribute("svg", "aria-label")), "it is not said where");
  await page.keyboard.press("Tab");
  same(await focused(page).then((text) => text.slice(0, 7)), "Numbers", "the first stop");
  await page.keyboard.press("Enter");
  same(await page.evaluate(() => [...document.querySelectorAll("tr")].map(({ cells }) =>
    [...cells].map((cell) => cell.textContent).join(" "))).then((rows) => rows.slice(0, 2)),
  [" On phones On computers", "May 420 310"], "rows");
  // Each value is a bar of its height.
  const heights = await page.evaluate(() => [...document.querySelectorAll(".series-1 rect")]
    .map((bar) => Number(bar.getAttribute("height"))));
  same(heights.length, 6, "bars");
  need(Math.abs(heights[5] / heights[0] - 685 / 420) < 0.02, `heights ${heights}`);
});

// ---- What a person has set ---------------------------------------------------------

await test("less motion: nothing moves by itself", async () => {
  for (const layout of LAYOUTS) {
    await open(documentOf(layout, { data: FULL[layout] }), { reducedMotion: "reduce" });
    same(await page.evaluate(() => [...document.querySelectorAll("*")].filter((element) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
      return parseFloat(transitionDuration) > 0 || animationName !== "none" || scrollBehavior === "smooth";
    }).length), 0, layout);
  }
});

await test("a badge and a message can be told apart without colors", async () => {
  await open(documentOf("message", { data: { ...FULL.message, title: "T" } }),
    { forcedColors: "active" });
  same(await page.evaluate(() => getComputedStyle(document.querySelector(".message")).borderTopStyle),
    "solid", "the border");
});

await chrome.close();
done();
