// SPDX-License-Identifier: Apache-2.0
//
// One collection: where it is, its apps in their order, its name and people, its end. Each
// change is sent at once, for the revision that is shown. The cards with fields are made once:
// what a person types there outlives the changes of other cards.
import * as apps from "./api.js";
import * as api from "./collection_api.js";
import { clientsCards } from "./connect_view.js";
import { lines } from "./field.js";
import { addressOf, asks, button, card, during, element, failure, foreign, link, newId, note,
  say } from "./parts.js";
import { handOverPart, setting, settingsCard } from "./setting_parts.js";

// Why clients do not have an app: words, and the tone of what a person should mend.
const REASONS = { unpublished: ["Not published", ""], owner: ["Not the owner's to edit", "warn"],
  toolName: ["Same tool name", "warn"] };
const CHANGED = "Someone else has changed the collection meanwhile. Your change was not made: " +
  "this is how it is now.";

/** A page for `id` in `place`. */
export class CollectionView {
  constructor(record, offered, place) {
    Object.assign(this, { record, offered, place, fields: [] });
  }

  get mayEdit() {
    return this.record.role !== "viewer";
  }

  /** Sends a patch, and shows what became of it: a refusal in the card of the button. The
   * keyboard goes to the first of `focus`, unless the person has moved it meanwhile. */
  change(pressed, patch, words, ...focus) {
    return during(pressed, pressed.closest(".card").querySelector(".error"), async () => {
      let changed = false;
      const { role } = this.record;
      const sent = this.fields.map(({ control }) => control.value);
      const inside = pressed.closest(".card");
      try {
        this.record = await api.edit(this.record.id, patch, this.record.revision);
        say(words);
      } catch (error) {
        if (error.code !== "REVISION_CONFLICT") throw error;
        this.record = await api.read(this.record.id);
        changed = true;
        say(CHANGED);
      }
      const moved = ![pressed, document.body].includes(document.activeElement);
      if (this.record.role !== role) this.show(changed);
      else this.follow(changed, sent, inside);
      if (!moved)
        (focus.map((name) => this.place.querySelector(
          `[data-focus="${CSS.escape(name)}"]:not(:disabled)`)).find(Boolean) ??
          this.place.querySelector("h1")).focus();
    });
  }

  /** A control that shows a member of the record: `stored` is its text for a record. */
  field(control, stored) {
    this.fields.push({ control, stored, shown: control.value = stored(this.record) });
    return control;
  }

  // Shows the record where it is only shown. A field follows it too, unless the person has
  // typed what is not stored yet: in another card, or in this one after it was sent.
  follow(changed, sent, inside) {
    this.fields.forEach((field, index) => {
      const { control, stored, shown } = field;
      field.shown = stored(this.record);
      if (control.value === (inside.contains(control) ? sent[index] : shown))
        control.value = field.shown;
    });
    this.head.replaceWith(this.head = this.headPart(changed));
    this.state.replaceChildren(...this.stateParts());
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
    const [words, tone] = app.served ? ["Served", "live"] : REASONS[app.reason] ??
      ["Not served", "warn"];
    const name = app.served ? app.toolName : ["", "servers", app.mcpSlug].join("/");
    return element("li", { className: "setting" }, element("div", {},
      element("h3", {}, link(addressOf(app.id), "", foreign(app.name ?? app.mcpSlug))),
      element("p", { className: "help" }, foreign(name, "code"),
        element("span", { className: `chip ${tone}` }, words))),
    ...this.mayEdit ? [this.memberActs(app, index)] : []);
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
    return element("div", { className: "body add-app" }, element("div", { className: "field" },
      element("label", { htmlFor: choice.id }, "Add an app"), choice), add);
  }

  appsCard() {
    const root = card("Apps");
    const { members } = this.record;
    root.querySelector(".body").remove();
    root.append(members.length
      ? element("ol", { className: "apps members" }, ...members.map((app, index) =>
        this.member(app, index)))
      : note("There is no app in the collection yet.", "body help"), failure(),
    ...this.mayEdit ? [this.addPart()] : []);
    return root;
  }

  nameCard() {
    const name = this.field(element("input", { id: newId("name"), maxLength: 100,
      autocomplete: "off" }), (record) => record.name);
    const about = this.field(element("textarea", { id: newId("about"), rows: 2,
      maxLength: 2000 }), ({ description }) => description ?? "");
    const save = button("Save", "", () => this.change(save,
      { name: name.value.trim(), description: about.value.trim() || null },
      "The name is saved.", "save"));
    save.dataset.focus = "save";
    return card("Name",
      element("div", { className: "field" }, element("label", { htmlFor: name.id }, "Name"), name),
      element("div", { className: "field" },
        element("label", { htmlFor: about.id }, "Description"), about),
      failure(), element("div", { className: "actions" }, save));
  }

  // Who may change it, and who may look: the owner's to say.
  peopleCard() {
    const { owner, role } = this.record;
    const people = (name, label, help) => {
      const control = this.field(element("textarea", { id: newId(name), rows: 1,
        autocomplete: "off", spellcheck: false, disabled: role !== "owner" }),
      ({ roles }) => lines.write(roles?.[name]));
      const words = element("p", { className: "help", id: `${control.id}-help` }, help);
      control.setAttribute("aria-describedby", words.id);
      return { control, root: element("div", { className: "field" },
        element("label", { htmlFor: control.id }, label), control, words) };
    };
    const editors = people("editors", "Editors",
      "May change it, its apps and their order. One name a line, as tokens have it.");
    const viewers = people("viewers", "Viewers", "May look at it here.");
    const save = button("Save the people", "", () => this.change(save, { roles: {
      editors: lines.read(editors.control.value) ?? null,
      viewers: lines.read(viewers.control.value) ?? null } }, "The people are saved.", "people"));
    save.dataset.focus = "people";
    return card("People", ...role === "owner" ? [] : [note("Its owner decides this.", "help")],
      editors.root, viewers.root, element("p", { className: "help" }, "Owner: ", foreign(owner)),
      failure(),
      ...role === "owner" ? [element("div", { className: "actions" }, save)] : []);
  }

  deletePart() {
    const wrong = failure();
    const pressed = button("Delete", "danger", async () => {
      const sure = await asks({ title: "Delete the collection?", parts: [note(
        "Its address answers 404 from now on. Its apps stay, each at its own address.", "help")],
      buttons: [["yes", "Delete", "danger"]] });
      if (!sure) return pressed.focus();
      return during(pressed, wrong, async () => {
        await api.remove(this.record.id);
        say("The collection is deleted.");
        location.hash = "";
      });
    });
    return setting("Delete", "Ends the collection, and none of its apps.", pressed, wrong);
  }

  /** `changed`: someone else has changed it since it was shown. */
  headPart(changed) {
    const { record } = this;
    document.title = record.name;
    return element("div", {}, element("div", { className: "head in-console" },
      element("nav", { className: "crumb", ariaLabel: "Place" }, link("#", "", "Apps")),
      element("h1", { tabIndex: -1 }, foreign(record.name)),
      element("code", { className: "app-address" }, ["", "servers", record.mcpSlug].join("/")),
      ...this.mayEdit ? [] : [note("You may look at it.", "help")]),
    ...changed ? [note(CHANGED, "note bad")] : []);
  }

  stateParts() {
    const { record } = this;
    const served = record.members.filter((app) => app.served).length;
    return [this.appsCard(), ...served
      ? clientsCards(record, note(served === 1 ? "Clients have the tool of one app here."
        : `Clients have the tools of ${served} apps here.`, "help"))
      : [note("Its address answers once one of its apps is published.")]];
  }

  show(changed = false) {
    const { record } = this;
    this.fields = [];
    this.head = this.headPart(changed);
    this.state = element("div", { className: "stack app-view" }, ...this.stateParts());
    this.place.replaceChildren(this.head, element("div", { className: "stack app-view" },
      this.state, ...this.mayEdit ? [this.nameCard(), this.peopleCard()] : [],
      ...record.role === "owner" ? [settingsCard("This collection", handOverPart("collection",
        (owner) => api.handOver(record.id, owner)), this.deletePart())] : []));
  }
}

// The apps that the person sees, page by page: one that they may not add the server refuses.
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
