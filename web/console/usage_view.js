// SPDX-License-Identifier: Apache-2.0
//
// How much an app was used: numbers of each day, as a chart and as a table. Messages are
// kept nowhere.
import * as api from "./api.js";
import { chart } from "../chart.js";
import { card, element, note } from "./parts.js";

const number = new Intl.NumberFormat("en");
const DAY_MS = 86_400_000;

// Every day from the first to the last: the server leaves out those without a call.
function everyDay({ from, to, days }) {
  const known = new Map(days.map((one) => [one.day, one]));
  const all = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += DAY_MS) {
    const day = new Date(time).toISOString().slice(0, 10);
    all.push(known.get(day) ?? { day, calls: 0, failures: 0, tokens: 0 });
  }
  return all;
}

const fact = (name, value) => element("div", {}, element("dt", {}, name),
  element("dd", {}, number.format(value)));

function table(days) {
  const cell = (value) => element("td", { className: "num" }, number.format(value));
  const head = (words, className = "num") =>
    element("th", { className, scope: "col" }, words);
  return element("div", { className: "wide usage", tabIndex: 0, role: "group",
    ariaLabel: "Usage by day" }, element("table", {},
    element("thead", {}, element("tr", {}, head("Day (UTC)", ""), head("Calls"),
      head("Failures"), head("Tokens"))),
    element("tbody", {}, ...days.map(({ day, calls, failures, tokens }) =>
      element("tr", {}, element("td", {}, day), cell(calls), cell(failures), cell(tokens))))));
}

export async function usageView(editor) {
  const usage = await api.usage(editor.saver.id);
  const { total } = usage;
  const facts = element("dl", { className: "facts three" }, fact("Calls", total.calls),
    fact("Failures", total.failures), fact("Tokens", total.tokens));
  if (total.calls === 0)
    return [card("The last 30 days", facts, note("It has not been called yet.", "help"))];
  const days = everyDay(usage);
  return [card("The last 30 days", facts, chart({
    x: { title: "Day", values: days.map(({ day }) => day.slice(5)) }, stacked: true, least: 1,
    series: [{ title: "Answered", values: days.map(({ calls, failures }) => calls - failures) },
      { title: "Failed", values: days.map(({ failures }) => failures) }] }),
  table(days.filter(({ calls }) => calls > 0).reverse()))];
}
