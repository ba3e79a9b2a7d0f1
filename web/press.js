// SPDX-License-Identifier: Apache-2.0
//
// What a person presses stays below the pointer. A browser makes a click only of a press that
// begins and ends at one element, so whatever a page is told meanwhile (an answer of the server,
// the height of a view) waits until the press has ended.

const AFTER_MS = 50; // a click follows the end of a touch
const MOST_MS = 5000; // a press that is a drag, or whose end this page is not told

let ended; // a promise, while something is pressed

addEventListener("pointerdown", ({ button }) => {
  if (button !== 0) return; // another one makes no click
  ended ??= new Promise((resolve) => {
    const ends = new AbortController();
    const end = () => {
      ends.abort();
      clearTimeout(most);
      ended = undefined;
      resolve();
    };
    const most = setTimeout(end, MOST_MS);
    for (const name of ["pointerup", "pointercancel", "contextmenu", "blur"])
      addEventListener(name, () => setTimeout(end, AFTER_MS),
        { capture: true, once: true, signal: ends.signal });
  });
}, { capture: true });

/** Resolves once nothing is pressed. */
export const unpressed = async () => {
  while (ended) await ended;
};
