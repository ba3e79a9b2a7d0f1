// SPDX-License-Identifier: Apache-2.0
//
// Resumed streams: a GET with Last-Event-ID gets the events of one stream after the
// event of that id, and then those that follow. The session thread reads them from the
// store, so that the call may run in any process (SESSION-2).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "http/sessions/session_parts.h"
#include "platform/clock.h"
#include "server/message.h"

enum {
    REPLAY_EVENTS = 32, // that one operation of the store reads
    POLL_TICKS = 5      // between two polls of a stream whose call is stored
};

static const struct mica_text none = {NULL, 0};

// ---- Open --------------------------------------------------------------------------

// Reads "<stream>-<sequence>" exactly as mica writes it.
static bool
read_event_id(struct mica_text id, int64_t *stream_out, int64_t *sequence_out)
{
    const char *dash = id.len > 0 ? memchr(id.ptr, '-', id.len) : NULL;
    struct mica_text left, right;

    if (dash == NULL)
        return false;
    left = mica_text_slice(id, 0, (size_t)(dash - id.ptr));
    right = mica_text_slice(id, left.len + 1, id.len);
    return mica_digits_read(left, stream_out) &&
           mica_digits_read(right, sequence_out) && *stream_out > 0;
}

// Checks that the session has this stream and that the store still has all events
// after `after`. Returns false if not; then an error reply is ready.
// [SESSION-RESUME]
static bool
check_resumable(struct mica_session_table *table, struct mica_message *message,
                int64_t stream, int64_t after, struct mica_store_events *events)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);
    struct mica_error error = {.message = ""};
    enum mica_status status = mica_store_event_replay(
        mica_session_store_backing(table->session_store), &key, stream, after,
        1, mica_session_store_now(), message->arena, &error, events);

    if (status == MICA_OK && !events->missed)
        return true;
    if (status == MICA_OK || status == MICA_E_NOT_FOUND)
        mica_reply_error(message, 400, MICA_RPC_REQUEST, MICA_E_NOT_FOUND, none,
                         "Last-Event-ID names nothing that can be resumed, or "
                         "no longer; leave it out for the session's own "
                         "stream, and send the request again");
    else
        mica_reply_error(message, (unsigned)mica_status_http(status),
                         MICA_RPC_INTERNAL, status, none, "%s", error.message);
    return false;
}

// Ends the response that sent the stream before (SESSION-3).
// [SESSION-ONE]
static void
session_end_reader(struct mica_session_table *table,
                   struct mica_open_session *session, int64_t number)
{
    struct mica_session_stream *before =
        mica_session_stream_find(session, number);

    if (before != NULL)
        mica_session_stream_end(table, session, before);
}

// A stream while the session thread reads the store for it, without the lock.
struct replay_cursor {
    struct mica_store_session_key key;
    struct mica_session_stream stream;  // a copy; `sse` is held
    char found_call[MICA_CALL_ID_SIZE]; // stored call of the stream, if any
};

static void
send_events(struct replay_cursor *cursor,
            const struct mica_store_events *events)
{
    const struct mica_session_stream *stream = &cursor->stream;
    char storage[MICA_SESSION_EVENT_ID_SIZE];

    for (size_t i = 0; i < events->count; i++)
        (void)mica_sse_send(stream->sse,
                            mica_session_event_id(storage, stream->number,
                                                  events->items[i].sequence),
                            events->items[i].data, 0);
    if (events->count == 0)
        return;
    cursor->stream.position.id_sent = true;
    cursor->stream.position.sent = events->items[events->count - 1].sequence;
}

// Clients of revisions before 2025-11-25 read each event as a message, and some of them
// give up the session at an event without one. A ping is a message that all of them
// answer; its id is that of no question, so the answer changes nothing.
static void
send_ping(const struct mica_session_table *table,
          const struct mica_session_stream *stream)
{
    char id[MICA_SESSION_EVENT_ID_SIZE], call[MICA_CALL_ID_SIZE], storage[128];
    struct mica_buffer text = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    mica_call_id_make(table->options.server->platform, call);
    mica_buffer_format(
        &text, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"ping\"}", call);
    (void)mica_sse_send(
        stream->sse,
        mica_session_event_id(id, stream->number, stream->position.sent),
        mica_buffer_as_text(&text), 0);
}

// Makes sure that the first event of the response has an id (SESSION-4):
//
//  the store has            the client gets
//  events after its id      these
//  none, stream closed      nothing: some clients resume after an error as long as
//                           they get ids
//  none, stream open        a priming event, or in revisions without them a ping,
//                           once the open questions were sent again (`questions_sent`)
// [SESSION-RESUME]
static void
send_first_id(const struct mica_session_table *table,
              struct replay_cursor *cursor,
              const struct mica_store_events *events, bool questions_sent)
{
    struct mica_session_stream *stream = &cursor->stream;
    struct mica_session_position *position = &stream->position;

    if (position->id_sent)
        return;
    if (events->count > 0) {
        send_events(cursor, events);
    } else if (events->closed) {
        return;
    } else if (stream->sends_priming_event) {
        position->id_sent = mica_session_event_send_priming(
            stream->sse, stream->number, position->sent);
    } else if (questions_sent) {
        position->id_sent = true;
        send_ping(table, stream);
    }
}

// Adds the resumed stream to its session. With the lock held. Returns false for want
// of memory, or when the server ends.
static bool
replay_begin(struct mica_session_table *table,
             const struct replay_cursor *cursor, struct mica_text call)
{
    struct mica_open_session *session =
        mica_open_session_obtain(table, &cursor->key);
    struct mica_session_stream *stream = NULL;

    if (session == NULL)
        return false;
    session_end_reader(table, session, cursor->stream.number);
    if (mica_session_table_wake(table))
        stream = mica_session_stream_add(table, session, &cursor->stream,
                                         MICA_SESSION_STREAM_BEHIND);
    if (stream == NULL) {
        mica_open_session_remove_if_empty(table, session);
        return false;
    }
    mica_session_stream_set_call_id(table, stream, call);
    mica_sse_hold(stream->sse); // for the caller
    return true;
}

struct mica_sse *
mica_session_replay_open(struct mica_session_table *table,
                         struct mica_message *message)
{
    struct replay_cursor cursor = {
        .key = mica_store_session_key_of(message->context.session.id),
        .stream = {
            .sends_priming_event =
                mica_revision_features(message->context.revision)->priming}};
    struct mica_session_stream *stream = &cursor.stream;
    struct mica_session_position *position = &stream->position;
    struct mica_store_events events;
    bool begun = false;

    if (!read_event_id(message->request.last_event_id, &stream->number,
                       &position->sent)) {
        mica_reply_error(message, 400, MICA_RPC_REQUEST, MICA_E_NOT_FOUND, none,
                         "Last-Event-ID is no id of this server; leave it out "
                         "for the session's own stream");
        return NULL;
    }
    if (!check_resumable(table, message, stream->number, position->sent,
                         &events))
        return NULL;
    position->resume_after = position->sent;
    stream->sse = mica_sse_new(MICA_SESSION_STREAM_BYTES);
    if (stream->sse != NULL) {
        send_first_id(table, &cursor, &events, false);
        pthread_mutex_lock(&table->lock);
        begun = replay_begin(table, &cursor, events.call);
        pthread_mutex_unlock(&table->lock);
    }
    if (begun)
        return stream->sse;
    mica_sse_drop(stream->sse);
    mica_reply_error(message, 503, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                     "No room for one more stream; try again later");
    return NULL;
}

// ---- Read the store, on the session thread -----------------------------------------

enum replay_result {
    REPLAY_ENDED,      // no event can follow: end the response
    REPLAY_CAUGHT_UP,  // the client has all events of the store
    REPLAY_STORE_BUSY, // read again at the next tick
    REPLAY_MORE        // read again at once
};

static enum replay_result
send_batch(struct replay_cursor *cursor, const struct mica_store_events *events)
{
    send_events(cursor, events);
    if (!mica_sse_is_open(cursor->stream.sse))
        return REPLAY_ENDED;
    if (events->count == REPLAY_EVENTS)
        return REPLAY_MORE;
    return events->closed ? REPLAY_ENDED : REPLAY_CAUGHT_UP;
}

// First: reads a batch of events and sends it.
static enum replay_result
replay_send(struct mica_session_table *table, struct replay_cursor *cursor,
            struct mica_arena *arena, struct mica_store_events *events)
{
    const struct mica_session_stream *stream = &cursor->stream;
    struct mica_error error;
    enum mica_status status = mica_store_event_replay(
        mica_session_store_backing(table->session_store), &cursor->key,
        stream->number, stream->position.sent, REPLAY_EVENTS,
        mica_session_store_now(), arena, &error, events);

    if (status == MICA_OK && !events->missed)
        return send_batch(cursor, events);
    if (status == MICA_E_BUSY && mica_sse_is_open(stream->sse))
        return REPLAY_STORE_BUSY;
    return REPLAY_ENDED; // events are missing: the next resume gets 400
}

// Then, once for each response: sends the open questions again. It runs only when
// the client has caught up, so that no question follows the end of the call.
static void
replay_resend_questions(struct mica_session_table *table,
                        struct replay_cursor *cursor, struct mica_text call)
{
    const struct mica_session_stream *stream = &cursor->stream;
    struct mica_session_position *position = &cursor->stream.position;
    char storage[MICA_SESSION_EVENT_ID_SIZE];
    struct mica_text id = none;
    size_t count = 0;

    if (!position->id_sent)
        id = mica_session_event_id(storage, stream->number, position->sent);
    if (position->resume_after >= 0 && call.len > 0)
        count = mica_session_recovery_resend_questions(
            table, &cursor->key, stream->number, position->resume_after, call,
            id, stream->sse);
    position->id_sent = position->id_sent || count > 0;
    position->resume_after = -1;
}

// The call may have been stored after its client resumed the stream.
static void
note_call(struct replay_cursor *cursor, struct mica_text call)
{
    if (call.len >= sizeof cursor->found_call)
        return;
    memcpy(cursor->found_call, call.ptr, call.len);
    cursor->found_call[call.len] = '\0';
}

// One poll of the store for a stream:
//  1. reads and sends events,
//  2. if the client has caught up: appends events that a dead process has not
//     appended, and reads again; otherwise sends the open questions again,
//  3. if nothing can be read now, but may be later: sends a first id.
static enum replay_result
session_table_replay(struct mica_session_table *table,
                     struct replay_cursor *cursor)
{
    struct mica_store_events events = {.count = 0};
    enum replay_result result;
    struct mica_arena arena;

    mica_arena_init(&arena, 64 << 20);
    result = replay_send(table, cursor, &arena, &events);
    if (result == REPLAY_CAUGHT_UP) {
        note_call(cursor, events.call);
        if (mica_session_recovery_append_missing(
                table, &cursor->key, cursor->stream.number, &events,
                &cursor->stream.position.checked_change))
            result = REPLAY_MORE;
        else
            replay_resend_questions(table, cursor, events.call);
    }
    if (result == REPLAY_CAUGHT_UP || result == REPLAY_STORE_BUSY)
        send_first_id(table, cursor, &events, true);
    mica_arena_fini(&arena);
    return result;
}

// ---- Copy out and back, with the lock held -----------------------------------------

static struct mica_session_stream *
find_behind(const struct mica_open_session *session)
{
    struct mica_session_stream *stream = session->streams;

    while (stream != NULL && stream->state != MICA_SESSION_STREAM_BEHIND)
        stream = stream->next;
    return stream;
}

// Finds a stream that is BEHIND, moves it to READING and copies it. Returns false
// without such a stream.
static bool
cursor_begin(struct mica_session_table *table, struct replay_cursor *cursor)
{
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        struct mica_open_session *session = table->buckets[i];
        for (; session != NULL; session = session->next) {
            struct mica_session_stream *stream = find_behind(session);
            if (stream == NULL)
                continue;
            mica_session_stream_move(table, stream,
                                     MICA_SESSION_STREAM_READING);
            cursor->key = session->key;
            cursor->stream = *stream;
            cursor->found_call[0] = '\0';
            mica_sse_hold(cursor->stream.sse);
            return true;
        }
    }
    return false;
}

// The server drains, and no call of this process appends to the stream. A call that
// ends moves the stream to AGAIN before it leaves its session, so that its last event
// is read.
static bool
is_drained(const struct mica_session_table *table,
           const struct mica_open_session *session,
           const struct mica_session_stream *stream)
{
    const struct mica_session_turn *turn = session->turns;

    while (turn != NULL && turn->stream != stream->number)
        turn = turn->next;
    return table->stage != MICA_SESSION_SERVES && turn == NULL &&
           stream->state == MICA_SESSION_STREAM_READING;
}

// Copies the position back, and moves the stream on from READING or AGAIN.
static void
stream_end_reading(struct mica_session_table *table,
                   struct mica_open_session *session,
                   struct mica_session_stream *stream,
                   const struct replay_cursor *cursor,
                   enum replay_result result)
{
    bool more =
        result == REPLAY_MORE || stream->state == MICA_SESSION_STREAM_AGAIN;

    if (stream->position.sent != cursor->stream.position.sent)
        stream->moved_ms = mica_clock_coarse_ms();
    stream->position = cursor->stream.position;
    if (stream->call_id[0] == '\0')
        mica_session_stream_set_call_id(table, stream,
                                        mica_text(cursor->found_call));
    if (result == REPLAY_ENDED ||
        (result == REPLAY_CAUGHT_UP && is_drained(table, session, stream))) {
        mica_session_stream_end(table, session, stream);
        mica_open_session_remove_if_empty(table, session);
    } else {
        mica_session_stream_move(table, stream,
                                 more ? MICA_SESSION_STREAM_BEHIND
                                      : MICA_SESSION_STREAM_CURRENT);
    }
}

// If the client has resumed the stream once more meanwhile, the table has another
// stream of this number, and this one has ended.
static void
cursor_end(struct mica_session_table *table, const struct replay_cursor *cursor,
           enum replay_result result)
{
    struct mica_open_session *session =
        mica_open_session_find(table, &cursor->key);
    struct mica_session_stream *stream = NULL;

    if (session != NULL)
        stream = mica_session_stream_find(session, cursor->stream.number);
    if (stream != NULL && stream->sse == cursor->stream.sse)
        stream_end_reading(table, session, stream, cursor, result);
}

// A stream whose call is stored is polled every few ticks only: what a turn of this
// process appends is sent without a poll.
static void
session_poll_streams(struct mica_session_table *table,
                     struct mica_open_session *session)
{
    for (struct mica_session_stream *stream = session->streams; stream != NULL;
         stream = stream->next) {
        if (stream->state == MICA_SESSION_STREAM_CURRENT &&
            (stream->call_id[0] == '\0' ||
             stream->skipped_polls++ % POLL_TICKS == 0))
            mica_session_stream_move(table, stream, MICA_SESSION_STREAM_BEHIND);
    }
}

void
mica_session_replay_all(struct mica_session_table *table, bool all)
{
    struct replay_cursor cursor;

    if (table->counts.replayed == 0)
        return;
    if (all)
        mica_open_session_each(table, session_poll_streams);
    while (!mica_session_table_ends(table) && cursor_begin(table, &cursor)) {
        enum replay_result result;
        pthread_mutex_unlock(&table->lock);
        result = session_table_replay(table, &cursor);
        pthread_mutex_lock(&table->lock);
        cursor_end(table, &cursor, result);
        mica_sse_drop(cursor.stream.sse);
    }
}
