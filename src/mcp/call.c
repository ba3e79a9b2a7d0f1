// SPDX-License-Identifier: Apache-2.0
//
// tools/call: from params to a running tool, and from its result to the reply
// that the message's revision understands.
#include "mcp/message.h"

#include <string.h>

void
mica_method_tools_call(struct mica_message *message)
{
    const struct mica_json *name = mica_json_get(message->params, "name");
    const struct mica_json *arguments =
        mica_json_get(message->params, "arguments");
    const struct mica_definition *nearest;
    struct mica_text quoted;
    struct mica_text none = {NULL, 0};

    if (name == NULL || name->kind != MICA_JSON_STRING) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED, none,
                         "tools/call needs params.name, the name of a tool");
        return;
    }
    if (arguments != NULL && arguments->kind != MICA_JSON_OBJECT) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_TYPE, none,
                         "params.arguments must be an object, it is %s",
                         mica_json_kind_name(arguments->kind));
        return;
    }
    message->tool = mica_server_find(message->server, name->text);
    if (message->tool == NULL) {
        nearest = mica_server_nearest(message->server, name->text);
        quoted = mica_quote(message, name->text);
        if (nearest != NULL)
            mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND,
                             none, "Unknown tool %.*s; did you mean \"%.*s\"?",
                             MICA_ARG(quoted), MICA_ARG(nearest->name));
        else
            mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND,
                             none, "Unknown tool %.*s; tools/list names all",
                             MICA_ARG(quoted));
        return;
    }
    message->arguments =
        arguments != NULL ? arguments->raw : MICA_LITERAL("{}");
    message->step = MICA_STEP_WORK;
}

// ---- The result ----------------------------------------------------------------

static void
open_block(struct mica_json_writer *writer, const char *type)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "type", mica_text(type));
}

static void
text_block(struct mica_json_writer *writer, struct mica_text text)
{
    open_block(writer, "text");
    mica_json_field(writer, "text", text);
    mica_json_close_object(writer);
}

static void
optional_field(struct mica_json_writer *writer, const char *name,
               struct mica_text text)
{
    if (text.len > 0)
        mica_json_field(writer, name, text);
}

// A block of a kind that the client's revision does not have becomes text.
static void
replacement_block(struct mica_message *message, struct mica_json_writer *writer,
                  const struct mica_content *block)
{
    struct mica_buffer text;

    mica_buffer_init(&text, message->arena, 64 << 10);
    if (block->kind == MICA_CONTENT_LINK)
        mica_buffer_format(&text, "%.*s: %.*s", MICA_ARG(block->name),
                           MICA_ARG(block->uri));
    else
        mica_buffer_format(&text, "[audio, %.*s]", MICA_ARG(block->mime_type));
    text_block(writer, mica_buffer_as_text(&text));
}

static void
write_block(struct mica_json_writer *writer, const struct mica_content *block)
{
    switch (block->kind) {
    case MICA_CONTENT_TEXT:
        open_block(writer, "text");
        mica_json_field(writer, "text", block->data);
        break;
    case MICA_CONTENT_IMAGE:
    case MICA_CONTENT_AUDIO:
        open_block(writer,
                   block->kind == MICA_CONTENT_IMAGE ? "image" : "audio");
        mica_json_field(writer, "data", block->data);
        mica_json_field(writer, "mimeType", block->mime_type);
        break;
    case MICA_CONTENT_RESOURCE:
        open_block(writer, "resource");
        mica_json_name(writer, "resource");
        mica_json_open_object(writer);
        mica_json_field(writer, "uri", block->uri);
        optional_field(writer, "mimeType", block->mime_type);
        mica_json_field(writer, block->base64 ? "blob" : "text", block->data);
        mica_json_close_object(writer);
        break;
    case MICA_CONTENT_LINK:
        open_block(writer, "resource_link");
        mica_json_field(writer, "uri", block->uri);
        mica_json_field(writer, "name", block->name);
        optional_field(writer, "description", block->description);
        optional_field(writer, "mimeType", block->mime_type);
        break;
    }
    if (block->annotations.len > 0) {
        mica_json_name(writer, "annotations");
        mica_json_raw(writer, block->annotations);
    }
    mica_json_close_object(writer);
}

static void
write_content(struct mica_message *message, struct mica_json_writer *writer)
{
    const struct mica_wire_features *features =
        mica_wire_features(message->wire);
    const struct mica_result *result = &message->call.result;

    mica_json_name(writer, "content");
    mica_json_open_array(writer);
    for (const struct mica_content *block = result->content; block != NULL;
         block = block->next) {
        if ((block->kind == MICA_CONTENT_LINK && !features->resource_link) ||
            (block->kind == MICA_CONTENT_AUDIO && !features->audio))
            replacement_block(message, writer, block);
        else
            write_block(writer, block);
    }
    // MCP: tools, structured content: its JSON also as a text block.
    if (result->content == NULL && result->structured.len > 0)
        text_block(writer, result->structured);
    mica_json_close_array(writer);
}

// False when it does not fit into the memory of the call.
static bool
write_success(struct mica_message *message)
{
    const struct mica_wire_features *features =
        mica_wire_features(message->wire);
    const struct mica_result *result = &message->call.result;
    struct mica_json_writer writer;
    bool is_object =
        result->structured.len > 0 && result->structured.ptr[0] == '{';

    mica_reply_open(message, &writer);
    write_content(message, &writer);
    if (result->structured.len > 0 &&
        (features->any_structured || (features->structured && is_object))) {
        mica_json_name(&writer, "structuredContent");
        mica_json_raw(&writer, result->structured);
    }
    if (result->is_error) {
        mica_json_name(&writer, "isError");
        mica_json_boolean(&writer, true);
        message->error_code = mica_status_code(MICA_FAILED);
    }
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
    return message->rpc_error == 0 && !message->arena->overflow;
}

// The stable code as text that outlives the reply, for the log line.
static const char *
keep_code(struct mica_message *message, struct mica_text code)
{
    const char *kept = mica_arena_text(message->arena, code).ptr;

    return kept != NULL ? kept : mica_status_code(message->call.result.status);
}

// D10: text for the model to read, and the same for a program in _meta.
static void
write_failure(struct mica_message *message)
{
    const struct mica_result *result = &message->call.result;
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
    mica_buffer_format(&meta, "\"mica/error\":%.*s", MICA_ARG(result->error));
    message->error_code = keep_code(message, code);
    message->rpc_error = 0;

    mica_reply_open(message, &writer);
    mica_json_name(&writer, "content");
    mica_json_open_array(&writer);
    text_block(&writer, mica_buffer_as_text(&text));
    mica_json_close_array(&writer);
    mica_json_name(&writer, "isError");
    mica_json_boolean(&writer, true);
    mica_reply_close(message, &writer, mica_buffer_as_text(&meta));
    mica_arena_fini(&own);
}

// ---- Running -------------------------------------------------------------------

static void
run(struct mica_message *message, uint32_t budget_ms)
{
    const struct mica_runnable *runnable = &message->tool->runnable;
    struct mica_call *call = &message->call;

    mica_call_init(call, message->arena);
    call->user = runnable->user;
    call->cancelled = &message->cancelled;
    call->budget_ms = budget_ms;
    call->output_bytes = message->server->options.call_bytes / 4;
    runnable->run(runnable, call, message->arguments);
}

static void
finish(struct mica_message *message)
{
    enum mica_status status = message->call.result.status;

    if (atomic_load_explicit(&message->cancelled, memory_order_relaxed) ||
        status == MICA_E_CANCELLED) {
        message->error_code = mica_status_code(MICA_E_CANCELLED);
        mica_reply_silent(message, 499);
    } else if (status != MICA_OK) {
        write_failure(message);
    } else if (!write_success(message)) {
        mica_call_fail(&message->call, MICA_E_LIMIT, "",
                       "the result needs more than the %zu bytes of a call; "
                       "ask for less",
                       message->server->options.call_bytes);
        write_failure(message);
    }
}

bool
mica_message_try(struct mica_message *message)
{
    if (!message->tool->runnable.inline_first)
        return false;
    run(message, 1);
    if (message->call.result.status == MICA_E_TIMEOUT)
        return false;
    finish(message);
    return true;
}

void
mica_message_work(struct mica_message *message)
{
    run(message, 0);
    finish(message);
}
