// SPDX-License-Identifier: Apache-2.0
//
// The types of styles.js.
import type { McpUiHostContext, McpUiStyles, McpUiTheme } from "./types.js";

export declare function getDocumentTheme(): McpUiTheme;
export declare function applyDocumentTheme(theme: McpUiTheme): void;
export declare function applyHostStyleVariables(styles: McpUiStyles, root?: HTMLElement): void;
export declare function applyHostFonts(fontCss: string): void;
export declare function applyHostContext(context?: McpUiHostContext): void;
