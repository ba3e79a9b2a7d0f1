// SPDX-License-Identifier: Apache-2.0
//
// The types of _engine.js.

/** How a call failed. */
export declare class EngineError extends Error {
  /** Stable, in upper case: "OUT_OF_RANGE", or one of the engine's own. */
  readonly code: string;
  /** What it is about, as a JSON Pointer or a name; "" for all of the input. */
  readonly path: string;
  constructor(message: string, code?: string, path?: string);
}

export interface Example<Input, Output> {
  title: string;
  input: Input;
  /** May leave fields out. */
  output?: Partial<Output>;
  /** The code that this input fails with. */
  error?: string;
}

export interface Engine<Input, Output> {
  /** The slug. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12 of the input. */
  readonly inputSchema: {
    readonly [keyword: string]: unknown;
    /** The input as the engine sees it, with its defaults. Throws EngineError. */
    readonly parse: (input: unknown) => Input;
  };
  /** Pure, and synchronous. Throws EngineError. */
  readonly handler: (input: Input) => Output;
  readonly examples: ReadonlyArray<Example<Input, Output>>;
}

export declare function runsOn(engine: Engine<never, unknown>):
  "wasm" | "twin" | "translated";

/** Offers the engine to agents in the browser (WebMCP), where it has them. */
export declare function offerEngine(
  engine: { name: string; title?: string; description: string; inputSchema: unknown },
  run: (text: string) => { ok: boolean; text: string } |
    Promise<{ ok: boolean; text: string }>): void;

export declare function callText(
  engine: Engine<never, unknown>, text: string): { ok: boolean; text: string };
