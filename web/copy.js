// SPDX-License-Identifier: Apache-2.0
//
// Puts a text where other programs find it.

export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Where pages are not served over TLS there is only the old way.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("this browser does not let pages copy");
}
