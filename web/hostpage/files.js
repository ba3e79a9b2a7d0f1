// SPDX-License-Identifier: Apache-2.0
//
// Files that a view hands over, once the person has allowed it.
import { downloadName } from "../host/links.js";
import { bytesOf as bytesOfText, sizeOf } from "./elements.js";

const HELD_MS = 60_000; // the bytes of a file that the browser saves

function bytesOf({ text, blob }) {
  return blob === undefined ? text
    : Uint8Array.from(atob(blob), (letter) => letter.charCodeAt(0));
}

export const bytesOfBase64 = (text) => Math.floor(text.length * 3 / 4);

/** How large a content of ui/download-file is. A link does not say it. */
export const sizeOfFile = ({ type, resource }) => type !== "resource" ? "from the server"
  : sizeOf(resource.blob === undefined ? bytesOfText(resource.text)
    : bytesOfBase64(String(resource.blob)));

// A link is a resource of the server: this page loads nothing from elsewhere.
async function contentOf(content, client) {
  if (content.type === "resource") return content.resource;
  const { uri } = content;
  const { contents } = await client.request({ method: "resources/read", params: { uri } });
  if (!contents?.length) throw new Error(`The server has no file at ${uri}.`);
  return contents[0];
}

/** Saves one content of ui/download-file under a name without a path. */
export async function save(content, client) {
  const resource = await contentOf(content, client);
  // Never a type that a browser shows as a page of this origin.
  const url = URL.createObjectURL(new Blob([bytesOf(resource)],
    { type: "application/octet-stream" }));
  Object.assign(document.createElement("a"), { href: url, download: downloadName(content) })
    .click();
  setTimeout(() => URL.revokeObjectURL(url), HELD_MS);
}
