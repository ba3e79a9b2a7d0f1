// SPDX-License-Identifier: Apache-2.0
//
// Fills and writes problems.
#include "protocol/problem.h"

#include "base/formatter.h"

enum {
    QUOTED_BYTES = 100 // of a text that a problem quotes
};

bool
mica_problem_set(struct mica_problem *problem, unsigned http_status,
                 enum mica_rpc_error rpc, enum mica_status status,
                 struct mica_text data, const char *formatz, ...)
{
    va_list arguments;

    problem->rpc = rpc;
    problem->http_status = http_status;
    problem->code = mica_status_code(status);
    problem->data = data;
    va_start(arguments, formatz);
    mica_format_message(problem->text, sizeof problem->text, formatz,
                        arguments);
    va_end(arguments);
    return false;
}

void
mica_problem_write(struct mica_json_writer *writer, enum mica_rpc_error rpc,
                   const char *codez, struct mica_text data,
                   struct mica_text text)
{
    mica_json_name(writer, "error");
    mica_json_open_object(writer);
    mica_json_name(writer, "code");
    mica_json_integer(writer, rpc);
    mica_json_field(writer, "message", text);
    mica_json_name(writer, "data");
    mica_json_open_object(writer);
    mica_json_field(writer, "code", mica_text(codez));
    if (data.len > 0)
        mica_json_raw(writer, data);
    mica_json_close_object(writer);
    mica_json_close_object(writer);
}

struct mica_text
mica_quote(struct mica_arena *arena, struct mica_text text)
{
    struct mica_buffer buffer;
    // A header may have any bytes; JSON cannot quote bytes that are not UTF-8.
    size_t cut = mica_utf8_valid(mica_text_slice(text, 0, QUOTED_BYTES));

    mica_buffer_init(&buffer, arena, 1024);
    mica_buffer_char(&buffer, '"');
    mica_json_escape(&buffer, mica_text_slice(text, 0, cut));
    if (cut < text.len)
        mica_buffer_text(&buffer, MICA_LITERAL("…"));
    mica_buffer_char(&buffer, '"');
    return mica_buffer_as_text(&buffer);
}
