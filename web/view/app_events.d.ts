// SPDX-License-Identifier: Apache-2.0
//
// The types of app_events.js.
import type { Events } from "./events.js";
import type {
  McpUiHostContextChangedNotification, McpUiToolCancelledNotification,
  McpUiToolInputNotification, McpUiToolInputPartialNotification, McpUiToolResultNotification,
} from "./types.js";

export type AppEventMap = {
  toolinput: McpUiToolInputNotification["params"];
  toolinputpartial: McpUiToolInputPartialNotification["params"];
  toolresult: McpUiToolResultNotification["params"];
  toolcancelled: McpUiToolCancelledNotification["params"];
  hostcontextchanged: McpUiHostContextChangedNotification["params"];
};

export declare const CONTEXT_CHANGED: "hostcontextchanged";
export declare const EVENTS: Record<keyof AppEventMap,
  [string, (params: any) => string | undefined]>;
export declare function wrongArguments(params: object): string | undefined;

export declare class AppEvents extends Events<AppEventMap> {
  constructor(report: (error: unknown) => void, late: (message: string) => void);
  forget(): void;
  receive(event: keyof AppEventMap, method: string, params: unknown): void;
}
