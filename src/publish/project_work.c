// SPDX-License-Identifier: Apache-2.0
//
// Acts for the files of a project.
#include "publish/project_work.h"

#include <string.h>

enum mica_status
mica_project_act(struct mica_project_work *work, enum mica_act act,
                 struct mica_text app, struct mica_text body)
{
    const struct mica_act_person person = {
        .name = mica_text(MICA_PROJECT_OWNER), .is_operator = true};
    const struct mica_act_request request = {
        .act = act, .app = app, .body = body};
    const struct mica_app_error *failure = &work->answer.error;
    struct mica_json details;
    struct mica_text path = {NULL, 0};
    char room[256];

    if (mica_act_run(work->acts, &person, &request, work->arena,
                     &work->answer) == MICA_OK)
        return MICA_OK;
    if (failure->details.len > 0 &&
        mica_json_read(work->arena, failure->details, NULL, NULL, &details) ==
            MICA_OK)
        path = mica_utf8_cut(mica_json_get_text(&details, "path"),
                             sizeof room - 1);
    memcpy(room, path.len > 0 ? path.ptr : "", path.len);
    room[path.len] = '\0';
    return mica_error_set(work->error, failure->status, room, "%.*s",
                          MICA_ARG(failure->message));
}

enum mica_status
mica_project_answer(struct mica_project_work *work,
                    struct mica_json *answer_out)
{
    const struct mica_json_limits limits = {.bytes = MICA_ACT_ANSWER_BYTES};

    return mica_json_read(work->arena, work->answer.json, &limits, work->error,
                          answer_out);
}
