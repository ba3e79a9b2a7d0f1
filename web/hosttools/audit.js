// SPDX-License-Identifier: Apache-2.0
//
// The audit of a view's policy: what the browser blocked, and what the author adds to the
// declaration of the view so that it is allowed, or why it never is. The sandbox proxy
// reports what was blocked (web/host/proxy.js). The texts in it come from the view's
// document, and are read as such.

import { shown } from "../host/tools.js";
import { limits } from "./tool_limits.js";

/** The message of the proxy. Views cannot send it: the proxy passes no such name on. */
export const VIOLATION = "ui/notifications/sandbox-policy-violation";

// Directives: the list of the declaration that opens them, and its member in C.
const CONNECT = ["connectDomains", "connect_domains"];
const RESOURCE = ["resourceDomains", "resource_domains"];
const FRAME = ["frameDomains", "frame_domains"];
const BASE = ["baseUriDomains", "base_uri_domains"];
const LISTS = new Map(Object.entries({
  "connect-src": CONNECT,
  "script-src": RESOURCE, "script-src-elem": RESOURCE, "style-src": RESOURCE,
  "style-src-elem": RESOURCE, "img-src": RESOURCE, "font-src": RESOURCE, "media-src": RESOURCE,
  "frame-src": FRAME,
  "base-uri": BASE,
}));

// What no declaration allows.
const NEVER = new Map(Object.entries({
  eval: "No host lets a view evaluate text: eval, new Function, and setTimeout with text. " +
    "Use a library build that has none of these. zod tries it once and does without; " +
    "z.config({ jitless: true }) before the first schema keeps it from trying.",
  "wasm-eval": "This host lets no view compile WebAssembly. Ship the code as JavaScript.",
  "trusted-types-sink": "The policy of the page demands trusted types.",
  inline: "Scripts and styles in the document are allowed; the policy forbids this one all the " +
    "same, as a link with javascript: is. Use addEventListener.",
  data: "Only images and media may be data: addresses. For fetch, decode the text with atob; " +
    "put fonts on an origin of resourceDomains, scripts into the document.",
  blob: "No host allows blob: addresses. Use a data: address for an image; put a script or a " +
    "worker into the document.",
  filesystem: "No host allows filesystem: addresses.",
}));
const DIRECTIVES = new Map(Object.entries({
  "object-src": "Views have no <object> and no <embed>. Show the file as an image, or hand it " +
    "over with downloadFile.",
  "worker-src": "Views have no workers from files: the host allows none.",
  "manifest-src": "A view has no manifest. Remove the <link>.",
  "form-action": "A form of a view is sent nowhere: take its event submit and call a tool.",
  "frame-ancestors": "The view is shown by a page that its sandbox does not know.",
}));

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const SECURE = { "http:": "https:", "ws:": "wss:" };

// The origin of an address as a declaration has it, with why it differs from the address.
function domainOf(address) {
  const { protocol, hostname, host } = new URL(address);
  const secure = SECURE[protocol];
  if (protocol !== "https:" && protocol !== "wss:" && !secure)
    return { refused: `Addresses that begin with ${protocol} are never allowed: a view reaches ` +
      "https and wss." };
  if (!secure || LOCAL.test(hostname)) return { domain: `${protocol}//${host}` };
  return { domain: `${secure}//${host}`,
    note: `${protocol} is allowed for this machine alone: use ${secure} in the document, too. ` };
}

const literal = (text) => JSON.stringify(text);

/**
 * What to do about {directive, blocked}: {text} and, if a declaration helps, its `list`,
 * the `domain`, the `macro` for C and `json` for _meta.ui.csp. `csp` is what the view
 * declares; `own` are origins of the host, which no view may reach.
 */
export function adviceOf({ directive, blocked }, csp = {}, own = []) {
  const list = LISTS.get(directive);
  if (NEVER.has(blocked)) return { text: NEVER.get(blocked) };
  if (DIRECTIVES.has(directive)) return { text: DIRECTIVES.get(directive) };
  if (!list || !URL.canParse(blocked))
    return { text: `Nothing in a declaration opens ${directive}.` };
  const { domain, note = "", refused } = domainOf(blocked);
  if (refused) return { text: refused };
  if (own.includes(domain))
    return { text: `${domain} is the host itself, or its server, which no view may reach. Call ` +
      "a tool of the server instead." };
  const [name, member] = list;
  const declared = Array.isArray(csp[name]) ? csp[name] : [];
  if (declared.includes(domain))
    return { text: `${note}${name} has ${domain}. The document of the view may be older than ` +
      "its declaration: open the view again." };
  const domains = [...declared, domain];
  const elsewhere = [CONNECT, RESOURCE, FRAME, BASE].filter(([other]) =>
    Array.isArray(csp[other]) && csp[other].includes(domain)).map(([other]) => other);
  return { list: name, domain,
    macro: `.${member} = MICA_DOMAINS(${domains.map(literal).join(", ")})`,
    json: `${literal(name)}: ${JSON.stringify(domains)}`,
    text: note + (elsewhere.length
      ? `${elsewhere.join(" and ")} has ${domain}, but ${directive} is opened by ${name}. ` : "") +
      `Add ${domain} to ${name}.` };
}

const text = (value, most) => typeof value === "string" ? shown(value, most) : "";
const whole = (value) => Number.isSafeInteger(value) && value >= 0 ? value : 0;

/** The violations of one view, each once, with how often and what to do. */
export class PolicyAudit {
  findings = [];
  missed = 0; // beyond limits.violations
  #csp;
  #own;
  #byKey = new Map();
  #listeners = new Set();

  constructor(csp, own) {
    this.#csp = csp;
    this.#own = own;
  }

  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes the parameters of VIOLATION. */
  add(params) {
    const directive = text(params?.directive, 40);
    const blocked = text(params?.blocked, 2048);
    if (!directive) return;
    const advice = adviceOf({ directive, blocked }, this.#csp, this.#own);
    const key = `${directive} ${advice.domain ?? blocked}`;
    const known = this.#byKey.get(key);
    if (known) {
      known.count++;
    } else if (this.findings.length < limits.violations) {
      const finding = { directive, blocked, count: 1, advice,
        place: { source: text(params.source, 200), line: whole(params.line),
          column: whole(params.column) } };
      this.#byKey.set(key, finding);
      this.findings.push(finding);
    } else {
      this.missed++;
    }
    for (const listener of this.#listeners) listener();
  }
}
