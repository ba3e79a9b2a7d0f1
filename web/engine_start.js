// SPDX-License-Identifier: Apache-2.0
//
// Starts the module that stands in the document of a view: as WebAssembly where the host
// allows that, else translated to JavaScript.
import { translate } from "./translate.js";

// The letters that the document gives to the bytes that are frequent.
const LETTERS = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => at + 32))
  .replace(/[<"\\]/g, "");
const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function moduleBytes() {
  const { textContent, dataset } = document.getElementById("mica-module");
  if (dataset.letters) { // a character for each byte; else compressed
    const bytes = fromBase64(dataset.letters);
    const byLetter = new Map([...LETTERS].map((letter, at) => [letter, bytes[at]]));
    return Uint8Array.from(textContent, (letter) =>
      byLetter.get(letter) ?? letter.charCodeAt(0) & 255);
  }
  const packed = fromBase64(textContent);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// What a policy allows is a script that stands in the document, not a text that is
// evaluated.
function runScript(source) {
  const script = document.createElement("script");
  script.textContent = `globalThis.micaModule=${source}`;
  document.head.append(script);
  script.remove();
  const made = globalThis.micaModule;
  delete globalThis.micaModule;
  if (made === undefined) throw new Error("this host runs no script that a view adds");
  return made;
}

/** What makes instances of the module in the document: {runsOn, start}. */
export async function start() {
  const bytes = await moduleBytes();
  try {
    const compiled = await WebAssembly.compile(bytes);
    return { runsOn: "wasm", start: () => new WebAssembly.Instance(compiled, {}).exports };
  } catch {
    return { runsOn: "translated", start: runScript(translate(bytes))(bytes) };
  }
}
