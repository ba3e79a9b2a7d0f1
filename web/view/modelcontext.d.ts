// SPDX-License-Identifier: Apache-2.0
//
// The types of modelcontext.js: WebMCP, as its draft has it.
export interface ModelContextTool {
  name: string;
  title?: string;
  description: string;
  inputSchema?: object;
  execute: (input: any, options: { signal: AbortSignal }) => unknown;
  annotations?: ModelContextHints;
}

export interface ModelContextHints {
  readOnlyHint?: boolean;
  untrustedContentHint?: boolean;
  consequentialHint?: boolean;
  debugging?: boolean;
}

export interface RegisteredTool {
  name: string;
  title: string;
  description: string;
  inputSchema?: object;
  window: Window;
  origin: string;
  annotations?: ModelContextHints;
}

export declare class ModelContext extends EventTarget {
  ontoolchange: ((event: Event) => void) | null;
  ontoolactivated: ((event: Event & { toolName: string }) => void) | null;
  ontoolcancel: ((event: Event & { toolName: string }) => void) | null;
  registerTool(tool: ModelContextTool, options?: {
    signal?: AbortSignal;
    exposedTo?: string[];
  }): Promise<undefined>;
  getTools(options?: { fromOrigins?: string[] }): Promise<RegisteredTool[]>;
  executeTool(tool: RegisteredTool, input?: object | string, options?: { signal?: AbortSignal }):
    Promise<string | null>;
}

export declare function installModelContext(): ModelContext;
