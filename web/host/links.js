// SPDX-License-Identifier: Apache-2.0
//
// Links and files that a view hands to its host, and the features that its frame is allowed.

import { ProtocolError } from "../view/peer.js";
import { shown } from "./tools.js";

const refused = (code, message) => new ProtocolError(-32000, message, { code });

/** Throws unless the address is one that a host may open. */
export function checkLink({ url }) {
  // Without its two slashes an address of the scheme of the host's page would be a path of
  // that page's server, whatever it seems to name.
  if (!URL.canParse(url) || !/^(https?:\/\/|mailto:)/i.test(url) || /[\p{C}\s]/u.test(url))
    throw refused("LINK_REFUSED", `The link ${JSON.stringify(shown(url, 80))} was refused: ` +
      "it is no address with http:, https: or mailto:.");
}

// The last part of a path, however it is written.
function lastPart(text) {
  let name = text.replace(/[?#].*$/s, "");
  try {
    name = decodeURIComponent(name);
  } catch {
    // A lone "%" stands for itself.
  }
  name = shown(name, Infinity).replace(/^.*[/\\:]/s, "").replace(/[\n\t<>"|?*]/g, "").trim();
  return /^\.*$/.test(name) ? "download" : shown(name, 255);
}

/** The name under which a content of ui/download-file may be saved: a name, not a path. */
export const downloadName = (content) => lastPart(
  content.type === "resource" ? content.resource.uri : content.name);

/** The contents of ui/download-file; links have names without paths. */
export const safeDownloads = (params) => ({
  ...params,
  contents: params.contents.map((content) => content.type === "resource" ? content
    : { ...content, name: downloadName(content) }),
});

const FEATURES = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
};

/** The attribute `allow` of the frames of a view with these permissions. */
export const buildAllowAttribute = (permissions) => Object.keys(FEATURES)
  .filter((name) => permissions?.[name]).map((name) => FEATURES[name]).join("; ");
