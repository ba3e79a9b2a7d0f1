import { App } from '../../../web/view/index.js';

// ---- completed: the App
import { z } from "zod";
const app = new App({ name: "App", version: "1.0" });

app.registerTool("search", {
  inputSchema: z.object({
    query: z.string().min(1).max(100),
    limit: z.number().positive().default(10)
  }),
  outputSchema: z.object({
    results: z.array(z.object({ title: z.string(), url: z.string() }))
  })
}, async (params) => {
  // params validated before callback
  // return value validated after callback
  // ---- completed: a result, or one that is none
  return params.query === "nothing" ? { content: [], structuredContent: {} } : { content: [],
    structuredContent: { results: [{ title: `${params.query} ${params.limit}`, url: "/" }] } };
});

// ---- completed
await app.connect();
