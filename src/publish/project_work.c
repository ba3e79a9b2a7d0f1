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

enum mica_status
mica_project_page(struct mica_project_work *work, enum mica_act act,
                  struct mica_text after, struct mica_json *page_out)
{
    const struct mica_act_person person = {.name =
                                               mica_text(MICA_PROJECT_OWNER)};
    struct mica_act_request request = {.act = act};
    struct mica_buffer body;

    mica_buffer_init(&body, work->arena, MICA_ACT_BODY_BYTES);
    mica_buffer_format(&body, "{\"limit\":%d,\"after\":%.*s}", MICA_ACT_LIST,
                       MICA_ARG(after));
    request.body = mica_buffer_as_text(&body);
    if (mica_act_run(work->acts, &person, &request, work->arena,
                     &work->answer) != MICA_OK)
        return mica_error_set(work->error, work->answer.error.status, "",
                              "%.*s", MICA_ARG(work->answer.error.message));
    return mica_project_answer(work, page_out);
}

bool
mica_project_has(const char *const *names, size_t count, struct mica_text name)
{
    for (size_t i = 0; i < count; i++)
        if (mica_text_is(name, names[i]))
            return true;
    return false;
}
