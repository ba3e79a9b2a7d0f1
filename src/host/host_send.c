// SPDX-License-Identifier: Apache-2.0
//
// Writes the messages to the view: one JSON text each, without line ends, as all its parts
// were written by the JSON writer.
#include "host/host_peer.h"

enum {
    ENVELOPE_BYTES = 2 * MICA_ID_BYTES + 256 // around params or a result
};

struct message {
    struct mica_buffer text;
    struct mica_json_writer writer;
};

// `size` is that of the largest part.
static void
message_begin(struct mica_host *host, struct message *message, size_t size)
{
    mica_buffer_init(&message->text, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes + ENVELOPE_BYTES);
    (void)mica_buffer_reserve(&message->text, size + ENVELOPE_BYTES);
    mica_json_writer_init(&message->writer, &message->text);
    mica_json_open_object(&message->writer);
    mica_json_field(&message->writer, "jsonrpc", MICA_LITERAL("2.0"));
}

static enum mica_status
message_send(struct mica_host *host, struct message *message,
             struct mica_error *error)
{
    mica_json_close_object(&message->writer);
    if (message->text.overflow)
        return mica_host_room(host) < host->limits.message_bytes
                   ? mica_host_no_memory(host, error)
                   : mica_host_fail(host, MICA_HOST_MESSAGE_TOO_LARGE, error,
                                    "The message is larger than %zu bytes.",
                                    host->limits.message_bytes);
    host->sent++;
    host->callbacks.send(host->user, mica_buffer_as_text(&message->text));
    return MICA_OK;
}

static void
write_member(struct message *message, const char *namez, struct mica_text json)
{
    if (json.len == 0)
        return;
    mica_json_name(&message->writer, namez);
    mica_json_raw(&message->writer, json);
}

enum mica_status
mica_host_send_notification(struct mica_host *host, const char *methodz,
                            struct mica_text params, struct mica_error *error)
{
    struct message message;

    message_begin(host, &message, params.len);
    mica_json_field(&message.writer, "method", mica_text(methodz));
    write_member(&message, "params", params);
    return message_send(host, &message, error);
}

// The params of a request whose progress is wanted: its token is its id.
static void
write_params(struct message *message, uint64_t id, struct mica_text params,
             bool progress)
{
    if (!progress) {
        write_member(message, "params", params);
        return;
    }
    mica_json_name(&message->writer, "params");
    mica_json_open_object(&message->writer);
    mica_json_name(&message->writer, "_meta");
    mica_json_open_object(&message->writer);
    mica_json_name(&message->writer, "progressToken");
    mica_json_integer(&message->writer, (int64_t)id);
    mica_json_close_object(&message->writer);
    if (params.len > 2) // the members between the braces, which has no _meta
        mica_json_raw(&message->writer,
                      mica_text_slice(params, 1, params.len - 1));
    mica_json_close_object(&message->writer);
}

enum mica_status
mica_host_send_request(struct mica_host *host, uint64_t id, const char *methodz,
                       struct mica_text params, bool progress,
                       struct mica_error *error)
{
    struct message message;

    message_begin(host, &message, params.len);
    mica_json_name(&message.writer, "id");
    mica_json_integer(&message.writer, (int64_t)id);
    mica_json_field(&message.writer, "method", mica_text(methodz));
    write_params(&message, id, params, progress);
    return message_send(host, &message, error);
}

enum mica_status
mica_host_send_result(struct mica_host *host, struct mica_text id,
                      struct mica_text result, struct mica_error *error)
{
    struct message message;

    message_begin(host, &message, result.len);
    write_member(&message, "id", id);
    write_member(&message, "result", result);
    return message_send(host, &message, error);
}

void
mica_host_reply(struct mica_host *host, struct mica_text id,
                struct mica_text result)
{
    struct mica_error error;

    if (mica_host_send_result(host, id, result, &error) != MICA_OK &&
        host->callbacks.error != NULL)
        host->callbacks.error(host->user, &error);
}

void
mica_host_send_error(struct mica_host *host, struct mica_text id, int rpc_code,
                     struct mica_text text, struct mica_text data)
{
    struct message message;
    struct mica_error error;

    message_begin(host, &message, text.len + data.len);
    write_member(&message, "id", id);
    mica_json_name(&message.writer, "error");
    mica_json_open_object(&message.writer);
    mica_json_name(&message.writer, "code");
    mica_json_integer(&message.writer, rpc_code);
    mica_json_field(&message.writer, "message", text);
    write_member(&message, "data", data);
    mica_json_close_object(&message.writer);
    if (message_send(host, &message, &error) != MICA_OK &&
        host->callbacks.error != NULL)
        host->callbacks.error(host->user, &error);
}

void
mica_host_send_refusal(struct mica_host *host, struct mica_text id,
                       int rpc_code, enum mica_host_code code,
                       struct mica_text message)
{
    char room[64];
    struct mica_buffer data = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    host->counts[code]++;
    mica_buffer_format(&data, "{\"code\":\"%s\"}", mica_host_code_word(code));
    mica_host_send_error(host, id, rpc_code, message,
                         mica_buffer_as_text(&data));
}
