import { App } from '../../../web/view/index.js';

// ---- completed: an App that is connected, the tool, and steps that the test takes
const app = new App({ name: "App", version: "1.0" }, { tools: { listChanged: true } });
await app.connect();
const config = { description: "Old description" };
const callback = async () => ({ content: [] });
const step = () => new Promise((next) => { Object.assign(window, { next }); });

const tool = app.registerTool("my_tool", config, callback);

await step();
tool.disable();  // Hide from tools/list
await step();
tool.enable();   // Make available in tools/list
await step();
tool.update({ description: "New description" });  // Update metadata
await step();
tool.remove();   // Delete entirely
