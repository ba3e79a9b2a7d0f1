// SPDX-License-Identifier: Apache-2.0
//
// The types of react.js.
import type { ReactElement, ReactNode, RefObject } from "react";
import type { App, AppOptions } from "./app.js";
import type { AnySchema, AppToolCallback, ToolConfig } from "./tools.js";
import type {
  CallToolResult, Implementation, McpUiAppCapabilities, McpUiHostContext, McpUiTheme,
} from "./types.js";

export * from "./index.js";

export interface UseAppOptions extends Pick<AppOptions, "autoResize" | "strict"> {
  appInfo: Implementation;
  capabilities?: McpUiAppCapabilities;
  onAppCreated?: (app: App) => void;
}

export interface AppState {
  app: App | null;
  isConnected: boolean;
  error: Error | null;
}

/** Without options: the App of the AppProvider above. */
export declare function useApp(options?: UseAppOptions): AppState;
export declare function AppProvider(props: ({ app: App } | (UseAppOptions & { app?: undefined })) &
  { children?: ReactNode }): ReactElement;

export declare function useTool<Out extends AnySchema | undefined = undefined,
  In extends AnySchema | undefined = undefined>(name: string,
  config: ToolConfig<In, Out> & { enabled?: boolean }, callback: AppToolCallback<In, Out>):
  (args?: unknown) => Promise<CallToolResult>;
export declare function useToolInput<Arguments = Record<string, unknown>>(
  options?: { partial?: boolean }): Arguments | undefined;
export declare function useToolResult<R = CallToolResult>(): R | undefined;
export declare function useToolCancelled(): { reason?: string } | undefined;
export declare function useHostContext(): McpUiHostContext | undefined;

export declare function useHostStyleVariables(app?: App | null,
  initialContext?: McpUiHostContext | null): void;
export declare function useHostFonts(app?: App | null,
  initialContext?: McpUiHostContext | null): void;
export declare function useHostStyles(app?: App | null,
  initialContext?: McpUiHostContext | null): void;
export declare function useDocumentTheme(): McpUiTheme;
export declare function useAutoResize(app: App | null,
  elementRef?: RefObject<HTMLElement | null>): void;
