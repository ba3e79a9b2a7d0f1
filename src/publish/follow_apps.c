// SPDX-License-Identifier: Apache-2.0
//
// Follows the changes of apps in the store: replaces what was republished and removes what
// is not published any more.
#include "publish/published_state.h"

#include <signal.h>

#include "apps/widget.h"
#include "platform/clock.h"
#include "publish/app_endpoint.h"
#include "serve/stop.h"

enum {
    READ_BYTES = 8 << 20,    // of one operation of the store
    CHANGES = 256,           // that one operation reads
    STACK_BYTES = 256 << 10, // of the thread that follows
    URI_BYTES = 128,
    USAGE_MS = 1000,  // from one flush of the usage to the next, about
    USAGE_BATCHES = 4 // of one flush
};

// ---- Changes, with `work` held -------------------------------------------------------

static void
contents_announce(struct mica_published_apps *apps, struct mica_text key,
                  struct mica_text slug)
{
    char storage[URI_BYTES];
    struct mica_buffer uri = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    struct mica_change change = {.endpoint = key,
                                 .kind = MICA_CHANGED_CONTENTS};

    mica_widget_uri(&uri, slug, (struct mica_text){NULL, 0});
    change.uri = mica_buffer_as_text(&uri);
    mica_bus_publish(apps->options.bus, &change);
}

static void
lists_announce(struct mica_published_apps *apps, struct mica_text key)
{
    struct mica_change change = {.endpoint = key, .kind = MICA_CHANGED_TOOLS};

    mica_bus_publish(apps->options.bus, &change);
    change.kind = MICA_CHANGED_RESOURCES;
    mica_bus_publish(apps->options.bus, &change);
}

// Tells clients at the app that its tool and its widget are others.
static void
app_announce(struct mica_published_apps *apps, struct mica_text key,
             struct mica_text slug)
{
    if (apps->options.bus == NULL)
        return;
    lists_announce(apps, key);
    contents_announce(apps, key, slug);
}

static void
loaded_remove(struct mica_published_apps *apps, struct mica_endpoint *endpoint)
{
    if (mica_registry_take(mica_published_apps_registry(apps), endpoint->source,
                           endpoint->key))
        mica_loaded_apps_remove(&apps->loaded, endpoint);
    mica_published_apps_count_loaded(apps);
}

// Writes the key of a changed app or collection; nothing if it was deleted, and is not loaded.
static void
key_of_change(const struct mica_store_app_change *change,
              const struct mica_endpoint *old, struct mica_buffer *key)
{
    if (change->id.len > 0)
        mica_buffer_format(key, "%s%.*s",
                           change->kind == MICA_STORE_SLUG_COLLECTION
                               ? MICA_COLLECTION_KEY_PREFIX
                               : MICA_APP_KEY_PREFIX,
                           MICA_ARG(change->id));
    else if (old != NULL)
        mica_buffer_text(key, old->key);
}

// The streams end after the endpoint has left the registry: a client that opens
// one looks there afterwards.
static void
app_end(struct mica_published_apps *apps, struct mica_endpoint *old,
        struct mica_text key)
{
    if (old != NULL)
        loaded_remove(apps, old);
    mica_published_apps_count(apps, &apps->counts.ended, 1);
    if (apps->options.ended != NULL)
        apps->options.ended(apps->options.data, key);
}

// The streams of callers whom the new version refuses end after it has taken the place of
// the old one: a client that opens one looks there afterwards.
static void
app_narrow(struct mica_published_apps *apps, struct mica_text key,
           const struct mica_app_exposure *now)
{
    if (apps->options.narrowed != NULL)
        apps->options.narrowed(apps->options.data, key, now);
}

// The same for an app that is not loaded, whose last version is not known.
static enum mica_status
app_narrow_unloaded(struct mica_published_apps *apps, struct mica_store *store,
                    struct mica_text key,
                    const struct mica_store_app_change *change,
                    struct mica_error *error)
{
    struct mica_store_published_app published;
    struct mica_app_version version;
    struct mica_arena arena;
    enum mica_status status;

    if (change->publish_version < 2)
        return MICA_OK;
    mica_arena_init(&arena, READ_BYTES);
    status = mica_store_app_published(store, change->slug, &arena, error,
                                      &published);
    if (status == MICA_OK)
        status = mica_app_version_read(published.version.text, &arena, error,
                                       &version);
    if (status == MICA_OK && version.draft.visibility != MICA_APP_PUBLIC)
        app_narrow(apps, key,
                   &(struct mica_app_exposure){version.draft.visibility,
                                               version.draft.scope});
    mica_arena_fini(&arena);
    // Unpublished since, which is a change of its own; or no client can call it.
    return status == MICA_E_NOT_FOUND || status == MICA_E_CONFIG ? MICA_OK
                                                                 : status;
}

// Replaces a loaded app by its newest version.
static enum mica_status
app_replace(struct mica_published_apps *apps, struct mica_store *store,
            struct mica_endpoint *old, struct mica_text slug,
            struct mica_error *error)
{
    struct mica_app_exposure before = mica_published_exposure(old), after;
    struct mica_endpoint *now = NULL;
    enum mica_status status =
        mica_published_apps_load_from(apps, store, slug, old, error, &now);

    if (status == MICA_OK) {
        after = mica_published_exposure(now);
        if (mica_app_narrows(&before, &after))
            app_narrow(apps, now->key, &after);
    }
    mica_endpoint_drop(now);
    mica_published_apps_count(apps, &apps->counts.replaced, status == MICA_OK);
    // The next request reads it again, and its client is told what is wrong.
    if (status == MICA_E_CONFIG || status == MICA_E_LIMIT ||
        status == MICA_E_NOT_FOUND) {
        loaded_remove(apps, old);
        return MICA_OK;
    }
    return status;
}

// Tells clients of the collection of its tools and of the widgets of all its apps: which of
// them are others is not known any more.
static void
members_announce(struct mica_published_apps *apps,
                 const struct mica_store_collection *collection,
                 struct mica_text key)
{
    if (apps->options.bus == NULL)
        return;
    lists_announce(apps, key);
    for (size_t i = 0; i < collection->member_count; i++)
        contents_announce(apps, key, collection->members[i].slug);
}

// A collection that is not loaded: what it was is not known, so the callers that are refused
// now count. It is not loaded for that: one app may be in many collections that no client asks for.
static enum mica_status
collection_narrow_unloaded(struct mica_published_apps *apps,
                           struct mica_store *store,
                           const struct mica_store_collection *collection,
                           struct mica_text key, struct mica_arena *arena,
                           struct mica_error *error)
{
    struct mica_app_exposure exposure;
    enum mica_status status =
        mica_collection_exposure(store, collection, arena, error, &exposure);

    if (status == MICA_OK && exposure.visibility != MICA_APP_PUBLIC)
        app_narrow(apps, key, &exposure);
    // Withdrawn since, which is a change of its own; or no client can call it.
    return status == MICA_E_NOT_FOUND || status == MICA_E_CONFIG ? MICA_OK
                                                                 : status;
}

// A collection changes with each of its members, which need not concern its clients: a draft
// was edited, or a member that is not published was removed.
static enum mica_status
collection_follow(struct mica_published_apps *apps, struct mica_store *store,
                  const struct mica_store_app_change *change,
                  struct mica_endpoint *old, struct mica_text key,
                  struct mica_error *error)
{
    struct mica_store_collection collection;
    struct mica_arena arena;
    enum mica_status status = MICA_E_NOT_FOUND;
    int64_t version = 0;

    mica_arena_init(&arena, READ_BYTES);
    if (change->id.len > 0)
        status = mica_store_collection_read(store, change->id, &arena, error,
                                            &collection);
    if (status == MICA_OK)
        version = mica_collection_version(&collection);
    if (status == MICA_E_NOT_FOUND || (status == MICA_OK && version == 0)) {
        app_end(apps, old, key);
        status = MICA_OK;
    } else if (status == MICA_OK && (old == NULL || old->version != version)) {
        status = old != NULL
                     ? app_replace(apps, store, old, change->slug, error)
                     : collection_narrow_unloaded(apps, store, &collection, key,
                                                  &arena, error);
        if (status == MICA_OK)
            members_announce(apps, &collection, key);
    }
    mica_arena_fini(&arena);
    return status;
}

static enum mica_status
app_follow(struct mica_published_apps *apps, struct mica_store *store,
           const struct mica_store_app_change *change,
           struct mica_endpoint *old, struct mica_text key,
           struct mica_error *error)
{
    enum mica_status status = MICA_OK;

    if (change->status != MICA_STORE_APP_PUBLISHED || change->id.len == 0) {
        app_end(apps, old, key);
    } else if (old == NULL) {
        app_announce(apps, key, change->slug);
        status = app_narrow_unloaded(apps, store, key, change, error);
    } else if (old->version != change->publish_version) {
        status = app_replace(apps, store, old, change->slug, error);
        if (status == MICA_OK)
            app_announce(apps, key, change->slug);
    }
    return status;
}

static enum mica_status
change_follow(struct mica_published_apps *apps, struct mica_store *store,
              const struct mica_store_app_change *change,
              struct mica_error *error)
{
    struct mica_endpoint *old = mica_published_apps_find(apps, change->slug);
    char storage[MICA_COLLECTION_KEY_SIZE];
    struct mica_buffer written = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    enum mica_status status;
    struct mica_text key;

    key_of_change(change, old, &written);
    key = mica_buffer_as_text(&written);
    mica_published_apps_set_absent(apps, change->slug, false);
    if (old != NULL && !mica_text_equal(old->key, key)) {
        app_end(apps, old, old->key); // deleted, and its slug is used again
        mica_endpoint_drop(old);
        old = NULL;
    }
    status = change->kind == MICA_STORE_SLUG_COLLECTION
                 ? collection_follow(apps, store, change, old, key, error)
                 : app_follow(apps, store, change, old, key, error);
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

// Adds what was counted to the store, in so many batches at most.
static void
usages_flush(struct mica_published_apps *apps, size_t batches)
{
    struct mica_store *store =
        mica_session_store_backing(apps->options.session_store);

    while (store != NULL && batches-- > 0 &&
           mica_app_usages_flush(apps->usages, store))
        ;
}

void
mica_published_apps_flush(struct mica_published_apps *apps)
{
    usages_flush(apps, SIZE_MAX);
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
            usages_flush(apps, USAGE_BATCHES);
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

enum mica_status
mica_published_apps_follow_begin(struct mica_published_apps *apps,
                                 struct mica_store *store,
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
