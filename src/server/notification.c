// SPDX-License-Identifier: Apache-2.0
//
// Sends the notifications of a running call: progress and log messages, for a client that
// wants them, on the stream of its request.
#include "server/message.h"
#include "server/message_surface.h"

#include <string.h>

enum {
    NOTIFICATION_BYTES = 512 * 1024 // 64 KiB of text, escaped
};

static void
write_progress(struct mica_message *message, const struct mica_notice *notice,
               struct mica_json_writer *writer)
{
    mica_json_field(writer, "method", MICA_LITERAL("notifications/progress"));
    mica_json_name(writer, "params");
    mica_json_open_object(writer);
    mica_json_name(writer, "progressToken");
    mica_json_raw(writer, message->request.progress_token);
    mica_json_name(writer, "progress");
    mica_json_number(writer, notice->progress);
    if (notice->total > 0) {
        mica_json_name(writer, "total");
        mica_json_number(writer, notice->total);
    }
    if (notice->message.len > 0 &&
        mica_revision_features(message->context.revision)->annotations)
        mica_json_field(writer, "message", notice->message);
    mica_json_close_object(writer);
}

static void
write_log(struct mica_message *message, const struct mica_notice *notice,
          struct mica_json_writer *writer)
{
    mica_json_field(writer, "method", MICA_LITERAL("notifications/message"));
    mica_json_name(writer, "params");
    mica_json_open_object(writer);
    mica_json_field(
        writer, "level",
        mica_text(mica_log_level_name((enum mica_log_level)notice->level)));
    mica_json_field(writer, "logger", message->execution.target->name);
    mica_json_field(writer, "data", notice->message);
    mica_json_close_object(writer);
}

// MCP: progress and logging: a client gets only what it requested; progress only rises.
// [PROGRESS-TOKEN] [PROGRESS-RISE] [LOG-OPTIN]
static bool
is_wanted(struct mica_message *message, const struct mica_notice *notice)
{
    if (atomic_load_explicit(&message->execution.cancelled,
                             memory_order_relaxed))
        return false;
    if (notice->kind == MICA_NOTICE_LOG)
        return message->context.logs && notice->level < MICA_LOG_LEVELS &&
               notice->level >= (unsigned)message->context.log_level;
    if (message->request.progress_token.len == 0 ||
        (message->reply.progressed &&
         !(notice->progress > message->reply.progress)))
        return false;
    message->reply.progressed = true;
    message->reply.progress = notice->progress;
    return true;
}

// [BASE-NOREQUEST]
static void
write_notification(struct mica_message *message,
                   const struct mica_notice *notice, struct mica_buffer *out)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, out);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    if (notice->kind == MICA_NOTICE_PROGRESS)
        write_progress(message, notice, &writer);
    else
        write_log(message, notice, &writer);
    mica_json_close_object(&writer);
}

static void
send_notice(void *data, const struct mica_notice *notice)
{
    struct mica_message *message = data;
    struct mica_buffer text;

    if (!is_wanted(message, notice))
        return;
    // On the heap: notifications do not count against the memory of the call.
    mica_buffer_init(&text, NULL, NOTIFICATION_BYTES);
    if (message->context.surface != NULL)
        message->context.surface->tell(message, notice, &text);
    else
        write_notification(message, notice, &text);
    if (!text.overflow)
        message->reply.emit(message, mica_buffer_as_text(&text));
    mica_buffer_fini(&text);
}

void
mica_message_send_notice(struct mica_message *message,
                         const struct mica_notice *notice)
{
    if (message->reply.emit != NULL)
        send_notice(message, notice);
}

static bool
close_stream(void *data)
{
    struct mica_message *message = data;

    return message->reply.close_stream(message);
}

void
mica_message_connect_notices(struct mica_message *message)
{
    message->execution.call.notice_data = message;
    if (message->reply.close_stream != NULL)
        message->execution.call.close_stream = close_stream;
    if (message->reply.emit == NULL ||
        (message->request.progress_token.len == 0 && !message->context.logs))
        return;
    message->execution.call.on_notice = send_notice;
}
