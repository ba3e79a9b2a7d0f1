// SPDX-License-Identifier: Apache-2.0
//
// What a view is told about the page: its theme, its language, its device.

const dark = matchMedia("(prefers-color-scheme: dark)");

// Variables of the protocol: those of design.css. What is not here, a view has itself.
const VARIABLES = {
  "--color-background-primary": "--sheet",
  "--color-background-secondary": "--page",
  "--color-background-tertiary": "--sunk",
  "--color-background-inverse": "--ink",
  "--color-background-info": "--accent-wash",
  "--color-background-danger": "--bad-wash",
  "--color-background-success": "--accent-wash",
  "--color-background-disabled": "--sunk",
  "--color-text-primary": "--ink",
  "--color-text-secondary": "--soft",
  "--color-text-tertiary": "--faint",
  "--color-text-inverse": "--sheet",
  "--color-text-info": "--accent",
  "--color-text-danger": "--bad",
  "--color-text-success": "--accent",
  "--color-text-disabled": "--faint",
  "--color-border-primary": "--edge",
  "--color-border-secondary": "--line",
  "--color-border-tertiary": "--line",
  "--color-border-inverse": "--ink",
  "--color-border-danger": "--bad",
  "--color-ring-primary": "--accent",
  "--color-ring-danger": "--bad",
  "--font-sans": "--sans",
  "--font-mono": "--mono",
  "--font-text-xs-size": "--text-1",
  "--font-text-sm-size": "--text-2",
  "--font-text-md-size": "--text-3",
  "--font-text-lg-size": "--text-4",
  "--font-heading-md-size": "--text-4",
  "--font-heading-lg-size": "--text-5",
  "--font-heading-xl-size": "--text-6",
  "--font-heading-2xl-size": "--text-7",
  "--border-radius-sm": "--radius-small",
  "--border-radius-md": "--radius",
};

// The word of a variable for one theme: design.css has both in light-dark().
const wordOf = (text, theme) => {
  const [, light, other] = /^light-dark\(([^,]+),\s*([^)]+)\)$/.exec(text) ?? [];
  return light === undefined ? text : theme === "dark" ? other : light;
};

/** Theme and style variables, as the host context has them. */
export function appearance(theme = dark.matches ? "dark" : "light") {
  const style = getComputedStyle(document.documentElement);
  const variables = {};
  for (const [name, own] of Object.entries(VARIABLES))
    variables[name] = wordOf(style.getPropertyValue(own).trim(), theme);
  return { theme, styles: { variables } };
}

/** The context of a view that is about to open, as wide as `container`; `tool` is undefined
 * for the view of a form. */
export const contextOf = (tool, container) => ({
  ...appearance(),
  ...tool && { toolInfo: { tool } },
  displayMode: "inline",
  availableDisplayModes: tool ? ["inline", "fullscreen"] : ["inline"],
  containerDimensions: { maxWidth: container.clientWidth, maxHeight: innerHeight },
  locale: navigator.language,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  userAgent: "mica-host",
  platform: "web",
  deviceCapabilities: { touch: navigator.maxTouchPoints > 0,
    hover: matchMedia("(hover: hover)").matches },
});

/** Calls `changed` when the theme of the browser is another. */
export const onTheme = (changed) => dark.addEventListener("change", changed);
