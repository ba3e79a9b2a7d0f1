// SPDX-License-Identifier: Apache-2.0
//
// The page that a tool brings, as a view (src/build/page.c puts this before its scripts):
// gives them the engine that they import, and connects the page to its host, unless its
// author does that.
import { callText, EngineError, makeEngine, offerEngine, runsOn } from "./engine.js";
import { start } from "./engine_start.js";
import { App } from "./view/app.js";
import { applyHostContext } from "./view/styles.js";

const facts = document.getElementById("mica-facts").textContent;
const { name, title, version, connects, ...limits } = JSON.parse(facts);

// A control that has the name of a field of the input gets its value.
function fillIn(input) {
  for (const [field, value] of Object.entries(input ?? {}))
    for (const control of document.getElementsByName(field)) {
      if (control.type === "radio" || control.type === "checkbox")
        control.checked = control.type === "radio" ? control.value === String(value)
          : value === true;
      else control.value = typeof value === "object" ? JSON.stringify(value) : value;
      control.dispatchEvent(new Event("input", { bubbles: true }));
    }
}

async function connect() {
  const app = new App({ name, title, version });
  app.ontoolinput = ({ arguments: input }) => fillIn(input);
  app.onhostcontextchanged = applyHostContext;
  await app.connect();
  applyHostContext(app.getHostContext());
}

async function begin() {
  const engine = makeEngine({ ...limits, facts }, await start());
  // In a later task: the scripts of the page have their listeners by then.
  if (connects) setTimeout(() => connect().catch(console.warn));
  return { engine: { default: engine },
    shared: { callText, EngineError, makeEngine, offerEngine, runsOn } };
}

globalThis.micaEngine = begin();
