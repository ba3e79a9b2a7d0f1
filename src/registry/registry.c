// SPDX-License-Identifier: Apache-2.0
//
// The current endpoints of a server, and their changes.
#include "registry/registry.h"

#include <string.h>

#include "base/prefetch.h"
#include "registry/service.h"

enum {
    CATALOG_LINES = 5, // of the cache: a small catalog with its lists
    SOURCE_LINES = 6   // what a source has for an endpoint
};

bool
mica_registry_init(struct mica_registry *registry,
                   const struct mica_endpoint_parts *main)
{
    registry->name = mica_text(main->implementation.name);
    registry->version = mica_text(main->implementation.version);
    registry->main = mica_endpoint_make(main, mica_catalog_new());
    registry->gone = mica_endpoint_make(main, mica_catalog_new());
    atomic_flag_clear(&registry->spin_lock);
    atomic_init(&registry->seen, false);
    atomic_init(&registry->published, false);
    atomic_init(&registry->services, NULL);
    return registry->main != NULL && registry->gone != NULL;
}

void
mica_registry_fini(struct mica_registry *registry)
{
    mica_endpoint_drop(registry->main);
    mica_endpoint_drop(registry->gone);
    mica_endpoint_table_drop(&registry->endpoints);
    mica_services_close(registry);
}

void
mica_registry_tell(struct mica_registry *registry,
                   const struct mica_change *change)
{
    if (registry->changed != NULL)
        registry->changed(registry->changed_data, change);
}

// ---- Endpoints -------------------------------------------------------------------

// The lock is held for a few instructions, so spinning costs less than a mutex.
static void
registry_lock(struct mica_registry *registry)
{
    while (atomic_flag_test_and_set_explicit(&registry->spin_lock,
                                             memory_order_acquire)) {
    }
}

static void
registry_unlock(struct mica_registry *registry)
{
    atomic_flag_clear_explicit(&registry->spin_lock, memory_order_release);
}

// Holds the endpoint for the caller, and marks one of a source as used. With the lock held.
static struct mica_endpoint *
endpoint_share(struct mica_endpoint *endpoint)
{
    if (endpoint == NULL)
        return NULL;
    mica_endpoint_hold(endpoint);
    if (endpoint->source != NULL &&
        !atomic_load_explicit(&endpoint->used, memory_order_relaxed))
        atomic_store_explicit(&endpoint->used, true, memory_order_relaxed);
    return endpoint;
}

struct mica_endpoint *
mica_registry_main(struct mica_registry *registry)
{
    struct mica_endpoint *main;

    registry_lock(registry);
    main = registry->main;
    mica_endpoint_hold(main);
    registry_unlock(registry);
    return main;
}

struct mica_endpoint *
mica_registry_gone(struct mica_registry *registry)
{
    mica_endpoint_hold(registry->gone);
    return registry->gone;
}

struct mica_endpoint *
mica_registry_endpoint(struct mica_registry *registry, struct mica_text key)
{
    struct mica_endpoint *endpoint;

    if (key.len == 0)
        return mica_registry_main(registry);
    registry_lock(registry);
    endpoint =
        endpoint_share(mica_endpoint_table_find(&registry->endpoints, key));
    registry_unlock(registry);
    return endpoint;
}

struct mica_endpoint *
mica_registry_endpoint_load(struct mica_registry *registry,
                            struct mica_text key)
{
    struct mica_endpoint *endpoint = mica_registry_endpoint(registry, key);

    return endpoint != NULL || registry->source == NULL
               ? endpoint
               : registry->source->load_key(registry->source_data, key);
}

// What a call reads, a little later, of an endpoint that a request has just named.
static void
endpoint_prefetch(const struct mica_endpoint *endpoint)
{
    mica_prefetch(endpoint->catalog,
                  (size_t)CATALOG_LINES * MICA_CACHE_LINE_BYTES);
    mica_prefetch(endpoint->server_info.ptr, endpoint->server_info.len);
    if (endpoint->source != NULL)
        mica_prefetch(endpoint->source_data,
                      (size_t)SOURCE_LINES * MICA_CACHE_LINE_BYTES);
}

struct mica_endpoint *
mica_registry_endpoint_above(struct mica_registry *registry,
                             struct mica_text path, struct mica_text *below_out)
{
    struct mica_endpoint *endpoint;

    registry_lock(registry);
    endpoint =
        endpoint_share(mica_endpoint_table_above(&registry->endpoints, path));
    registry_unlock(registry);
    if (endpoint == NULL)
        return NULL;
    endpoint_prefetch(endpoint);
    *below_out = mica_text_slice(path, endpoint->path.len, path.len);
    return endpoint;
}

size_t
mica_registry_endpoints(struct mica_registry *registry)
{
    size_t count;

    registry_lock(registry);
    count = registry->endpoints.count;
    registry_unlock(registry);
    return count;
}

// Replaces `present`, which the caller holds, by `next`. Returns false if another thread
// has replaced it before.
static bool
main_swap(struct mica_registry *registry, struct mica_endpoint *present,
          struct mica_endpoint *next)
{
    bool same;

    registry_lock(registry);
    same = registry->main == present;
    if (same)
        registry->main = next;
    registry_unlock(registry);
    if (same)
        mica_endpoint_drop(present); // the reference of the registry
    return same;
}

// ---- The base path ------------------------------------------------------------------

static enum mica_status
refuse_overlap(struct mica_text base, struct mica_text path,
               struct mica_error *error)
{
    return mica_error_set(error, MICA_E_USAGE, "",
                          "the base path \"%.*s\" and the path \"%.*s\" of an "
                          "endpoint are the same, or one lies below the other; "
                          "requests for the two could not be told apart, so "
                          "change one of them",
                          MICA_ARG(base), MICA_ARG(path));
}

enum mica_status
mica_registry_reserve(struct mica_registry *registry, struct mica_text base,
                      struct mica_error *error)
{
    struct mica_endpoint *found;

    registry_lock(registry);
    found =
        endpoint_share(mica_endpoint_table_overlap(&registry->endpoints, base));
    if (found == NULL) {
        if (base.len > 0)
            memcpy(registry->reserved, base.ptr, base.len);
        registry->reserved_length = base.len;
    }
    registry_unlock(registry);
    if (found == NULL)
        return MICA_OK;
    (void)refuse_overlap(base, found->path, error);
    mica_endpoint_drop(found);
    return MICA_E_USAGE;
}

void
mica_registry_release(struct mica_registry *registry)
{
    registry_lock(registry);
    registry->reserved_length = 0;
    registry_unlock(registry);
}

// With the lock held.
static struct mica_text
reserved_path(const struct mica_registry *registry)
{
    return (struct mica_text){registry->reserved, registry->reserved_length};
}

static void
list_announce(struct mica_registry *registry, struct mica_text endpoint,
              enum mica_definition_kind kind)
{
    static const enum mica_change_kind kinds[MICA_DEFINITION_COUNT] = {
        [MICA_DEFINITION_TOOL] = MICA_CHANGED_TOOLS,
        [MICA_DEFINITION_RESOURCE] = MICA_CHANGED_RESOURCES,
        [MICA_DEFINITION_TEMPLATE] = MICA_CHANGED_RESOURCES,
        [MICA_DEFINITION_PROMPT] = MICA_CHANGED_PROMPTS};
    struct mica_change change = {.endpoint = endpoint, .kind = kinds[kind]};

    mica_registry_tell(registry, &change);
}

// ---- Publishing --------------------------------------------------------------------

static enum mica_status
table_no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "no memory for one more endpoint");
}

// Grows the table, if the key is new and the table is full. Allocates and frees outside of
// the lock.
static enum mica_status
table_reserve(struct mica_registry *registry, struct mica_text key,
              struct mica_error *error)
{
    struct mica_endpoint_table larger;
    bool full, most;

    do {
        registry_lock(registry);
        full = mica_endpoint_table_is_full(&registry->endpoints);
        most = registry->endpoints.count >= MICA_ENDPOINTS_MOST &&
               mica_endpoint_table_find(&registry->endpoints, key) == NULL;
        struct mica_endpoint_table now = registry->endpoints;
        registry_unlock(registry);
        if (most)
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  "there are %d endpoints, as many as there "
                                  "may be: withdraw one",
                                  MICA_ENDPOINTS_MOST);
        if (!full)
            return MICA_OK;
        if (!mica_endpoint_table_larger(&now, &larger))
            return table_no_memory(error);
        registry_lock(registry);
        if (larger.size > registry->endpoints.size)
            mica_endpoint_table_grow(&registry->endpoints, &larger);
        registry_unlock(registry);
        mica_endpoint_table_free(&larger);
    } while (full);
    return MICA_OK;
}

// With the lock held. MICA_E_BUSY: another thread has filled the table.
static enum mica_status
table_publish(struct mica_endpoint_table *table, struct mica_endpoint *endpoint,
              struct mica_endpoint **old_out)
{
    struct mica_endpoint *at_path =
        mica_endpoint_table_of_path(table, endpoint->path);

    *old_out = mica_endpoint_table_find(table, endpoint->key);
    if (at_path != NULL && at_path != *old_out)
        return MICA_E_EXISTS;
    if (*old_out != NULL && (*old_out)->source != endpoint->source)
        return MICA_E_EXISTS;
    if (*old_out == NULL && mica_endpoint_table_is_full(table))
        return MICA_E_BUSY;
    if (*old_out != NULL) {
        if (endpoint->source == NULL)
            endpoint->version = (*old_out)->version + 1;
        endpoint->declared |= (*old_out)->declared;
        mica_endpoint_table_remove(table, *old_out);
    }
    mica_endpoint_table_add(table, endpoint);
    mica_endpoint_hold(endpoint); // for the caller, which announces it
    return MICA_OK;
}

// Announces each list that `old` or `now` has (NULL: withdrawn) to the listeners of the
// endpoint.
static void
endpoint_announce(struct mica_registry *registry,
                  const struct mica_endpoint *old,
                  const struct mica_endpoint *now)
{
    for (unsigned kind = 0; kind < MICA_DEFINITION_COUNT; kind++) {
        if (old->catalog->lists[kind].count > 0 ||
            (now != NULL && now->catalog->lists[kind].count > 0))
            list_announce(registry, old->key, (enum mica_definition_kind)kind);
    }
}

// *old_out, which the caller drops, is the endpoint that was replaced, or NULL.
static enum mica_status
registry_place(struct mica_registry *registry, struct mica_endpoint *endpoint,
               struct mica_error *error, struct mica_endpoint **old_out)
{
    struct mica_text base;
    enum mica_status status;

    *old_out = NULL;
    do {
        status = table_reserve(registry, endpoint->key, error);
        if (status != MICA_OK)
            break;
        registry_lock(registry);
        base = reserved_path(registry);
        status = mica_base_path_overlaps(base, endpoint->path)
                     ? MICA_E_USAGE
                     : table_publish(&registry->endpoints, endpoint, old_out);
        if (status == MICA_E_USAGE)
            (void)refuse_overlap(base, endpoint->path, error);
        registry_unlock(registry);
    } while (status == MICA_E_BUSY);
    if (status == MICA_E_EXISTS)
        (void)mica_error_set(error, status, "",
                             "another endpoint has the path %.*s: give one of "
                             "them another path",
                             MICA_ARG(endpoint->path));
    if (status != MICA_OK)
        *old_out = NULL;
    return status;
}

enum mica_status
mica_registry_publish(struct mica_registry *registry,
                      struct mica_endpoint *endpoint, struct mica_error *error)
{
    struct mica_endpoint *old;
    enum mica_status status = registry_place(registry, endpoint, error, &old);

    if (status == MICA_OK)
        atomic_store(&registry->published, true);
    if (old != NULL)
        endpoint_announce(registry, old, endpoint);
    mica_endpoint_drop(old);
    mica_endpoint_drop(endpoint);
    return status;
}

enum mica_status
mica_registry_withdraw(struct mica_registry *registry, struct mica_text key,
                       struct mica_error *error)
{
    struct mica_endpoint *endpoint;

    registry_lock(registry);
    endpoint = mica_endpoint_table_find(&registry->endpoints, key);
    if (endpoint != NULL)
        mica_endpoint_table_remove(&registry->endpoints, endpoint);
    registry_unlock(registry);
    if (endpoint == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is no endpoint '%.*s' to withdraw",
                              MICA_ARG(key));
    endpoint_announce(registry, endpoint, NULL);
    mica_endpoint_drop(endpoint);
    return MICA_OK;
}

// ---- Endpoints of a source -----------------------------------------------------------

enum mica_status
mica_registry_put(struct mica_registry *registry,
                  struct mica_endpoint *endpoint, struct mica_error *error)
{
    struct mica_endpoint *old;
    enum mica_status status = registry_place(registry, endpoint, error, &old);

    mica_endpoint_drop(old);
    mica_endpoint_drop(endpoint);
    return status;
}

bool
mica_registry_take(struct mica_registry *registry,
                   const struct mica_endpoint_source *source,
                   struct mica_text key)
{
    struct mica_endpoint *endpoint;

    registry_lock(registry);
    endpoint = mica_endpoint_table_find(&registry->endpoints, key);
    if (endpoint != NULL && endpoint->source != source)
        endpoint = NULL;
    if (endpoint != NULL)
        mica_endpoint_table_remove(&registry->endpoints, endpoint);
    registry_unlock(registry);
    mica_endpoint_drop(endpoint);
    return endpoint != NULL;
}

// Only the registry gives out references to what its table has, with the lock held: if it
// has the only one, no thread can get another.
bool
mica_registry_evict(struct mica_registry *registry,
                    struct mica_endpoint *endpoint)
{
    bool alone;

    registry_lock(registry);
    alone =
        atomic_load_explicit(&endpoint->references, memory_order_acquire) == 1;
    if (alone)
        mica_endpoint_table_remove(&registry->endpoints, endpoint);
    registry_unlock(registry);
    if (alone)
        mica_endpoint_drop(endpoint);
    return alone;
}

bool
mica_registry_has_ended(struct mica_registry *registry, struct mica_text ended,
                        struct mica_text endpoint)
{
    struct mica_endpoint *now;

    if (ended.len > 0 || endpoint.len == 0)
        return ended.len > 0 && mica_text_equal(ended, endpoint);
    now = mica_registry_endpoint(registry, endpoint);
    mica_endpoint_drop(now);
    return now == NULL;
}

// ---- The catalog of /mcp -----------------------------------------------------------

struct mica_catalog *
mica_registry_catalog(struct mica_registry *registry)
{
    struct mica_catalog *catalog;

    registry_lock(registry);
    catalog = registry->main->catalog;
    mica_catalog_hold(catalog);
    registry_unlock(registry);
    return catalog;
}

size_t
mica_registry_count(struct mica_registry *registry,
                    enum mica_definition_kind kind)
{
    struct mica_catalog *catalog = mica_registry_catalog(registry);
    const struct mica_definition_list *list = &catalog->lists[kind];
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++)
        count += !mica_definition_for_requests(list->items[i]);
    mica_catalog_drop(catalog);
    return count;
}

static enum mica_status
no_memory(const struct mica_definition *definition, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "", "no memory for one more %s",
                          mica_definition_kind_noun(definition->kind));
}

// Replaces `present` by a version with `catalog`, whose reference it takes over.
// MICA_E_BUSY: another thread has replaced it before.
static enum mica_status
main_put_next(struct mica_registry *registry, struct mica_endpoint *present,
              struct mica_catalog *catalog, unsigned declared)
{
    struct mica_endpoint *next = mica_endpoint_next(present, catalog, declared);

    if (next == NULL)
        return MICA_E_LIMIT;
    if (main_swap(registry, present, next))
        return MICA_OK;
    mica_endpoint_drop(next);
    return MICA_E_BUSY;
}

static enum mica_status
definition_put_beside(struct mica_registry *registry,
                      struct mica_endpoint *present,
                      const struct mica_definition *old,
                      struct mica_definition *definition,
                      struct mica_error *error)
{
    struct mica_catalog *next =
        mica_catalog_copy(present->catalog, old, definition);
    enum mica_status status = MICA_E_LIMIT;

    if (next != NULL && old == NULL && !mica_catalog_add(next, definition)) {
        mica_catalog_drop(next);
        next = NULL;
    }
    if (next != NULL)
        status = main_put_next(registry, present, next,
                               mica_definition_declares(definition));
    return status == MICA_E_LIMIT ? no_memory(definition, error) : status;
}

// Changes the endpoint in place: no other thread uses it yet.
static enum mica_status
definition_put_first(struct mica_endpoint *endpoint,
                     struct mica_definition *definition,
                     struct mica_error *error)
{
    if (!mica_catalog_add(endpoint->catalog, definition))
        return no_memory(definition, error);
    endpoint->declared |= mica_definition_declares(definition);
    return MICA_OK;
}

enum mica_status
mica_registry_check_view(const struct mica_catalog *catalog,
                         const struct mica_definition *definition,
                         struct mica_error *error)
{
    const struct mica_definition *view, *other;

    for (size_t i = 0;
         (view = mica_definition_resource_at(definition, i)) != NULL; i++) {
        other = mica_catalog_find(catalog, MICA_DEFINITION_RESOURCE, view->key);
        if (other != NULL && !mica_definition_is_view(other))
            return mica_error_set(
                error, MICA_E_EXISTS, "",
                "a view of the tool '%.*s' has the URI '%.*s', "
                "which a resource has already: give one of them "
                "another name",
                MICA_ARG(definition->name), MICA_ARG(view->key));
    }
    return MICA_OK;
}

static enum mica_status
definition_put(struct mica_registry *registry,
               struct mica_definition *definition, bool replace,
               struct mica_error *error)
{
    struct mica_endpoint *present = mica_registry_main(registry);
    struct mica_definition *old =
        mica_catalog_find(present->catalog, definition->kind, definition->key);
    enum mica_status status =
        mica_registry_check_view(present->catalog, definition, error);

    if (status != MICA_OK) {
        mica_endpoint_drop(present);
        return status;
    }
    if (old != NULL && !replace)
        status = mica_error_set(
            error, MICA_E_EXISTS, "",
            "there is a %s '%.*s' already: give one of them another name",
            mica_definition_kind_noun(definition->kind), MICA_ARG(old->key));
    else if (old != NULL || atomic_load(&registry->seen))
        status =
            definition_put_beside(registry, present, old, definition, error);
    else
        status = definition_put_first(present, definition, error);
    mica_endpoint_drop(present);
    return status;
}

// Announces the list of /mcp that has changed; with the tool of a view also the resources,
// and each document itself.
static void
definition_announce(struct mica_registry *registry,
                    const struct mica_definition *definition)
{
    const struct mica_definition *view;
    const struct mica_text main = {NULL, 0};
    struct mica_change contents = {.kind = MICA_CHANGED_CONTENTS};

    list_announce(registry, main, definition->kind);
    if (mica_definition_resource_at(definition, 0) != NULL)
        list_announce(registry, main, MICA_DEFINITION_RESOURCE);
    for (size_t i = 0;
         (view = mica_definition_resource_at(definition, i)) != NULL; i++) {
        contents.uri = view->key;
        mica_registry_tell(registry, &contents);
    }
}

static enum mica_status
definition_publish(struct mica_registry *registry,
                   struct mica_definition *definition, bool replace,
                   struct mica_error *error)
{
    enum mica_status status = mica_definition_check(definition, error);

    if (status == MICA_OK)
        status = mica_definition_place_view(definition, registry->name, error);
    if (status == MICA_OK) {
        do
            status = definition_put(registry, definition, replace, error);
        while (status == MICA_E_BUSY);
    }
    if (status == MICA_OK)
        definition_announce(registry, definition);
    mica_definition_drop(definition);
    return status;
}

enum mica_status
mica_registry_define(struct mica_registry *registry,
                     struct mica_definition *definition,
                     struct mica_error *error)
{
    return definition_publish(registry, definition, false, error);
}

enum mica_status
mica_registry_redefine(struct mica_registry *registry,
                       struct mica_definition *definition,
                       struct mica_error *error)
{
    return definition_publish(registry, definition, true, error);
}

// *view_out: the definition had a view, which may have gone with it.
static enum mica_status
definition_take_back(struct mica_registry *registry,
                     enum mica_definition_kind kind, struct mica_text key,
                     struct mica_error *error, bool *view_out)
{
    struct mica_endpoint *present = mica_registry_main(registry);
    struct mica_definition *old =
        mica_catalog_find(present->catalog, kind, key);
    enum mica_status status;

    *view_out = old != NULL && mica_definition_resource_at(old, 0) != NULL;
    if (old == NULL)
        status = mica_error_set(error, MICA_E_NOT_FOUND, "",
                                "there is no %s '%.*s' to remove",
                                mica_definition_kind_noun(kind), MICA_ARG(key));
    else if (mica_definition_is_view(old))
        status =
            mica_error_set(error, MICA_E_USAGE, "",
                           "the resource '%.*s' is a view of tools; remove "
                           "them, and it goes with the last of them",
                           MICA_ARG(key));
    else
        status =
            main_put_next(registry, present,
                          mica_catalog_copy(present->catalog, old, NULL), 0);
    if (status == MICA_E_LIMIT)
        (void)mica_error_set(error, status, "", "no memory to remove a %s",
                             mica_definition_kind_noun(kind));
    mica_endpoint_drop(present);
    return status;
}

enum mica_status
mica_registry_remove(struct mica_registry *registry,
                     enum mica_definition_kind kind, struct mica_text key,
                     struct mica_error *error)
{
    const struct mica_text main = {NULL, 0};
    enum mica_status status;
    bool view = false;

    do
        status = definition_take_back(registry, kind, key, error, &view);
    while (status == MICA_E_BUSY);
    if (status == MICA_OK)
        list_announce(registry, main, kind);
    if (status == MICA_OK && view)
        list_announce(registry, main, MICA_DEFINITION_RESOURCE);
    return status;
}

static enum mica_status
main_declare(struct mica_registry *registry, unsigned declared)
{
    struct mica_endpoint *present = mica_registry_main(registry);
    enum mica_status status = MICA_OK;

    if (!atomic_load(&registry->seen)) {
        present->declared |= declared;
    } else if ((present->declared & declared) != declared) {
        mica_catalog_hold(present->catalog);
        status = main_put_next(registry, present, present->catalog, declared);
    }
    mica_endpoint_drop(present);
    return status;
}

enum mica_status
mica_registry_declare(struct mica_registry *registry, unsigned declared,
                      struct mica_error *error)
{
    enum mica_status status;

    do
        status = main_declare(registry, declared);
    while (status == MICA_E_BUSY);
    if (status == MICA_E_LIMIT)
        (void)mica_error_set(error, status, "", "no memory for an endpoint");
    return status;
}
