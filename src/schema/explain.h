// SPDX-License-Identifier: Apache-2.0
//
// Collecting errors, between evaluate.c, explain.c and explain_words.c.
#ifndef MICA_SCHEMA_EXPLAIN_H
#define MICA_SCHEMA_EXPLAIN_H

#include "schema/evaluate.h"

struct mica_schema_faults {
    struct mica_schema_error *errors; // NULL: they are only counted
    size_t count, most;
    bool more;
    uint64_t distance; // of all that were counted: how far the value is off
    size_t nearest;    // of the alternatives that are recorded, from 1; or 0
    const struct mica_json_member *name; // whose name is evaluated, or NULL
};

// After a run that failed: runs again for the reasons, with `steps` of work.
enum mica_status mica_schema_report(struct mica_schema_run *run,
                                    const struct mica_schema_limits *limits,
                                    int64_t steps,
                                    struct mica_schema_report *report_out);

// Are the alternatives of a step constants, and nothing else?
bool mica_schema_is_enum(const struct mica_schema_step *step);

// What an error says, into `out`.
void mica_schema_words(const struct mica_schema_run *run,
                       const struct mica_schema_node *node,
                       enum mica_schema_reason reason,
                       const struct mica_json *value, const void *detail,
                       struct mica_buffer *out);

// ---- explain_values.c: pieces of a message -----------------------------------

// Some bytes of a text, cut between characters.
void mica_schema_put_cut(struct mica_buffer *out, struct mica_text text);

// "the string "x"", "an array", "null"; and the same behind ", but is ".
void mica_schema_put_value(struct mica_buffer *out,
                           const struct mica_json *value);
void mica_schema_put_but(struct mica_buffer *out,
                         const struct mica_json *value);

// The value at fault: its place without the first slash, as people write it.
void mica_schema_put_subject(const struct mica_schema_run *run,
                             const struct mica_json *value,
                             struct mica_buffer *out);

// "a string or null".
void mica_schema_put_types(struct mica_buffer *out, unsigned types);

// " is not allowed here; leave it out".
void mica_schema_put_not_allowed(struct mica_buffer *out);

// " must be a string, but is the number 5; write "5" with quotes".
void mica_schema_put_type_error(struct mica_buffer *out, unsigned types,
                                const struct mica_json *value);

// The candidate nearest to a text, taken in one after the other.
struct mica_schema_nearest {
    struct mica_text to, name;
    size_t distance; // SIZE_MAX: none is near
};
void mica_schema_compare(struct mica_schema_nearest *nearest,
                         struct mica_text name);

#endif
