// SPDX-License-Identifier: Apache-2.0
//
// The server object: its name, its options and its tools by name. Filled before
// serving, read-only afterwards, so that any thread may look a tool up.
#include "mcp/server.h"

#include <string.h>

#include "base/assert.h"
#include "mcp/message.h"

enum {
    CLOSE_HOOKS = 8,
    NAME_LENGTH = 128, // of a tool (guide 3.2)
    DEFAULT_MESSAGE_BYTES = 4 << 20,
    DEFAULT_CALL_BYTES = 32 << 20,
    SERVER_BYTES = 256 << 20 // all definitions together
};

static struct mica_text
render_server_info(struct mica_server *server)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;

    mica_buffer_init(&buffer, &server->arena, 64 << 10);
    mica_json_writer_init(&writer, &buffer);
    mica_write_implementation(server, mica_wire_features(MICA_WIRE_2026_07_28),
                              &writer);
    return mica_buffer_as_text(&buffer);
}

enum mica_status
mica_server_open(const struct mica_server_options *options,
                 struct mica_error *error, struct mica_server **server_out)
{
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
    server->server_info = render_server_info(server);
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
    // The server lies in its own arena: take that out before it goes.
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

// FNV-1a. The names are the operator's own, so that nobody can choose
// collisions; a look-up of a stranger's name probes at most one cluster.
static uint32_t
hash_name(struct mica_text name)
{
    uint32_t hash = 2166136261U;

    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.ptr[i]) * 16777619U;
    return hash;
}

static void
index_add(struct mica_server *server, size_t number)
{
    size_t mask = server->index_size - 1;
    size_t slot = hash_name(server->tools[number]->name) & mask;

    while (server->index[slot] != 0)
        slot = (slot + 1) & mask;
    server->index[slot] = (uint32_t)number + 1;
}

// Room for one more tool in the list and in the index (at most half full).
static bool
grow(struct mica_server *server)
{
    size_t capacity;
    struct mica_definition **tools;
    uint32_t *index;

    if (server->tool_count < server->tool_capacity)
        return true;
    capacity = server->tool_capacity == 0 ? 32 : server->tool_capacity * 2;
    tools = mica_arena_zero(&server->arena, capacity,
                            sizeof(struct mica_definition *));
    index = mica_arena_zero(&server->arena, capacity * 2, sizeof *index);
    if (tools == NULL || index == NULL)
        return false;
    if (server->tool_count > 0)
        memcpy(tools, server->tools,
               server->tool_count * sizeof(struct mica_definition *));
    server->tools = tools;
    server->tool_capacity = capacity;
    server->index = index;
    server->index_size = capacity * 2;
    for (size_t i = 0; i < server->tool_count; i++)
        index_add(server, i);
    return true;
}

static bool
name_is_valid(struct mica_text name)
{
    if (name.len == 0 || name.len > NAME_LENGTH)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool other = (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
        if (!letter && !other)
            return false;
    }
    return true;
}

enum mica_status
mica_server_define(struct mica_server *server,
                   const struct mica_definition *definition,
                   struct mica_error *error)
{
    struct mica_definition *copy;
    int length =
        (int)(definition->name.len > NAME_LENGTH ? NAME_LENGTH
                                                 : definition->name.len);

    if (!name_is_valid(definition->name))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "'%.*s' cannot be the name of a tool: use 1 to "
                              "128 of A-Z a-z 0-9 _ . -",
                              length, definition->name.ptr);
    if (definition->description.len == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%.*s' has no description: say in a "
                              "sentence what it does and when to use it",
                              length, definition->name.ptr);
    if (mica_server_find(server, definition->name) != NULL)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "there is a tool '%.*s' already: give one of "
                              "them another name",
                              length, definition->name.ptr);
    copy = mica_arena_alloc(&server->arena, sizeof *copy);
    if (copy == NULL || !grow(server))
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the definitions of all tools take more than "
                              "%d MiB",
                              SERVER_BYTES >> 20);
    *copy = *definition;
    server->tools[server->tool_count] = copy;
    index_add(server, server->tool_count);
    server->tool_count++;
    return MICA_OK;
}

const struct mica_definition *
mica_server_find(const struct mica_server *server, struct mica_text name)
{
    size_t mask = server->index_size - 1;

    if (server->index_size == 0)
        return NULL;
    for (size_t slot = hash_name(name) & mask; server->index[slot] != 0;
         slot = (slot + 1) & mask) {
        const struct mica_definition *tool =
            server->tools[server->index[slot] - 1];
        if (mica_text_equal(tool->name, name))
            return tool;
    }
    return NULL;
}

const struct mica_definition *
mica_server_nearest(const struct mica_server *server, struct mica_text name)
{
    const struct mica_definition *best = NULL;
    size_t limit = name.len / 3 + 1, best_distance = limit + 1;

    if (name.len > NAME_LENGTH)
        return NULL;
    for (size_t i = 0; i < server->tool_count; i++) {
        size_t distance =
            mica_text_distance(server->tools[i]->name, name, limit);
        if (distance < best_distance) {
            best = server->tools[i];
            best_distance = distance;
        }
    }
    return best;
}
