// SPDX-License-Identifier: Apache-2.0
//
// Opens, closes and describes a store.
#include "store/store.h"

#include <sodium.h>
#include <stdlib.h>

#include "base/assert.h"
#include "store/path.h"
#include "store/serving_thread.h"

// ---- Open ----------------------------------------------------------------------

enum {
    DEFAULT_SESSIONS = 100000,
    DEFAULT_PARTY_SESSIONS = 1000,
    DEFAULT_STREAMS = 64,
    DEFAULT_STREAM_EVENTS = 256,
    DEFAULT_STREAM_BYTES = 1 << 20,
    DEFAULT_EVENT_BYTES = 256 << 20,
    DEFAULT_EVENT_AGE_S = 600,
    DEFAULT_SUBSCRIPTIONS = 256,
    DEFAULT_CHANGES = 10000,
    DEFAULT_CHANGE_AGE_S = 3600,
    DEFAULT_KEY_AGE_S = 30 * 86400,
    DEFAULT_KEY_OVERLAP_S = 31 * 86400, // the longest .keep_s, and a day
    DEFAULT_CALLS = 1000000,
    DEFAULT_OWNER_CALLS = 10000,
    DEFAULT_CALL_BYTES = 4 << 20,
    DEFAULT_ALL_CALL_BYTES = 1 << 30,
    DEFAULT_CALL_ROUNDS = 256,
    DEFAULT_APPS = 100000,
    DEFAULT_APP_VERSIONS = 100,
    DEFAULT_APP_WIDGETS = 1000,
    DEFAULT_BUSY_MS = 2000
};

static void
fill_in(struct mica_store_options *limits)
{
    static const struct mica_store_options defaults = {
        .sessions = DEFAULT_SESSIONS,
        .party_sessions = DEFAULT_PARTY_SESSIONS,
        .streams = DEFAULT_STREAMS,
        .stream_events = DEFAULT_STREAM_EVENTS,
        .stream_bytes = DEFAULT_STREAM_BYTES,
        .event_bytes = DEFAULT_EVENT_BYTES,
        .event_age_ms = (int64_t)DEFAULT_EVENT_AGE_S * 1000,
        .subscriptions = DEFAULT_SUBSCRIPTIONS,
        .changes = DEFAULT_CHANGES,
        .change_age_ms = (int64_t)DEFAULT_CHANGE_AGE_S * 1000,
        .key_age_ms = (int64_t)DEFAULT_KEY_AGE_S * 1000,
        .key_overlap_ms = (int64_t)DEFAULT_KEY_OVERLAP_S * 1000,
        .calls = DEFAULT_CALLS,
        .owner_calls = DEFAULT_OWNER_CALLS,
        .call_bytes = DEFAULT_CALL_BYTES,
        .all_call_bytes = DEFAULT_ALL_CALL_BYTES,
        .call_rounds = DEFAULT_CALL_ROUNDS,
        .apps = DEFAULT_APPS,
        .app_versions = DEFAULT_APP_VERSIONS,
        .app_widgets = DEFAULT_APP_WIDGETS,
        .busy_ms = DEFAULT_BUSY_MS};

#define FILL(member)                          \
    do {                                      \
        if (limits->member == 0)              \
            limits->member = defaults.member; \
    } while (0)
    FILL(sessions);
    FILL(party_sessions);
    FILL(streams);
    FILL(stream_events);
    FILL(stream_bytes);
    FILL(event_bytes);
    FILL(event_age_ms);
    FILL(subscriptions);
    FILL(changes);
    FILL(change_age_ms);
    FILL(key_age_ms);
    FILL(key_overlap_ms);
    FILL(calls);
    FILL(owner_calls);
    FILL(call_bytes);
    FILL(all_call_bytes);
    FILL(call_rounds);
    FILL(apps);
    FILL(app_versions);
    FILL(app_widgets);
    FILL(busy_ms);
#undef FILL
}

static enum mica_status
open_backend(const char *spec, struct mica_store *store,
             struct mica_error *error)
{
    static const char prefix[] = "sqlite:";
    char path[MICA_STORE_PATH_SIZE];

    if (strcmp(spec, "memory") == 0) {
        store->backend = &mica_store_memory;
        return mica_store_sqlite_open(NULL, &store->limits, error,
                                      &store->self);
    }
    store->backend = &mica_store_sqlite;
    if (strcmp(spec, "sqlite") == 0) {
        MICA_TRY(mica_store_default_path(path, error));
        return mica_store_sqlite_open(path, &store->limits, error,
                                      &store->self);
    }
    if (strncmp(spec, prefix, sizeof prefix - 1) == 0 &&
        spec[sizeof prefix - 1] != '\0')
        return mica_store_sqlite_open(spec + sizeof prefix - 1, &store->limits,
                                      error, &store->self);
    return mica_error_set(error, MICA_E_USAGE, "",
                          "There is no store \"%s\": write memory, sqlite, or "
                          "sqlite:PATH.",
                          spec);
}

static void
free_store(struct mica_store *store)
{
    mica_store_totals_fini(store);
    mica_session_cache_close(&store->sessions);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

enum mica_status
mica_store_open(const char *spec, const struct mica_store_options *options,
                struct mica_error *error, struct mica_store **store_out)
{
    struct mica_store *store = calloc(1, sizeof *store);
    enum mica_status status;

    MICA_DCHECK(!mica_serving_thread_is());
    if (store == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "No memory is left.");
    if (options != NULL)
        store->limits = *options;
    fill_in(&store->limits);
    pthread_mutex_init(&store->lock, NULL);
    mica_store_totals_init(store);
    store->sessions = mica_session_cache_open();
    if (store->sessions == NULL)
        status = mica_error_set(error, MICA_E_LIMIT, "", "No memory is left.");
    else if (sodium_init() < 0)
        status = mica_error_set(error, MICA_E_IO, "",
                                "The system gives no random bytes.");
    else
        status = open_backend(spec, store, error);
    if (status != MICA_OK) {
        free_store(store);
        return status;
    }
    *store_out = store;
    return MICA_OK;
}

void
mica_store_close(struct mica_store **store)
{
    int64_t totals[MICA_STORE_COUNTERS];
    struct mica_error error;

    if (*store == NULL)
        return;
    // If this fails, a later process counts all totals again (mica_store_reap).
    (void)mica_store_totals(*store, MICA_STORE_TOTALS_WRITE, &error, totals);
    (*store)->backend->close((*store)->self);
    free_store(*store);
    *store = NULL;
}

// ---- Upkeep --------------------------------------------------------------------

enum mica_status
mica_store_sweep(struct mica_store *store, int64_t now, size_t limit,
                 struct mica_error *error, size_t *removed_out)
{
    size_t removed[6] = {0}, most = 0;

    if (limit == 0 || limit > MICA_STORE_SWEEP)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A sweep takes 1 to %d rows of each kind, not "
                              "%zu.",
                              MICA_STORE_SWEEP, limit);
    MICA_TRY(mica_store_sessions_expire(store, now, limit, error, &removed[0]));
    MICA_TRY(mica_store_events_expire(store, now, limit, error, &removed[1]));
    MICA_TRY(mica_store_calls_expire(store, now, limit, error, &removed[2]));
    MICA_TRY(mica_store_changes_expire(store, now - store->limits.change_age_ms,
                                       limit, error, &removed[3]));
    MICA_TRY(mica_store_keys_expire(store, now, limit, error, &removed[4]));
    MICA_TRY(
        mica_store_app_usage_expire(store, now, limit, error, &removed[5]));
    for (size_t i = 0; i < MICA_COUNT(removed); i++)
        most = removed[i] > most ? removed[i] : most;
    *removed_out = most;
    return MICA_OK;
}

enum mica_status
mica_store_statistics(struct mica_store *store, struct mica_error *error,
                      struct mica_store_statistics *statistics_out)
{
    int64_t totals[MICA_STORE_COUNTERS];

    MICA_TRY(mica_store_totals(store, MICA_STORE_TOTALS_WRITE, error, totals));
    *statistics_out = (struct mica_store_statistics){
        .keys = totals[MICA_COUNT_KEYS],
        .sessions = totals[MICA_COUNT_SESSIONS],
        .streams = totals[MICA_COUNT_STREAMS],
        .events = totals[MICA_COUNT_EVENTS],
        .event_bytes = totals[MICA_COUNT_EVENT_BYTES],
        .changes = totals[MICA_COUNT_CHANGES],
        .subscriptions = totals[MICA_COUNT_SUBSCRIPTIONS],
        .calls = totals[MICA_COUNT_CALLS],
        .open_calls = totals[MICA_COUNT_OPEN_CALLS],
        .call_bytes = totals[MICA_COUNT_CALL_BYTES],
        .rounds = totals[MICA_COUNT_ROUNDS],
        .apps = totals[MICA_COUNT_APPS],
        .published_apps = totals[MICA_COUNT_PUBLISHED_APPS],
        .app_versions = totals[MICA_COUNT_APP_VERSIONS],
        .app_widgets = totals[MICA_COUNT_APP_WIDGETS],
        .events_dropped = totals[MICA_COUNT_EVENTS_DROPPED],
        .changes_dropped = totals[MICA_COUNT_CHANGES_DROPPED],
        .sessions_expired = totals[MICA_COUNT_SESSIONS_EXPIRED],
        .calls_expired = totals[MICA_COUNT_CALLS_EXPIRED],
        .calls_stranded = totals[MICA_COUNT_CALLS_STRANDED],
        .sessions_displaced = totals[MICA_COUNT_SESSIONS_DISPLACED]};
    return MICA_OK;
}

// ---- File ----------------------------------------------------------------------

enum mica_status
mica_store_place(struct mica_store *store, struct mica_error *error,
                 struct mica_store_place *place_out)
{
    MICA_DCHECK(!mica_serving_thread_is()); // waits for the lock of the store
    *place_out = (struct mica_store_place){.backend = store->backend->name};
    if (store->backend->place == NULL)
        return MICA_OK;
    return store->backend->place(store->self, error, place_out);
}

static enum mica_status
need_file(const struct mica_store *store, struct mica_error *error)
{
    if (store->backend->backup == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A store in memory has no file and ends with its "
                              "process; name one with --store sqlite:PATH.");
    return MICA_OK;
}

enum mica_status
mica_store_backup(struct mica_store *store, const char *path,
                  bool (*progress)(void *user, int64_t done, int64_t total),
                  void *user, struct mica_error *error)
{
    int64_t totals[MICA_STORE_COUNTERS];

    MICA_TRY(need_file(store, error));
    MICA_TRY(mica_store_totals(store, MICA_STORE_TOTALS_WRITE, error, totals));
    return store->backend->backup(store->self, path, progress, user, error);
}

enum mica_status
mica_store_check(struct mica_store *store, struct mica_arena *arena,
                 struct mica_error *error, struct mica_text *findings_out)
{
    int64_t totals[MICA_STORE_COUNTERS];

    MICA_TRY(need_file(store, error));
    MICA_TRY(mica_store_totals(store, MICA_STORE_TOTALS_WRITE, error, totals));
    return store->backend->check(store->self, arena, error, findings_out);
}
