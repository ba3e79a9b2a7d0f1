// SPDX-License-Identifier: Apache-2.0
//
// Another person saved the app meanwhile: what they changed, and a choice for each place that
// both changed.
import { button, card, element, foreign, note, segments } from "./parts.js";
import { draftOf, labelOf } from "./record.js";
import { changeList } from "./words_difference.js";

const short = (value) => {
  const text = value === undefined ? "(nothing)" : typeof value === "string" ? value
    : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
};

function rival({ place, mine, theirs }, choose) {
  return element("div", { className: "rival" }, element("b", {}, foreign(labelOf(place))),
    segments(`${labelOf(place)}: which one?`, [["mine", "Mine"], ["theirs", "Theirs"]], "mine",
      choose),
    element("dl", {}, element("dt", {}, "Mine"), element("dd", {}, foreign(short(mine))),
      element("dt", {}, "Theirs"), element("dd", {}, foreign(short(theirs)))));
}

/** The part that shows a conflict of the saver and ends it. */
export function conflictPart(saver) {
  const chosen = new Map(); // place: "mine" or "theirs"
  const { both, others } = saver.conflict();
  const wins = (place) => chosen.get(place) !== "theirs";
  const root = card("Changed elsewhere",
    note("This app was saved in another place since you opened it. Your changes are kept on " +
      "this device until you choose.", "help"),
    element("h3", {}, "What was saved there"), changeList(others),
    ...both.length ? [element("h3", {}, "Both of you changed"),
      ...both.map((one) => rival(one, (value) => chosen.set(one.place, value)))] : [],
    element("div", { className: "actions" },
      button(both.length ? "Save with these choices" : "Keep both", "main",
        () => saver.resolve(saver.conflict(wins).merged)),
      button("Drop my changes", "", () => saver.resolve(draftOf(saver.theirs)))));
  root.classList.add("conflict");
  return root;
}
