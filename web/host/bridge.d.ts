// SPDX-License-Identifier: Apache-2.0
//
// The types of bridge.js. What the official AppBridge has, can be assigned to it and from it.
import type { Peer, RequestHandlerExtra, RequestOptions } from "../view/peer.js";
import type { CallToolParams, CallToolResult, CreateMessageParams,
  EmbeddedResource, Implementation, ListParams, ListResourcesResult, ListToolsResult,
  LoggingMessageParams, McpUiAppCapabilities, McpUiDownloadFileRequest,
  McpUiDownloadFileResult, McpUiHostCapabilities, McpUiHostContext, McpUiMessageRequest,
  McpUiMessageResult, McpUiOpenLinkRequest, McpUiOpenLinkResult,
  McpUiRequestDisplayModeRequest, McpUiRequestDisplayModeResult, McpUiResourcePermissions,
  McpUiSandboxResourceReadyNotification, McpUiToolCancelledNotification,
  McpUiToolInputNotification, McpUiUpdateModelContextRequest, ReadResourceParams,
  ReadResourceResult, ResourceLink, Tool } from "../view/types.js";

export * from "../view/types.js";
export type { RequestHandlerExtra, RequestOptions, Transport } from "../view/peer.js";
export { ProtocolError, SdkError } from "../view/peer.js";
export { PostMessageTransport } from "../view/transport.js";
export { LATEST_PROTOCOL_VERSION, RESOURCE_MIME_TYPE, RESOURCE_URI_META_KEY }
  from "../view/protocol.js";

export declare const SUPPORTED_PROTOCOL_VERSIONS: string[];

/** What one view may take of its host; a host may change them before it makes a bridge. */
export declare const limits: {
  queued: number;
  tools: number;
  toolSize: number;
  toolName: number;
  toolText: number;
  callMs: number;
  resultSize: number;
  teardownMs: number;
  rate: number;
  burst: number;
  refused: number;
  changedMs: number;
  listedMs: number;
  pages: number;
};

/** The MCP client whose server a view asks: the official one, or one with its methods. */
export interface BridgeClient {
  getServerCapabilities(): { tools?: object; resources?: object; prompts?: object } | undefined;
  request(request: any, options?: any): Promise<any>;
  setNotificationHandler(method: any, handler: any): void;
}

export type HostOptions = { hostContext?: McpUiHostContext };

/** What handlers may rely on in both packages. */
export type HostHandlerExtra = { mcpReq: Pick<RequestHandlerExtra["mcpReq"],
  "id" | "method" | "signal"> };

// Compared as methods are: a handler may leave out what it does not need.
type Handler<Params, Result> = {
  handle(params: Params, extra: HostHandlerExtra): Promise<Result>;
}["handle"] | undefined;
type Listener<Params> = ((params: Params) => void) | undefined;

export type AppBridgeEventMap = {
  sizechange: { width?: number; height?: number };
  sandboxready: {};
  initialized: {} | undefined;
  requestteardown: {} | undefined;
  loggingmessage: LoggingMessageParams;
  /** The tools of the view have changed: list them again. */
  toolschanged: {};
};

export declare class AppBridge extends Peer {
  constructor(client: BridgeClient | null, hostInfo: Implementation,
    hostCapabilities: McpUiHostCapabilities, options?: HostOptions);

  /** LOADING, HANDSHAKE, LIVE, TEARDOWN or CLOSED. */
  readonly state: "LOADING" | "HANDSHAKE" | "LIVE" | "TEARDOWN" | "CLOSED";
  /** What the view last gave for the model, until it is torn down. */
  readonly modelContext: McpUiUpdateModelContextRequest["params"] | undefined;

  getAppCapabilities(): McpUiAppCapabilities | undefined;
  getAppVersion(): Implementation | undefined;
  getCapabilities(): McpUiHostCapabilities;
  getHostContext(): McpUiHostContext;
  setHostContext(hostContext: McpUiHostContext): void;

  addEventListener<K extends keyof AppBridgeEventMap>(event: K,
    handler: (params: AppBridgeEventMap[K]) => void): void;
  removeEventListener<K extends keyof AppBridgeEventMap>(event: K,
    handler: (params: AppBridgeEventMap[K]) => void): void;

  onping?: (params: any, extra: any) => void;
  get onsizechange(): Listener<AppBridgeEventMap["sizechange"]>;
  set onsizechange(listener: Listener<AppBridgeEventMap["sizechange"]>);
  get onsandboxready(): Listener<AppBridgeEventMap["sandboxready"]>;
  set onsandboxready(listener: Listener<AppBridgeEventMap["sandboxready"]>);
  get oninitialized(): Listener<AppBridgeEventMap["initialized"]>;
  set oninitialized(listener: Listener<AppBridgeEventMap["initialized"]>);
  get onrequestteardown(): Listener<AppBridgeEventMap["requestteardown"]>;
  set onrequestteardown(listener: Listener<AppBridgeEventMap["requestteardown"]>);
  get onloggingmessage(): Listener<AppBridgeEventMap["loggingmessage"]>;
  set onloggingmessage(listener: Listener<AppBridgeEventMap["loggingmessage"]>);
  get ontoolschanged(): Listener<AppBridgeEventMap["toolschanged"]>;
  set ontoolschanged(listener: Listener<AppBridgeEventMap["toolschanged"]>);

  onmessage: Handler<McpUiMessageRequest["params"], McpUiMessageResult>;
  onopenlink: Handler<McpUiOpenLinkRequest["params"], McpUiOpenLinkResult>;
  ondownloadfile: Handler<McpUiDownloadFileRequest["params"], McpUiDownloadFileResult>;
  onrequestdisplaymode: Handler<McpUiRequestDisplayModeRequest["params"],
    McpUiRequestDisplayModeResult>;
  onupdatemodelcontext: Handler<McpUiUpdateModelContextRequest["params"], any>;
  oncreatesamplingmessage: Handler<CreateMessageParams, any>;
  oncalltool: Handler<CallToolParams, CallToolResult>;
  onlisttools: Handler<ListParams | undefined, ListToolsResult>;
  onlistresources: Handler<ListParams | undefined, ListResourcesResult>;
  onlistresourcetemplates: Handler<ListParams | undefined, any>;
  onreadresource: Handler<ReadResourceParams, ReadResourceResult>;
  onlistprompts: Handler<ListParams | undefined, any>;

  sendToolInput(params: McpUiToolInputNotification["params"]): Promise<void>;
  sendToolInputPartial(params: McpUiToolInputNotification["params"]): Promise<void>;
  sendToolResult(params: CallToolResult): Promise<void>;
  sendToolCancelled(params: McpUiToolCancelledNotification["params"]): Promise<void>;
  sendHostContextChange(params: McpUiHostContext): Promise<void> | void;
  sendSandboxResourceReady(params: McpUiSandboxResourceReadyNotification["params"]):
    Promise<void>;
  sendToolListChanged(params?: any): Promise<void>;
  sendResourceListChanged(params?: any): Promise<void>;
  sendPromptListChanged(params?: any): Promise<void>;

  /** Resolves to the view's answer; to {} if it has none within `timeout` ms (2000). */
  teardownResource(params?: {}, options?: RequestOptions): Promise<Record<string, unknown>>;
  sendResourceTeardown(params?: {}, options?: RequestOptions): Promise<Record<string, unknown>>;

  /** Calls a tool of the view: 30 s and 10 MB, if the options say nothing else. */
  callTool(params: CallToolParams, options?: RequestOptions): Promise<CallToolResult>;
  /** A page of the view's tools, at most 50 in all, without hidden characters. */
  listTools(params?: ListParams, options?: RequestOptions): Promise<ListToolsResult>;
  /** The names that the proposal of these tools had. */
  sendCallTool(params: CallToolParams, options?: RequestOptions): Promise<CallToolResult>;
  sendListTools(params?: ListParams, options?: RequestOptions): Promise<ListToolsResult>;

  /** Reports an error that no caller waits for, by `onerror`. */
  report(error: Error): void;
}

/** The address of a tool's view; throws if it is not a `ui://` address. */
export declare function getToolUiResourceUri(tool: Partial<Tool>): string | undefined;
export declare function isToolVisibilityModelOnly(tool: Partial<Tool>): boolean;
export declare function isToolVisibilityAppOnly(tool: Partial<Tool>): boolean;
/** Whether a view may call the tool. */
export declare function isToolVisibleToApp(tool: Partial<Tool>): boolean;

export declare function buildAllowAttribute(
  permissions: McpUiResourcePermissions | undefined): string;
/** The name under which a content of ui/download-file may be saved: a name, not a path. */
export declare function downloadName(content: EmbeddedResource | ResourceLink): string;
