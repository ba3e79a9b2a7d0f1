// SPDX-License-Identifier: Apache-2.0
//
// Writes the four lists in pages. Definitions have the order in which they were added. A
// page has a largest number of definitions, and a largest size. The size is known only
// after a definition was written; one that exceeds it is removed again.
#include "server/message.h"

enum {
    PAGE_BYTES = 1 << 20 // of one page, unless a single definition is larger
};

void
mica_write_base(const struct mica_definition *definition,
                const struct mica_revision_features *features,
                struct mica_json_writer *writer)
{
    mica_json_field(writer, "name", definition->name);
    if (features->title && definition->title.len > 0)
        mica_json_field(writer, "title", definition->title);
    if (definition->description.len > 0)
        mica_json_field(writer, "description", definition->description);
    if (features->description && definition->icons.len > 0) {
        mica_json_name(writer, "icons");
        mica_json_raw(writer, definition->icons);
    }
}

bool
mica_message_tells_views(struct mica_message *message)
{
    return (message->context.capabilities & MICA_VIEWS) != 0 ||
           mica_message_endpoint(message)->list_all;
}

void
mica_write_meta(const struct mica_definition *definition,
                const struct mica_list_reader *reader,
                struct mica_json_writer *writer)
{
    bool views = mica_definition_view_meta(definition).len > 0 &&
                 (reader->views || definition->view->for_all);

    if (!reader->features->title || (definition->meta.len == 0 && !views))
        return;
    mica_json_name(writer, "_meta");
    mica_json_open_object(writer);
    if (definition->meta.len > 0)
        mica_json_raw(writer, definition->meta);
    if (views)
        mica_json_raw(writer, mica_definition_view_meta(definition));
    mica_json_close_object(writer);
}

// The size of a page, which leaves memory for the rest of the message.
static size_t
page_bytes(const struct mica_server *server)
{
    size_t quarter = server->options.call_bytes / 4;

    return quarter < PAGE_BYTES ? quarter : PAGE_BYTES;
}

// Is it http_request, while there is no view that could send requests? The view that mica
// makes of an engine sends none.
static bool
is_useless(struct mica_message *message,
           const struct mica_definition *definition)
{
    const struct mica_definition_list *tools =
        &mica_message_catalog(message)->lists[MICA_DEFINITION_TOOL];

    if (!mica_definition_for_requests(definition))
        return false;
    for (size_t i = 0; i < tools->count; i++)
        if (mica_definition_has_form_views(tools->items[i]) ||
            (mica_definition_has_view(tools->items[i]) &&
             !mica_definition_view_is_made(tools->items[i])))
            return false;
    return true;
}

// Does this client get the definition in the list? Not if it lacks a capability that a tool
// needs: every call of it would be refused. Nor is a view for a client that shows none.
// (MCP: a list may depend on what the request declares; then other clients must not cache
// it.)
static bool
is_listed(struct mica_message *message,
          const struct mica_definition *definition)
{
    unsigned needs = definition->requires;

    if (is_useless(message, definition))
        return false;
    if (mica_definition_is_view(definition) && !definition->view->for_all)
        needs |= MICA_VIEWS;
    return mica_message_endpoint(message)->list_all ||
           (needs & ~(message->context.capabilities |
                      mica_server_provides(message->server))) == 0;
}

// Writes one page of at least one definition, and returns where it ends. Without a sealer
// there are no cursors, so the page has all definitions. MCP: pagination.
static size_t
write_page(struct mica_message *message,
           const struct mica_definition_list *list, size_t from,
           mica_write_definition *write, struct mica_json_writer *writer)
{
    const struct mica_server *server = message->server;
    struct mica_buffer *reply = &message->reply.text;
    size_t most = server->sealer != NULL ? page_bytes(server) : SIZE_MAX;
    size_t items = server->sealer != NULL
                       ? mica_message_endpoint(message)->page_items
                       : SIZE_MAX;
    const struct mica_list_reader reader = {
        mica_revision_features(message->context.revision),
        mica_message_tells_views(message)};
    size_t begin = reply->len, i = from, written = 0;

    for (; i < list->count && written < items; i++) {
        struct mica_json_writer before = *writer;
        size_t length = reply->len;
        if (!is_listed(message, list->items[i]))
            continue;
        write(list->items[i], &reader, writer);
        if (written++ > 0 && (reply->overflow || reply->len - begin > most)) {
            *writer = before;
            reply->len = length;
            reply->overflow = false;
            break;
        }
    }
    return i;
}

void
mica_list(struct mica_message *message, enum mica_definition_kind kind,
          const char *member, mica_write_definition *write)
{
    const struct mica_definition_list *list =
        &mica_message_catalog(message)->lists[kind];
    struct mica_json_writer writer;
    struct mica_text cursor;
    size_t from, end;

    if (!mica_cursor_open(message, kind, &from))
        return;
    mica_reply_open(message, &writer);
    mica_json_name(&writer, member);
    mica_json_open_array(&writer);
    end = write_page(message, list, from, write, &writer);
    mica_json_close_array(&writer);
    if (end < list->count) {
        if (!mica_cursor_seal(message, kind, end - 1, &cursor))
            return;
        mica_json_field(&writer, "nextCursor", cursor);
    }
    mica_write_caching(message, &writer);
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
}

// Could another client get another list of tools or resources, or other contents?
static bool
depends_on_client(struct mica_message *message)
{
    bool tools = mica_text_is(message->request.method, "tools/list");
    bool resources = mica_text_is(message->request.method, "resources/list");
    const struct mica_definition *target = message->execution.target;
    const struct mica_definition_list *list =
        &mica_message_catalog(message)
             ->lists[tools ? MICA_DEFINITION_TOOL : MICA_DEFINITION_RESOURCE];

    if (mica_message_endpoint(message)->list_all)
        return false;
    if (!tools && !resources)
        return target != NULL && mica_definition_view_meta(target).len > 0;
    for (size_t i = 0; i < list->count; i++) {
        if ((list->items[i]->requires != 0 ||
             mica_definition_view_meta(list->items[i]).len > 0) &&
            !is_useless(message, list->items[i]))
            return true;
    }
    return false;
}

// [CACHE-HINTS] [CACHE-SCOPE]
void
mica_write_caching(struct mica_message *message,
                   struct mica_json_writer *writer)
{
    if (!mica_revision_features(message->context.revision)->stateless)
        return;
    mica_json_name(writer, "ttlMs");
    mica_json_integer(writer, mica_message_endpoint(message)->list_ttl_ms);
    mica_json_field(writer, "cacheScope",
                    message->context.principal != NULL ||
                            depends_on_client(message)
                        ? MICA_LITERAL("private")
                        : MICA_LITERAL("public"));
}
