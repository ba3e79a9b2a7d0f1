// SPDX-License-Identifier: Apache-2.0
//
// Loads apps, and follows their changes.
#include "publish/published_apps.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app_slug.h"
#include "apps/widget.h"
#include "platform/clock.h"
#include "publish/absent_slugs.h"
#include "publish/app_endpoint.h"
#include "publish/loaded_apps.h"
#include "serve/stop.h"
#include "store/serving_thread.h"

enum {
    SCHEMA_BYTES = 256 << 10, // of the compiled input schema
    READ_BYTES = 8 << 20,     // of one operation of the store
    CHANGES = 256,            // that one operation reads
    STACK_BYTES = 256 << 10,  // of the thread that follows
    URI_BYTES = 128,
    USAGE_MS = 1000 // from one flush of the usage to the next, about
};

struct mica_published_apps {
    struct mica_published_apps_options options;
    struct mica_endpoint_source source;
    struct mica_app_common common;
    struct mica_arena arena; // of the compiled schema
    struct mica_layout_schemas schemas;
    struct mica_app_usages *usages;

    pthread_mutex_t work; // P1: held by the thread that reads the store
    struct mica_loaded_apps loaded;
    int64_t serial; // of the last change that was followed
    pthread_t thread;
    // Written with both locks, read with one of them.
    enum follower {
        FOLLOWER_NONE, // no app was asked for yet; `serial` is not set
        FOLLOWER_RUNS,
        FOLLOWER_STOPPED
    } follower;

    pthread_mutex_t lock; // guards the members below; taken last
    struct mica_absent_slugs absent;
    struct mica_published_apps_counts counts;
    pthread_cond_t wake; // the thread that follows, to end it
};

static struct mica_registry *
registry_of(const struct mica_published_apps *apps)
{
    return &apps->options.server->registry;
}

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

// The endpoint of a slug, if it is loaded; held.
static struct mica_endpoint *
loaded_find(struct mica_published_apps *apps, struct mica_text slug)
{
    char storage[MICA_APP_PATH_SIZE];
    struct mica_buffer path = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    struct mica_endpoint *endpoint;
    struct mica_text below;

    mica_buffer_format(&path, MICA_APPS_PATH "/%.*s", MICA_ARG(slug));
    endpoint = mica_registry_endpoint_above(registry_of(apps),
                                            mica_buffer_as_text(&path), &below);
    if (endpoint == NULL ||
        (endpoint->source == &apps->source && below.len == 0))
        return endpoint;
    mica_endpoint_drop(endpoint); // the program's own
    return NULL;
}

static void
absent_set(struct mica_published_apps *apps, struct mica_text slug, bool absent)
{
    pthread_mutex_lock(&apps->lock);
    if (absent)
        mica_absent_slugs_add(&apps->absent, slug);
    else
        mica_absent_slugs_remove(&apps->absent, slug);
    pthread_mutex_unlock(&apps->lock);
}

static void
counter_add(struct mica_published_apps *apps, uint64_t *counter, uint64_t more)
{
    pthread_mutex_lock(&apps->lock);
    *counter += more;
    pthread_mutex_unlock(&apps->lock);
}

// The list is guarded by `work`, its sizes for readers of counts by `lock`.
static void
count_loaded(struct mica_published_apps *apps)
{
    pthread_mutex_lock(&apps->lock);
    apps->counts.loaded = apps->loaded.count;
    apps->counts.bytes = apps->loaded.bytes;
    pthread_mutex_unlock(&apps->lock);
}

// ---- Load, with `work` held --------------------------------------------------------

static enum mica_status follow_begin(struct mica_published_apps *apps,
                                     struct mica_store *store,
                                     struct mica_error *error);

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
    status = mica_registry_put(registry_of(apps), endpoint, error);
    if (status == MICA_OK) {
        if (old != NULL)
            mica_loaded_apps_replace(&apps->loaded, old, endpoint, bytes);
        else
            mica_loaded_apps_add(&apps->loaded, endpoint, bytes);
        dropped = mica_loaded_apps_trim(&apps->loaded, registry_of(apps), most,
                                        endpoint);
        counter_add(apps, &apps->counts.dropped, dropped);
        count_loaded(apps);
    }
    mica_endpoint_drop(endpoint);
    return status;
}

// Reads what the slug serves and puts it into the registry, in place of `old`. The caller
// holds the result.
static enum mica_status
load_from(struct mica_published_apps *apps, struct mica_store *store,
          struct mica_text slug, struct mica_endpoint *old,
          struct mica_error *error, struct mica_endpoint **endpoint_out)
{
    struct mica_store_published_app published;
    struct mica_endpoint *endpoint = NULL;
    struct mica_arena arena;
    enum mica_status status;

    mica_arena_init(&arena, READ_BYTES);
    status = mica_store_app_published(store, slug, &arena, error, &published);
    counter_add(apps, &apps->counts.looked, 1);
    if (status == MICA_OK)
        status = mica_app_endpoint_make(&apps->common, slug, &published, error,
                                        &endpoint);
    mica_arena_fini(&arena);
    if (status != MICA_OK)
        return status;
    mica_endpoint_hold(endpoint); // for the caller
    status = loaded_put(apps, old, endpoint, error);
    if (status == MICA_OK)
        *endpoint_out = endpoint;
    else
        mica_endpoint_drop(endpoint);
    return status;
}

static enum mica_status
load_slug(struct mica_published_apps *apps, struct mica_store *store,
          struct mica_text slug, struct mica_error *error,
          struct mica_endpoint **endpoint_out)
{
    enum mica_status status = follow_begin(apps, store, error);

    if (status != MICA_OK)
        return status;
    *endpoint_out =
        loaded_find(apps, slug); // another thread may have been first
    if (*endpoint_out != NULL)
        return MICA_OK;
    status = load_from(apps, store, slug, NULL, error, endpoint_out);
    if (status == MICA_E_NOT_FOUND)
        absent_set(apps, slug, true);
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

// Copies the slug of the app with that key into `arena`; empty: no app has it.
static struct mica_text
slug_of_key(struct mica_store *store, struct mica_text key,
            struct mica_arena *arena)
{
    const size_t prefix = sizeof MICA_APP_KEY_PREFIX - 1;
    struct mica_store_app app;
    struct mica_error ignored;

    if (!mica_text_starts(key, MICA_APP_KEY_PREFIX) ||
        mica_store_app_read(store, mica_text_slice(key, prefix, key.len), arena,
                            &ignored, &app) != MICA_OK)
        return (struct mica_text){NULL, 0};
    return app.slug;
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
apps_older(void *data, struct mica_text key, struct mica_text name,
           struct mica_text version)
{
    const size_t prefix = sizeof MICA_APP_KEY_PREFIX - 1;
    struct mica_published_apps *apps = data;
    struct mica_store *store =
        mica_session_store_backing(apps->options.session_store);
    struct mica_store_published_app published;
    struct mica_definition *tool = NULL;
    struct mica_error ignored;
    struct mica_arena arena;
    struct mica_text slug;
    int64_t number;

    if (mica_serving_thread_is() || store == NULL ||
        !mica_integer_read(version, &number))
        return NULL;
    mica_arena_init(&arena, READ_BYTES);
    slug = slug_of_key(store, key, &arena);
    memset(&published, 0, sizeof published);
    if (slug.len > 0) {
        published.id = mica_text_slice(key, prefix, key.len);
        if (mica_store_app_version(store, published.id, number, &arena,
                                   &ignored, &published.version) != MICA_OK ||
            mica_app_tool_make(&apps->common, slug, &published, &ignored,
                               &tool) != MICA_OK)
            tool = NULL;
    }
    mica_arena_fini(&arena);
    if (tool == NULL || mica_text_equal(tool->name, name))
        return tool;
    mica_definition_drop(tool);
    return NULL;
}

// ---- Follow, with `work` held --------------------------------------------------------

// Tells clients at the app that its tool and its widget are others.
static void
app_announce(struct mica_published_apps *apps, struct mica_text key,
             struct mica_text slug)
{
    char storage[URI_BYTES];
    struct mica_buffer uri = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    struct mica_change change = {.endpoint = key};

    if (apps->options.bus == NULL)
        return;
    change.kind = MICA_CHANGED_TOOLS;
    mica_bus_publish(apps->options.bus, &change);
    change.kind = MICA_CHANGED_RESOURCES;
    mica_bus_publish(apps->options.bus, &change);
    mica_widget_uri(&uri, slug, (struct mica_text){NULL, 0});
    change.kind = MICA_CHANGED_CONTENTS;
    change.uri = mica_buffer_as_text(&uri);
    mica_bus_publish(apps->options.bus, &change);
}

static void
loaded_remove(struct mica_published_apps *apps, struct mica_endpoint *endpoint)
{
    if (mica_registry_take(registry_of(apps), &apps->source, endpoint->key))
        mica_loaded_apps_remove(&apps->loaded, endpoint);
    count_loaded(apps);
}

// Writes the key of a changed app; nothing if it was deleted, and is not loaded.
static void
key_of_change(const struct mica_store_app_change *change,
              const struct mica_endpoint *old, struct mica_buffer *key)
{
    if (change->id.len > 0)
        mica_buffer_format(key, MICA_APP_KEY_PREFIX "%.*s",
                           MICA_ARG(change->id));
    else if (old != NULL)
        mica_buffer_text(key, old->key);
}

// The streams end after the endpoint has left the registry: who opens one looks there
// afterwards.
static void
app_end(struct mica_published_apps *apps, struct mica_endpoint *old,
        struct mica_text key)
{
    if (old != NULL)
        loaded_remove(apps, old);
    counter_add(apps, &apps->counts.ended, 1);
    if (apps->options.ended != NULL)
        apps->options.ended(apps->options.data, key);
}

// Replaces a loaded app by its newest version.
static enum mica_status
app_replace(struct mica_published_apps *apps, struct mica_store *store,
            struct mica_endpoint *old, struct mica_text slug,
            struct mica_error *error)
{
    struct mica_endpoint *now = NULL;
    enum mica_status status = load_from(apps, store, slug, old, error, &now);

    mica_endpoint_drop(now);
    counter_add(apps, &apps->counts.replaced, status == MICA_OK);
    // The next request reads it again, and its client is told what is wrong.
    if (status == MICA_E_CONFIG || status == MICA_E_LIMIT ||
        status == MICA_E_NOT_FOUND) {
        loaded_remove(apps, old);
        return MICA_OK;
    }
    return status;
}

static enum mica_status
change_follow(struct mica_published_apps *apps, struct mica_store *store,
              const struct mica_store_app_change *change,
              struct mica_error *error)
{
    struct mica_endpoint *old = loaded_find(apps, change->slug);
    char storage[MICA_APP_KEY_SIZE];
    struct mica_buffer written = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    enum mica_status status = MICA_OK;
    struct mica_text key;
    bool is_other;

    key_of_change(change, old, &written);
    key = mica_buffer_as_text(&written);
    is_other = old != NULL && !mica_text_equal(old->key, key);
    absent_set(apps, change->slug, false);
    if (is_other) { // deleted, and its slug is used again
        app_end(apps, old, old->key);
        mica_endpoint_drop(old);
        old = NULL;
    }
    if (change->status != MICA_STORE_APP_PUBLISHED || change->id.len == 0) {
        app_end(apps, old, key);
    } else if (old == NULL) {
        app_announce(apps, key, change->slug);
    } else if (old->version != change->publish_version) {
        status = app_replace(apps, store, old, change->slug, error);
        if (status == MICA_OK)
            app_announce(apps, key, change->slug);
    }
    mica_endpoint_drop(old);
    return status;
}

// Follows all changes since the last one. What fails is tried again at the next look.
static enum mica_status
changes_follow(struct mica_published_apps *apps, struct mica_store *store,
               struct mica_error *error)
{
    struct mica_store_app_changes changes = {.count = CHANGES};
    enum mica_status status = MICA_OK;
    struct mica_arena arena;

    mica_arena_init(&arena, READ_BYTES);
    while (status == MICA_OK && changes.count == CHANGES) {
        mica_arena_reset(&arena);
        status = mica_store_app_changed_since(store, apps->serial, CHANGES,
                                              &arena, error, &changes);
        for (size_t i = 0; status == MICA_OK && i < changes.count; i++) {
            status = change_follow(apps, store, &changes.items[i], error);
            if (status == MICA_OK)
                apps->serial = changes.items[i].serial;
        }
    }
    mica_arena_fini(&arena);
    return status;
}

void
mica_published_apps_follow(struct mica_published_apps *apps)
{
    struct mica_store *store =
        mica_session_store_backing(apps->options.session_store);
    struct mica_error error;
    enum mica_status status = MICA_OK;
    int64_t serial;

    if (store == NULL ||
        mica_store_app_serial(store, &error, &serial) != MICA_OK)
        return; // the store counts its failures; the next look finds the change
    pthread_mutex_lock(&apps->work);
    if (apps->follower != FOLLOWER_NONE && serial != apps->serial)
        status = changes_follow(apps, store, &error);
    pthread_mutex_unlock(&apps->work);
    if (status != MICA_OK)
        mica_session_store_note(apps->options.session_store, error.message);
}

// Adds what was counted to the store.
static void
usage_flush(struct mica_published_apps *apps)
{
    struct mica_store *store =
        mica_session_store_backing(apps->options.session_store);

    while (store != NULL && mica_app_usages_flush(apps->usages, store))
        ;
}

static void *
follower_run(void *data)
{
    struct mica_published_apps *apps = data;
    int64_t flushed = mica_clock_ms();

    pthread_mutex_lock(&apps->lock);
    while (apps->follower != FOLLOWER_STOPPED) {
        struct timespec until = mica_clock_after(apps->options.poll_ms);
        if (pthread_cond_timedwait(&apps->wake, &apps->lock, &until) == 0)
            continue;
        pthread_mutex_unlock(&apps->lock);
        mica_published_apps_follow(apps);
        if (mica_clock_ms() - flushed >= USAGE_MS) {
            usage_flush(apps);
            flushed = mica_clock_ms();
        }
        pthread_mutex_lock(&apps->lock);
    }
    pthread_mutex_unlock(&apps->lock);
    return NULL;
}

static bool
follower_start(struct mica_published_apps *apps)
{
    pthread_attr_t attributes;
    sigset_t before;
    bool started;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    mica_stop_block(&before);
    started =
        pthread_create(&apps->thread, &attributes, follower_run, apps) == 0;
    mica_stop_unblock(&before);
    pthread_attr_destroy(&attributes);
    return started;
}

// Reads where the changes begin, before the first app is read, and starts the thread.
static enum mica_status
follow_begin(struct mica_published_apps *apps, struct mica_store *store,
             struct mica_error *error)
{
    bool started;

    if (apps->follower != FOLLOWER_NONE)
        return MICA_OK;
    MICA_TRY(mica_store_app_serial(store, error, &apps->serial));
    pthread_mutex_lock(&apps->lock);
    started = follower_start(apps);
    if (started)
        apps->follower = FOLLOWER_RUNS;
    pthread_mutex_unlock(&apps->lock);
    return started ? MICA_OK
                   : mica_error_set(error, MICA_E_LIMIT, "",
                                    "no thread to follow published apps");
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
    apps->common = (struct mica_app_common){
        .source = &apps->source,
        .session_store = options->session_store,
        .registry = registry_of(apps),
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
    registry_of(apps)->source = &apps->source;
    registry_of(apps)->source_data = apps;
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
    usage_flush(apps);
}

void
mica_published_apps_close(struct mica_published_apps **apps)
{
    struct mica_published_apps *closed = *apps;
    struct mica_endpoint *endpoint;

    if (closed == NULL)
        return;
    mica_published_apps_stop(closed);
    registry_of(closed)->source = NULL;
    while (closed->loaded.count > 0) {
        endpoint = closed->loaded.items[closed->loaded.count - 1].endpoint;
        mica_loaded_apps_remove(&closed->loaded, endpoint);
        (void)mica_registry_take(registry_of(closed), &closed->source,
                                 endpoint->key);
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
