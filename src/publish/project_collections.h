// SPDX-License-Identifier: Apache-2.0
//
// Collections of a project: files of apps/ with the member "micaCollection", whose apps are
// other files of the folder.
//
//     {"micaCollection": 1, "name": "Front Desk", "description": "All of it.",
//      "members": ["order-status", "my-support-bot"]}
//
// They go into the store beside the apps of the project (project_apps.h), under the same owner.
// A collection without a file is deleted: it has no versions or usage that could be lost.
#ifndef MICA_PUBLISH_PROJECT_COLLECTIONS_H
#define MICA_PUBLISH_PROJECT_COLLECTIONS_H

#include "publish/project_apps.h"

// Is the text that of a collection? Text that cannot be read is not.
bool mica_project_is_collection(struct mica_text text,
                                struct mica_arena *arena);

// Reads the text of a collection. `collection_out` has "name", "description" or null, and
// "members", as the acts take them; `members_out` is the array in it, slugs.
// Owner: both are in `arena` and in `text`.
// Errors: MICA_E_CONFIG with a pointer, MICA_E_LIMIT.
enum mica_status mica_project_collection_read(
    struct mica_text slug, struct mica_text text, struct mica_arena *arena,
    struct mica_error *error, struct mica_text *collection_out,
    const struct mica_json **members_out) MICA_MUST_USE;

// Takes those apps out of the stored collection that its file does not have any more. Before
// apps are published, so that a tool name may move from one app to another one.
// Errors: those of mica_project_collection_read and mica_act_run.
enum mica_status mica_project_collection_release(
    const struct mica_acts *acts, struct mica_text slug, struct mica_text text,
    struct mica_arena *arena, struct mica_error *error) MICA_MUST_USE;

// Brings the collection in the store in step with its file. *changed_out: it was not.
// Errors: MICA_E_EXISTS (another app or collection has the slug, or two apps have one tool
// name), those above.
enum mica_status mica_project_collection_publish(
    const struct mica_acts *acts, struct mica_text slug, struct mica_text text,
    struct mica_arena *arena, struct mica_error *error, bool *changed_out)
    MICA_MUST_USE;

// Deletes the collections of the project that have no file any more. `slugs`: of the files of
// collections. Errors: those of mica_act_run.
enum mica_status mica_project_collections_withdraw(
    const struct mica_acts *acts, const char *const *slugs, size_t slug_count,
    struct mica_arena *arena, struct mica_error *error, size_t *count_out)
    MICA_MUST_USE;

#endif
