// SPDX-License-Identifier: Apache-2.0
//
// A new app from one sentence: its name, description, tool name, tool description, layout and
// mock data. All parts are made by rule first, so there always is a draft; the answer of a
// language model then replaces those of its parts that pass the rules. No I/O: the
// caller asks the model.
//
//     drafting.sentence = …; drafting.name = … (a person has given it)
//     mica_app_drafting_begin(&drafting, arena, error)          all by rule
//     mica_app_drafting_ask(&drafting, &system, &user)          what a model is asked
//     mica_app_drafting_take(&drafting, answer, arena, findings)
//
//   DRAFT-1  The answer changes those six members and no other, and each of them only if
//            the rules for drafts (app_rules.h) find no error at it, no hidden character, no
//            mixed alphabets and no orders to models. What was given does not change.
//   DRAFT-2  Mock data of a model name no address: its preview would fetch it.
//   DRAFT-3  A part of the answer that is refused is a finding DRAFTED_BY_RULE at the member.
//            It says why, and nothing of what the model wrote but what app_findings.h shows.
#ifndef MICA_APPS_APP_DRAFTING_H
#define MICA_APPS_APP_DRAFTING_H

#include "apps/app_record.h"

enum {
    MICA_APP_SENTENCE_LENGTH = 1000,    // characters
    MICA_APP_DRAFTED_BYTES = 128 * 1024 // of the answer of a model
};

enum mica_app_part {
    MICA_PART_NAME,
    MICA_PART_DESCRIPTION,
    MICA_PART_LAYOUT,
    MICA_PART_DATA,
    MICA_PART_TOOL_NAME,
    MICA_PART_TOOL_DESCRIPTION,
    MICA_PARTS
};

// Who has made a part.
enum mica_app_part_source {
    MICA_PART_BY_RULE,
    MICA_PART_BY_MODEL,
    MICA_PART_GIVEN
};

struct mica_app_drafting {
    struct mica_text sentence; // what a person wrote
    struct mica_text name;     // what a person has named the app; or empty
    const struct mica_app_layout_row *layout; // and chosen; or NULL
    // Made by the functions below.
    struct mica_app_draft draft; // fixed data, public
    enum mica_app_part_source sources[MICA_PARTS];
};

// The member of a draft ("toolName"); "rule", "model" or "given". Static.
const char *mica_app_part_name(enum mica_app_part part);
const char *mica_app_part_source_name(enum mica_app_part_source source);

// Makes all parts by rule. Owner: the texts are in `arena` and in `drafting`.
// Errors: MICA_E_CONFIG (the sentence is empty, too long or has hidden characters: at
// /sentence; the name: at /name), MICA_E_LIMIT.
enum mica_status mica_app_drafting_begin(struct mica_app_drafting *drafting,
                                         struct mica_arena *arena,
                                         struct mica_error *error)
    MICA_MUST_USE;

// JSON Schema of the answer: a closed object of texts, as every provider takes it. mockData
// is JSON in a text, as its form depends on the layout.
extern const char mica_app_drafting_schema[];

// Appends what the model is asked: the rules and the layouts to `system_out`, and to
// `user_out` the sentence with what was given, as JSON. Overflow is the buffers'.
void mica_app_drafting_ask(const struct mica_app_drafting *drafting,
                           struct mica_buffer *system_out,
                           struct mica_buffer *user_out);

// Takes over the parts of an answer that pass [DRAFT-1]. Adds findings, which are warnings.
// Any bytes are an answer. Owner: the texts are in `arena`. Without memory nothing else is
// taken over.
void mica_app_drafting_take(struct mica_app_drafting *drafting,
                            struct mica_text answer, struct mica_arena *arena,
                            struct mica_app_findings *findings);

#endif
