// SPDX-License-Identifier: Apache-2.0
//
// What published apps are inside, for the files that load one (load_app.c), that
// follow their changes (follow_apps.c), and that serve them (published_apps.c).
#ifndef MICA_PUBLISH_PUBLISHED_STATE_H
#define MICA_PUBLISH_PUBLISHED_STATE_H

#include <pthread.h>

#include "publish/absent_slugs.h"
#include "publish/collection_endpoint.h"
#include "publish/loaded_apps.h"
#include "publish/published_apps.h"

struct mica_published_apps {
    struct mica_published_apps_options options;
    struct mica_endpoint_source source;      // of the registry, and of apps
    struct mica_endpoint_source collections; // of collections
    struct mica_app_common common;
    struct mica_arena arena; // of the compiled schema
    struct mica_layout_schemas schemas;
    struct mica_app_usages *usages;

    // PUBLISHED-1: held by the thread that reads the store
    pthread_mutex_t work;
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

static inline struct mica_registry *
mica_published_apps_registry(const struct mica_published_apps *apps)
{
    return &apps->options.server->registry;
}

// ---- load_app.c ----------------------------------------------------------------

// Is it the endpoint of an app or a collection that was loaded here?
static inline bool
mica_published_apps_own(const struct mica_published_apps *apps,
                        const struct mica_endpoint *endpoint)
{
    return endpoint->source == &apps->source ||
           endpoint->source == &apps->collections;
}

// The endpoint of a slug, if it is loaded; held.
struct mica_endpoint *mica_published_apps_find(struct mica_published_apps *apps,
                                               struct mica_text slug);

// Remembers that nothing has the slug, or forgets it.
void mica_published_apps_set_absent(struct mica_published_apps *apps,
                                    struct mica_text slug, bool absent);

// Adds to one of `counts`.
void mica_published_apps_count(struct mica_published_apps *apps,
                               uint64_t *counter, uint64_t more);

// Shows the size of the list, which `work` guards, to readers of counts. With `work` held.
void mica_published_apps_count_loaded(struct mica_published_apps *apps);

// Reads what the slug serves and puts it into the registry, in place of `old` (NULL: of
// none). The caller holds the result. With `work` held. Errors: MICA_E_NOT_FOUND,
// MICA_E_CONFIG, MICA_E_LIMIT, those of the store.
enum mica_status mica_published_apps_load_from(
    struct mica_published_apps *apps, struct mica_store *store,
    struct mica_text slug, struct mica_endpoint *old, struct mica_error *error,
    struct mica_endpoint **endpoint_out) MICA_MUST_USE;

// ---- follow_apps.c ---------------------------------------------------------------------

// Reads where the changes begin, before the first app is read, and starts the thread. With
// `work` held. Errors: MICA_E_LIMIT, those of the store.
enum mica_status
mica_published_apps_follow_begin(struct mica_published_apps *apps,
                                 struct mica_store *store,
                                 struct mica_error *error) MICA_MUST_USE;

// Adds the counts of usage to the store. Any thread that may wait for a store.
void mica_published_apps_flush(struct mica_published_apps *apps);

#endif
