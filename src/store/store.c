// SPDX-License-Identifier: Apache-2.0
//
// The frame of every public function: a transaction of the back end around it,
// or the one that it is called in. And what opens, closes and describes a store.
#include "store/store.h"

#include <sodium.h>
#include <stdlib.h>

#include "store/path.h"

// ---- Opening -------------------------------------------------------------------

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
        return mica_store_memory_open(&store->limits, error, &store->self);
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

enum mica_status
mica_store_open(const char *spec, const struct mica_store_options *options,
                struct mica_error *error, struct mica_store **store_out)
{
    struct mica_store *store = calloc(1, sizeof *store);
    enum mica_status status;

    if (store == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "No memory is left.");
    if (options != NULL)
        store->limits = *options;
    fill_in(&store->limits);
    status = sodium_init() >= 0
                 ? open_backend(spec, store, error)
                 : mica_error_set(error, MICA_E_IO, "",
                                  "The system gives no random bytes.");
    if (status != MICA_OK) {
        free(store);
        return status;
    }
    *store_out = store;
    return MICA_OK;
}

void
mica_store_close(struct mica_store **store)
{
    if (*store == NULL)
        return;
    (*store)->backend->close((*store)->self);
    free(*store);
    *store = NULL;
}

// ---- Transactions --------------------------------------------------------------

enum mica_status
mica_store_enter(struct mica_store *store, enum mica_store_access access,
                 struct mica_error *error, struct mica_store *within)
{
    *within = *store;
    within->outer = NULL;
    if (store->connection != NULL)
        within->outer = store;
    else
        MICA_TRY(store->backend->begin(store->self, access, error,
                                       &within->connection));
    mica_arena_init(&within->scratch, SCRATCH_BYTES);
    return MICA_OK;
}

enum mica_status
mica_store_leave(struct mica_store *within, enum mica_status status,
                 struct mica_error *error)
{
    mica_arena_fini(&within->scratch);
    if (within->outer != NULL) {
        within->outer->broken = within->broken;
        return status;
    }
    if (status == MICA_OK && within->broken != MICA_OK)
        status = mica_error_set(error, within->broken, "",
                                "A step of the transaction failed, so nothing "
                                "of it is kept.");
    if (status == MICA_OK)
        return within->backend->commit(within->connection, error);
    within->backend->rollback(within->connection);
    return status;
}

enum mica_status
mica_store_transact(struct mica_store *store,
                    enum mica_status (*body)(struct mica_store *within,
                                             void *user,
                                             struct mica_error *error),
                    void *user, struct mica_error *error)
{
    struct mica_store within;

    if (store->connection != NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A transaction cannot be begun inside another.");
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, body(&within, user, error), error);
}

// ---- Steps ---------------------------------------------------------------------

// Notes that a write failed. One that has found nothing has changed nothing, but
// what its function wrote before may have to go with it.
static enum mica_status
note(struct mica_store *within, enum mica_status status)
{
    if (status != MICA_OK && within->broken == MICA_OK)
        within->broken = status;
    return status;
}

enum mica_status
mica_store_insert(struct mica_store *within, enum mica_store_table table,
                  const struct mica_store_row *row, struct mica_error *error)
{
    enum mica_status status =
        within->backend->insert(within->connection, table, row, error);

    return status == MICA_E_EXISTS ? status : note(within, status);
}

enum mica_status
mica_store_update(struct mica_store *within, enum mica_store_table table,
                  unsigned columns, const struct mica_store_row *row,
                  struct mica_error *error)
{
    return note(within, within->backend->update(within->connection, table,
                                                columns, row, error));
}

enum mica_status
mica_store_remove(struct mica_store *within, enum mica_store_table table,
                  unsigned equal, const struct mica_store_row *row,
                  struct mica_error *error, size_t *removed_out)
{
    return note(within,
                within->backend->remove(within->connection, table, equal, row,
                                        error, removed_out));
}

enum mica_status
mica_store_add(struct mica_store *within, enum mica_store_counter counter,
               int64_t by, struct mica_error *error)
{
    if (by == 0)
        return MICA_OK;
    return note(within,
                within->backend->add(within->connection, counter, by, error));
}

enum mica_status
mica_store_total(struct mica_store *within, enum mica_store_counter counter,
                 struct mica_error *error, int64_t *total_out)
{
    return within->backend->total(within->connection, counter, error,
                                  total_out);
}

enum mica_status
mica_store_scan(struct mica_store *within, const struct mica_store_range *range,
                struct mica_arena *arena, struct mica_error *error,
                struct mica_store_rows *rows_out)
{
    return within->backend->scan(within->connection, range,
                                 arena != NULL ? arena : &within->scratch,
                                 error, rows_out);
}

enum mica_status
mica_store_first(struct mica_store *within, struct mica_store_range range,
                 struct mica_error *error, bool *found_out,
                 struct mica_store_row *row_out)
{
    struct mica_store_rows rows;

    range.limit = 1;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    *found_out = rows.count > 0;
    if (rows.count > 0)
        *row_out = rows.items[0];
    return MICA_OK;
}

enum mica_status
mica_store_text(struct mica_text text, const char *what,
                struct mica_error *error)
{
    size_t valid = mica_utf8_valid(text);

    if (valid < text.len)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "%s is not UTF-8 at byte %zu.", what, valid);
    if (text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "%s has U+0000 in it; leave that out.", what);
    return MICA_OK;
}

// ---- Upkeep --------------------------------------------------------------------

static enum mica_status
sweep(struct mica_store *within, int64_t now, size_t limit,
      struct mica_error *error, size_t *removed_out)
{
    size_t most = 0, removed;

    MICA_TRY(mica_store_sessions_expire(within, now, limit, error, &most));
    MICA_TRY(mica_store_events_expire(within, now, limit, error, &removed));
    most = removed > most ? removed : most;
    MICA_TRY(mica_store_calls_expire(within, now, limit, error, &removed));
    most = removed > most ? removed : most;
    MICA_TRY(mica_store_changes_expire(
        within, now - within->limits.change_age_ms, limit, error, &removed));
    most = removed > most ? removed : most;
    MICA_TRY(mica_store_keys_expire(within, now, limit, error, &removed));
    *removed_out = removed > most ? removed : most;
    return MICA_OK;
}

enum mica_status
mica_store_sweep(struct mica_store *store, int64_t now, size_t limit,
                 struct mica_error *error, size_t *removed_out)
{
    struct mica_store within;

    if (limit == 0 || limit > SWEEP_ROWS)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A sweep takes 1 to %d rows of each kind, not "
                              "%zu.",
                              SWEEP_ROWS, limit);
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(
        &within, sweep(&within, now, limit, error, removed_out), error);
}

static enum mica_status
read_counters(struct mica_store *within, struct mica_error *error,
              struct mica_store_statistics *out)
{
    int64_t *const members[MICA_STORE_COUNTERS] = {
        [MICA_COUNT_KEYS] = &out->keys,
        [MICA_COUNT_SESSIONS] = &out->sessions,
        [MICA_COUNT_STREAMS] = &out->streams,
        [MICA_COUNT_EVENTS] = &out->events,
        [MICA_COUNT_EVENT_BYTES] = &out->event_bytes,
        [MICA_COUNT_CHANGES] = &out->changes,
        [MICA_COUNT_SUBSCRIPTIONS] = &out->subscriptions,
        [MICA_COUNT_EVENTS_DROPPED] = &out->events_dropped,
        [MICA_COUNT_CHANGES_DROPPED] = &out->changes_dropped,
        [MICA_COUNT_SESSIONS_EXPIRED] = &out->sessions_expired,
        [MICA_COUNT_CALLS] = &out->calls,
        [MICA_COUNT_OPEN_CALLS] = &out->open_calls,
        [MICA_COUNT_CALL_BYTES] = &out->call_bytes,
        [MICA_COUNT_ROUNDS] = &out->rounds,
        [MICA_COUNT_CALLS_EXPIRED] = &out->calls_expired,
        [MICA_COUNT_CALLS_STRANDED] = &out->calls_stranded,
        [MICA_COUNT_SESSIONS_DISPLACED] = &out->sessions_displaced};

    for (unsigned i = 0; i < MICA_COUNT_TAKEN_OVER; i++)
        MICA_TRY(mica_store_total(within, (enum mica_store_counter)i, error,
                                  members[i]));
    return MICA_OK;
}

enum mica_status
mica_store_statistics(struct mica_store *store, struct mica_error *error,
                      struct mica_store_statistics *statistics_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within, read_counters(&within, error, statistics_out), error);
}

// ---- Its file ------------------------------------------------------------------

enum mica_status
mica_store_place(struct mica_store *store, struct mica_error *error,
                 struct mica_store_place *place_out)
{
    *place_out = (struct mica_store_place){.backend = store->backend->name};
    if (store->backend->place == NULL)
        return MICA_OK;
    return store->backend->place(store->self, error, place_out);
}

static enum mica_status
need_file(const struct mica_store *store, struct mica_error *error)
{
    if (store->connection != NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "This cannot be done inside a transaction.");
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
    MICA_TRY(need_file(store, error));
    return store->backend->backup(store->self, path, progress, user, error);
}

enum mica_status
mica_store_check(struct mica_store *store, struct mica_arena *arena,
                 struct mica_error *error, struct mica_text *findings_out)
{
    MICA_TRY(need_file(store, error));
    return store->backend->check(store->self, arena, error, findings_out);
}
