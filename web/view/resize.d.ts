// SPDX-License-Identifier: Apache-2.0
//
// The types of resize.js.
import type { McpUiHostContext, McpUiSizeChangedNotification } from "./types.js";

export declare function autoResize(
  send: (size: McpUiSizeChangedNotification["params"]) => unknown,
  context: () => McpUiHostContext | undefined,
  failed: (error: unknown) => void,
): { (): void; again: () => void };
