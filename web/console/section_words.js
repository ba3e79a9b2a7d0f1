// SPDX-License-Identifier: Apache-2.0
//
// The sections of words: what people read of an app, and what a model reads of its tool.
import { area, field, input } from "./field.js";
import { button, element, foreign } from "./parts.js";

export const nameSection = (editor) => ({ title: "Name", id: "name", parts: [
  field(editor, { place: "name", label: "Name", most: 100, control: input(),
    help: "For people. The address stays when it changes.",
    kind: { read: (text) => text, write: (value) => value ?? "" } }),
  field(editor, { place: "description", label: "Description", most: 2000, control: area(2),
    help: "A sentence or two for people who look at the app." })] });

// What stands in a model's list of tools.
function asModelsSee(editor) {
  const name = element("code"), words = element("p");
  const root = element("figure", { className: "as-model" },
    element("figcaption", { className: "help" }, "What a model reads"), name, words);
  const show = () => {
    name.replaceChildren(foreign(editor.saver.get("toolName") ?? "no name yet"));
    words.replaceChildren(foreign(editor.saver.get("toolDescription") ??
      "no description yet"));
  };
  editor.shows.push(show);
  show();
  return root;
}

// What the server would call the tool, where it is called otherwise.
function proposalPart(editor) {
  const { saver } = editor;
  const name = element("code"), words = element("p");
  const root = element("figure", { className: "as-model", hidden: true },
    element("figcaption", { className: "help" }, "A proposal, made of name and description"),
    name, words, button("Use it", "small", () => {
      const { proposal } = editor.findings;
      saver.replace({ ...saver.draft, ...proposal }, "proposal");
      editor.focusOn("toolName");
    }));
  const show = () => {
    const { toolName, toolDescription } = editor.findings.proposal ?? {};
    root.hidden = !toolName || (saver.get("toolName") && saver.get("toolDescription"));
    name.replaceChildren(foreign(toolName ?? ""));
    words.replaceChildren(foreign(toolDescription ?? ""));
  };
  editor.shows.push(show);
  editor.onFindings.push(show);
  show();
  return root;
}

export const toolSection = (editor) => ({ title: "Tool", id: "tool", parts: [
  field(editor, { place: "toolName", label: "Tool name", most: 64,
    control: input({ spellcheck: false, autocapitalize: "none" }),
    help: "A verb and what it acts on, like get_order_status." }),
  field(editor, { place: "toolDescription", label: "Tool description", most: 4000,
    control: area(4),
    help: "What the tool does, when to use it, and what it needs to know. The model decides " +
      "by these words." }),
  proposalPart(editor), asModelsSee(editor)] });
