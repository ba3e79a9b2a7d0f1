// SPDX-License-Identifier: Apache-2.0
//
// A call of a session while a worker has it: found by its id to be cancelled,
// and, when its answer is a stream, written down event by event, so that a
// client whose connection broke comes back for the rest. That a client has gone
// is no reason to stop (MCP: cancellation is a notification of its own).
#include <string.h>

#include "http/sessions/session_parts.h"
#include "platform/clock.h"
#include "serve/refuse.h"
#include "server/calls/call_store.h"
#include "server/message.h"

static const struct mica_text none = {NULL, 0};

enum {
    CLOSE_TRIES = 3,
    ASK_TRIES = 3
};

// ---- Beginning ---------------------------------------------------------------------

// With the lock held.
static void
call_join(struct mica_session_table *table, struct mica_open_session *session,
          struct mica_session_call *call)
{
    call->session = session;
    call->next = session->calls;
    session->calls = call;
    table->counts.calls++;
}

// With the lock held: a stream on which the call sends. False for want of memory.
static bool
call_open_answer(struct mica_session_table *table,
                 struct mica_open_session *session,
                 struct mica_session_call *call, struct mica_sse *sse)
{
    const struct mica_session_stream as = {.sse = sse, .call = call};

    if (mica_session_stream_add(table, session, &as,
                                MICA_SESSION_STREAM_CALL) == NULL)
        return false;
    mica_sse_hold(sse);                   // for the stream
    (void)mica_session_table_wake(table); // keeps it alive
    return true;
}

bool
mica_session_call_begin(struct mica_session_table *table,
                        struct mica_session_call *call,
                        struct mica_message *message, bool streams,
                        struct mica_sse **sse_out)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);
    struct mica_open_session *session;

    bool begun;

    *sse_out = NULL;
    *call = (struct mica_session_call){.message = message,
                                       .began_ms = mica_clock_coarse_ms()};
    call->leased_ms = call->began_ms;
    if (streams) {
        *sse_out = mica_sse_new(MICA_SESSION_STREAM_BYTES);
        if (*sse_out == NULL)
            return false;
    }
    pthread_mutex_lock(&table->lock);
    session = mica_open_session_need(table, &key);
    begun = session != NULL &&
            (!streams || call_open_answer(table, session, call, *sse_out));
    if (begun)
        call_join(table, session, call);
    else if (session != NULL)
        mica_open_session_tidy(table, session);
    pthread_mutex_unlock(&table->lock);
    if (!begun) {
        mica_sse_drop(*sse_out);
        *sse_out = NULL;
    }
    return begun;
}

// No client can come back for a stream without a number: better than none.
void
mica_session_call_open_stream(struct mica_session_table *table,
                              struct mica_session_call *call)
{
    struct mica_store *store = mica_session_store_backing(table->session_store);
    struct mica_error error;
    int64_t stream = 0;

    if (mica_store_stream_open(
            store, &call->session->key, call->message->request.id,
            mica_session_store_now(), MICA_SESSION_STREAM_LEASE_MS, &error,
            &stream) != MICA_OK)
        stream = 0;
    if (stream > 0)
        call->message->execution.max_event_bytes =
            MICA_SESSION_STREAM_BYTES / 2;
    pthread_mutex_lock(&table->lock);
    call->stream = stream;
    if (call->answer != NULL)
        call->answer->number = stream;
    // No client comes back for one that is not recorded.
    call->limit_ms = stream > 0 ? MICA_SESSION_CALL_MS : table->options.idle_ms;
    pthread_mutex_unlock(&table->lock);
}

// MCP: 2025-11-25, resumability: an id to come back with, from the start.
void
mica_session_call_prime(struct mica_session_table *table,
                        struct mica_session_call *call)
{
    if (call->stream == 0 ||
        !mica_revision_features(call->message->context.revision)->priming)
        return;
    pthread_mutex_lock(&table->lock);
    if (call->answer != NULL) // its session has not ended
        (void)mica_session_event_prime(call->answer->sse, call->stream, 0);
    pthread_mutex_unlock(&table->lock);
}

// ---- Events ------------------------------------------------------------------------

// The number of the event in the store; 0 when it is not there.
static int64_t
session_table_record(struct mica_session_table *table,
                     struct mica_session_call *call, struct mica_text data,
                     enum mica_status *status_out)
{
    int64_t sequence = 0;
    struct mica_error error;

    *status_out = MICA_OK;
    if (call->stream == 0)
        return 0;
    *status_out = mica_store_event_append(
        mica_session_store_backing(table->session_store), &call->session->key,
        call->stream, mica_session_store_now(), data, &error, &sequence);
    return *status_out == MICA_OK ? sequence : 0;
}

// One that is not in the store has none, unless it is the first that its client
// gets (L4): the id is then that of the stream's beginning.
static bool
has_id(const struct mica_session_call *call, int64_t sequence)
{
    bool begun =
        mica_revision_features(call->message->context.revision)->priming ||
        call->sent > 0;

    return call->stream > 0 && (sequence > 0 || !begun);
}

// The client of the call gets the rest from the store.
static void
call_take_answer(struct mica_session_table *table,
                 struct mica_session_call *call)
{
    struct mica_session_stream *stream = mica_session_stream_take(table, call);

    if (stream != NULL)
        mica_session_stream_poke(table, stream);
}

// Sends an event to the client. L2. When others have said something on the
// stream before it, as the process of the call seemed dead, that comes first. With
// the lock held.
static void
tell_one(struct mica_session_table *table, struct mica_session_call *call,
         int64_t sequence, struct mica_text data, bool last)
{
    char room[MICA_SESSION_EVENT_ID_SIZE];
    struct mica_session_stream *stream;
    struct mica_text id = none;

    if (has_id(call, sequence))
        id = mica_session_event_id(room, call->stream, sequence);
    if (sequence > call->sent + 1 && call->answer != NULL)
        call_take_answer(table, call);
    if (call->answer != NULL && data.len > 0)
        (void)mica_sse_send(call->answer->sse, id, data, 0);
    if (sequence > 0)
        call->sent = sequence;
    if (last && call->answer != NULL)
        mica_session_stream_end(table, call->session, call->answer);
    stream = mica_session_stream_find(call->session, call->stream);
    if (stream != NULL &&
        !mica_session_stream_tell(table, call->session, stream, sequence, data,
                                  last))
        mica_session_stream_poke(table, stream);
}

static void
session_table_tell(struct mica_session_table *table,
                   struct mica_session_call *call, int64_t sequence,
                   struct mica_text data, bool last)
{
    pthread_mutex_lock(&table->lock);
    tell_one(table, call, sequence, data, last);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_call_emit(struct mica_session_table *table,
                       struct mica_session_call *call,
                       struct mica_text notification)
{
    enum mica_status status;
    int64_t sequence = session_table_record(table, call, notification, &status);

    // What could not be recorded is left out altogether: a client that comes
    // back would miss it and never know (L2).
    if (status == MICA_OK)
        session_table_tell(table, call, sequence, notification, false);
}

// What stands for a reply that the store does not take.
static void
write_loss(const struct mica_session_call *call, enum mica_status status,
           struct mica_buffer *text)
{
    mica_refuse_write(text, call->message->request.id, MICA_REFUSE_INTERNAL,
                      status,
                      "the result could not be kept until it was fetched: %s",
                      mica_status_meaning(status));
}

// The session may have ended: then there is nothing to close. What others hold for
// too long is left: who comes back gets it all the same, from the call, or is told
// that the call is lost.
static enum mica_status
finish_patiently(struct mica_session_table *table,
                 const struct mica_session_call *call, struct mica_text data,
                 int64_t *sequence_out)
{
    enum mica_status status = MICA_E_BUSY;

    for (int i = 0; i < CLOSE_TRIES && status == MICA_E_BUSY; i++)
        status = mica_session_stream_finish(table, &call->session->key,
                                            call->stream, data, sequence_out);
    return status;
}

// The next reader of the stream is told how its call has ended (mica_session_recovery_mend).
// What is too large for it is so for ever.
static bool
is_sent_later(const struct mica_session_call *call, enum mica_status status)
{
    return status == MICA_E_BUSY ||
           (status != MICA_E_LIMIT && mica_message_kept(call->message) != NULL);
}

// The number of the last event in the store; 0 when it is not there.
static int64_t
session_table_finish(struct mica_session_table *table,
                     const struct mica_session_call *call,
                     struct mica_text reply)
{
    int64_t sequence = 0, instead;
    enum mica_status status = MICA_OK;
    char room[1024];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    if (call->stream > 0)
        status = finish_patiently(table, call, reply, &sequence);
    if (status == MICA_OK || status == MICA_E_NOT_FOUND ||
        is_sent_later(call, status))
        return sequence;
    if (call->message->request.id.len > 0)
        write_loss(call, status, &text);
    // Who listens now gets the result itself.
    (void)finish_patiently(table, call, mica_buffer_as_text(&text), &instead);
    return 0;
}

// What is said instead of a reply that is too large for the stream, which would
// end without one, or that took too long; otherwise nothing.
static void
write_instead(struct mica_session_table *table,
              const struct mica_session_call *call, struct mica_text reply,
              struct mica_buffer *text)
{
    bool late;

    pthread_mutex_lock(&table->lock);
    late = call->late;
    pthread_mutex_unlock(&table->lock);
    if (reply.len > MICA_SESSION_STREAM_BYTES / 2)
        mica_refuse_write(text, call->message->request.id, MICA_REFUSE_INTERNAL,
                          MICA_E_LIMIT,
                          "the result is larger than a stream of a session "
                          "holds; ask for less");
    else if (reply.len == 0 && late)
        mica_refuse_write(text, call->message->request.id, MICA_REFUSE_INTERNAL,
                          MICA_E_TIMEOUT,
                          "the call took longer than this server waits; ask "
                          "for less");
}

// With the lock held.
static void
call_leave_session(struct mica_session_table *table,
                   struct mica_session_call *call)
{
    struct mica_session_call **at = &call->session->calls;

    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    table->counts.calls--;
    mica_open_session_tidy(table, call->session);
}

// Its client wants no more of a call that is kept: it is ended in a turn. Behind
// call_leave_session: from there on a cancellation finds the call in the store.
static void
give_up(struct mica_session_table *table, struct mica_session_call *call)
{
    const struct mica_kept_call *kept = mica_message_kept(call->message);
    const struct mica_calls *calls = table->options.server->calls;
    struct mica_error error;
    bool given_up;

    pthread_mutex_lock(&table->lock);
    given_up = call->given_up;
    pthread_mutex_unlock(&table->lock);
    // No other thread sets it now. What fails here is found when the call is late.
    if (given_up && kept != NULL && !mica_call_has_ended(kept))
        (void)calls->cancel(calls->data, kept->id, &error);
}

// The last event is in the store, if it has a number.
static void
leave_with(struct mica_session_table *table, struct mica_session_call *call,
           int64_t sequence, struct mica_text reply)
{
    pthread_mutex_lock(&table->lock);
    tell_one(table, call, sequence, reply, true);
    call_leave_session(table, call);
    pthread_mutex_unlock(&table->lock);
    give_up(table, call);
}

void
mica_session_call_end(struct mica_session_table *table,
                      struct mica_session_call *call, struct mica_text reply)
{
    char room[1024];
    struct mica_buffer instead = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    write_instead(table, call, reply, &instead);
    if (instead.len > 0)
        reply = mica_buffer_as_text(&instead);
    leave_with(table, call, session_table_finish(table, call, reply), reply);
}

bool
mica_session_call_close_stream(struct mica_session_table *table,
                               struct mica_session_call *call)
{
    bool closes;

    pthread_mutex_lock(&table->lock);
    closes = call->stream > 0 && call->answer != NULL;
    if (closes)
        mica_session_stream_end(table, call->session, call->answer);
    pthread_mutex_unlock(&table->lock);
    return closes;
}

// ---- On the thread -------------------------------------------------------------------

// One that has not said for a while that it runs, or NULL.
static struct mica_session_call *
find_quiet(const struct mica_session_table *table, uint64_t now_ms)
{
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        const struct mica_open_session *session = table->buckets[i];
        for (; session != NULL; session = session->next) {
            struct mica_session_call *call = session->calls;
            while (call != NULL &&
                   (call->stream == 0 || now_ms - call->leased_ms <
                                             MICA_SESSION_STREAM_LEASE_MS / 3))
                call = call->next;
            if (call != NULL)
                return call;
        }
    }
    return NULL;
}

void
mica_session_calls_renew(struct mica_session_table *table)
{
    uint64_t now_ms = mica_clock_coarse_ms();
    struct mica_session_call *call;

    while (!mica_session_table_ends(table) &&
           (call = find_quiet(table, now_ms)) != NULL) {
        struct mica_store_session_key key = call->session->key;
        int64_t stream = call->stream;
        struct mica_error error;
        enum mica_status status;

        call->leased_ms = now_ms;
        pthread_mutex_unlock(&table->lock);
        status = mica_store_stream_renew(
            mica_session_store_backing(table->session_store), &key, stream,
            mica_session_store_now(), MICA_SESSION_STREAM_LEASE_MS, &error);
        (void)status; // there are two more times before the lease has run out
        pthread_mutex_lock(&table->lock);
    }
}

// ---- Calls that wait -----------------------------------------------------------------

// With the lock held: the stream stays without the call, which is kept under that
// id. With `looks` the store is asked for what came behind what the call has told:
// another turn of it may have been faster.
static void
call_hand_on(struct mica_session_table *table, struct mica_session_call *call,
             struct mica_text id, bool looks)
{
    struct mica_session_stream *stream = mica_session_stream_take(table, call);

    if (stream == NULL)
        return;
    mica_session_stream_keep(table, stream, id);
    if (looks)
        mica_session_stream_poke(table, stream);
}

// One that cannot be recorded is sent all the same: who comes back is asked again.
static void
session_table_ask(struct mica_session_table *table,
                  struct mica_session_call *call, struct mica_text question)
{
    enum mica_status status = MICA_E_BUSY;
    int64_t sequence = 0;

    for (int i = 0; i < ASK_TRIES && status == MICA_E_BUSY; i++)
        sequence = session_table_record(table, call, question, &status);
    session_table_tell(table, call, sequence, question, false);
}

// [ASK-LEGACY]
void
mica_session_call_wait(struct mica_session_table *table,
                       struct mica_session_call *call,
                       struct mica_message *message)
{
    struct mica_text question;
    size_t count = 0;

    const struct mica_turn_events *turn_events =
        mica_message_turn_events(message);

    while (turn_events == NULL &&
           (question = mica_message_question(message, count)).len > 0) {
        session_table_ask(table, call, question);
        count++;
    }
    pthread_mutex_lock(&table->lock);
    for (; turn_events != NULL && count < turn_events->count; count++)
        tell_one(table, call, turn_events->first + (int64_t)count,
                 turn_events->events[count], false);
    table->counts.asked += count;
    // Sent and handed on under one lock: no answer comes in between.
    call_hand_on(table, call, mica_message_kept(message)->id,
                 turn_events == NULL);
    call_leave_session(table, call);
    pthread_mutex_unlock(&table->lock);
    give_up(table, call);
}

bool
mica_session_call_continue(struct mica_session_table *table,
                           struct mica_session_call *call,
                           struct mica_message *message)
{
    const struct mica_kept_call *kept = mica_message_kept(message);
    struct mica_store_session_key key;
    struct mica_open_session *session;

    if (kept->session.len != sizeof key.bytes)
        return false;
    memcpy(key.bytes, kept->session.ptr, sizeof key.bytes);
    if (kept->stream > 0)
        message->execution.max_event_bytes = MICA_SESSION_STREAM_BYTES / 2;
    *call = (struct mica_session_call){.message = message,
                                       .stream = kept->stream,
                                       .began_ms = mica_clock_coarse_ms(),
                                       .limit_ms = MICA_SESSION_CALL_MS};
    pthread_mutex_lock(&table->lock);
    call->leased_ms = call->began_ms;
    session = mica_open_session_need(table, &key);
    if (session != NULL) {
        call_join(table, session, call);
        (void)mica_session_table_wake(table);
    }
    pthread_mutex_unlock(&table->lock);
    return session != NULL;
}

void
mica_session_call_leave(struct mica_session_table *table,
                        struct mica_session_call *call)
{
    pthread_mutex_lock(&table->lock);
    call_hand_on(table, call, mica_message_kept(call->message)->id, true);
    call_leave_session(table, call);
    pthread_mutex_unlock(&table->lock);
    give_up(table, call);
}

bool
mica_session_call_settle(struct mica_session_table *table,
                         struct mica_session_call *call)
{
    struct mica_message *message = call->message;
    const struct mica_kept_call *kept = mica_message_kept(message);
    const struct mica_turn_events *turn_events =
        mica_message_turn_events(message);
    struct mica_text reply = none;

    if (message->step == MICA_STEP_ASK) {
        mica_session_call_wait(table, call, message);
        return true;
    }
    if (message->step == MICA_STEP_SILENT && kept != NULL &&
        !mica_call_has_ended(kept)) {
        mica_session_call_leave(table, call);
        return true;
    }
    if (turn_events != NULL) {
        leave_with(table, call, turn_events->first, turn_events->events[0]);
        return false;
    }
    // MCP: cancellation: what was cancelled is not answered.
    if (message->step == MICA_STEP_REPLY &&
        message->execution.ending != MICA_E_CANCELLED)
        reply = mica_buffer_as_text(&message->reply.text);
    mica_session_call_end(table, call, reply);
    return false;
}
