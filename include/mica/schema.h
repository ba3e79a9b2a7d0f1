// SPDX-License-Identifier: Apache-2.0
//
// JSON Schema 2020-12: a schema is compiled once, then any number of threads
// check values against it. For schemas from elsewhere; an engine's
// own fields are described by a record (<mica/record.h>).
//
// How a tool with a raw schema uses it. At registration, in the arena of the
// server:
//
//     struct mica_schema *schema;
//     if (mica_schema_compile(arena, text, NULL, &error, &schema) != MICA_OK)
//         refuse the tool: error.path is the place in the schema (a JSON
//         Pointer), error.message says what is wrong there;
//
// At each call, with the arena of the message as scratch:
//
//     struct mica_schema_report report;
//     if (mica_schema_validate(schema, arguments, NULL, scratch, &report) !=
//         MICA_OK)
//         mica_schema_report_write(&report, buffer);   // for the agent
//
// What is understood
//
//  - All keywords of the draft's vocabularies: core, applicator, unevaluated,
//    validation. `format` asserts only if the options or a metaschema with the
//    format-assertion vocabulary say so; content…, title, description, default,
//    examples, deprecated, readOnly and writeOnly never assert. `definitions`
//    and `dependencies` of older drafts work as they did. Unknown keywords are
//    ignored.
//  - `$schema` names the dialect: 2020-12 itself, or a metaschema among the
//    documents, whose `$vocabulary` is obeyed. Any other is refused. Without it
//    a schema is taken for 2020-12.
//  - References lead into the document, to the metaschemas of 2020-12 (inside
//    mica), and to the documents in the options. Nothing is ever fetched; a
//    reference that leads nowhere is an error of compilation that names it.
//  - Numbers are compared by their text: 1 is 1.0, 1e400 is below 1e401, and 19.99
//    is a multiple of 0.01.
//  - Patterns are ECMA-262 with the flag u, matched in time linear in the text;
//    look-around, back-references and script properties are refused.
//
// Limits (beyond them MICA_E_LIMIT): 100,000 subschemas, 64 names of
// `$dynamicAnchor`, 18 digits in `multipleOf`, 512 levels of a schema document.
// Compiling takes time in proportion to the text, and up to 64 MiB beside the
// program's own arena, which are given back; more when `.subschemas` is more.
#ifndef MICA_SCHEMA_H
#define MICA_SCHEMA_H

#include <mica/json.h>

#pragma GCC visibility push(default)

// A compiled schema.
// Threads: read-only; any number at a time.
struct mica_schema;

// ---- Compiling -------------------------------------------------------------

// A schema that others may refer to, by the URI it is to be found at (a `$id`
// inside counts too). It is read when something refers to it.
struct mica_schema_document {
    struct mica_text uri;
    struct mica_text text;
};

// Zero takes the default.
struct mica_schema_options {
    const struct mica_schema_document *documents;
    size_t document_count;
    struct mica_text uri; // of the schema itself, if it has no `$id`
    bool assert_formats;  // `format` is checked; else it is an annotation
    size_t subschemas;    // at most; 100,000
};

// Compiles the JSON text of a schema. `options` may be NULL.
// Owner: the program lives in `arena`; `text`, and the texts of the documents,
// must outlive it.
// Errors: MICA_E_JSON or MICA_E_DUPLICATE, no strict JSON; MICA_E_USAGE, a
// keyword has a value that it cannot have, a pattern or a dialect is not
// supported, or a schema applies itself without end; MICA_E_NOT_FOUND, a
// reference leads nowhere; MICA_E_LIMIT. `error` (may be NULL) has in `path`
// the place in the schema, and in its message the document, if another one.
enum mica_status
mica_schema_compile(struct mica_arena *arena, struct mica_text text,
                    const struct mica_schema_options *options,
                    struct mica_error *error, struct mica_schema **schema_out)
    MICA_MUST_USE;

// ---- Validating ------------------------------------------------------------

// Zero takes the default.
struct mica_schema_limits {
    size_t errors; // in the report; 10, at most 1000
    // Schemas applied inside each other; 512, at most 2048. Each takes up to
    // 400 bytes of the thread's stack.
    size_t depth;
    uint64_t steps; // of work, some nanoseconds each; 50,000,000
};

// One thing that is wrong.
struct mica_schema_error {
    enum mica_status status;     // WRONG_TYPE, MISSING_FIELD, …
    struct mica_text value_path; // JSON Pointer to the value at fault
    // Where the broken keyword stands: the URI of its schema ("" if it has
    // none), "#", and a JSON Pointer, e.g. "#/$defs/age/minimum". A reference
    // has been followed, so this is the place to look at.
    struct mica_text schema_path;
    struct mica_text message; // names value and fix, for people and agents
};

// What is wrong, in the order of the schema. When none of several alternatives
// fits, what the nearest lacks comes behind.
struct mica_schema_report {
    const struct mica_schema_error *errors;
    size_t count;
    bool more; // there is more than the limits allow to list
};

// Checks `value`, as mica_json_read has read it. MICA_OK when the schema allows
// it; else the status of the first error, which is MICA_E_TYPE,
// MICA_E_REQUIRED, MICA_E_UNKNOWN, MICA_E_RANGE, MICA_E_CHOICE or
// MICA_E_FORMAT; MICA_E_LIMIT when it could not be decided within the limits
// or the scratch arena, and then the report has nothing but this.
// `limits` may be NULL. `report_out` may be NULL when only the answer counts: it
// is MICA_FAILED then, and comes sooner. Else it is filled in any case.
// Owner: the report is in `scratch`. A valid value takes memory there only for
// `uniqueItems` of more than 16 items, unevaluated… on more than 64 members
// or items, and patterns with word boundaries or of unusual size.
// Threads: `scratch` is the caller's alone.
enum mica_status mica_schema_validate(const struct mica_schema *schema,
                                      const struct mica_json *value,
                                      const struct mica_schema_limits *limits,
                                      struct mica_arena *scratch,
                                      struct mica_schema_report *report_out)
    MICA_MUST_USE;

// The messages of a report, a line each, and a last line if there is more.
void mica_schema_report_write(const struct mica_schema_report *report,
                              struct mica_buffer *buffer);

#pragma GCC visibility pop

#endif
