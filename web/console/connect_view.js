// SPDX-License-Identifier: Apache-2.0
//
// Where a published app is, and how each client connects to it. The texts of the clients
// are those of the front page (src/page/connect_part.c).
import { below } from "../ask.js";
import { copy } from "../copy.js";
import { button, card, element, find, foreign, note, say } from "./parts.js";
import { WHO_CALLS, changes, labelOf } from "./record.js";

/** The address of an app's endpoint, as this browser reaches it. */
export const urlOf = ({ mcpSlug, url }) => url || below(`servers/${mcpSlug}/mcp`);

/** A link to the page in which a published app is tried: a host of MCP Apps. */
export const hostLink = ({ mcpSlug }, className) => element("a", { className,
  href: below(`servers/${mcpSlug}/host`) }, "Try in a host");

async function copies(pressed, text, what) {
  try {
    await copy(text);
    pressed.textContent = "Copied";
    say(`${what}: copied.`);
    setTimeout(() => { pressed.textContent = "Copy"; }, 2000);
  } catch (error) {
    say(`Cannot copy: ${error.message}`);
  }
}

function clients(record) {
  const root = find("connect-clients").content.cloneNode(true);
  for (const place of root.querySelectorAll("[data-app-key]"))
    place.textContent = record.mcpSlug;
  for (const place of root.querySelectorAll("[data-app-url]"))
    place.textContent = urlOf(record);
  for (const pressed of root.querySelectorAll("[data-copies]"))
    pressed.addEventListener("click", () => copies(pressed,
      pressed.parentElement.querySelector("pre").textContent, pressed.ariaLabel));
  return root;
}

function addressPart(record) {
  const url = urlOf(record);
  const text = element("pre", { tabIndex: 0 }, url);
  text.setAttribute("role", "group");
  text.ariaLabel = "Address of the app";
  const pressed = button("Copy", "small", () => copies(pressed, url, "The address"));
  pressed.ariaLabel = "Copy the address";
  return element("div", { className: "code" }, text, pressed);
}

/** Cards with the address of a record and what each client takes; `about` says what is there. */
export function clientsCards(record, ...about) {
  const list = card("Connect a client");
  list.classList.add("connect");
  list.querySelector(".body").replaceWith(clients(record));
  return [card("Address", addressPart(record), ...about,
    element("p", { className: "actions app-links" }, hostLink(record, "button main"),
      element("a", { href: below(`servers/${record.mcpSlug}`) }, "Its page for people"))), list];
}

// Members that Connect shows, or that decide about its callers: it names those that differ.
const SHOWN = new Set(["toolName", "toolDescription", "visibility", "scope"]);

function differenceNote(live, draft) {
  const names = changes(live, draft).filter(({ place }) => SHOWN.has(place))
    .map(({ place }) => labelOf(place).toLowerCase());
  return names.length ? [note(`The draft differs in ${new Intl.ListFormat("en").format(names)}: ` +
    "clients get that when you publish it.", "help")] : [];
}

export async function connectView(editor) {
  const { record, draft } = editor.saver;
  if (record.status !== "published")
    return [note("The app is not published, so its address answers nothing yet. Publish it, " +
      "and every client connects as this page will say.")];
  const live = await editor.live(true);
  const visibility = live.visibility ?? "public";
  return clientsCards(record, element("p", { className: "help" }, "Its tool is ",
    foreign(live.toolName, "code"), ". ", WHO_CALLS[visibility],
    visibility === "public" ? "" : " Clients sign in when they connect."),
  ...differenceNote(live, draft));
}
