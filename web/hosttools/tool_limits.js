// SPDX-License-Identifier: Apache-2.0
//
// What the tools for developers of views keep of one view. Each number has a row in
// docs/limits.md.

export const limits = {
  messages: 1000, // in the log of one view
  shownSize: 65_536, // characters that the log keeps of one message
  logSize: 8_388_608, // characters of all of them
  open: 512, // requests whose replies the log awaits
  recorded: 2000, // messages of a recording
  recordingSize: 16_777_216, // characters of its file
  replyMs: 5000, // beyond the recorded time, until a view has sent its next message
  settleMs: 300, // after the last one, in which a view may send no other
  loadMs: 10_000, // until the frame of a view has loaded
  violations: 100, // of a policy that are told of one document; as in proxy.js
  missingMs: 5000, // until a step of the handshake counts as missing
  restoredSize: 262_144, // characters of what a view hands to the document that replaces it
  tokensMany: 5000, // in a result or a list of tools: a warning …
  tokensTooMany: 20_000, // … and a stronger one
};
