// SPDX-License-Identifier: Apache-2.0
//
// Hosts that give a widget the object window.openai (Apps SDK). Its members are what they
// are now; the event "openai:set_globals" says that some have changed. A host may have
// MCP Apps, too: then both ways are open, and the same result comes twice.

const globals = () => globalThis.openai;

// What such a host says, as the context of an MCP Apps host.
const contextOf = ({ theme, locale, maxHeight, displayMode, safeArea }) => ({
  theme, locale, displayMode, safeAreaInsets: safeArea?.insets,
  ...maxHeight > 0 && { containerDimensions: { maxHeight } },
});

/** Tells `heard(event, params)` of the context and the result now, and at each change. */
export function watchOpenai(heard) {
  const tell = () => {
    const all = globals();
    if (!all) return;
    heard("context", contextOf(all));
    const { toolOutput, toolResponseMetadata: _meta } = all;
    if (_meta?.["mica/error"]) heard("result", { isError: true, _meta });
    else if (toolOutput) heard("result", { structuredContent: toolOutput });
  };
  addEventListener("openai:set_globals", tell);
  tell();
}

/** The function of that name, bound; undefined where the host has none. */
export function openaiAct(name) {
  const all = globals();
  return typeof all?.[name] === "function" ? (...words) => all[name](...words) : undefined;
}
