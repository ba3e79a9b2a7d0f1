// SPDX-License-Identifier: Apache-2.0
//
// What a call tells on its way, to a client that takes a stream: "progress" and
// "log" as they come, then the reply as "result", "call" or "problem". Each event
// has its data in one line of JSON.
#include "rest/request.h"
#include "server/message.h"

static void
write_data(struct mica_message *message, const struct mica_notice *notice,
           struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    if (notice->kind == MICA_NOTICE_PROGRESS) {
        mica_json_name(writer, "progress");
        mica_json_number(writer, notice->progress);
        if (notice->total > 0) {
            mica_json_name(writer, "total");
            mica_json_number(writer, notice->total);
        }
    } else {
        mica_json_field(writer, "level",
                        mica_text(mica_log_level_name(notice->level)));
        mica_json_field(writer, "tool", message->execution.target->name);
    }
    if (notice->message.len > 0)
        mica_json_field(writer, "message", notice->message);
    mica_json_close_object(writer);
}

void
mica_rest_tell(struct mica_message *message, const struct mica_notice *notice,
               struct mica_buffer *out)
{
    struct mica_json_writer writer;

    mica_buffer_format(out, "event: %s\ndata: ",
                       notice->kind == MICA_NOTICE_PROGRESS ? "progress"
                                                            : "log");
    mica_json_writer_init(&writer, out);
    write_data(message, notice, &writer);
    mica_buffer_format(out, "\n\n");
}

const char *
mica_rest_last_event(const struct mica_message *message)
{
    const struct mica_rest *rest = mica_rest_of(message);

    if (rest == NULL || rest->is_problem)
        return "problem";
    return message->reply.http_status == 202 ? "call" : "result";
}
