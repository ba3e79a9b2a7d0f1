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
static struct mica_open_session **
bucket(struct mica_session_table *table,
       const struct mica_store_session_key *key)
{
    return &table->buckets[(key->bytes[0] | key->bytes[1] << 8) %
                           MICA_SESSION_BUCKETS];
}

struct mica_open_session *
mica_open_session_find(struct mica_session_table *table,
                       const struct mica_store_session_key *key)
{
    struct mica_open_session *session = *bucket(table, key);

    while (session != NULL && memcmp(&session->key, key, sizeof *key) != 0)
        session = session->next;
    return session;
}

struct mica_open_session *
mica_open_session_need(struct mica_session_table *table,
                       const struct mica_store_session_key *key)
{
    struct mica_open_session *session = mica_open_session_find(table, key);

    if (session != NULL || table->ending)
        return table->ending ? NULL : session;
    session = calloc(1, sizeof *session);
    if (session == NULL)
        return NULL;
    session->key = *key;
    session->touched_ms = mica_time_coarse_ms();
    session->next = *bucket(table, key);
    *bucket(table, key) = session;
    return session;
}

void
mica_open_session_tidy(struct mica_session_table *table,
                       struct mica_open_session *session)
{
    struct mica_open_session **at = bucket(table, &session->key);

    if (session->own != NULL || session->calls != NULL ||
        session->resumed != NULL)
        return;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    free(session);
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
end_own(struct mica_session_table *table, struct mica_open_session *session)
{
    if (session->own == NULL)
        return;
    mica_stream_end(&session->own);
    table->counts.streams--;
}

static void
end_streams(struct mica_session_table *table, struct mica_open_session *session)
{
    end_own(table, session);
    while (session->resumed != NULL)
        mica_resumed_end(table, session, session->resumed);
    mica_open_session_tidy(table, session);
}

// The runs are taken out by their workers.
static void
cancel_runs(struct mica_session_table *table, struct mica_open_session *session)
{
    (void)table;
    for (struct mica_session_call *call = session->calls; call != NULL;
         call = call->next) {
        mica_stream_end(&call->sse);
        atomic_store(&call->message->cancelled, true);
    }
}

// Nobody waits for anything of it any more.
static void
end_live(struct mica_session_table *table, struct mica_open_session *session)
{
    cancel_runs(table, session);
    end_streams(table, session);
}

// Calls `look` for each session; it may end it.
static void
each_live(struct mica_session_table *table,
          void (*look)(struct mica_session_table *, struct mica_open_session *))
{
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        for (struct mica_open_session *session = table->buckets[i], *next;
             session != NULL; session = next) {
            next = session->next;
            look(table, session);
        }
    }
}

// ---- The thread ------------------------------------------------------------------

// A call past its time. One that its client has cancelled is no longer late.
static void
judge(struct mica_session_call *call, uint64_t now_ms)
{
    if (call->limit_ms > 0 && now_ms - call->began_ms > call->limit_ms &&
        !atomic_exchange(&call->message->cancelled, true))
        call->late = true;
}

// Lets go of streams that nobody reads any more, of those that nothing will come
// on (the process that served them is gone), and of calls without an end.
static void
reap(struct mica_session_table *table, struct mica_open_session *session)
{
    uint64_t now_ms = mica_time_coarse_ms();

    for (struct mica_session_call *call = session->calls; call != NULL;
         call = call->next)
        judge(call, now_ms);
    if (session->own != NULL && !mica_sse_is_open(session->own))
        end_own(table, session);
    for (struct mica_resumed *resumed = session->resumed, *next;
         resumed != NULL; resumed = next) {
        next = resumed->next;
        if (!mica_sse_is_open(resumed->sse) ||
            (!resumed->holds &&
             now_ms - resumed->moved_ms > MICA_SESSION_CALL_MS))
            mica_resumed_end(table, session, resumed);
    }
    mica_open_session_tidy(table, session);
}

static void
keep_alive(struct mica_session_table *table, struct mica_open_session *session)
{
    (void)table;
    if (session->own != NULL)
        mica_sse_keep_alive(session->own);
    for (struct mica_resumed *r = session->resumed; r != NULL; r = r->next)
        mica_sse_keep_alive(r->sse);
    for (struct mica_session_call *call = session->calls; call != NULL;
         call = call->next) {
        if (call->sse != NULL)
            mica_sse_keep_alive(call->sse);
    }
}

// One that was not touched for a while, or NULL. The bucket to go on from is the
// caller's.
static struct mica_open_session *
stale(const struct mica_session_table *table, uint64_t now_ms, size_t *from)
{
    for (; *from < MICA_SESSION_BUCKETS; ++*from) {
        struct mica_open_session *session = table->buckets[*from];
        for (; session != NULL; session = session->next) {
            if (now_ms - session->touched_ms >= TOUCH_MS)
                return session;
        }
    }
    return NULL;
}

// Who listens is not idle; and a session may have ended in another process.
static void
touch_all(struct mica_session_table *table)
{
    uint64_t now_ms = mica_time_coarse_ms();
    struct mica_open_session *session;
    size_t from = 0;

    while (!table->ending && (session = stale(table, now_ms, &from)) != NULL) {
        struct mica_store_session_key key = session->key;
        bool there;
        session->touched_ms = now_ms;
        pthread_mutex_unlock(&table->lock);
        there = mica_keeper_touch(table->keeper, &key);
        pthread_mutex_lock(&table->lock);
        session = mica_open_session_find(table, &key);
        if (!there && session != NULL)
            end_live(table, session);
    }
}

void
mica_session_table_attend(struct mica_session_table *table,
                          void (*look)(void *data), void *data)
{
    pthread_mutex_lock(&table->lock);
    table->look = look;
    table->look_data = data;
    (void)mica_session_table_wake(table);
    pthread_mutex_unlock(&table->lock);
}

// With the lock held on both ends.
static void
look_elsewhere(struct mica_session_table *table)
{
    void (*look)(void *data) = table->look;
    void *data = table->look_data;

    if (look == NULL)
        return;
    pthread_mutex_unlock(&table->lock);
    look(data);
    pthread_mutex_lock(&table->lock);
}

static void *
look_after(void *data)
{
    struct mica_session_table *table = data;
    uint64_t kept_ms = mica_time_coarse_ms(), ticked_ms = kept_ms;

    pthread_mutex_lock(&table->lock);
    while (!table->ending) {
        struct timespec until = mica_time_after(TICK_MS);
        uint64_t now_ms;
        if (!table->poked)
            (void)pthread_cond_timedwait(&table->wake, &table->lock, &until);
        table->poked = false;
        now_ms = mica_time_coarse_ms();
        mica_session_changes_tell(table, now_ms - ticked_ms >= TICK_MS);
        mica_session_replay_all(table, now_ms - ticked_ms >= TICK_MS);
        if (now_ms - ticked_ms >= TICK_MS) {
            ticked_ms = now_ms;
            each_live(table, reap);
            touch_all(table);
            mica_session_calls_renew(table);
            look_elsewhere(table);
        }
        if (now_ms - kept_ms >= KEEP_ALIVE_MS) {
            kept_ms = now_ms;
            each_live(table, keep_alive);
        }
    }
    pthread_mutex_unlock(&table->lock);
    return NULL;
}

static void
start_thread(struct mica_session_table *table)
{
    sigset_t before;

    mica_stop_block(&before);
    table->has_thread =
        pthread_create(&table->thread, NULL, look_after, table) == 0;
    mica_stop_unblock(&before);
}

bool
mica_session_table_wake(struct mica_session_table *table)
{
    if (!table->has_thread && !table->ending)
        start_thread(table);
    table->poked = true;
    pthread_cond_signal(&table->wake);
    return table->has_thread;
}

// ---- Opening and closing -----------------------------------------------------------

enum mica_status
mica_session_table_open(struct mica_http *http, struct mica_keeper *keeper,
                        struct mica_error *error,
                        struct mica_session_table **table_out)
{
    struct mica_session_table *table = calloc(1, sizeof *table);
    pthread_condattr_t attributes;

    if (table == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    table->http = http;
    table->keeper = keeper;
    pthread_mutex_init(&table->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&table->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    *table_out = table;
    return mica_session_changes_open(table, error);
}

// Those that were resumed are looked at once more: the thread knows which of
// them still wait for something.
static void
begin_drain(struct mica_session_table *table, struct mica_open_session *session)
{
    end_own(table, session);
    for (struct mica_resumed *r = session->resumed; r != NULL; r = r->next)
        r->poked = true;
    mica_open_session_tidy(table, session);
}

void
mica_session_table_drain(struct mica_session_table *table)
{
    pthread_mutex_lock(&table->lock);
    table->draining = true;
    each_live(table, begin_drain);
    if (table->counts.resumed > 0)
        (void)mica_session_table_wake(table);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_end(struct mica_session_table *table)
{
    bool has_thread;

    pthread_mutex_lock(&table->lock);
    table->ending = true;
    has_thread = table->has_thread;
    table->has_thread = false;
    pthread_cond_signal(&table->wake);
    pthread_mutex_unlock(&table->lock);
    if (has_thread)
        pthread_join(table->thread, NULL);
    pthread_mutex_lock(&table->lock);
    each_live(table, end_streams);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_cancel_all(struct mica_session_table *table)
{
    pthread_mutex_lock(&table->lock);
    each_live(table, cancel_runs);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_close(struct mica_session_table **table)
{
    if (*table == NULL)
        return;
    mica_session_table_end(*table);
    mica_session_changes_close(*table);
    pthread_cond_destroy(&(*table)->wake);
    pthread_mutex_destroy(&(*table)->lock);
    free(*table);
    *table = NULL;
}

struct mica_session_table_counts
mica_session_table_counts(struct mica_session_table *table)
{
    struct mica_session_table_counts counts;

    pthread_mutex_lock(&table->lock);
    counts = table->counts;
    pthread_mutex_unlock(&table->lock);
    return counts;
}

// ---- A stream of its own -------------------------------------------------------------

// With the lock held. NULL: *why says what the client may read.
static struct mica_sse *
open_own(struct mica_session_table *table,
         const struct mica_store_session_key *key, enum mica_status *why)
{
    struct mica_open_session *session =
        table->draining ? NULL : mica_open_session_need(table, key);
    struct mica_sse *sse = NULL;

    *why = MICA_E_LIMIT;
    if (session == NULL || !mica_session_table_wake(table))
        return NULL;
    if (session->own != NULL && !mica_sse_is_open(session->own))
        end_own(table, session); // it has gone, and nobody has looked yet
    if (session->own != NULL) {
        *why = MICA_E_EXISTS;
        return NULL;
    }
    sse = mica_sse_new(MICA_SESSION_STREAM_BYTES);
    if (sse != NULL) {
        session->own = sse;
        mica_sse_hold(sse);
        table->counts.streams++;
    }
    mica_open_session_tidy(table, session);
    return sse;
}

struct mica_sse *
mica_session_table_stream(struct mica_session_table *table,
                          struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_sse *sse;
    enum mica_status why;

    // From here on the session does not make room for another (parties.c).
    (void)mica_keeper_touch(table->keeper, &key);
    if (message->resumes)
        return mica_session_replay_open(table, message);
    mica_session_changes_join(table); // before the client relies on it
    pthread_mutex_lock(&table->lock);
    sse = open_own(table, &key, &why);
    pthread_mutex_unlock(&table->lock);
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
mica_session_table_forget(struct mica_session_table *table,
                          const struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_open_session *session;

    pthread_mutex_lock(&table->lock);
    session = mica_open_session_find(table, &key);
    if (session != NULL)
        end_live(table, session);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_cancel(struct mica_session_table *table,
                          const struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_text id;
    struct mica_open_session *session;

    pthread_mutex_lock(&table->lock);
    session = mica_open_session_find(table, &key);
    for (size_t i = 0; session != NULL; i++) {
        id = mica_message_cancels(message, i);
        if (id.len == 0)
            break;
        for (struct mica_session_call *call = session->calls; call != NULL;
             call = call->next) {
            if (mica_message_cancel(call->message, id))
                call->given_up = true;
        }
    }
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_cancel_waiting(struct mica_session_table *table,
                                  const struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_text id;

    for (size_t i = 0; (id = mica_message_cancels(message, i)).len > 0; i++)
        mica_session_recovery_cancel(table, &key, id);
}
