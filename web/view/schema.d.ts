// SPDX-License-Identifier: Apache-2.0
//
// The types of schema.js.
import type { JsonSchema, StandardSchemaV1 } from "./types.js";

/** Throws an SdkError SCHEMA_REFUSED at a keyword that it does not know. */
export declare function fromJsonSchema(schema: JsonSchema | boolean): StandardSchemaV1 & {
  readonly "~standard": {
    readonly jsonSchema: { input(): JsonSchema; output(): JsonSchema };
  };
};
