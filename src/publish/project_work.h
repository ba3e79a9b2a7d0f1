// SPDX-License-Identifier: Apache-2.0
//
// Internal to the files that bring the store in step with a project: one act after the other,
// for the owner of the project's apps and collections.
#ifndef MICA_PUBLISH_PROJECT_WORK_H
#define MICA_PUBLISH_PROJECT_WORK_H

#include "publish/project_apps.h"

struct mica_project_work {
    const struct mica_acts *acts;
    struct mica_arena *arena;
    struct mica_error *error;
    struct mica_act_answer answer; // of the last act
};

// Does an act. Errors: those of mica_act_run; the path is the pointer in its details.
enum mica_status mica_project_act(struct mica_project_work *work,
                                  enum mica_act act, struct mica_text app,
                                  struct mica_text body) MICA_MUST_USE;

// Does an act that lists apps or collections, those of the owner alone and not all of the
// store, and reads its page; it begins behind `after` ("0": the first). Errors: those of the
// act; MICA_E_LIMIT.
enum mica_status mica_project_page(struct mica_project_work *work,
                                   enum mica_act act, struct mica_text after,
                                   struct mica_json *page_out) MICA_MUST_USE;

// Is the name one of these?
bool mica_project_has(const char *const *names, size_t count,
                      struct mica_text name) MICA_MUST_USE;

// Reads the answer of the last act. Errors: MICA_E_LIMIT.
enum mica_status mica_project_answer(struct mica_project_work *work,
                                     struct mica_json *answer_out)
    MICA_MUST_USE;

#endif
