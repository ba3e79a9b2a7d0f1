// SPDX-License-Identifier: Apache-2.0
//
// The context of a stored call: what a turn without a request needs of the request that
// began the call, as JSON. Stores contain its keys, so they never change: "wire" is the
// revision, "speaks" says that the server's model provider replaces the client's model.
#include "server/calls/resumable.h"

static const struct mica_text none = {NULL, 0};

enum {
    CONTEXT_BYTES = 64 << 10
};

struct mica_text
mica_context_write(struct mica_message *message)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, message->arena,
                     CONTEXT_BYTES + message->request.uri.len * 6);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    mica_json_field(
        &writer, "wire",
        mica_text(mica_revision_features(message->context.revision)->version));
    mica_json_field(&writer, "method", message->request.method);
    mica_json_field(&writer, "name", message->request.name);
    mica_json_name(&writer, "client");
    mica_json_integer(&writer, (int64_t)message->context.capabilities);
    if (message->request.id.len > 0) {
        mica_json_name(&writer, "id");
        mica_json_raw(&writer, message->request.id);
    }
    if (message->request.progress_token.len > 0) {
        mica_json_name(&writer, "progressToken");
        mica_json_raw(&writer, message->request.progress_token);
    }
    if (message->context.logs)
        mica_json_field(
            &writer, "logLevel",
            mica_text(mica_log_level_name(message->context.log_level)));
    if (message->request.uri.len > 0)
        mica_json_field(&writer, "uri", message->request.uri);
    if (message->context.principal != NULL)
        mica_json_field(&writer, "scopes", message->context.principal->scopes);
    if (message->context.uses_provider) {
        mica_json_name(&writer, "speaks");
        mica_json_boolean(&writer, true);
    }
    mica_json_close_object(&writer);
    return buffer.overflow ? none : mica_buffer_as_text(&buffer);
}

bool
mica_context_read(struct mica_message *message, struct mica_text text)
{
    struct mica_text level;
    struct mica_json *context =
        mica_arena_zero(message->arena, 1, sizeof *context);
    const struct mica_json *client;
    int64_t bits = 0;

    if (context == NULL ||
        mica_json_read(message->arena, text, NULL, NULL, context) != MICA_OK ||
        !mica_revision_find(mica_json_get_text(context, "wire"),
                            &message->context.revision))
        return false;
    message->request.method = mica_json_get_text(context, "method");
    message->request.name = mica_json_get_text(context, "name");
    message->request.uri = mica_json_get_text(context, "uri");
    client = mica_json_get(context, "client");
    if (client == NULL || !mica_integer_read(client->raw, &bits))
        return false;
    message->context.capabilities = (unsigned)bits;
    if (mica_json_get(context, "id") != NULL)
        message->request.id = mica_json_get(context, "id")->raw;
    if (mica_json_get(context, "progressToken") != NULL)
        message->request.progress_token =
            mica_json_get(context, "progressToken")->raw;
    level = mica_json_get_text(context, "logLevel");
    message->context.logs =
        level.len > 0 &&
        mica_log_level_find(level, &message->context.log_level);
    message->context.scopes = mica_json_get_text(context, "scopes");
    message->context.uses_provider = mica_json_get(context, "speaks") != NULL;
    return true;
}

// A changed build counts as a different tool.
bool
mica_resumable_find_target(struct mica_message *message,
                           const struct mica_kept_call *kept)
{
    message->execution.target = mica_catalog_find(mica_message_offered(message),
                                                  kept->kind, kept->target);
    if (message->execution.target != NULL &&
        mica_text_equal(mica_registry_version_of(&message->server->registry,
                                                 message->execution.target),
                        kept->version))
        return true;
    message->execution.target = NULL;
    if (kept->kind == MICA_DEFINITION_TOOL)
        message->execution.target =
            mica_message_build(message, kept->target, kept->version);
    return message->execution.target != NULL;
}
