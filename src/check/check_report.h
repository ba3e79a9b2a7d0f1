// SPDX-License-Identifier: Apache-2.0
//
// What a check of one engine found, and how it is written: for people a line
// and its findings, for machines one JSON object.
#ifndef MICA_CHECK_CHECK_REPORT_H
#define MICA_CHECK_CHECK_REPORT_H

#include <mica/json.h>

#include "check/rules.h"

struct mica_finding {
    struct mica_finding *next;
    enum mica_rule rule;
    unsigned line;         // in the source, from 1; 0: of no single line
    struct mica_text path; // "input/rows/*/price", "examples/2", … or ""
    struct mica_text message;
};

// Everything is in `arena`.
struct mica_report {
    struct mica_arena *arena;
    struct mica_text slug, source;
    struct mica_finding *first, *last;
    size_t count;
    size_t warnings;       // of these: they leave the report good
    size_t covered, total; // outcomes of `if` and `case` with an example
    size_t module_bytes;
    struct mica_text module_sha256; // empty when there is no module
    size_t schema_bytes;            // of the input schema
    size_t random_runs, random_answered, random_limited;
    bool cached; // nothing changed since it was last found good
};

void mica_report_init(struct mica_report *report, struct mica_arena *arena,
                      struct mica_text slug, struct mica_text source);

// Notes a breach. `pathz` may be "". Format as mica_buffer_format.
void mica_report_add(struct mica_report *report, enum mica_rule rule,
                     unsigned line, const char *pathz, const char *formatz, ...)
    MICA_PRINTF(5, 6);

// Has it no finding, or warnings alone?
bool mica_report_good(const struct mica_report *report);
// A warning is a finding that forbids nothing.
bool mica_rule_warns(enum mica_rule rule);
bool mica_report_has(const struct mica_report *report, enum mica_rule rule);

const char *mica_rule_code(enum mica_rule rule);

// {"slug","ok","findings":[{"code","path","line","message"}],
//  "coverage":{"covered","total"},"module":{"bytes","sha256"},
//  "input_schema":{"bytes"}}; "line" is left out when it is not known, "module"
// is null without a module, and "random" appears when random inputs ran.
void mica_report_json(struct mica_json_writer *writer,
                      const struct mica_report *report);

#endif
