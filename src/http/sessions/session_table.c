// SPDX-License-Identifier: Apache-2.0
//
// The sessions that have something open, by their keys; the stream that each may
// have of its own; and the thread that looks after all streams: it keeps idle
// ones from being closed on the way, and ends those whose session has ended
// somewhere else.
#include "http/sessions/session_table.h"

#include <stdlib.h>
#include <string.h>

#include "http/sessions/session_parts.h"
#include "serve/stop.h"
#include "serve/time.h"
#include "server/message.h"

enum {
    TICK_MS = 1000,
    KEEP_ALIVE_MS = 15 * 1000,
    TOUCH_MS = 60 * 1000
};

static const struct mica_text none = {NULL, 0};

// ---- The table, with the lock held -----------------------------------------------

// Keys are hashes: any bytes of them are a hash.
static struct mica_live **
bucket(struct mica_legacy *legacy, const struct mica_store_session_key *key)
{
    return &legacy->buckets[(key->bytes[0] | key->bytes[1] << 8) %
                            MICA_LEGACY_BUCKETS];
}

struct mica_live *
mica_live_find(struct mica_legacy *legacy,
               const struct mica_store_session_key *key)
{
    struct mica_live *live = *bucket(legacy, key);

    while (live != NULL && memcmp(&live->key, key, sizeof *key) != 0)
        live = live->next;
    return live;
}

struct mica_live *
mica_live_need(struct mica_legacy *legacy,
               const struct mica_store_session_key *key)
{
    struct mica_live *live = mica_live_find(legacy, key);

    if (live != NULL || legacy->ending)
        return legacy->ending ? NULL : live;
    live = calloc(1, sizeof *live);
    if (live == NULL)
        return NULL;
    live->key = *key;
    live->touched_ms = mica_time_coarse_ms();
    live->next = *bucket(legacy, key);
    *bucket(legacy, key) = live;
    return live;
}

void
mica_live_tidy(struct mica_legacy *legacy, struct mica_live *live)
{
    struct mica_live **at = bucket(legacy, &live->key);

    if (live->own != NULL || live->runs != NULL || live->resumed != NULL)
        return;
    while (*at != live)
        at = &(*at)->next;
    *at = live->next;
    free(live);
}

void
mica_stream_end(struct mica_sse **sse)
{
    if (*sse == NULL)
        return;
    mica_sse_end(*sse);
    mica_sse_drop(*sse);
    *sse = NULL;
}

static void
end_own(struct mica_legacy *legacy, struct mica_live *live)
{
    if (live->own == NULL)
        return;
    mica_stream_end(&live->own);
    legacy->counts.streams--;
}

static void
end_streams(struct mica_legacy *legacy, struct mica_live *live)
{
    end_own(legacy, live);
    while (live->resumed != NULL)
        mica_resumed_end(legacy, live, live->resumed);
    mica_live_tidy(legacy, live);
}

// The runs are taken out by their workers.
static void
cancel_runs(struct mica_legacy *legacy, struct mica_live *live)
{
    (void)legacy;
    for (struct mica_run *run = live->runs; run != NULL; run = run->next) {
        mica_stream_end(&run->sse);
        atomic_store(&run->message->cancelled, true);
    }
}

// Nobody waits for anything of it any more.
static void
end_live(struct mica_legacy *legacy, struct mica_live *live)
{
    cancel_runs(legacy, live);
    end_streams(legacy, live);
}

// Calls `look` for each session; it may end it.
static void
each_live(struct mica_legacy *legacy,
          void (*look)(struct mica_legacy *, struct mica_live *))
{
    for (size_t i = 0; i < MICA_LEGACY_BUCKETS; i++) {
        for (struct mica_live *live = legacy->buckets[i], *next; live != NULL;
             live = next) {
            next = live->next;
            look(legacy, live);
        }
    }
}

// ---- The thread ------------------------------------------------------------------

// A call past its time. One that its client has cancelled is no longer late.
static void
judge(struct mica_run *run, uint64_t now_ms)
{
    if (run->limit_ms > 0 && now_ms - run->began_ms > run->limit_ms &&
        !atomic_exchange(&run->message->cancelled, true))
        run->late = true;
}

// Lets go of streams that nobody reads any more, of those that nothing will come
// on (the process that served them is gone), and of calls without an end.
static void
reap(struct mica_legacy *legacy, struct mica_live *live)
{
    uint64_t now_ms = mica_time_coarse_ms();

    for (struct mica_run *run = live->runs; run != NULL; run = run->next)
        judge(run, now_ms);
    if (live->own != NULL && !mica_sse_is_open(live->own))
        end_own(legacy, live);
    for (struct mica_resumed *resumed = live->resumed, *next; resumed != NULL;
         resumed = next) {
        next = resumed->next;
        if (!mica_sse_is_open(resumed->sse) ||
            (!resumed->holds && now_ms - resumed->moved_ms > MICA_RUN_MS))
            mica_resumed_end(legacy, live, resumed);
    }
    mica_live_tidy(legacy, live);
}

static void
keep_alive(struct mica_legacy *legacy, struct mica_live *live)
{
    (void)legacy;
    if (live->own != NULL)
        mica_sse_keep_alive(live->own);
    for (struct mica_resumed *r = live->resumed; r != NULL; r = r->next)
        mica_sse_keep_alive(r->sse);
    for (struct mica_run *run = live->runs; run != NULL; run = run->next) {
        if (run->sse != NULL)
            mica_sse_keep_alive(run->sse);
    }
}

// One that was not touched for a while, or NULL. The bucket to go on from is the
// caller's.
static struct mica_live *
stale(const struct mica_legacy *legacy, uint64_t now_ms, size_t *from)
{
    for (; *from < MICA_LEGACY_BUCKETS; ++*from) {
        struct mica_live *live = legacy->buckets[*from];
        for (; live != NULL; live = live->next) {
            if (now_ms - live->touched_ms >= TOUCH_MS)
                return live;
        }
    }
    return NULL;
}

// Who listens is not idle; and a session may have ended in another process.
static void
touch_all(struct mica_legacy *legacy)
{
    uint64_t now_ms = mica_time_coarse_ms();
    struct mica_live *live;
    size_t from = 0;

    while (!legacy->ending && (live = stale(legacy, now_ms, &from)) != NULL) {
        struct mica_store_session_key key = live->key;
        bool there;
        live->touched_ms = now_ms;
        pthread_mutex_unlock(&legacy->lock);
        there = mica_keeper_touch(legacy->keeper, &key);
        pthread_mutex_lock(&legacy->lock);
        live = mica_live_find(legacy, &key);
        if (!there && live != NULL)
            end_live(legacy, live);
    }
}

void
mica_legacy_attend(struct mica_legacy *legacy, void (*look)(void *data),
                   void *data)
{
    pthread_mutex_lock(&legacy->lock);
    legacy->look = look;
    legacy->look_data = data;
    (void)mica_legacy_wake(legacy);
    pthread_mutex_unlock(&legacy->lock);
}

// With the lock held on both ends.
static void
look_elsewhere(struct mica_legacy *legacy)
{
    void (*look)(void *data) = legacy->look;
    void *data = legacy->look_data;

    if (look == NULL)
        return;
    pthread_mutex_unlock(&legacy->lock);
    look(data);
    pthread_mutex_lock(&legacy->lock);
}

static void *
look_after(void *data)
{
    struct mica_legacy *legacy = data;
    uint64_t kept_ms = mica_time_coarse_ms(), ticked_ms = kept_ms;

    pthread_mutex_lock(&legacy->lock);
    while (!legacy->ending) {
        struct timespec until = mica_time_after(TICK_MS);
        uint64_t now_ms;
        if (!legacy->poked)
            (void)pthread_cond_timedwait(&legacy->wake, &legacy->lock, &until);
        legacy->poked = false;
        now_ms = mica_time_coarse_ms();
        mica_legacy_news(legacy, now_ms - ticked_ms >= TICK_MS);
        mica_legacy_replay(legacy, now_ms - ticked_ms >= TICK_MS);
        if (now_ms - ticked_ms >= TICK_MS) {
            ticked_ms = now_ms;
            each_live(legacy, reap);
            touch_all(legacy);
            mica_runs_renew(legacy);
            look_elsewhere(legacy);
        }
        if (now_ms - kept_ms >= KEEP_ALIVE_MS) {
            kept_ms = now_ms;
            each_live(legacy, keep_alive);
        }
    }
    pthread_mutex_unlock(&legacy->lock);
    return NULL;
}

static void
start_thread(struct mica_legacy *legacy)
{
    sigset_t before;

    mica_stop_block(&before);
    legacy->has_thread =
        pthread_create(&legacy->thread, NULL, look_after, legacy) == 0;
    mica_stop_unblock(&before);
}

bool
mica_legacy_wake(struct mica_legacy *legacy)
{
    if (!legacy->has_thread && !legacy->ending)
        start_thread(legacy);
    legacy->poked = true;
    pthread_cond_signal(&legacy->wake);
    return legacy->has_thread;
}

// ---- Opening and closing -----------------------------------------------------------

enum mica_status
mica_legacy_open(struct mica_http *http, struct mica_keeper *keeper,
                 struct mica_error *error, struct mica_legacy **legacy_out)
{
    struct mica_legacy *legacy = calloc(1, sizeof *legacy);
    pthread_condattr_t attributes;

    if (legacy == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    legacy->http = http;
    legacy->keeper = keeper;
    pthread_mutex_init(&legacy->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&legacy->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    *legacy_out = legacy;
    return mica_legacy_listen(legacy, error);
}

// Those that were resumed are looked at once more: the thread knows which of
// them still wait for something.
static void
begin_drain(struct mica_legacy *legacy, struct mica_live *live)
{
    end_own(legacy, live);
    for (struct mica_resumed *r = live->resumed; r != NULL; r = r->next)
        r->poked = true;
    mica_live_tidy(legacy, live);
}

void
mica_legacy_drain(struct mica_legacy *legacy)
{
    pthread_mutex_lock(&legacy->lock);
    legacy->draining = true;
    each_live(legacy, begin_drain);
    if (legacy->counts.resumed > 0)
        (void)mica_legacy_wake(legacy);
    pthread_mutex_unlock(&legacy->lock);
}

void
mica_legacy_end(struct mica_legacy *legacy)
{
    bool has_thread;

    pthread_mutex_lock(&legacy->lock);
    legacy->ending = true;
    has_thread = legacy->has_thread;
    legacy->has_thread = false;
    pthread_cond_signal(&legacy->wake);
    pthread_mutex_unlock(&legacy->lock);
    if (has_thread)
        pthread_join(legacy->thread, NULL);
    pthread_mutex_lock(&legacy->lock);
    each_live(legacy, end_streams);
    pthread_mutex_unlock(&legacy->lock);
}

void
mica_legacy_cancel_all(struct mica_legacy *legacy)
{
    pthread_mutex_lock(&legacy->lock);
    each_live(legacy, cancel_runs);
    pthread_mutex_unlock(&legacy->lock);
}

void
mica_legacy_close(struct mica_legacy **legacy)
{
    if (*legacy == NULL)
        return;
    mica_legacy_end(*legacy);
    mica_legacy_deafen(*legacy);
    pthread_cond_destroy(&(*legacy)->wake);
    pthread_mutex_destroy(&(*legacy)->lock);
    free(*legacy);
    *legacy = NULL;
}

struct mica_legacy_counts
mica_legacy_counts(struct mica_legacy *legacy)
{
    struct mica_legacy_counts counts;

    pthread_mutex_lock(&legacy->lock);
    counts = legacy->counts;
    pthread_mutex_unlock(&legacy->lock);
    return counts;
}

// ---- A stream of its own -------------------------------------------------------------

// With the lock held. NULL: *why says what the client may read.
static struct mica_sse *
open_own(struct mica_legacy *legacy, const struct mica_store_session_key *key,
         enum mica_status *why)
{
    struct mica_live *live =
        legacy->draining ? NULL : mica_live_need(legacy, key);
    struct mica_sse *sse = NULL;

    *why = MICA_E_LIMIT;
    if (live == NULL || !mica_legacy_wake(legacy))
        return NULL;
    if (live->own != NULL && !mica_sse_is_open(live->own))
        end_own(legacy, live); // it has gone, and nobody has looked yet
    if (live->own != NULL) {
        *why = MICA_E_EXISTS;
        return NULL;
    }
    sse = mica_sse_new(MICA_STREAM_BYTES);
    if (sse != NULL) {
        live->own = sse;
        mica_sse_hold(sse);
        legacy->counts.streams++;
    }
    mica_live_tidy(legacy, live);
    return sse;
}

struct mica_sse *
mica_legacy_stream(struct mica_legacy *legacy, struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_sse *sse;
    enum mica_status why;

    // From here on the session does not make room for another (parties.c).
    (void)mica_keeper_touch(legacy->keeper, &key);
    if (message->resumes)
        return mica_legacy_resume(legacy, message);
    mica_feed_join(legacy); // before the client relies on it
    pthread_mutex_lock(&legacy->lock);
    sse = open_own(legacy, &key, &why);
    pthread_mutex_unlock(&legacy->lock);
    if (sse == NULL && why == MICA_E_EXISTS)
        mica_reply_error(message, 409, MICA_RPC_REQUEST, why, none,
                         "The session has a stream already; a message goes to "
                         "one stream, so there is no second");
    else if (sse == NULL)
        mica_reply_error(message, 503, MICA_RPC_INTERNAL, why, none,
                         "No room for one more stream; try again later");
    return sse;
}

// ---- What other requests do to it ---------------------------------------------------

void
mica_legacy_ended(struct mica_legacy *legacy,
                  const struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_live *live;

    pthread_mutex_lock(&legacy->lock);
    live = mica_live_find(legacy, &key);
    if (live != NULL)
        end_live(legacy, live);
    pthread_mutex_unlock(&legacy->lock);
}

void
mica_legacy_cancel(struct mica_legacy *legacy,
                   const struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_text id;
    struct mica_live *live;

    pthread_mutex_lock(&legacy->lock);
    live = mica_live_find(legacy, &key);
    for (size_t i = 0; live != NULL; i++) {
        id = mica_message_cancels(message, i);
        if (id.len == 0)
            break;
        for (struct mica_run *run = live->runs; run != NULL; run = run->next) {
            if (mica_message_cancel(run->message, id))
                run->given_up = true;
        }
    }
    pthread_mutex_unlock(&legacy->lock);
}

void
mica_legacy_cancel_waiting(struct mica_legacy *legacy,
                           const struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_text id;

    for (size_t i = 0; (id = mica_message_cancels(message, i)).len > 0; i++)
        mica_waiting_cancel(legacy, &key, id);
}
