// SPDX-License-Identifier: Apache-2.0
//
// The types of index.js.
export * from "./app.js";
export { onElicitation } from "./elicitation.js";
export { EventDispatcher } from "./events.js";
export * from "./modelcontext.js";
export { limits, Peer, ProtocolError, SdkError } from "./peer.js";
export type { Request, RequestHandlerExtra, RequestOptions, Transport } from "./peer.js";
export * from "./protocol.js";
export * from "./fetch.js";
export { fromJsonSchema } from "./schema.js";
export * from "./styles.js";
export { callTool, pageTools, registerTool, standardSchemaToJsonSchema, ToolRegistry }
  from "./tools.js";
export type { RegisterTool, ToolArguments, ToolConfig } from "./tools.js";
export { PostMessageTransport } from "./transport.js";
export type * from "./types.js";
