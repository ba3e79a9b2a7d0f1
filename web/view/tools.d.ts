// SPDX-License-Identifier: Apache-2.0
//
// The types of tools.js.
import type { RequestHandlerExtra } from "./peer.js";
import type { CallToolResult, JsonSchema, StandardSchemaV1, Tool, ToolAnnotations }
  from "./types.js";

export type AnySchema = StandardSchemaV1 | JsonSchema;

/** What a callback gets: what a Standard Schema makes of the arguments, or any object. */
export type ToolArguments<In extends AnySchema> =
  In extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<In> : Record<string, any>;

/** A result: `content` may be left out. */
export type LooseToolResult = Omit<CallToolResult, "content"> & Partial<CallToolResult>;

export type AppToolResult<Out extends AnySchema | undefined = undefined> =
  Out extends StandardSchemaV1
    ? (CallToolResult & {
      structuredContent: StandardSchemaV1.InferOutput<Out>;
      isError?: false;
    }) | (CallToolResult & { isError: true })
    : CallToolResult;

type Returned<Out extends AnySchema | undefined> = AppToolResult<Out> |
  (Partial<AppToolResult<Out>> & { [key: string]: unknown }) | void;

export type AppToolCallback<In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined> = In extends AnySchema
  ? (args: ToolArguments<In>, extra: RequestHandlerExtra) => Returned<Out> | Promise<Returned<Out>>
  : (extra: RequestHandlerExtra) => Returned<Out> | Promise<Returned<Out>>;

export interface ToolConfig<In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined> {
  title?: string;
  description?: string;
  inputSchema?: In;
  outputSchema?: Out;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
}

export type RegisteredAppTool = {
  title?: string;
  description?: string;
  inputSchema?: AnySchema;
  outputSchema?: AnySchema;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
  enabled: boolean;
  enable(): void;
  disable(): void;
  remove(): void;
  update(updates: Partial<Omit<RegisteredAppTool, "update">>): void;
  handler: (args: unknown, extra?: any) => Promise<CallToolResult>;
};

export type RegisterTool = <Out extends AnySchema | undefined = undefined,
  In extends AnySchema | undefined = undefined>(name: string, config: ToolConfig<In, Out>,
  callback: AppToolCallback<In, Out>) => RegisteredAppTool;

export declare class ToolRegistry {
  constructor(shared?: ToolRegistry);
  register: RegisterTool;
  get(name: string): RegisteredAppTool | undefined;
  enabled(): [string, RegisteredAppTool][];
  get size(): number;
  list(): Promise<Tool[]>;
  call(name: string, args?: unknown, extra?: any): Promise<CallToolResult>;
}

export declare const pageTools: ToolRegistry;
export declare const registerTool: RegisterTool;
export declare function callTool(name: string, args?: unknown, extra?: any):
  Promise<CallToolResult>;
export declare function standardSchemaToJsonSchema(schema: AnySchema, io: "input" | "output"):
  Promise<Record<string, unknown>>;
export declare function rowOf(row: [string, RegisteredAppTool]): string;
export declare function watch(tools: () => [string, RegisteredAppTool][], watcher: () => void):
  () => void;
export declare function publish(registry: ToolRegistry): void;
export declare function hide(registry: ToolRegistry): void;
export declare function publishedTools(): globalThis.Map<string, RegisteredAppTool>;
export declare function followPublished(follower: () => void): () => void;
