// SPDX-License-Identifier: Apache-2.0
//
// The source of published apps: finds them by path and key, and opens and closes them all.
#include "publish/published_state.h"

#include <stdlib.h>
#include <string.h>

#include "apps/app_slug.h"
#include "store/serving_thread.h"

enum {
    SCHEMA_BYTES = 256 << 10, // of the compiled input schema
    READ_BYTES = 8 << 20      // of one operation of the store
};

// ---- Paths and slugs ---------------------------------------------------------------

// Splits "/servers/{slug}…" after the slug. Returns false for another path.
static bool
split_path(struct mica_text path, struct mica_text *own_out,
           struct mica_text *slug_out)
{
    const size_t begin = sizeof MICA_APPS_PATH "/" - 1;
    size_t end = begin;

    if (!mica_text_starts(path, MICA_APPS_PATH "/"))
        return false;
    while (end < path.len && path.ptr[end] != '/')
        end++;
    *own_out = mica_text_slice(path, 0, end);
    *slug_out = mica_text_slice(path, begin, end);
    return end > begin;
}

bool
mica_published_apps_slug(struct mica_text path, struct mica_text *slug_out)
{
    struct mica_text own;

    return split_path(path, &own, slug_out) && mica_app_slug_valid(*slug_out);
}

static enum mica_source_finding
apps_look(void *data, struct mica_text path, struct mica_text *own_out)
{
    struct mica_published_apps *apps = data;
    struct mica_text slug;
    bool absent;

    if (!split_path(path, own_out, &slug))
        return MICA_SOURCE_OTHER;
    if (!mica_app_slug_valid(slug))
        return MICA_SOURCE_ABSENT;
    pthread_mutex_lock(&apps->lock);
    absent = mica_absent_slugs_has(&apps->absent, slug);
    pthread_mutex_unlock(&apps->lock);
    return absent ? MICA_SOURCE_ABSENT : MICA_SOURCE_UNLOADED;
}

// ---- Load, with `work` held --------------------------------------------------------

static enum mica_status
load_slug(struct mica_published_apps *apps, struct mica_store *store,
          struct mica_text slug, struct mica_error *error,
          struct mica_endpoint **endpoint_out)
{
    enum mica_status status =
        mica_published_apps_follow_begin(apps, store, error);

    if (status != MICA_OK)
        return status;
    *endpoint_out = mica_published_apps_find(
        apps, slug); // another thread may have been first
    if (*endpoint_out != NULL)
        return MICA_OK;
    status = mica_published_apps_load_from(apps, store, slug, NULL, error,
                                           endpoint_out);
    if (status == MICA_E_NOT_FOUND)
        mica_published_apps_set_absent(apps, slug, true);
    return status;
}

static enum mica_status
apps_load(void *data, struct mica_text path, struct mica_error *error,
          struct mica_endpoint **endpoint_out)
{
    struct mica_published_apps *apps = data;
    struct mica_text own, slug;
    struct mica_store *store;
    enum mica_status status;

    if (!split_path(path, &own, &slug))
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "no app is there");
    MICA_TRY(
        mica_session_store_need(apps->options.session_store, error, &store));
    pthread_mutex_lock(&apps->work);
    status = load_slug(apps, store, slug, error, endpoint_out);
    pthread_mutex_unlock(&apps->work);
    return status;
}

enum mica_status
mica_published_apps_tests(void *data, struct mica_error *error,
                          const struct mica_app_common **common_out)
{
    struct mica_published_apps *apps = data;
    struct mica_store *store;
    enum mica_status status;

    MICA_TRY(
        mica_session_store_need(apps->options.session_store, error, &store));
    pthread_mutex_lock(&apps->work);
    status = mica_published_apps_follow_begin(apps, store, error);
    pthread_mutex_unlock(&apps->work);
    *common_out = &apps->common;
    return status;
}

// The id in a key, if it begins so; empty: it does not.
static struct mica_text
id_of_key(struct mica_text key, const char *prefixz)
{
    return mica_text_starts(key, prefixz)
               ? mica_text_slice(key, strlen(prefixz), key.len)
               : (struct mica_text){NULL, 0};
}

// Copies the slug of the app or the collection with that key into `arena`; empty: there is
// none.
static struct mica_text
slug_of_key(struct mica_store *store, struct mica_text key,
            struct mica_arena *arena)
{
    struct mica_text app = id_of_key(key, MICA_APP_KEY_PREFIX);
    struct mica_text id = id_of_key(key, MICA_COLLECTION_KEY_PREFIX);
    struct mica_store_app found = {.slug = {NULL, 0}};
    struct mica_store_collection collection = {.slug = {NULL, 0}};
    struct mica_error ignored;

    if (app.len > 0 &&
        mica_store_app_read(store, app, arena, &ignored, &found) == MICA_OK)
        return found.slug;
    if (id.len > 0 && mica_store_collection_read(store, id, arena, &ignored,
                                                 &collection) == MICA_OK)
        return collection.slug;
    return (struct mica_text){NULL, 0};
}

static struct mica_endpoint *
apps_load_key(void *data, struct mica_text key)
{
    struct mica_published_apps *apps = data;
    struct mica_endpoint *endpoint = NULL;
    struct mica_store *store;
    struct mica_arena arena;
    struct mica_error ignored;
    struct mica_text slug;

    // The key comes from a message or a stored call, so the store is open.
    store = mica_session_store_backing(apps->options.session_store);
    if (mica_serving_thread_is() || store == NULL)
        return NULL;
    mica_arena_init(&arena, READ_BYTES);
    slug = slug_of_key(store, key, &arena);
    if (slug.len > 0) {
        pthread_mutex_lock(&apps->work);
        if (load_slug(apps, store, slug, &ignored, &endpoint) != MICA_OK)
            endpoint = NULL;
        pthread_mutex_unlock(&apps->work);
    }
    mica_arena_fini(&arena);
    return endpoint;
}

static struct mica_definition *
app_older(struct mica_published_apps *apps, struct mica_store *store,
          struct mica_text id, struct mica_text slug, struct mica_text version,
          struct mica_arena *arena)
{
    struct mica_store_published_app published;
    struct mica_definition *tool = NULL;
    struct mica_error ignored;
    int64_t number;

    memset(&published, 0, sizeof published);
    published.id = id;
    if (!mica_integer_read(version, &number) ||
        mica_store_app_version(store, id, number, arena, &ignored,
                               &published.version) != MICA_OK ||
        mica_app_tool_make(&apps->common, slug, &published, false, &ignored,
                           &tool) != MICA_OK)
        return NULL;
    return tool;
}

static struct mica_definition *
apps_older(void *data, struct mica_text key, struct mica_text name,
           struct mica_text version)
{
    struct mica_published_apps *apps = data;
    struct mica_store *store =
        mica_session_store_backing(apps->options.session_store);
    struct mica_text id = id_of_key(key, MICA_APP_KEY_PREFIX);
    struct mica_definition *tool = NULL;
    struct mica_arena arena;
    struct mica_text slug;

    if (mica_serving_thread_is() || store == NULL)
        return NULL;
    mica_arena_init(&arena, READ_BYTES);
    slug = slug_of_key(store, key, &arena);
    if (slug.len > 0 && id.len > 0)
        tool = app_older(apps, store, id, slug, version, &arena);
    else if (slug.len > 0)
        tool = mica_collection_tool_make(&apps->common, store, version);
    mica_arena_fini(&arena);
    if (tool == NULL || mica_text_equal(tool->name, name))
        return tool;
    mica_definition_drop(tool);
    return NULL;
}

// ---- Open and close --------------------------------------------------------------------

static void
init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static enum mica_status
apps_fill(struct mica_published_apps *apps,
          const struct mica_published_apps_options *options,
          struct mica_error *error)
{
    struct mica_schema *input;

    apps->options = *options;
    if (apps->options.loaded_bytes == 0)
        apps->options.loaded_bytes = MICA_APPS_LOADED_BYTES;
    if (apps->options.poll_ms == 0)
        apps->options.poll_ms = MICA_APPS_POLL_MS;
    MICA_TRY(mica_app_usages_open(error, &apps->usages));
    if (!mica_absent_slugs_open(&apps->absent, MICA_APPS_ABSENT))
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(mica_schema_compile(&apps->arena, mica_text(mica_app_input_schema),
                                 NULL, error, &input));
    apps->source =
        (struct mica_endpoint_source){.look = apps_look,
                                      .load = apps_load,
                                      .load_key = apps_load_key,
                                      .older = apps_older,
                                      .resources = mica_app_resources};
    apps->collections = apps->source;
    apps->collections.view = mica_collection_view;
    apps->collections.admits = mica_collection_admits;
    apps->collections.resources = mica_collection_resources;
    apps->common = (struct mica_app_common){
        .source = &apps->source,
        .session_store = options->session_store,
        .registry = mica_published_apps_registry(apps),
        .server = options->server,
        .input = input,
        .schemas = &apps->schemas,
        .usages = apps->usages,
        .page_items = options->server->options.page_items};
    return MICA_OK;
}

static void
apps_free(struct mica_published_apps *apps)
{
    mica_loaded_apps_close(&apps->loaded);
    mica_absent_slugs_close(&apps->absent);
    mica_app_usages_close(apps->usages);
    mica_layout_schemas_close(&apps->schemas);
    mica_arena_fini(&apps->arena);
    pthread_cond_destroy(&apps->wake);
    pthread_mutex_destroy(&apps->lock);
    pthread_mutex_destroy(&apps->work);
    free(apps);
}

enum mica_status
mica_published_apps_open(const struct mica_published_apps_options *options,
                         struct mica_error *error,
                         struct mica_published_apps **apps_out)
{
    struct mica_published_apps *apps = calloc(1, sizeof *apps);
    enum mica_status status;

    if (apps == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    pthread_mutex_init(&apps->work, NULL);
    pthread_mutex_init(&apps->lock, NULL);
    init_condition(&apps->wake);
    mica_arena_init(&apps->arena, SCHEMA_BYTES);
    mica_layout_schemas_open(&apps->schemas);
    status = apps_fill(apps, options, error);
    if (status != MICA_OK) {
        apps_free(apps);
        return status;
    }
    mica_published_apps_registry(apps)->source = &apps->source;
    mica_published_apps_registry(apps)->source_data = apps;
    *apps_out = apps;
    return MICA_OK;
}

void
mica_published_apps_stop(struct mica_published_apps *apps)
{
    bool runs;

    if (apps == NULL)
        return;
    pthread_mutex_lock(&apps->work);
    pthread_mutex_lock(&apps->lock);
    runs = apps->follower == FOLLOWER_RUNS;
    apps->follower = FOLLOWER_STOPPED;
    pthread_cond_signal(&apps->wake);
    pthread_mutex_unlock(&apps->lock);
    pthread_mutex_unlock(&apps->work);
    if (!runs)
        return;
    pthread_join(apps->thread, NULL);
    mica_published_apps_flush(apps);
}

void
mica_published_apps_close(struct mica_published_apps **apps)
{
    struct mica_published_apps *closed = *apps;
    struct mica_endpoint *endpoint;

    if (closed == NULL)
        return;
    mica_published_apps_stop(closed);
    mica_published_apps_registry(closed)->source = NULL;
    while (closed->loaded.count > 0) {
        endpoint = closed->loaded.items[closed->loaded.count - 1].endpoint;
        mica_loaded_apps_remove(&closed->loaded, endpoint);
        (void)mica_registry_take(mica_published_apps_registry(closed),
                                 endpoint->source, endpoint->key);
    }
    apps_free(closed);
    *apps = NULL;
}

struct mica_published_apps_counts
mica_published_apps_counts(struct mica_published_apps *apps)
{
    struct mica_published_apps_counts counts;

    pthread_mutex_lock(&apps->lock);
    counts = apps->counts;
    counts.absent = apps->absent.count;
    pthread_mutex_unlock(&apps->lock);
    return counts;
}
