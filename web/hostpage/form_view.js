// SPDX-License-Identifier: Apache-2.0
//
// A question of the server whose form a view shows (SEP-3118). The view stands where the
// form would, until it answers. The form itself takes its place when the person wants it,
// and whenever the view does not answer as the form would have to be answered.
import { getElicitationUiResourceUri, requestElicitation, supportsAppElicitation }
  from "../host/elicitation.js";
import { shown } from "../host/tools.js";
import { question } from "../question.js";
import { announce, button, element, foreign } from "./elements.js";
import { View } from "./view.js";

let count = 0;

// The address of the view that shows the form; undefined: the form itself is shown.
function viewOf({ method, params }, client) {
  if (method !== "elicitation/create" ||
      !supportsAppElicitation(client.capabilities, client.getServerCapabilities()))
    return undefined;
  return getElicitationUiResourceUri(params);
}

/** A question and its view in `place`. `signal` ends with the question. */
class FormView {
  #ending = new AbortController();
  #view;
  #holder = element("div", { className: "view" });
  root;

  constructor({ params, uri, client, place, signal, views }) {
    const name = `Form ${++count}`;
    this.params = params;
    this.root = element("section", { className: "card question form-view", tabIndex: -1,
      ariaLabel: `${name}, shown by a view of the server` },
    element("div", { className: "body" },
      element("h2", {}, foreign(shown(params.message))),
      element("p", { className: "help" }, "This form is shown by a view of the server: ",
        foreign(shown(uri, 200), "code")),
      this.#holder,
      element("div", { className: "actions" },
        button("Show the form of this page", "quiet", () => this.#end("The person chose it.")))));
    place.append(this.root);
    signal?.addEventListener("abort", () => this.#end("The call has ended."));
    this.#view = new View({ client, uri, name, container: this.#holder, listener: {
      failed: (error) => this.#end(error.message),
      closed: () => {
        views.delete(this.#view);
        this.#end("The view has closed.");
      },
    } });
    views.add(this.#view);
  }

  #end(why) {
    this.#ending.abort(new Error(why));
  }

  /** Resolves to the answer; rejects if the form has to be shown. */
  async answer() {
    const { signal } = this.#ending;
    const ended = new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)));
    try {
      const answering = this.#view.open().then(() =>
        requestElicitation(this.#view.bridge, this.params, { signal }));
      this.root.focus();
      return await Promise.race([answering, ended]);
    } finally {
      this.root.inert = true;
      this.#view.close().catch((error) => console.info(error)).then(() => this.root.remove());
    }
  }
}

/**
 * Answers a question of the server: by the view that it names, or by its form. While the view
 * is open, it is among `views`. Rejects when `signal` ends.
 */
export async function answerQuestion(request, { client, place, signal, views }) {
  let why;
  signal?.throwIfAborted();
  try {
    const uri = viewOf(request, client);
    if (uri !== undefined)
      return await new FormView({ params: request.params, uri, client, place, signal, views })
        .answer();
  } catch (error) {
    signal?.throwIfAborted();
    why = error.message;
    announce(`The form is shown: ${shown(why, 200)}`);
  }
  return question(request, place, why && `Shown in place of the view: ${shown(why, 500)}`);
}
