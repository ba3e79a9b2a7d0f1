// SPDX-License-Identifier: Apache-2.0
//
// The sandbox proxy: the one script of the document between a host and a view. It is a
// classic script, which stands in its document; the document's policy is the view's, and
// the frame of the view inherits it. The proxy makes that frame and passes messages on. It
// asks nothing itself. Both directions check the window and its origin.
(() => {
  "use strict";

  const READY = "ui/notifications/sandbox-proxy-ready";
  const RESOURCE = "ui/notifications/sandbox-resource-ready";
  const OURS = "ui/notifications/sandbox-"; // never passed on

  // What the frame of a view may be allowed. Never among them: popups, downloads, dialogs,
  // navigation of the top.
  const TOKENS = ["allow-scripts", "allow-forms", "allow-same-origin", "allow-pointer-lock"];
  const FEATURES = { camera: "camera", microphone: "microphone", geolocation: "geolocation",
    clipboardWrite: "clipboard-write" };

  const stop = (why) => {
    document.body.textContent = why;
    throw new Error(why);
  };

  if (window === window.top) stop("This page shows a view inside of a host.");
  try {
    void window.top.document;
    stop("The host has the origin of its sandbox: the view would not be kept apart.");
  } catch (error) {
    if (error.name !== "SecurityError") throw error;
  }
  if (!document.referrer)
    stop('The host is unknown: its frame needs referrerpolicy="origin".');

  const host = new URL(document.referrer).origin;
  let view; // its frame
  let origin; // of its messages

  function load({ html, sandbox = "allow-scripts allow-forms", permissions = {} }) {
    const tokens = TOKENS.filter((token) => sandbox.split(/\s+/).includes(token));
    const same = tokens.includes("allow-same-origin");
    view?.remove();
    view = document.createElement("iframe");
    view.setAttribute("sandbox", tokens.join(" "));
    view.allow = Object.keys(FEATURES).filter((name) => permissions[name])
      .map((name) => FEATURES[name]).join("; ");
    origin = same ? location.origin : "null";
    if (!same) view.srcdoc = html;
    document.body.append(view);
    if (!same) return;
    // With the proxy's origin the view has storage, as views of the reference host do.
    view.contentDocument.open();
    view.contentDocument.write(html);
    view.contentDocument.close();
  }

  window.addEventListener("message", ({ source, origin: sender, data }) => {
    const method = data?.jsonrpc === "2.0" ? String(data.method) : OURS;
    if (source === window.parent && sender === host) {
      if (method === RESOURCE) load(data.params);
      else if (!method.startsWith(OURS))
        view?.contentWindow.postMessage(data, origin === "null" ? "*" : origin);
    } else if (view && source === view.contentWindow && sender === origin) {
      if (!method.startsWith(OURS)) window.parent.postMessage(data, host);
    }
  });

  window.parent.postMessage({ jsonrpc: "2.0", method: READY, params: {} }, host);
})();
