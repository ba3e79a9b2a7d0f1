// SPDX-License-Identifier: Apache-2.0
//
// The words of MCP Apps 2026-01-26 that views and hosts share.
// Written by scripts/view-protocol from src/view/view_protocol.c.
export const LATEST_PROTOCOL_VERSION = "2026-01-26";
export const EXTENSION_ID = "io.modelcontextprotocol/ui";
export const RESOURCE_MIME_TYPE = "text/html;profile=mcp-app";
export const RESOURCE_URI_META_KEY = "ui/resourceUri";

export const INITIALIZE_METHOD = "ui/initialize";
export const INITIALIZED_METHOD = "ui/notifications/initialized";
export const OPEN_LINK_METHOD = "ui/open-link";
export const DOWNLOAD_FILE_METHOD = "ui/download-file";
export const MESSAGE_METHOD = "ui/message";
export const UPDATE_MODEL_CONTEXT_METHOD = "ui/update-model-context";
export const REQUEST_DISPLAY_MODE_METHOD = "ui/request-display-mode";
export const SIZE_CHANGED_METHOD = "ui/notifications/size-changed";
export const REQUEST_TEARDOWN_METHOD = "ui/notifications/request-teardown";
export const TOOL_INPUT_PARTIAL_METHOD = "ui/notifications/tool-input-partial";
export const TOOL_INPUT_METHOD = "ui/notifications/tool-input";
export const TOOL_RESULT_METHOD = "ui/notifications/tool-result";
export const TOOL_CANCELLED_METHOD = "ui/notifications/tool-cancelled";
export const HOST_CONTEXT_CHANGED_METHOD = "ui/notifications/host-context-changed";
export const RESOURCE_TEARDOWN_METHOD = "ui/resource-teardown";
export const SANDBOX_PROXY_READY_METHOD = "ui/notifications/sandbox-proxy-ready";
export const SANDBOX_RESOURCE_READY_METHOD = "ui/notifications/sandbox-resource-ready";

/** The CSS variables of a theme: an official view refuses a context that has any other. */
export const STYLE_VARIABLES = [
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
export const DISPLAY_MODES = [
  "inline",
  "fullscreen",
  "pip",
];

/** The kinds of content that a host may take from a view. */
export const MODALITIES = [
  "text",
  "image",
  "audio",
  "resource",
  "resourceLink",
  "structuredContent",
];

/** What one message, and one end, may take. */
export const PEER_LIMITS = {
  size: 16777216, // characters of names and strings, and 8 for each value
  depth: 64, // of objects and lists inside each other
  open: 256, // requests without a reply, each way
};

/** All messages: a row for each direction. */
export const METHODS = [
  { name: "ui/initialize", direction: "view-to-host", kind: "request" },
  { name: "ui/notifications/initialized", direction: "view-to-host", kind: "notification" },
  { name: "ping", direction: "view-to-host", kind: "request" },
  { name: "ping", direction: "host-to-view", kind: "request" },
  { name: "notifications/cancelled", direction: "view-to-host", kind: "notification" },
  { name: "notifications/cancelled", direction: "host-to-view", kind: "notification" },
  { name: "notifications/progress", direction: "view-to-host", kind: "notification" },
  { name: "notifications/progress", direction: "host-to-view", kind: "notification" },
  { name: "tools/call", direction: "view-to-host", kind: "request", capability: "serverTools" },
  { name: "tools/list", direction: "view-to-host", kind: "request", capability: "serverTools" },
  { name: "resources/read", direction: "view-to-host", kind: "request", capability: "serverResources" },
  { name: "resources/list", direction: "view-to-host", kind: "request", capability: "serverResources" },
  { name: "resources/templates/list", direction: "view-to-host", kind: "request", capability: "serverResources" },
  { name: "prompts/list", direction: "view-to-host", kind: "request" },
  { name: "sampling/createMessage", direction: "view-to-host", kind: "request", capability: "sampling" },
  { name: "notifications/message", direction: "view-to-host", kind: "notification", capability: "logging" },
  { name: "ui/open-link", direction: "view-to-host", kind: "request", capability: "openLinks" },
  { name: "ui/download-file", direction: "view-to-host", kind: "request", capability: "downloadFile" },
  { name: "ui/message", direction: "view-to-host", kind: "request", capability: "message" },
  { name: "ui/update-model-context", direction: "view-to-host", kind: "request", capability: "updateModelContext" },
  { name: "ui/request-display-mode", direction: "view-to-host", kind: "request" },
  { name: "ui/notifications/size-changed", direction: "view-to-host", kind: "notification" },
  { name: "ui/notifications/request-teardown", direction: "view-to-host", kind: "notification" },
  { name: "notifications/tools/list_changed", direction: "view-to-host", kind: "notification", capability: "tools" },
  { name: "tools/list", direction: "host-to-view", kind: "request", capability: "tools" },
  { name: "tools/call", direction: "host-to-view", kind: "request", capability: "tools" },
  { name: "ui/notifications/tool-input-partial", direction: "host-to-view", kind: "notification" },
  { name: "ui/notifications/tool-input", direction: "host-to-view", kind: "notification" },
  { name: "ui/notifications/tool-result", direction: "host-to-view", kind: "notification" },
  { name: "ui/notifications/tool-cancelled", direction: "host-to-view", kind: "notification" },
  { name: "ui/notifications/host-context-changed", direction: "host-to-view", kind: "notification" },
  { name: "ui/resource-teardown", direction: "host-to-view", kind: "request" },
  { name: "notifications/tools/list_changed", direction: "host-to-view", kind: "notification", capability: "serverTools" },
  { name: "notifications/resources/list_changed", direction: "host-to-view", kind: "notification", capability: "serverResources" },
  { name: "notifications/prompts/list_changed", direction: "host-to-view", kind: "notification" },
  { name: "ui/notifications/sandbox-proxy-ready", direction: "proxy-to-host", kind: "notification" },
  { name: "ui/notifications/sandbox-resource-ready", direction: "host-to-proxy", kind: "notification" },
];
