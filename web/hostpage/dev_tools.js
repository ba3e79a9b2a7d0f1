// SPDX-License-Identifier: Apache-2.0
//
// The tools for developers on the host page, in mica dev alone: each open view is watched,
// has panels below it, and is opened anew when its document was built anew, with what it
// left.
import { RESTORED, leave } from "../hosttools/view_state.js";
import { sizeOf } from "../hosttools/context_controls.js";
import { tokensOfResult, tokensOfTools, tokenWarning } from "../hosttools/tokens.js";
import { Watch } from "../hosttools/watch.js";
import { contextPanel, handshakePanel, policyPanel, recordingPanel, statePanel, trafficPanel }
  from "./dev_panels.js";
import { announce, element, find } from "./elements.js";
import { hooks, readDocument } from "./view.js";

const watched = new Map(); // view: {watch, settings, panels, root}

const settingsOf = (context) => ({ theme: context.theme ?? "light", device: "desktop",
  displayMode: context.displayMode ?? "inline", locale: context.locale ?? navigator.language,
  timeZone: context.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  strict: false });

// ---- A view ----------------------------------------------------------------------------

function watchView(transport, view) {
  const { csp, permissions } = view.document;
  const entry = watched.get(view) ?? {};
  entry.watch = new Watch({ uri: view.uri, ...csp && { csp }, ...permissions && { permissions } },
    [location.origin]);
  watched.set(view, entry);
  return entry.watch.wrap(transport);
}

// The frame as wide as the device that was chosen, by style alone.
function fit({ container }, settings) {
  const { width } = sizeOf(settings);
  container.style.width = width === undefined ? "" : `min(100%, ${width}px)`;
  container.classList.toggle("pip", settings.displayMode === "pip");
}

function show(view) {
  const entry = watched.get(view);
  const unfolded = entry.panels?.map(({ root }) => root.open) ?? [];
  entry.panels?.forEach(({ end }) => end());
  entry.settings ??= settingsOf(view.bridge.getHostContext());
  const context = contextPanel(view, entry.settings, {
    change(context, settings) {
      view.bridge.setHostContext(context); // or throws: this view has no such mode
      view.display(settings.displayMode);
      fit(view, settings);
    },
    strict(on) {
      entry.settings.strict = on;
      looking = looking.then(() => replace(view)).catch((error) => announce(error.message));
    },
  });
  entry.panels = [handshakePanel(entry.watch), policyPanel(entry.watch),
    trafficPanel(entry.watch), context, statePanel(view), recordingPanel(view, entry.watch)];
  entry.panels.forEach(({ root }, i) => { root.open = unfolded[i] ?? false; });
  const root = element("section", { className: "dev-tools", ariaLabel: `Tools for ${view.name}` },
    ...entry.panels.map(({ root }) => root));
  if (entry.root) entry.root.replaceWith(root);
  else view.container.after(root);
  entry.root = root;
  fit(view, entry.settings);
}

function forget(view) {
  const entry = watched.get(view);
  entry?.panels?.forEach(({ end }) => end());
  watched.delete(view);
}

// ---- Opened anew -------------------------------------------------------------------------

// One document takes the place of another: input, result and context stay, and what the
// view left is in the context of the new one.
async function replace(view, document_ = view.document) {
  const entry = watched.get(view);
  if (!entry) throw new Error(`${view.name} has ended: call the tool again.`);
  const { [RESTORED]: before = {}, ...context } = view.bridge.getHostContext();
  const lived = view.bridge.state === "LIVE";
  const open = await view.replace(document_, {
    leave: (bridge) => leave(bridge, (error) => announce(error.message)),
    strict: entry.settings.strict,
    context(left) {
      // A document with a mistake in it leaves nothing: the next one gets what it was given.
      const { modelContext } = before;
      const restored = !lived ? before : modelContext ? { modelContext, ...left } : left;
      return Object.keys(restored).length ? { ...context, [RESTORED]: restored } : context;
    },
  });
  // Else the person closed it meanwhile.
  if (open) announce(`${view.name} was opened anew.`);
}

async function lookAt(view) {
  if (!view.bridge) return; // it opens
  const now = await readDocument(view.client, view.uri);
  if (watched.has(view) && JSON.stringify(now) !== JSON.stringify(view.document))
    await replace(view, now);
}

// One after the other: what changes while a view is opened anew is seen afterwards.
let looking = Promise.resolve();

function look() {
  looking = looking.then(async () => {
    for (const view of [...watched.keys()])
      await lookAt(view).catch((error) =>
        announce(`${view.name} cannot be opened anew: ${error.message}`));
  });
}

// ---- Tokens ----------------------------------------------------------------------------

function warn(place, kind, tokens) {
  place.querySelector(".tokens")?.remove();
  const warning = tokenWarning(kind, tokens);
  if (warning)
    place.append(element("p", { className: `tokens note${warning.strong ? " bad" : ""}` },
      warning.text));
}

/** Joins the host page. */
export function join() {
  hooks.audit = true;
  hooks.transport.push(watchView);
  hooks.opened.push(show);
  hooks.closed.push(forget);
  hooks.answered.push((card, result) =>
    warn(card.root.querySelector(".body"), "result", tokensOfResult(result)));
  hooks.listed.push((tools) =>
    warn(find("host-tools"), "tools", tokensOfTools([...tools.values()])));
  document.addEventListener("tools-changed", look);
}
