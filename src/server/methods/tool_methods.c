// SPDX-License-Identifier: Apache-2.0
//
// tools/list and tools/call: from params to a running tool, and from its result
// to the reply that the message's revision understands.
#include "server/calls/round.h"
#include "server/message_surface.h"
#include "json/fixed.h"

#include <string.h>

// ---- tools/list ------------------------------------------------------------------

static void
write_hint(struct mica_json_writer *writer, const char *name, bool value)
{
    mica_json_name(writer, name);
    mica_json_boolean(writer, value);
}

static void
write_annotations(const struct mica_definition *tool,
                  struct mica_json_writer *writer)
{
    mica_json_name(writer, "annotations");
    mica_json_open_object(writer);
    if (tool->title.len > 0)
        mica_json_field(writer, "title", tool->title);
    write_hint(writer, "readOnlyHint", (tool->hints & MICA_READ_ONLY) != 0);
    write_hint(writer, "destructiveHint",
               (tool->hints & MICA_DESTRUCTIVE) != 0);
    write_hint(writer, "idempotentHint", (tool->hints & MICA_IDEMPOTENT) != 0);
    write_hint(writer, "openWorldHint", (tool->hints & MICA_OPEN_WORLD) != 0);
    mica_json_close_object(writer);
}

static void
write_meta(const struct mica_definition *tool, struct mica_json_writer *writer)
{
    if (tool->examples.len == 0 && tool->sha256.len == 0 &&
        tool->category.len == 0 && tool->meta.len == 0 && tool->requires == 0)
        return;
    mica_json_name(writer, "_meta");
    mica_json_open_object(writer);
    if (tool->category.len > 0)
        mica_json_field(writer, "mica/category", tool->category);
    if (tool->sha256.len > 0)
        mica_json_field(writer, "mica/sha256", tool->sha256);
    if (tool->requires != 0) {
        mica_json_name(writer, "mica/requiredCapabilities");
        mica_client_write(writer, tool->requires);
    }
    if (tool->examples.len > 0) {
        mica_json_name(writer, "mica/examples");
        mica_json_raw(writer, tool->examples);
    }
    if (tool->meta.len > 0)
        mica_json_raw(writer, tool->meta);
    mica_json_close_object(writer);
}

static void
write_tool(const struct mica_definition *tool,
           const struct mica_revision_features *features,
           struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    mica_write_base(tool, features, writer);
    mica_json_name(writer, "inputSchema");
    mica_json_raw(writer, tool->input_schema);
    if (tool->output_schema.len > 0 &&
        (features->any_structured ||
         (features->structured && tool->output_is_object))) {
        mica_json_name(writer, "outputSchema");
        mica_json_raw(writer, tool->output_schema);
    }
    if (features->annotations)
        write_annotations(tool, writer);
    if (features->title)
        write_meta(tool, writer);
    mica_json_close_object(writer);
}

// MCP: tools/list.
void
mica_method_tools_list(struct mica_message *message)
{
    mica_list(message, MICA_OFFER_TOOL, "tools", write_tool);
}

// ---- tools/call: the result --------------------------------------------------------

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

// False when it does not fit into the memory of the call.
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
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
    return message->reply.rpc_error == 0 && !message->arena->overflow;
}

// The error as it is. One of a tool that reads like one of mica's says whose it is,
// so that a call that is kept in these words is not taken for refused by mica.
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

// D10: text for the model to read, and the same for a program in _meta.
// [TOOL-ERROR]
static void
write_failure(struct mica_message *message)
{
    const struct mica_result *result = &message->execution.call.result;
    struct mica_text code = mica_text(mica_status_code(result->status));
    struct mica_json_writer writer;
    struct mica_buffer text, meta;
    struct mica_json error;
    struct mica_arena own; // the call's memory may be what ran out

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
    if (message->context.surface != NULL && !message->execution.in_turn)
        message->context.surface->finish(message);
    else
        mica_finish_mcp(message);
}

// A pipe has no headers, and neither has a client of an older revision.
static bool
check_params(struct mica_message *message, const struct mica_json *arguments)
{
    struct mica_problem problem;

    if (message->request.http == NULL ||
        !mica_revision_features(message->context.revision)->modern ||
        mica_params_check(message->execution.target->params,
                          message->request.http, arguments, message->arena,
                          &problem))
        return true;
    mica_reply_problem(message, &problem);
    return false;
}

// MCP: tools/call.
void
mica_method_tools_call(struct mica_message *message)
{
    const struct mica_json *arguments =
        mica_json_get(message->request.params, "arguments");

    if (mica_message_target(message, MICA_OFFER_TOOL, "name") == NULL)
        return;
    if (arguments != NULL && arguments->kind != MICA_JSON_OBJECT) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_TYPE,
                         (struct mica_text){NULL, 0},
                         "params.arguments must be an object, it is %s",
                         mica_json_kind_name(arguments->kind));
        return;
    }
    if (check_params(message, arguments))
        mica_message_run(
            message, arguments != NULL ? arguments->raw : MICA_LITERAL("{}"),
            mica_finish_tool);
}
