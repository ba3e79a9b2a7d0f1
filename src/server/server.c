// SPDX-License-Identifier: Apache-2.0
//
// Opens and closes a server: its identity, options and registry.
#include "server/server.h"

#include <string.h>

#include "base/assert.h"
#include "server/message.h"
#include "server/sealer.h"

enum {
    CLOSE_HOOKS = 8,
    DEFAULT_MESSAGE_BYTES = 4 << 20,
    DEFAULT_CALL_BYTES = 32 << 20,
    DEFAULT_PAGE_ITEMS = 1000,
    SERVER_BYTES = 16 << 20
};

// The endpoint /mcp, from the options.
static struct mica_endpoint_parts
main_endpoint(const struct mica_server_options *options)
{
    return (struct mica_endpoint_parts){
        .implementation = {.name = options->name,
                           .version = options->version,
                           .title = options->title,
                           .description = options->description,
                           .website_url = options->website_url,
                           .icons = options->icons,
                           .icon_count = options->icon_count},
        .instructions = options->instructions,
        .page_items = options->page_items,
        .list_ttl_ms = options->list_ttl_ms,
        .list_all = options->list_all};
}

enum mica_status
mica_server_open(const struct mica_server_options *options,
                 struct mica_error *error, struct mica_server **server_out)
{
    struct mica_endpoint_parts main;
    struct mica_arena arena;
    struct mica_server *server;

    if (options->name == NULL || options->version == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "a server needs a name and a version; set .name "
                              "and .version of struct mica_server_options");
    mica_arena_init(&arena, SERVER_BYTES);
    server = mica_arena_zero(&arena, 1, sizeof *server);
    if (server == NULL) {
        mica_arena_fini(&arena);
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for a server");
    }
    server->arena = arena;
    server->options = *options;
    if (server->options.message_bytes == 0)
        server->options.message_bytes = DEFAULT_MESSAGE_BYTES;
    if (server->options.call_bytes == 0)
        server->options.call_bytes = DEFAULT_CALL_BYTES;
    if (server->options.page_items == 0)
        server->options.page_items = DEFAULT_PAGE_ITEMS;
    main = main_endpoint(&server->options);
    if (options->cursor_key != NULL)
        server->sealer =
            mica_siphash_sealer(&server->arena, options->cursor_key);
    if (!mica_registry_init(&server->registry, &main) ||
        server->arena.overflow) {
        mica_server_close(&server);
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for a server");
    }
    *server_out = server;
    return MICA_OK;
}

void
mica_server_close(struct mica_server **server)
{
    struct mica_arena arena;

    if (*server == NULL)
        return;
    while ((*server)->close_count > 0) {
        size_t last = --(*server)->close_count;
        (*server)->close_hooks[last]((*server)->close_data[last]);
    }
    mica_registry_fini(&(*server)->registry);
    // The server lies in its own arena: copy the arena before freeing it.
    arena = (*server)->arena;
    *server = NULL;
    mica_arena_fini(&arena);
}

void
mica_server_at_close(struct mica_server *server, void (*hook)(void *),
                     void *data)
{
    MICA_ASSERT(server->close_count < CLOSE_HOOKS);
    server->close_hooks[server->close_count] = hook;
    server->close_data[server->close_count] = data;
    server->close_count++;
}
