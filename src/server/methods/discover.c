// SPDX-License-Identifier: Apache-2.0
//
// Tells the identity and the capabilities of the server: server/discover for the
// stateless revision, initialize and ping for the session revisions.
#include "protocol/extension.h"
#include "server/message.h"

// ---- Capabilities ------------------------------------------------------------------

// Can this client get notifications? A client of the stateless revision requests them
// with each message; for a session revision the server needs a session or a pipe.
static bool
client_gets_notifications(const struct mica_message *message)
{
    return !message->request.only_reply &&
           (mica_revision_features(message->context.revision)->stateless ||
            message->request.line != NULL || message->context.sessions != NULL);
}

// Can this client be notified of changes to a list or a resource? Only if an adapter
// publishes changes.
static bool
client_gets_changes(const struct mica_message *message)
{
    return message->server->registry.changed != NULL &&
           client_gets_notifications(message);
}

static const struct capability {
    const char *name;
    const char *prefix; // of its methods
    unsigned declared;
    bool lists;    // has lists that change
    bool notifies; // needs notifications
} capabilities[] = {
    {"tools", "tools/", MICA_DECLARED_TOOLS, true, false},
    {"resources", "resources/", MICA_DECLARED_RESOURCES, true, false},
    {"prompts", "prompts/", MICA_DECLARED_PROMPTS, true, false},
    {"completions", "completion/", MICA_DECLARED_COMPLETIONS, false, false},
    {"logging", "logging/", MICA_DECLARED_LOGGING, false, true},
};

static bool
capability_is_declared(struct mica_message *message,
                       const struct capability *capability)
{
    unsigned declared = mica_message_endpoint(message)->declared;

    if ((declared & MICA_DECLARED_VIEWS) != 0 &&
        mica_message_tells_views(message))
        declared |= MICA_DECLARED_RESOURCES;
    return (declared & capability->declared) != 0 &&
           (!capability->notifies || client_gets_notifications(message));
}

// Does the server have tasks (MCP: an extension)? It needs a store of calls, and a tool that may be a task.
static bool
has_tasks(struct mica_message *message)
{
    return message->server->calls != NULL &&
           mica_revision_features(message->context.revision)->stateless &&
           (mica_message_endpoint(message)->declared & MICA_DECLARED_TASKS) !=
               0;
}

// MCP: capability negotiation: a method of an undeclared capability is unknown.
bool
mica_message_declares(struct mica_message *message, struct mica_text method)
{
    if (mica_text_starts(method, "subscriptions/"))
        return client_gets_changes(message);
    if (mica_text_starts(method, "tasks/"))
        return has_tasks(message);
    for (size_t i = 0; i < MICA_COUNT(capabilities); i++) {
        if (mica_text_starts(method, capabilities[i].prefix))
            return capability_is_declared(message, &capabilities[i]);
    }
    return true;
}

static void
write_flag(struct mica_json_writer *writer, const char *name)
{
    mica_json_name(writer, name);
    mica_json_boolean(writer, true);
}

// Do questions name views? The operator says so, and a tool has a form with a view.
static bool
names_form_views(struct mica_message *message)
{
    return message->server->options.form_views &&
           (mica_message_endpoint(message)->declared &
            MICA_DECLARED_FORM_VIEWS) != 0;
}

static bool
extension_is_served(struct mica_message *message,
                    const struct mica_extension *extension)
{
    if (!extension->of_server ||
        message->context.revision < extension->earliest)
        return false;
    return extension->bit == MICA_CLIENT_TASKS ? has_tasks(message)
                                               : names_form_views(message);
}

// A server declares no extension that clients alone declare.
static unsigned
served_extensions(struct mica_message *message)
{
    unsigned bits = 0;

    for (size_t i = 0; i < mica_extension_count; i++) {
        if (extension_is_served(message, &mica_extensions[i]))
            bits |= mica_extensions[i].bit;
    }
    return bits;
}

// MCP: server capabilities: those that have a handler.
static void
write_capabilities(struct mica_message *message,
                   struct mica_json_writer *writer)
{
    bool changes = client_gets_changes(message);

    mica_json_name(writer, "capabilities");
    mica_json_open_object(writer);
    for (size_t i = 0; i < MICA_COUNT(capabilities); i++) {
        const struct capability *capability = &capabilities[i];
        if (!capability_is_declared(message, capability))
            continue;
        mica_json_name(writer, capability->name);
        mica_json_open_object(writer);
        if (capability->declared == MICA_DECLARED_RESOURCES && changes)
            write_flag(writer, "subscribe");
        if (capability->lists && changes)
            write_flag(writer, "listChanged");
        mica_json_close_object(writer);
    }
    mica_extensions_write(writer, served_extensions(message));
    mica_json_close_object(writer);
}

// ---- The methods --------------------------------------------------------------------

static void
write_instructions(struct mica_message *message,
                   struct mica_json_writer *writer)
{
    const struct mica_endpoint *endpoint = mica_message_endpoint(message);

    if (endpoint->instructions.len > 0)
        mica_json_field(writer, "instructions", endpoint->instructions);
}

// MCP: server/discover (SEP-2575). Lists only stateless revisions, because a client may
// use any listed revision in its next request.
// [DISCOVER]
void
mica_method_discover(struct mica_message *message)
{
    struct mica_json_writer writer;

    mica_reply_open(message, &writer);
    mica_json_name(&writer, "supportedVersions");
    mica_json_open_array(&writer);
    mica_json_stringz(
        &writer, mica_revision_features(MICA_REVISION_2026_07_28)->version);
    mica_json_close_array(&writer);
    write_capabilities(message, &writer);
    write_instructions(message, &writer);
    mica_write_caching(message, &writer);
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
}

// MCP: lifecycle, version negotiation. The reply to a known revision is that revision;
// the reply to any other is the newest session revision.
// [INIT-VERSION]
void
mica_method_initialize(struct mica_message *message)
{
    const struct mica_json *version =
        mica_json_get(message->request.params, "protocolVersion");
    struct mica_json_writer writer;
    enum mica_revision revision;

    if (version == NULL || version->kind != MICA_JSON_STRING) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED,
                         (struct mica_text){NULL, 0},
                         "initialize needs params.protocolVersion, for example "
                         "\"2025-11-25\"");
        return;
    }
    if (!mica_revision_find(version->text, &revision) ||
        mica_revision_features(revision)->stateless ||
        (message->request.over_http && revision == MICA_REVISION_2024_11_05))
        revision = MICA_REVISION_2025_11_25;
    message->context.revision = revision;
    mica_reply_open(message, &writer);
    mica_json_field(&writer, "protocolVersion",
                    mica_text(mica_revision_features(revision)->version));
    write_capabilities(message, &writer);
    mica_json_name(&writer, "serverInfo");
    mica_implementation_write(&writer,
                              &mica_message_endpoint(message)->implementation,
                              mica_revision_features(revision));
    write_instructions(message, &writer);
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
}

// MCP: ping. The result is exactly {}.
void
mica_method_ping(struct mica_message *message)
{
    struct mica_json_writer writer;

    mica_reply_open(message, &writer);
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
}
