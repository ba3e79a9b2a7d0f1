// SPDX-License-Identifier: Apache-2.0
//
// Calls of sessions that run on a worker of this process. If the response is a stream,
// each event is appended to the store before it is sent, where the store takes it, so
// that a client whose connection broke can resume the stream. A broken connection cancels nothing: in MCP
// a cancellation is a notification of its own.
#include <string.h>

#include "http/sessions/session_parts.h"
#include "platform/clock.h"
#include "serve/refuse.h"
#include "server/calls/calls_interface.h"
#include "server/message.h"

static const struct mica_text none = {NULL, 0};

enum {
    END_TRIES = 3,     // of a stream, while the store is busy
    QUESTION_TRIES = 3 // likewise
};

// ---- Begin -------------------------------------------------------------------------

// Adds the call to its session. With the lock held.
static void
turn_join(struct mica_session_table *table, struct mica_open_session *session,
          struct mica_session_turn *turn)
{
    turn->session = session;
    turn->next = session->turns;
    session->turns = turn;
    table->counts.calls++;
}

// Adds the stream on which the call sends. With the lock held. Returns false for want
// of memory.
static bool
turn_open_response(struct mica_session_table *table,
                   struct mica_open_session *session,
                   struct mica_session_turn *turn, struct mica_sse *sse)
{
    const struct mica_session_stream as = {.sse = sse, .turn = turn};

    if (mica_session_stream_add(table, session, &as,
                                MICA_SESSION_STREAM_CALL) == NULL)
        return false;
    mica_sse_hold(sse);                   // for the stream
    (void)mica_session_table_wake(table); // the thread keeps it alive
    return true;
}

bool
mica_session_turn_begin(struct mica_session_table *table,
                        struct mica_session_turn *turn,
                        struct mica_message *message, bool streams,
                        struct mica_sse **sse_out)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);
    struct mica_open_session *session;
    bool begun;

    *sse_out = NULL;
    *turn = (struct mica_session_turn){.message = message,
                                       .began_ms = mica_clock_coarse_ms()};
    turn->leased_ms = turn->began_ms;
    if (streams) {
        *sse_out = mica_sse_new(MICA_SESSION_STREAM_BYTES);
        if (*sse_out == NULL)
            return false;
    }
    pthread_mutex_lock(&table->lock);
    session = mica_open_session_obtain(table, &key);
    begun = session != NULL &&
            (!streams || turn_open_response(table, session, turn, *sse_out));
    if (begun)
        turn_join(table, session, turn);
    else if (session != NULL)
        mica_open_session_remove_if_empty(table, session);
    pthread_mutex_unlock(&table->lock);
    if (!begun) {
        mica_sse_drop(*sse_out);
        *sse_out = NULL;
    }
    return begun;
}

// If the store refuses the stream, the stream is not resumable. session_request.c then
// refuses a call that may ask, and runs every other call.
void
mica_session_turn_open_stream(struct mica_session_table *table,
                              struct mica_session_turn *turn)
{
    struct mica_store *store = mica_session_store_backing(table->session_store);
    struct mica_error error;
    int64_t stream = 0;

    if (mica_store_stream_open(
            store, &turn->session->key, turn->message->request.id,
            mica_session_store_now(), MICA_SESSION_STREAM_LEASE_MS, &error,
            &stream) != MICA_OK)
        stream = 0;
    if (stream > 0)
        turn->message->execution.max_event_bytes =
            MICA_SESSION_STREAM_BYTES / 2;
    pthread_mutex_lock(&table->lock);
    turn->stream = stream;
    if (turn->response_stream != NULL)
        turn->response_stream->number = stream;
    turn->limit_ms = stream > 0 ? MICA_SESSION_TURN_MS : table->options.idle_ms;
    pthread_mutex_unlock(&table->lock);
}

// MCP 2025-11-25, resumability: the client can resume from the start.
void
mica_session_turn_send_priming_event(struct mica_session_table *table,
                                     struct mica_session_turn *turn)
{
    if (turn->stream == 0 ||
        !mica_revision_features(turn->message->context.revision)->priming)
        return;
    pthread_mutex_lock(&table->lock);
    if (turn->response_stream != NULL) // its session has not ended
        (void)mica_session_event_send_priming(turn->response_stream->sse,
                                              turn->stream, 0);
    pthread_mutex_unlock(&table->lock);
}

// ---- Events ------------------------------------------------------------------------

// Appends the event to the stream in the store. Returns its sequence; 0 if it is not
// there: the store failed, or the stream is not resumable.
static int64_t
turn_append_event(struct mica_session_table *table,
                  struct mica_session_turn *turn, struct mica_text data,
                  enum mica_status *status_out)
{
    int64_t sequence = 0;
    struct mica_error error;

    *status_out = MICA_OK;
    if (turn->stream == 0)
        return 0;
    *status_out = mica_store_event_append(
        mica_session_store_backing(table->session_store), &turn->session->key,
        turn->stream, mica_session_store_now(), data, &error, &sequence);
    return *status_out == MICA_OK ? sequence : 0;
}

// An event that is not in the store has no id, unless it is the first that the client
// gets (SESSION-4): then its id is that of the beginning of the stream.
static bool
event_gets_id(const struct mica_session_turn *turn, int64_t sequence)
{
    bool id_sent =
        mica_revision_features(turn->message->context.revision)->priming ||
        turn->sent > 0;

    return turn->stream > 0 && (sequence > 0 || !id_sent);
}

// Another process has appended events, as this one seemed dead. The client gets them
// from the store, and this event after them. With the lock held.
static void
turn_hand_over_stream(struct mica_session_table *table,
                      struct mica_session_turn *turn)
{
    struct mica_session_stream *stream =
        mica_session_stream_leave_call(table, turn);

    if (stream != NULL)
        mica_session_stream_poke(table, stream);
}

// Sends on the response of the call. With the lock held.
static void
attached_send(struct mica_session_table *table, struct mica_session_turn *turn,
              int64_t sequence, struct mica_text data, bool closes)
{
    char storage[MICA_SESSION_EVENT_ID_SIZE];
    struct mica_text id = none;

    if (event_gets_id(turn, sequence))
        id = mica_session_event_id(storage, turn->stream, sequence);
    if (data.len > 0)
        (void)mica_sse_send(turn->response_stream->sse, id, data, 0);
    if (closes)
        mica_session_stream_end(table, turn->session, turn->response_stream);
}

// Sends on the response that resumed the stream, if this process has it: directly if
// the event is the next one, otherwise the session thread sends it from the store.
// With the lock held.
static void
unattached_send(struct mica_session_table *table,
                struct mica_session_turn *turn, int64_t sequence,
                struct mica_text data, bool closes)
{
    struct mica_session_stream *stream =
        mica_session_stream_find(turn->session, turn->stream);

    if (stream != NULL &&
        !mica_session_stream_send_next(table, turn->session, stream, sequence,
                                       data, closes))
        mica_session_stream_poke(table, stream);
}

// Sends an event, which is in the store if it has a sequence (SESSION-2). With the
// lock held.
static void
turn_send(struct mica_session_table *table, struct mica_session_turn *turn,
          int64_t sequence, struct mica_text data, bool closes)
{
    if (turn->response_stream != NULL && sequence > turn->sent + 1)
        turn_hand_over_stream(table, turn);
    if (turn->response_stream != NULL)
        attached_send(table, turn, sequence, data, closes);
    else
        unattached_send(table, turn, sequence, data, closes);
    if (sequence > 0)
        turn->sent = sequence;
}

static void
turn_lock_and_send(struct mica_session_table *table,
                   struct mica_session_turn *turn, int64_t sequence,
                   struct mica_text data)
{
    pthread_mutex_lock(&table->lock);
    turn_send(table, turn, sequence, data, false);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_turn_emit(struct mica_session_table *table,
                       struct mica_session_turn *turn,
                       struct mica_text notification)
{
    enum mica_status status;
    int64_t sequence = turn_append_event(table, turn, notification, &status);

    // A notification that the store refused is not sent at all: a client that
    // resumes would miss it without knowing (SESSION-2).
    if (status == MICA_OK)
        turn_lock_and_send(table, turn, sequence, notification);
}

// ---- End ---------------------------------------------------------------------------

// Writes the error that replaces a reply which the store refused.
static void
write_store_refusal(const struct mica_session_turn *turn,
                    enum mica_status status, struct mica_buffer *text)
{
    mica_refuse_write(text, turn->message->request.id, MICA_REFUSE_INTERNAL,
                      status,
                      "the result could not be kept until it was fetched: %s",
                      mica_status_meaning(status));
}

// Closes the stream in the store, with the last event. If the store stays busy, gives
// up: a client that resumes the stream gets the reply from the stored call, or the
// error INTERRUPTED. MICA_E_NOT_FOUND: the session has ended.
static enum mica_status
stored_stream_end(struct mica_session_table *table,
                  const struct mica_session_turn *turn, struct mica_text data,
                  int64_t *sequence_out)
{
    enum mica_status status = MICA_E_BUSY;

    for (int i = 0; i < END_TRIES && status == MICA_E_BUSY; i++)
        status = mica_session_stream_finish(table, &turn->session->key,
                                            turn->stream, data, sequence_out);
    return status;
}

// Does mica_session_recovery_append_missing append the reply later? Never one that is
// too large for the stream.
static bool
reply_is_appended_later(const struct mica_session_turn *turn,
                        enum mica_status status)
{
    return status == MICA_E_BUSY ||
           (status != MICA_E_LIMIT && mica_message_kept(turn->message) != NULL);
}

// Closes the stream in the store. Returns the sequence of the reply; 0 if it is not
// there.
static int64_t
turn_end_stored_stream(struct mica_session_table *table,
                       const struct mica_session_turn *turn,
                       struct mica_text reply)
{
    int64_t sequence = 0, refusal_sequence;
    enum mica_status status = MICA_OK;
    char storage[1024];
    struct mica_buffer refusal = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    if (turn->stream > 0)
        status = stored_stream_end(table, turn, reply, &sequence);
    if (status == MICA_OK || status == MICA_E_NOT_FOUND ||
        reply_is_appended_later(turn, status))
        return sequence;
    if (turn->message->request.id.len > 0)
        write_store_refusal(turn, status, &refusal);
    // For clients that resume; a connected client gets the reply itself.
    (void)stored_stream_end(table, turn, mica_buffer_as_text(&refusal),
                            &refusal_sequence);
    return 0;
}

// Writes the error that replaces a reply which is too large for the stream, or which
// is missing because the call exceeded its time limit; otherwise nothing.
static void
write_replacement(struct mica_session_table *table,
                  const struct mica_session_turn *turn, struct mica_text reply,
                  struct mica_buffer *text)
{
    bool timed_out;

    pthread_mutex_lock(&table->lock);
    timed_out = turn->timed_out;
    pthread_mutex_unlock(&table->lock);
    if (reply.len > MICA_SESSION_STREAM_BYTES / 2)
        mica_refuse_write(text, turn->message->request.id, MICA_REFUSE_INTERNAL,
                          MICA_E_LIMIT,
                          "the result is larger than a stream of a session "
                          "holds; ask for less");
    else if (reply.len == 0 && timed_out)
        mica_refuse_write(text, turn->message->request.id, MICA_REFUSE_INTERNAL,
                          MICA_E_TIMEOUT,
                          "the turn took longer than this server waits; ask "
                          "for less");
}

// Removes the call from its session. With the lock held.
static void
turn_leave_session(struct mica_session_table *table,
                   struct mica_session_turn *turn)
{
    struct mica_session_turn **at = &turn->session->turns;

    while (*at != turn)
        at = &(*at)->next;
    *at = turn->next;
    table->counts.calls--;
    mica_open_session_remove_if_empty(table, turn->session);
}

// Cancels the stored call if the client cancelled this turn; another turn ends the
// call. Runs after call_leave_session: from then on a cancellation finds the call in
// the store, and no other thread sets cancelled_by_client.
static void
cancel_stored_call(struct mica_session_table *table,
                   struct mica_session_turn *turn)
{
    const struct mica_kept_call *kept = mica_message_kept(turn->message);
    const struct mica_calls *calls = table->options.server->calls;
    struct mica_error error;
    bool cancelled;

    pthread_mutex_lock(&table->lock);
    cancelled = turn->cancelled_by_client;
    pthread_mutex_unlock(&table->lock);
    // If this fails, the call ends at its time limit.
    if (cancelled && kept != NULL && !mica_call_has_ended(kept))
        (void)calls->cancel(calls->data, kept->id, &error);
}

// Sends the last event, which is in the store if it has a sequence, and ends the call.
static void
turn_send_last(struct mica_session_table *table, struct mica_session_turn *turn,
               int64_t sequence, struct mica_text reply)
{
    pthread_mutex_lock(&table->lock);
    turn_send(table, turn, sequence, reply, true);
    turn_leave_session(table, turn);
    pthread_mutex_unlock(&table->lock);
    cancel_stored_call(table, turn);
}

void
mica_session_turn_end_call(struct mica_session_table *table,
                           struct mica_session_turn *turn,
                           struct mica_text reply)
{
    char storage[1024];
    struct mica_buffer replacement = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    write_replacement(table, turn, reply, &replacement);
    if (replacement.len > 0)
        reply = mica_buffer_as_text(&replacement);
    turn_send_last(table, turn, turn_end_stored_stream(table, turn, reply),
                   reply);
}

bool
mica_session_turn_close_stream(struct mica_session_table *table,
                               struct mica_session_turn *turn)
{
    bool closes;

    pthread_mutex_lock(&table->lock);
    closes = turn->stream > 0 && turn->response_stream != NULL;
    if (closes)
        mica_session_stream_end(table, turn->session, turn->response_stream);
    pthread_mutex_unlock(&table->lock);
    return closes;
}

// ---- Leases, on the session thread -------------------------------------------------------------------

// Finds a call whose lease on its stream is due to be renewed, or NULL. With the lock
// held.
static struct mica_session_turn *
find_lease_due(const struct mica_session_table *table, uint64_t now_ms)
{
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        const struct mica_open_session *session = table->buckets[i];
        for (; session != NULL; session = session->next) {
            struct mica_session_turn *turn = session->turns;
            while (turn != NULL &&
                   (turn->stream == 0 || now_ms - turn->leased_ms <
                                             MICA_SESSION_STREAM_LEASE_MS / 3))
                turn = turn->next;
            if (turn != NULL)
                return turn;
        }
    }
    return NULL;
}

void
mica_session_turns_renew(struct mica_session_table *table)
{
    uint64_t now_ms = mica_clock_coarse_ms();
    struct mica_session_turn *turn;

    while (!mica_session_table_ends(table) &&
           (turn = find_lease_due(table, now_ms)) != NULL) {
        struct mica_store_session_key key = turn->session->key;
        int64_t stream = turn->stream;
        struct mica_error error;
        enum mica_status status;

        turn->leased_ms = now_ms;
        pthread_mutex_unlock(&table->lock);
        status = mica_store_stream_renew(
            mica_session_store_backing(table->session_store), &key, stream,
            mica_session_store_now(), MICA_SESSION_STREAM_LEASE_MS, &error);
        (void)status; // two more renewals follow before the lease expires
        pthread_mutex_lock(&table->lock);
    }
}

// ---- End of a turn -------------------------------------------------------------------

// Leaves the stream to the session thread, for the stored call of that id. With
// `reads_store` the thread reads the store at once: another turn may have appended
// events after the last one that this turn sent. With the lock held.
static void
turn_leave_stream(struct mica_session_table *table,
                  struct mica_session_turn *turn, struct mica_text id,
                  bool reads_store)
{
    struct mica_session_stream *stream =
        mica_session_stream_leave_call(table, turn);

    if (stream == NULL)
        return;
    mica_session_stream_set_call_id(table, stream, id);
    if (reads_store)
        mica_session_stream_poke(table, stream);
}

// Appends and sends a question. One that the store refuses is sent all the same: a
// client that resumes the stream gets it again (mica_session_recovery_resend_questions).
static void
turn_ask(struct mica_session_table *table, struct mica_session_turn *turn,
         struct mica_text question)
{
    enum mica_status status = MICA_E_BUSY;
    int64_t sequence = 0;

    for (int i = 0; i < QUESTION_TRIES && status == MICA_E_BUSY; i++)
        sequence = turn_append_event(table, turn, question, &status);
    turn_lock_and_send(table, turn, sequence, question);
}

// The turn is not committed to the stream yet: appends and sends its questions.
static size_t
turn_ask_all(struct mica_session_table *table, struct mica_session_turn *turn)
{
    struct mica_text question;
    size_t count = 0;

    while ((question = mica_message_question(turn->message, count)).len > 0) {
        turn_ask(table, turn, question);
        count++;
    }
    return count;
}

// The commit of the turn has appended its events: sends them. With the lock held.
static size_t
turn_send_committed(struct mica_session_table *table,
                    struct mica_session_turn *turn,
                    const struct mica_turn_events *turn_events)
{
    for (size_t i = 0; i < turn_events->count; i++)
        turn_send(table, turn, turn_events->first + (int64_t)i,
                  turn_events->events[i], false);
    return turn_events->count;
}

// Sends the questions of the turn; the call waits for the answers. [ASK-LEGACY]
static void
turn_suspend(struct mica_session_table *table, struct mica_session_turn *turn)
{
    const struct mica_turn_events *turn_events =
        mica_message_turn_events(turn->message);
    size_t count = turn_events == NULL ? turn_ask_all(table, turn) : 0;

    pthread_mutex_lock(&table->lock);
    // Under one lock: no turn that an answer begins finds the stream attached.
    if (turn_events != NULL)
        count = turn_send_committed(table, turn, turn_events);
    table->counts.asked += count;
    turn_leave_stream(table, turn, mica_message_kept(turn->message)->id,
                      turn_events == NULL);
    turn_leave_session(table, turn);
    pthread_mutex_unlock(&table->lock);
    cancel_stored_call(table, turn);
}

bool
mica_session_turn_resume(struct mica_session_table *table,
                         struct mica_session_turn *turn,
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
    *turn = (struct mica_session_turn){.message = message,
                                       .stream = kept->stream,
                                       .began_ms = mica_clock_coarse_ms(),
                                       .limit_ms = MICA_SESSION_TURN_MS};
    pthread_mutex_lock(&table->lock);
    turn->leased_ms = turn->began_ms;
    session = mica_open_session_obtain(table, &key);
    if (session != NULL) {
        turn_join(table, session, turn);
        (void)mica_session_table_wake(table);
    }
    pthread_mutex_unlock(&table->lock);
    return session != NULL;
}

void
mica_session_turn_leave(struct mica_session_table *table,
                        struct mica_session_turn *turn)
{
    pthread_mutex_lock(&table->lock);
    turn_leave_stream(table, turn, mica_message_kept(turn->message)->id, true);
    turn_leave_session(table, turn);
    pthread_mutex_unlock(&table->lock);
    cancel_stored_call(table, turn);
}

// MCP: cancellation: a cancelled request gets no reply.
static struct mica_text
message_session_reply(const struct mica_message *message)
{
    if (message->step == MICA_STEP_REPLY &&
        message->execution.ending != MICA_E_CANCELLED)
        return mica_buffer_as_text(&message->reply.text);
    return none;
}

static bool
turn_continues(const struct mica_session_turn *turn)
{
    const struct mica_kept_call *kept = mica_message_kept(turn->message);

    return turn->message->step == MICA_STEP_SILENT && kept != NULL &&
           !mica_call_has_ended(kept);
}

// session_table.h has the table of these four cases.
bool
mica_session_turn_end(struct mica_session_table *table,
                      struct mica_session_turn *turn)
{
    const struct mica_turn_events *turn_events =
        mica_message_turn_events(turn->message);

    if (turn->message->step == MICA_STEP_ASK) {
        turn_suspend(table, turn);
        return true;
    }
    if (turn_continues(turn)) {
        mica_session_turn_leave(table, turn);
        return true;
    }
    if (turn_events != NULL)
        turn_send_last(table, turn, turn_events->first, turn_events->events[0]);
    else
        mica_session_turn_end_call(table, turn,
                                   message_session_reply(turn->message));
    return false;
}
