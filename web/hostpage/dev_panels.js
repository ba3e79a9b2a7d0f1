// SPDX-License-Identifier: Apache-2.0
//
// What a developer sees below an open view (mica dev), each in a part that unfolds: the
// handshake, the policy, the traffic, the context that the view is told, the state, and
// recordings. Everything here is text of a view, and shown as text.
import { copy } from "../copy.js";
import { contextOf, DEVICES, localeOf, MODES, timeZoneOf }
  from "../hosttools/context_controls.js";
import { textOf } from "../hosttools/message_text.js";
import { readRecording } from "../hosttools/recording.js";
import { replayView } from "../hosttools/replay.js";
import { limits } from "../hosttools/tool_limits.js";
import { fits, linesOf } from "../hosttools/traffic.js";
import { stateOf } from "../hosttools/view_state.js";
import { announce, button, element, foreign } from "./elements.js";
import { appearance } from "./theme.js";
import { sandboxOf } from "./place.js";

const STATE_SIZE = 200_000; // characters of the state that are shown

let count = 0; // of controls, for their labels

/** A part that unfolds; `open(true)` when it does. Its chip has a short word. */
function part(title, open = () => {}) {
  const chip = element("span", { className: "chip" });
  chip.hidden = true;
  const root = element("details", { className: "dev-part" },
    element("summary", {}, title, " ", chip));
  root.addEventListener("toggle", () => open(root.open));
  const say = (words, wrong = false) => {
    chip.textContent = words;
    chip.hidden = !words;
    chip.classList.toggle("bad", wrong);
  };
  return { root, say };
}

// Calls `work` at most once in a frame of the screen, however often it is asked for.
function coalesced(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    setTimeout(() => {
      asked = false;
      work();
    }, 50);
  };
}

const copying = (text, what) => copy(text()).then(() => announce(`Copied ${what}.`),
  (error) => announce(`Cannot copy: ${error.message}.`));

// ---- The handshake ---------------------------------------------------------------------

const WORDS = { done: "done", wrong: "check", waiting: "waiting", missing: "missing" };

export function handshakePanel({ checklist }) {
  const list = element("ol", { className: "dev-steps" });
  const { root, say } = part("Handshake");
  const show = () => {
    const steps = checklist.steps();
    list.replaceChildren(...steps.map(({ name, state, ms, why }) => element("li",
      { className: state }, element("b", {}, name), ` · ${WORDS[state]}`,
      ms === undefined ? "" : ` at ${ms} ms`, why ? element("p", { className: "help" }, why) : "")));
    const stuck = steps.find(({ state, why }) => why && (state === "missing" || state === "wrong"));
    say(stuck ? `${stuck.name}: ${WORDS[stuck.state]}` : "", stuck?.state === "missing");
  };
  root.append(list);
  show();
  const silence = checklist.listen(coalesced(show));
  // By then what is missing has its reason.
  const timer = setTimeout(show, limits.missingMs + 100);
  return { root, end() {
    silence();
    clearTimeout(timer);
  } };
}

// ---- The policy ------------------------------------------------------------------------

function findingOf({ directive, blocked, count, advice, place }) {
  const { macro, json, text } = advice;
  const line = place.line ? ` (line ${place.line})` : "";
  return element("li", {}, element("b", {}, directive), " blocked ", foreign(blocked, "code"),
    `${line}${count > 1 ? `, ${count} times` : ""}`, element("p", { className: "help" }, text),
    ...macro ? [element("pre", { tabIndex: 0, role: "group", ariaLabel: "What to declare" },
      `${macro}\n${json}`),
    button("Copy for C", "small", () => copying(() => `${macro},`, "the member of MICA_VIEW")),
    " ", button("Copy as JSON", "small", () => copying(() => json, "the member of _meta.ui.csp"))]
      : []);
}

export function policyPanel({ audit }) {
  const list = element("ol", { className: "dev-steps" });
  const none = element("p", { className: "help" }, "The policy has blocked nothing.");
  const more = element("p", { className: "help", hidden: true });
  const { root, say } = part("Policy");
  const show = () => {
    const { findings, missed } = audit;
    list.replaceChildren(...findings.map(findingOf));
    none.hidden = findings.length > 0;
    more.hidden = missed === 0;
    more.textContent = `And ${missed} others.`;
    say(findings.length ? `${findings.length} blocked` : "", findings.length > 0);
  };
  root.append(none, list, more);
  return { root, end: audit.listen(coalesced(show)) };
}

// ---- The traffic -----------------------------------------------------------------------

const ARROWS = { view: "→ host", host: "→ view" };

function entryOf(entry) {
  const made = element("details", {}, element("summary", {}));
  const show = () => {
    const { from, method, kind, id, latency, size } = entry;
    made.firstChild.replaceChildren(element("span", {}, ARROWS[from]), " ",
      foreign(method ?? "?", "b"), ` ${kind === "notification" ? "" : kind}`,
      id === undefined ? "" : foreign(` ${String(id).slice(0, 40)}`), " ",
      element("small", {}, [latency === undefined ? "" : `${latency.toFixed(1)} ms`,
        size === undefined ? "refused" : `${size} characters`].filter(Boolean).join(" · ")));
  };
  show();
  made.addEventListener("toggle", () => {
    if (!made.open || made.childElementCount > 1) return;
    const { text, cut } = entry;
    const shown = cut ? text : textOf(JSON.parse(text), limits.shownSize, 2).text;
    made.append(element("pre", { tabIndex: 0, role: "group", ariaLabel: "The message" },
      cut ? `${shown}\n… cut` : shown));
  });
  return { item: element("li", {}, made), show };
}

export function trafficPanel({ traffic }) {
  const words = element("input", { type: "search", placeholder: "Filter by text",
    ariaLabel: "Filter the messages" });
  const sender = element("select", { ariaLabel: "Direction" },
    ...[["", "Both directions"], ["view", "From the view"], ["host", "From the host"]].map(
      ([value, label]) => element("option", { value }, label)));
  const list = element("ol", { className: "dev-traffic" });
  const forgotten = element("p", { className: "help", hidden: true });
  const { root, say } = part("Traffic", () => show());
  const rows = new Map(); // entry: {item, show}
  const changed = new Set();
  let paused = false;
  let entries = []; // as they are shown
  const show = () => {
    say(`${traffic.entries.length + traffic.forgotten}`);
    if (!root.open) return;
    if (!paused) entries = [...traffic.entries];
    for (const entry of changed) rows.get(entry)?.show();
    changed.clear();
    const kept = new Set(entries);
    for (const [entry, { item }] of rows)
      if (!kept.has(entry)) {
        item.remove();
        rows.delete(entry);
      }
    for (const entry of entries) {
      if (!rows.has(entry)) {
        rows.set(entry, entryOf(entry));
        list.append(rows.get(entry).item);
      }
      rows.get(entry).item.hidden = !fits(entry, words.value, sender.value);
    }
    forgotten.hidden = traffic.forgotten === 0;
    forgotten.textContent = `${traffic.forgotten} older messages are forgotten.`;
  };
  const later = coalesced(show);
  const pause = button("Pause", "small", () => {
    paused = !paused;
    pause.ariaPressed = String(paused);
    show();
  });
  pause.ariaPressed = "false";
  for (const control of [words, sender]) control.addEventListener("input", later);
  root.append(element("div", { className: "actions" }, words, sender, pause,
    button("Clear", "small", () => {
      traffic.clear();
      entries = [];
    }),
    button("Copy", "small", () => copying(() =>
      linesOf(entries.filter((entry) => fits(entry, words.value, sender.value))),
    "the messages, one a line"))), forgotten, list);
  return { root, end: traffic.listen((entry) => {
    if (rows.has(entry)) changed.add(entry);
    later();
  }) };
}

// ---- The context -----------------------------------------------------------------------

function field(label, control) {
  control.id = `dev-control-${++count}`;
  return element("div", { className: "field" },
    element("label", { htmlFor: control.id }, label), control);
}

const choice = (options, value) => {
  const made = element("select", {}, ...options.map(([value, label]) =>
    element("option", { value }, label)));
  made.value = value;
  return made;
};

/** `change(context, settings)` when something was chosen; `strict(on)` opens the view anew. */
export function contextPanel(view, settings, { change, strict }) {
  const { root } = part("Context", (open) => {
    // The view, and the buttons of the page, change it, too.
    if (open) controls.displayMode.value = view.bridge.getHostContext().displayMode;
  });
  const controls = {
    theme: choice([["light", "Light"], ["dark", "Dark"]], settings.theme),
    device: choice(Object.entries(DEVICES).map(([name, { label }]) => [name, label]),
      settings.device),
    displayMode: choice(MODES.map((mode) => [mode, mode]), settings.displayMode),
    locale: element("input", { value: settings.locale }),
    timeZone: element("input", { value: settings.timeZone }),
  };
  const fault = element("p", { className: "error", role: "alert", hidden: true });
  const checks = { locale: localeOf, timeZone: timeZoneOf };
  const chosen = () => {
    fault.hidden = true;
    for (const [name, control] of Object.entries(controls)) {
      try {
        settings[name] = checks[name]?.(control.value) ?? control.value;
      } catch (error) {
        fault.textContent = error.message;
        fault.hidden = false;
        return;
      }
    }
    const base = { ...view.bridge.getHostContext(), ...appearance(settings.theme) };
    const place = { width: view.container.parentElement.clientWidth, height: innerHeight };
    try {
      change(contextOf(settings, base, place), settings);
    } catch (error) {
      fault.textContent = error.message;
      fault.hidden = false;
    }
  };
  for (const control of Object.values(controls)) control.addEventListener("change", chosen);
  const mark = element("input", { type: "checkbox", checked: settings.strict });
  mark.addEventListener("change", () => strict(mark.checked));
  root.append(element("div", { className: "dev-fields" },
    field("Theme", controls.theme), field("Device", controls.device),
    field("Display mode", controls.displayMode), field("Locale", controls.locale),
    field("Time zone", controls.timeZone)), fault,
  element("label", { className: "check" }, mark,
    " Strict host: no capabilities (opens the view anew)"));
  return { root, end() {} };
}

// ---- The state -------------------------------------------------------------------------

export function statePanel(view) {
  const shown = element("pre", { tabIndex: 0, role: "group", ariaLabel: "State of the view" });
  const refresh = async () => {
    try {
      const { text, cut } = textOf(await stateOf(view.bridge), STATE_SIZE, 2);
      shown.textContent = cut ? `${text}\n… cut` : text;
    } catch (error) {
      shown.textContent = error.message;
    }
  };
  const { root } = part("State", (open) => open && refresh());
  root.append(element("div", { className: "actions" }, button("Refresh", "small", refresh)), shown);
  return { root, end() {} };
}

// ---- Recordings ------------------------------------------------------------------------

export function recordingPanel(view, { recorder }) {
  const { root, say } = part("Recording", () => say(`${recorder.count}`));
  const outcome = element("p", { className: "help", role: "status" });
  const stage = element("div", { className: "dev-stage" });
  const save = () => {
    try {
      const address = URL.createObjectURL(new Blob([recorder.text()],
        { type: "application/json" }));
      element("a", { href: address, download: `${view.tool?.name ?? "form"}.recording.json` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      outcome.textContent = `${recorder.count} messages were saved.`;
    } catch (error) {
      outcome.textContent = error.message;
    }
  };
  const file = element("input", { type: "file", accept: ".json,application/json" });
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    outcome.textContent = "Replaying …";
    try {
      if (chosen.size > 4 * limits.recordingSize)
        throw new Error(`${chosen.size} bytes are more than a recording has.`);
      const recording = readRecording(await chosen.text());
      if (recording.view.uri !== view.uri)
        throw new Error(`It was recorded with ${recording.view.uri}, and this is ${view.uri}.`);
      const { html, csp } = view.document;
      const found = await replayView(recording, { container: stage, html, csp,
        ...sandboxOf() });
      outcome.textContent = found?.text ??
        `${recording.messages.length} messages as recorded.`;
    } catch (error) {
      outcome.textContent = error.message;
    }
    file.value = "";
  });
  root.append(element("div", { className: "actions" }, button("Save recording", "small", save)),
    field("Replay a recording with this document", file), outcome, stage);
  return { root, end() {} };
}
