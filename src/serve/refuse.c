// SPDX-License-Identifier: Apache-2.0
//
// Writes an error in two forms. Both have its stable code, and a message that says what to do.
#include "serve/refuse.h"

#include <stdarg.h>

#include "rest/problem_details.h"

void
mica_refuse_write(struct mica_buffer *buffer, struct mica_text id, int rpc_code,
                  enum mica_status status, const char *formatz, ...)
{
    struct mica_json_writer writer;
    struct mica_error error;
    va_list arguments;

    va_start(arguments, formatz);
    (void)mica_error_vset(&error, status, mica_status_code(status), "", formatz,
                          arguments);
    va_end(arguments);
    mica_json_writer_init(&writer, buffer);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    if (id.len > 0) {
        mica_json_name(&writer, "id");
        mica_json_raw(&writer, id);
    }
    mica_json_name(&writer, "error");
    mica_json_open_object(&writer);
    mica_json_name(&writer, "code");
    mica_json_integer(&writer, rpc_code);
    mica_json_field(&writer, "message", mica_text(error.message));
    mica_json_name(&writer, "data");
    mica_json_open_object(&writer);
    mica_json_field(&writer, "code", mica_text(error.code));
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
}

void
mica_problem_details_write(struct mica_buffer *buffer, struct mica_text base,
                           unsigned http_status, enum mica_status status,
                           const char *formatz, ...)
{
    struct mica_problem_details problem = {.base = base, .status = http_status};
    struct mica_error error;
    va_list arguments;

    va_start(arguments, formatz);
    (void)mica_error_vset(&error, status, mica_status_code(status), "", formatz,
                          arguments);
    va_end(arguments);
    problem.code = mica_text(error.code);
    problem.detail = mica_text(error.message);
    mica_problem_details_document(buffer, &problem);
}
