// SPDX-License-Identifier: Apache-2.0
//
// The types of protocol.js.
// Written by scripts/view-protocol from src/view/view_protocol.c.
export declare const LATEST_PROTOCOL_VERSION: "2026-01-26";
export declare const EXTENSION_ID: "io.modelcontextprotocol/ui";
export declare const RESOURCE_MIME_TYPE: "text/html;profile=mcp-app";
export declare const RESOURCE_URI_META_KEY: "ui/resourceUri";

export declare const INITIALIZE_METHOD: "ui/initialize";
export declare const INITIALIZED_METHOD: "ui/notifications/initialized";
export declare const OPEN_LINK_METHOD: "ui/open-link";
export declare const DOWNLOAD_FILE_METHOD: "ui/download-file";
export declare const MESSAGE_METHOD: "ui/message";
export declare const UPDATE_MODEL_CONTEXT_METHOD: "ui/update-model-context";
export declare const REQUEST_DISPLAY_MODE_METHOD: "ui/request-display-mode";
export declare const SIZE_CHANGED_METHOD: "ui/notifications/size-changed";
export declare const REQUEST_TEARDOWN_METHOD: "ui/notifications/request-teardown";
export declare const TOOL_INPUT_PARTIAL_METHOD: "ui/notifications/tool-input-partial";
export declare const TOOL_INPUT_METHOD: "ui/notifications/tool-input";
export declare const TOOL_RESULT_METHOD: "ui/notifications/tool-result";
export declare const TOOL_CANCELLED_METHOD: "ui/notifications/tool-cancelled";
export declare const HOST_CONTEXT_CHANGED_METHOD: "ui/notifications/host-context-changed";
export declare const RESOURCE_TEARDOWN_METHOD: "ui/resource-teardown";
export declare const SANDBOX_PROXY_READY_METHOD: "ui/notifications/sandbox-proxy-ready";
export declare const SANDBOX_RESOURCE_READY_METHOD: "ui/notifications/sandbox-resource-ready";

/** The CSS variables of a theme: an official view refuses a context that has any other. */
export declare const STYLE_VARIABLES: readonly [
  "--color-background-primary",
  "--color-background-secondary",
  "--color-background-tertiary",
  "--color-background-inverse",
  "--color-background-ghost",
  "--color-background-info",
  "--color-background-danger",
  "--color-background-success",
  "--color-background-warning",
  "--color-background-disabled",
  "--color-text-primary",
  "--color-text-secondary",
  "--color-text-tertiary",
  "--color-text-inverse",
  "--color-text-ghost",
  "--color-text-info",
  "--color-text-danger",
  "--color-text-success",
  "--color-text-warning",
  "--color-text-disabled",
  "--color-border-primary",
  "--color-border-secondary",
  "--color-border-tertiary",
  "--color-border-inverse",
  "--color-border-ghost",
  "--color-border-info",
  "--color-border-danger",
  "--color-border-success",
  "--color-border-warning",
  "--color-border-disabled",
  "--color-ring-primary",
  "--color-ring-secondary",
  "--color-ring-inverse",
  "--color-ring-info",
  "--color-ring-danger",
  "--color-ring-success",
  "--color-ring-warning",
  "--font-sans",
  "--font-mono",
  "--font-weight-normal",
  "--font-weight-medium",
  "--font-weight-semibold",
  "--font-weight-bold",
  "--font-text-xs-size",
  "--font-text-sm-size",
  "--font-text-md-size",
  "--font-text-lg-size",
  "--font-text-xs-line-height",
  "--font-text-sm-line-height",
  "--font-text-md-line-height",
  "--font-text-lg-line-height",
  "--font-heading-xs-size",
  "--font-heading-sm-size",
  "--font-heading-md-size",
  "--font-heading-lg-size",
  "--font-heading-xl-size",
  "--font-heading-2xl-size",
  "--font-heading-3xl-size",
  "--font-heading-xs-line-height",
  "--font-heading-sm-line-height",
  "--font-heading-md-line-height",
  "--font-heading-lg-line-height",
  "--font-heading-xl-line-height",
  "--font-heading-2xl-line-height",
  "--font-heading-3xl-line-height",
  "--border-radius-xs",
  "--border-radius-sm",
  "--border-radius-md",
  "--border-radius-lg",
  "--border-radius-xl",
  "--border-radius-full",
  "--border-width-regular",
  "--shadow-hairline",
  "--shadow-sm",
  "--shadow-md",
  "--shadow-lg",
];

/** How a view may stand in its host. */
export declare const DISPLAY_MODES: readonly [
  "inline",
  "fullscreen",
  "pip",
];

/** The kinds of content that a host may take from a view. */
export declare const MODALITIES: readonly [
  "text",
  "image",
  "audio",
  "resource",
  "resourceLink",
  "structuredContent",
];

/** What one message, and one end, may take. */
export declare const PEER_LIMITS: {
  readonly size: number;
  readonly depth: number;
  readonly open: number;
};

/** All messages: a row for each direction. */
export interface Method {
  readonly name: string;
  readonly direction: "view-to-host" | "host-to-view" | "proxy-to-host" | "host-to-proxy";
  readonly kind: "request" | "notification";
  /** The capability of the receiver that declares it. */
  readonly capability?: string;
}
export declare const METHODS: readonly Method[];
