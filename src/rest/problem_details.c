// SPDX-License-Identifier: Apache-2.0
//
// Problem documents, from the one table of errors.
#include "rest/problem_details.h"

#include "protocol/base_path.h"

enum mica_status
mica_status_of_code(struct mica_text code)
{
    for (int i = 0; i < MICA_STATUS_COUNT; i++) {
        if (mica_text_is(code, mica_status_code((enum mica_status)i)))
            return (enum mica_status)i;
    }
    return MICA_FAILED;
}

enum mica_status
mica_problem_details_status(const struct mica_problem_details *problem)
{
    return problem->own ? MICA_FAILED : mica_status_of_code(problem->code);
}

static void
write_details(struct mica_json_writer *writer,
              const struct mica_problem_details *problem)
{
    if (problem->details.len > 0) {
        mica_json_raw(writer, problem->details);
        return;
    }
    mica_json_open_object(writer);
    if (problem->pointer.len > 0)
        mica_json_field(writer, "path", problem->pointer);
    if (problem->more.len > 0)
        mica_json_raw(writer, problem->more);
    mica_json_close_object(writer);
}

static void
write_of_app(struct mica_buffer *buffer,
             const struct mica_problem_details *problem)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, buffer);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "error");
    mica_json_open_object(&writer);
    mica_json_field(&writer, "code", problem->code);
    mica_json_field(&writer, "message", problem->detail);
    mica_json_name(&writer, "details");
    write_details(&writer, problem);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
}

void
mica_problem_details_document(struct mica_buffer *buffer,
                              const struct mica_problem_details *problem)
{
    enum mica_status status = mica_problem_details_status(problem);
    struct mica_json_writer writer;
    char room[MICA_ADDED_PATH_BYTES + 64];
    struct mica_buffer type = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    if (problem->form == MICA_PROBLEM_OF_APP) {
        write_of_app(buffer, problem);
        return;
    }
    mica_base_path_add(&type, problem->base, "%s/%s", MICA_REST_ERRORS,
                       mica_status_code(status));
    mica_json_writer_init(&writer, buffer);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "type", mica_buffer_as_text(&type));
    mica_json_field(&writer, "title", mica_text(mica_status_meaning(status)));
    mica_json_name(&writer, "status");
    mica_json_integer(&writer, problem->status != 0 ? (int64_t)problem->status
                                                    : mica_status_http(status));
    mica_json_field(&writer, "detail", problem->detail);
    mica_json_field(&writer, "code", problem->code);
    if (problem->pointer.len > 0)
        mica_json_field(&writer, "pointer", problem->pointer);
    if (problem->more.len > 0)
        mica_json_raw(&writer, problem->more);
    mica_json_close_object(&writer);
}
