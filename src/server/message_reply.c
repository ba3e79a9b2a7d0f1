// SPDX-License-Identifier: Apache-2.0
//
// Writes replies: a result, an error, or only an HTTP status.
#include "server/message.h"
#include "server/message_surface.h"

#include "base/assert.h"
#include "base/formatter.h"
#include "json/fixed.h"

void
mica_reply_silent(struct mica_message *message, unsigned http_status)
{
    message->step = MICA_STEP_SILENT;
    message->reply.streamed_at = 0;
    message->reply.http_status = http_status;
    message->reply.text.len = 0;
}

void
mica_reply_begin(struct mica_message *message)
{
    message->step = MICA_STEP_REPLY;
    message->reply.streamed_at = 0;
    message->reply.text.len = 0;
    message->reply.text.overflow = false;
}

static void
open_reply(struct mica_message *message, struct mica_json_writer *writer)
{
    mica_reply_begin(message);
    mica_json_writer_init(writer, &message->reply.text);
    if (message->request.id.len > 0) { // an unknown id is absent, never null
        mica_json_open_before(writer,
                              MICA_LITERAL("{\"jsonrpc\":\"2.0\",\"id\":"));
        mica_json_raw(writer, message->request.id);
    } else {
        mica_json_open_with(writer, MICA_LITERAL("{\"jsonrpc\":\"2.0\""));
    }
}

// [BASE-RESULTTYPE]
void
mica_reply_open_as(struct mica_message *message,
                   struct mica_json_writer *writer, const char *result_typez)
{
    open_reply(message, writer);
    mica_json_name(writer, "result");
    mica_json_open_object(writer);
    if (mica_revision_features(message->context.revision)->stateless)
        mica_json_field(writer, "resultType", mica_text(result_typez));
}

void
mica_reply_open(struct mica_message *message, struct mica_json_writer *writer)
{
    open_reply(message, writer);
    if (mica_revision_features(message->context.revision)->stateless)
        mica_json_open_with(
            writer, MICA_LITERAL("\"result\":{\"resultType\":\"complete\""));
    else
        mica_json_open_before(writer, MICA_LITERAL("\"result\":{"));
}

// The reply without {"jsonrpc":"2.0","id":…, at its begin and } at its end.
struct mica_text
mica_reply_tail_of(const struct mica_message *message)
{
    size_t head = sizeof "{\"jsonrpc\":\"2.0\"," - 1;

    if (message->request.id.len > 0)
        head += sizeof "\"id\":," - 1 + message->request.id.len;
    return mica_text_slice(mica_buffer_as_text(&message->reply.text), head,
                           message->reply.text.len - 1);
}

void
mica_reply_tail(struct mica_message *message, struct mica_text tail)
{
    struct mica_json_writer writer;

    open_reply(message, &writer);
    mica_json_raw(&writer, tail);
    mica_json_close_object(&writer);
    if (message->reply.text.overflow)
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT,
                         (struct mica_text){NULL, 0},
                         "The result is larger than %zu bytes; ask for less",
                         message->server->options.call_bytes);
}

// The full identity in the reply to server/discover; otherwise the short form.
static struct mica_text
reply_server_info(struct mica_message *message)
{
    const struct mica_endpoint *endpoint = mica_message_endpoint(message);

    return mica_text_is(message->request.method, "server/discover")
               ? endpoint->server_info
               : mica_endpoint_brief(endpoint);
}

void
mica_reply_close(struct mica_message *message, struct mica_json_writer *writer,
                 struct mica_text meta)
{
    bool stateless =
        mica_revision_features(message->context.revision)->stateless;

    if (stateless || meta.len > 0) {
        mica_json_open_before(writer, MICA_LITERAL("\"_meta\":{"));
        if (stateless) {
            mica_json_name_with(
                writer, MICA_LITERAL("\"" MICA_META_PREFIX "serverInfo\":"));
            mica_json_raw(writer, reply_server_info(message));
        }
        if (meta.len > 0)
            mica_json_raw(writer, meta);
        mica_json_close_object(writer);
    }
    mica_json_close_object(writer);
    mica_json_close_object(writer);
    if (message->reply.text.overflow)
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT,
                         (struct mica_text){NULL, 0},
                         "The result is larger than %zu bytes; ask for less",
                         message->server->options.call_bytes);
}

// Writes the error reply for exhausted memory, into the storage of the message itself.
static void
reply_no_memory(struct mica_message *message)
{
    struct mica_json_writer writer;

    message->reply.text =
        (struct mica_buffer){.ptr = message->reply.spare,
                             .capacity = sizeof message->reply.spare,
                             .max = sizeof message->reply.spare,
                             .arena = message->arena};
    open_reply(message, &writer);
    message->reply.rpc_error = MICA_RPC_INTERNAL;
    message->reply.error_code = mica_status_code(MICA_E_LIMIT);
    mica_json_name(&writer, "error");
    mica_json_raw(&writer,
                  MICA_LITERAL("{\"code\":-32603,\"message\":\"Not enough "
                               "memory to answer; ask for less\",\"data\":{"
                               "\"code\":\"LIMIT_EXCEEDED\"}}"));
    mica_json_close_object(&writer);
    MICA_ASSERT(!message->reply.text.overflow);
}

void
mica_reply_code(struct mica_message *message, unsigned http_status,
                enum mica_rpc_error rpc, const char *codez,
                struct mica_text data, struct mica_text text)
{
    struct mica_json_writer writer;

    message->reply.http_status = http_status;
    message->reply.rpc_error = (int)rpc;
    message->reply.error_code = codez;
    if (message->context.surface != NULL && !message->execution.turn_running) {
        message->context.surface->refuse(message, codez, data, text);
        return;
    }
    open_reply(message, &writer);
    mica_problem_write(&writer, rpc, codez, data, text);
    mica_json_close_object(&writer);
    if (message->reply.text.overflow)
        reply_no_memory(message);
}

void
mica_reply_problem(struct mica_message *message,
                   const struct mica_problem *problem)
{
    mica_reply_code(message, problem->http_status, problem->rpc, problem->code,
                    problem->data, mica_text(problem->text));
}

void
mica_reply_error(struct mica_message *message, unsigned http_status,
                 enum mica_rpc_error rpc, enum mica_status status,
                 struct mica_text data, const char *formatz, ...)
{
    char text[768];
    va_list arguments;

    // On the stack, because the arena may have overflowed.
    va_start(arguments, formatz);
    mica_format_message(text, sizeof text, formatz, arguments);
    va_end(arguments);
    mica_reply_code(message, http_status, rpc, mica_status_code(status), data,
                    mica_text(text));
}

void
mica_message_refuse(struct mica_message *message, enum mica_status status,
                    const char *formatz, ...)
{
    struct mica_error error;
    va_list arguments;

    va_start(arguments, formatz);
    (void)mica_error_vset(&error, status, NULL, "", formatz, arguments);
    va_end(arguments);
    mica_reply_error(message, (unsigned)mica_status_http(status),
                     (enum mica_rpc_error)mica_status_json_rpc(status), status,
                     (struct mica_text){NULL, 0}, "%s", error.message);
}

struct mica_text
mica_retry_after(struct mica_arena *arena, unsigned seconds)
{
    struct mica_buffer text;

    mica_buffer_init(&text, arena, 16);
    mica_buffer_format(&text, "%u", seconds);
    return text.overflow ? MICA_LITERAL("60") : mica_buffer_as_text(&text);
}
