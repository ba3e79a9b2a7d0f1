// SPDX-License-Identifier: Apache-2.0
//
// A form that a view shows in the place of its host (SEP-3118, a draft): which view a
// question names, and its answer. The view is not trusted: it is asked once, and what it
// answers counts only if the form of the host could have given it.
import { ELICITATION_METHOD } from "../view/elicitation.js";
import { asJson, isObject, SdkError } from "../view/peer.js";
import { fromJsonSchema } from "../view/schema.js";

const ANSWER_MS = 600_000; // for the person to answer
const ANSWER_SIZE = 65_536; // characters of the answer

const isForm = ({ mode = "form" }) => mode === "form";

/**
 * The address of the view that may show the form of a question; undefined if the question
 * has no form or names no view. Throws INVALID_VIEW if what it names is no address of a view.
 */
export function getElicitationUiResourceUri(params) {
  const uri = params?._meta?.ui?.resourceUri;
  if (uri === undefined || !isForm(params)) return undefined;
  if (typeof uri !== "string" || !/^ui:\/\/[^/?#\s]+(\/|$)/.test(uri))
    throw new SdkError("INVALID_VIEW", "_meta.ui.resourceUri of the question is no address " +
      "of a view (ui://…).");
  return uri;
}

/** Whether both ends say that views answer forms: the capabilities of client and server. */
export function supportsAppElicitation(client, server) {
  const settings = (side) => side?.extensions?.["io.modelcontextprotocol/ui"];
  return Boolean(client?.elicitation?.form && settings(client)?.elicitation &&
    settings(client).mimeTypes?.includes("text/html;profile=mcp-app") &&
    settings(server)?.elicitation);
}

/**
 * Has the view of `bridge` answer a question, given by its params, which it gets as they
 * are. Resolves to an ElicitResult for the server. Rejects if the view cannot or does not
 * answer, or answers what the form does not allow (INVALID_ANSWER): show the form then. Ten
 * minutes, if the options say nothing else; their `signal` withdraws the question.
 */
export async function requestElicitation(bridge, params, options) {
  if (!isForm(params))
    throw new SdkError("NO_FORM", `A question of the mode ${params.mode} has no form.`);
  const schema = schemaOf(params.requestedSchema); // first: the view is asked for nothing in vain
  return checked(schema, await bridge.request({ method: ELICITATION_METHOD, params },
    { timeout: ANSWER_MS, ...options }));
}

// The form as a schema of its content, which has no other members. `enumNames` are words
// for people.
function schemaOf(requested) {
  if (!isObject(requested?.properties))
    throw new SdkError("NO_FORM", "requestedSchema of the question has no properties.");
  const properties = Object.entries(requested.properties).map(([name, field]) => {
    const { enumNames: _, ...rest } = isObject(field) ? field : {};
    return [name, isObject(field) ? rest : field];
  });
  return fromJsonSchema({ ...requested, type: "object",
    properties: Object.fromEntries(properties), additionalProperties: false });
}

const invalid = (why) => new SdkError("INVALID_ANSWER",
  `The answer of the view was refused: ${why}`);

function checked(schema, given) {
  let result;
  try {
    result = asJson(given, ANSWER_SIZE);
  } catch (error) {
    throw invalid(error.message);
  }
  const { action, content } = result;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") throw invalid("its action must be accept, decline or cancel.");
  if (!isObject(content)) throw invalid("it accepts without content.");
  const { issues } = schema["~standard"].validate(content);
  if (issues)
    throw invalid(issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  return { action, content };
}
