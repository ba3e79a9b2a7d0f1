import { type App, useApp } from '../../../web/view/react.js';

// ---- completed: React, and what shows that it loads
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
const Loading = () => "loading";

function MyApp() {
  const { app, isConnected } = useApp({
    appInfo: { name: "App", version: "1.0" },
    onAppCreated: (app) => {
      app.ontoolresult = (result) => { /* ... */ };
    }
  });

  if (!isConnected) return <Loading />;
  return <ChildComponent app={app} />;  // Must pass down
}

function ChildComponent({ app }: { app: App }) {
  // Can use app here
  // ---- completed: it does
  return app.getHostVersion().name;
}

// ---- completed: the root
createRoot(document.body.appendChild(document.createElement("main")))
  .render(createElement(StrictMode, null, createElement(MyApp)));
