// SPDX-License-Identifier: Apache-2.0
//
// Loads one app or one collection from the store, and counts what is loaded.
#include "publish/published_state.h"

enum {
    READ_BYTES = 8 << 20 // of one operation of the store
};

// ---- What is loaded ------------------------------------------------------------------

struct mica_endpoint *
mica_published_apps_find(struct mica_published_apps *apps,
                         struct mica_text slug)
{
    char storage[MICA_APP_PATH_SIZE];
    struct mica_buffer path = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    struct mica_endpoint *endpoint;
    struct mica_text below;

    mica_buffer_format(&path, MICA_APPS_PATH "/%.*s", MICA_ARG(slug));
    endpoint = mica_registry_endpoint_above(mica_published_apps_registry(apps),
                                            mica_buffer_as_text(&path), &below);
    if (endpoint == NULL ||
        (mica_published_apps_own(apps, endpoint) && below.len == 0))
        return endpoint;
    mica_endpoint_drop(endpoint); // the program's own
    return NULL;
}

void
mica_published_apps_set_absent(struct mica_published_apps *apps,
                               struct mica_text slug, bool absent)
{
    pthread_mutex_lock(&apps->lock);
    if (absent)
        mica_absent_slugs_add(&apps->absent, slug);
    else
        mica_absent_slugs_remove(&apps->absent, slug);
    pthread_mutex_unlock(&apps->lock);
}

void
mica_published_apps_count(struct mica_published_apps *apps, uint64_t *counter,
                          uint64_t more)
{
    pthread_mutex_lock(&apps->lock);
    *counter += more;
    pthread_mutex_unlock(&apps->lock);
}

void
mica_published_apps_count_loaded(struct mica_published_apps *apps)
{
    pthread_mutex_lock(&apps->lock);
    apps->counts.loaded = apps->loaded.count;
    apps->counts.bytes = apps->loaded.bytes;
    pthread_mutex_unlock(&apps->lock);
}

// ---- Load, with `work` held --------------------------------------------------------

// Puts a new endpoint into the registry, in place of `old` (NULL: of none), and drops
// others that need its memory. Owner: it takes over the caller's reference.
static enum mica_status
loaded_put(struct mica_published_apps *apps, struct mica_endpoint *old,
           struct mica_endpoint *endpoint, struct mica_error *error)
{
    size_t most = apps->options.loaded_bytes, dropped;
    size_t bytes = mica_app_endpoint_bytes(endpoint);
    enum mica_status status = MICA_E_LIMIT;

    if (!mica_loaded_apps_reserve(&apps->loaded)) {
        mica_endpoint_drop(endpoint);
        return mica_error_set(error, status, "", "no memory for an app");
    }
    mica_endpoint_hold(endpoint); // it stays until it is in the list
    status =
        mica_registry_put(mica_published_apps_registry(apps), endpoint, error);
    if (status == MICA_OK) {
        if (old != NULL)
            mica_loaded_apps_replace(&apps->loaded, old, endpoint, bytes);
        else
            mica_loaded_apps_add(&apps->loaded, endpoint, bytes);
        mica_published_apps_count(apps, &apps->counts.loads, old == NULL);
        dropped = mica_loaded_apps_trim(
            &apps->loaded, mica_published_apps_registry(apps), most, endpoint);
        mica_published_apps_count(apps, &apps->counts.dropped, dropped);
        mica_published_apps_count_loaded(apps);
    }
    mica_endpoint_drop(endpoint);
    return status;
}

// Makes the endpoint of what the slug serves: of an app, or else of a collection.
static enum mica_status
slug_read(struct mica_published_apps *apps, struct mica_store *store,
          struct mica_text slug, const struct mica_endpoint *old,
          struct mica_arena *arena, struct mica_error *error,
          struct mica_endpoint **endpoint_out)
{
    struct mica_store_published_app published;
    struct mica_store_collection collection;
    enum mica_status status =
        mica_store_app_published(store, slug, arena, error, &published);

    if (status == MICA_OK)
        return mica_app_endpoint_make(&apps->common, slug, &published, error,
                                      endpoint_out);
    if (status != MICA_E_NOT_FOUND)
        return status;
    MICA_TRY(
        mica_store_collection_find(store, slug, arena, error, &collection));
    return mica_collection_endpoint_make(&apps->common, &apps->collections,
                                         store, &collection, old, error,
                                         endpoint_out);
}

enum mica_status
mica_published_apps_load_from(struct mica_published_apps *apps,
                              struct mica_store *store, struct mica_text slug,
                              struct mica_endpoint *old,
                              struct mica_error *error,
                              struct mica_endpoint **endpoint_out)
{
    struct mica_endpoint *endpoint = NULL;
    struct mica_arena arena;
    enum mica_status status;

    mica_arena_init(&arena, READ_BYTES);
    status = slug_read(apps, store, slug, old, &arena, error, &endpoint);
    mica_published_apps_count(apps, &apps->counts.looked, 1);
    mica_arena_fini(&arena);
    if (status == MICA_OK) {
        mica_endpoint_hold(endpoint); // for the caller
        status = loaded_put(apps, old, endpoint, error);
        if (status == MICA_OK)
            *endpoint_out = endpoint;
        else
            mica_endpoint_drop(endpoint);
    }
    mica_published_apps_count(apps, &apps->counts.failed,
                              status != MICA_OK && status != MICA_E_NOT_FOUND);
    return status;
}
