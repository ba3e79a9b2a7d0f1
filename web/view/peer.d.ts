// SPDX-License-Identifier: Apache-2.0
//
// The types of peer.js.
import type { RequestId, RequestMeta, StandardSchemaV1 } from "./types.js";

export declare const limits: { size: number; depth: number; open: number };

/** An error of this end: `code` is a word. */
export declare class SdkError extends Error {
  readonly code: string;
  readonly data?: any;
  constructor(code: string, message: string, data?: unknown);
}

/** An error reply: `code` is an integer of JSON-RPC. */
export declare class ProtocolError extends Error {
  readonly code: number;
  readonly data?: any;
  constructor(code: number, message: string, data?: unknown);
}

export interface RequestOptions {
  timeout?: number;
  maxTotalTimeout?: number;
  resetTimeoutOnProgress?: boolean;
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

export interface Request {
  method: string;
  params?: { [key: string]: unknown };
}

/** What a handler of a request gets besides its parameters. */
export interface RequestHandlerExtra {
  signal: AbortSignal;
  requestId: RequestId;
  _meta?: RequestMeta;
  sendNotification(notification: Request): Promise<void>;
  sendRequest(request: Request, options?: RequestOptions): Promise<any>;
  mcpReq: {
    id: RequestId;
    method: string;
    _meta?: RequestMeta;
    signal: AbortSignal;
    notify(notification: Request): Promise<void>;
    send(request: Request, options?: RequestOptions): Promise<any>;
  };
}

export interface Transport {
  start(): Promise<void>;
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: any, extra?: any) => void) | undefined;
}

export declare function asJson(value: unknown, most?: number): unknown;
export declare function kindOf(message: unknown):
  "request" | "notification" | "result" | "error" | undefined;
export declare function isObject(value: unknown): value is Record<string, unknown>;
export declare function methodOf(method: string | object): string;
export declare function invalidParams(method: string, why: string): ProtocolError;
export declare function parse(schema: StandardSchemaV1, value: unknown,
  fail: (why: string) => Error): Promise<unknown>;

type RequestHandler = (request: any, extra: RequestHandlerExtra) => unknown;
type NotificationHandler = (notification: any) => unknown;

export declare class Peer {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  fallbackRequestHandler?: RequestHandler;
  fallbackNotificationHandler?: NotificationHandler;
  get transport(): Transport | undefined;
  setRequestHandler(method: string | object, handler: RequestHandler): void;
  setRequestHandler(method: string, schemas: { params?: StandardSchemaV1; result?: unknown },
    handler: RequestHandler): void;
  removeRequestHandler(method: string): void;
  hasRequestHandler(method: string): boolean;
  setNotificationHandler(method: string | object, handler: NotificationHandler): void;
  setNotificationHandler(method: string, schemas: { params?: StandardSchemaV1 },
    handler: NotificationHandler): void;
  removeNotificationHandler(method: string): void;
  hasNotificationHandler(method: string): boolean;
  connect(transport: Transport, options?: RequestOptions): Promise<void>;
  close(): Promise<void>;
  notification(notification: Request): Promise<void>;
  request(request: Request, options?: RequestOptions): Promise<any>;
  request(request: Request, schema: unknown, options?: RequestOptions): Promise<any>;
  /** For what is made of a peer: whether a message is looked at. */
  admit(message: unknown): boolean;
  /** For what is made of a peer: what its handlers get of a message. */
  clean(message: any): any;
  /** For what is made of a peer: the connection has been closed. */
  ended(): void;
  awaits(id: RequestId): boolean;
  abandon(reason?: unknown): void;
}
