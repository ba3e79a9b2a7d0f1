// SPDX-License-Identifier: Apache-2.0
//
// The view's end of MCP Apps 2026-01-26, as much of it as a widget needs: it has no tools
// of its own. web/view/app.js has all of it; this is a tenth of its size.
import { PostMessageTransport } from "../view/transport.js";

const TIMEOUT_MS = 120_000; // of a request to the host
const HEARD = {
  "ui/notifications/tool-result": "result",
  "ui/notifications/tool-cancelled": "cancelled",
  "ui/notifications/host-context-changed": "context",
};

/**
 * Connects to the parent window. `heard(event, params)` is told of results, cancelled
 * calls, contexts, and the end ("teardown"). `ready` of what this returns is true once a
 * host has answered; `can` has its capabilities.
 */
export function connectBridge(appInfo, heard) {
  const transport = new PostMessageTransport();
  const waiting = new Map(); // id: what settles the request
  const send = (message) => transport.send({ jsonrpc: "2.0", ...message });
  let next = 0;
  const bridge = {
    ready: false,
    can: {},
    notify: (method, params) => send({ method, ...params && { params } }),
    request: (method, params) => new Promise((resolve, reject) => {
      const id = next++;
      const settle = (error, result) => {
        clearTimeout(timer);
        waiting.delete(id);
        if (error) reject(new Error(String(error.message)));
        else resolve(result ?? {});
      };
      const timer = setTimeout(settle, TIMEOUT_MS, { message: "The host did not answer." });
      waiting.set(id, settle);
      send({ id, method, params });
    }),
  };
  const answer = (id, method) => {
    if (method === "ui/resource-teardown") {
      bridge.ready = false;
      heard("teardown");
    } else if (method !== "ping") {
      send({ id, error: { code: -32601, message: "Method not found" } });
      return;
    }
    send({ id, result: {} });
  };
  transport.onmessage = ({ id, method, params, result, error }) => {
    if (method === undefined) waiting.get(id)?.(error, result);
    else if (id !== undefined) answer(id, method);
    else if (Object.hasOwn(HEARD, method)) heard(HEARD[method], params ?? {});
  };
  transport.start();
  bridge.request("ui/initialize", { appInfo, protocolVersion: "2026-01-26",
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } })
    .then(({ hostCapabilities, hostContext }) => {
      bridge.can = hostCapabilities ?? {};
      bridge.ready = true;
      bridge.notify("ui/notifications/initialized");
      heard("context", hostContext ?? {});
    }, () => {}); // no host is here, or one that refuses: the other ways stay
  return bridge;
}
