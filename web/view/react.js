// SPDX-License-Identifier: Apache-2.0
//
// React: a view as hooks, under the names of @modelcontextprotocol/ext-apps/react, and
// AppProvider, below which no component has to be handed an App.
import {
  createContext, createElement, useContext, useEffect, useRef, useState, useSyncExternalStore,
} from "react";
import { App } from "./app.js";
import { applyDocumentTheme, applyHostFonts, applyHostStyleVariables, getDocumentTheme }
  from "./styles.js";
import { registerTool } from "./tools.js";

export * from "./index.js";

const NONE = { app: null, isConnected: false, error: null };
const AppContext = createContext(NONE);

// ---- The messages of a host to an App, for components that mount later ----------------

const EVENTS = ["toolinputpartial", "toolinput", "toolresult", "toolcancelled"];
const stores = new WeakMap(); // App: {state, subscribe}

function storeOf(app) {
  if (stores.has(app)) return stores.get(app);
  const readers = new Set();
  const tell = () => readers.forEach((reader) => reader());
  const store = {
    state: {},
    subscribe(reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
  };
  stores.set(app, store);
  for (const event of EVENTS)
    app.addEventListener(event, (params) => {
      store.state = { ...store.state, [event]: params };
      tell();
    });
  app.addEventListener("hostcontextchanged", tell);
  return store;
}

/** What `select(state, app)` finds of the App above; undefined before it is connected. */
function useStore(select) {
  const { app } = useContext(AppContext);
  const store = app && storeOf(app);
  return useSyncExternalStore(store ? store.subscribe : () => () => {},
    () => (store ? select(store.state, app) : undefined), () => undefined);
}

/** The arguments of the tool call that this view shows; with `partial`, before they are whole. */
export const useToolInput = ({ partial = false } = {}) => useStore(({ toolinput,
  toolinputpartial }) => (toolinput ?? (partial ? toolinputpartial : undefined))?.arguments);

/** The result of that call. */
export const useToolResult = () => useStore(({ toolresult }) => toolresult);

/** {reason}, if that call was cancelled. */
export const useToolCancelled = () => useStore(({ toolcancelled }) => toolcancelled);

/** The host context of now. */
export const useHostContext = () => useStore((_, app) => app.getHostContext());

// ---- The App --------------------------------------------------------------------------

/** An App that connects; `set` gets what becomes of it. */
function begin({ appInfo, capabilities, onAppCreated, autoResize = true, strict }, set) {
  const held = { app: new App(appInfo, capabilities, { autoResize, strict }) };
  const { app } = held;
  const run = async () => {
    storeOf(app); // before the host can say anything
    onAppCreated?.(app);
    await app.connect();
    set({ app, isConnected: true, error: null });
  };
  run().catch((error) => {
    if (!held.ended)
      set({ ...NONE, error: error instanceof Error ? error : new Error("Failed to connect") });
  });
  return held;
}

/**
 * Makes an App and connects it: {app, isConnected, error}. The options of the first render
 * count. Without options it returns the App of the AppProvider above. StrictMode unmounts and
 * mounts a component at once: then the component keeps its App, its input and its result.
 */
export function useApp(options) {
  const above = useContext(AppContext);
  const [state, setState] = useState(NONE);
  const held = useRef(undefined);
  useEffect(() => {
    if (!options) return undefined;
    const current = held.current ??= begin(options, setState);
    clearTimeout(current.closing);
    return () => {
      current.closing = setTimeout(() => {
        held.current = undefined;
        current.ended = true;
        current.app.close();
      });
    };
  }, []); // eslint-disable-line react-hooks/exhaustive-deps
  return options ? state : above;
}

const provide = (value, children) => createElement(AppContext.Provider, { value }, children);
const Made = ({ children, ...options }) => provide(useApp(options), children);
const Given = ({ children, app }) => {
  const [value] = useState(() => ({ app, isConnected: app.state === "READY", error: null }));
  return provide(value, children);
};

/** Makes an App as useApp does, or takes `app`, for all hooks below. */
export const AppProvider = (props) => createElement(props.app ? Given : Made, props);

// ---- Tools ------------------------------------------------------------------------------

/**
 * Registers a tool of the page while the component is there; the callback of the last
 * render runs. `config.enabled: false` hides it. Returns what runs it as the host would.
 */
export function useTool(name, config, callback) {
  const { enabled = true, title, description, inputSchema, outputSchema, annotations, _meta } =
    config;
  const latest = useRef(callback);
  const tool = useRef(undefined);
  useEffect(() => {
    latest.current = callback;
  });
  useEffect(() => {
    tool.current = registerTool(name, config, (...given) => latest.current(...given));
    return () => tool.current.remove();
  }, [name, inputSchema === undefined]); // eslint-disable-line react-hooks/exhaustive-deps
  useEffect(() => {
    tool.current.update(
      { enabled, title, description, inputSchema, outputSchema, annotations, _meta });
  }, [enabled, title, description, inputSchema, outputSchema, annotations, _meta]);
  const [call] = useState(() => (args) => tool.current.handler(args, {}));
  return call;
}

// ---- Styles -------------------------------------------------------------------------------

/** Applies what `apply(context)` does, with the first context and after each change. */
function useContextEffect(given, initial, apply) {
  const above = useContext(AppContext).app;
  const app = given === undefined ? above : given;
  const begun = useRef(false);
  useEffect(() => {
    const first = initial ?? app?.getHostContext();
    if (!first || begun.current) return;
    begun.current = true;
    apply(first);
  }, [initial, app]);
  useEffect(() => {
    if (!app) return undefined;
    app.addEventListener("hostcontextchanged", apply);
    return () => app.removeEventListener("hostcontextchanged", apply);
  }, [app]);
}

const applyVariables = ({ theme, styles }) => {
  if (theme) applyDocumentTheme(theme);
  if (styles?.variables) applyHostStyleVariables(styles.variables);
};
const applyFonts = ({ styles }) => {
  if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
};

/** Keeps the page at the host's theme and variables. `app` is the one above, if left out. */
export const useHostStyleVariables = (app, initialContext) =>
  useContextEffect(app, initialContext, applyVariables);

export const useHostFonts = (app, initialContext) =>
  useContextEffect(app, initialContext, applyFonts);

export function useHostStyles(app, initialContext) {
  useHostStyleVariables(app, initialContext);
  useHostFonts(app, initialContext);
}

/** "light" or "dark", as the page has it now. */
export const useDocumentTheme = () => useSyncExternalStore((tell) => {
  const observer = new MutationObserver(tell);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
  return () => observer.disconnect();
}, getDocumentTheme, () => "light");

/** Reports the size of the page, where `autoResize` was switched off. */
export function useAutoResize(app) {
  useEffect(() => app?.setupSizeChangedNotifications(), [app]);
}
