// SPDX-License-Identifier: Apache-2.0
//
// One cycle of the thread: queue the woken calls; renew old leases; poll the store for
// due calls; sweep the store once a minute. It polls when a call should be due, but at most
// once a second, and every options.poll_ms in any case: other processes may have left
// calls. If the store fails, the thread polls it again a second later; the calls
// stay in the store.
#include "serve/call_scheduler.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "serve/stop.h"
#include "store/store_calls.h"

enum {
    POLL_MS = 1000,   // at least, between two polls of the store
    SWEEP_MS = 60000, // between two sweeps
    SWEEP_ITEMS = 100,
    BATCH = 64,            // calls that one poll returns at most
    REFUSED_MS = 50,       // until the scheduler offers a refused call again
    WOKEN = 1024,          // woken calls that wait for the queue
    ARENA_BYTES = 16 << 20 // for all builds that calls may have begun with
};

struct woken {
    char id[MICA_STORE_CALL_ID_BYTES + 1];
};

struct mica_call_scheduler {
    struct mica_call_scheduler_options options;
    struct mica_arena arena;          // of the thread
    uint64_t polled, swept, stranded; // last times, on the monotonic clock
    struct mica_store_due batch;      // calls of the last poll, in `arena`
    size_t batch_at; // the first of them that is not queued yet
    atomic_uint_fast64_t queued, renewed, lost, failed, freed;
    pthread_mutex_t lock; // guards all members below
    pthread_cond_t changed;
    pthread_t thread;
    bool running, stopping;
    bool is_queueing; // the thread runs `due`
    mica_call_scheduler_cancelled *cancelled;
    void *cancelled_data;
    mica_call_scheduler_due *due;
    void *data;
    int64_t next;              // when the next call is due, as far as is known
    struct woken woken[WOKEN]; // a ring buffer
    size_t first, count;
};

static int64_t
now_of(const struct mica_call_scheduler *scheduler)
{
    const struct mica_platform *platform = scheduler->options.platform;

    return platform->now_ms(platform->data);
}

// ---- Cancel ----------------------------------------------------------------------

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

// ---- Queue calls -----------------------------------------------------------------

// Returns true if the queue has accepted the call.
static bool
queue_call(struct mica_call_scheduler *scheduler, struct mica_text id,
           enum mica_status ending)
{
    mica_call_scheduler_due *due;
    void *data;
    bool accepted;

    pthread_mutex_lock(&scheduler->lock);
    due = scheduler->stopping ? NULL : scheduler->due;
    data = scheduler->data;
    scheduler->is_queueing = due != NULL;
    pthread_mutex_unlock(&scheduler->lock);
    accepted = due != NULL && due(data, id, ending);
    if (accepted)
        atomic_fetch_add(&scheduler->queued, 1);
    pthread_mutex_lock(&scheduler->lock);
    scheduler->is_queueing = false;
    pthread_cond_broadcast(&scheduler->changed);
    pthread_mutex_unlock(&scheduler->lock);
    return accepted;
}

// Finds the first woken call, and removes it if `removes` is set. Returns false if there
// is no woken call.
static bool
first_woken(struct mica_call_scheduler *scheduler, bool removes,
            struct woken *woken_out)
{
    bool found;

    pthread_mutex_lock(&scheduler->lock);
    found = scheduler->count > 0;
    if (found)
        *woken_out = scheduler->woken[scheduler->first];
    if (found && removes) {
        scheduler->first = (scheduler->first + 1) % WOKEN;
        scheduler->count--;
    }
    pthread_mutex_unlock(&scheduler->lock);
    return found;
}

// Returns true if the queue has accepted all woken calls.
static bool
queue_woken(struct mica_call_scheduler *scheduler)
{
    struct woken woken;

    while (first_woken(scheduler, false, &woken)) {
        if (!queue_call(scheduler, mica_text(woken.id), MICA_OK))
            return false;
        (void)first_woken(scheduler, true, &woken);
    }
    return true;
}

static bool
has_batch(const struct mica_call_scheduler *scheduler)
{
    return scheduler->batch_at < scheduler->batch.count;
}

// Returns true if the queue has accepted the whole batch.
static bool
queue_batch(struct mica_call_scheduler *scheduler)
{
    const struct mica_store_due *batch = &scheduler->batch;

    while (has_batch(scheduler)) {
        if (!queue_call(scheduler, batch->ids[scheduler->batch_at],
                        batch->endings[scheduler->batch_at]))
            return false;
        scheduler->batch_at++;
    }
    return true;
}

// ---- The store -------------------------------------------------------------------

static bool
scheduler_failed(struct mica_call_scheduler *scheduler, enum mica_status status)
{
    if (status != MICA_OK)
        atomic_fetch_add(&scheduler->failed, 1);
    return status != MICA_OK;
}

// Forgets a claim that another process has got, or (MICA_OK) that the store has released
// now. The call may have become due before its claim was released.
static void
scheduler_remove_lease(struct mica_call_scheduler *scheduler,
                       const struct mica_lease *claim, enum mica_status status,
                       int64_t now)
{
    mica_leases_remove(scheduler->options.leases, mica_text(claim->id),
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
                                       claim.unreleased ? 0 : lease, &error);
        if (status != MICA_E_CALL_BUSY && scheduler_failed(scheduler, status))
            return; // the next cycle retries
        if (status != MICA_OK || claim.unreleased) {
            scheduler_remove_lease(scheduler, &claim, status, now);
            continue;
        }
        mica_leases_renewed(scheduler->options.leases, id, claim.fence, now);
        atomic_fetch_add(&scheduler->renewed, 1);
        // The client may have cancelled the call at another process.
        if (mica_store_call_ending(store, id, now, &error, &ending) ==
                MICA_OK &&
            ending == MICA_E_CANCELLED)
            mica_call_scheduler_cancel(scheduler, id);
    }
}

// Returns true if it is time to poll the store. Then it resets `next`: _expect sets it
// again, for calls that the poll may miss.
static bool
begin_poll(struct mica_call_scheduler *scheduler)
{
    uint64_t since_ns = mica_clock_ns() - scheduler->polled;
    bool may_poll = since_ns >= POLL_MS * 1000000ull;
    bool must_poll = since_ns >= scheduler->options.poll_ms * 1000000ull;
    bool begins;

    pthread_mutex_lock(&scheduler->lock);
    begins = scheduler->due != NULL && !scheduler->stopping && may_poll &&
             (must_poll || scheduler->next <= now_of(scheduler));
    if (begins)
        scheduler->next = INT64_MAX;
    pthread_mutex_unlock(&scheduler->lock);
    return begins;
}

// Releases the claims of processes that have died; their calls are due at once.
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

// What one poll of the store has found.
struct poll_result {
    bool accepted; // the queue has accepted every call
    bool more;     // the store has more calls that are due now
    int64_t next;  // when the next call is due
};

// Queues stranded calls: those that have expired long ago, whose build no process has.
static enum mica_status
poll_stranded(struct mica_call_scheduler *scheduler, struct mica_store *store,
              const struct mica_store_build_set *others, int64_t now,
              struct mica_error *error, struct poll_result *result)
{
    struct mica_store_due found;

    // If there are too many builds for one poll, each poll sees other ones; then every
    // poll searches.
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
    // The queue has accepted the whole batch before, so this may replace it.
    scheduler->batch = found;
    scheduler->batch_at = 0;
    result->accepted = queue_batch(scheduler);
    return MICA_OK;
}

// Reads one batch of due calls and queues it. If this fails, the next poll is due now.
static enum mica_status
poll_once(struct mica_call_scheduler *scheduler, struct mica_store *store,
          int64_t now, struct mica_error *error, struct poll_result *result_out)
{
    struct mica_store_build_set here, others;

    mica_arena_reset(&scheduler->arena);
    scheduler->batch = (struct mica_store_due){.count = 0};
    scheduler->batch_at = 0;
    *result_out = (struct poll_result){.accepted = true, .next = now};
    MICA_TRY(mica_builds_sort(scheduler->options.builds, store, now,
                              &scheduler->arena, error, &here, &others));
    MICA_TRY(mica_store_call_due_of(
        store, &here, now, BATCH, scheduler->options.lease_ms,
        &scheduler->arena, error, &scheduler->batch));
    result_out->next = scheduler->batch.next;
    result_out->more = result_out->next <= now && scheduler->batch.count > 0;
    result_out->accepted = queue_batch(scheduler);
    if (result_out->more || !result_out->accepted)
        return MICA_OK;
    return poll_stranded(scheduler, store, &others, now, error, result_out);
}

// Polls the store for due calls, if it is time. `accepted`: the queue has accepted all
// woken calls. Returns true if it has accepted the last call that was offered: the thread
// offers refused calls again before it reads more.
static bool
scheduler_poll(struct mica_call_scheduler *scheduler, struct mica_store *store,
               bool accepted)
{
    struct poll_result result;
    struct mica_error error;
    int64_t now = now_of(scheduler);
    enum mica_status status;

    if (has_batch(scheduler))
        accepted = queue_batch(scheduler);
    if (!accepted || !begin_poll(scheduler))
        return accepted;
    scheduler_reap(scheduler, store, now);
    do {
        status = poll_once(scheduler, store, now, &error, &result);
        scheduler_renew(scheduler, store); // many batches may take long
    } while (status == MICA_OK && result.accepted && result.more);
    (void)scheduler_failed(scheduler, status); // a later cycle polls again
    scheduler->polled = mica_clock_ns();
    mica_call_scheduler_expect(scheduler, result.next);
    return result.accepted;
}

static void
scheduler_sweep(struct mica_call_scheduler *scheduler, struct mica_store *store)
{
    struct mica_error error;
    size_t removed = SWEEP_ITEMS;

    if (mica_clock_ns() - scheduler->swept < SWEEP_MS * 1000000ull)
        return;
    // At most a thousand steps; the rest waits for the next minute.
    for (int i = 0; i < 1000 && removed >= SWEEP_ITEMS; i++) {
        if (scheduler_failed(scheduler,
                             mica_store_sweep(store, now_of(scheduler),
                                              SWEEP_ITEMS, &error, &removed)))
            break;
    }
    scheduler->swept = mica_clock_ns();
}

// ---- The thread ------------------------------------------------------------------

// With the lock held: milliseconds until the next cycle.
static unsigned
sleep_ms(struct mica_call_scheduler *scheduler, bool accepted)
{
    int64_t left = scheduler->options.poll_ms, wait = INT64_MAX;
    struct mica_lease unreleased;
    int64_t now = now_of(scheduler);

    if (!accepted)
        return REFUSED_MS;
    if (scheduler->due != NULL && scheduler->next != INT64_MAX)
        wait = scheduler->next > now ? scheduler->next - now : 0;
    left = wait < left ? wait : left;
    if (mica_leases_count(scheduler->options.leases) > 0 &&
        left > scheduler->options.lease_ms / 6)
        left = scheduler->options.lease_ms / 6;
    if (left > POLL_MS &&
        mica_leases_oldest(scheduler->options.leases, INT64_MIN, &unreleased))
        left = POLL_MS;
    if (left > 0)
        return (unsigned)left;
    // A call is due, but the thread polls at most once a second.
    int64_t since = (int64_t)((mica_clock_ns() - scheduler->polled) / 1000000u);
    return since < POLL_MS ? (unsigned)(POLL_MS - since) : 1;
}

// Waits until the next cycle; `accepted` as scheduler_poll returns it. Returns false when
// the scheduler closes.
static bool
wait_for_work(struct mica_call_scheduler *scheduler, bool accepted)
{
    bool continues;

    pthread_mutex_lock(&scheduler->lock);
    if (!scheduler->stopping && (scheduler->count == 0 || !accepted)) {
        struct timespec until = mica_clock_after(sleep_ms(scheduler, accepted));
        pthread_cond_timedwait(&scheduler->changed, &scheduler->lock, &until);
    }
    continues = !scheduler->stopping;
    pthread_mutex_unlock(&scheduler->lock);
    return continues;
}

static void *
scheduler_run(void *data)
{
    struct mica_call_scheduler *scheduler = data;
    bool accepted;

    do {
        struct mica_store *store =
            mica_session_store_backing(scheduler->options.session_store);
        accepted = queue_woken(scheduler);
        if (store == NULL)
            continue; // not opened yet, so it has no calls
        scheduler_renew(scheduler, store);
        accepted = scheduler_poll(scheduler, store, accepted);
        scheduler_sweep(scheduler, store);
    } while (wait_for_work(scheduler, accepted));
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
                          "cannot start the thread of the call scheduler: %s",
                          strerror(failure));
}

// ---- Called by other threads -----------------------------------------------------

void
mica_call_scheduler_on_due(struct mica_call_scheduler *scheduler,
                           mica_call_scheduler_due *due, void *data)
{
    pthread_mutex_lock(&scheduler->lock);
    scheduler->due = due;
    scheduler->data = data;
    scheduler->next = INT64_MIN; // poll at once
    pthread_cond_broadcast(&scheduler->changed);
    while (due == NULL && scheduler->is_queueing)
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
        .queued = atomic_load(&scheduler->queued),
        .renewed = atomic_load(&scheduler->renewed),
        .lost = atomic_load(&scheduler->lost),
        .failed = atomic_load(&scheduler->failed),
        .freed = atomic_load(&scheduler->freed)};
}

// ---- Open and close --------------------------------------------------------------

enum mica_status
mica_call_scheduler_open(const struct mica_call_scheduler_options *options,
                         struct mica_error *error,
                         struct mica_call_scheduler **scheduler_out)
{
    struct mica_call_scheduler *scheduler = calloc(1, sizeof *scheduler);
    pthread_condattr_t attributes;

    if (scheduler == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the call scheduler");
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
