// SPDX-License-Identifier: Apache-2.0
//
// What the page says of the way of the draft to the server, for each state of saver.js.
import { Refusal } from "./api.js";
import { button, element, foreign, say, sentence } from "./parts.js";

const WORDS = {
  saved: ["Saved", "good"],
  edited: ["Not saved yet", ""],
  saving: ["Saving…", ""],
  offline: ["Kept on this device", "warn"],
  refused: ["Not saved", "bad"],
  conflict: ["Changed elsewhere", "bad"],
  ended: ["Not saved", "bad"],
};

/** The word beside the buttons. */
export function saveChip(saver) {
  const chip = element("span", { className: "save-state" });
  let before;
  const show = () => {
    const [words, tone] = WORDS[saver.state];
    chip.textContent = words;
    chip.dataset.tone = tone;
    // Every key leads through three states; screen readers are told of those that matter.
    if (saver.state !== before && /^(offline|refused|conflict|ended)$/.test(saver.state))
      say(words);
    if (saver.state === "saved" && /^(offline|refused|conflict)$/.test(before)) say(words);
    before = saver.state;
  };
  saver.addEventListener("state", show);
  show();
  return chip;
}

const retry = (saver) => button("Try again", "small", () => saver.flush().catch(console.warn));

function wordsOf(saver) {
  const { state, error, kept } = saver;
  if (!kept && saver.unsaved)
    return ["This device has no room for unsaved changes: do not close the page before they " +
      "are saved.", retry(saver)];
  if (state === "offline")
    return [error instanceof Refusal ? foreign(sentence(error.message))
      : "The server cannot be reached. Your changes are kept on this device, and are sent " +
        "when it is back.", retry(saver)];
  if (state === "refused" && error?.status === 401)
    return ["You are signed out. Your changes are kept on this device: sign in, and they are " +
      "saved.", element("a", { href: location.pathname, className: "button small" }, "Sign in")];
  if (state === "refused")
    return ["Not saved, but kept on this device: ", foreign(sentence(error?.message ?? "")),
      retry(saver)];
  if (state === "ended")
    return ["The app was deleted, or it is no longer yours to see. Your changes are on this " +
      "device alone."];
  return undefined;
}

/** The note that says what is kept where, and what to do; hidden while all is well. */
export function saveNote(saver) {
  const root = element("div", { className: "note bad save-note", hidden: true });
  const show = () => {
    const words = wordsOf(saver);
    root.hidden = !words;
    root.replaceChildren(...words ?? []);
  };
  saver.addEventListener("state", show);
  show();
  return root;
}
