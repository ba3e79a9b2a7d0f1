import { App } from '../../../web/view/index.js';

// ---- completed: an App that is connected
const app = new App({ name: "App", version: "1.0" });
await app.connect();

// App needs to call a server tool
const result = await app.callServerTool({
  name: "get_weather",
  arguments: { city: "NYC" }
});

// ---- completed: what the test looks at
Object.assign(window, { result });
