// SPDX-License-Identifier: Apache-2.0
//
// The versions of an app: when each was published, how two differ, and the way back.
import * as api from "./api.js";
import { asks, button, card, during, element, failure, newId, note, say, when }
  from "./parts.js";
import { placeAt, same } from "./record.js";
import { changeList } from "./words_difference.js";

const DRAFT = 0; // stands for the draft among the versions

function versionSelect(label, versions, chosen) {
  const control = element("select", { id: newId("version") },
    ...[[DRAFT, "the draft"], ...versions.map(({ version }) => [version, `version ${version}`])]
      .map(([value, words]) => element("option", { value: String(value),
        selected: value === chosen }, words)));
  return [element("span", {}, element("label", { htmlFor: control.id }, label), control), control];
}

function differencePart(id, versions) {
  const newest = versions[0].version;
  const before = versions[1]?.version;
  const [fromPart, from] = versionSelect("From", versions, before ?? newest);
  const [toPart, to] = versionSelect("to", versions, before ? newest : DRAFT);
  const wrong = failure();
  const shown = element("div", {});
  const compare = () => during(from, wrong, async () => {
    let pair, changes;
    do { // until they are those that are chosen by then
      pair = [from.value, to.value];
      ({ changes } = await api.difference(id, ...pair));
    } while (!same(pair, [from.value, to.value]));
    shown.replaceChildren(changeList(changes.map(({ path, ...change }) =>
      ({ place: placeAt(path), ...change }))));
    say(`${changes.length} differences.`);
  });
  from.addEventListener("change", compare);
  to.addEventListener("change", compare);
  const root = card("Differences",
    element("div", { className: "from-to" }, fromPart, toPart), wrong, shown);
  root.compare = (a, b) => {
    from.value = String(a);
    to.value = String(b);
    root.scrollIntoView({ block: "nearest" });
    return compare();
  };
  compare();
  return root;
}

async function rollBack(editor, version, pressed, wrong) {
  const sure = await asks({ title: `Roll back to version ${version}?`, parts: [
    note("A new version with the content of that one is published. The address stays the " +
      "same, and so does your draft.", "help")],
  buttons: [["yes", `Roll back to version ${version}`, "main"]] });
  if (!sure) return pressed.focus();
  return during(pressed, wrong, async () => {
    const app = await api.rollback(editor.saver.id, version);
    editor.saver.accept(app);
    say(`Version ${app.publishVersion} is published, with the content of version ${version}.`);
    await editor.show("history");
  });
}

function row(editor, { version, publishedAt, current }, older, comparison, wrong) {
  const compare = button(older ? `Compare with ${older}` : "Compare with the draft", "small",
    () => comparison().compare(...older ? [older, version] : [version, DRAFT]));
  const back = button("Roll back", "small", () => rollBack(editor, version, back, wrong));
  back.ariaLabel = `Roll back to version ${version}`;
  compare.ariaLabel = `${compare.textContent}: version ${version}`;
  back.hidden = current || !editor.mayPublish;
  return element("li", {}, element("b", {}, `Version ${version}`),
    current ? element("span", { className: "chip live" }, "published") : "",
    when(publishedAt), element("span", { className: "right actions" }, compare, back));
}

export async function historyView(editor) {
  const wrong = failure();
  const { versions, next } = await api.versions(editor.saver.id);
  if (versions.length === 0)
    return [note("There is no version yet. Each publish makes one, and it never changes.")];
  let comparison;
  const list = element("ol", { className: "versions" });
  const add = (some) => {
    list.append(...some.map((one, at) => row(editor, one, some[at + 1]?.version,
      () => comparison, wrong)));
  };
  add(versions);
  let before = next;
  const more = button("Older versions", "small", () => during(more, wrong, async () => {
    const page = await api.versions(editor.saver.id, before);
    add(page.versions);
    before = page.next;
    more.hidden = !before;
  }));
  more.hidden = !before;
  comparison = differencePart(editor.saver.id, versions);
  const root = card("Versions", wrong);
  root.append(list, more);
  return [root, comparison];
}
