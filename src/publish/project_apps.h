// SPDX-License-Identifier: Apache-2.0
//
// Apps of a project: files apps/SLUG.json that a server publishes when it starts.
//
// They go into the server's store, as every app does, under an owner that no person can be:
// the file is their only editor. So they have what an app is promised: a version number
// that only rises, calls that end on the version on which they began, hashes of widgets
// that stay readable, usage by day, all of it over restarts and for every server of the
// store. A second source beside the store would begin anew with each start.
//
//     apps/SLUG.json    the store has          what happens
//     there             no app with the slug   it is created and published
//     there             the project's app      edited and published if the file has changed
//     there             another app            refused: MICA_E_EXISTS
//     absent            the project's app      unpublished
//
// A file is the draft as MICA_ACT_EXPORT answers it, or the draft alone. Members that it
// does not have are those of a new app. "roles" are refused: files have no editors.
//
// One project uses a store; where two do, each withdraws the apps of the other.
#ifndef MICA_PUBLISH_PROJECT_APPS_H
#define MICA_PUBLISH_PROJECT_APPS_H

#include "apps/app_findings.h"
#include "apps/app_record.h"
#include "publish/app_acts.h"

// The owner of the apps of a project. No person has the name: one with a "#" has an issuer
// in front of it (mica_act_person).
#define MICA_PROJECT_OWNER "#project"

enum {
    MICA_PROJECT_APPS = 1000 // files of a project, at most
};

// Reads the text of apps/SLUG.json and checks it without a server: whether a mapped tool
// exists is not known. `findings` must be initialized. `json_out` is the draft as a store
// has it; it may be used if no finding forbids publishing.
// Owner: as mica_app_draft_read.
// Errors: MICA_E_CONFIG (no JSON object, or the name is no slug), MICA_E_LIMIT.
enum mica_status mica_project_app_read(
    struct mica_text slug, struct mica_text text, struct mica_arena *arena,
    struct mica_app_findings *findings, struct mica_error *error,
    struct mica_text *json_out) MICA_MUST_USE;

// Brings the app of that slug in the store in step with the file. `version_out` is the one
// that is published now; *changed_out says that it is new.
// Errors: MICA_E_EXISTS (another app has the slug), those of mica_project_app_read and
// mica_act_run; the path is the pointer into the draft.
enum mica_status
mica_project_app_publish(const struct mica_acts *acts, struct mica_text slug,
                         struct mica_text text, struct mica_arena *arena,
                         struct mica_error *error, int64_t *version_out,
                         bool *changed_out) MICA_MUST_USE;

// Unpublishes the apps of the project that have no file any more. `count_out`: how many.
// Errors: those of mica_act_run.
enum mica_status mica_project_apps_withdraw(const struct mica_acts *acts,
                                            const char *const *slugs,
                                            size_t slug_count,
                                            struct mica_arena *arena,
                                            struct mica_error *error,
                                            size_t *count_out) MICA_MUST_USE;

#endif
