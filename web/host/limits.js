// SPDX-License-Identifier: Apache-2.0
//
// What one view may take of its host. Each number has a row in docs/limits.md.
// Written by scripts/view-protocol from src/view/view_protocol.c.

export const limits = {
  queued: 1024, // messages that wait until the view is initialized
  tools: 50, // tools of one view
  toolSize: 65536, // characters of one tool of a view, with its schemas
  toolName: 128, // characters of its name
  toolText: 4096, // characters of one text of such a tool; longer ones are cut
  callMs: 30000, // of a call to a tool of a view
  resultSize: 10000000, // characters of its result
  teardownMs: 2000, // for a view to end
  rate: 1000, // messages a second that a view may send …
  burst: 1000, // … and at once; as in proxy.js
  refused: 1000, // messages beyond that before the bridge closes; as in proxy.js
  changedMs: 50, // between two events "toolschanged"
  listedMs: 1000, // between two reads of the server's tools for names that are not there
  pages: 100, // of the server's list of tools
};
