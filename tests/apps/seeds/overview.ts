import { App, PostMessageTransport } from '../../../web/view/index.js';

const app = new App(
  { name: "MyApp", version: "1.0.0" },           // appInfo
  { tools: { listChanged: true } },               // capabilities
  { autoResize: true }                            // options
);

// Register handlers BEFORE connecting
app.ontoolinput = (params) => { /* handle tool input */ };
app.ontoolresult = (result) => { /* handle tool result */ };

await app.connect(new PostMessageTransport(window.parent));

// ---- completed: what the test looks at
Object.assign(window, { app });
