// SPDX-License-Identifier: Apache-2.0
//
// The console: the list of apps and collections, a new one, or one of them, by the hash of the
// address. The page itself has no data; all comes from /api/apps and /api/collections.
import * as api from "./api.js";
import { showList } from "./app_list.js";
import { Editor } from "./app_editor.js";
import { keepLayouts, keptLayouts, take } from "./kept.js";
import { below } from "../ask.js";
import { showNewCollection } from "./collection_list.js";
import { anyTyped, openCollection } from "./collection_view.js";
import { button, element, find, link, note, sentence } from "./parts.js";
import { showNew } from "./new_app.js";
import { Saver } from "./saver.js";

let editor; // of the app that is shown
let shown = 0; // number of the last place

const root = () => find("console");

async function layoutsOf() {
  try {
    const offers = await api.layouts();
    keepLayouts(offers);
    return offers;
  } catch (error) {
    const kept = keptLayouts();
    if (!kept || !(error instanceof api.Unreachable)) throw error;
    return kept;
  }
}

// What the server's own tools take and give; a server without REST says nothing of them.
async function toolsOf() {
  try {
    const response = await fetch(below("openapi.json"));
    if (!response.ok) return [];
    const { paths = {} } = await response.json();
    return Object.entries(paths).flatMap(([path, { post }]) => {
      const [, name] = /^\/api\/([^/]+)$/.exec(path) ?? [];
      const schema = (part) => part?.content?.["application/json"]?.schema;
      return name && post ? [{ name, inputSchema: schema(post.requestBody),
        outputSchema: schema(post.responses?.["200"]) }] : [];
    });
  } catch (error) {
    console.info(error);
    return [];
  }
}

// `kind` is "app" or "collection", or another place of the console.
function showFailure(error, kind) {
  const absent = error.status === 404;
  document.title = absent ? "Not found" : "Not available";
  root().replaceChildren(element("div", { className: "head in-console" },
    element("nav", { className: "crumb", ariaLabel: "Place" }, link("#", "", "Apps")),
    element("h1", { tabIndex: -1 }, document.title)),
  element("div", { className: "note bad save-note" }, element("span", {},
    absent ? `There is no ${kind} here that you may see.` : sentence(error.message)),
  ...absent ? [] : [button("Try again", "small", () => route(true))]));
}

// What an editor is made of: the record of an app, or without the server what this device
// kept of it.
async function readApp(id) {
  const [kept, read] = await Promise.all([take(id), api.read(id).catch((error) => error)]);
  if (read instanceof api.Refusal) throw read;
  if (read instanceof Error && !kept) throw read;
  const record = read instanceof Error ? kept.record : read;
  const [offers, tools] = await Promise.all([layoutsOf(), toolsOf()]);
  return { record, kept, offers: { ...offers, tools } };
}

async function showApp(id, place, mine) {
  if (editor?.saver.id !== id) {
    editor?.close();
    editor = undefined;
    root().replaceChildren(note("Loading…", "help"));
    const { record, kept, offers } = await readApp(id);
    if (mine !== shown) return undefined;
    editor = new Editor({ saver: new Saver(record), offers, root: root() });
    await editor.show(place);
    if (kept) editor.saver.adopt(kept);
    return editor.title.focus();
  }
  return editor.show(place);
}

// A function that draws the place, with what the server gave for it.
async function drawingOf(kind, id) {
  if (kind === "new") {
    const { layouts } = await layoutsOf();
    return (place) => showNew(place, layouts);
  }
  if (kind === "new-collection") return showNewCollection;
  if (kind !== "collection" || !id) return showList;
  const view = await openCollection(id);
  return (place) => view.show(place);
}

async function route(focus) {
  const mine = ++shown;
  find("console-dialog").close(); // a question of another place
  const [kind, ...names] = location.hash.slice(1).split("/");
  try {
    const [id, place] = names.map(decodeURIComponent);
    if (kind === "app" && id) return await showApp(id, place, mine);
    editor?.close();
    editor = undefined;
    const draw = await drawingOf(kind, id);
    if (mine === shown) await draw(root());
    if (mine === shown && focus && !/^new/.test(kind) && !root().contains(document.activeElement))
      root().querySelector("h1")?.focus();
  } catch (error) {
    if (mine !== shown) return undefined;
    if (error instanceof URIError) showFailure({ status: 404 }, kind);
    else if (/^(Refusal|Unreachable)$/.test(error.name)) showFailure(error, kind);
    else throw error;
  }
  return undefined;
}

// A browser asks before it leaves what is neither saved nor kept.
addEventListener("beforeunload", (event) => {
  if (anyTyped() || (editor?.saver.unsaved && !editor.saver.kept)) event.preventDefault();
});

export async function begin() {
  addEventListener("hashchange", () => route(true));
  await route(false);
}
