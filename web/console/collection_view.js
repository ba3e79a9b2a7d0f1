// SPDX-License-Identifier: Apache-2.0
//
// One collection: where it is, its apps in their order, its name, its end. Each change is sent
// at once, for the revision that is shown.
import * as apps from "./api.js";
import * as api from "./collection_api.js";
import { clientsCard } from "./connect_view.js";
import { addressOf, asks, button, card, during, element, failure, foreign, link, newId, note,
  say } from "./parts.js";

const REASONS = { unpublished: "Not published", owner: "Not yours to edit",
  toolName: "Same tool name" };

/** A page for `id` in `place`. */
export class CollectionView {
  constructor(record, offered, place) {
    Object.assign(this, { record, offered, place, wrong: failure() });
  }

  get mayEdit() {
    return this.record.role !== "viewer";
  }

  /** Sends a patch, and shows what became of it; the keyboard goes to the first of `focus`. */
  change(pressed, patch, words, ...focus) {
    return during(pressed, this.wrong, async () => {
      try {
        this.record = await api.edit(this.record.id, patch, this.record.revision);
        say(words);
      } catch (error) {
        if (error.code !== "REVISION_CONFLICT") throw error;
        this.record = await api.read(this.record.id);
        say("Someone else has changed the collection meanwhile.");
      }
      this.show();
      (focus.map((name) => this.place.querySelector(
        `[data-focus="${CSS.escape(name)}"]:not(:disabled)`)).find(Boolean) ??
        this.place.querySelector("h1")).focus();
    });
  }

  slugs() {
    return this.record.members.map(({ mcpSlug }) => mcpSlug);
  }

  moved(pressed, index, by) {
    const members = this.slugs();
    const [slug] = members.splice(index, 1);
    members.splice(index + by, 0, slug);
    return this.change(pressed, { members }, `${slug} is number ${index + by + 1}.`,
      ...by < 0 ? [`up-${slug}`, `down-${slug}`] : [`down-${slug}`, `up-${slug}`]);
  }

  memberActs({ mcpSlug, name = mcpSlug }, index) {
    const last = this.record.members.length - 1;
    const act = (words, label, focus, work) => {
      const made = button(words, "small", () => work(made));
      made.ariaLabel = `${label} ${name}`;
      made.dataset.focus = `${focus}-${mcpSlug}`;
      return made;
    };
    const up = act("↑", "Move up", "up", (pressed) => this.moved(pressed, index, -1));
    const down = act("↓", "Move down", "down", (pressed) => this.moved(pressed, index, 1));
    up.disabled = index === 0;
    down.disabled = index === last;
    return element("span", { className: "actions" }, up, down,
      act("Remove", "Remove", "remove", (pressed) => this.change(pressed,
        { members: this.slugs().filter((slug) => slug !== mcpSlug) },
        `${name} is not in the collection any more.`, "add")));
  }

  member(app, index) {
    const chip = element("span", { className: `chip ${app.served ? "live" : "warn"}` },
      app.served ? "Served" : REASONS[app.reason] ?? "Not served");
    return element("li", { className: "setting" }, element("div", {},
      element("h3", {}, link(addressOf(app.id), "", foreign(app.name ?? app.mcpSlug))),
      element("p", { className: "help" }, foreign(app.toolName ?? app.mcpSlug, "code"), " ",
        chip)), ...this.mayEdit ? [this.memberActs(app, index)] : []);
  }

  addPart() {
    const inside = new Set(this.record.members.map(({ id }) => id));
    const left = this.offered.filter(({ id }) => !inside.has(id));
    const choice = element("select", { id: newId("app") },
      ...left.map(({ mcpSlug, name }) => element("option", { value: mcpSlug },
        foreign(`${name} (${mcpSlug})`).textContent)));
    choice.dataset.focus = "add";
    const add = button("Add", "", () => this.change(add,
      { members: [...this.slugs(), choice.value] }, `${choice.value} is added.`, "add"));
    if (left.length === 0)
      return note("All of your apps are in the collection.", "body help");
    return element("div", { className: "body" }, element("div", { className: "field" },
      element("label", { htmlFor: choice.id }, "Add an app"), choice),
    element("div", { className: "actions" }, add));
  }

  appsCard() {
    const root = card("Apps");
    const { members } = this.record;
    root.querySelector(".body").remove();
    root.append(members.length
      ? element("ol", { className: "apps members" }, ...members.map((app, index) =>
        this.member(app, index)))
      : note("There is no app in the collection yet.", "body help"), this.wrong,
    ...this.mayEdit ? [this.addPart()] : []);
    return root;
  }

  nameCard() {
    const name = element("input", { id: newId("name"), maxLength: 100, autocomplete: "off",
      value: this.record.name });
    const about = element("textarea", { id: newId("about"), rows: 2, maxLength: 2000,
      value: this.record.description ?? "" });
    const save = button("Save", "", () => this.change(save,
      { name: name.value.trim(), description: about.value.trim() || null },
      "The name is saved.", "save"));
    save.dataset.focus = "save";
    return card("Name",
      element("div", { className: "field" }, element("label", { htmlFor: name.id }, "Name"), name),
      element("div", { className: "field" },
        element("label", { htmlFor: about.id }, "Description"), about),
      element("div", { className: "actions" }, save));
  }

  deleteCard() {
    const pressed = button("Delete", "danger", async () => {
      const sure = await asks({ title: "Delete the collection?", parts: [note(
        "Its address answers 404 from now on. Its apps stay, each at its own address.", "help")],
      buttons: [["yes", "Delete", "danger"]] });
      if (!sure) return pressed.focus();
      return during(pressed, this.wrong, async () => {
        await api.remove(this.record.id);
        say("The collection is deleted.");
        location.hash = "";
      });
    });
    return card("Delete", note("Ends the collection, and none of its apps.", "help"),
      element("div", { className: "actions" }, pressed));
  }

  show() {
    const { record } = this;
    document.title = record.name;
    const served = record.members.some((app) => app.served);
    this.place.replaceChildren(element("div", { className: "head in-console" },
      element("nav", { className: "crumb", ariaLabel: "Place" }, link("#", "", "Apps")),
      element("h1", { tabIndex: -1 }, foreign(record.name)),
      note(served ? "Clients have the tools of its published apps at one address."
        : "Its address answers once one of its apps is published.", "help")),
    element("div", { className: "stack app-view" }, this.appsCard(),
      ...served ? clientsCard(record) : [], ...this.mayEdit ? [this.nameCard()] : [],
      ...record.role === "owner" ? [this.deleteCard()] : []));
  }
}

// Those that the person may add: the pages of a list one after the other.
async function editable() {
  const found = [];
  let page = { next: undefined };
  do {
    page = await apps.list(page.next);
    found.push(...page.apps);
  } while (page.next);
  return found;
}

export async function showCollection(place, id) {
  const [record, offered] = await Promise.all([api.read(id), editable()]);
  new CollectionView(record, offered, place).show();
}
