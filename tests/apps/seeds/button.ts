import { App } from '../../../web/view/index.js';

// ---- completed: the button, and the connection
const button = document.createElement("button");
document.body.append(button);

// mcp-app.ts
const app = new App({ name: "App", version: "1.0" });

button.onclick = () => app.callServerTool({ name: "do_thing", arguments: {} });

// ---- completed
await app.connect();
