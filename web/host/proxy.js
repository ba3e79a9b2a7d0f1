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
  const STOPPED = "ui/notifications/sandbox-view-stopped";
  const VIOLATION = "ui/notifications/sandbox-policy-violation";
  const OURS = "ui/notifications/sandbox-"; // never passed on

  // As in limits.js. The proxy has a thread of its own: a view that floods is stopped here,
  // and neither the host nor another view waits for its messages.
  const RATE = 1000, BURST = 1000, REFUSED = 1000;

  // Violations of the policy that are told of one document, and characters of an address.
  const VIOLATIONS = 100, ADDRESS = 2048;
  // A large message counts as one for each WEIGHT characters, up to the most that a host
  // takes (`size` in web/view/peer.js).
  const WEIGHT = 32768, MOST = 16 << 20;

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
  // The name where the view's document is, if it has one (view_place.js).
  const viewName = new URLSearchParams(location.search).get("view");
  let view; // its frame
  let origin; // of its messages
  let given; // the document, for the place of the view

  // ---- The audit of the policy, where a host asks for it

  let secret; // of the reporter in the view; undefined: no audit
  let reports; // that are left

  const reportOf = (event, most) => ({ directive: event.effectiveDirective,
    blocked: event.blockedURI.slice(0, most), source: event.sourceFile.slice(0, most),
    line: event.lineNumber, column: event.columnNumber });

  // Runs in the view, before its own scripts. They do not learn the secret, for the script
  // that has it leaves the document; and an event that they make is not trusted.
  function reporter(secret, most, left, reportOf) {
    const post = parent.postMessage.bind(parent);
    document.currentScript.remove();
    addEventListener("securitypolicyviolation", (event) => {
      if (event.isTrusted && left-- > 0) post({ secret, report: reportOf(event, most) }, "*");
    }, true);
  }

  // Where the doctype ends, which only comments may precede; 0 without one.
  function doctypeEnd(html) {
    let at = 0;
    const skip = () => { while (/\s/.test(html[at] ?? "")) at++; };
    for (skip(); html.startsWith("<!" + "--", at); skip()) { // in one piece it would begin
      const end = /--!?>/g;                                  // a comment of this document
      end.lastIndex = at + 2;
      if (!end.test(html)) return 0;
      at = end.lastIndex;
    }
    return /^<!doctype/i.test(html.slice(at, at + 9)) ? html.indexOf(">", at) + 1 : 0;
  }

  // Behind the doctype: before it, it would change the layout of a document that is written.
  // And in the line of the doctype, so that lines keep their numbers.
  function withReporter(html) {
    const call = `(${reporter})("${secret}", ${ADDRESS}, ${VIOLATIONS}, ${reportOf})`;
    const at = doctypeEnd(html);
    return `${html.slice(0, at)}<${"script"}>${call.replace(/\n\s*/g, " ")}</${"script"}>${
      html.slice(at)}`;
  }

  // A view may put functions of its own in the place of those that its reporter calls, so what
  // that tells is as little to be trusted as the view: it is bounded here.
  const text = (value) => typeof value === "string" ? value.slice(0, ADDRESS) : "";
  const place = (value) => Number.isInteger(value) ? value : 0;
  const violated = (report) => {
    const { directive, blocked, source, line, column } = report ?? {};
    if (reports-- > 0)
      tell(VIOLATION, { directive: text(directive), blocked: text(blocked), source: text(source),
        line: place(line), column: place(column) });
  };

  // What the policy forbids this document: frames that the view's frame goes to.
  document.addEventListener("securitypolicyviolation", (event) =>
    secret && violated(reportOf(event, ADDRESS)));

  // ---- The view

  function load({ html, sandbox = "allow-scripts allow-forms", permissions = {}, audit }) {
    const tokens = TOKENS.filter((token) => sandbox.split(/\s+/).includes(token));
    const same = tokens.includes("allow-same-origin");
    view?.remove();
    view = document.createElement("iframe");
    view.setAttribute("sandbox", tokens.join(" "));
    view.allow = Object.keys(FEATURES).filter((name) => permissions[name])
      .map((name) => FEATURES[name]).join("; ");
    origin = same ? location.origin : "null";
    secret = audit === true ? crypto.getRandomValues(new Uint32Array(4)).join("-") : undefined;
    reports = VIOLATIONS;
    if (secret) html = withReporter(html);
    given = html;
    if (viewName) {
      showAt(viewName);
    } else if (!same) view.srcdoc = html;
    document.body.append(view);
    if (!same || viewName) return;
    // With the proxy's origin the view has storage, as views of the reference host do.
    view.contentDocument.open();
    view.contentDocument.write(html);
    view.contentDocument.close();
  }

  // The document comes from another name than the proxy's: with its origin the view reaches
  // nothing but itself.
  function showAt(name) {
    const address = new URL(location);
    address.hostname = `${name}.${location.hostname.replace(/^[^.]*\./, "")}`;
    address.searchParams.delete("view");
    address.searchParams.set("proxy", location.hostname.split(".", 1)[0]);
    ({ origin } = address);
    view.sandbox.add("allow-same-origin");
    view.src = address;
  }

  let tokens = BURST;
  let since = performance.now();
  let refused = 0; // messages since the bucket was full

  const send = (message) => view.contentWindow.postMessage(message, origin === "null" ? "*"
    : origin);
  const tell = (method, params) =>
    window.parent.postMessage({ jsonrpc: "2.0", method, params }, host);

  // What a message weighs, as asJson counts. A view sends anything that can be cloned, so a
  // cycle ends at MOST, and bytes count that are no JSON.
  function weigh(message) {
    const waiting = [];
    let size = 0;
    const take = (value) => {
      size += 8;
      if (typeof value === "string") size += value.length;
      else if (typeof value === "object" && value !== null) waiting.push(value);
      return size < MOST;
    };
    take(message);
    while (waiting.length > 0 && size < MOST) {
      const value = waiting.pop();
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) size += value.byteLength;
      else if (value instanceof String) size += value.length;
      else if (value instanceof Map || value instanceof Set || Array.isArray(value)) {
        for (const item of value) if (!take(item)) break;
      } else for (const name of Object.keys(value)) {
        size += name.length;
        if (!take(value[name])) break;
      }
    }
    return Math.min(size, MOST);
  }

  // Whether a message of the view may pass; a request that may not gets an error.
  function admit(message) {
    const { id, method } = message;
    const now = performance.now();
    tokens = Math.min(BURST, tokens + (now - since) * RATE / 1000);
    since = now;
    if (tokens >= BURST) refused = 0;
    if (tokens >= 1) {
      tokens -= 1 + Math.floor(weigh(message) / WEIGHT); // below zero, too: it pays later
      return true;
    }
    const why = `A view may send ${RATE} messages a second, of which a large one is many; ` +
      "this one sends more.";
    if (++refused > REFUSED) {
      view.remove();
      view = undefined;
      document.body.append("This view was stopped: it sent more messages than a host takes.");
      tell(STOPPED, { reason: why });
    } else if (method !== undefined && id !== undefined) {
      send({ jsonrpc: "2.0", id,
        error: { code: -32000, message: why, data: { code: "RATE_LIMITED" } } });
    }
    return false;
  }

  window.addEventListener("message", ({ source, origin: sender, data }) => {
    const method = data?.jsonrpc === "2.0" ? String(data.method) : OURS;
    if (source === window.parent && sender === host) {
      if (method === RESOURCE) load(data.params);
      else if (view && !method.startsWith(OURS)) send(data);
    } else if (view && source === view.contentWindow && sender === origin) {
      // A place with another address has another policy: a view that goes there is gone. The
      // word of a place is known to it alone, so the document reaches no other one.
      if (viewName && data?.place !== undefined) {
        if (data.address === view.src)
          view.contentWindow.postMessage({ place: data.place, document: given }, origin);
        return undefined;
      }
      if (secret && data?.secret === secret) return violated(data.report);
      if (admit(data ?? {}) && !method.startsWith(OURS)) window.parent.postMessage(data, host);
    }
    return undefined;
  });

  tell(READY, {});
})();
