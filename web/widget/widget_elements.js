// SPDX-License-Identifier: Apache-2.0
//
// The elements that layouts are made of. All text becomes a text node: nothing that data
// holds is ever markup, an address that runs, or a style.
import { formatted } from "./widget_format.js";
import { openLink, opensLinks, sendMessage } from "./widget_host.js";

// Control characters, what overrides the direction of text, and invisible tags.
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** The text of a value that should be one. */
export const textOf = (value) => (typeof value === "string" || typeof value === "number"
  ? String(value).replace(UNSEEN, "") : "");

export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The objects of a list, at most so many. */
export const objects = (list, most) =>
  (Array.isArray(list) ? list.slice(0, most).filter(isObject) : []);

/** An element with properties or attributes; children that are "" or null are left out. */
export function element(name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== "" && child != null));
  return made;
}

/** An element around a text; undefined without one. */
export const textElement = (name, className, value) => {
  const text = textOf(value);
  return text ? element(name, { className }, text) : undefined;
};

/** Paragraphs, which empty lines part. */
export const paragraphs = (value, className = "") => textOf(value).split(/\n[ \t]*\n/)
  .map((part) => part.trim()).filter(Boolean)
  .map((part) => element("p", { className }, part));

const TONES = ["info", "success", "warning", "danger"];
export const toneOf = ({ tone }) => (TONES.includes(tone) ? tone : "neutral");

export const badge = (data) => textElement("span", `badge ${toneOf(data)}`, data.badge);

/** What a person is told below the content, and readers of the screen at once. */
export function say(words, isError = false) {
  const status = document.getElementById("status");
  status.className = isError ? "status bad" : "status";
  status.textContent = words;
}

// ---- Pictures ----------------------------------------------------------------------

const PICTURE = /^(https:\/\/|data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,])/i;

/** A picture; its words where it is missing or cannot be loaded. */
export function picture(image, className) {
  const { src, alt } = isObject(image) ? image : {};
  if (typeof src !== "string") return undefined;
  const figure = element("div", { className: `picture ${className}` });
  const lost = () => figure.replaceChildren(element("span", { className: "lost" },
    textOf(alt) || "No picture"));
  if (PICTURE.test(src)) {
    const made = element("img", { alt: textOf(alt), loading: "lazy", decoding: "async",
      referrerPolicy: "no-referrer" });
    made.addEventListener("error", lost);
    made.src = src;
    figure.append(made);
  } else lost();
  return figure;
}

// ---- Links and buttons -------------------------------------------------------------

/** A link; only the words if the address is not http or https. */
export function link(label, url, className = "") {
  const words = textOf(label);
  if (typeof url !== "string" || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    return words;
  const made = element("a", { className, href: url, target: "_blank",
    rel: "noopener noreferrer" }, words);
  made.addEventListener("click", (event) => {
    if (!opensLinks()) return; // the browser opens it
    event.preventDefault();
    openLink(made.href).catch((error) => say(error.message, true));
  });
  return made;
}

/** A button that does something once at a time, and says what went wrong. */
export function button(label, className, act) {
  const made = element("button", { type: "button", className }, textOf(label));
  made.addEventListener("click", async () => {
    if (made.ariaBusy) return;
    made.ariaBusy = "true";
    say("");
    try {
      await act();
    } catch (error) {
      say(error.message, true);
    }
    made.ariaBusy = null;
  });
  return made;
}

/** A button that sends a message of the person; undefined without words. */
export const actionButton = (action, className) => (isObject(action) && textOf(action.label) &&
  textOf(action.message) ? button(action.label, className, async () => {
    await sendMessage(textOf(action.message));
    say("Sent.");
  }) : undefined);

/** The buttons and links of data, in one row. */
export function doings({ actions, links }) {
  const all = [
    ...objects(actions, 4).map((action, at) => actionButton(action, at ? "" : "main")),
    ...objects(links, 4).map(({ label, url }) => link(label, url, "button")),
  ].filter(Boolean);
  return all.length ? element("div", { className: "doings" }, all) : undefined;
}

// ---- Facts -------------------------------------------------------------------------

/** Names and values; undefined without any. */
export function facts(list) {
  const all = objects(list, 30).map((fact) => element("div", {},
    element("dt", {}, textOf(fact.label)),
    element("dd", {}, textOf(formatted(fact.value, fact)))));
  return all.length ? element("dl", { className: "facts" }, all) : undefined;
}
