// SPDX-License-Identifier: Apache-2.0
//
// Writes the result of a tool as the reply of the message's revision.
#include "server/message.h"
#include "server/message_surface.h"
#include "json/fixed.h"

#include <string.h>

// [TOOL-CONTENT]
static void
write_content(struct mica_message *message, struct mica_json_writer *writer)
{
    const struct mica_result *result = &message->execution.call.result;

    mica_json_open_before(writer, MICA_LITERAL("\"content\":["));
    for (const struct mica_content *block = result->content; block != NULL;
         block = block->next)
        mica_block_write(writer, block,
                         mica_revision_features(message->context.revision),
                         message->arena);
    // MCP: tools, structured content: its JSON also as a text block.
    if (result->content == NULL && result->structured.len > 0)
        mica_text_block_write(writer, result->structured);
    mica_json_close_array(writer);
}

// Returns false if the reply does not fit into the memory of the call.
static bool
write_success(struct mica_message *message)
{
    const struct mica_revision_features *features =
        mica_revision_features(message->context.revision);
    const struct mica_result *result = &message->execution.call.result;
    struct mica_json_writer writer;
    bool is_object =
        result->structured.len > 0 && result->structured.ptr[0] == '{';

    mica_reply_open(message, &writer);
    write_content(message, &writer);
    if (result->structured.len > 0 &&
        (features->any_structured || (features->structured && is_object))) {
        mica_json_name_with(&writer, MICA_LITERAL("\"structuredContent\":"));
        mica_json_raw(&writer, result->structured);
    }
    if (result->is_error) {
        mica_json_name(&writer, "isError");
        mica_json_boolean(&writer, true);
        message->reply.error_code = mica_status_code(MICA_FAILED);
    }
    mica_reply_close(message, &writer, result->meta);
    return message->reply.rpc_error == 0 && !message->arena->overflow;
}

// Writes the error of the result into _meta. A tool may use the text of one of mica's
// codes; the member "own" then marks its error, so that a reader of the stored reply does
// not mistake it for a refusal by mica.
static void
write_error(struct mica_buffer *meta, const struct mica_result *result,
            struct mica_text code)
{
    struct mica_text error = result->error;
    bool marked = result->status == MICA_FAILED && mica_code_is_ours(code) &&
                  error.len > 0 && error.ptr[error.len - 1] == '}';

    if (marked)
        error.len--;
    mica_buffer_format(meta, "\"mica/error\":%.*s%s", MICA_ARG(error),
                       marked ? ",\"own\":true}" : "");
}

// Writes the failure as text for the model, and in _meta for a program.
// [TOOL-ERROR]
static void
write_failure(struct mica_message *message)
{
    const struct mica_result *result = &message->execution.call.result;
    struct mica_text code = mica_text(mica_status_code(result->status));
    struct mica_json_writer writer;
    struct mica_buffer text, meta;
    struct mica_json error;
    struct mica_arena own; // the call may have used up its own memory

    memset(&error, 0, sizeof error);
    mica_arena_init(&own, 64 << 10);
    mica_buffer_init(&text, &own, 4096);
    mica_buffer_init(&meta, &own, 8192);
    if (mica_json_read(&own, result->error, NULL, NULL, &error) == MICA_OK)
        code = mica_json_get_text(&error, "code");
    mica_buffer_format(&text, "%.*s: %.*s", MICA_ARG(code),
                       MICA_ARG(mica_json_get_text(&error, "message")));
    write_error(&meta, result, code);
    message->reply.error_code =
        mica_keep_code(message, code, result->status == MICA_FAILED);
    message->reply.rpc_error = 0;

    mica_reply_open(message, &writer);
    mica_json_name(&writer, "content");
    mica_json_open_array(&writer);
    mica_text_block_write(&writer, mica_buffer_as_text(&text));
    mica_json_close_array(&writer);
    mica_json_name(&writer, "isError");
    mica_json_boolean(&writer, true);
    mica_reply_close(message, &writer, mica_buffer_as_text(&meta));
    mica_arena_fini(&own);
}

void
mica_finish_mcp(struct mica_message *message)
{
    enum mica_status status = message->execution.call.result.status;

    if (status != MICA_OK) {
        write_failure(message);
    } else if (!write_success(message)) {
        mica_call_fail(&message->execution.call, MICA_E_LIMIT, "",
                       "the result needs more than the %zu bytes of a call; "
                       "ask for less",
                       message->server->options.call_bytes);
        write_failure(message);
    }
}

void
mica_finish_tool(struct mica_message *message)
{
    if (message->context.surface != NULL && !message->execution.turn_running)
        message->context.surface->finish(message);
    else
        mica_finish_mcp(message);
}
