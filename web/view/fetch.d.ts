// SPDX-License-Identifier: Apache-2.0
import type { App } from "./app.js";

export declare const HTTP_REQUEST_TOOL_NAME = "http_request";

/** Which requests are carried, under the names of ext-apps PR #425. */
export interface McpHttpOptions {
  /** Beginnings of paths; without them every path of the view's own server. */
  interceptPaths?: string[];
  /** Origins that count as the view's own server: https://api.example.com. */
  origins?: string[];
  /** Carries addresses of every origin as they are. A server of mica refuses them. */
  allowAbsoluteUrls?: boolean;
  interceptEnabled?: () => boolean;
  /** Decides in place of the paths. */
  shouldIntercept?: (url: URL, request: Request) => boolean;
  /** Whether a host carries calls; without it, what the host has declared. */
  isMcpApp?: () => boolean;
  /** Without a host the browser sends the request, unless this is false. */
  fallbackToNative?: boolean;
  toolName?: string;
  timeoutMs?: number;
  /** In place of those of the page. */
  fetch?: typeof globalThis.fetch;
  XMLHttpRequest?: typeof globalThis.XMLHttpRequest;
  /** Puts the replacement in the place of the page's, unless this is false. */
  installGlobal?: boolean;
}

export interface McpHttpHandleBase {
  /** Lets the browser send all requests, until start(). */
  stop(): void;
  start(): void;
  isActive(): boolean;
  /** Gives the names of the page back, for good. */
  restore(): void;
}

export interface McpFetchHandle extends McpHttpHandleBase {
  fetch: typeof globalThis.fetch;
}

export interface McpXhrHandle extends McpHttpHandleBase {
  XMLHttpRequest: typeof globalThis.XMLHttpRequest;
}

export interface McpHttpHandle extends McpFetchHandle {
  XMLHttpRequest?: typeof globalThis.XMLHttpRequest;
}

/** What of an App is used. */
export type RequestCaller = Pick<App, "callServerTool" | "getHostCapabilities">;

export declare function initMcpFetch(app: RequestCaller, options?: McpHttpOptions): McpFetchHandle;
export declare function initMcpXhr(app: RequestCaller, options?: McpHttpOptions): McpXhrHandle;
export declare function initMcpHttp(app: RequestCaller, options?: McpHttpOptions): McpHttpHandle;
/**
 * initMcpHttp under a name of its own. Send nothing before `await app.connect()` is done: until
 * then the host is not known, and requests go to the browser, as in a page without a host.
 */
export declare function installFetch(app: RequestCaller, options?: McpHttpOptions): McpHttpHandle;
