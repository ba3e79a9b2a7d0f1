// SPDX-License-Identifier: Apache-2.0
//
// Writes the contents of a resource, or the messages of a prompt, as the reply of the
// message's revision.
#include "server/message.h"

static const struct mica_text none = {NULL, 0};

// ---- Prompts -----------------------------------------------------------------------

void
mica_finish_prompt(struct mica_message *message)
{
    const struct mica_result *result = &message->execution.call.result;
    struct mica_json_writer writer;

    if (result->status != MICA_OK) {
        mica_reply_failure(
            message, (enum mica_rpc_error)mica_status_json_rpc(result->status),
            none);
        return;
    }
    mica_reply_open(message, &writer);
    mica_json_field(&writer, "description",
                    message->execution.target->description);
    mica_json_name(&writer, "messages");
    mica_json_open_array(&writer);
    for (const struct mica_content *block = result->content; block != NULL;
         block = block->next) {
        mica_json_open_object(&writer);
        mica_json_field(&writer, "role",
                        block->by_assistant ? MICA_LITERAL("assistant")
                                            : MICA_LITERAL("user"));
        mica_json_name(&writer, "content");
        mica_block_write(&writer, block,
                         mica_revision_features(message->context.revision),
                         message->arena);
        mica_json_close_object(&writer);
    }
    mica_json_close_array(&writer);
    mica_reply_close(message, &writer, none);
}

// ---- Resources that cannot be read ---------------------------------------------------

// Writes "uri":… for error.data.
static struct mica_text
uri_data(const struct mica_message *message, struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, message->request.uri.len * 6 + 64);
    mica_json_writer_init(&writer, &buffer);
    mica_json_field(&writer, "uri", message->request.uri);
    return buffer.overflow ? none : mica_buffer_as_text(&buffer);
}

// [RESOURCE-MISSING] MCP: resources, error handling (SEP-2164): the session revisions have
// a code for a missing resource. It is never an empty list of contents.
static enum mica_rpc_error
missing_code(const struct mica_message *message)
{
    return mica_revision_features(message->context.revision)->stateless
               ? MICA_RPC_PARAMS
               : MICA_RPC_RESOURCE;
}

void
mica_resource_refuse(struct mica_message *message)
{
    const struct mica_definition *nearest =
        mica_catalog_nearest(mica_message_catalog(message),
                             MICA_DEFINITION_RESOURCE, message->request.uri);
    struct mica_text data = uri_data(message, message->arena);
    struct mica_text quoted = mica_quote(message->arena, message->request.uri);

    if (nearest != NULL)
        mica_reply_error(message, 200, missing_code(message), MICA_E_NOT_FOUND,
                         data, "Unknown resource %.*s; did you mean \"%.*s\"?",
                         MICA_ARG(quoted), MICA_ARG(nearest->key));
    else
        mica_reply_error(message, 200, missing_code(message), MICA_E_NOT_FOUND,
                         data,
                         "Unknown resource %.*s; resources/list and "
                         "resources/templates/list say what there is",
                         MICA_ARG(quoted));
}

// Writes the error reply. Values that the template's record refuses, and resources that
// the handler does not find, are errors of the client; all others are the server's.
static void
refuse_read(struct mica_message *message)
{
    const struct mica_result *result = &message->execution.call.result;
    enum mica_rpc_error rpc = MICA_RPC_INTERNAL;
    struct mica_arena own; // the call may have used up its own memory

    mica_arena_init(&own, message->request.uri.len * 6 + (64 << 10));
    if (mica_text_is(mica_failure_code(message, &own), "NOT_FOUND"))
        rpc = missing_code(message);
    else if (result->status != MICA_FAILED &&
             mica_status_kind(result->status) == MICA_INPUT)
        rpc = MICA_RPC_PARAMS;
    mica_reply_failure(message, rpc, uri_data(message, &own));
    mica_arena_fini(&own);
}

// ---- The contents of a resource ------------------------------------------------------

// MCP Apps: what a host needs of a view stands on its contents. Other resources have
// nothing to say there.
static void
write_contents_meta(struct mica_message *message,
                    struct mica_json_writer *writer)
{
    const struct mica_definition *target = message->execution.target;

    if (mica_definition_view_meta(target).len == 0 ||
        !(mica_message_tells_views(message) || target->view->for_all) ||
        !mica_revision_features(message->context.revision)->title)
        return;
    mica_json_name(writer, "_meta");
    mica_json_open_object(writer);
    mica_json_raw(writer, mica_definition_view_meta(target));
    mica_json_close_object(writer);
}

// MCP: resource contents: text or blob. Returns false for a block of another kind.
static bool
write_contents(struct mica_message *message, struct mica_json_writer *writer,
               const struct mica_content *block)
{
    if (block->kind != MICA_CONTENT_RESOURCE)
        return false;
    mica_json_open_object(writer);
    mica_json_field(writer, "uri", block->uri);
    if (block->mime_type.len > 0)
        mica_json_field(writer, "mimeType", block->mime_type);
    mica_json_field(writer, block->base64 ? "blob" : "text", block->data);
    // The adapter inserts the streamed text between the quotes.
    if (message->execution.call.streamed != NULL)
        message->reply.streamed_at = message->reply.text.len - 1;
    write_contents_meta(message, writer);
    mica_json_close_object(writer);
    return true;
}

static void
write_read(struct mica_message *message)
{
    struct mica_json_writer writer;
    bool right = message->execution.call.result.content != NULL;

    mica_reply_open(message, &writer);
    mica_json_name(&writer, "contents");
    mica_json_open_array(&writer);
    for (const struct mica_content *block =
             message->execution.call.result.content;
         block != NULL; block = block->next)
        right = write_contents(message, &writer, block) && right;
    mica_json_close_array(&writer);
    mica_write_caching(message, &writer);
    mica_reply_close(message, &writer, none);
    if (right)
        return;
    mica_call_fail(&message->execution.call, MICA_E_EXECUTION, "",
                   "the handler of this resource must add contents with "
                   "mica_add_resource_text or mica_add_resource_bytes, and "
                   "nothing else");
    refuse_read(message);
}

void
mica_finish_read(struct mica_message *message)
{
    if (message->execution.call.result.status == MICA_OK)
        write_read(message);
    else
        refuse_read(message);
}
