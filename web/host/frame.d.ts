// SPDX-License-Identifier: Apache-2.0
//
// The types of frame.js.
import type { AppBridge, McpUiResourceCsp, McpUiResourcePermissions, Transport }
  from "./bridge.js";

/** Messages to and from a frame, of whose window and origin each message must be. */
export declare class FrameTransport implements Transport {
  constructor(frame: HTMLIFrameElement, origin: string);
  start(): Promise<void>;
  send(message: any): Promise<void>;
  close(): Promise<void>;
  onmessage?: (message: any) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
}

export type ViewOptions = {
  container: Element;
  /** The address of the sandbox proxy, which is on another origin than this page; see
   * `opaque`. */
  proxy: string | URL;
  /** The label of another name of mica's sandbox, for views that use camera or microphone. */
  viewName?: string;
  html: string;
  csp?: McpUiResourceCsp;
  permissions?: McpUiResourcePermissions;
  /** Tokens of the view's own frame. */
  sandbox?: string;
  /** The transport that the bridge gets, made of the one to the frame. */
  wrap?: (transport: Transport) => Transport;
  /** Whether the proxy tells what the policy has blocked, for the tools of developers. */
  audit?: boolean;
  /** The frame of the proxy gets an origin that is equal to no other, so it may be on the
   * origin of this page. For documents of the host's own server. */
  opaque?: boolean;
};

/** Opens a view and connects the bridge. The frame is removed when the bridge closes. */
export declare function openView(bridge: AppBridge, options: ViewOptions):
  Promise<HTMLIFrameElement>;
