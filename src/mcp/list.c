// SPDX-License-Identifier: Apache-2.0
//
// The four lists: a page of definitions in the order they were added, which does
// not change while they are offered.
#include "mcp/message.h"

void
mica_write_base(const struct mica_definition *definition,
                const struct mica_wire_features *features,
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

void
mica_write_meta(const struct mica_definition *definition,
                const struct mica_wire_features *features,
                struct mica_json_writer *writer)
{
    if (!features->title || definition->meta.len == 0)
        return;
    mica_json_name(writer, "_meta");
    mica_json_open_object(writer);
    mica_json_raw(writer, definition->meta);
    mica_json_close_object(writer);
}

// MCP: pagination. Without a sealer nobody could come back: all is one page.
static size_t
page_end(const struct mica_server *server, const struct mica_shelf *shelf,
         size_t from)
{
    size_t left = shelf->count - from;

    if (server->sealer == NULL || left <= server->options.page_items)
        return shelf->count;
    return from + server->options.page_items;
}

void
mica_list(struct mica_message *message, enum mica_offer offer,
          const char *member, mica_write_definition *write)
{
    const struct mica_wire_features *features =
        mica_wire_features(message->wire);
    const struct mica_shelf *shelf =
        &mica_message_catalog(message)->shelves[offer];
    struct mica_json_writer writer;
    struct mica_text cursor = {NULL, 0};
    size_t from, end;

    if (!mica_cursor_open(message, offer, &from))
        return;
    end = page_end(message->server, shelf, from);
    if (end < shelf->count &&
        !mica_cursor_seal(message, offer, end - 1, &cursor))
        return;
    mica_reply_open(message, &writer);
    mica_json_name(&writer, member);
    mica_json_open_array(&writer);
    for (size_t i = from; i < end; i++)
        write(shelf->items[i], features, &writer);
    mica_json_close_array(&writer);
    if (cursor.len > 0)
        mica_json_field(&writer, "nextCursor", cursor);
    mica_write_caching(message, &writer);
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
}

// [CACHE-HINTS] [CACHE-SCOPE]
void
mica_write_caching(struct mica_message *message,
                   struct mica_json_writer *writer)
{
    if (!mica_wire_features(message->wire)->modern)
        return;
    mica_json_name(writer, "ttlMs");
    mica_json_integer(writer, message->server->options.list_ttl_ms);
    mica_json_field(writer, "cacheScope",
                    message->principal != NULL ? MICA_LITERAL("private")
                                               : MICA_LITERAL("public"));
}
