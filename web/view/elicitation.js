// SPDX-License-Identifier: Apache-2.0
//
// A view that shows a form: a host hands it a question of its server, and it answers in the
// place of the host's own form (SEP-3118, a draft).
import { isObject } from "./peer.js";

export const ELICITATION_METHOD = "elicitation/create";

const ACTIONS = ["accept", "decline", "cancel"];

/**
 * Has `handler(params, extra)` answer the questions of the host; before connect(), for the
 * App then tells the host that it can. `params` have `message` and `requestedSchema`. The
 * handler resolves to {action: "accept", content: {…}}, {action: "decline"} or {action:
 * "cancel"} once the person has decided. `extra.signal` ends when no answer is wanted any
 * more. A host whose handler throws shows its own form.
 */
export function onElicitation(app, handler) {
  app.setRequestHandler(ELICITATION_METHOD, async ({ method, params }, extra) => {
    const answer = await handler(params, extra);
    if (!ACTIONS.includes(answer?.action) ||
        (answer.action === "accept" && !isObject(answer.content)))
      throw new Error(`The handler of ${method} returned no {action} of ` +
        `${ACTIONS.join(", ")}, or accepts without {content}.`);
    return answer;
  });
}
