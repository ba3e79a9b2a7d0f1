// SPDX-License-Identifier: Apache-2.0
//
// One app: its head with what can be done, and below it the design, its address, its
// history, its usage, or what is done with it as a whole.
import * as api from "./api.js";
import { statusChip } from "./app_list.js";
import { conflictPart } from "./conflict_part.js";
import { connectView } from "./connect_view.js";
import { Findings, fieldOf, showFindings } from "./findings.js";
import { historyView } from "./history_view.js";
import { forget } from "./kept.js";
import { addressOf, button, during, element, failure, foreign, link, note, say, segments,
  sentence } from "./parts.js";
import { Preview } from "./preview.js";
import { lackPart, publish } from "./publish_part.js";
import { changes, draftOf } from "./record.js";
import { saveChip, saveNote } from "./save_words.js";
import { accessSection, budgetSection } from "./section_access.js";
import { behaviorSection } from "./section_behavior.js";
import { dataSection } from "./section_data.js";
import { layoutSection } from "./section_layout.js";
import { themeSection } from "./section_theme.js";
import { nameSection, toolSection } from "./section_words.js";
import { settingsView } from "./settings_view.js";
import { usageView } from "./usage_view.js";

const SECTIONS = [nameSection, toolSection, layoutSection, dataSection, themeSection,
  behaviorSection, accessSection, budgetSection];
const PLACES = [["design", "Design"], ["connect", "Connect"], ["history", "History"],
  ["usage", "Usage"], ["settings", "More"]];

export class Editor {
  places = []; // of findings: {place, root, focus, show}
  shows = []; // called when the draft has changed
  onFindings = []; // called when it was checked
  #place;
  #shown = 0;
  #live; // {version, draft}: a promise of the draft that the published version froze

  /** `offers` is what the server has: {layouts, providers, tools}. */
  constructor({ saver, offers, root }) {
    Object.assign(this, { saver, root, ...offers });
    this.findings = new Findings(saver, () => this.showFindings());
    this.#frame();
    saver.addEventListener("draft", () => {
      for (const show of [...this.shows]) show();
    });
    saver.addEventListener("state", () => this.#showState());
    this.#showState();
    this.seen = () => document.visibilityState === "visible" && this.#look();
    document.addEventListener("visibilitychange", this.seen);
    // From the middle of a long form the button is many steps of the keyboard away.
    this.pressed = (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || this.publish.hidden ||
          this.publish.disabled || event.target.closest("dialog, .test")) return;
      event.preventDefault();
      this.publish.focus();
      this.publish.click();
    };
    document.addEventListener("keydown", this.pressed);
  }

  /** What the person is: "owner", "editor" or "viewer". */
  get role() {
    return this.saver.record.role ?? "viewer";
  }

  get mayPublish() {
    return this.role !== "viewer";
  }

  get isOwner() {
    return this.role === "owner";
  }

  // ---- The frame -------------------------------------------------------------------

  #frame() {
    const { saver } = this;
    this.title = element("h1", { tabIndex: -1 });
    this.status = element("span", { className: "app-status" });
    this.address = element("code", { className: "app-address" });
    this.undo = button("Undo", "small", () => {
      saver.undo();
      say("Undone.");
    });
    this.publish = button("Publish", "main", () => this.#publish());
    this.publish.title = "Ctrl+Enter";
    this.publish.setAttribute("aria-keyshortcuts", "Control+Enter Meta+Enter");
    this.wrong = failure();
    this.notes = element("div", { className: "stack app-notes" });
    this.lacking = element("div");
    this.tabs = element("nav", { className: "places", ariaLabel: "This app" });
    this.content = element("div", { className: "stack" });
    const viewer = this.role === "viewer";
    this.undo.hidden = this.publish.hidden = viewer;
    this.head = element("div", { className: "app-head" },
      element("nav", { className: "crumb", ariaLabel: "Place" }, link("#", "", "Apps")),
      element("div", { className: "app-title" }, this.title, this.status),
      this.address,
      element("div", { className: "app-acts" }, viewer ? note("You may look at it.", "help")
        : saveChip(saver), this.undo, this.publish));
    this.root.replaceChildren(this.head, this.tabs, this.wrong, saveNote(saver), this.notes,
      this.lacking, this.content);
  }

  #showState() {
    const { saver } = this;
    const { record } = saver;
    const name = saver.draft.name || record.mcpSlug;
    this.title.replaceChildren(foreign(name));
    document.title = name;
    this.status.replaceChildren(statusChip(record));
    this.address.textContent = ["", "servers", record.mcpSlug].join("/");
    this.undo.disabled = !saver.canUndo;
    this.publish.textContent = record.status === "published" ? "Publish changes" : "Publish";
    if (saver.state === "conflict") {
      if (!this.notes.querySelector(".conflict")) this.notes.replaceChildren(conflictPart(saver));
    } else this.notes.replaceChildren();
    this.#showLive();
  }

  /** Resolves to what clients have, the draft that the published version froze. `again` asks
   * once more where that has failed. */
  live(again = false) {
    const { publishVersion: version } = this.saver.record;
    if (this.#live?.version !== version || (again && this.#live.failed)) {
      const live = { version, draft: api.version(this.saver.id, version).then(draftOf) };
      live.draft.catch(() => { live.failed = true; });
      this.#live = live;
    }
    return this.#live.draft;
  }

  // How the draft differs from that.
  async #showLive() {
    if (this.saver.record.status !== "published") {
      this.#live = undefined;
      return;
    }
    let live;
    try {
      live = await this.live();
    } catch (error) {
      console.info(error); // the button then says nothing of how many there are
    }
    const { draft } = this.saver;
    const count = live ? changes(live, draft).length : undefined;
    if (count === undefined) return;
    this.publish.disabled = count === 0;
    this.publish.textContent = count === 0 ? "All is published"
      : `Publish ${count} ${count === 1 ? "change" : "changes"}`;
  }

  // ---- Places ----------------------------------------------------------------------

  async show(place = "design", focus = true) {
    const known = PLACES.some(([name]) => name === place) ? place : "design";
    const shown = ++this.#shown;
    this.#place = known;
    this.#showTabs();
    this.wrong.hidden = true;
    if (known === "design") return this.#showDesign();
    this.#endDesign();
    this.content.className = "stack app-view";
    try {
      const parts = await { connect: connectView, history: historyView, usage: usageView,
        settings: settingsView }[known](this);
      if (shown !== this.#shown) return undefined;
      this.content.replaceChildren(...parts);
    } catch (error) {
      if (!/^(Refusal|Unreachable)$/.test(error.name)) throw error;
      if (shown !== this.#shown) return undefined;
      this.content.replaceChildren(note(sentence(error.message), "note bad"));
    }
    if (focus) this.title.focus();
    return undefined;
  }

  #showTabs() {
    this.tabs.replaceChildren(...PLACES.map(([name, words]) => {
      const tab = link(addressOf(this.saver.id, name === "design" ? "" : name), "", words);
      if (name === this.#place) tab.ariaCurrent = "page";
      return tab;
    }));
  }

  #endDesign() {
    this.preview?.close();
    this.preview = undefined;
    this.places = [];
    this.shows = [];
    this.onFindings = [];
    this.marks = undefined;
  }

  #showDesign() {
    this.#endDesign();
    const form = element("div", { className: "sections" });
    const nav = element("nav", { className: "section-nav", ariaLabel: "Parts of the design" });
    this.marks = [];
    for (const make of SECTIONS) {
      const { title, id, parts } = make(this);
      const heading = element("h2", { id: `part-${id}`, tabIndex: -1 }, title);
      const section = element("section", { className: "card", id: `section-${id}` },
        element("header", {}, heading), element("div", { className: "body" }, ...parts));
      section.setAttribute("aria-labelledby", heading.id);
      const mark = element("span", { className: "mark", hidden: true });
      const leads = button(title, "", () => {
        heading.focus({ preventScroll: true });
        section.scrollIntoView({ block: "start" });
      });
      leads.append(mark);
      nav.append(leads);
      form.append(section);
      this.marks.push({ section, mark, title });
    }
    const others = { viewer: ".card", editor: "#section-access, #section-budget" }[this.role];
    if (others)
      for (const section of form.querySelectorAll(others)) {
        if (this.role === "editor")
          section.querySelector(".body").prepend(note("Its owner decides this.", "help"));
        for (const control of section.querySelectorAll("input, textarea, select, button"))
          control.disabled = true;
      }
    this.preview = new Preview(this);
    this.content.className = "design";
    this.content.dataset.side = "edit";
    const side = segments("Show", [["edit", "Edit"], ["preview", "Preview"]], "edit",
      (word) => { this.content.dataset.side = word; });
    side.classList.add("side-choice");
    this.content.replaceChildren(side, nav, form, this.preview.root);
    this.showFindings();
    if (this.role !== "viewer") this.findings.check();
  }

  // ---- Findings --------------------------------------------------------------------

  showFindings() {
    const { list } = this.findings;
    if (!this.marks) return;
    showFindings(this.places, list);
    for (const show of this.onFindings) show();
    for (const { section, mark, title } of this.marks) {
      const here = list.filter((finding) =>
        section.contains(fieldOf(this.places, finding)?.root ?? null));
      const errors = here.filter(({ severity }) => severity === "error").length;
      mark.hidden = here.length === 0;
      mark.textContent = String(errors || here.length);
      mark.className = errors ? "mark error" : "mark";
      mark.title = `${title}: ${errors ? `${errors} to do` : `${here.length} to consider`}`;
    }
    if (this.lacking.childElementCount > 0) this.lacks(this.findings.errors, false);
  }

  /** Shows what forbids publishing. */
  lacks(errors, focus = true) {
    const part = errors.length > 0 ? lackPart(errors, (finding) => this.#go(finding)) : undefined;
    const active = this.lacking.contains(document.activeElement);
    this.lacking.replaceChildren(...part ? [part] : []);
    if (part && (focus || active)) part.focus();
  }

  /** Leads the keyboard to the field of a place that is shown. */
  focusOn(place) {
    this.places.find((one) => one.place === place)?.focus();
  }

  async #go(finding) {
    if (this.#place !== "design") await this.show("design", false);
    this.content.dataset.side = "edit";
    const place = fieldOf(this.places, finding);
    (place?.root ?? this.content).scrollIntoView({ block: "center" });
    place?.focus();
  }

  // ---- Acts ------------------------------------------------------------------------

  #publish() {
    return during(this.publish, this.wrong, async () => {
      if (await publish(this)) location.hash = addressOf(this.saver.id, "connect");
      else if (!document.activeElement || document.activeElement === document.body)
        this.publish.focus();
    });
  }

  // The page is looked at again: others may have changed the app.
  async #look() {
    if (this.saver.state !== "saved") return;
    try {
      this.saver.accept(await api.read(this.saver.id));
    } catch (error) {
      console.info(error); // saving will say it
    }
  }

  /** The app is deleted: nothing of it is kept. */
  gone() {
    forget(this.saver.id);
    this.deleted = true;
  }

  close() {
    document.removeEventListener("visibilitychange", this.seen);
    document.removeEventListener("keydown", this.pressed);
    this.#endDesign();
    this.findings.close();
    if (!this.deleted) this.saver.close();
  }
}
