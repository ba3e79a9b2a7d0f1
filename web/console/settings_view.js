// SPDX-License-Identifier: Apache-2.0
//
// What is done with an app as a whole: a file of it, another owner, its end.
import * as api from "./api.js";
import { asks, button, during, element, failure, foreign, newId, note, say, saveFile }
  from "./parts.js";
import { handOverPart, setting, settingsCard } from "./setting_parts.js";

function exportPart({ saver }) {
  const wrong = failure();
  const pressed = button("Export", "", () => during(pressed, wrong, async () => {
    saveFile(`${saver.record.mcpSlug}.json`, await api.exportApp(saver.id));
    say("The file is saved.");
  }));
  return setting("Export", "The saved draft as one file of JSON, without people, prompts " +
    "and providers. “Import” on the list of apps makes a new app of it.", pressed, wrong);
}

function unpublishPart(editor) {
  const wrong = failure();
  const pressed = button("Unpublish", "", async () => {
    const sure = await asks({ title: "Unpublish the app?", parts: [note(
      "Its address answers 404 from now on, and its streams end. Versions, draft and address " +
      "are kept: publish it again at any time.", "help")],
    buttons: [["yes", "Unpublish", "main"]] });
    if (!sure) return pressed.focus();
    return during(pressed, wrong, async () => {
      editor.saver.accept(await api.unpublish(editor.saver.id));
      say("The app is unpublished.");
      await editor.show("settings");
    });
  });
  return setting("Unpublish", "Takes the app away from its clients.", pressed, wrong);
}

function deletePart(editor) {
  const { saver } = editor;
  const wrong = failure();
  const pressed = button("Delete", "danger", async () => {
    const typed = element("input", { id: newId("slug"), autocomplete: "off", spellcheck: false });
    const sure = await asks({ title: "Delete the app for good?", parts: [
      note("Draft, versions and numbers are gone, and its address answers 404. No other app " +
        "will ever have it.", "help"),
      element("div", { className: "field" }, element("label", { htmlFor: typed.id }, "Type ",
        foreign(saver.record.mcpSlug, "code"), " to be sure"), typed)],
    buttons: [["yes", "Delete", "danger"]] });
    if (!sure) return pressed.focus();
    return during(pressed, wrong, async () => {
      if (typed.value.trim() !== saver.record.mcpSlug)
        throw new api.Refusal({ message: "The name that was typed is not that of the app. " +
          "Nothing was deleted." });
      await api.remove(saver.id);
      editor.gone();
      say("The app is deleted.");
      if (pressed.isConnected) location.hash = "";
    });
  });
  return setting("Delete", "Ends the app. This cannot be undone.", pressed, wrong);
}

export function settingsView(editor) {
  const { id, record } = editor.saver;
  return [settingsCard("This app", exportPart(editor),
    ...record.status === "published" && editor.mayPublish ? [unpublishPart(editor)] : [],
    ...editor.isOwner ? [handOverPart("app", (owner) => api.handOver(id, owner)),
      deletePart(editor)] : [])];
}
