// SPDX-License-Identifier: Apache-2.0
//
// The host's theme, CSS variables and fonts, applied to the page.
const FONTS = "__mcp-host-fonts"; // id of the style element

/** "light" or "dark": what the page says of itself. */
export function getDocumentTheme() {
  const root = document.documentElement;
  const theme = root.getAttribute("data-theme");
  if (theme === "dark" || theme === "light") return theme;
  return root.classList.contains("dark") ? "dark" : "light";
}

/** Sets the theme. A name that is neither of the two is left to the page's own styles. */
export function applyDocumentTheme(theme) {
  const root = document.documentElement;
  root.setAttribute("data-theme", theme);
  root.style.colorScheme = theme === "dark" || theme === "light" ? theme : "";
}

/** Sets the CSS variables that `styles` has; the others stay as they are. */
export function applyHostStyleVariables(styles, root = document.documentElement) {
  for (const [name, value] of Object.entries(styles))
    if (value !== undefined) root.style.setProperty(name, value);
}

/** Adds the host's font rules, once for a page. */
export function applyHostFonts(css) {
  if (document.getElementById(FONTS)) return;
  const style = document.createElement("style");
  style.id = FONTS;
  style.textContent = css;
  document.head.append(style);
}

/** Applies what a host context has of all three. */
export function applyHostContext({ theme, styles } = {}) {
  if (theme) applyDocumentTheme(theme);
  if (styles?.variables) applyHostStyleVariables(styles.variables);
  if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
}
