// SPDX-License-Identifier: Apache-2.0
//
// The view of allocate_budget.c with React.
import { useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { AppProvider, useApp, useHostContext, useHostStyles, useTool, useToolResult }
  from "mica/react";

const SET = { type: "object", required: ["categoryId", "percent"], properties: {
  categoryId: { type: "string" }, percent: { type: "number", minimum: 0, maximum: 100 } } };

function Slider({ allocation: { id, percent, amount }, at, money, set }) {
  const [moved, setMoved] = useState(); // while it is dragged
  const input = useRef(null);
  useEffect(() => {
    // React's onChange is the event of each step; the tool is called at the end.
    const change = ({ target }) => {
      setMoved(undefined);
      set({ categoryId: id, percent: Number(target.value) });
    };
    const slider = input.current;
    slider.addEventListener("change", change);
    return () => slider.removeEventListener("change", change);
  });
  return <label>
    <span><i className={`swatch c${at % 5}`} />{id}</span>
    <b>{percent} % · {money(amount)}</b>
    <input type="range" min="0" max="100" step="1" ref={input} value={moved ?? percent}
      onChange={({ target }) => setMoved(target.value)} />
  </label>;
}

function Budget() {
  const { app } = useApp();
  const shown = useToolResult();
  const { locale = "en" } = useHostContext() ?? {};
  const [budget, setBudget] = useState();
  const [problem, setProblem] = useState();
  const current = useRef(budget); // for calls that come before the next render
  useHostStyles(app);

  const take = (next) => {
    current.current = next;
    setBudget(next);
    setProblem(undefined);
  };
  useEffect(() => {
    if (shown?.structuredContent) take(shown.structuredContent);
  }, [shown]);

  const money = (amount) => amount.toLocaleString(locale,
    { style: "currency", currency: current.current.currency });
  const says = ({ unallocated, unallocated_percent: percent }) =>
    unallocated === 0 ? "All is allocated." : `${money(unallocated)} (${percent} %) is left.`;
  const answer = () => ({ content: [{ type: "text", text: says(current.current) }],
    structuredContent: current.current });

  useTool("get-allocations", { title: "Get budget allocations",
    annotations: { readOnlyHint: true },
    description: "The budget, and part and amount of each category." }, answer);
  // The amounts are those of the server's tool, in C, which also refuses more than 100 %.
  const set = useTool("set-allocation", { title: "Set an allocation",
    description: "Set the part of one category.", inputSchema: SET },
  async ({ categoryId, percent }) => {
    const { total, currency, allocations } = current.current;
    const shares = allocations.map(({ id, percent: old }) =>
      ({ id, percent: id === categoryId ? percent : old }));
    if (!shares.some(({ id }) => id === categoryId))
      throw new Error(`There is no category ${categoryId}; there are ` +
        `${shares.map(({ id }) => id).join(", ")}.`);
    const { isError, content, structuredContent } = await app.callServerTool({
      name: "allocate_budget", arguments: { total, currency, shares } });
    if (isError) throw new Error(content[0].text);
    take(structuredContent);
    if (app.getHostCapabilities().updateModelContext)
      await app.updateModelContext({ structuredContent })
        .catch((error) => console.warn(error.message));
    return answer();
  });

  if (!budget) return <p><strong id="total">Waiting for the budget …</strong></p>;
  const { total, allocations } = budget;
  return <>
    <p><strong id="total">Budget: {money(total)}</strong></p>
    <div className="bar" id="bar" role="img"
      aria-label={allocations.map(({ id, percent }) => `${id} ${percent} %`).join(", ")}>
      {allocations.map(({ id, percent }) => <span key={id} style={{ width: `${percent}%` }} />)}
    </div>
    <div id="sliders">
      {allocations.map((allocation, at) => <Slider key={allocation.id} allocation={allocation}
        at={at} money={money}
        set={(given) => set(given).catch((error) => setProblem(error.message))} />)}
    </div>
    <p id="status" role="status">{problem ?? says(budget)}</p>
  </>;
}

createRoot(document.getElementById("root")).render(
  <AppProvider appInfo={{ name: "budget-allocator", version: "1" }}><Budget /></AppProvider>);
