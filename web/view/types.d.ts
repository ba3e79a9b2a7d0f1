// SPDX-License-Identifier: Apache-2.0
//
// The types of MCP and of MCP Apps that views and hosts speak in. Those that
// @modelcontextprotocol/ext-apps has too are assignable to its own, and its own to these.
import type { STYLE_VARIABLES } from "./protocol.js";

// ---- MCP -------------------------------------------------------------------------

export type Meta = { [key: string]: unknown };
export type JSONValue = string | number | boolean | null | JSONValue[] |
  { [key: string]: JSONValue };
export type RequestId = string | number;
export type ProgressToken = string | number;

export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: "light" | "dark";
}

export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

export interface ContentAnnotations {
  audience?: ("user" | "assistant")[];
  priority?: number;
  lastModified?: string;
}

interface Block {
  annotations?: ContentAnnotations;
  _meta?: Meta;
}

export interface TextContent extends Block {
  type: "text";
  text: string;
}

export interface ImageContent extends Block {
  type: "image";
  data: string;
  mimeType: string;
}

export interface AudioContent extends Block {
  type: "audio";
  data: string;
  mimeType: string;
}

export interface Resource extends Block {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  icons?: Icon[];
}

export interface ResourceLink extends Resource {
  type: "resource_link";
}

export type ResourceContents = { uri: string; mimeType?: string; _meta?: Meta } &
  ({ text: string } | { blob: string });

export interface EmbeddedResource extends Block {
  type: "resource";
  resource: ResourceContents;
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink |
  EmbeddedResource;

export interface ResultMeta extends Meta {
  "io.modelcontextprotocol/serverInfo"?: Implementation;
}

export interface Result {
  _meta?: ResultMeta;
  [key: string]: unknown;
}

export interface EmptyResult {
  _meta?: ResultMeta;
}

export interface CallToolResult extends Result {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
}

export interface RequestMeta extends Meta {
  progressToken?: ProgressToken;
  "io.modelcontextprotocol/related-task"?: { taskId: string };
}

export interface CallToolParams {
  name: string;
  arguments?: { [key: string]: unknown };
  task?: { ttl?: number };
  _meta?: RequestMeta;
}

export interface ListParams {
  cursor?: string;
  _meta?: RequestMeta;
}

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: {
    type: "object";
    properties?: { [key: string]: JSONValue };
    required?: string[];
    [key: string]: unknown;
  };
  outputSchema?: { type?: string; [key: string]: unknown };
  annotations?: ToolAnnotations;
  icons?: Icon[];
  execution?: { taskSupport?: "optional" | "required" | "forbidden" };
  _meta?: Meta;
}

export interface ListToolsResult extends Result {
  tools: Tool[];
  nextCursor?: string;
}

export interface ReadResourceParams {
  uri: string;
  _meta?: RequestMeta;
}

export interface ReadResourceResult extends Result {
  contents: ResourceContents[];
}

export interface ListResourcesResult extends Result {
  resources: Resource[];
  nextCursor?: string;
}

export interface CreateMessageParams {
  messages: { role: "user" | "assistant"; content: any; _meta?: Meta }[];
  maxTokens: number;
  systemPrompt?: string;
  tools?: Tool[];
  [key: string]: any;
}

export interface CreateMessageResult extends Result {
  model: string;
  role: "user" | "assistant";
  content: any;
  stopReason?: string;
}

export interface LoggingMessageParams {
  level: "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";
  logger?: string;
  data: unknown;
  _meta?: RequestMeta;
}

// ---- Standard Schema (https://standardschema.dev) -----------------------------------

export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown, options?: {
      readonly libraryOptions?: Record<string, unknown> | undefined;
    } | undefined) => StandardSchemaV1.Result<Output> | Promise<StandardSchemaV1.Result<Output>>;
  };
}

export declare namespace StandardSchemaV1 {
  export type Result<Output> =
    { readonly value: Output; readonly issues?: undefined } |
    { readonly issues: ReadonlyArray<Issue> };
  export interface Issue {
    readonly message: string;
    readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
  }
  export type InferOutput<Schema extends StandardSchemaV1> =
    NonNullable<Schema["~standard"]["types"]>["output"];
}

/** Plain JSON Schema, for what schema.js knows of it. */
export interface JsonSchema {
  readonly "~standard"?: undefined;
  readonly [keyword: string]: unknown;
}

// ---- MCP Apps ----------------------------------------------------------------------

export type McpUiTheme = "light" | "dark";
export type McpUiDisplayMode = "inline" | "fullscreen" | "pip";
export type McpUiStyleVariableKey = (typeof STYLE_VARIABLES)[number];
export type McpUiStyles = Record<McpUiStyleVariableKey, string | undefined>;
export type McpUiToolVisibility = "model" | "app";

export interface McpUiHostCss {
  fonts?: string;
}

export interface McpUiHostStyles {
  variables?: McpUiStyles;
  css?: McpUiHostCss;
}

export interface McpUiHostContext {
  toolInfo?: { id?: RequestId; tool: Tool };
  theme?: McpUiTheme;
  styles?: McpUiHostStyles;
  displayMode?: McpUiDisplayMode;
  availableDisplayModes?: McpUiDisplayMode[];
  containerDimensions?: ({ height: number } | { maxHeight?: number | undefined }) &
    ({ width: number } | { maxWidth?: number | undefined });
  locale?: string;
  timeZone?: string;
  userAgent?: string;
  platform?: "web" | "desktop" | "mobile";
  deviceCapabilities?: { touch?: boolean; hover?: boolean };
  safeAreaInsets?: { top: number; right: number; bottom: number; left: number };
  [key: string]: unknown;
}

export interface McpUiSupportedContentBlockModalities {
  text?: {};
  image?: {};
  audio?: {};
  resource?: {};
  resourceLink?: {};
  structuredContent?: {};
}

export interface McpUiResourceCsp {
  connectDomains?: string[];
  resourceDomains?: string[];
  frameDomains?: string[];
  baseUriDomains?: string[];
}

export interface McpUiResourcePermissions {
  camera?: {};
  microphone?: {};
  geolocation?: {};
  clipboardWrite?: {};
}

export interface McpUiResourceMeta {
  csp?: McpUiResourceCsp;
  permissions?: McpUiResourcePermissions;
  domain?: string;
  prefersBorder?: boolean;
}

export interface McpUiToolMeta {
  resourceUri?: string;
  visibility?: McpUiToolVisibility[];
  csp?: never;
  permissions?: never;
}

export interface McpUiClientCapabilities {
  mimeTypes?: string[];
  /** Its views answer forms (SEP-3118, a draft). */
  elicitation?: {};
}

export interface McpUiHostCapabilities {
  experimental?: Record<string, object>;
  openLinks?: {};
  downloadFile?: {};
  serverTools?: { listChanged?: boolean };
  serverResources?: { listChanged?: boolean };
  logging?: {};
  sandbox?: { permissions?: McpUiResourcePermissions; csp?: McpUiResourceCsp };
  updateModelContext?: McpUiSupportedContentBlockModalities;
  message?: McpUiSupportedContentBlockModalities;
  sampling?: { tools?: {} };
  /** The view was opened to answer a form (SEP-3118, a draft). */
  elicitation?: {};
}

export interface McpUiAppCapabilities {
  experimental?: Record<string, object>;
  tools?: { listChanged?: boolean };
  availableDisplayModes?: McpUiDisplayMode[];
  /** It answers forms (SEP-3118, a draft). */
  elicitation?: {};
}

/** The params of elicitation/create with a form, as of MCP. */
export interface ElicitRequestFormParams {
  mode?: "form";
  message: string;
  requestedSchema: {
    type: "object";
    properties: { [name: string]: unknown };
    required?: string[];
    [key: string]: unknown;
  };
  _meta?: { [key: string]: unknown };
  [key: string]: unknown;
}

export interface ElicitResult {
  action: "accept" | "decline" | "cancel";
  content?: { [name: string]: string | number | boolean | string[] };
  [key: string]: unknown;
}

interface Message<Method extends string, Params> {
  method: Method;
  params: Params;
}

interface BareMessage<Method extends string> {
  method: Method;
  params?: {};
}

interface MaybeError {
  isError?: boolean;
  [key: string]: unknown;
}

export type McpUiInitializeRequest = Message<"ui/initialize", {
  appInfo: Implementation;
  appCapabilities: McpUiAppCapabilities;
  protocolVersion: string;
}>;
export interface McpUiInitializeResult {
  protocolVersion: string;
  hostInfo: Implementation;
  hostCapabilities: McpUiHostCapabilities;
  hostContext: McpUiHostContext;
  [key: string]: unknown;
}
export type McpUiInitializedNotification = BareMessage<"ui/notifications/initialized">;
export type McpUiOpenLinkRequest = Message<"ui/open-link", { url: string }>;
export type McpUiOpenLinkResult = MaybeError;
export type McpUiDownloadFileRequest = Message<"ui/download-file", {
  contents: (EmbeddedResource | ResourceLink)[];
}>;
export type McpUiDownloadFileResult = MaybeError;
export type McpUiMessageRequest = Message<"ui/message", {
  role: "user";
  content: ContentBlock[];
}>;
export type McpUiMessageResult = MaybeError;
export type McpUiUpdateModelContextRequest = Message<"ui/update-model-context", {
  content?: ContentBlock[];
  structuredContent?: Record<string, unknown>;
}>;
export type McpUiRequestDisplayModeRequest = Message<"ui/request-display-mode", {
  mode: McpUiDisplayMode;
}>;
export interface McpUiRequestDisplayModeResult {
  mode: McpUiDisplayMode;
  [key: string]: unknown;
}
export type McpUiSizeChangedNotification = Message<"ui/notifications/size-changed", {
  width?: number;
  height?: number;
}>;
export type McpUiRequestTeardownNotification =
  BareMessage<"ui/notifications/request-teardown">;
export type McpUiToolInputNotification = Message<"ui/notifications/tool-input", {
  arguments?: Record<string, unknown>;
}>;
export type McpUiToolInputPartialNotification = Message<"ui/notifications/tool-input-partial", {
  arguments?: Record<string, unknown>;
}>;
export type McpUiToolResultNotification = Message<"ui/notifications/tool-result", CallToolResult>;
export type McpUiToolCancelledNotification = Message<"ui/notifications/tool-cancelled", {
  reason?: string;
}>;
export type McpUiHostContextChangedNotification =
  Message<"ui/notifications/host-context-changed", McpUiHostContext>;
export type McpUiResourceTeardownRequest = Message<"ui/resource-teardown", {}>;
export interface McpUiResourceTeardownResult {
  [key: string]: unknown;
}
export type McpUiSandboxProxyReadyNotification =
  Message<"ui/notifications/sandbox-proxy-ready", {}>;
export type McpUiSandboxResourceReadyNotification =
  Message<"ui/notifications/sandbox-resource-ready", {
    html: string;
    sandbox?: string;
    csp?: McpUiResourceCsp;
    permissions?: McpUiResourcePermissions;
  }>;
