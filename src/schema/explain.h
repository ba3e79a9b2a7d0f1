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
    const struct mica_json_member *name; // whose name is evaluated, or NULL
};

// After a run that failed: runs again for the reasons, with `steps` of work.
enum mica_status mica_schema_report(struct mica_schema_run *run,
                                    const struct mica_schema_limits *limits,
                                    int64_t steps,
                                    struct mica_schema_report *report_out);

// What an error says, into `out`.
void mica_schema_words(const struct mica_schema_run *run,
                       const struct mica_schema_node *node,
                       enum mica_schema_reason reason,
                       const struct mica_json *value, const void *detail,
                       struct mica_buffer *out);

#endif
