// SPDX-License-Identifier: Apache-2.0
//
// One round of the thread: hand over what was woken, ask the store what is due
// (at most once a second, and only when something should be), renew old leases,
// sweep once a minute. A store that fails is asked again a second later; what it
// keeps is not lost by that.
#include "serve/call_scheduler.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "serve/stop.h"
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

struct mica_call_scheduler {
    struct mica_call_scheduler_options options;
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
    mica_call_scheduler_cancelled *cancelled;
    void *cancelled_data;
    mica_call_scheduler_due *due;
    void *data;
    int64_t next; // when something is due, as far as is known
    struct woken woken[WOKEN];
    size_t first, count; // of a ring
};

static int64_t
now_of(const struct mica_call_scheduler *scheduler)
{
    const struct mica_platform *platform = scheduler->options.platform;

    return platform->now_ms(platform->data);
}

// ---- Giving up -------------------------------------------------------------------

void
mica_call_scheduler_on_cancel(struct mica_call_scheduler *scheduler,
                              mica_call_scheduler_cancelled *cancelled,
                              void *data)
{
    pthread_mutex_lock(&scheduler->lock);
    scheduler->cancelled = cancelled;
    scheduler->cancelled_data = data;
    pthread_mutex_unlock(&scheduler->lock);
}

void
mica_call_scheduler_cancel(struct mica_call_scheduler *scheduler,
                           struct mica_text id)
{
    pthread_mutex_lock(&scheduler->lock);
    if (scheduler->cancelled != NULL)
        scheduler->cancelled(scheduler->cancelled_data, id);
    pthread_mutex_unlock(&scheduler->lock);
}

// ---- Handing over ----------------------------------------------------------------

static bool
scheduler_hand(struct mica_call_scheduler *scheduler, struct mica_text id,
               enum mica_status ending)
{
    mica_call_scheduler_due *due;
    void *data;

    pthread_mutex_lock(&scheduler->lock);
    due = scheduler->stopping ? NULL : scheduler->due;
    data = scheduler->data;
    scheduler->handing = due != NULL;
    pthread_mutex_unlock(&scheduler->lock);
    scheduler->refused = due == NULL || !due(data, id, ending);
    if (!scheduler->refused)
        atomic_fetch_add(&scheduler->handed, 1);
    pthread_mutex_lock(&scheduler->lock);
    scheduler->handing = false;
    pthread_cond_broadcast(&scheduler->changed);
    pthread_mutex_unlock(&scheduler->lock);
    return !scheduler->refused;
}

// The first of those that were woken; it is taken off when `taken` is set.
static bool
first_woken(struct mica_call_scheduler *scheduler, bool taken,
            struct woken *woken_out)
{
    bool found;

    pthread_mutex_lock(&scheduler->lock);
    found = scheduler->count > 0;
    if (found)
        *woken_out = scheduler->woken[scheduler->first];
    if (found && taken) {
        scheduler->first = (scheduler->first + 1) % WOKEN;
        scheduler->count--;
    }
    pthread_mutex_unlock(&scheduler->lock);
    return found;
}

static void
hand_woken(struct mica_call_scheduler *scheduler)
{
    struct woken woken;

    scheduler->refused = false;
    while (first_woken(scheduler, false, &woken) &&
           scheduler_hand(scheduler, mica_text(woken.id), MICA_OK))
        (void)first_woken(scheduler, true, &woken);
}

static void
hand_batch(struct mica_call_scheduler *scheduler)
{
    const struct mica_store_due *batch = &scheduler->batch;

    while (scheduler->batch_at < batch->count &&
           scheduler_hand(scheduler, batch->ids[scheduler->batch_at],
                          batch->endings[scheduler->batch_at]))
        scheduler->batch_at++;
}

// ---- The store -------------------------------------------------------------------

static bool
scheduler_failed(struct mica_call_scheduler *scheduler, enum mica_status status)
{
    if (status != MICA_OK)
        atomic_fetch_add(&scheduler->failed, 1);
    return status != MICA_OK;
}

// It was lost, or is given back at last; then it may have become late.
static void
scheduler_drop(struct mica_call_scheduler *scheduler,
               const struct mica_lease *claim, enum mica_status status,
               int64_t now)
{
    mica_leases_drop(scheduler->options.leases, mica_text(claim->id),
                     claim->fence);
    if (status == MICA_OK)
        mica_call_scheduler_expect(scheduler, now);
    else
        atomic_fetch_add(&scheduler->lost, 1);
}

static void
scheduler_renew(struct mica_call_scheduler *scheduler, struct mica_store *store)
{
    int64_t now = now_of(scheduler);
    int64_t lease = scheduler->options.lease_ms;
    struct mica_lease claim;
    struct mica_error error;
    enum mica_status status, ending;

    while (mica_leases_oldest(scheduler->options.leases, now - lease / 3,
                              &claim)) {
        struct mica_text id = mica_text(claim.id);
        status = mica_store_call_renew(store, id, claim.fence, now,
                                       claim.given_up ? 0 : lease, &error);
        if (status != MICA_E_CALL_BUSY && scheduler_failed(scheduler, status))
            return; // a second later
        if (status != MICA_OK || claim.given_up) {
            scheduler_drop(scheduler, &claim, status, now);
            continue;
        }
        mica_leases_renewed(scheduler->options.leases, id, claim.fence, now);
        atomic_fetch_add(&scheduler->renewed, 1);
        // Another process may have been told that it is given up.
        if (mica_store_call_ending(store, id, now, &error, &ending) ==
                MICA_OK &&
            ending == MICA_E_CANCELLED)
            mica_call_scheduler_cancel(scheduler, id);
    }
}

// It is time to ask the store. What is expected from now on counts again.
static bool
begin_look(struct mica_call_scheduler *scheduler)
{
    bool late = mica_clock_ns() - scheduler->looked >= LOOK_MS * 1000000ull;
    bool poll = mica_clock_ns() - scheduler->looked >=
                scheduler->options.poll_ms * 1000000ull;
    bool call_scheduler_look;

    pthread_mutex_lock(&scheduler->lock);
    call_scheduler_look = scheduler->due != NULL && !scheduler->stopping &&
                          late &&
                          (poll || scheduler->next <= now_of(scheduler));
    if (call_scheduler_look)
        scheduler->next = INT64_MAX;
    pthread_mutex_unlock(&scheduler->lock);
    return call_scheduler_look;
}

// What a process held that has died is due at once.
static void
scheduler_reap(struct mica_call_scheduler *scheduler, struct mica_store *store,
               int64_t now)
{
    struct mica_error error;
    size_t freed = 0;

    (void)scheduler_failed(scheduler,
                           mica_store_reap(store, now, &error, &freed));
    atomic_fetch_add(&scheduler->freed, freed);
}

// Calls that have been over for long, and that no process has gone on with.
static enum mica_status
look_for_stranded(struct mica_call_scheduler *scheduler,
                  struct mica_store *store,
                  const struct mica_store_build_set *others, int64_t now,
                  struct mica_error *error)
{
    struct mica_store_due found;

    // Where each look sees some of the builds only, others are seen each time.
    if (others->count == 0 ||
        (mica_builds_were_whole(scheduler->options.builds) &&
         mica_clock_ns() - scheduler->stranded <
             scheduler->options.stranded_ms * 1000000ull))
        return MICA_OK;
    scheduler->stranded = mica_clock_ns();
    MICA_TRY(mica_store_call_stranded(store, others,
                                      now - MICA_CALL_STRANDED_MS, now, BATCH,
                                      &scheduler->arena, error, &found));
    found.endings = mica_arena_zero(&scheduler->arena, found.count,
                                    sizeof(enum mica_status));
    if (found.endings == NULL)
        found.count = 0;
    // The batch before has been handed over, and is not again should this fail.
    scheduler->batch = found;
    scheduler->batch_at = 0;
    hand_batch(scheduler);
    return MICA_OK;
}

// One batch; *more_out: there are others at once.
static enum mica_status
look_once(struct mica_call_scheduler *scheduler, struct mica_store *store,
          int64_t now, struct mica_error *error, bool *more_out)
{
    struct mica_store_build_set here, others;
    int64_t next;

    mica_arena_reset(&scheduler->arena);
    scheduler->batch = (struct mica_store_due){.next = now};
    scheduler->batch_at = 0;
    *more_out = false;
    MICA_TRY(mica_builds_sort(scheduler->options.builds, store, now,
                              &scheduler->arena, error, &here, &others));
    MICA_TRY(mica_store_call_due_of(
        store, &here, now, BATCH, scheduler->options.lease_ms,
        &scheduler->arena, error, &scheduler->batch));
    hand_batch(scheduler);
    *more_out = scheduler->batch.next <= now && scheduler->batch.count > 0;
    next = scheduler->batch.next;
    if (!*more_out && !scheduler->refused)
        MICA_TRY(look_for_stranded(scheduler, store, &others, now, error));
    scheduler->batch.next = next;
    return MICA_OK;
}

// What was not taken is offered again before the store is asked for more.
static void
call_scheduler_look(struct mica_call_scheduler *scheduler,
                    struct mica_store *store)
{
    struct mica_error error;
    int64_t now = now_of(scheduler);
    enum mica_status status = MICA_OK;
    bool more;

    hand_batch(scheduler);
    if (scheduler->refused || !begin_look(scheduler))
        return;
    scheduler_reap(scheduler, store, now);
    do {
        status = look_once(scheduler, store, now, &error, &more);
        scheduler_renew(scheduler,
                        store); // it may take long to hand over so many
    } while (status == MICA_OK && !scheduler->refused && more);
    (void)scheduler_failed(scheduler, status); // it is asked again in a second
    scheduler->looked = mica_clock_ns();
    mica_call_scheduler_expect(scheduler, scheduler->batch.next);
}

static void
scheduler_sweep(struct mica_call_scheduler *scheduler, struct mica_store *store)
{
    struct mica_error error;
    size_t removed = SWEEP_ITEMS;

    if (mica_clock_ns() - scheduler->swept < SWEEP_MS * 1000000ull)
        return;
    // A thousand times: what is left over waits for the next minute.
    for (int i = 0; i < 1000 && removed >= SWEEP_ITEMS; i++) {
        if (scheduler_failed(scheduler,
                             mica_store_sweep(store, now_of(scheduler),
                                              SWEEP_ITEMS, &error, &removed)))
            break;
    }
    scheduler->swept = mica_clock_ns();
}

// ---- The thread ------------------------------------------------------------------

// With the lock held: how long nothing has to be done.
static unsigned
rest_ms(struct mica_call_scheduler *scheduler)
{
    int64_t left = scheduler->options.poll_ms, wait = INT64_MAX;
    struct mica_lease given_up;
    int64_t now = now_of(scheduler);

    if (scheduler->due != NULL && scheduler->next != INT64_MAX)
        wait = scheduler->next > now ? scheduler->next - now : 0;
    left = wait < left ? wait : left;
    if (mica_leases_count(scheduler->options.leases) > 0 &&
        left > scheduler->options.lease_ms / 6)
        left = scheduler->options.lease_ms / 6;
    if (left > LOOK_MS &&
        mica_leases_oldest(scheduler->options.leases, INT64_MIN, &given_up))
        left = LOOK_MS;
    if (scheduler->refused)
        return AGAIN_MS;
    if (left > 0)
        return (unsigned)left;
    // It should be asked, and may be when a second has passed.
    int64_t since = (int64_t)((mica_clock_ns() - scheduler->looked) / 1000000u);
    return since < LOOK_MS ? (unsigned)(LOOK_MS - since) : 1;
}

static bool
sleep_well(struct mica_call_scheduler *scheduler)
{
    bool goes_on;

    pthread_mutex_lock(&scheduler->lock);
    if (!scheduler->stopping && (scheduler->count == 0 || scheduler->refused)) {
        struct timespec until = mica_clock_after(rest_ms(scheduler));
        pthread_cond_timedwait(&scheduler->changed, &scheduler->lock, &until);
    }
    goes_on = !scheduler->stopping;
    pthread_mutex_unlock(&scheduler->lock);
    return goes_on;
}

static void *
scheduler_run(void *data)
{
    struct mica_call_scheduler *scheduler = data;

    do {
        struct mica_store *store =
            mica_session_store_backing(scheduler->options.session_store);
        hand_woken(scheduler);
        if (store == NULL)
            continue; // it was never needed, so nothing is in it
        scheduler_renew(scheduler, store);
        call_scheduler_look(scheduler, store);
        scheduler_sweep(scheduler, store);
    } while (sleep_well(scheduler));
    return NULL;
}

enum mica_status
mica_call_scheduler_need(struct mica_call_scheduler *scheduler,
                         struct mica_error *error)
{
    sigset_t before;
    int failure = 0;

    pthread_mutex_lock(&scheduler->lock);
    if (!scheduler->running) {
        mica_stop_block(&before);
        failure =
            pthread_create(&scheduler->thread, NULL, scheduler_run, scheduler);
        mica_stop_unblock(&before);
        scheduler->running = failure == 0;
    }
    pthread_mutex_unlock(&scheduler->lock);
    if (failure == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "cannot start the thread that looks after calls: %s",
                          strerror(failure));
}

// ---- What others tell it ---------------------------------------------------------

void
mica_call_scheduler_hand_to(struct mica_call_scheduler *scheduler,
                            mica_call_scheduler_due *due, void *data)
{
    pthread_mutex_lock(&scheduler->lock);
    scheduler->due = due;
    scheduler->data = data;
    scheduler->next = INT64_MIN; // look at once
    pthread_cond_broadcast(&scheduler->changed);
    while (due == NULL && scheduler->handing)
        pthread_cond_wait(&scheduler->changed, &scheduler->lock);
    pthread_mutex_unlock(&scheduler->lock);
}

void
mica_call_scheduler_expect(struct mica_call_scheduler *scheduler, int64_t when)
{
    pthread_mutex_lock(&scheduler->lock);
    if (when < scheduler->next) {
        scheduler->next = when;
        pthread_cond_broadcast(&scheduler->changed);
    }
    pthread_mutex_unlock(&scheduler->lock);
}

void
mica_call_scheduler_wake(struct mica_call_scheduler *scheduler,
                         struct mica_text id)
{
    pthread_mutex_lock(&scheduler->lock);
    if (scheduler->due != NULL && scheduler->count < WOKEN &&
        id.len <= MICA_STORE_CALL_ID_BYTES) {
        struct woken *woken =
            &scheduler->woken[(scheduler->first + scheduler->count) % WOKEN];
        memcpy(woken->id, id.ptr, id.len);
        woken->id[id.len] = '\0';
        scheduler->count++;
        pthread_cond_broadcast(&scheduler->changed);
    }
    pthread_mutex_unlock(&scheduler->lock);
}

struct mica_call_scheduler_counts
mica_call_scheduler_counts(struct mica_call_scheduler *scheduler)
{
    return (struct mica_call_scheduler_counts){
        .handed = atomic_load(&scheduler->handed),
        .renewed = atomic_load(&scheduler->renewed),
        .lost = atomic_load(&scheduler->lost),
        .failed = atomic_load(&scheduler->failed),
        .freed = atomic_load(&scheduler->freed)};
}

// ---- Opening and closing ---------------------------------------------------------

enum mica_status
mica_call_scheduler_open(const struct mica_call_scheduler_options *options,
                         struct mica_error *error,
                         struct mica_call_scheduler **scheduler_out)
{
    struct mica_call_scheduler *scheduler = calloc(1, sizeof *scheduler);
    pthread_condattr_t attributes;

    if (scheduler == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory to look after calls");
    scheduler->options = *options;
    scheduler->next = INT64_MAX;
    scheduler->swept = scheduler->stranded = mica_clock_ns();
    mica_arena_init(&scheduler->arena, ARENA_BYTES);
    pthread_mutex_init(&scheduler->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&scheduler->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    *scheduler_out = scheduler;
    return MICA_OK;
}

void
mica_call_scheduler_close(struct mica_call_scheduler **scheduler)
{
    struct mica_call_scheduler *closed = *scheduler;

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
    *scheduler = NULL;
}
