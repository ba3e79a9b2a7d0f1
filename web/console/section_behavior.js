// SPDX-License-Identifier: Apache-2.0
//
// The section of the behavior: how a result comes to be. Fixed data need nothing; a tool
// of the server has its arguments mapped; a prompt is executed by a model.
import { area, field, findingPlace, input } from "./field.js";
import { mapRows } from "./map_rows.js";
import { unpressed } from "../press.js";
import { element, foreign, newId, segments } from "./parts.js";
import { pointerOf, put, same } from "./record.js";

const BEHAVIOR = "behavior";
const KINDS = [["data", "Fixed data"], ["tool", "A tool"], ["prompt", "A language model"]];
const HELP = {
  data: "Each call answers with the data above. A new app works this way at once.",
  tool: "Each call runs a tool of this server, with the rights of the caller.",
  prompt: "Each call is a question to a language model, by your instructions.",
};
const CALL_PLACES = [["message"], ["context"], ["context", ""]].map(pointerOf);

// Places of what a schema describes: the names of its properties, two deep.
function placesOf(schema, names = []) {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, inner]) => [
    pointerOf([...names, name]),
    ...names.length < 1 ? placesOf(inner, [...names, name]) : []]);
}

const messageField = (editor) => field(editor, { place: `${BEHAVIOR}/message`, most: 4000,
  label: "Text for the model", control: area(2),
  help: "Comes with the data of each result. May be empty." });

function mapOf(editor, name, more) {
  const place = `${BEHAVIOR}/${name}`;
  let mine = false;
  const rows = mapRows({ map: editor.saver.get(place), ...more, changed: (map) => {
    mine = true;
    editor.saver.set(place, map);
    mine = false;
  } });
  let shown = editor.saver.get(place);
  editor.shows.push(() => {
    const now = editor.saver.get(place);
    if (!mine && !same(now ?? {}, shown ?? {})) rows.fill(now);
    shown = now;
  });
  rows.append(findingPlace(editor, place, rows));
  return rows;
}

function toolParts(editor) {
  const { tools } = editor;
  const names = element("datalist", { id: newId("tools") },
    ...tools.map(({ name }) => element("option", { value: name })));
  const control = input({ spellcheck: false });
  control.setAttribute("list", names.id);
  const chosen = tools.find(({ name }) => name === editor.saver.get(`${BEHAVIOR}/tool`));
  const layout = editor.layouts.find(({ name }) => name === editor.saver.get("layoutTemplate"));
  return [
    field(editor, { place: `${BEHAVIOR}/tool`, label: "Tool of this server", control,
      help: tools.length ? "Type to choose one." : "Its name." }), names,
    mapOf(editor, "arguments", { label: "Its arguments", from: "call", sources: CALL_PLACES,
      targets: placesOf(chosen?.inputSchema) }),
    mapOf(editor, "data", { label: "What is shown", from: "result",
      sources: placesOf(chosen?.outputSchema), targets: placesOf(layout?.schema) }),
    messageField(editor)];
}

function choiceField(editor, place, label, options, otherwise) {
  const choice = segments(label, options, editor.saver.get(place) ?? otherwise,
    (value) => editor.saver.set(place, value));
  editor.shows.push(() => choice.choose(editor.saver.get(place) ?? otherwise));
  const root = element("div", { className: "field" },
    element("span", { className: "label" }, label), choice);
  root.append(findingPlace(editor, place, root, choice.querySelector("input")));
  return root;
}

// A server that does not know its providers takes any name, and says later what is wrong.
function providerField(editor) {
  const { providers } = editor;
  const place = `${BEHAVIOR}/provider`;
  const control = providers ? element("select", {},
    element("option", { value: "" }, "the server's default"),
    ...[...new Set([...providers, ...[editor.saver.get(place)].filter(Boolean)])]
      .map((name) => element("option", { value: name }, foreign(name))))
    : input({ spellcheck: false, placeholder: "the server's default" });
  return field(editor, { place, label: "Provider", control,
    help: providers?.length === 0 ? "This server has no provider of language models: let the " +
      "client execute it, or ask the operator for one." : undefined });
}

const promptParts = (editor) => [
  field(editor, { place: `${BEHAVIOR}/systemPrompt`, label: "Instructions", most: 32_000,
    control: area(6), help: "What the model shall do with a message. Callers never see it. " +
      "The layout says in which form it answers." }),
  choiceField(editor, `${BEHAVIOR}/by`, "Executed by", [["provider", "a provider",
    "A provider of language models of this server"], ["client", "the client",
    "The model of the client, by sampling"], ["any", "either",
    "The client's model where it offers one, and else the provider"]], "provider"),
  providerField(editor),
  field(editor, { place: `${BEHAVIOR}/model`, label: "Model", control:
    input({ spellcheck: false, placeholder: "the provider's default" }) })];

const PARTS = { data: (editor) => [messageField(editor)], tool: toolParts,
  prompt: promptParts };

export function behaviorSection(editor) {
  const { saver } = editor;
  const written = new Map(); // type: behavior of it, for a person who returns to it
  const inside = element("div", { className: "stack" });
  const help = element("p", { className: "help" });
  const type = () => saver.get(`${BEHAVIOR}/type`) ?? "data";
  let shown;

  const choice = segments("How a result comes to be", KINDS, type(), (next) => {
    written.set(type(), saver.get(BEHAVIOR));
    saver.replace(put(saver.draft, BEHAVIOR, written.get(next) ??
      { type: next, ...next === "prompt" &&
        { by: editor.providers?.length === 0 ? "client" : "provider" } }), BEHAVIOR);
  });

  const root = element("div", { className: "stack" }, choice, help, inside);
  root.append(findingPlace(editor, BEHAVIOR, root, choice.querySelector("input")));
  const [ownPlaces, ownShows] = [[], []];

  function show() {
    choice.choose(type());
    help.textContent = HELP[type()];
    const key = type() === "tool" ? `tool ${saver.get(`${BEHAVIOR}/tool`) ?? ""} ${
      saver.get("layoutTemplate")}` : type();
    if (shown === key || (shown?.startsWith("tool") && inside.contains(document.activeElement)
        && type() === "tool")) return;
    shown = key;
    // The fields of another kind are gone, and so is what they would show.
    editor.places = editor.places.filter((place) => !ownPlaces.includes(place));
    editor.shows = editor.shows.filter((one) => !ownShows.includes(one));
    const [places, shows] = [editor.places.length, editor.shows.length];
    inside.replaceChildren(...PARTS[type()](editor));
    ownPlaces.splice(0, ownPlaces.length, ...editor.places.slice(places));
    ownShows.splice(0, ownShows.length, ...editor.shows.slice(shows));
    editor.showFindings();
  }
  show();
  editor.shows.push(show);
  // A press elsewhere ends before its target moves.
  inside.addEventListener("focusout", () => setTimeout(() => unpressed().then(show)));
  return { title: "Behavior", id: "behavior", parts: [root] };
}
