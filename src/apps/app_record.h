// SPDX-License-Identifier: Apache-2.0
//
// The record of an app: what its owner edits (the draft), what a publish froze (a
// version), and what a client reads (the draft with the facts of the store). One table in
// app_record.c names all fields; reading, writing and the search for misspelled names use
// it.
//
// Reading finds as much as it can, so that an editor shows all findings at once: a member
// of a wrong type is a finding and keeps its default, a text that is too long or has
// hidden characters is a finding and is read all the same. Findings of MICA_APP_INVALID
// forbid keeping the text. What else is wrong with a draft, mica_app_check finds
// (app_rules.h).
#ifndef MICA_APPS_APP_RECORD_H
#define MICA_APPS_APP_RECORD_H

#include <mica/json.h>

#include "apps/app_findings.h"
#include "apps/layout.h"

enum {
    MICA_APP_DRAFT_BYTES = 256 * 1024,   // the JSON text of a draft
    MICA_APP_VERSION_BYTES = 257 * 1024, // of a version, which has more members
    MICA_APP_MOCK_BYTES = 64 * 1024,     // the JSON text of its mock data
    MICA_APP_DEPTH = 32,                 // of nested JSON in a draft

    MICA_APP_NAME_LENGTH = 100, // characters
    MICA_APP_DESCRIPTION_LENGTH = 2000,
    MICA_APP_TOOL_NAME_LENGTH = 64,
    MICA_APP_TOOL_DESCRIPTION_LENGTH = 4000,
    MICA_APP_MESSAGE_LENGTH = 4000,
    MICA_APP_PROMPT_LENGTH = 32000,
    MICA_APP_WORD_LENGTH = 128, // provider, model, scope; name of a mapped tool

    MICA_APP_PEOPLE = 50, // editors, and viewers
    MICA_APP_PERSON_LENGTH = 255,

    MICA_APP_CALLS_MAX = 10000000,    // budget: calls a day,
    MICA_APP_TOKENS_MAX = 2000000000, // tokens a day,
    MICA_APP_SECONDS_MAX = 600,       // seconds of a call,
    MICA_APP_CONCURRENT_MAX = 1000,   // and calls at once

    MICA_APP_CALLS_SMALL = 200, // the same of a prompt that does not say them
    MICA_APP_TOKENS_SMALL = 200000, // (mica_app_budget_default)
    MICA_APP_SECONDS_SMALL = 60,
    MICA_APP_CONCURRENT_SMALL = 4
};

// How a result comes to be: fixed data, an engine or tool, a language model.
enum mica_app_behavior_type {
    MICA_APP_DATA,
    MICA_APP_TOOL,
    MICA_APP_PROMPT,
    MICA_APP_BEHAVIORS
};

// Which model executes a prompt: a provider of the server, the model of the client
// (sampling), or the provider's where the server has one and else the client's.
enum mica_app_prompt_by {
    MICA_APP_BY_PROVIDER,
    MICA_APP_BY_CLIENT,
    MICA_APP_BY_ANY,
    MICA_APP_BYS
};

// Who may call a published app: any client, any with a valid token, those whose token
// has the scope of the app.
enum mica_app_visibility {
    MICA_APP_PUBLIC,
    MICA_APP_TOKEN,
    MICA_APP_SCOPE,
    MICA_APP_VISIBILITIES
};

// A budget of an app. 0: no limit of its own.
struct mica_app_budget {
    int64_t calls_per_day;  // UTC days
    int64_t tokens_per_day; // of language models, in and out
    int64_t seconds;        // of one call
    int64_t concurrent;     // calls at once
};

// What an owner writes "behavior" with. Members of other types than `type` are empty.
struct mica_app_behavior {
    enum mica_app_behavior_type type;
    struct mica_text message; // DATA, TOOL: text for the model; may be empty
    struct mica_text tool;    // TOOL: name of an engine or tool of the server
    const struct mica_json *arguments; // TOOL: argument map (app_map.h) or NULL
    const struct mica_json *data;      // TOOL: map of the result, or NULL
    struct mica_text system_prompt;    // PROMPT
    enum mica_app_prompt_by by;
    struct mica_text provider, model; // empty: the default of the server
};

// Names of people as tokens have them (the claim "sub").
struct mica_app_people {
    const struct mica_text *names;
    size_t count;
};

struct mica_app_draft {
    struct mica_text name, description;
    struct mica_text tool_name, tool_description; // empty until there is one
    enum mica_app_layout layout;
    const struct mica_json *theme;     // an object, or NULL
    const struct mica_json *mock_data; // an object, or NULL
    struct mica_app_behavior behavior;
    enum mica_app_visibility visibility;
    struct mica_text scope; // of visibility SCOPE
    struct mica_app_budget budget;
    bool has_budget; // whether the draft has the member "budget"
    struct mica_app_people editors, viewers;
};

// Reads the JSON text of a draft. The members that mica adds to it ("id", "status",
// "mcpSlug", "owner", "revision", …) are allowed and ignored, so that what was read can be
// sent back; each other unknown member is a finding that names the nearest one.
// `findings` must be initialized; findings are added.
// Owner: the draft is in `arena` and in `json`, which must outlive it.
// Errors: MICA_E_CONFIG (the text is no JSON object, or has a name twice), MICA_E_LIMIT
// (more than MICA_APP_DRAFT_BYTES or MICA_APP_DEPTH, or memory). Other faults are
// findings, not errors.
enum mica_status
mica_app_draft_read(struct mica_text json, struct mica_arena *arena,
                    struct mica_app_findings *findings,
                    struct mica_error *error, struct mica_app_draft *draft_out)
    MICA_MUST_USE;

// Writes a draft in its stored form: compact, members in the order of the table, absent
// ones left out. A draft that was read without findings reads back as the same draft.
void mica_app_draft_write(struct mica_json_writer *writer,
                          const struct mica_app_draft *draft);

// The stored form as a text in `arena`. Errors: MICA_E_LIMIT (more than
// MICA_APP_DRAFT_BYTES, or memory).
enum mica_status mica_app_draft_text(const struct mica_app_draft *draft,
                                     struct mica_arena *arena,
                                     struct mica_error *error,
                                     struct mica_text *json_out) MICA_MUST_USE;

// Writes the draft `json` with the members of `patch` (JSON Merge Patch, RFC 7396: null
// removes a member, objects are merged, all else replaces). For partial edits. The result
// is not checked. "themeVariables", "mockData", "arguments" and "data" are replaced as a
// whole, as half of one is seldom what a caller means; so is "behavior" if its type
// changes.
// Errors: MICA_E_CONFIG (one of both is no JSON object), MICA_E_LIMIT.
enum mica_status
mica_app_draft_patch(struct mica_text json, struct mica_text patch,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_buffer *json_out) MICA_MUST_USE;

// A new draft: fixed data, public, the mock data of its layout. It can be published once
// it has toolName and toolDescription. `mock_data` is the JSON value of the layout's mock
// data.
void mica_app_draft_new(struct mica_text name, enum mica_app_layout layout,
                        const struct mica_json *mock_data,
                        struct mica_app_draft *draft_out);

// The budget that holds for calls of the app: what the draft has; for a prompt, absent
// members have the small defaults of mica_app_budget_default.
struct mica_app_budget mica_app_budget(const struct mica_app_draft *draft);

// Writes the member "effectiveBudget", an object: what mica_app_budget returns, with the
// names of the member "budget". What has no limit is left out.
void mica_app_budget_write(struct mica_json_writer *writer,
                           const struct mica_app_draft *draft);

// The small budget of an app that calls a language model.
extern const struct mica_app_budget mica_app_budget_default;

// Writes a member with milliseconds since 1970 as RFC 3339; 0: null.
void mica_app_write_time(struct mica_json_writer *writer, const char *namez,
                         int64_t milliseconds);

// Names as the record has them ("prompt", "token"); static. Those of layouts are in
// layout.h.
const char *mica_app_behavior_name(enum mica_app_behavior_type type);
const char *mica_app_visibility_name(enum mica_app_visibility visibility);

// ---- Versions --------------------------------------------------------------

// What a publish froze. It never changes. Members other than the draft may be zero: a
// store that has columns for them leaves them out of the text.
struct mica_app_version {
    struct mica_app_draft draft;
    int64_t version;         // publishVersion, from 1
    int64_t published_at;    // milliseconds since 1970
    struct mica_text widget; // hash that names the document of its widget
    struct mica_text pin;    // engine hash or version of the mapped tool
};

// Writes the draft and, where they are not zero, "version", "publishedAt", "widget" and
// "pin" as one object.
void mica_app_version_write(struct mica_json_writer *writer,
                            const struct mica_app_version *version);

// Reads what mica_app_version_write wrote. A version is mica's own text: a member that is
// wrong is MICA_E_CONFIG with its pointer.
// Owner: as mica_app_draft_read.
enum mica_status mica_app_version_read(struct mica_text json,
                                       struct mica_arena *arena,
                                       struct mica_error *error,
                                       struct mica_app_version *version_out)
    MICA_MUST_USE;

// ---- What a client reads ---------------------------------------------------

// The facts that the store keeps beside the draft. Times are milliseconds since 1970; 0:
// never.
struct mica_app_facts {
    struct mica_text id, slug, owner;
    bool published;
    int64_t revision, publish_version;
    int64_t published_at, created_at, updated_at;
};

// Writes an app as clients read it: "id", "status", "mcpSlug", "owner", the members of
// `draft` (its JSON text, an object), then "revision", "publishVersion", "publishedAt",
// "createdAt", "updatedAt", "url". `url` is the absolute address of the MCP endpoint.
void mica_app_write(struct mica_json_writer *writer,
                    const struct mica_app_facts *facts, struct mica_text draft,
                    struct mica_text url);

#endif
