// SPDX-License-Identifier: Apache-2.0
//
// The frame of a view in a host's page: the sandbox proxy on an origin of its own, and the
// transport to it.

import { buildAllowAttribute } from "./links.js";

/**
 * Messages to and from a frame, of whose window and origin each message must be. The frame
 * is removed when the transport closes.
 */
export class FrameTransport {
  onmessage;
  onerror;
  onclose;
  #frame;
  #origin;
  #listener;

  constructor(frame, origin) {
    this.#frame = frame;
    this.#origin = origin;
  }

  async start() {
    this.#listener ??= ({ data, source, origin }) => {
      if (source === this.#frame.contentWindow && origin === this.#origin &&
          data?.jsonrpc === "2.0") this.onmessage?.(data);
    };
    window.addEventListener("message", this.#listener);
  }

  // An origin that is equal to no other has no address: the frame itself is the address. What
  // it shows is decided by the policy of this page (frame-src).
  send(message) {
    this.#frame.contentWindow?.postMessage(message, this.#origin === "null" ? "*" : this.#origin);
  }

  async close() {
    if (!this.#listener) return;
    window.removeEventListener("message", this.#listener);
    this.#listener = undefined;
    this.#frame.remove();
    this.onclose?.();
  }
}

const needsOrigin = (permissions) => permissions?.camera || permissions?.microphone;

/**
 * Opens a view in `container`: `html` in a frame of the proxy at the address `proxy`, which
 * is on another origin than this page and which sends the policy for `csp`. `sandbox` are
 * the tokens of the view's own frame; with "allow-same-origin" it has the proxy's origin,
 * else one of its own. Connects the bridge; resolves to the frame, which is removed when
 * the bridge closes. A frame must not be moved in its page: that would load it again.
 * `wrap` makes the transport that the bridge gets of the one to the frame, so that a host
 * may record what passes. With `audit` the proxy tells what the policy has blocked.
 *
 * `viewName` is another name of the sandbox of mica, of which nothing else is or was served: the
 * label before ".localhost". There a view is that may use camera or microphone, which browsers
 * give to no opaque origin. It has an origin of its own then, and not the proxy's.
 *
 * With `opaque` the proxy may be on the origin of this page: its frame gets an origin that is
 * equal to no other. The view is as far from the page, but a browser may run both in one
 * process, so this is for documents that the host's own server wrote; and the page needs a
 * policy that lets frames go nowhere else (frame-src 'self').
 */
export async function openView(bridge, { container, proxy, viewName, html, csp, permissions, sandbox,
  wrap = (transport) => transport, audit, opaque = false }) {
  const address = new URL(proxy, location.href);
  if (!opaque && address.origin === location.origin)
    throw new Error("The sandbox proxy must have another origin than its host: " +
      `${address.origin} has not.`);
  if (csp) address.searchParams.set("csp", JSON.stringify(csp));
  if (viewName && needsOrigin(permissions)) address.searchParams.set("view", viewName);
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", opaque ? "allow-scripts allow-forms"
    : "allow-scripts allow-same-origin allow-forms");
  frame.allow = buildAllowAttribute(permissions);
  frame.referrerPolicy = "origin"; // by which the proxy knows its host
  bridge.addEventListener("sandboxready", () => bridge.sendSandboxResourceReady(
    { html, sandbox, csp, permissions, audit }).catch((error) => bridge.report(error)));
  await bridge.connect(wrap(new FrameTransport(frame,
    opaque ? "null" : address.origin)));
  frame.src = address;
  container.append(frame);
  return frame;
}
