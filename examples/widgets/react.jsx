// SPDX-License-Identifier: Apache-2.0
//
// A React component around an engine. The handler is pure and synchronous, so it is
// called while rendering, and nothing is kept but what was typed.
import { useState } from "react";
import { createRoot } from "react-dom/client";

import { EngineError } from "/engines/_engine.js";
import tipSplitter from "/engines/tip-splitter.js";

function Shares({ input }) {
  try {
    const { shares } = tipSplitter.handler(input);
    return (
      <ul role="status">
        {shares.map(({ people, amount, currency }) => (
          <li key={amount}>{people} × {amount.toFixed(2)} {currency}</li>
        ))}
      </ul>
    );
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return <p role="status">{error.message}</p>;
  }
}

function TipSplitter() {
  const [input, setInput] = useState(
    { ...tipSplitter.examples[0].input, currency: "EUR" });
  const field = (name, label) => (
    <label>
      {label}{" "}
      <input
        defaultValue={input[name]}
        onChange={({ target: { value } }) => setInput(
          { ...input, [name]: value.trim() === "" ? value : Number(value) })}
      />
    </label>
  );
  return (
    <>
      <h1>Split the bill</h1>
      {field("amount", "Bill")}
      {field("tip_percent", "Tip, %")}
      {field("people", "People")}
      <Shares input={input} />
    </>
  );
}

createRoot(document.getElementById("root")).render(<TipSplitter />);
