// SPDX-License-Identifier: Apache-2.0
//
// The bridge with all names of @modelcontextprotocol/ext-apps/app-bridge: for hosts that are
// ported from it. A bundler leaves out what a page does not use: nothing here runs at import.
export * from "./bridge.js";
export { getElicitationUiResourceUri, requestElicitation, supportsAppElicitation }
  from "./elicitation.js";
export {
  DOWNLOAD_FILE_METHOD, HOST_CONTEXT_CHANGED_METHOD, INITIALIZED_METHOD, INITIALIZE_METHOD,
  MESSAGE_METHOD, OPEN_LINK_METHOD, REQUEST_DISPLAY_MODE_METHOD, REQUEST_TEARDOWN_METHOD,
  RESOURCE_TEARDOWN_METHOD, SANDBOX_PROXY_READY_METHOD, SANDBOX_RESOURCE_READY_METHOD,
  SIZE_CHANGED_METHOD, TOOL_CANCELLED_METHOD, TOOL_INPUT_METHOD, TOOL_INPUT_PARTIAL_METHOD,
  TOOL_RESULT_METHOD,
} from "../view/protocol.js";
