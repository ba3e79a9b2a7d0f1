// SPDX-License-Identifier: Apache-2.0
//
// The front page of the console: every app that the person may see.
import * as api from "./api.js";
import { collectionCard } from "./collection_list.js";
import { unsaved } from "./kept.js";
import { addressOf, button, during, element, failure, find, foreign, link, say,
  sentence, when } from "./parts.js";

const FILTER_FROM = 9; // apps

export function statusChip({ status, publishVersion }) {
  const words = status === "published" ? `Published · v${publishVersion}`
    : publishVersion > 0 ? "Unpublished" : "Draft";
  return element("span", { className: `chip ${status === "published" ? "live" : ""}` }, words);
}

function row(app, hasChanges) {
  const item = element("li", {}, link(addressOf(app.id), "",
    element("b", {}, foreign(app.name)),
    element("code", {}, foreign(["", "servers", app.mcpSlug].join("/"))),
    element("span", { className: "app-states" },
      hasChanges ? element("span", { className: "chip warn" }, "Not saved yet") : "",
      statusChip(app)),
    element("span", { className: "words" }, foreign(app.description ?? "")),
    element("small", {}, "Changed ", when(app.updatedAt))));
  item.dataset.words = [app.name, app.mcpSlug, app.description, app.toolName].join(" ")
    .toLowerCase();
  return item;
}

function filterOf(rows, none) {
  const input = element("input", { type: "search", id: "app-words",
    placeholder: "Filter by text", autocomplete: "off" });
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const item of rows.children) {
      item.hidden = !words.every((word) => item.dataset.words.includes(word));
      count += !item.hidden;
    }
    none.hidden = count > 0;
    say(`${count} apps.`);
  });
  return element("form", { className: "filters", onsubmit: (event) => event.preventDefault() },
    element("label", { className: "visually-hidden", htmlFor: "app-words" }, "Filter the apps"),
    input);
}

function importButton(wrong) {
  const file = element("input", { type: "file", accept: ".json,application/json",
    hidden: true, ariaLabel: "File of an app" });
  const pressed = button("Import", "", () => file.click());
  file.addEventListener("change", () => during(pressed, wrong, async () => {
    const text = await file.files[0].text();
    file.value = "";
    let value;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new api.Refusal({ code: "INVALID_JSON",
        message: `This file is not an app that was exported: ${error.message}` });
    }
    const app = await api.create(value);
    location.hash = addressOf(app.id);
  }));
  return [pressed, file];
}

function head(wrong) {
  return element("div", { className: "head beside in-console" },
    element("div", { className: "words" }, element("h1", { tabIndex: -1 }, "Apps"),
      element("p", {}, "An app is a tool and what it shows. Design it here, publish it, and " +
        "every client of MCP can call it.")),
    element("div", { className: "actions" }, ...importButton(wrong),
      link("#new", "button main", "New app")));
}

function emptyState() {
  return element("section", { className: "card empty" },
    element("h2", {}, "No apps yet"),
    element("p", {}, "Give it a name and say in one sentence what it does. The rest is " +
      "proposed, and can be changed."),
    link("#new", "button main", "Make the first app"));
}

// Without the server: what is on this device.
function offlineList(place) {
  const apps = unsaved();
  return [element("div", { className: "note bad save-note" },
    element("span", {}, "The server cannot be reached.", apps.length
      ? " Apps with changes on this device can still be edited." : ""),
    button("Try again", "small", () => showList(place))),
  ...apps.length ? [element("section", { className: "card" },
    element("ul", { className: "apps" }, ...apps.map((app) => row(app, true))))] : []];
}

function appRows(page, wrong) {
  const changed = new Set(unsaved().map(({ id }) => id));
  const rows = element("ul", { className: "apps" },
    ...page.apps.map((app) => row(app, changed.has(app.id))));
  const none = element("p", { className: "body help", hidden: true }, "No app fits.");
  const list = element("section", { className: "card", ariaLabel: "Apps" });
  const more = button("More", "small", () => during(more, wrong, async () => {
    page = await api.list(page.next);
    rows.append(...page.apps.map((app) => row(app, changed.has(app.id))));
    more.hidden = !page.next;
  }));
  more.hidden = !page.next;
  if (page.apps.length >= FILTER_FROM) list.append(filterOf(rows, none));
  list.append(rows, none);
  return [list, more];
}

export async function showList(place) {
  const wrong = failure();
  place.replaceChildren(head(wrong), wrong);
  document.title = "Apps";
  let page, collections;
  try {
    [page, collections] = await Promise.all([api.list(), collectionCard()]);
  } catch (error) {
    if (!wrong.isConnected) return undefined; // something else is shown
    if (error instanceof api.Unreachable) return place.append(...offlineList(place));
    if (!(error instanceof api.Refusal)) throw error;
    wrong.textContent = sentence(error.message);
    wrong.hidden = false;
    return undefined;
  }
  if (!wrong.isConnected) return undefined;
  place.append(...page.apps.length ? appRows(page, wrong) : [emptyState()], collections);
  return find("console");
}
