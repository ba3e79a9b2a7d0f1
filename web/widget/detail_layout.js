// SPDX-License-Identifier: Apache-2.0
//
// Everything about one thing: its steps, then its sections.
import { element, facts, objects, paragraphs, picture, textElement, textOf }
  from "./widget_elements.js";
import { moment } from "./widget_format.js";

const STATES = { done: "Done", current: "Now", next: "Next" };

function step(one) {
  const state = Object.hasOwn(STATES, one.state) ? one.state : "next";
  const time = textOf(one.time);
  return element("li", { className: state, ...state === "current" && { ariaCurrent: "step" } },
    element("span", { className: "unseen" }, `${STATES[state]}: `),
    element("strong", {}, textOf(one.title)), textElement("span", "time", moment(time)),
    textElement("p", "more", one.text));
}

export function render(data) {
  const steps = objects(data.steps, 20), sections = objects(data.sections, 12);
  if (!steps.length && !sections.length) return null;
  return [picture(data.image, "hero"),
    steps.length ? element("ol", { className: "steps" }, steps.map(step)) : null,
    ...sections.map((section) => element("section", {}, textElement("h2", "", section.title),
      paragraphs(section.text), facts(section.facts)))];
}
