// SPDX-License-Identifier: Apache-2.0
//
// What is done with an app or a collection as a whole, as rows of a card: what it is, a button,
// and what failed.
import { asks, button, card, during, element, failure, foreign, newId, note, say }
  from "./parts.js";

/** A row. `more` goes between the words and the button. */
export const setting = (title, words, pressed, wrong, ...more) =>
  element("div", { className: "setting" }, element("div", {}, element("h3", {}, title),
    note(words, "help")), ...more, pressed, wrong);

/** A card of rows. */
export function settingsCard(title, ...rows) {
  const root = card(title);
  root.querySelector(".body").replaceWith(...rows);
  return root;
}

/** Another owner. `thing` is "app" or "collection"; `act` takes the name. */
export function handOverPart(thing, act) {
  const wrong = failure();
  const name = element("input", { id: newId("owner"), autocomplete: "off", spellcheck: false });
  const pressed = button("Hand over", "", async () => {
    const owner = name.value.trim();
    if (!owner) return name.focus();
    const sure = await asks({ title: `Hand the ${thing} over?`, parts: [element("p",
      { className: "help" }, "Its owner will be ", foreign(owner, "b"), ". You keep only what " +
      "the roles give you.")], buttons: [["yes", "Hand over", "main"]] });
    if (!sure) return pressed.focus();
    return during(pressed, wrong, async () => {
      await act(owner);
      say(`The ${thing} has another owner.`);
      if (pressed.isConnected) location.hash = "";
    });
  });
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // the same key would press the first button of the question
    pressed.click();
  });
  return setting("Another owner", `Gives the ${thing} to another person: type their ` +
    "name as tokens have it.", pressed, wrong, element("div", { className: "field" },
    element("label", { htmlFor: name.id }, "New owner"), name));
}
