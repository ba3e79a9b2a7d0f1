// SPDX-License-Identifier: Apache-2.0
//
// How clients connect: writes the address that the browser came by, and copies what a
// client takes.
import { below } from "./ask.js";
import { copy } from "./copy.js";

const find = (id) => document.getElementById(id);

async function copies(button) {
  try {
    await copy(button.parentElement.querySelector("pre").textContent);
    button.textContent = "Copied";
    find("copied").textContent = `${button.ariaLabel}: done.`;
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  } catch (error) {
    find("copied").textContent = `Cannot copy: ${error.message}`;
  }
}

export function begin() {
  // Behind a proxy that speaks TLS only the browser knows the whole address, unless
  // the server was told.
  for (const place of document.querySelectorAll("[data-endpoint='']"))
    place.textContent = below(`${find("connect").dataset.below ?? ""}mcp`);
  for (const button of document.querySelectorAll("[data-copies]"))
    button.addEventListener("click", () => copies(button));
}
