// SPDX-License-Identifier: Apache-2.0
//
// One round of the thread: hand over what was woken, ask the store what is due
// (at most once a second, and only when something should be), renew old leases,
// sweep once a minute. A store that fails is asked again a second later; what it
// keeps is not lost by that.
#include "serve/janitor.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "serve/stop.h"
#include "serve/time.h"
#include "store/store_calls.h"

enum {
    LOOK_MS = 1000,   // between two questions to the store
    SWEEP_MS = 60000, // between two sweeps
    SWEEP_ITEMS = 100,
    BATCH = 64,            // calls of one answer
    AGAIN_MS = 50,         // until one that was not taken is offered again
    WOKEN = 1024,          // that wait to be handed over
    ARENA_BYTES = 16 << 20 // for all builds that calls may have begun with
};

struct woken {
    char id[MICA_STORE_CALL_ID_BYTES + 1];
};

struct mica_janitor {
    struct mica_janitor_options options;
    struct mica_arena arena;          // of the thread
    uint64_t looked, swept, stranded; // when, on the monotonic clock
    struct mica_store_due batch;      // what the store gave, in `arena`
    size_t batch_at;                  // of those, the first that was not taken
    bool refused;                     // the last one offered was not taken
    atomic_uint_fast64_t handed, renewed, lost, failed, freed;
    pthread_mutex_t lock; // of all below
    pthread_cond_t changed;
    pthread_t thread;
    bool running, stopping;
    bool handing; // a thread is in `due`
    mica_janitor_cancelled *cancelled;
    void *cancelled_data;
    mica_janitor_due *due;
    void *data;
    int64_t next; // when something is due, as far as is known
    struct woken woken[WOKEN];
    size_t first, count; // of a ring
};

static int64_t
now_of(const struct mica_janitor *janitor)
{
    const struct mica_platform *platform = janitor->options.platform;

    return platform->now_ms(platform->data);
}

// ---- Giving up -------------------------------------------------------------------

void
mica_janitor_on_cancel(struct mica_janitor *janitor,
                       mica_janitor_cancelled *cancelled, void *data)
{
    pthread_mutex_lock(&janitor->lock);
    janitor->cancelled = cancelled;
    janitor->cancelled_data = data;
    pthread_mutex_unlock(&janitor->lock);
}

void
mica_janitor_cancel(struct mica_janitor *janitor, struct mica_text id)
{
    pthread_mutex_lock(&janitor->lock);
    if (janitor->cancelled != NULL)
        janitor->cancelled(janitor->cancelled_data, id);
    pthread_mutex_unlock(&janitor->lock);
}

// ---- Handing over ----------------------------------------------------------------

static bool
hand(struct mica_janitor *janitor, struct mica_text id, enum mica_status ending)
{
    mica_janitor_due *due;
    void *data;

    pthread_mutex_lock(&janitor->lock);
    due = janitor->stopping ? NULL : janitor->due;
    data = janitor->data;
    janitor->handing = due != NULL;
    pthread_mutex_unlock(&janitor->lock);
    janitor->refused = due == NULL || !due(data, id, ending);
    if (!janitor->refused)
        atomic_fetch_add(&janitor->handed, 1);
    pthread_mutex_lock(&janitor->lock);
    janitor->handing = false;
    pthread_cond_broadcast(&janitor->changed);
    pthread_mutex_unlock(&janitor->lock);
    return !janitor->refused;
}

// The first of those that were woken; it is taken off when `taken` is set.
static bool
first_woken(struct mica_janitor *janitor, bool taken, struct woken *woken_out)
{
    bool found;

    pthread_mutex_lock(&janitor->lock);
    found = janitor->count > 0;
    if (found)
        *woken_out = janitor->woken[janitor->first];
    if (found && taken) {
        janitor->first = (janitor->first + 1) % WOKEN;
        janitor->count--;
    }
    pthread_mutex_unlock(&janitor->lock);
    return found;
}

static void
hand_woken(struct mica_janitor *janitor)
{
    struct woken woken;

    janitor->refused = false;
    while (first_woken(janitor, false, &woken) &&
           hand(janitor, mica_text(woken.id), MICA_OK))
        (void)first_woken(janitor, true, &woken);
}

static void
hand_batch(struct mica_janitor *janitor)
{
    const struct mica_store_due *batch = &janitor->batch;

    while (janitor->batch_at < batch->count &&
           hand(janitor, batch->ids[janitor->batch_at],
                batch->endings[janitor->batch_at]))
        janitor->batch_at++;
}

// ---- The store -------------------------------------------------------------------

static bool
failed(struct mica_janitor *janitor, enum mica_status status)
{
    if (status != MICA_OK)
        atomic_fetch_add(&janitor->failed, 1);
    return status != MICA_OK;
}

// It was lost, or is given back at last; then it may have become late.
static void
drop(struct mica_janitor *janitor, const struct mica_claim *claim,
     enum mica_status status, int64_t now)
{
    mica_claims_drop(janitor->options.claims, mica_text(claim->id),
                     claim->fence);
    if (status == MICA_OK)
        mica_janitor_expect(janitor, now);
    else
        atomic_fetch_add(&janitor->lost, 1);
}

static void
renew(struct mica_janitor *janitor, struct mica_store *store)
{
    int64_t now = now_of(janitor);
    int64_t lease = janitor->options.lease_ms;
    struct mica_claim claim;
    struct mica_error error;
    enum mica_status status, ending;

    while (
        mica_claims_oldest(janitor->options.claims, now - lease / 3, &claim)) {
        struct mica_text id = mica_text(claim.id);
        status = mica_store_call_renew(store, id, claim.fence, now,
                                       claim.given_up ? 0 : lease, &error);
        if (status != MICA_E_CALL_BUSY && failed(janitor, status))
            return; // a second later
        if (status != MICA_OK || claim.given_up) {
            drop(janitor, &claim, status, now);
            continue;
        }
        mica_claims_renewed(janitor->options.claims, id, claim.fence, now);
        atomic_fetch_add(&janitor->renewed, 1);
        // Another process may have been told that it is given up.
        if (mica_store_call_ending(store, id, now, &error, &ending) ==
                MICA_OK &&
            ending == MICA_E_CANCELLED)
            mica_janitor_cancel(janitor, id);
    }
}

// It is time to ask the store. What is expected from now on counts again.
static bool
begin_look(struct mica_janitor *janitor)
{
    bool late = mica_time_ns() - janitor->looked >= LOOK_MS * 1000000ull;
    bool poll = mica_time_ns() - janitor->looked >=
                janitor->options.poll_ms * 1000000ull;
    bool look;

    pthread_mutex_lock(&janitor->lock);
    look = janitor->due != NULL && !janitor->stopping && late &&
           (poll || janitor->next <= now_of(janitor));
    if (look)
        janitor->next = INT64_MAX;
    pthread_mutex_unlock(&janitor->lock);
    return look;
}

// What a process held that has died is due at once.
static void
reap(struct mica_janitor *janitor, struct mica_store *store, int64_t now)
{
    struct mica_error error;
    size_t freed = 0;

    (void)failed(janitor, mica_store_reap(store, now, &error, &freed));
    atomic_fetch_add(&janitor->freed, freed);
}

// Calls that have been over for long, and that no process has gone on with.
static enum mica_status
look_for_stranded(struct mica_janitor *janitor, struct mica_store *store,
                  const struct mica_store_build_set *others, int64_t now,
                  struct mica_error *error)
{
    struct mica_store_due found;

    // Where each look sees some of the builds only, others are seen each time.
    if (others->count == 0 ||
        (mica_builds_were_whole(janitor->options.builds) &&
         mica_time_ns() - janitor->stranded <
             janitor->options.stranded_ms * 1000000ull))
        return MICA_OK;
    janitor->stranded = mica_time_ns();
    MICA_TRY(mica_store_call_stranded(store, others,
                                      now - MICA_CALL_STRANDED_MS, now, BATCH,
                                      &janitor->arena, error, &found));
    found.endings =
        mica_arena_zero(&janitor->arena, found.count, sizeof(enum mica_status));
    if (found.endings == NULL)
        found.count = 0;
    // The batch before has been handed over, and is not again should this fail.
    janitor->batch = found;
    janitor->batch_at = 0;
    hand_batch(janitor);
    return MICA_OK;
}

// One batch; *more_out: there are others at once.
static enum mica_status
look_once(struct mica_janitor *janitor, struct mica_store *store, int64_t now,
          struct mica_error *error, bool *more_out)
{
    struct mica_store_build_set here, others;
    int64_t next;

    mica_arena_reset(&janitor->arena);
    janitor->batch = (struct mica_store_due){.next = now};
    janitor->batch_at = 0;
    *more_out = false;
    MICA_TRY(mica_builds_sort(janitor->options.builds, store, now,
                              &janitor->arena, error, &here, &others));
    MICA_TRY(mica_store_call_due_of(store, &here, now, BATCH,
                                    janitor->options.lease_ms, &janitor->arena,
                                    error, &janitor->batch));
    hand_batch(janitor);
    *more_out = janitor->batch.next <= now && janitor->batch.count > 0;
    next = janitor->batch.next;
    if (!*more_out && !janitor->refused)
        MICA_TRY(look_for_stranded(janitor, store, &others, now, error));
    janitor->batch.next = next;
    return MICA_OK;
}

// What was not taken is offered again before the store is asked for more.
static void
look(struct mica_janitor *janitor, struct mica_store *store)
{
    struct mica_error error;
    int64_t now = now_of(janitor);
    enum mica_status status = MICA_OK;
    bool more;

    hand_batch(janitor);
    if (janitor->refused || !begin_look(janitor))
        return;
    reap(janitor, store, now);
    do {
        status = look_once(janitor, store, now, &error, &more);
        renew(janitor, store); // it may take long to hand over so many
    } while (status == MICA_OK && !janitor->refused && more);
    (void)failed(janitor, status); // it is asked again in a second
    janitor->looked = mica_time_ns();
    mica_janitor_expect(janitor, janitor->batch.next);
}

static void
sweep(struct mica_janitor *janitor, struct mica_store *store)
{
    struct mica_error error;
    size_t removed = SWEEP_ITEMS;

    if (mica_time_ns() - janitor->swept < SWEEP_MS * 1000000ull)
        return;
    // A thousand times: what is left over waits for the next minute.
    for (int i = 0; i < 1000 && removed >= SWEEP_ITEMS; i++) {
        if (failed(janitor, mica_store_sweep(store, now_of(janitor),
                                             SWEEP_ITEMS, &error, &removed)))
            break;
    }
    janitor->swept = mica_time_ns();
}

// ---- The thread ------------------------------------------------------------------

// With the lock held: how long nothing has to be done.
static unsigned
rest_ms(struct mica_janitor *janitor)
{
    int64_t left = janitor->options.poll_ms, wait = INT64_MAX;
    struct mica_claim given_up;
    int64_t now = now_of(janitor);

    if (janitor->due != NULL && janitor->next != INT64_MAX)
        wait = janitor->next > now ? janitor->next - now : 0;
    left = wait < left ? wait : left;
    if (mica_claims_count(janitor->options.claims) > 0 &&
        left > janitor->options.lease_ms / 6)
        left = janitor->options.lease_ms / 6;
    if (left > LOOK_MS &&
        mica_claims_oldest(janitor->options.claims, INT64_MIN, &given_up))
        left = LOOK_MS;
    if (janitor->refused)
        return AGAIN_MS;
    if (left > 0)
        return (unsigned)left;
    // It should be asked, and may be when a second has passed.
    int64_t since = (int64_t)((mica_time_ns() - janitor->looked) / 1000000u);
    return since < LOOK_MS ? (unsigned)(LOOK_MS - since) : 1;
}

static bool
sleep_well(struct mica_janitor *janitor)
{
    bool goes_on;

    pthread_mutex_lock(&janitor->lock);
    if (!janitor->stopping && (janitor->count == 0 || janitor->refused)) {
        struct timespec until = mica_time_after(rest_ms(janitor));
        pthread_cond_timedwait(&janitor->changed, &janitor->lock, &until);
    }
    goes_on = !janitor->stopping;
    pthread_mutex_unlock(&janitor->lock);
    return goes_on;
}

static void *
run(void *data)
{
    struct mica_janitor *janitor = data;

    do {
        struct mica_store *store = mica_keeper_store(janitor->options.keeper);
        hand_woken(janitor);
        if (store == NULL)
            continue; // it was never needed, so nothing is in it
        renew(janitor, store);
        look(janitor, store);
        sweep(janitor, store);
    } while (sleep_well(janitor));
    return NULL;
}

enum mica_status
mica_janitor_need(struct mica_janitor *janitor, struct mica_error *error)
{
    sigset_t before;
    int failure = 0;

    pthread_mutex_lock(&janitor->lock);
    if (!janitor->running) {
        mica_stop_block(&before);
        failure = pthread_create(&janitor->thread, NULL, run, janitor);
        mica_stop_unblock(&before);
        janitor->running = failure == 0;
    }
    pthread_mutex_unlock(&janitor->lock);
    if (failure == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "cannot start the thread that looks after calls: %s",
                          strerror(failure));
}

// ---- What others tell it ---------------------------------------------------------

void
mica_janitor_hand_to(struct mica_janitor *janitor, mica_janitor_due *due,
                     void *data)
{
    pthread_mutex_lock(&janitor->lock);
    janitor->due = due;
    janitor->data = data;
    janitor->next = INT64_MIN; // look at once
    pthread_cond_broadcast(&janitor->changed);
    while (due == NULL && janitor->handing)
        pthread_cond_wait(&janitor->changed, &janitor->lock);
    pthread_mutex_unlock(&janitor->lock);
}

void
mica_janitor_expect(struct mica_janitor *janitor, int64_t when)
{
    pthread_mutex_lock(&janitor->lock);
    if (when < janitor->next) {
        janitor->next = when;
        pthread_cond_broadcast(&janitor->changed);
    }
    pthread_mutex_unlock(&janitor->lock);
}

void
mica_janitor_wake(struct mica_janitor *janitor, struct mica_text id)
{
    pthread_mutex_lock(&janitor->lock);
    if (janitor->due != NULL && janitor->count < WOKEN &&
        id.len <= MICA_STORE_CALL_ID_BYTES) {
        struct woken *woken =
            &janitor->woken[(janitor->first + janitor->count) % WOKEN];
        memcpy(woken->id, id.ptr, id.len);
        woken->id[id.len] = '\0';
        janitor->count++;
        pthread_cond_broadcast(&janitor->changed);
    }
    pthread_mutex_unlock(&janitor->lock);
}

struct mica_janitor_counts
mica_janitor_counts(struct mica_janitor *janitor)
{
    return (struct mica_janitor_counts){.handed = atomic_load(&janitor->handed),
                                        .renewed =
                                            atomic_load(&janitor->renewed),
                                        .lost = atomic_load(&janitor->lost),
                                        .failed = atomic_load(&janitor->failed),
                                        .freed = atomic_load(&janitor->freed)};
}

// ---- Opening and closing ---------------------------------------------------------

enum mica_status
mica_janitor_open(const struct mica_janitor_options *options,
                  struct mica_error *error, struct mica_janitor **janitor_out)
{
    struct mica_janitor *janitor = calloc(1, sizeof *janitor);
    pthread_condattr_t attributes;

    if (janitor == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory to look after calls");
    janitor->options = *options;
    janitor->next = INT64_MAX;
    janitor->swept = janitor->stranded = mica_time_ns();
    mica_arena_init(&janitor->arena, ARENA_BYTES);
    pthread_mutex_init(&janitor->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&janitor->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    *janitor_out = janitor;
    return MICA_OK;
}

void
mica_janitor_close(struct mica_janitor **janitor)
{
    struct mica_janitor *closed = *janitor;

    if (closed == NULL)
        return;
    pthread_mutex_lock(&closed->lock);
    closed->stopping = true;
    pthread_cond_broadcast(&closed->changed);
    pthread_mutex_unlock(&closed->lock);
    if (closed->running)
        pthread_join(closed->thread, NULL);
    pthread_cond_destroy(&closed->changed);
    pthread_mutex_destroy(&closed->lock);
    mica_arena_fini(&closed->arena);
    free(closed);
    *janitor = NULL;
}
