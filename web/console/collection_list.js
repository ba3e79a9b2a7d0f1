// SPDX-License-Identifier: Apache-2.0
//
// Collections below the list of apps, and the form of a new one.
import * as api from "./collection_api.js";
import { button, during, element, failure, foreign, link, newId, when } from "./parts.js";

export const collectionAddress = (id) => `#collection/${encodeURIComponent(id)}`;

const row = (collection) => element("li", {}, link(collectionAddress(collection.id), "",
  element("b", {}, foreign(collection.name)),
  element("code", {}, foreign(["", "servers", collection.mcpSlug].join("/"))),
  element("span", { className: "app-states" }),
  element("span", { className: "words" }, foreign(collection.description ?? "")),
  element("small", {}, "Changed ", when(collection.updatedAt))));

/** A card with the collections that the person may see. */
export async function collectionCard() {
  let page = await api.list();
  const id = newId("collections");
  const wrong = failure();
  const rows = element("ul", { className: "apps" }, ...page.collections.map(row));
  const more = button("More", "small", () => during(more, wrong, async () => {
    page = await api.list(page.next);
    rows.append(...page.collections.map(row));
    more.hidden = !page.next;
  }));
  more.hidden = !page.next;
  const root = element("section", { className: "card" },
    element("header", {}, element("h2", { id }, "Collections"),
      link("#new-collection", "button small right", "New collection")),
    page.collections.length ? rows : element("p", { className: "body help" },
      "A collection is several apps at one address: a client connects once, and has the tools " +
      "of all of them."), more, wrong);
  root.setAttribute("aria-labelledby", id);
  return root;
}

export function showNewCollection(place) {
  document.title = "New collection";
  const wrong = failure();
  const name = element("input", { id: newId("name"), maxLength: 100, required: true,
    autocomplete: "off" });
  const help = element("p", { className: "help", id: `${name.id}-help` },
    "As people call it: “Front Desk”. Its address is made of it, and stays.");
  name.setAttribute("aria-describedby", help.id);
  const create = button("Create the collection", "main", () => form.requestSubmit());
  const form = element("form", { className: "card new-app", noValidate: true,
    autocomplete: "off" }, element("div", { className: "body" },
    element("div", { className: "field" },
      element("label", { htmlFor: name.id }, "Name"), name, help), wrong,
    element("div", { className: "actions" }, create, link("#", "button", "Cancel"))));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!name.value.trim()) {
      wrong.textContent = "A collection needs a name.";
      wrong.hidden = false;
      name.focus();
      return;
    }
    during(create, wrong, async () => {
      const made = await api.create({ name: name.value.trim(), members: [] });
      location.hash = collectionAddress(made.id);
    });
  });
  place.replaceChildren(element("div", { className: "head in-console" },
    element("nav", { className: "crumb", ariaLabel: "Place" }, link("#", "", "Apps")),
    element("h1", { tabIndex: -1 }, "New collection")), form);
  name.focus();
}
