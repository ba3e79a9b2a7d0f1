import { App } from '../../../web/view/index.js';

// ---- completed: the state, its picture, and texts where the document has [...]
import { z } from "zod";
const state = {
  totalBudget: 100000,
  config: { categories: [{ id: "marketing" }, { id: "research" }] },
  allocations: new Map([["marketing", 40], ["research", 60]]),
};
const updateChart = () => { document.body.textContent = [...state.allocations].join(" "); };
const content = [{ type: "text", text: "See the structured content." }];

const app = new App(
  { name: "Budget Allocator", version: "1.0.0" },
  { tools: { listChanged: true } }
);

// Tool 1: Query state
app.registerTool("get-allocations", {
  title: "Get Budget Allocations",
  description: "Get current budget allocations..."
}, async () => {
  const allocations = {};
  for (const category of state.config.categories) {
    // ---- completed: the document leaves this name undeclared
    const percent = state.allocations.get(category.id);
    allocations[category.id] = {
      percent: state.allocations.get(category.id),
      amount: (percent / 100) * state.totalBudget
    };
  }
  return { content, structuredContent: { totalBudget: state.totalBudget, allocations } };
});

// Tool 2: Mutate state
app.registerTool("set-allocation", {
  inputSchema: z.object({
    categoryId: z.string(),
    percent: z.number().min(0).max(100)
  })
}, async (args) => {
  state.allocations.set(args.categoryId, args.percent);
  updateChart();
  return { content };
});

// ---- completed
await app.connect();
