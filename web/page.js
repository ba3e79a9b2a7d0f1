// SPDX-License-Identifier: Apache-2.0
//
// Brings a page to life: the part that it needs, the search of its bar, and the
// worker that keeps it for times without a network.
import { below } from "./ask.js";

const find = (id) => document.getElementById(id);

// The worker keeps what this page has loaded, the page itself included.
async function keep() {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(below("sw.js"));
  const { active } = await navigator.serviceWorker.ready;
  const loaded = performance.getEntriesByType("resource")
    .map(({ name }) => name)
    .filter((name) => name.startsWith(below("")));
  // It comes with the first error, when there may be no network.
  active.postMessage({ keep: [location.href, ...loaded, below("web/form_error.js")] });
}

// "/" leads to the search, where no field has the keyboard.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey ||
      event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  find("query")?.focus();
});

// The tools are being written (mica dev).
const dev = "dev" in document.documentElement.dataset
  ? import("./dev.js") : undefined;
if (find("tool")) await (await import("./tool.js")).begin(find("tool"), dev);
else if (find("found")) (await import("./catalog.js")).begin();
else if (find("inspect")) (await import("./inspect.js")).begin();
else if (find("host")) await (await import("./hostpage/page.js")).begin();
else if (find("console")) await (await import("./console/console.js")).begin();
else if (find("call")) await (await import("./call.js")).ready;
else if (find("connect")) (await import("./connect.js")).begin();
document.documentElement.dataset.ready = "";
(await dev)?.follow();
keep().catch(console.warn);
