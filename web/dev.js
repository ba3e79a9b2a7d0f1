// SPDX-License-Identifier: Apache-2.0
//
// While the tools are written (mica dev): what the compiler and the checks say of
// the tool that is open is shown on its page, and when it has changed the page is
// loaded anew, with what was typed.
import { below } from "./ask.js";
import { element } from "./element.js";
import { parse } from "./exact.js";
import { fill, read } from "./form.js";

let seen = Number(document.documentElement.dataset.dev);
const form = document.getElementById("tool");
const stays = document.getElementById("inspect") ?? document.getElementById("host");
const kept = `input ${location.pathname}`;

// ---- What is wrong -------------------------------------------------------------

const place = ({ path, line }) =>
  path ? ` ${path}${line ? `:${line}` : ""}` : "";

const finding = (one) => element("li", {},
  element("code", {}, `${one.code}${place(one)}`), ` ${one.message}`);

function report(tool) {
  const { name, built, code, message, diagnostics, findings } = tool;
  if (built && !findings?.length && !diagnostics) return [];
  const title = built ? `${name}: what is missing` : `${name} does not build`;
  return [element("header", {}, element("h2", {}, title)),
    element("div", { className: "body" }, ...(built ? [] : [element("p", { className: "error" },
      `${code}: ${message} Until then it stays as it was.`)]),
    ...(diagnostics ? [element("pre",
      { tabIndex: 0, ariaLabel: "What the compiler says" }, diagnostics)] : []),
    ...(findings?.length
      ? [element("ul", {}, ...findings.map(finding))] : []))];
}

const board = element("section", { className: "card dev", hidden: true });
board.ariaLabel = "What the compiler and the checks say";
board.ariaLive = "polite";

// ---- What has changed ------------------------------------------------------------

/** Shows what was typed before the page was loaded anew. */
export function restore(form) {
  const input = sessionStorage.getItem(kept);
  sessionStorage.removeItem(kept);
  if (input) fill(form, parse(input));
}

function again() {
  try {
    if (form) sessionStorage.setItem(kept, read(form));
  } catch (error) {
    console.info(error); // what was typed is no input
  }
  location.reload();
}

async function look() {
  const response = await fetch(below("dev/state"), { cache: "no-store" });
  const { tools } = await response.json();
  const mine = tools.filter(({ name }) => !form || name === form.dataset.tool);
  board.replaceChildren(...mine.flatMap(report));
  board.hidden = board.childElementCount === 0;
  const swapped = Math.max(...mine.map((one) => one.swapped ?? 0));
  if (swapped <= seen) return;
  seen = swapped;
  // The page of a call stays: it continues with the tool that it began with. The
  // Inspector and the host keep what they show, and list the tools anew.
  if (stays)
    document.dispatchEvent(new Event("tools-changed"));
  else if (!document.getElementById("call")) again();
}

/** Looks whenever something was saved, for as long as the page is seen. */
export function follow() {
  // These two are about requests: what does not build stands below them.
  if (stays) stays.append(board);
  else document.getElementById("main").prepend(board);
  let events;
  const begin = () => {
    events?.close();
    if (document.hidden) return;
    events = new EventSource(below("dev/events"));
    events.addEventListener("changed", () => look().catch(console.info));
  };
  document.addEventListener("visibilitychange", begin);
  begin();
}
