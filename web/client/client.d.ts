// SPDX-License-Identifier: Apache-2.0
//
// The types of client.js. What the official Client has under the same names, can be used alike.
import type { CallToolParams, CallToolResult, Implementation, ListParams, ListResourcesResult,
  ListToolsResult, ReadResourceParams, ReadResourceResult, Tool } from "../view/types.js";

export type { CallToolParams, CallToolResult, Implementation, Tool } from "../view/types.js";
export { ProtocolError, SdkError } from "../view/peer.js";

/** The newest first. */
export declare const SUPPORTED_PROTOCOL_VERSIONS: string[];

export interface HttpTransportOptions {
  type?: "http";
  url: string | URL;
  /** Sent with every request: { Authorization: "Bearer …" }. */
  headers?: Record<string, string>;
  fetch?: typeof globalThis.fetch;
}

export interface ConnectOptions {
  /** This revision alone; without it the newest that both sides speak. */
  protocolVersion?: string;
  signal?: AbortSignal;
  timeout?: number;
}

export interface ClientRequestOptions {
  signal?: AbortSignal;
  /** In milliseconds; 60,000 unless it is given. */
  timeout?: number;
  maxTotalTimeout?: number;
  resetTimeoutOnProgress?: boolean;
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

export interface ClientHandlerExtra {
  signal: AbortSignal;
  mcpReq: { method: string; signal: AbortSignal };
}

type Message = { method: string; params?: any };
type RequestHandler = (request: Message, extra: ClientHandlerExtra) => unknown;
type NotificationHandler = (notification: Message) => unknown;

/** A list that is also its own member, as results of the official Client have it. */
export type Listed<Name extends string, Item> = Item[] & { [name in Name]: Item[] } &
  { nextCursor?: string; [other: string]: unknown };

type Resource = NonNullable<ListResourcesResult["resources"]>[number];

export declare class Client {
  constructor(info: Implementation, options?: { capabilities?: { [name: string]: any } });
  onclose?: () => void;
  onerror?: (error: Error) => void;
  fallbackNotificationHandler?: NotificationHandler;

  connect(to: { transport: HttpTransportOptions } | HttpTransportOptions,
    options?: ConnectOptions): Promise<void>;
  close(): Promise<void>;

  getServerCapabilities(): { [name: string]: any } | undefined;
  getServerVersion(): Implementation | undefined;
  getInstructions(): string | undefined;
  getNegotiatedProtocolVersion(): string | undefined;

  setRequestHandler(method: string, handler: RequestHandler): void;
  removeRequestHandler(method: string): void;
  setNotificationHandler(method: string, handler: NotificationHandler): void;
  removeNotificationHandler(method: string): void;

  request(request: Message, options?: ClientRequestOptions): Promise<any>;
  request(request: Message, schema: unknown, options?: ClientRequestOptions): Promise<any>;
  notification(notification: Message): Promise<void>;
  ping(options?: ClientRequestOptions): Promise<object>;

  /** One page where `params` has a cursor, else the whole list. */
  listTools(params?: ListParams, options?: ClientRequestOptions):
    Promise<Listed<"tools", ListToolsResult["tools"][number]>>;
  callTool(params: CallToolParams, options?: ClientRequestOptions): Promise<CallToolResult>;
  callTool(params: CallToolParams, schema: unknown, options?: ClientRequestOptions):
    Promise<CallToolResult>;
  listResources(params?: ListParams, options?: ClientRequestOptions):
    Promise<Listed<"resources", Resource>>;
  listResourceTemplates(params?: ListParams, options?: ClientRequestOptions):
    Promise<Listed<"resourceTemplates", { uriTemplate: string; name: string; [name: string]: any }>>;
  readResource(params: ReadResourceParams, options?: ClientRequestOptions):
    Promise<ReadResourceResult>;
  subscribeResource(params: { uri: string }): Promise<object>;
  unsubscribeResource(params: { uri: string }): Promise<object>;
  listPrompts(params?: ListParams, options?: ClientRequestOptions):
    Promise<Listed<"prompts", { name: string; [name: string]: any }>>;
  getPrompt(params: { name: string; arguments?: Record<string, string> },
    options?: ClientRequestOptions): Promise<{ messages: any[]; [name: string]: any }>;
  complete(params: { ref: object; argument: object; [name: string]: any },
    options?: ClientRequestOptions): Promise<any>;
  setLoggingLevel(level: string, options?: ClientRequestOptions): Promise<object>;
}
