// SPDX-License-Identifier: Apache-2.0
//
// Streams that a client came back for: a GET with Last-Event-ID gets the events
// of that one stream behind that one id, and whatever follows. All of it comes
// from the store, by one thread, so it does not matter which process the call
// runs in (L2).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "http/sessions/session_parts.h"
#include "platform/clock.h"
#include "server/message.h"

enum {
    REPLAY_EVENTS = 32, // of one question to the store
    QUIET_TICKS = 5     // between two looks at a stream whose call waits
};

static const struct mica_text none = {NULL, 0};

// ---- Beginning ---------------------------------------------------------------------

// "<stream>-<sequence>", as mica writes it and no other way.
static bool
read_id(struct mica_text id, int64_t *stream_out, int64_t *sequence_out)
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

// Is there such a stream, and all behind the id? False: a reply is ready.
// [SESSION-RESUME]
static bool
session_table_check(struct mica_session_table *table,
                    struct mica_message *message, int64_t stream, int64_t after,
                    struct mica_store_events *events)
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

// Who had the stream before has it no more (L3).
// [SESSION-ONE]
static void
take_over(struct mica_session_table *table, struct mica_open_session *session,
          int64_t number)
{
    struct mica_session_stream *before =
        mica_session_stream_find(session, number);

    if (before != NULL)
        mica_session_stream_end(table, session, before);
}

// What one round needs to know, taken under the lock.
struct place {
    struct mica_store_session_key key;
    struct mica_sse *sse;
    int64_t stream, after, asked, seen;
    bool primes, begun;
    char call[MICA_CALL_ID_SIZE]; // that is kept, once it is known; or empty
};

static void
send_events(struct place *place, const struct mica_store_events *events)
{
    char room[MICA_SESSION_EVENT_ID_SIZE];

    for (size_t i = 0; i < events->count; i++)
        (void)mica_sse_send(place->sse,
                            mica_session_event_id(room, place->stream,
                                                  events->items[i].sequence),
                            events->items[i].data, 0);
    if (events->count == 0)
        return;
    place->begun = true;
    place->after = events->items[events->count - 1].sequence;
}

// Clients of revisions before 2025-11-25 take each event for a message, an empty one
// too, and some give up the session over an event without one. A ping is one that all of
// them answer; its id names no question of a call, so the answer goes nowhere.
static void
session_table_ping(const struct mica_session_table *table,
                   const struct place *place)
{
    char id[MICA_SESSION_EVENT_ID_SIZE], call[MICA_CALL_ID_SIZE], room[128];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_call_id_make(table->options.server->platform, call);
    mica_buffer_format(
        &text, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"ping\"}", call);
    (void)mica_sse_send(place->sse,
                        mica_session_event_id(id, place->stream, place->after),
                        mica_buffer_as_text(&text), 0);
}

// L4. A stream begins with what the store has behind the client's event, or else,
// when more will follow, with an event that is there for its id alone. `looked`: the
// questions that are still open have been sent. One that is closed and has nothing
// more stays empty: some clients come back after an error for as long as they are
// given an id.
// [SESSION-RESUME]
static void
begin_stream(const struct mica_session_table *table, struct place *place,
             const struct mica_store_events *events, bool looked)
{
    if (place->begun)
        return;
    if (events->count > 0) {
        send_events(place, events);
    } else if (events->closed) {
        return;
    } else if (place->primes) {
        place->begun =
            mica_session_event_prime(place->sse, place->stream, place->after);
    } else if (looked) {
        place->begun = true;
        session_table_ping(table, place);
    }
}

// With the lock held. False for want of memory, or when the server ends.
static bool
replay_begin(struct mica_session_table *table, const struct place *place,
             struct mica_text call)
{
    struct mica_open_session *session =
        mica_open_session_need(table, &place->key);
    const struct mica_session_stream as = {.sse = place->sse,
                                           .number = place->stream,
                                           .sent = place->after,
                                           .seen = place->seen,
                                           .primes = place->primes,
                                           .begun = place->begun};
    struct mica_session_stream *stream = NULL;

    if (session == NULL)
        return false;
    take_over(table, session, place->stream);
    if (mica_session_table_wake(table))
        stream = mica_session_stream_add(table, session, &as,
                                         MICA_SESSION_STREAM_BEHIND);
    if (stream == NULL) {
        mica_open_session_tidy(table, session);
        return false;
    }
    mica_session_stream_keep(table, stream, call);
    mica_sse_hold(place->sse); // for the caller
    return true;
}

struct mica_sse *
mica_session_replay_open(struct mica_session_table *table,
                         struct mica_message *message)
{
    struct place place = {
        .key = mica_store_session_key_of(message->context.session.id),
        .primes = mica_revision_features(message->context.revision)->priming};
    struct mica_store_events events;
    bool begun = false;

    if (!read_id(message->request.last_event_id, &place.stream, &place.after)) {
        mica_reply_error(message, 400, MICA_RPC_REQUEST, MICA_E_NOT_FOUND, none,
                         "Last-Event-ID is no id of this server; leave it out "
                         "for the session's own stream");
        return NULL;
    }
    if (!session_table_check(table, message, place.stream, place.after,
                             &events))
        return NULL;
    place.seen = place.after;
    place.sse = mica_sse_new(MICA_SESSION_STREAM_BYTES);
    if (place.sse != NULL) {
        begin_stream(table, &place, &events, false);
        pthread_mutex_lock(&table->lock);
        begun = replay_begin(table, &place, events.call);
        pthread_mutex_unlock(&table->lock);
    }
    if (begun)
        return place.sse;
    mica_sse_drop(place.sse);
    mica_reply_error(message, 503, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                     "No room for one more stream; try again later");
    return NULL;
}

// ---- On the thread -----------------------------------------------------------------

// What is known after a round.
enum outcome {
    OVER,  // nothing can follow any more
    WAITS, // it has all there is
    LATER, // the store is held by others: ask again at the next tick
    MORE   // ask again
};

// Of a stream that is open as far as the store knows.
static enum outcome
send_portion(struct place *place, const struct mica_store_events *events)
{
    send_events(place, events);
    if (!mica_sse_is_open(place->sse))
        return OVER;
    if (events->count == REPLAY_EVENTS)
        return MORE;
    return events->closed ? OVER : WAITS;
}

// It may have been kept after its client came back for the stream.
static void
note_call(struct place *place, struct mica_text call)
{
    if (call.len >= sizeof place->call)
        return;
    memcpy(place->call, call.ptr, call.len);
    place->call[call.len] = '\0';
}

// Once, behind all that there was: never behind the end of the call, which comes
// the same way.
static void
ask_again(struct mica_session_table *table, struct place *place,
          struct mica_text call)
{
    char room[MICA_SESSION_EVENT_ID_SIZE];
    struct mica_text id = none;
    size_t count = 0;

    if (!place->begun)
        id = mica_session_event_id(room, place->stream, place->after);
    if (place->seen >= 0 && call.len > 0)
        count =
            mica_session_recovery_ask_again(table, &place->key, place->stream,
                                            place->seen, call, id, place->sse);
    place->begun = place->begun || count > 0;
    place->seen = -1;
}

static enum outcome
session_table_replay(struct mica_session_table *table, struct place *place)
{
    struct mica_store_events events = {.count = 0};
    struct mica_arena arena;
    struct mica_error error;
    enum mica_status status;
    enum outcome outcome = OVER; // a hole: who comes back for it is told so

    mica_arena_init(&arena, 64 << 20);
    status = mica_store_event_replay(
        mica_session_store_backing(table->session_store), &place->key,
        place->stream, place->after, REPLAY_EVENTS, mica_session_store_now(),
        &arena, &error, &events);
    if (status == MICA_OK && !events.missed)
        outcome = send_portion(place, &events);
    else if (status == MICA_E_BUSY && mica_sse_is_open(place->sse))
        outcome = LATER;
    if (outcome == WAITS) {
        note_call(place, events.call);
        if (mica_session_recovery_mend(table, &place->key, place->stream,
                                       &events, &place->asked))
            outcome = MORE;
        else
            ask_again(table, place, events.call);
    }
    if (outcome == WAITS || outcome == LATER)
        begin_stream(table, place, &events, true);
    mica_arena_fini(&arena);
    return outcome;
}

static struct mica_session_stream *
find_behind(const struct mica_open_session *session)
{
    struct mica_session_stream *stream = session->streams;

    while (stream != NULL && stream->state != MICA_SESSION_STREAM_BEHIND)
        stream = stream->next;
    return stream;
}

// The next stream that is BEHIND, which is READING from here on. False: none is.
static bool
take_behind(struct mica_session_table *table, struct place *place)
{
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        struct mica_open_session *session = table->buckets[i];
        for (; session != NULL; session = session->next) {
            struct mica_session_stream *stream = find_behind(session);
            if (stream == NULL)
                continue;
            mica_session_stream_move(table, stream,
                                     MICA_SESSION_STREAM_READING);
            *place = (struct place){.key = session->key,
                                    .sse = stream->sse,
                                    .stream = stream->number,
                                    .after = stream->sent,
                                    .asked = stream->asked,
                                    .seen = stream->seen,
                                    .primes = stream->primes,
                                    .begun = stream->begun};
            memcpy(place->call, stream->kept, sizeof place->call);
            mica_sse_hold(place->sse);
            return true;
        }
    }
    return false;
}

// Nothing follows on it that this process has to see to. A call pokes before it
// leaves its session, so that its last event is never left behind.
static bool
is_drained(const struct mica_session_table *table,
           const struct mica_open_session *session,
           const struct mica_session_stream *stream)
{
    const struct mica_session_call *call = session->calls;

    while (call != NULL && call->stream != stream->number)
        call = call->next;
    return table->phase != MICA_SESSION_SERVES && call == NULL &&
           stream->state == MICA_SESSION_STREAM_READING;
}

// What the round has found out goes to the stream, which is no longer READING.
static void
settle_stream(struct mica_session_table *table,
              struct mica_open_session *session,
              struct mica_session_stream *stream, const struct place *place,
              enum outcome outcome)
{
    bool more = outcome == MORE || stream->state == MICA_SESSION_STREAM_AGAIN;

    if (stream->sent != place->after)
        stream->moved_ms = mica_clock_coarse_ms();
    stream->sent = place->after;
    stream->asked = place->asked;
    stream->seen = place->seen;
    stream->begun = place->begun;
    if (stream->kept[0] == '\0')
        mica_session_stream_keep(table, stream, mica_text(place->call));
    if (outcome == OVER ||
        (outcome == WAITS && is_drained(table, session, stream))) {
        mica_session_stream_end(table, session, stream);
        mica_open_session_tidy(table, session);
    } else {
        mica_session_stream_move(table, stream,
                                 more ? MICA_SESSION_STREAM_BEHIND
                                      : MICA_SESSION_STREAM_CURRENT);
    }
}

// A client that came back anew meanwhile has another stream.
static void
session_table_settle(struct mica_session_table *table,
                     const struct place *place, enum outcome outcome)
{
    struct mica_open_session *session =
        mica_open_session_find(table, &place->key);
    struct mica_session_stream *stream =
        session != NULL ? mica_session_stream_find(session, place->stream)
                        : NULL;

    if (stream != NULL && stream->sse == place->sse)
        settle_stream(table, session, stream, place, outcome);
}

// A stream whose call is kept is looked at every few ticks only.
static void
poke_due(struct mica_session_table *table, struct mica_open_session *session)
{
    for (struct mica_session_stream *stream = session->streams; stream != NULL;
         stream = stream->next) {
        if (stream->state == MICA_SESSION_STREAM_CURRENT &&
            (stream->kept[0] == '\0' || stream->ticks++ % QUIET_TICKS == 0))
            mica_session_stream_move(table, stream, MICA_SESSION_STREAM_BEHIND);
    }
}

void
mica_session_replay_all(struct mica_session_table *table, bool all)
{
    struct place place;

    if (table->counts.replayed == 0)
        return;
    if (all)
        mica_open_session_each(table, poke_due);
    while (!mica_session_table_ends(table) && take_behind(table, &place)) {
        enum outcome outcome;
        pthread_mutex_unlock(&table->lock);
        outcome = session_table_replay(table, &place);
        pthread_mutex_lock(&table->lock);
        session_table_settle(table, &place, outcome);
        mica_sse_drop(place.sse);
    }
}
