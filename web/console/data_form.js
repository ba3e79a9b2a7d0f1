// SPDX-License-Identifier: Apache-2.0
//
// A form for the data of a layout, by its schema. It shows what is there; each other member
// that the schema knows is one button away, so that a form is as long as its data.
import { titleOf } from "../label.js";
import { chartGrid, tableGrid } from "./data_grid.js";
import { assign, firstOf, scalarOf, textOf, typesOf } from "./data_value.js";
import { button, element, foreign, newId, say } from "./parts.js";
import { isObject } from "../view/peer.js";
import { same } from "./record.js";

const LONG = 300; // characters: a text that may have more gets an area
// Members of a layout that are edited together, as a grid.
const GRIDS = { table: { rows: ["Rows", tableGrid] },
  chart: { labels: ["Values", chartGrid], series: undefined } };

const nameOf = (item, at) => {
  const words = isObject(item) && (item.title ?? item.label ?? item.name ?? item.key);
  return typeof words === "string" && words ? words : `Entry ${at + 1}`;
};

export class DataForm {
  root = element("div", { className: "data-form" });

  /** `changed` gets the whole value. */
  constructor({ layout, schema, value, changed }) {
    Object.assign(this, { layout, schema, value, changed });
    this.#draw();
  }

  /** Shows another value; what is typed stays while it says the same. */
  fill(value) {
    if (same(value, this.value)) return;
    this.value = value;
    this.#draw();
  }

  #draw() {
    this.root.replaceChildren(this.#object(this.schema, this.value, [], true));
  }

  #set(names, next) {
    this.value = assign(this.value, names, next);
    this.changed(this.value);
  }

  // Draws a list or an object anew where it stands, with what is open left open.
  #again(names, place, make) {
    const value = names.reduce((inner, name) => inner?.[name], this.value);
    const open = [...place.querySelectorAll(":scope > ol > li > details")]
      .map((details) => details.open);
    const made = make(value);
    place.replaceWith(made);
    [...made.querySelectorAll(":scope > ol > li > details")].forEach((details, at) => {
      if (open[at]) details.unfold();
    });
    return made;
  }

  // ---- Objects -----------------------------------------------------------------------

  #object(schema, value, names, top = false) {
    const place = element("div", { className: "data-object" });
    const grids = top ? GRIDS[this.layout] ?? {} : {};
    const properties = schema.properties ?? {};
    const here = Object.keys(properties).filter((name) =>
      Object.hasOwn(value ?? {}, name) || schema.required?.includes(name));
    const again = (focus) => {
      const made = this.#again(names, place, (next) => this.#object(schema, next, names, top));
      if (focus) made.querySelector(`:scope > [data-name="${focus}"]`)
        ?.querySelector("input, textarea, select, summary, button")?.focus();
    };
    for (const name of here) {
      if (name in grids) {
        if (grids[name]) place.append(this.#grid(...grids[name], names, () => again()));
        continue;
      }
      const field = this.#field(name, properties[name], value?.[name], [...names, name],
        schema.required?.includes(name) ? undefined : () => {
          this.#set([...names, name], undefined);
          again();
        }, () => again());
      field.dataset.name = name;
      place.append(field);
    }
    const others = Object.keys(properties).filter((name) => !here.includes(name));
    if (others.length) place.append(element("div", { className: "more-fields" },
      ...others.map((name) => {
        const add = button(titleOf(name, properties[name]), "small", () => {
          this.#set([...names, name], firstOf(properties[name]));
          again(name);
        });
        add.ariaLabel = `Add: ${titleOf(name, properties[name])}`;
        add.prepend("+ ");
        return add;
      })));
    return place;
  }

  #grid(label, make, names, again) {
    const value = names.reduce((inner, name) => inner[name], this.value);
    return element("fieldset", { className: "data-group" }, element("legend", {}, label),
      make(value, (name, next) => this.#set([...names, name], next), again));
  }

  // ---- Fields ------------------------------------------------------------------------

  #field(name, schema, value, names, remove, again) {
    const label = titleOf(name, schema);
    const [type] = typesOf(schema);
    const crossOut = remove && button("×", "cross", remove);
    if (crossOut) crossOut.ariaLabel = `Remove: ${label}`;
    const group = (content) => element("fieldset", { className: "data-group" },
      element("legend", {}, label, crossOut ?? ""), content);
    if (type === "object") return group(this.#object(schema, value, names));
    if (type === "array" && typesOf(schema.items)[0] === "object")
      return group(this.#list(schema, value ?? [], names, again));
    const control = this.#control(schema, value, names);
    control.id = newId("data");
    return element("div", { className: "field data-field" },
      element("label", { htmlFor: control.id }, label), control, crossOut ?? "",
      ...schema.description ? [element("p", { className: "help" }, schema.description)] : []);
  }

  #control(schema, value, names) {
    const [type] = typesOf(schema);
    const take = (control, read) => {
      control.addEventListener("input", () => this.#set(names, read(control)));
      return control;
    };
    if (schema.enum)
      return take(element("select", {}, ...schema.enum.map((one) =>
        element("option", { value: one, selected: one === value }, foreign(one)))),
      ({ value: text }) => text);
    if (type === "boolean" && !Array.isArray(schema.type))
      return take(element("input", { type: "checkbox", checked: value === true }),
        ({ checked }) => checked);
    if (type === "array")
      return take(element("textarea", { rows: 2, value: (value ?? []).map(textOf).join("\n"),
        title: "One a line" }), ({ value: text }) => text.split("\n")
        .filter((line) => line !== ""));
    const long = type === "string" && (schema.maxLength ?? Infinity) > LONG &&
      !schema.pattern;
    let before = value;
    return take(element(long ? "textarea" : "input", { value: textOf(value),
      autocomplete: "off", ...long ? { rows: 2 } : {} }), ({ value: text }) => {
      before = scalarOf(text, schema, before);
      return before;
    });
  }

  // ---- Lists -------------------------------------------------------------------------

  #list(schema, value, names, againParent) {
    const place = element("div", { className: "data-list" });
    const label = titleOf(names.at(-1), schema).toLowerCase();
    const change = (next, words) => {
      this.#set(names, next);
      say(words);
      return this.#again(names, place, (now) => this.#list(schema, now, names, againParent));
    };
    const now = () => names.reduce((inner, name) => inner?.[name], this.value) ?? [];
    const list = element("ol", {}, ...value.map((item, at) =>
      this.#entry(schema, item, [...names, at], { change, now, at, count: value.length })));
    const add = button(`Add to ${label}`, "small", () => {
      const made = change([...now(), firstOf(schema.items)], "Added.");
      const last = made.querySelector(":scope > ol > li:last-child > details");
      last.unfold();
      last.querySelector("input, textarea, select")?.focus();
    });
    add.disabled = value.length >= (schema.maxItems ?? Infinity);
    place.append(list, add);
    return place;
  }

  #entry(schema, item, names, { change, now, at, count }) {
    const words = foreign(nameOf(item, at));
    const move = (by) => {
      const all = now();
      const made = change(all.toSpliced(at, 1).toSpliced(at + by, 0, all[at]), "Moved.");
      made.querySelectorAll(":scope > ol > li")[at + by].querySelector("summary").focus();
    };
    const act = (sign, label, work, disabled) => {
      const made = button(sign, "cross", work);
      made.ariaLabel = `${label}: ${nameOf(item, at)}`;
      made.disabled = disabled;
      return made;
    };
    const details = element("details", {}, element("summary", {}, words));
    // Made when it is opened: a list may have a hundred entries.
    const fill = () => {
      if (details.childElementCount === 1)
        details.append(this.#object(schema.items, now()[at] ?? item, names));
    };
    details.addEventListener("toggle", fill);
    details.addEventListener("input", () => {
      words.textContent = nameOf(now()[at], at);
    });
    const entry = element("li", {}, details, element("span", { className: "entry-acts" },
      act("↑", "Move up", () => move(-1), at === 0),
      act("↓", "Move down", () => move(1), at === count - 1),
      act("×", "Remove", () => {
        const made = change(now().toSpliced(at, 1), "Removed.");
        made.querySelector(":scope > button").focus();
      }, false)));
    // At once, so that what is inside can have the keyboard.
    details.unfold = () => {
      details.open = true;
      fill();
    };
    return entry;
  }
}
