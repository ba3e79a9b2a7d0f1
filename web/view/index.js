// SPDX-License-Identifier: Apache-2.0
//
// All of a view, under the names of @modelcontextprotocol/ext-apps. Importing it gives the
// page a document.modelContext (modelcontext.js).
export { App } from "./app.js";
export { onElicitation } from "./elicitation.js";
export { EventDispatcher } from "./events.js";
export { limits, Peer, ProtocolError, SdkError } from "./peer.js";
export * from "./protocol.js";
export { HTTP_REQUEST_TOOL_NAME, initMcpFetch, initMcpHttp, initMcpXhr, installFetch }
  from "./fetch.js";
export { fromJsonSchema } from "./schema.js";
export * from "./styles.js";
export { callTool, pageTools, registerTool, standardSchemaToJsonSchema, ToolRegistry }
  from "./tools.js";
export { PostMessageTransport } from "./transport.js";
export { installModelContext, ModelContext } from "./modelcontext.js";
