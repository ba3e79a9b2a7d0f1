// SPDX-License-Identifier: Apache-2.0
//
// The page of a collection: where it is, its apps in their order, its name and people, its end.
// A collection has one view as long as the console is open, whose cards follow the record: what
// a person types or chooses there stays, also during a visit elsewhere.
import * as apps from "./api.js";
import * as api from "./collection_api.js";
import { changedMeanwhile, CollectionRecord, slugsOf } from "./collection_record.js";
import { clientsCards } from "./connect_view.js";
import { lines } from "./field.js";
import { addressOf, asks, button, card, during, element, failure, foreign, link, newId, note,
  say } from "./parts.js";
import { handOverPart, setting, settingsCard } from "./setting_parts.js";
import { StoredField } from "./stored_field.js";

// Why clients do not have an app: words, and the tone of what a person should mend.
const REASONS = { unpublished: ["Not published", ""], owner: ["Not the owner's to edit", "warn"],
  toolName: ["Same tool name", "warn"] };

const views = new Map(); // by id of the collection

/** Has a person typed what is stored nowhere? */
export const anyTyped = () => [...views.values()].some(({ fields }) =>
  Object.values(fields).some((field) => field.isTyped));

export class CollectionView {
  constructor(now, offered) {
    Object.assign(this, { record: new CollectionRecord(now), offered, fields: {},
      wrong: { apps: failure(), name: failure(), people: failure() } });
    this.build();
  }

  get now() {
    return this.record.now;
  }

  get mayEdit() {
    return this.now.role !== "viewer";
  }

  get isShown() {
    return this.root.isConnected;
  }

  // ---- Changes -----------------------------------------------------------------------

  // Does `change` (CollectionRecord.change) and shows what became of it, a refusal in `wrong`.
  // The keyboard goes to the first of `focus`, unless the person has moved it meanwhile.
  act(pressed, wrong, change, { words, texts, focus }) {
    return during(pressed, wrong, async () => {
      await this.record.change(change, () => this.follow());
      say(words);
      const active = document.activeElement;
      const moved = ![pressed, document.body].includes(active) &&
        (active.dataset.focus ?? "") !== pressed.dataset.focus;
      this.follow(texts);
      if (!moved && this.isShown) this.focus(...focus);
    });
  }

  // Stores what is typed in the fields of a card.
  save(pressed, name, fields, words) {
    const wrong = this.wrong[name];
    const sent = fields.filter((field) => field.isTyped).map((field) =>
      ({ field, text: field.control.value, seen: field.shown }));
    if (sent.length === 0) {
      wrong.hidden = true;
      return say("Nothing has changed.");
    }
    const patch = sent.reduce((all, { field, text }) => field.put(all, text), {});
    const alike = (field, text, now) => JSON.stringify(field.put({}, text)) ===
      JSON.stringify(field.put({}, field.stored(now)));
    return this.act(pressed, wrong, { patchOf: () => patch,
      isSeen: (now) => sent.every(({ field, seen }) => field.stored(now) === seen),
      isDone: (now) => sent.every(({ field, text }) => alike(field, text, now)) },
    { words, texts: new Map(sent.map(({ field, text }) => [field, text])),
      focus: [pressed.dataset.focus] });
  }

  changeMembers(pressed, membersOf, words, ...focus) {
    const { membersByOthers } = this.record;
    return this.act(pressed, this.wrong.apps, {
      isSeen: () => this.record.membersByOthers === membersByOthers,
      patchOf: (now) => ({ members: membersOf(slugsOf(now)) }) }, { words, focus });
  }

  focus(...names) {
    (names.map((name) => this.root.querySelector(
      `[data-focus="${CSS.escape(name)}"]:not(:disabled)`)).find((one) => one?.offsetParent) ??
      this.title).focus();
  }

  // Shows the record as it is now. `texts`: what was stored of fields just now.
  follow(texts = new Map()) {
    const active = document.activeElement;
    const inside = this.root.contains(active);
    const { focus } = active?.dataset ?? {};
    for (const field of Object.values(this.fields)) field.follow(this.now, texts.get(field));
    if (this.now.role !== this.role) this.build();
    this.showHead();
    this.showApps();
    this.showClients();
    if (inside && !active.isConnected && this.isShown) this.focus(...focus ? [focus] : []);
  }

  // ---- Its apps ----------------------------------------------------------------------

  moved(pressed, slug, by) {
    return this.changeMembers(pressed, (members) => {
      const index = members.indexOf(slug);
      if (index < 0 || !(index + by in members)) throw changedMeanwhile();
      members.splice(index, 1);
      members.splice(index + by, 0, slug);
      return members;
    }, `${slug} is moved ${by < 0 ? "up" : "down"}.`,
    ...by < 0 ? [`up-${slug}`, `down-${slug}`] : [`down-${slug}`, `up-${slug}`]);
  }

  memberActs({ mcpSlug, name = mcpSlug }, index) {
    const last = this.now.members.length - 1;
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
    const there = link(addressOf(app.id), "", foreign(app.name ?? app.mcpSlug));
    there.dataset.focus = `app-${app.mcpSlug}`;
    return element("li", { className: "setting" }, element("div", {},
      element("h3", {}, there),
      element("p", { className: "help" }, foreign(name, "code"),
        element("span", { className: `chip ${tone}` }, words))),
    ...this.mayEdit ? [this.memberActs(app, index)] : []);
  }

  appsCard() {
    const root = card("Apps");
    this.list = root.querySelector(".body");
    this.all = note(this.offered.length ? "All of your apps are in the collection."
      : "You have no apps yet: make one first.", "body help");
    this.choice = element("select", { id: newId("app") });
    this.choice.dataset.focus = "add";
    const add = button("Add", "", () => {
      const { value } = this.choice; // as it is now, not when its turn comes
      return this.changeMembers(add, (members) => [...members, value], `${value} is added.`,
        "add");
    });
    this.add = element("div", { className: "body add-app" }, element("div",
      { className: "field" }, element("label", { htmlFor: this.choice.id }, "Add an app"),
      this.choice), add);
    root.append(this.wrong.apps, ...this.mayEdit ? [this.all, this.add] : []);
    return root;
  }

  // The list, and what may be added, where they differ from what is shown.
  showApps() {
    const { members } = this.now;
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
    Object.assign(control, { id: newId(name), autocomplete: "off" });
    control.dataset.focus = name;
    const field = new StoredField(control, this.now, how, this.fields[name]);
    this.fields[name] = field;
    return { field, root: element("div", { className: "field" },
      element("label", { htmlFor: control.id }, label), control, ...more, field.meanwhile) };
  }

  saveButton(label, card, fields, words) {
    const pressed = button(label, "", () => this.save(pressed, card, fields, words));
    pressed.dataset.focus = `save-${card}`;
    return element("div", { className: "actions" }, pressed);
  }

  nameCard() {
    const name = this.field(element("input", { maxLength: 100 }), "name", "Name", {
      stored: (now) => now.name,
      put: (patch, text) => ({ ...patch, name: text.trim() }) });
    const about = this.field(element("textarea", { rows: 2, maxLength: 2000 }), "description",
      "Description", { stored: ({ description }) => description ?? "",
        put: (patch, text) => ({ ...patch, description: text.trim() || null }) });
    return card("Name", name.root, about.root, this.wrong.name,
      this.saveButton("Save", "name", [name.field, about.field], "The name is saved."));
  }

  // Who may change it, and who may look: the owner's to say.
  peopleCard() {
    const { owner, role } = this.now;
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
    return card("People", ...role === "owner" ? [] : [note("Its owner decides this.", "help")],
      editors.root, viewers.root, element("p", { className: "help" }, "Owner: ", foreign(owner)),
      this.wrong.people, ...role === "owner" ? [this.saveButton("Save the people", "people",
        [editors.field, viewers.field], "The people are saved.")] : []);
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
        await this.record.remove();
        views.delete(this.now.id);
        say("The collection is deleted.");
        if (this.isShown) location.hash = "";
      });
    });
    return setting("Delete", "Ends the collection, and none of its apps.", pressed, wrong);
  }

  showHead() {
    this.title.replaceChildren(foreign(this.now.name));
    if (this.isShown) document.title = this.now.name;
  }

  // Where it is and who connects: as long as the same apps are served, it stays.
  showClients() {
    const served = this.now.members.filter((app) => app.served).length;
    if (this.served === served) return;
    this.served = served;
    this.clients.replaceChildren(...served
      ? clientsCards(this.now, note(served === 1 ? "Clients have the tool of one app here."
        : `Clients have the tools of ${served} apps here.`, "help"))
      : [note("Its address answers once one of its apps is published.")]);
  }

  // Makes the cards that the role may have. Their fields have what was typed in those before.
  build() {
    const { id, mcpSlug, role } = this.now;
    Object.assign(this, { role, listed: undefined, served: undefined });
    this.title = element("h1", { tabIndex: -1 });
    this.clients = element("div", { className: "stack app-view" });
    const parts = [element("div", { className: "head in-console" },
      element("nav", { className: "crumb", ariaLabel: "Place" }, link("#", "", "Apps")),
      this.title, element("code", { className: "app-address" }, ["", "servers", mcpSlug].join("/")),
      ...this.mayEdit ? [] : [note("You may look at it.", "help")]),
    element("div", { className: "stack app-view" }, this.appsCard(), this.clients,
      ...this.mayEdit ? [this.nameCard(), this.peopleCard()] : [],
      ...role === "owner" ? [settingsCard("This collection",
        handOverPart("collection", async (owner) => {
          await api.handOver(id, owner);
          views.delete(id);
        }), this.deletePart())] : [])];
    if (!this.mayEdit) this.fields = {};
    this.root ??= element("div", { className: "stack" });
    this.root.replaceChildren(...parts);
  }

  show(place) {
    place.replaceChildren(this.root);
    this.follow();
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
  const [now, offered] = await Promise.all([api.read(id).catch((error) => {
    if (error.status === 404) views.delete(id);
    throw error;
  }), editable()]);
  const view = views.get(now?.id);
  if (!view) {
    const made = new CollectionView(now, offered);
    views.set(now.id, made);
    return made;
  }
  view.record.read(now);
  view.offered = offered;
  return view;
}
