// SPDX-License-Identifier: Apache-2.0
//
// Unsaved changes on this device: they survive a reload, a crash, and a time without the
// server. An entry is {record, base, draft, revision} of one tab, and goes when its changes
// are saved.
import { below } from "../ask.js";

// Several servers may share an origin behind a proxy.
const PREFIX = `mica console ${new URL(below("")).pathname} `;
const LAYOUTS = `${PREFIX}layouts`;
const TAB = "mica console tab";

function tabName() {
  const known = sessionStorage.getItem(TAB);
  if (known) return known;
  const name = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  sessionStorage.setItem(TAB, name);
  return name;
}

const tab = tabName();
const keyOf = (id) => `${PREFIX}draft ${id} ${tab}`;

// As long as a tab is open it holds a lock of its name, so others let its entries be.
navigator.locks?.request(PREFIX + tab, () => new Promise(() => {}));

async function openTabs() {
  const { held = [] } = await navigator.locks?.query() ?? {};
  return new Set(held.map(({ name }) => name.slice(PREFIX.length)));
}

function entryOf(key) {
  const [, id, owner] = /^draft (\S+) (\S+)$/.exec(key.slice(PREFIX.length)) ?? [];
  if (id === undefined) return undefined;
  try {
    return { ...JSON.parse(localStorage.getItem(key)), id, owner, key };
  } catch (error) {
    console.info(error);
    return undefined;
  }
}

const all = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
  .map(entryOf).filter(Boolean);

/** Keeps the changes of this tab; false: the device has no room, or lets no page keep. */
export function keep(id, entry) {
  try {
    localStorage.setItem(keyOf(id), JSON.stringify({ ...entry, time: Date.now() }));
    return true;
  } catch (error) {
    console.info(error);
    return false;
  }
}

export function forget(id, key = keyOf(id)) {
  localStorage.removeItem(key);
}

/** The newest entry of an app that is this tab's, or of a tab that is closed. */
export async function take(id) {
  const open = await openTabs();
  const [newest] = all().filter((entry) => entry.id === id &&
    (entry.owner === tab || !open.has(entry.owner))).sort((a, b) => b.time - a.time);
  if (newest && newest.owner !== tab && keep(id, newest)) forget(id, newest.key);
  return newest;
}

/** Apps with unsaved changes on this device: their records, the newest first. */
export const unsaved = () => [...new Map(all().sort((a, b) => a.time - b.time)
  .map(({ record, draft, id }) => [id, { ...record, ...draft }])).values()].reverse();

// ---- Layouts -------------------------------------------------------------------------

/** What a server offers changes seldom, so the last answer does without the server. */
export function keepLayouts(offers) {
  try {
    localStorage.setItem(LAYOUTS, JSON.stringify(offers));
  } catch (error) {
    console.info(error);
  }
}

export const keptLayouts = () => JSON.parse(localStorage.getItem(LAYOUTS) ?? "null");
