// SPDX-License-Identifier: Apache-2.0
//
// Findings about the draft while one types: those of the server's own rules. Each is shown
// at its field; all together are what a person goes through before publishing.
import * as api from "./api.js";
import { button, element, foreign, sentence } from "./parts.js";
import { labelOf, patchOf, placeAt } from "./record.js";

const WAIT_MS = 350; // after the last key

/**
 * How a draft is checked: {run(saver)} resolves to {findings, proposal}. The server knows its
 * tools and providers; rules that run in the page would answer before it and without it.
 */
export const checker = {
  run: ({ id, base, draft }) => api.check(id, patchOf(base, draft) ?? {}),
};

/** Follows a saver; `show` is called when the list, or the proposal for the tool, changes. */
export class Findings {
  list = [];
  proposal; // {toolName, toolDescription}, made of name and description by rule
  #timer;
  #asked = 0;

  constructor(saver, show) {
    this.saver = saver;
    this.show = show;
    this.list = saver.record.findings ?? [];
    saver.addEventListener("draft", () => this.#later());
  }

  get errors() {
    return this.list.filter(({ severity }) => severity === "error");
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.check(), WAIT_MS);
  }

  /** Checks now; the answer to an older draft is dropped. */
  async check() {
    clearTimeout(this.#timer);
    const asked = ++this.#asked;
    try {
      const { findings, proposal } = await checker.run(this.saver);
      if (asked !== this.#asked) return;
      this.proposal = proposal;
      this.set(findings);
    } catch (error) {
      // A draft that cannot be read is a refusal with findings; without the server the
      // last ones stay.
      if (error instanceof api.Refusal && asked === this.#asked && error.findings.length)
        this.set(error.findings);
      else if (!(error instanceof api.Unreachable || error instanceof api.Refusal)) throw error;
    }
  }

  set(list) {
    this.list = list;
    this.show();
  }

  close() {
    clearTimeout(this.#timer);
    this.#asked = -1;
  }
}

const isInside = (inner, place) => place === "" || inner === place ||
  inner.startsWith(`${place}/`);

/** The place that a finding is shown at: the innermost around its path. */
export function fieldOf(places, { path }) {
  return places.filter(({ place }) => isInside(placeAt(path), place))
    .sort((a, b) => b.place.length - a.place.length)[0];
}

/** Shows each finding at its place. */
export function showFindings(places, findings) {
  const at = new Map(places.map((place) => [place, []]));
  for (const finding of findings) at.get(fieldOf(places, finding))?.push(finding);
  for (const [place, some] of at) place.show(some);
}

/** Findings as a list of links to their fields; `go` leads to the one that is chosen. */
export function findingList(findings, go) {
  return element("ul", { className: "finding-list" }, ...findings.map((finding) =>
    element("li", { className: finding.severity },
      button(labelOf(placeAt(finding.path)), "quiet small", () => go(finding)), " ",
      foreign(sentence(finding.message)))));
}
