// SPDX-License-Identifier: Apache-2.0
//
// One collection: where it is, its apps in their order, its name and people, its end. Each
// change is sent at once, after the one before it, for the revision of then. Cards are made
// once, and follow the record: what a person types or chooses there stays.
import * as apps from "./api.js";
import * as api from "./collection_api.js";
import { clientsCards } from "./connect_view.js";
import { lines } from "./field.js";
import { addressOf, asks, button, card, during, element, failure, foreign, link, newId, note,
  say } from "./parts.js";
import { handOverPart, setting, settingsCard } from "./setting_parts.js";
import { forgetTyped, StoredField } from "./stored_field.js";

// Why clients do not have an app: words, and the tone of what a person should mend.
const REASONS = { unpublished: ["Not published", ""], owner: ["Not the owner's to edit", "warn"],
  toolName: ["Same tool name", "warn"] };
const CHANGED = "The collection has changed meanwhile, and this was not done. What is stored " +
  "now is shown: do it again if it is still right.";
const TRIES = 3; // for a change while others change something else

const slugsOf = ({ members }) => members.map(({ mcpSlug }) => mcpSlug);

export class CollectionView {
  #last = Promise.resolve(); // the change before

  constructor(record, offered) {
    Object.assign(this, { record, offered, fields: [] });
  }

  get mayEdit() {
    return this.record.role !== "viewer";
  }

  // ---- Changes -----------------------------------------------------------------------

  /**
   * Sends what `patchOf(record)` makes, once the change before it has ended, and shows what
   * became of it: a refusal in the card of the button. `basisOf(record)` is what the patch
   * replaces: if others have changed that, it is not sent again. The keyboard goes to the
   * first of `focus`, unless the person has moved it meanwhile.
   */
  change(pressed, { patchOf, basisOf, sent = [] }, words, ...focus) {
    const run = async () => {
      const texts = new Map(sent.map((field) => [field, field.control.value]));
      const { role } = this.record;
      for (let left = TRIES; ; left--) {
        const basis = basisOf(this.record);
        try {
          this.record = await api.edit(this.record.id, patchOf(this.record),
            this.record.revision);
          break;
        } catch (error) {
          if (error.code !== "REVISION_CONFLICT") throw error;
          this.record = await api.read(this.record.id);
          if (left > 1 && basisOf(this.record) === basis) continue;
          this.follow(role);
          throw new apps.Refusal({ message: CHANGED });
        }
      }
      say(words);
      const moved = ![pressed, document.body].includes(document.activeElement);
      this.follow(role, texts);
      if (!moved && this.head.isConnected) this.focus(...focus);
    };
    return during(pressed, pressed.closest(".card").querySelector(".error"), () => {
      const turn = this.#last.then(run);
      this.#last = turn.catch(() => {}); // what failed is told where it was begun
      return turn;
    });
  }

  // Stores what is typed in the fields.
  save(pressed, fields, words, focus) {
    const sent = fields.filter((field) => field.isTyped);
    if (sent.length === 0) return say("Nothing has changed.");
    return this.change(pressed, { sent,
      patchOf: () => sent.reduce((patch, { control, put }) => put(patch, control.value), {}),
      basisOf: (record) => JSON.stringify(sent.map(({ stored }) => stored(record))) },
    words, focus);
  }

  changeMembers(pressed, membersOf, words, ...focus) {
    const basisOf = (record) => slugsOf(record).join();
    return this.change(pressed, { basisOf,
      patchOf: (record) => ({ members: membersOf(slugsOf(record)) }) }, words, ...focus);
  }

  focus(...names) {
    (names.map((name) => this.place.querySelector(
      `[data-focus="${CSS.escape(name)}"]:not(:disabled)`)).find(Boolean) ??
      this.place.querySelector("h1")).focus();
  }

  // Shows the record as it is now. `role` is that of before, `texts` what was stored of fields.
  follow(role, texts = new Map()) {
    for (const field of this.fields) field.follow(this.record, texts.get(field));
    if (!this.head.isConnected) return undefined; // the person has left
    if (this.record.role !== role) return this.show(this.place);
    const active = document.activeElement;
    const inside = this.place.contains(active);
    const { focus } = active?.dataset ?? {};
    this.showHead();
    this.showApps();
    this.showClients();
    if (inside && !active.isConnected) this.focus(...focus ? [focus] : []);
    return undefined;
  }

  // ---- Its apps ----------------------------------------------------------------------

  moved(pressed, slug, by) {
    return this.changeMembers(pressed, (members) => {
      const index = members.indexOf(slug);
      members.splice(index, 1);
      members.splice(index + by, 0, slug);
      return members;
    }, `${slug} is moved ${by < 0 ? "up" : "down"}.`,
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
    const up = act("↑", "Move up", "up", (pressed) => this.moved(pressed, mcpSlug, -1));
    const down = act("↓", "Move down", "down", (pressed) => this.moved(pressed, mcpSlug, 1));
    up.disabled = index === 0;
    down.disabled = index === last;
    return element("span", { className: "actions" }, up, down,
      act("Remove", "Remove", "remove", (pressed) => this.changeMembers(pressed,
        (members) => members.filter((slug) => slug !== mcpSlug),
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

  appsCard() {
    const root = card("Apps");
    this.list = root.querySelector(".body");
    this.all = note("All of your apps are in the collection.", "body help");
    this.choice = element("select", { id: newId("app") });
    this.choice.dataset.focus = "add";
    const add = button("Add", "", () => {
      const { value } = this.choice;
      return this.changeMembers(add, (members) => [...members, value], `${value} is added.`,
        "add");
    });
    this.add = element("div", { className: "body add-app" }, element("div",
      { className: "field" }, element("label", { htmlFor: this.choice.id }, "Add an app"),
      this.choice), add);
    root.append(failure(), ...this.mayEdit ? [this.all, this.add] : []);
    this.showApps();
    return root;
  }

  // The list, and what may be added, where they differ from what is shown.
  showApps() {
    const { members } = this.record;
    const state = JSON.stringify(members);
    if (this.listed !== state) {
      const list = members.length
        ? element("ol", { className: "apps members" }, ...members.map((app, index) =>
          this.member(app, index)))
        : note("There is no app in the collection yet.", "body help");
      this.list.replaceWith(list);
      Object.assign(this, { list, listed: state });
    }
    const inside = new Set(members.map(({ id }) => id));
    const left = this.offered.filter(({ id }) => !inside.has(id));
    const { value } = this.choice;
    this.choice.replaceChildren(...left.map(({ mcpSlug, name }) => element("option",
      { value: mcpSlug, selected: mcpSlug === value },
      foreign(`${name} (${mcpSlug})`).textContent)));
    this.all.hidden = left.length > 0;
    this.add.hidden = left.length === 0;
  }

  // ---- Its name and people -----------------------------------------------------------

  field(control, name, label, how, ...more) {
    const field = new StoredField(Object.assign(control, { id: newId(name), autocomplete: "off" }),
      name, this.record, how);
    this.fields.push(field);
    return { field, root: element("div", { className: "field" },
      element("label", { htmlFor: control.id }, label), control, ...more, field.meanwhile) };
  }

  nameCard() {
    const name = this.field(element("input", { maxLength: 100 }), "name", "Name", {
      stored: (record) => record.name,
      put: (patch, text) => ({ ...patch, name: text.trim() }) });
    const about = this.field(element("textarea", { rows: 2, maxLength: 2000 }), "description",
      "Description", { stored: ({ description }) => description ?? "",
        put: (patch, text) => ({ ...patch, description: text.trim() || null }) });
    const save = button("Save", "", () => this.save(save, [name.field, about.field],
      "The name is saved.", "save"));
    save.dataset.focus = "save";
    return card("Name", name.root, about.root, failure(),
      element("div", { className: "actions" }, save));
  }

  // Who may change it, and who may look: the owner's to say.
  peopleCard() {
    const { owner, role } = this.record;
    const people = (name, label, help) => {
      const control = element("textarea", { rows: 1, spellcheck: false,
        disabled: role !== "owner" });
      const words = element("p", { className: "help", id: newId(`${name}-help`) }, help);
      control.setAttribute("aria-describedby", words.id);
      return this.field(control, name, label, {
        stored: ({ roles }) => lines.write(roles?.[name]),
        put: (patch, text) => ({ ...patch,
          roles: { ...patch.roles, [name]: lines.read(text) ?? null } }) }, words);
    };
    const editors = people("editors", "Editors",
      "May change it, its apps and their order. One name a line, as tokens have it.");
    const viewers = people("viewers", "Viewers", "May look at it here.");
    const save = button("Save the people", "", () => this.save(save,
      [editors.field, viewers.field], "The people are saved.", "people"));
    save.dataset.focus = "people";
    return card("People", ...role === "owner" ? [] : [note("Its owner decides this.", "help")],
      editors.root, viewers.root, element("p", { className: "help" }, "Owner: ", foreign(owner)),
      failure(),
      ...role === "owner" ? [element("div", { className: "actions" }, save)] : []);
  }

  // ---- Its end, and the page ---------------------------------------------------------

  deletePart() {
    const wrong = failure();
    const pressed = button("Delete", "danger", async () => {
      const sure = await asks({ title: "Delete the collection?", parts: [note(
        "Its address answers 404 from now on. Its apps stay, each at its own address.", "help")],
      buttons: [["yes", "Delete", "danger"]] });
      if (!sure) return pressed.focus();
      return during(pressed, wrong, async () => {
        await api.remove(this.record.id);
        forgetTyped(this.record.id);
        say("The collection is deleted.");
        location.hash = "";
      });
    });
    return setting("Delete", "Ends the collection, and none of its apps.", pressed, wrong);
  }

  showHead() {
    const { name } = this.record;
    document.title = name;
    this.title.replaceChildren(foreign(name));
  }

  // Where it is and who connects: as long as the same apps are served, it stays.
  showClients() {
    const { record } = this;
    const served = record.members.filter((app) => app.served).length;
    if (this.served === served) return;
    this.served = served;
    this.clients.replaceChildren(...served
      ? clientsCards(record, note(served === 1 ? "Clients have the tool of one app here."
        : `Clients have the tools of ${served} apps here.`, "help"))
      : [note("Its address answers once one of its apps is published.")]);
  }

  show(place) {
    const { record } = this;
    Object.assign(this, { place, fields: [], listed: undefined, served: undefined });
    this.title = element("h1", { tabIndex: -1 });
    this.clients = element("div", { className: "stack app-view" });
    this.head = element("div", { className: "head in-console" },
      element("nav", { className: "crumb", ariaLabel: "Place" }, link("#", "", "Apps")),
      this.title,
      element("code", { className: "app-address" }, ["", "servers", record.mcpSlug].join("/")),
      ...this.mayEdit ? [] : [note("You may look at it.", "help")]);
    place.replaceChildren(this.head, element("div", { className: "stack app-view" },
      this.appsCard(), this.clients,
      ...this.mayEdit ? [this.nameCard(), this.peopleCard()] : [],
      ...record.role === "owner" ? [settingsCard("This collection", handOverPart("collection",
        (owner) => api.handOver(record.id, owner)), this.deletePart())] : []));
    this.showHead();
    this.showClients();
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

/** The page of a collection, for .show(place). */
export async function openCollection(id) {
  const [record, offered] = await Promise.all([api.read(id), editable()]);
  return new CollectionView(record, offered);
}
