// SPDX-License-Identifier: Apache-2.0
//
// The totals in this process: what it has added, and what it read from the store last.
#include "store/totals.h"

#include <string.h>

#include "store/store.h"

enum {
    TRIES = 3 // to write, if it is unknown whether the first try was committed
};

const char *const mica_store_counter_names[MICA_STORE_COUNTERS] = {
    [MICA_COUNT_KEYS] = "keys",
    [MICA_COUNT_SESSIONS] = "sessions",
    [MICA_COUNT_STREAMS] = "streams",
    [MICA_COUNT_EVENTS] = "events",
    [MICA_COUNT_EVENT_BYTES] = "event_bytes",
    [MICA_COUNT_CHANGES] = "changes",
    [MICA_COUNT_SUBSCRIPTIONS] = "subscriptions",
    [MICA_COUNT_EVENTS_DROPPED] = "events_dropped",
    [MICA_COUNT_CHANGES_DROPPED] = "changes_dropped",
    [MICA_COUNT_SESSIONS_EXPIRED] = "sessions_expired",
    [MICA_COUNT_CALLS] = "calls",
    [MICA_COUNT_OPEN_CALLS] = "open_calls",
    [MICA_COUNT_CALL_BYTES] = "call_bytes",
    [MICA_COUNT_ROUNDS] = "rounds",
    [MICA_COUNT_CALLS_EXPIRED] = "calls_expired",
    [MICA_COUNT_CALLS_STRANDED] = "calls_stranded",
    [MICA_COUNT_SESSIONS_DISPLACED] = "sessions_displaced",
    [MICA_COUNT_TAKEN_OVER] = "taken_over",
    [MICA_COUNT_APPS] = "apps",
    [MICA_COUNT_PUBLISHED_APPS] = "published_apps",
    [MICA_COUNT_APP_VERSIONS] = "app_versions",
    [MICA_COUNT_APP_WIDGETS] = "app_widgets",
};

// In the order of the counters. If it runs twice with the same token (?23), it adds once.
static const struct mica_store_operation flush_operation = {
    .name = "totals",
    .writes = true,
    .takes = "nnnnnnnnnnnnnnnnnnnnnnn",
    .steps = {{.sql = "UPDATE counters SET value = value + CASE name"
                      " WHEN 'keys' THEN ?1 WHEN 'sessions' THEN ?2"
                      " WHEN 'streams' THEN ?3 WHEN 'events' THEN ?4"
                      " WHEN 'event_bytes' THEN ?5 WHEN 'changes' THEN ?6"
                      " WHEN 'subscriptions' THEN ?7"
                      " WHEN 'events_dropped' THEN ?8"
                      " WHEN 'changes_dropped' THEN ?9"
                      " WHEN 'sessions_expired' THEN ?10"
                      " WHEN 'calls' THEN ?11 WHEN 'open_calls' THEN ?12"
                      " WHEN 'call_bytes' THEN ?13 WHEN 'rounds' THEN ?14"
                      " WHEN 'calls_expired' THEN ?15"
                      " WHEN 'calls_stranded' THEN ?16"
                      " WHEN 'sessions_displaced' THEN ?17"
                      " WHEN 'taken_over' THEN ?18 WHEN 'apps' THEN ?19"
                      " WHEN 'published_apps' THEN ?20"
                      " WHEN 'app_versions' THEN ?21"
                      " WHEN 'app_widgets' THEN ?22 ELSE 0 END"
                      " WHERE NOT EXISTS (SELECT 1 FROM counters AS f"
                      " WHERE f.name = 'flushed' AND f.value = ?23)"},
              {.sql = "INSERT INTO counters (name, value) VALUES"
                      " ('flushed', ?23) ON CONFLICT (name)"
                      " DO UPDATE SET value = excluded.value"},
              {.sql = "SELECT name, value FROM counters", .gives = "tn"}}};

static const struct mica_store_operation read_operation = {
    .name = "totals_read",
    .takes = "",
    .steps = {{.sql = "SELECT name, value FROM counters", .gives = "tn"}}};

_Static_assert(MICA_STORE_COUNTERS == 22, "each has its place above");

static const struct mica_store_operation recount_operation = {
    .name = "totals_recount",
    .writes = true,
    .takes = "",
    .steps = {
        {.sql =
             "UPDATE counters SET value = CASE name"
             " WHEN 'keys' THEN (SELECT count(*) FROM keys)"
             " WHEN 'sessions' THEN (SELECT count(*) FROM sessions)"
             " WHEN 'streams' THEN (SELECT count(*) FROM streams)"
             " WHEN 'events' THEN (SELECT count(*) FROM events)"
             " WHEN 'event_bytes' THEN"
             " (SELECT coalesce(sum(bytes), 0) FROM events)"
             " WHEN 'changes' THEN (SELECT count(*) FROM changes)"
             " WHEN 'subscriptions' THEN (SELECT count(*) FROM subscriptions)"
             " WHEN 'calls' THEN (SELECT count(*) FROM calls)"
             " WHEN 'open_calls' THEN"
             " (SELECT count(*) FROM calls WHERE ended = 0)"
             " WHEN 'call_bytes' THEN"
             " (SELECT coalesce(sum(bytes), 0) FROM calls)"
             " WHEN 'rounds' THEN (SELECT count(*) FROM rounds) +"
             " (SELECT count(*) FROM calls WHERE length(answers) > 0)"
             " WHEN 'apps' THEN (SELECT count(*) FROM apps) +"
             " (SELECT count(*) FROM app_collections)"
             " WHEN 'published_apps' THEN"
             " (SELECT count(*) FROM apps WHERE status = 2)"
             " WHEN 'app_versions' THEN (SELECT count(*) FROM app_versions)"
             " WHEN 'app_widgets' THEN (SELECT count(*) FROM app_widgets)"
             " WHEN 'doubtful' THEN 0 ELSE value END"},
        {.sql = "SELECT name, value FROM counters", .gives = "tn"}}};

// With the lock held.
static void
sum_up(const struct mica_store *store, int64_t out[MICA_STORE_COUNTERS])
{
    const struct mica_store_totals *totals = &store->totals;

    for (unsigned i = 0; i < MICA_STORE_COUNTERS; i++)
        out[i] = totals->written[i] + totals->writing[i] + totals->added[i];
}

static void
read_counters(const struct mica_store_given *given,
              struct mica_store_totals *totals)
{
    int64_t *written = totals->written;

    for (size_t row = 0; row < given->count; row++) {
        const union mica_store_value *values = mica_store_given_row(given, row);
        for (unsigned i = 0; i < MICA_STORE_COUNTERS; i++) {
            if (mica_text_is(values[0].text, mica_store_counter_names[i]))
                written[i] = values[1].number;
        }
        if (mica_text_is(values[0].text, "doubtful") && values[1].number != 0)
            atomic_store(&totals->doubtful, true);
    }
}

static bool
is_all_zero(const int64_t numbers[MICA_STORE_COUNTERS])
{
    for (unsigned i = 0; i < MICA_STORE_COUNTERS; i++) {
        if (numbers[i] != 0)
            return false;
    }
    return true;
}

// Writes what was added and reads the totals. With totals->busy set. The caller holds the lock;
// this releases it during the transaction.
static enum mica_status
totals_exchange(struct mica_store *store, bool recount,
                struct mica_error *error)
{
    struct mica_store_totals *totals = &store->totals;
    union mica_store_value values[MICA_STORE_COUNTERS + 1];
    struct mica_store_given given[3] = {{.count = 0}};
    const struct mica_store_operation *operation = &flush_operation;
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal = 0;
    bool writes, unknown;

    memcpy(totals->writing, totals->added, sizeof totals->writing);
    memset(totals->added, 0, sizeof totals->added);
    writes = recount || !is_all_zero(totals->writing);
    for (unsigned i = 0; i < MICA_STORE_COUNTERS; i++)
        values[i].number = totals->writing[i];
    values[MICA_STORE_COUNTERS].number = mica_store_token();
    pthread_mutex_unlock(&totals->lock);
    mica_arena_init(&arena, 1 << 20);
    if (!writes)
        operation = &read_operation;
    const struct mica_store_part parts[] = {
        {operation, values, given}, {&recount_operation, values, given}};
    status = MICA_E_IO;
    unknown = true;
    for (unsigned i = 0; i < TRIES && unknown; i++)
        status = mica_store_run(store, parts, recount ? 2 : 1, &arena, error,
                                &refusal, &unknown);
    pthread_mutex_lock(&totals->lock);
    if (status == MICA_OK)
        read_counters(&given[recount ? 1 : writes ? 2 : 0], totals);
    else
        for (unsigned i = 0; i < MICA_STORE_COUNTERS; i++)
            totals->added[i] += totals->writing[i];
    memset(totals->writing, 0, sizeof totals->writing);
    if (status != MICA_OK && (unknown || recount))
        atomic_store(&totals->doubtful, true);
    mica_arena_fini(&arena);
    return status;
}

// With the lock held: must the totals be read again?
static bool
are_old(const struct mica_store_totals *totals, int64_t now)
{
    return !totals->known || now < totals->read_at ||
           now - totals->read_at >= MICA_STORE_TOTALS_MS;
}

// Without the lock held, as it reads the store.
static bool
may_recount(struct mica_store *store, int64_t now)
{
    bool died = false, alone = false;

    if (now == MICA_STORE_TOTALS_WRITE || atomic_load(&store->totals.doubtful))
        alone = mica_store_is_alone(store, &died);
    return alone && (died || atomic_load(&store->totals.doubtful));
}

enum mica_status
mica_store_totals(struct mica_store *store, int64_t now,
                  struct mica_error *error,
                  int64_t totals_out[MICA_STORE_COUNTERS])
{
    struct mica_store_totals *totals = &store->totals;
    enum mica_status status = MICA_OK;
    bool recount = may_recount(store, now);

    pthread_mutex_lock(&totals->lock);
    if ((recount || are_old(totals, now)) && !totals->busy) {
        // An operation in progress may have committed, and not added yet: recount later.
        atomic_store(&totals->doubtful, recount && totals->operations > 0);
        totals->busy = true;
        status =
            totals_exchange(store, recount && totals->operations == 0, error);
        totals->busy = false;
        totals->known = totals->known || status == MICA_OK;
        if (now != MICA_STORE_TOTALS_WRITE)
            totals->read_at = now;
    }
    sum_up(store, totals_out);
    pthread_mutex_unlock(&totals->lock);
    return status;
}

// If the write fails, a later one writes the same.
void
mica_store_totals_idle(struct mica_store *store)
{
    struct mica_store_totals *totals = &store->totals;
    struct mica_error error;

    pthread_mutex_lock(&totals->lock);
    if (!totals->busy && !is_all_zero(totals->added)) {
        totals->busy = true;
        (void)(totals_exchange(store, false, &error) == MICA_OK);
        totals->busy = false;
    }
    pthread_mutex_unlock(&totals->lock);
}

enum mica_status
mica_store_totals_recount(struct mica_store *store, struct mica_error *error)
{
    struct mica_store_totals *totals = &store->totals;
    enum mica_status status;

    pthread_mutex_lock(&totals->lock);
    status = totals_exchange(store, true, error);
    pthread_mutex_unlock(&totals->lock);
    return status;
}
