// SPDX-License-Identifier: Apache-2.0

/** An element with properties and children; a child that is a string is text. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
