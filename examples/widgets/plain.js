// SPDX-License-Identifier: Apache-2.0
//
// All that a widget does: read its fields, call the engine, show the answer. What
// is right, and what it comes to, the engine alone knows.
import { EngineError } from "/engines/_engine.js";
import tipSplitter from "/engines/tip-splitter.js";

const form = document.querySelector("form");
const status = document.querySelector("[role=status]");

function answer() {
  const input = { currency: "EUR" };
  for (const [name, text] of new FormData(form))
    input[name] = text.trim() === "" ? text : Number(text);
  try {
    return tipSplitter.handler(input).shares
      .map(({ people, amount, currency }) =>
        `${people} × ${amount.toFixed(2)} ${currency}`)
      .join(", ");
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}

const show = () => { status.textContent = answer(); };
form.addEventListener("input", show);
show();
