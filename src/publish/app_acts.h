// SPDX-License-Identifier: Apache-2.0
//
// Acts: what people and agents do with apps, in one place for the HTTP API, the builder
// tools and the command line. An act takes who does it, the app, and a JSON object; it
// returns JSON, or an error with a code and details. The three surfaces only carry both.
//
//     HTTP API (src/http)    builder (app_builder.c)      mica app (src/cli)
//              |                        |                        |
//              +------------------- acts (this file) ------------+
//                     who may, patch, check, write the widget
//                                       |
//              +------------------------+------------------------+
//        rules (src/apps), no I/O                  store (store_apps.h)
//
// Each act that changes an app is one transaction of the store, but publishing with a new
// toolName or toolDescription: it saves the draft first, and publishes that revision.
//
// Invariants:
//  ACT-1. A caller who may not read an app gets the answer of an app that does not exist,
//         byte for byte the same, from every act.
//  ACT-2. A draft with a finding of MICA_APP_INVALID is never stored, one with an error of
//         either severity never published.
//  ACT-3. systemPrompt, provider and model of a behavior reach owners and editors alone:
//         not viewers, not exports, not findings.
//  ACT-4. A test takes no change that its caller may not save: the budget that it spends, and
//         its time limit, are the owner's.
//
// Threads: any number may act at the same time, but no I/O thread: acts wait for the store.
#ifndef MICA_PUBLISH_APP_ACTS_H
#define MICA_PUBLISH_APP_ACTS_H

#include <mica/http.h>
#include <mica/store.h>

#include "apps/app_error.h"

struct mica_app_common; // app_endpoint.h
struct mica_app_hosts;
struct mica_call;
struct mica_draft_limit;
struct mica_server;

enum {
    MICA_ACT_BODY_BYTES = 1024 * 1024, // of a request
    MICA_ACT_ANSWER_BYTES = 8 << 20,   // of an answer
    MICA_ACT_LIST = 100,               // apps or versions of a page, at most
    MICA_ACT_LIST_DEFAULT = 50,        // if a request names no limit
    MICA_ACT_USAGE_DAYS = 400,         // of one answer, at most
    MICA_ACT_USAGE_DEFAULT = 30,       // if a request names no day
    MICA_ACT_ID_BYTES = 33,            // of the id of an app
    MICA_ACT_NAME_BYTES = 255,         // of the name of a person
    MICA_ACT_ARENA_BYTES = 32 * 1024 * 1024 // that suffice for any act
};

// The name of everyone where callers are not identified (no --auth), and of the owner of
// apps made there.
#define MICA_ACT_LOCAL "local"

// The server in which acts happen. The caller keeps it, and what it points to.
struct mica_acts {
    struct mica_store *store;
    // The tools that apps may map are those of its /mcp, under the operator's rules. NULL:
    // not known here (the command line without a server); then an app with a tool cannot
    // be published, as its version pins the build of the tool.
    struct mica_server *server;
    const struct mica_text *providers; // of language models, by name
    size_t provider_count;
    bool knows_providers; // `providers` is the whole list, even if it is empty
    // Scheme, host and base path of addresses: "https://example.org/tools".
    struct mica_text address;
    // An app with a host name has its address there instead; NULL: none has one.
    const struct mica_app_hosts *hosts;
    // Several issuers of tokens are trusted (mica_act_person_name).
    bool several_issuers;
    int64_t (*now)(void); // milliseconds since 1970
    // What a draft that maps a tool or has a prompt needs to run. NULL: none is tested.
    enum mica_status (*tests)(void *data, struct mica_error *error,
                              const struct mica_app_common **common_out);
    void *tests_data;
    // The provider whose model drafts apps from a sentence. Empty: they are drafted by rule.
    struct mica_text drafter;
    struct mica_draft_limit *draft_limit; // draft_limit.h; NULL: no limit
};

// ---- Who acts --------------------------------------------------------------------

struct mica_act_person {
    struct mica_text name;
    // The command line of the operator, who can read the store anyhow: is an owner of
    // every app, and lists all.
    bool is_operator;
    // Of the token: decides which tools an app of this person may map. NULL: callers are
    // not identified, and everyone may call every tool.
    const struct mica_principal *principal;
};

// The person whose token is `principal`: the subject, or "ISSUER#SUBJECT" if
// `several_issuers`, or if the subject is "local" or has a "#", so that two people never
// have one name. NULL: "local".
// Owner: the texts are in `arena` and in `principal`.
// Errors: MICA_E_LIMIT (longer than MICA_ACT_NAME_BYTES).
enum mica_status mica_act_person(const struct mica_acts *acts,
                                 const struct mica_principal *principal,
                                 struct mica_arena *arena,
                                 struct mica_error *error,
                                 struct mica_act_person *person_out)
    MICA_MUST_USE;

// ---- What is done ----------------------------------------------------------------
// The members of a request's body are listed behind each act. Unknown ones are refused
// with INVALID_CONFIG and their pointer; [x] is optional. "An app" is the record of
// docs/app-api.md, with "role", what the person is, "effectiveBudget", which holds for its
// draft, and "findings" beside its members (viewers get no findings).

enum mica_act {
    // -- without an app
    // The members of a draft; "name" is required. ["propose": true]: toolName and
    // toolDescription that are missing are made by rule. ["mcpSlug"]: the slug to try
    // first, else it is made from the name. Answer: an app.
    MICA_ACT_CREATE,
    // What EXPORT answered, or the same as for CREATE. Answer: the new app.
    MICA_ACT_IMPORT,
    // ["limit", "after": "next" of the page before]. Answer: {"apps": […], "next"}, apps
    // with the members that lists show. "next" is null on the last page.
    MICA_ACT_LIST_APPS,
    // Nothing. Answer: {"layouts": [{"name", "title", "summary", "schema", "mockData"}],
    // "providers": names, or null: not known}.
    MICA_ACT_LAYOUTS,
    // "sentence" ["name", "layoutTemplate", "by": "model" or "rule"]. Drafts an app, which
    // is not stored. Answer: {"draft": members for CREATE, "by", "sources": who has made
    // each member, "findings"}. A model works in `call` of the request.
    MICA_ACT_DRAFT,
    // -- with an app
    MICA_ACT_READ, // Nothing. Answer: an app.
    // A JSON Merge Patch of the draft. What no edit sets (mcpSlug, status, owner …) must be
    // as it is. Answer: the app.
    MICA_ACT_EDIT,
    // ["draft": a patch that is not saved]. Answer: {"publishable", "findings", "proposal",
    // "effectiveBudget"}. Without an app "draft" is a whole one.
    MICA_ACT_CHECK,
    // ["draft": as above, "data": for the widget]. Answer: html.
    MICA_ACT_PREVIEW,
    // ["message", "context", "draft": as above]. Answer: the result that a call of the
    // app's tool would have: {"content", "structuredContent", "_meta"}. A draft that maps
    // a tool or has a prompt runs in `call` of the request, for the person, and counts as
    // a call of the app; "message" is required then.
    MICA_ACT_TEST,
    MICA_ACT_PUBLISH,   // ["toolName", "toolDescription"]. Answer: the app.
    MICA_ACT_UNPUBLISH, // Nothing. Answer: the app.
    MICA_ACT_ROLLBACK,  // "version". Answer: the app.
    // ["limit", "before"]. Answer: {"versions": [{"version", "publishedAt", "widget",
    // "current"}], "next"}, the newest first.
    MICA_ACT_VERSIONS,
    MICA_ACT_VERSION, // "version". Answer: what that publish froze.
    // ["from", "to"]: versions, or 0: the draft; by default from the newest version to
    // the draft. Answer: {"from", "to", "changes": [{"path", "before", "after"}]}.
    MICA_ACT_DIFFERENCE,
    MICA_ACT_HAND_OVER, // "owner". Answer: the app as its new owner reads it.
    MICA_ACT_DELETE,    // Nothing. Answer: {"deleted": true, "id", "mcpSlug"}.
    // Nothing. Answer: {"micaApp": 1, "mcpSlug", "draft"} without roles and without what
    // ACT-3 names.
    MICA_ACT_EXPORT,
    // ["from", "to": days, "2026-11-26"]. Answer: {"from", "to", "days": [{"day", "calls",
    // "failures", "tokens"}], "total": {"calls", "failures", "tokens"}}.
    MICA_ACT_USAGE,
    // -- collections. "A collection" is the record of docs/app-api.md, with "members" and
    // "role". The error of two members with one tool name is INVALID_CONFIG, with reason
    // ALREADY_EXISTS.
    // "name", ["description", "members": slugs or ids of apps, "roles", "mcpSlug": the
    // slug to try first]; what an answer has in addition is ignored. Answer: a collection.
    MICA_ACT_CREATE_COLLECTION,
    // As LIST_APPS. Answer: {"collections": […], "next"}, without members and roles.
    MICA_ACT_LIST_COLLECTIONS,
    // -- with a collection, which is `app` of the request
    MICA_ACT_READ_COLLECTION, // Nothing. Answer: a collection.
    // As CREATE_COLLECTION, as a JSON Merge Patch. Answer: the collection.
    MICA_ACT_EDIT_COLLECTION,
    // "app", ["place": 1 is the first]. Answer: the collection.
    MICA_ACT_ADD_MEMBER,
    MICA_ACT_REMOVE_MEMBER,     // "app". Answer: the collection.
    MICA_ACT_OWN_COLLECTION,    // "owner". Answer: the collection.
    MICA_ACT_DELETE_COLLECTION, // as DELETE
    MICA_ACTS
};

// "create", "hand-over" …: the name of the act in messages and tools; static.
const char *mica_act_name(enum mica_act act);

// Does the act change something, or may it cost something? Where callers have tokens, it
// takes the scope MICA_ACT_SCOPE, which the surfaces check.
#define MICA_ACT_SCOPE "apps:write"
bool mica_act_writes(enum mica_act act);

// Is `app` of its request a collection?
bool mica_act_of_collection(enum mica_act act);

// The revision in the request of a caller that must name one, and does not.
enum {
    MICA_ACT_UNSAID = -1
};

struct mica_act_request {
    enum mica_act act;
    // Id or slug of the app, or of the collection; empty for acts without them.
    struct mica_text app;
    // That the caller has read (If-Match); 0: any; MICA_ACT_UNSAID: the act is refused.
    int64_t revision;
    struct mica_text body; // JSON object; empty: {}
    // In which acts run what waits for others: tests of drafts with a tool or a prompt.
    // NULL: these are refused.
    struct mica_call *call;
};

// Texts are in the arena of the act, or static.
struct mica_act_answer {
    struct mica_text
        json; // an object; empty after a failure, or if there is html
    struct mica_text html; // of PREVIEW
    struct mica_text slug; // of the app, after CREATE and IMPORT
    int64_t revision; // of the app now, also if it was the fault; 0: no app
    struct mica_app_error error; // of a failure
};

// Does an act. Returns MICA_OK, or the status of `answer_out->error`, which is written in
// any case; or MICA_SUSPENDED: the turn of `request->call` has ended, and the act is to be
// done again in its next turn. The details of the error have
//   "findings"  what forbids keeping or publishing the draft (INVALID_CONFIG)
//   "path"      a pointer into the request's body
//   "revision"  the current one (REVISION_CONFLICT, REVISION_REQUIRED)
enum mica_status mica_act_run(const struct mica_acts *acts,
                              const struct mica_act_person *person,
                              const struct mica_act_request *request,
                              struct mica_arena *arena,
                              struct mica_act_answer *answer_out) MICA_MUST_USE;

#endif
