// SPDX-License-Identifier: Apache-2.0
//
// The server object: its name, its options, and the catalogue of what it offers.
// A change takes the present catalogue, makes the next one beside it, and puts
// that in its place if nobody was faster.
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
    if (server->options.page_items == 0)
        server->options.page_items = DEFAULT_PAGE_ITEMS;
    server->catalog = mica_catalog_new();
    server->server_info = render_server_info(server);
    if (options->cursor_key != NULL)
        server->sealer = mica_keyed_sealer(&server->arena, options->cursor_key);
    atomic_flag_clear(&server->gate);
    atomic_init(&server->seen, false);
    atomic_init(&server->declared, 0);
    atomic_init(&server->services, NULL);
    if (server->catalog == NULL || server->arena.overflow) {
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
    mica_catalog_drop((*server)->catalog);
    mica_services_close(*server);
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

// ---- The catalogue -----------------------------------------------------------

// A few instructions at a time, so that spinning is cheaper than any lock.
static void
enter(struct mica_server *server)
{
    while (atomic_flag_test_and_set_explicit(&server->gate,
                                             memory_order_acquire)) {
    }
}

static void
leave(struct mica_server *server)
{
    atomic_flag_clear_explicit(&server->gate, memory_order_release);
}

struct mica_catalog *
mica_server_catalog(struct mica_server *server)
{
    struct mica_catalog *catalog;

    enter(server);
    catalog = server->catalog;
    mica_catalog_hold(catalog);
    leave(server);
    return catalog;
}

size_t
mica_server_count(struct mica_server *server, enum mica_offer offer)
{
    size_t count;

    enter(server);
    count = server->catalog->shelves[offer].count;
    leave(server);
    return count;
}

// Puts `next` in the place of `present`, which the caller holds. False when it
// is not the present one any more.
static bool
swap(struct mica_server *server, struct mica_catalog *present,
     struct mica_catalog *next)
{
    bool same;

    enter(server);
    same = server->catalog == present;
    if (same)
        server->catalog = next;
    leave(server);
    if (same)
        mica_catalog_drop(present); // the server's own hold
    return same;
}

static void
announce(struct mica_server *server, enum mica_offer offer)
{
    static const enum mica_change_kind kinds[MICA_OFFER_COUNT] = {
        [MICA_OFFER_TOOL] = MICA_CHANGED_TOOLS,
        [MICA_OFFER_RESOURCE] = MICA_CHANGED_RESOURCES,
        [MICA_OFFER_TEMPLATE] = MICA_CHANGED_RESOURCES,
        [MICA_OFFER_PROMPT] = MICA_CHANGED_PROMPTS};
    struct mica_change change = {.kind = kinds[offer]};

    if (server->changed != NULL)
        server->changed(server->changed_data, &change);
}

void
mica_server_resource_changed(struct mica_server *server, const char *uri)
{
    struct mica_change change = {.kind = MICA_CHANGED_CONTENTS,
                                 .uri = mica_text(uri)};

    if (server->changed != NULL)
        server->changed(server->changed_data, &change);
}

void
mica_server_declare(struct mica_server *server, unsigned declared)
{
    if ((atomic_load(&server->declared) & declared) != declared)
        atomic_fetch_or(&server->declared, declared);
}

static unsigned
declared_by(const struct mica_definition *definition)
{
    static const unsigned kinds[MICA_OFFER_COUNT] = {
        [MICA_OFFER_TOOL] = MICA_DECLARED_TOOLS,
        [MICA_OFFER_RESOURCE] = MICA_DECLARED_RESOURCES,
        [MICA_OFFER_TEMPLATE] = MICA_DECLARED_RESOURCES,
        [MICA_OFFER_PROMPT] = MICA_DECLARED_PROMPTS};
    unsigned declared = kinds[definition->offer];

    if (definition->completes)
        declared |= MICA_DECLARED_COMPLETIONS;
    if (definition->logs)
        declared |= MICA_DECLARED_LOGGING;
    if (definition->task != MICA_TASK_NEVER)
        declared |= MICA_DECLARED_TASKS;
    return declared;
}

bool
mica_name_valid(struct mica_text name)
{
    if (name.len == 0 || name.len > MICA_NAME_LENGTH)
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
mica_definition_check(const struct mica_definition *definition,
                      struct mica_error *error)
{
    bool is_resource = definition->offer == MICA_OFFER_RESOURCE ||
                       definition->offer == MICA_OFFER_TEMPLATE;
    struct mica_text shown =
        mica_text_slice(definition->key, 0, MICA_NAME_LENGTH);

    if (!is_resource && !mica_name_valid(definition->name))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "'%.*s' cannot be the name of a %s: use 1 to "
                              "128 of A-Z a-z 0-9 _ . -",
                              MICA_ARG(shown),
                              mica_offer_noun(definition->offer));
    if (!is_resource && definition->description.len == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s '%.*s' has no description: say in a "
                              "sentence what it does and when to use it",
                              mica_offer_noun(definition->offer),
                              MICA_ARG(shown));
    if (definition->arena.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s '%.*s' takes more memory than a definition "
                              "may; make its texts shorter",
                              mica_offer_noun(definition->offer),
                              MICA_ARG(shown));
    return MICA_OK;
}

static enum mica_status
no_memory(const struct mica_definition *definition, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "", "no memory for one more %s",
                          mica_offer_noun(definition->offer));
}

// In the place of `present`, unless another change came between (MICA_E_BUSY).
static enum mica_status
put_beside(struct mica_server *server, struct mica_catalog *present,
           const struct mica_definition *old,
           struct mica_definition *definition, struct mica_error *error)
{
    struct mica_catalog *next = mica_catalog_copy(present, old, definition);
    enum mica_status status = MICA_OK;

    if (next == NULL || (old == NULL && !mica_catalog_add(next, definition)))
        status = no_memory(definition, error);
    else if (!swap(server, present, next))
        status = MICA_E_BUSY;
    if (status != MICA_OK)
        mica_catalog_drop(next);
    return status;
}

static enum mica_status
put(struct mica_server *server, struct mica_definition *definition,
    bool replace, struct mica_error *error)
{
    struct mica_catalog *present = mica_server_catalog(server);
    struct mica_definition *old =
        mica_catalog_find(present, definition->offer, definition->key);
    enum mica_status status = MICA_OK;

    if (old != NULL && !replace)
        status = mica_error_set(
            error, MICA_E_EXISTS, "",
            "there is a %s '%.*s' already: give one of them another name",
            mica_offer_noun(definition->offer), MICA_ARG(old->key));
    else if (old != NULL || atomic_load(&server->seen))
        status = put_beside(server, present, old, definition, error);
    else if (!mica_catalog_add(present, definition)) // nobody else looks yet
        status = no_memory(definition, error);
    mica_catalog_drop(present);
    return status;
}

static enum mica_status
offer(struct mica_server *server, struct mica_definition *definition,
      bool replace, struct mica_error *error)
{
    enum mica_offer kind = definition->offer;
    unsigned declared = declared_by(definition);
    enum mica_status status = mica_definition_check(definition, error);

    if (status == MICA_OK) {
        do
            status = put(server, definition, replace, error);
        while (status == MICA_E_BUSY);
    }
    mica_definition_drop(definition);
    if (status == MICA_OK) {
        mica_server_declare(server, declared);
        announce(server, kind);
    }
    return status;
}

enum mica_status
mica_server_define(struct mica_server *server,
                   struct mica_definition *definition, struct mica_error *error)
{
    return offer(server, definition, false, error);
}

enum mica_status
mica_server_redefine(struct mica_server *server,
                     struct mica_definition *definition,
                     struct mica_error *error)
{
    return offer(server, definition, true, error);
}

static enum mica_status
take_back(struct mica_server *server, enum mica_offer kind,
          struct mica_text key, struct mica_error *error)
{
    struct mica_catalog *present = mica_server_catalog(server), *next = NULL;
    struct mica_definition *old = mica_catalog_find(present, kind, key);
    enum mica_status status = MICA_OK;

    if (old == NULL)
        status = mica_error_set(error, MICA_E_NOT_FOUND, "",
                                "there is no %s '%.*s' to remove",
                                mica_offer_noun(kind), MICA_ARG(key));
    else if ((next = mica_catalog_copy(present, old, NULL)) == NULL)
        status =
            mica_error_set(error, MICA_E_LIMIT, "", "no memory to remove a %s",
                           mica_offer_noun(kind));
    else if (!swap(server, present, next))
        status = MICA_E_BUSY;
    if (status != MICA_OK)
        mica_catalog_drop(next);
    mica_catalog_drop(present);
    return status;
}

enum mica_status
mica_server_remove(struct mica_server *server, enum mica_offer offer,
                   const char *key, struct mica_error *error)
{
    enum mica_status status;

    do
        status = take_back(server, offer, mica_text(key), error);
    while (status == MICA_E_BUSY);
    if (status == MICA_OK)
        announce(server, offer);
    return status;
}
