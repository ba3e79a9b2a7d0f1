// SPDX-License-Identifier: Apache-2.0
//
// The catalog: searches as one types and keeps the search in the address.
import { begin as connect } from "./connect.js";

const find = (id) => document.getElementById(id);
const input = find("query");
const all = [...document.querySelectorAll(".tools > li")];
// All words for models are looked through, also those that are not in sight.
const textOf = (item) =>
  `${item.textContent} ${item.dataset.words}`.toLowerCase();
const wordsOf = (query) => query.toLowerCase().split(/\s+/).filter(Boolean);

function count(number) {
  find("found").textContent = number === 1 ? "1 tool" : `${number} tools`;
}

// Tools that have some of the words, or the beginning of one.
function near(words) {
  const parts = words.map((word) => word.length > 4 ? word.slice(0, 4) : word);
  return all.map((item) => ({ item, hits: parts.filter((part) =>
    textOf(item).includes(part)).length }))
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits).slice(0, 3)
    .map(({ item }) => item.querySelector("a"));
}

function suggest(words) {
  const links = near(words).map(({ href, firstChild }) =>
    Object.assign(document.createElement("a"),
      { href, textContent: firstChild.textContent }));
  find("near").hidden = links.length === 0;
  find("near").replaceChildren("Near it: ",
    ...links.flatMap((link, at) => at === 0 ? [link] : [", ", link]));
}

function look() {
  const words = wordsOf(input.value);
  for (const item of all)
    item.hidden = !words.every((word) => textOf(item).includes(word));
  for (const section of document.querySelectorAll(".category"))
    section.hidden = !section.querySelector("li:not([hidden])");
  const found = all.filter((item) => !item.hidden).length;
  count(found);
  const nothing = find("nothing");
  if (!nothing) return; // there are no tools at all
  nothing.hidden = found > 0;
  if (found > 0) return;
  find("sought").textContent = input.value.trim();
  suggest(words);
}

function remember() {
  const query = input.value.trim();
  history.replaceState(null, "", location.pathname +
    (query ? `?${new URLSearchParams({ q: query })}` : "") + location.hash);
}

function clear() {
  input.value = "";
  look();
  remember();
  input.focus();
}

export function begin() {
  connect();
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  input.addEventListener("input", () => {
    look();
    remember();
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") clear();
  });
  // Sent, it leads to the first tool that was found.
  find("search").addEventListener("submit", (event) => {
    event.preventDefault();
    document.querySelector(".tools > li:not([hidden]) > a")?.focus();
  });
  find("all")?.addEventListener("click", clear);
  if (input.value) look();
}
