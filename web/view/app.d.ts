// SPDX-License-Identifier: Apache-2.0
//
// The types of app.js.
import type { AppEventMap } from "./app_events.js";
import { Peer, type RequestHandlerExtra, type RequestOptions, type Transport } from "./peer.js";
import type { RegisterTool } from "./tools.js";
import type {
  CallToolParams, CallToolResult, CreateMessageParams, CreateMessageResult, EmptyResult,
  Implementation, ListParams, ListResourcesResult, ListToolsResult, LoggingMessageParams,
  McpUiAppCapabilities, McpUiDownloadFileRequest, McpUiDownloadFileResult,
  McpUiHostCapabilities, McpUiHostContext, McpUiMessageRequest, McpUiMessageResult,
  McpUiOpenLinkRequest, McpUiOpenLinkResult, McpUiRequestDisplayModeRequest,
  McpUiRequestDisplayModeResult, McpUiResourceTeardownRequest, McpUiResourceTeardownResult,
  McpUiSizeChangedNotification, McpUiUpdateModelContextRequest, ReadResourceParams,
  ReadResourceResult,
} from "./types.js";

export type { AppEventMap } from "./app_events.js";
export type { AppToolCallback, AppToolResult, RegisteredAppTool } from "./tools.js";

export type AppOptions = {
  /** Reports the size of the page; on unless false. */
  autoResize?: boolean;
  /** A first listener of a one-shot event after the handshake throws instead of warning. */
  strict?: boolean;
  /** False: a request goes out even if the host has not said that it can answer it. */
  enforceStrictCapabilities?: boolean;
  /** For the official class alone: nothing here evaluates code. */
  allowUnsafeEval?: boolean;
  debouncedNotificationMethods?: string[];
};

export type AppState_ = "NEW" | "CONNECTING" | "READY" | "TEARDOWN" | "CLOSED";
type Handler<Event extends keyof AppEventMap> = ((params: AppEventMap[Event]) => void) | undefined;

export declare class App extends Peer {
  constructor(appInfo: Implementation, capabilities?: McpUiAppCapabilities, options?: AppOptions);
  get state(): AppState_;
  connect(transport?: Transport, options?: RequestOptions): Promise<void>;
  getHostCapabilities(): McpUiHostCapabilities | undefined;
  getHostVersion(): Implementation | undefined;
  getHostContext(): McpUiHostContext | undefined;

  ontoolinput: Handler<"toolinput">;
  ontoolinputpartial: Handler<"toolinputpartial">;
  ontoolresult: Handler<"toolresult">;
  ontoolcancelled: Handler<"toolcancelled">;
  onhostcontextchanged: Handler<"hostcontextchanged">;
  addEventListener<K extends keyof AppEventMap>(event: K,
    listener: (params: AppEventMap[K]) => void): void;
  removeEventListener<K extends keyof AppEventMap>(event: K,
    listener: (params: AppEventMap[K]) => void): void;

  onteardown: ((params: McpUiResourceTeardownRequest["params"], extra: RequestHandlerExtra) =>
    McpUiResourceTeardownResult | Promise<McpUiResourceTeardownResult>) | undefined;
  oncalltool: ((params: CallToolParams, extra: RequestHandlerExtra) =>
    Promise<CallToolResult>) | undefined;
  onlisttools: ((params: ListParams | undefined, extra: RequestHandlerExtra) =>
    Promise<ListToolsResult>) | undefined;
  registerTool: RegisterTool;

  callServerTool(params: CallToolParams, options?: RequestOptions): Promise<CallToolResult>;
  readServerResource(params: ReadResourceParams, options?: RequestOptions):
    Promise<ReadResourceResult>;
  listServerResources(params?: ListParams, options?: RequestOptions):
    Promise<ListResourcesResult>;
  createSamplingMessage(params: CreateMessageParams, options?: RequestOptions):
    Promise<CreateMessageResult>;
  openLink(params: McpUiOpenLinkRequest["params"], options?: RequestOptions):
    Promise<McpUiOpenLinkResult>;
  sendOpenLink: App["openLink"];
  downloadFile(params: McpUiDownloadFileRequest["params"], options?: RequestOptions):
    Promise<McpUiDownloadFileResult>;
  sendMessage(params: McpUiMessageRequest["params"], options?: RequestOptions):
    Promise<McpUiMessageResult>;
  updateModelContext(params?: McpUiUpdateModelContextRequest["params"],
    options?: RequestOptions): Promise<EmptyResult>;
  requestDisplayMode(params: McpUiRequestDisplayModeRequest["params"],
    options?: RequestOptions): Promise<McpUiRequestDisplayModeResult>;
  sendLog(params: LoggingMessageParams): Promise<void>;
  sendSizeChanged(params: McpUiSizeChangedNotification["params"]): Promise<void>;
  sendToolListChanged(params?: { [key: string]: unknown }): Promise<void>;
  requestTeardown(params?: { [key: string]: unknown }): Promise<void>;
  setupSizeChangedNotifications(): () => void;
}
