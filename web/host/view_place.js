// SPDX-License-Identifier: Apache-2.0
//
// The place of a view that has an origin of its own, for devices that browsers give to no
// opaque origin. This is the one script of a document under another name than the proxy's: it takes
// the view's document from the proxy and becomes it. Its policy stays, as a header. The view
// shares its name with nothing, and reaches nothing of the proxy.
(() => {
  "use strict";

  const { origin: proxy } = new URL(location.href.replace(/\/\/[^.]*/,
    `//${new URLSearchParams(location.search).get("proxy")}`));
  const place = crypto.randomUUID(); // a view that was here before does not know it
  const take = ({ source, origin, data }) => {
    if (source !== window.parent || origin !== proxy || data?.place !== place) return;
    window.removeEventListener("message", take);
    document.open();
    document.write(data.document);
    document.close();
  };
  window.addEventListener("message", take);
  window.parent.postMessage({ place, address: location.origin + location.pathname +
    location.search }, proxy);
})();
