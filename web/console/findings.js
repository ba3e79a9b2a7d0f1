// SPDX-License-Identifier: Apache-2.0
//
// Findings about the draft while one types: those of the server's own rules. Each is shown
// at its field; all together are what a person goes through before publishing.
import * as api from "./api.js";
import { loadRules } from "./app_rules.js";
import { button, element, find, foreign, sentence } from "./parts.js";
import { at, labelOf, patchOf, placeAt, same } from "./record.js";

const WAIT_MS = 350; // after the last key

// ---- The rules in this page ------------------------------------------------------------

let loading; // promise of the rules, or of undefined: the server alone has them

/** The server's rules and widget as a module; undefined where a browser runs none. */
export function rulesHere() {
  const { rules } = find("console").dataset;
  loading ??= rules && globalThis.WebAssembly
    ? loadRules(fetch(rules)).catch((error) => void console.info(error))
    : Promise.resolve();
  return loading;
}

// {findings, effectiveBudget}
function answerHere(rules, draft) {
  try {
    return rules?.findings(JSON.stringify(draft));
  } catch (error) {
    console.info(error); // the server says what is wrong
    return undefined;
  }
}

// Findings of the page, and those of the server that the page cannot have: about tools and
// providers, as long as what they are about is the same.
function joined(here, before, unchanged) {
  const known = new Set(here.map(({ code, path }) => `${code} ${path}`));
  return [...here, ...before.filter(({ code, path, ofServer }) => ofServer &&
    unchanged(path) && !known.has(`${code} ${path}`))];
}

// ---- The list --------------------------------------------------------------------------

/** Follows a saver; `show` is called when the list, or the proposal for the tool, changes. */
export class Findings {
  list = [];
  proposal; // {toolName, toolDescription}, made of name and description by rule
  budget; // that holds for the draft: what it says, and the defaults of its behavior
  #timer;
  #asked = 0;
  #checked; // the draft that the server checked last

  constructor(saver, show) {
    this.saver = saver;
    this.show = show;
    this.list = saver.record.findings ?? [];
    this.budget = saver.record.effectiveBudget ?? {};
    saver.addEventListener("draft", () => {
      this.#checkHere().catch(console.warn);
      this.#later();
    });
  }

  get errors() {
    return this.list.filter(({ severity }) => severity === "error");
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.check(), WAIT_MS);
  }

  // At once, without the server.
  async #checkHere() {
    const rules = await rulesHere();
    if (!rules || this.#asked < 0) return;
    const { draft } = this.saver;
    const here = answerHere(rules, draft);
    if (!here) return;
    this.budget = here.effectiveBudget;
    this.set(joined(here.findings, this.list, (path) => this.#checked &&
      same(at(this.#checked, placeAt(path)), at(draft, placeAt(path)))));
  }

  /** Asks the server, which knows its tools and providers. The answer to an older draft is
   * dropped: another check follows each change. */
  async check() {
    clearTimeout(this.#timer);
    const asked = ++this.#asked;
    const { id, base, draft } = this.saver;
    const isOld = () => asked !== this.#asked || !same(draft, this.saver.draft);
    try {
      const { findings, proposal, effectiveBudget } =
        await api.check(id, patchOf(base, draft) ?? {});
      const rules = await rulesHere();
      if (isOld()) return;
      this.proposal = proposal;
      this.budget = effectiveBudget;
      this.#checked = draft;
      const here = answerHere(rules, draft)?.findings ?? [];
      const known = new Set(here.map(({ code, path }) => `${code} ${path}`));
      this.set(findings.map((one) =>
        ({ ...one, ofServer: !known.has(`${one.code} ${one.path}`) })));
    } catch (error) {
      // A draft that cannot be read is a refusal with findings; without the server the
      // last ones stay.
      if (error instanceof api.Refusal && !isOld() && error.findings.length)
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
    this.#asked = -Infinity;
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
  const found = new Map(places.map((place) => [place, []]));
  for (const finding of findings) found.get(fieldOf(places, finding))?.push(finding);
  for (const [place, some] of found) place.show(some);
}

/** Findings as a list of links to their fields; `go` leads to the one that is chosen. */
export function findingList(findings, go) {
  return element("ul", { className: "finding-list" }, ...findings.map((finding) =>
    element("li", { className: finding.severity },
      button(labelOf(placeAt(finding.path)), "quiet small", () => go(finding)), ": ",
      foreign(sentence(finding.message)))));
}
