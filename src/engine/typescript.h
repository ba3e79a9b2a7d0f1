// SPDX-License-Identifier: Apache-2.0
//
// What a tool takes and gives, as TypeScript: for pages that import an engine, and
// for programs that call a tool. Written from the schemas that clients read, so
// that it is true of tools of any kind.
#ifndef MICA_ENGINE_TYPESCRIPT_H
#define MICA_ENGINE_TYPESCRIPT_H

#include <mica/json.h>

// A tool, by the texts of its definition.
struct mica_typescript {
    struct mica_text name; // a slug, or a name in C; empty: `Input`, `Output`
    struct mica_text description;
    struct mica_text input_schema;  // JSON
    struct mica_text output_schema; // JSON, or empty: what it gives is not said
    // Declare also what /engines/SLUG.js exports: the engine (by default, and by
    // its name in camelCase) and EngineError.
    bool module;
    // An engine gives the properties that its schema names and no others, so that a
    // misspelt one is an error of the program; without a schema it gives nothing.
    bool exact;
};

// A whole .d.ts file: `NameInput` and `NameOutput`, and the module's exports.
// Every text is data: none of it can end a comment or a string.
// Errors: MICA_E_JSON (an invalid schema), MICA_E_LIMIT.
enum mica_status mica_typescript_write(const struct mica_typescript *tool,
                                       struct mica_arena *arena,
                                       struct mica_error *error,
                                       struct mica_buffer *out) MICA_MUST_USE;

// A JSON Schema as a type, each line of it but the first behind `indent` blanks.
// What TypeScript cannot say (bounds, patterns, references) is left out, so a
// value that the schema allows is always of the type.
void mica_typescript_type(const struct mica_json *schema, unsigned indent,
                          struct mica_buffer *out);

// "percentage-calculator" as PercentageCalculator, or percentageCalculator where
// `camel`.
void mica_typescript_name(struct mica_text name, bool camel,
                          struct mica_buffer *out);

#endif
