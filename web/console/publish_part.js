// SPDX-License-Identifier: Apache-2.0
//
// Publishing: first all is saved, then what forbids it is listed with links to the fields,
// and then the person says yes to what will be reachable by whom.
import * as api from "./api.js";
import { findingList } from "./findings.js";
import { urlOf } from "./connect_view.js";
import { asks, element, foreign, note, say, sentence } from "./parts.js";
import { WHO_CALLS } from "./record.js";

const MOST_HINTS = 3; // in the question

/** What a draft still lacks, as a part of the page; `go` leads to a field. */
export function lackPart(findings, go) {
  const root = element("section", { className: "note bad lacks", tabIndex: -1 },
    element("h2", {}, "It cannot be published yet"), findingList(findings, go));
  root.ariaLabel = "What forbids publishing";
  return root;
}

// What a person may want to mend before: it forbids nothing.
function hintList(findings) {
  const hints = findings.filter(({ severity }) => severity === "warning");
  return element("ul", { className: "findings", hidden: hints.length === 0 },
    ...hints.slice(0, MOST_HINTS).map(({ message }) =>
      element("li", { className: "warning" }, foreign(sentence(message)))),
    ...hints.length > MOST_HINTS ? [element("li", {},
      `and ${hints.length - MOST_HINTS} more at their fields`)] : []);
}

async function confirm({ record, draft }, findings) {
  const first = record.publishVersion === 0;
  return asks({ title: first ? "Publish the app?" : `Publish version ${record.publishVersion + 1}?`,
    parts: [element("p", {}, "It answers at ", foreign(urlOf(record), "code"), "."),
      note(WHO_CALLS[draft.visibility ?? "public"], "help"),
      first ? "" : note("Clients keep the address. A call that has begun ends as it began.",
        "help"), hintList(findings)],
    buttons: [["yes", "Publish", "main"]] });
}

/**
 * Publishes the draft of an editor. Resolves to the record, or undefined: it was not
 * published, and the page says why.
 */
export async function publish(editor) {
  const { saver, findings } = editor;
  if (!await saver.flush()) return undefined; // the state of saving says why
  await findings.check();
  if (findings.errors.length > 0) {
    editor.lacks(findings.errors);
    return undefined;
  }
  editor.lacks([]);
  if (!await confirm(saver, findings.list)) return undefined;
  try {
    const record = await api.publish(saver.id, saver.revision);
    saver.accept(record);
    say(`Version ${record.publishVersion} is published.`);
    return record;
  } catch (error) {
    if (!(error instanceof api.Refusal) || error.findings.length === 0) throw error;
    findings.set(error.findings);
    editor.lacks(error.findings.filter(({ severity }) => severity === "error"));
    return undefined;
  }
}
