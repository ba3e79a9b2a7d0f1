// SPDX-License-Identifier: Apache-2.0
//
// The part of the Inspector that tries requests: it lists what the server offers in the
// chosen revision, makes a form of the arguments, sends what a client would send, and
// answers what the server asks.
import { below } from "./ask.js";
import { element } from "./element.js";
import { parse, stringify } from "./exact.js";
import { fill, read, showUnits, Unreadable } from "./form.js";
import { argumentHeaders, Client, revisions } from "./mcp.js";
import { formFor, question } from "./question.js";

const MOST_TOLD = 200;

const find = (id) => document.getElementById(id);
const clients = new Map(); // by revision
let items = []; // that can be chosen
let work = 0; // number of the last thing that was begun, so that older ones are dropped
let listing = 0; // the same for lists
let following; // ends the subscription, or undefined

function tell(line) {
  find("told").append(element("li", {}, line));
  if (find("told").childElementCount > MOST_TOLD) find("told").firstChild.remove();
}

const client = () => {
  const revision = find("revision").value;
  if (!clients.has(revision))
    clients.set(revision, new Client(below("mcp"), revision, {
      ask: (request) => {
        find("try-state").textContent = "The server asks";
        return question(request, find("questions"));
      },
      tell: ({ method, params }) => tell(`${method} ${stringify(params ?? {})}`),
    }));
  return clients.get(revision);
};

function fail(error) {
  find("try-error").textContent = error.message;
  find("try-error").hidden = false;
}

// ---- What can be tried -------------------------------------------------------------

const argumentsSchema = (list) => ({ type: "object",
  properties: Object.fromEntries((list ?? []).map(({ name, description }) =>
    [name, { type: "string", ...description && { description } }])),
  required: (list ?? []).filter(({ required }) => required).map(({ name }) => name) });

const templateSchema = (template) => ({ type: "object", required: ["uri"], properties: {
  uri: { type: "string", description: `An address of the form ${template}`,
    default: template } } });

const kinds = {
  tool: {
    verb: "Call", method: "tools/call",
    list: (asked) => asked.list("tools/list", "tools"),
    nameOf: ({ name }) => name,
    schemaOf: ({ inputSchema }) => inputSchema,
    paramsOf: ({ name }, values) => ({ name, arguments: values }),
    headersOf: ({ inputSchema }, values) => argumentHeaders(inputSchema, values),
  },
  resource: {
    verb: "Read", method: "resources/read",
    list: async (asked) => [
      ...await asked.list("resources/list", "resources"),
      ...await asked.list("resources/templates/list", "resourceTemplates")],
    nameOf: ({ uri, uriTemplate }) => uri ?? uriTemplate,
    schemaOf: ({ uriTemplate }) =>
      uriTemplate ? templateSchema(uriTemplate) : { type: "object" },
    paramsOf: ({ uri }, values) => ({ uri: uri ?? values.uri }),
  },
  prompt: {
    verb: "Get", method: "prompts/get",
    list: (asked) => asked.list("prompts/list", "prompts"),
    nameOf: ({ name }) => name,
    schemaOf: ({ arguments: list }) => argumentsSchema(list),
    paramsOf: ({ name }, values) => ({ name, arguments: values }),
  },
};

const kind = () => kinds[find("kind").value];
const chosen = () => items[find("target").selectedIndex];

// Arguments as JSON text follow the form, and the form follows them.
function showJson() {
  showUnits(find("arguments"));
  try {
    find("arguments-json").value = stringify(parse(read(find("arguments"))), 2);
    find("try-error").hidden = true;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
}

// With `keep` what was typed for the item stays.
async function choose(keep) {
  const mine = ++work;
  const item = chosen();
  const schema = item ? kind().schemaOf(item) : { type: "object" };
  find("try-error").hidden = true;
  find("send").textContent = kind().verb;
  find("send").disabled = true; // until the form is that of the item
  find("subscribe").hidden = find("kind").value !== "resource" || !item?.uri;
  find("target-help").textContent = item?.description ?? "";
  find("arguments-schema").textContent = stringify(schema, 2);
  const holder = element("form", { className: "fields" });
  await formFor(schema, holder, showJson);
  if (mine !== work) return;
  const values = keep ? typed() : {};
  find("arguments").replaceChildren(...holder.childNodes);
  fill(find("arguments"), values);
  showJson();
  find("send").disabled = item === undefined;
}

function typed() {
  try {
    return parse(find("arguments-json").value);
  } catch {
    return {};
  }
}

async function load(keep) {
  const mine = ++listing;
  const before = keep && chosen() ? kind().nameOf(chosen()) : undefined;
  find("try-error").hidden = true;
  find("send").disabled = true;
  find("revision-help").textContent = find("revision").value === revisions[0]
    ? "Each request stands for itself." : "A session: initialize, then its requests.";
  try {
    const listed = await kind().list(client());
    if (mine !== listing) return;
    items = listed;
  } catch (error) {
    if (mine !== listing) return;
    items = [];
    fail(error);
  }
  const names = items.map(kind().nameOf);
  find("target").replaceChildren(...names.map((name) => element("option", {}, name)));
  find("target").disabled = items.length === 0;
  const stays = names.includes(before);
  if (stays) find("target").selectedIndex = names.indexOf(before);
  await choose(stays);
  if (items.length === 0)
    find("target-help").textContent = "The server offers none of this kind.";
}

// ---- Sending -----------------------------------------------------------------------

function show(value, state) {
  find("outcome").textContent = stringify(value, 2);
  find("try-state").textContent = state;
}

const since = (began) => `${Math.round(performance.now() - began)} ms`;

async function send() {
  const item = chosen();
  const began = performance.now();
  let values;
  try {
    values = parse(read(find("arguments")));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return fail(error);
  }
  find("try-error").hidden = true;
  find("questions").replaceChildren();
  find("told").replaceChildren();
  find("outcome").textContent = "";
  find("try-state").textContent = "Sent";
  const mine = ++work;
  try {
    const result = await client().request(kind().method, kind().paramsOf(item, values),
      kind().headersOf?.(item, values) ?? {});
    if (mine === work)
      show(result, `${result.isError ? "The tool failed" : "Answered"}, ${since(began)}`);
  } catch (error) {
    if (mine !== work) return;
    show(error.reply ?? { error: error.message }, `Refused, ${since(began)}`);
  }
}

// ---- Subscriptions -----------------------------------------------------------------

async function unfollow() {
  const end = following;
  following = undefined;
  find("subscribe").ariaPressed = "false";
  find("subscribe").textContent = "Subscribe";
  await end?.();
}

async function follow() {
  if (following) return unfollow();
  const { uri } = chosen();
  const asked = client();
  following = await asked.subscribe(uri, async () => {
    show(await asked.request("resources/read", { uri }), `Updated: ${uri}`);
  });
  find("subscribe").ariaPressed = "true";
  find("subscribe").textContent = "Unsubscribe";
  find("try-state").textContent = `Follows ${uri}`;
}

// ---- The page ----------------------------------------------------------------------

let begun;

/** Fills the part, when it is shown for the first time. */
export function open() {
  begun ??= begin();
  return begun;
}

async function begin() {
  find("revision").replaceChildren(...revisions.map((revision) =>
    element("option", {}, revision)));
  const guarded = (job) => () => Promise.resolve(job()).catch(fail);
  const another = guarded(async () => {
    await unfollow();
    await load(false);
  });
  find("revision").addEventListener("change", another);
  find("kind").addEventListener("change", another);
  find("target").addEventListener("change", guarded(async () => {
    await unfollow();
    await choose();
  }));
  find("arguments").addEventListener("input", showJson);
  find("arguments").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(send)();
  });
  find("arguments-json").addEventListener("input", () => {
    try {
      fill(find("arguments"), parse(find("arguments-json").value));
      find("try-error").hidden = true;
    } catch (error) {
      fail(new Error(`This is no JSON yet: ${error.message}`));
    }
  });
  find("send").addEventListener("click", guarded(send));
  find("subscribe").addEventListener("click", guarded(follow));
  document.addEventListener("tools-changed", guarded(() => load(true)));
  await load(false);
}
