// SPDX-License-Identifier: Apache-2.0
//
// Internals of acts (app_acts.h): one act in progress, and what its files share.
#ifndef MICA_PUBLISH_ACT_WORK_H
#define MICA_PUBLISH_ACT_WORK_H

#include "apps/app_access.h"
#include "apps/app_rules.h"
#include "apps/collection.h"
#include "publish/app_acts.h"
#include "store/store_collections.h"

// One act, from its request to its answer. Everything is in `arena`.
struct mica_act_work {
    const struct mica_acts *acts;
    const struct mica_act_person *person;
    const struct mica_act_request *request;
    const char *actz; // the name of the act
    struct mica_arena *arena;
    struct mica_error *error;
    struct mica_json body; // an object
    // Of an act with an app: what the store has, as the act began.
    struct mica_store_app app;
    struct mica_app_draft draft;
    struct mica_app_facts facts;
    enum mica_app_role role; // in the app, or in the collection
    // Of an act with a collection: as above.
    struct mica_store_collection collection;
    struct mica_collection_record record;
    // What the last check found; NULL: nothing was checked.
    struct mica_app_findings *findings;
    bool refused_draft; // the findings are why the act fails
    // Of a failure that has its own, a JSON object; otherwise empty.
    struct mica_text details;
    struct mica_act_answer *answer;
};

// ---- The table of acts ------------------------------------------------------------

// Functions that do an act. The app is loaded, and the person may do it.
typedef enum mica_status mica_act_function(struct mica_act_work *work);

mica_act_function mica_act_create, mica_act_import, mica_act_edit,
    mica_act_check; // act_draft.c
mica_act_function mica_act_publish, mica_act_unpublish, mica_act_rollback,
    mica_act_hand_over, mica_act_delete; // act_publish.c
mica_act_function mica_act_read, mica_act_list, mica_act_layouts,
    mica_act_export, mica_act_usage; // act_read.c
mica_act_function mica_act_versions, mica_act_version,
    mica_act_difference;                           // act_history.c
mica_act_function mica_act_preview, mica_act_test; // act_show.c
mica_act_function mica_act_suggest;                // act_suggest.c
mica_act_function mica_act_create_collection, mica_act_list_collections,
    mica_act_read_collection, mica_act_edit_collection,
    mica_act_hand_over_collection,
    mica_act_delete_collection; // act_collection.c
mica_act_function mica_act_add_member, mica_act_remove_member; // act_member.c

// Finds the collection of a request for work->collection, as acts on apps find theirs; `use`
// is what is to be done. Errors: MICA_E_APP, MICA_E_ROLE, MICA_E_REVISION.
enum mica_status mica_act_load_collection(struct mica_act_work *work,
                                          unsigned use) MICA_MUST_USE;

// The answer for what the person may not see, too [ACT-1].
enum mica_status mica_act_refuse_unknown(struct mica_act_work *work,
                                         const char *nounz);

// Refuses a member of the body that the act does not take; `takesz` lists what it takes.
enum mica_status mica_act_refuse_member(struct mica_act_work *work,
                                        struct mica_text name,
                                        const char *takesz);

// Makes the id of a new app or collection: 8 hexadecimal digits, "_", 24 more.
void mica_act_make_id(char id_out[MICA_ACT_ID_BYTES + 1]);

// Reads the new owner, "owner". Errors: MICA_E_CONFIG.
enum mica_status mica_act_new_owner(struct mica_act_work *work,
                                    struct mica_text *owner_out) MICA_MUST_USE;

// Answers {"deleted", "id", "mcpSlug"}.
enum mica_status mica_act_answer_deleted(struct mica_act_work *work,
                                         struct mica_text id,
                                         struct mica_text slug) MICA_MUST_USE;

// MICA_E_EXISTS if a collection has another app of that tool name beside work->app; the
// message names both, `pathz` the member at fault.
enum mica_status mica_act_check_clash(struct mica_act_work *work,
                                      struct mica_text tool, const char *pathz)
    MICA_MUST_USE;

// Runs a draft that maps a tool or has a prompt in the call of the request (act_trial.c).
// Errors: those of the app; MICA_SUSPENDED.
enum mica_status mica_act_trial(struct mica_act_work *work,
                                const struct mica_app_draft *draft)
    MICA_MUST_USE;

// ---- The body of a request --------------------------------------------------------

// Reads an optional number; absent or null: `otherwise`. Errors: MICA_E_CONFIG with the
// pointer of the member (no whole number, or outside of `least` to `most`).
enum mica_status mica_act_number(struct mica_act_work *work, const char *namez,
                                 int64_t least, int64_t most, int64_t otherwise,
                                 int64_t *number_out) MICA_MUST_USE;

// Reads an optional text; absent or null: empty. Errors: as above.
enum mica_status mica_act_text(struct mica_act_work *work, const char *namez,
                               struct mica_text *text_out) MICA_MUST_USE;

// Reads an optional boolean; absent or null: false. Errors: as above.
enum mica_status mica_act_flag(struct mica_act_work *work, const char *namez,
                               bool *flag_out) MICA_MUST_USE;

// The text of an object without what answers have in addition to a record: it can be
// patched, or read as a draft. Errors: MICA_E_LIMIT.
enum mica_status mica_act_plain(struct mica_act_work *work,
                                const struct mica_json *object,
                                struct mica_text *json_out) MICA_MUST_USE;

// ---- Drafts -----------------------------------------------------------------------

// Reads a draft and checks it against the server. The findings are work->findings.
// Errors: those of mica_app_draft_read.
enum mica_status mica_act_check_draft(struct mica_act_work *work,
                                      struct mica_text json,
                                      struct mica_app_draft *draft_out)
    MICA_MUST_USE;

// Refuses a draft whose findings forbid keeping it, or publishing it.
enum mica_status mica_act_refuse_draft(struct mica_act_work *work,
                                       bool publishing) MICA_MUST_USE;

// Refuses a version that this person could not publish now: the tool that it maps may be
// gone, or be one that only its earlier publishers may call.
enum mica_status mica_act_refuse_version(struct mica_act_work *work,
                                         const struct mica_app_version *version)
    MICA_MUST_USE;

// Refuses a draft with one of its findings.
enum mica_status mica_act_refuse_finding(struct mica_act_work *work,
                                         const struct mica_app_finding *finding)
    MICA_MUST_USE;

// The draft `json` with the patch. Errors: those of mica_app_draft_patch.
enum mica_status mica_act_patch(struct mica_act_work *work,
                                struct mica_text json, struct mica_text patch,
                                struct mica_text *json_out) MICA_MUST_USE;

// The draft of the app with the patch in the member "draft" of the body, if it has one;
// checked. `json_out` is its text. Errors: as mica_act_check_draft.
enum mica_status mica_act_patched_draft(struct mica_act_work *work,
                                        struct mica_text *json_out,
                                        struct mica_app_draft *draft_out)
    MICA_MUST_USE;

// What the store keeps of a draft. Errors: MICA_E_LIMIT.
enum mica_status mica_act_content(struct mica_act_work *work,
                                  const struct mica_app_draft *draft,
                                  struct mica_store_app_content *content_out)
    MICA_MUST_USE;

// The tool that a draft maps, as the server has it (MICA_APP_TOOL); held. NULL: none, or
// the server does not have it.
struct mica_definition *
mica_act_mapped_tool(const struct mica_act_work *work,
                     const struct mica_app_draft *draft);

// The build of the mapped tool, which every call of a version runs; empty without one.
// Errors: MICA_E_CONFIG (the tool is not known here).
enum mica_status mica_act_find_pin(struct mica_act_work *work,
                                   const struct mica_app_draft *draft,
                                   struct mica_text *pin_out) MICA_MUST_USE;

// Reads a version of the app, with what the store has beside its text. Errors:
// MICA_E_NOT_FOUND (the store has no such version).
enum mica_status mica_act_read_version(struct mica_act_work *work,
                                       int64_t number,
                                       struct mica_app_version *version_out)
    MICA_MUST_USE;

// ---- Answers ----------------------------------------------------------------------

// A buffer for an answer, with the writer.
struct mica_act_output {
    struct mica_buffer buffer;
    struct mica_json_writer writer;
};
void mica_act_output_init(struct mica_act_work *work,
                          struct mica_act_output *output);

// Makes what was written the answer. Errors: MICA_E_LIMIT.
enum mica_status mica_act_output_end(struct mica_act_work *work,
                                     struct mica_act_output *output)
    MICA_MUST_USE;

// Ends the object of a page with "next": the number of its last item, behind which the next
// page begins, 1 or more; 0 is null, as this page is the last. Errors: MICA_E_LIMIT.
enum mica_status mica_act_page_end(struct mica_act_work *work,
                                   struct mica_act_output *output, int64_t next)
    MICA_MUST_USE;

// Appends a block of text to the content of a result.
void mica_act_write_text_block(struct mica_json_writer *writer,
                               struct mica_text text);

// Appends the record of an app with `draft` (its JSON text, an object).
void mica_act_write_app(const struct mica_act_work *work,
                        const struct mica_app_facts *facts,
                        struct mica_text draft, struct mica_buffer *out);

// Answers with the app as the store has it now, the role of the person, and its findings. Errors: those of the
// store.
enum mica_status mica_act_answer_app(struct mica_act_work *work) MICA_MUST_USE;

// The text of a draft or version without what ACT-3 names, and without "roles"; the text
// itself if the person may read all and `always` is false. Errors: MICA_E_LIMIT.
enum mica_status mica_act_redact(struct mica_act_work *work,
                                 struct mica_text json, bool always,
                                 struct mica_text *json_out) MICA_MUST_USE;

// ---- The store --------------------------------------------------------------------

// The facts of an app of the store.
struct mica_app_facts mica_act_facts(const struct mica_store_app *app);

// The app that the act changes, at the revision that it has read.
struct mica_store_app_target mica_act_target(const struct mica_act_work *work);

// Takes over what the store says after a change.
void mica_act_changed(struct mica_act_work *work,
                      const struct mica_store_app_outcome *outcome);

#endif
