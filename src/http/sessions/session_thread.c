// SPDX-License-Identifier: Apache-2.0
//
// The session thread: it delivers changes, serves resumed streams from the store, ends
// streams and calls that exceed their time, ends sessions that another process has
// ended, and keeps idle streams alive. And the operations of requests on a whole session:
// to open its own stream, to end it, to cancel its calls.
#include <stdlib.h>
#include <string.h>

#include "http/sessions/session_parts.h"
#include "platform/clock.h"
#include "server/message.h"

enum {
    TICK_MS = 1000,
    KEEP_ALIVE_MS = 15 * 1000,
    TOUCH_MS = 60 * 1000
};

static const struct mica_text none = {NULL, 0};

// ---- End a session, with the lock held -----------------------------------------------

static void
session_end_own(struct mica_session_table *table,
                struct mica_open_session *session)
{
    struct mica_session_stream *own = mica_session_stream_own(session);

    if (own != NULL)
        mica_session_stream_end(table, session, own);
}

// Ends all streams but those of running calls, which end with their calls.
static void
session_end_streams(struct mica_session_table *table,
                    struct mica_open_session *session)
{
    for (struct mica_session_stream *stream = session->streams, *next;
         stream != NULL; stream = next) {
        next = stream->next;
        if (stream->state != MICA_SESSION_STREAM_CALL)
            mica_session_stream_end(table, session, stream);
    }
    mica_open_session_remove_if_empty(table, session);
}

// Cancels the running calls. Their workers remove them from the session.
static void
session_cancel_calls(struct mica_session_table *table,
                     struct mica_open_session *session)
{
    for (struct mica_session_turn *turn = session->turns; turn != NULL;
         turn = turn->next) {
        if (turn->response_stream != NULL)
            mica_session_stream_end(table, session, turn->response_stream);
        atomic_store(&turn->message->execution.cancelled, true);
    }
}

// The session has ended, so its client waits for nothing of it.
static void
session_end(struct mica_session_table *table, struct mica_open_session *session)
{
    session_cancel_calls(table, session);
    session_end_streams(table, session);
}

// ---- The thread ------------------------------------------------------------------

// Cancels a call that exceeds its time limit, unless it is cancelled already.
static void
call_cancel_if_timed_out(struct mica_session_turn *turn, uint64_t now_ms)
{
    if (turn->limit_ms > 0 && now_ms - turn->began_ms > turn->limit_ms &&
        !atomic_exchange(&turn->message->execution.cancelled, true))
        turn->timed_out = true;
}

// Has the client disconnected, or can no event follow? The latter is assumed of a
// resumed stream without a stored call and without an event for MICA_SESSION_TURN_MS.
// The stream of a running call lasts as long as the call.
static bool
stream_is_dead(const struct mica_session_stream *stream, uint64_t now_ms)
{
    if (stream->state == MICA_SESSION_STREAM_CALL)
        return false;
    return !mica_sse_is_open(stream->sse) ||
           (mica_session_stream_replays(stream) && stream->call_id[0] == '\0' &&
            now_ms - stream->moved_ms > MICA_SESSION_TURN_MS);
}

// Ends dead streams, and cancels calls that exceed their time limit.
static void
session_end_overdue(struct mica_session_table *table,
                    struct mica_open_session *session)
{
    uint64_t now_ms = mica_clock_coarse_ms();

    for (struct mica_session_turn *turn = session->turns; turn != NULL;
         turn = turn->next)
        call_cancel_if_timed_out(turn, now_ms);
    for (struct mica_session_stream *stream = session->streams, *next;
         stream != NULL; stream = next) {
        next = stream->next;
        if (stream_is_dead(stream, now_ms))
            mica_session_stream_end(table, session, stream);
    }
    mica_open_session_remove_if_empty(table, session);
}

static void
session_keep_alive(struct mica_session_table *table,
                   struct mica_open_session *session)
{
    (void)table;
    for (const struct mica_session_stream *stream = session->streams;
         stream != NULL; stream = stream->next)
        mica_sse_keep_alive(stream->sse);
}

// Finds a session that is due to be touched, or NULL. `*from` is the bucket at which
// the search begins; the function advances it.
static struct mica_open_session *
session_find_stale(const struct mica_session_table *table, uint64_t now_ms,
                   size_t *from)
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

// An open stream counts as activity: tells the store that the sessions are in use. Ends
// those that another process has ended.
static void
session_table_touch_all(struct mica_session_table *table)
{
    uint64_t now_ms = mica_clock_coarse_ms();
    struct mica_open_session *session;
    size_t from = 0;

    while (!mica_session_table_ends(table) &&
           (session = session_find_stale(table, now_ms, &from)) != NULL) {
        struct mica_store_session_key key = session->key;
        bool there;
        session->touched_ms = now_ms;
        pthread_mutex_unlock(&table->lock);
        there = mica_session_store_touch(table->session_store, &key);
        pthread_mutex_lock(&table->lock);
        session = mica_open_session_find(table, &key);
        if (!there && session != NULL)
            session_end(table, session);
    }
}

void
mica_session_table_set_on_tick(struct mica_session_table *table,
                               void (*on_tick)(void *data), void *data)
{
    pthread_mutex_lock(&table->lock);
    table->on_tick = on_tick;
    table->on_tick_data = data;
    (void)mica_session_table_wake(table);
    pthread_mutex_unlock(&table->lock);
}

// Called and returns with the lock held; unlocks it for the callback.
static void
session_table_call_on_tick(struct mica_session_table *table)
{
    void (*on_tick)(void *data) = table->on_tick;
    void *data = table->on_tick_data;

    if (on_tick == NULL)
        return;
    pthread_mutex_unlock(&table->lock);
    on_tick(data);
    pthread_mutex_lock(&table->lock);
}

static void *
session_thread_main(void *data)
{
    struct mica_session_table *table = data;
    uint64_t alive_ms = mica_clock_coarse_ms(), ticked_ms = alive_ms;

    pthread_mutex_lock(&table->lock);
    while (!mica_session_table_ends(table)) {
        struct timespec until = mica_clock_after(TICK_MS);
        uint64_t now_ms;
        if (!table->poked)
            (void)pthread_cond_timedwait(&table->wake, &table->lock, &until);
        table->poked = false;
        now_ms = mica_clock_coarse_ms();
        mica_session_changes_deliver(table, now_ms - ticked_ms >= TICK_MS);
        mica_session_replay_all(table, now_ms - ticked_ms >= TICK_MS);
        if (now_ms - ticked_ms >= TICK_MS) {
            ticked_ms = now_ms;
            mica_open_session_each(table, session_end_overdue);
            session_table_touch_all(table);
            mica_session_turns_renew(table);
            session_table_call_on_tick(table);
        }
        if (now_ms - alive_ms >= KEEP_ALIVE_MS) {
            alive_ms = now_ms;
            mica_open_session_each(table, session_keep_alive);
        }
    }
    pthread_mutex_unlock(&table->lock);
    return NULL;
}

// ---- Open and close ----------------------------------------------------------------

enum mica_status
mica_session_table_open(const struct mica_session_table_options *options,
                        struct mica_error *error,
                        struct mica_session_table **table_out)
{
    struct mica_session_table *table = calloc(1, sizeof *table);
    pthread_condattr_t attributes;

    if (table == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    table->options = *options;
    table->session_store = options->session_store;
    table->thread_run = session_thread_main;
    pthread_mutex_init(&table->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&table->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    *table_out = table;
    return mica_session_changes_open(table, error);
}

// Ends the session's own stream. The session thread polls the others once more, and
// ends those that have all their events.
static void
session_drain(struct mica_session_table *table,
              struct mica_open_session *session)
{
    session_end_own(table, session);
    for (struct mica_session_stream *stream = session->streams; stream != NULL;
         stream = stream->next)
        mica_session_stream_poke(table, stream);
    mica_open_session_remove_if_empty(table, session);
}

void
mica_session_table_drain(struct mica_session_table *table)
{
    pthread_mutex_lock(&table->lock);
    table->stage = MICA_SESSION_DRAINS;
    mica_open_session_each(table, session_drain);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_end_streams_at(struct mica_session_table *table,
                                  struct mica_text endpoint,
                                  const struct mica_app_exposure *now)
{
    struct mica_registry *registry = &table->options.server->registry;

    pthread_mutex_lock(&table->lock);
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        struct mica_open_session *session = table->buckets[i], *next;
        for (; session != NULL; session = next) {
            next = session->next;
            if (session->endpoint == NULL ||
                !mica_registry_has_ended(registry, endpoint,
                                         mica_text(session->endpoint)) ||
                (now != NULL && mica_app_admits(now, &session->caller)))
                continue;
            session_end_own(table, session);
            mica_open_session_remove_if_empty(table, session);
        }
    }
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_end(struct mica_session_table *table)
{
    bool has_thread;

    pthread_mutex_lock(&table->lock);
    table->stage = MICA_SESSION_ENDS;
    has_thread = table->has_thread;
    table->has_thread = false;
    pthread_cond_signal(&table->wake);
    pthread_mutex_unlock(&table->lock);
    if (has_thread)
        pthread_join(table->thread, NULL);
    pthread_mutex_lock(&table->lock);
    mica_open_session_each(table, session_end_streams);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_cancel_all(struct mica_session_table *table)
{
    pthread_mutex_lock(&table->lock);
    mica_open_session_each(table, session_cancel_calls);
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

// ---- The session's own stream --------------------------------------------------------

// Notes at which endpoint the stream is, and who opened it. Returns false for want of
// memory.
static bool
session_set_endpoint(struct mica_open_session *session,
                     const struct mica_message *message)
{
    const struct mica_principal *principal = message->context.principal;
    char *endpoint, *scopes;

    if (message->request.endpoint.len == 0)
        return true;
    endpoint = mica_session_text_copy(message->request.endpoint);
    scopes =
        mica_session_text_copy(principal != NULL ? principal->scopes : none);
    if (endpoint == NULL || scopes == NULL) {
        free(endpoint);
        free(scopes);
        return false;
    }
    free(session->endpoint);
    free((char *)(uintptr_t)session->caller.scopes.ptr);
    session->endpoint = endpoint;
    session->caller = (struct mica_app_caller){
        .has_token = mica_principal_is_known(principal),
        .scopes = mica_text(scopes)};
    return true;
}

// Opens the session's own stream. With the lock held. NULL: *status_out is the error.
static struct mica_sse *
session_open_own(struct mica_session_table *table,
                 const struct mica_store_session_key *key,
                 const struct mica_message *message,
                 enum mica_status *status_out)
{
    struct mica_open_session *session = NULL;
    struct mica_session_stream *own;
    struct mica_sse *sse;

    *status_out = MICA_E_LIMIT;
    if (table->stage == MICA_SESSION_SERVES)
        session = mica_open_session_obtain(table, key);
    if (session == NULL || !mica_session_table_wake(table))
        return NULL;
    own = mica_session_stream_own(session);
    if (own != NULL && mica_sse_is_open(own->sse)) {
        *status_out = MICA_E_EXISTS;
        return NULL;
    }
    session_end_own(table, session); // its client has disconnected
    if (!session_set_endpoint(session, message)) {
        mica_open_session_remove_if_empty(table, session);
        return NULL;
    }
    sse = mica_sse_new(MICA_SESSION_STREAM_BYTES);
    if (sse != NULL &&
        mica_session_stream_add(table, session,
                                &(struct mica_session_stream){.sse = sse},
                                MICA_SESSION_STREAM_CHANGES) != NULL) {
        mica_sse_hold(sse); // for the caller
    } else {
        mica_sse_drop(sse);
        sse = NULL;
    }
    mica_open_session_remove_if_empty(table, session);
    return sse;
}

struct mica_sse *
mica_session_table_stream(struct mica_session_table *table,
                          struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);
    struct mica_sse *sse;
    enum mica_status status;

    // From here on the session is in use, so no other session displaces it (party.c).
    (void)mica_session_store_touch(table->session_store, &key);
    if (message->request.resumes)
        return mica_session_replay_open(table, message);
    mica_session_changes_open_feed(table); // before the client relies on it
    pthread_mutex_lock(&table->lock);
    sse = session_open_own(table, &key, message, &status);
    pthread_mutex_unlock(&table->lock);
    if (sse == NULL && status == MICA_E_EXISTS)
        mica_reply_error(message, 409, MICA_RPC_REQUEST, status, none,
                         "The session has a stream already; a message goes to "
                         "one stream, so there is no second");
    else if (sse == NULL)
        mica_reply_error(message, 503, MICA_RPC_INTERNAL, status, none,
                         "No room for one more stream; try again later");
    return sse;
}

// ---- End and cancel -----------------------------------------------------------------

void
mica_session_table_end_session(struct mica_session_table *table,
                               const struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);
    struct mica_open_session *session;

    pthread_mutex_lock(&table->lock);
    session = mica_open_session_find(table, &key);
    if (session != NULL)
        session_end(table, session);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_cancel(struct mica_session_table *table,
                          const struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);
    struct mica_text id;
    struct mica_open_session *session;

    pthread_mutex_lock(&table->lock);
    session = mica_open_session_find(table, &key);
    for (size_t i = 0; session != NULL; i++) {
        id = mica_message_cancels(message, i);
        if (id.len == 0)
            break;
        for (struct mica_session_turn *turn = session->turns; turn != NULL;
             turn = turn->next) {
            if (mica_message_cancel(turn->message, id))
                turn->cancelled_by_client = true;
        }
    }
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_table_cancel_waiting(struct mica_session_table *table,
                                  const struct mica_message *message)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);
    struct mica_text id;

    for (size_t i = 0; (id = mica_message_cancels(message, i)).len > 0; i++)
        mica_session_recovery_cancel(table, &key, id);
}
