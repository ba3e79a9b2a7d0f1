// SPDX-License-Identifier: Apache-2.0
//
// All rules for the draft of an app: what it must be to be kept, what it must be to be
// published, and how names and descriptions get better. Pure, without I/O: the server and
// the console (as wasm) find the same. docs/app-findings.md lists the codes.
//
// Publishing is allowed if mica_app_findings_refuse(findings, true, …) says MICA_OK. The
// findings come in the order in which a person fills in a draft, so the first one that
// forbids publishing is the first thing to do: without toolName it is INVALID_CONFIG at
// "/toolName".
#ifndef MICA_APPS_APP_RULES_H
#define MICA_APPS_APP_RULES_H

#include "apps/app_findings.h"
#include "apps/app_record.h"

// A tool that behavior.tool names, as the server has it.
struct mica_app_target {
    bool found;                    // there is a tool of that name
    bool allowed;                  // the owner of the app may call it
    struct mica_text input_schema; // JSON; empty: not known
    struct mica_text output_schema;
};

// What a draft is checked against, besides itself. Members that are not known (zero) are
// not checked: the console does not know the tools of the server, for example.
struct mica_app_surroundings {
    struct mica_text
        data_schema; // of the layout's data; empty: the layout's own
    const struct mica_app_target *target;
    const struct mica_text *providers; // names of the server's model providers
    size_t provider_count;
    bool knows_providers; // `providers` is the whole list, even if it is empty
};

// Adds the findings of all rules. `findings` has those of mica_app_draft_read already.
// `surroundings` may be NULL. Schemas are compiled in `arena`, which must have about
// MICA_APP_CHECK_BYTES free; the findings say so if it has less.
void mica_app_check(const struct mica_app_draft *draft,
                    const struct mica_app_surroundings *surroundings,
                    struct mica_arena *arena,
                    struct mica_app_findings *findings);

// Memory that suffices for a check, with the schemas of a mapped tool of 256 KiB.
#define MICA_APP_CHECK_BYTES (16 * 1024 * 1024)

// Reads and checks: mica_app_draft_read, then mica_app_check.
enum mica_status mica_app_read_and_check(
    struct mica_text json, const struct mica_app_surroundings *surroundings,
    struct mica_arena *arena, struct mica_app_findings *findings,
    struct mica_error *error, struct mica_app_draft *draft_out) MICA_MUST_USE;

// The part of mica_app_check that is about names and descriptions.
void mica_app_check_words(const struct mica_app_draft *draft,
                          struct mica_app_findings *findings);

// The words that order a model about, in a text of any language; NULL: none. Static.
const char *mica_app_find_orders(struct mica_text text);

#endif
