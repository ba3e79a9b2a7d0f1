// SPDX-License-Identifier: Apache-2.0
//
// Keeps what was loaded once, so that pages and engines work without a network.
// What is named by the hash of its bytes never changes; all else is asked for
// anew while there is a network. Calls are never kept.

// It lies at the root of the server, wherever a proxy shows that.
const ROOT = new URL("./", self.location).pathname;

// Caches belong to an origin, which several servers may share behind a proxy: each has
// caches that bear its root.
const OURS = ROOT === "/" ? "mica-" : `mica ${ROOT} `;
const CACHE = `${OURS}3`;

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys())
    if (name.startsWith(OURS) && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
})()));

const isBelow = (pathname, folders) => pathname.startsWith(ROOT) &&
  folders.includes(pathname.slice(ROOT.length).match(/^(.*?)\//)?.[1]);
const isKept = ({ pathname }) => pathname === ROOT || pathname === `${ROOT}console` ||
  isBelow(pathname, ["engines", "tools", "web"]);
// On the page of a tool "v" is an input of that name.
const isNamed = ({ pathname, searchParams }) =>
  isBelow(pathname, ["engines", "web"]) && searchParams.has("v");

// A page is the same whatever input stands in its query.
const keyOf = (url) =>
  isNamed(url) ? url.href : url.origin + url.pathname;

const find = async (url) => (await caches.open(CACHE)).match(keyOf(url));

// A page with the name of a person who is signed in is kept nowhere.
const mayKeep = ({ headers }) =>
  !(headers.get("cache-control") ?? "").includes("no-store");

// Read whole first: a network that ends in the middle takes nothing away that is kept.
async function put(url, response) {
  const { status, statusText, headers } = response;
  const whole = new Response(await response.arrayBuffer(),
    { status, statusText, headers });
  const cache = await caches.open(CACHE);
  if (isNamed(url))
    for (const { url: other } of await cache.keys())
      if (new URL(other).pathname === url.pathname && other !== url.href)
        await cache.delete(other);
  await cache.put(keyOf(url), whole);
}

async function answer(request, url) {
  const kept = await find(url);
  if (kept && isNamed(url)) return kept;
  try {
    const response = await fetch(request);
    if (response.ok && mayKeep(response)) await put(url, response.clone());
    return response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method === "GET" && url.origin === self.location.origin &&
      isKept(url))
    event.respondWith(answer(event.request, url));
});

// A page says what it has loaded before this worker was there.
self.addEventListener("message", (event) => event.waitUntil(Promise.all(
  (event.data.keep ?? []).map(async (name) => {
    const url = new URL(name);
    if (!isKept(url) || await find(url)) return;
    const response = await fetch(keyOf(url));
    if (response.ok && mayKeep(response)) await put(url, response);
  }))));
