// SPDX-License-Identifier: Apache-2.0
//
// The view that counter.json was recorded with: it counts up by a tool of its server, and
// tells the model the count.
import { App } from "../../../web/view/index.js";

const app = new App({ name: "counter", version: "1" }, {}, { autoResize: true });
const place = document.createElement("p");
document.body.append(place);

async function show(count) {
  place.textContent = `${count}`;
  await app.updateModelContext({ structuredContent: { count } });
}

app.ontoolresult = async ({ structuredContent }) => {
  await show(structuredContent.count);
  const next = await app.callServerTool({ name: "count", arguments: { after:
    structuredContent.count, step: globalThis.STEP ?? 1 } });
  await show(next.structuredContent.count);
};
app.registerTool("reset", { description: "Begin at 0", inputSchema: { type: "object" } },
  async () => {
    await show(0);
    return { content: [{ type: "text", text: "0" }] };
  });
app.onteardown = async () => ({ count: Number(place.textContent) });
await app.connect();
