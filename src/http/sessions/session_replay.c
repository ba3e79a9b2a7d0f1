// SPDX-License-Identifier: Apache-2.0
//
// Streams that a client came back for: a GET with Last-Event-ID gets the events
// of that one stream behind that one id, and whatever follows. All of it comes
// from the store, by one thread, so it does not matter which process the call
// runs in (L2).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/http.h"
#include "http/sessions/session_parts.h"
#include "serve/time.h"
#include "server/calls/round.h"
#include "server/message.h"

enum {
    REPLAY_EVENTS = 32, // of one question to the store
    QUIET_TICKS = 5     // between two looks at a stream whose call waits
};

static const struct mica_text none = {NULL, 0};

// ---- Ids of events ---------------------------------------------------------------------

struct mica_text
mica_session_event_id(char room[MICA_SESSION_EVENT_ID_SIZE], int64_t stream,
                      int64_t sequence)
{
    int length = snprintf(room, MICA_SESSION_EVENT_ID_SIZE, "%lld-%lld",
                          (long long)stream, (long long)sequence);

    return (struct mica_text){room, (size_t)length};
}

bool
mica_session_event_prime(struct mica_sse *sse, int64_t stream, int64_t sequence)
{
    char room[MICA_SESSION_EVENT_ID_SIZE];

    return mica_sse_send(sse, mica_session_event_id(room, stream, sequence),
                         none, MICA_SESSION_RETRY_MS);
}

// ---- With the lock held --------------------------------------------------------------

void
mica_resumed_end(struct mica_session_table *table,
                 struct mica_open_session *session,
                 struct mica_resumed *resumed)
{
    struct mica_resumed **at = &session->resumed;

    while (*at != resumed)
        at = &(*at)->next;
    *at = resumed->next;
    mica_stream_end(&resumed->sse);
    table->counts.resumed--;
    table->counts.waiting -= resumed->holds;
    free(resumed);
}

static struct mica_resumed *
find(const struct mica_open_session *session, int64_t stream)
{
    struct mica_resumed *resumed = session->resumed;

    while (resumed != NULL && resumed->stream != stream)
        resumed = resumed->next;
    return resumed;
}

void
mica_resumed_poke(struct mica_session_table *table,
                  struct mica_open_session *session, int64_t stream)
{
    struct mica_resumed *resumed = find(session, stream);

    if (resumed == NULL)
        return;
    resumed->poked = true;
    (void)mica_session_table_wake(table);
}

static void
hold(struct mica_session_table *table, struct mica_resumed *resumed,
     struct mica_text call)
{
    if (call.len >= sizeof resumed->call)
        return; // none of ours
    table->counts.waiting += !resumed->holds;
    resumed->holds = true;
    memcpy(resumed->call, call.ptr, call.len);
    resumed->call[call.len] = '\0';
}

static void
look_again(struct mica_session_table *table, struct mica_resumed *resumed)
{
    resumed->poked = true;
    (void)mica_session_table_wake(table);
}

// Whoever came back for the stream has it already; otherwise who reads it now.
static struct mica_resumed *
join(struct mica_session_table *table, struct mica_session_call *call)
{
    struct mica_resumed *resumed = find(call->session, call->stream);

    // When the server ends nobody looks after one any more.
    if (resumed == NULL && call->sse != NULL && !table->ending)
        resumed = calloc(1, sizeof *resumed);
    if (resumed == NULL) {
        mica_stream_end(&call->sse); // its client comes back
        return NULL;
    }
    if (resumed->sse == NULL) {
        *resumed = (struct mica_resumed){.next = call->session->resumed,
                                         .sse = call->sse,
                                         .stream = call->stream,
                                         .after = call->told,
                                         .seen = -1,
                                         .moved_ms = mica_time_coarse_ms(),
                                         .begun = true};
        call->session->resumed = resumed;
        call->sse = NULL;
        table->counts.resumed++;
    }
    return resumed;
}

void
mica_resumed_take(struct mica_session_table *table,
                  struct mica_session_call *call)
{
    struct mica_resumed *resumed = join(table, call);

    if (resumed != NULL)
        look_again(table, resumed);
}

void
mica_resumed_adopt(struct mica_session_table *table,
                   struct mica_session_call *call, struct mica_text id,
                   bool looks)
{
    struct mica_resumed *resumed = join(table, call);

    if (resumed == NULL)
        return;
    hold(table, resumed, id);
    if (looks)
        look_again(table, resumed);
}

bool
mica_resumed_tell(struct mica_session_table *table,
                  struct mica_open_session *session, int64_t stream,
                  int64_t sequence, struct mica_text data, bool last)
{
    struct mica_resumed *resumed = find(session, stream);
    char room[MICA_SESSION_EVENT_ID_SIZE];

    // What it has not got yet, or is just getting, comes before.
    if (resumed == NULL || resumed->read || resumed->poked ||
        resumed->seen >= 0 || sequence == 0 || resumed->after + 1 != sequence)
        return false;
    (void)mica_sse_send(resumed->sse,
                        mica_session_event_id(room, stream, sequence), data, 0);
    resumed->after = sequence;
    resumed->begun = true;
    resumed->moved_ms = mica_time_coarse_ms();
    if (last)
        mica_resumed_end(table, session, resumed);
    return true;
}

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
    return mica_integer_read(left, stream_out) &&
           mica_integer_read(right, sequence_out) && *stream_out > 0 &&
           *sequence_out >= 0 && left.ptr[0] != '0' &&
           (right.len == 1 || right.ptr[0] != '0');
}

// Is there such a stream, and all behind the id? False: a reply is ready.
// [SESSION-RESUME]
static bool
check(struct mica_session_table *table, struct mica_message *message,
      int64_t stream, int64_t after, struct mica_store_events *events)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_error error = {.message = ""};
    enum mica_status status = mica_store_event_replay(
        mica_keeper_store(table->keeper), &key, stream, after, 1,
        mica_keeper_now(), message->arena, &error, events);

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

// Whoever had the stream before has it no more (L3).
// [SESSION-ONE]
static void
take_over(struct mica_session_table *table, struct mica_open_session *session,
          int64_t stream)
{
    struct mica_resumed *before = find(session, stream);

    if (before != NULL)
        mica_resumed_end(table, session, before);
    for (struct mica_session_call *call = session->calls; call != NULL;
         call = call->next) {
        if (call->stream == stream)
            mica_stream_end(&call->sse);
    }
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
// too, and some give up the session over one that is none. A ping is one that all of
// them answer; its id names no question of a call, so the answer goes nowhere.
static void
ping(const struct mica_session_table *table, const struct place *place)
{
    char id[MICA_SESSION_EVENT_ID_SIZE], call[MICA_CALL_ID_SIZE], room[128];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_call_id_make(table->http->server->platform, call);
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
        ping(table, place);
    }
}

static struct mica_sse *
begin(struct mica_session_table *table, const struct place *place,
      struct mica_text call)
{
    struct mica_open_session *session =
        mica_open_session_need(table, &place->key);
    struct mica_resumed *resumed = NULL;

    if (session == NULL)
        return NULL;
    take_over(table, session, place->stream);
    if (mica_session_table_wake(table))
        resumed = calloc(1, sizeof *resumed);
    if (resumed == NULL) {
        mica_open_session_tidy(table, session);
        return NULL;
    }
    *resumed = (struct mica_resumed){.next = session->resumed,
                                     .sse = place->sse,
                                     .stream = place->stream,
                                     .after = place->after,
                                     .seen = place->seen,
                                     .primes = place->primes,
                                     .begun = place->begun,
                                     .moved_ms = mica_time_coarse_ms(),
                                     .poked = true};
    session->resumed = resumed;
    table->counts.resumed++;
    if (call.len > 0)
        hold(table, resumed, call);
    mica_sse_hold(place->sse); // for the caller
    return place->sse;
}

struct mica_sse *
mica_session_replay_open(struct mica_session_table *table,
                         struct mica_message *message)
{
    struct place place = {
        .key = mica_store_session_key_of(message->session.id),
        .primes = mica_revision_features(message->revision)->priming};
    struct mica_sse *sse = NULL;
    struct mica_store_events events;

    if (!read_id(message->last_event_id, &place.stream, &place.after)) {
        mica_reply_error(message, 400, MICA_RPC_REQUEST, MICA_E_NOT_FOUND, none,
                         "Last-Event-ID is no id of this server; leave it out "
                         "for the session's own stream");
        return NULL;
    }
    if (!check(table, message, place.stream, place.after, &events))
        return NULL;
    place.seen = place.after;
    place.sse = mica_sse_new(MICA_SESSION_STREAM_BYTES);
    if (place.sse != NULL) {
        begin_stream(table, &place, &events, false);
        pthread_mutex_lock(&table->lock);
        sse = begin(table, &place, events.call);
        pthread_mutex_unlock(&table->lock);
    }
    if (sse == NULL) {
        mica_sse_drop(place.sse);
        mica_reply_error(message, 503, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                         "No room for one more stream; try again later");
    }
    return sse;
}

// ---- On the thread -----------------------------------------------------------------

// What is known after a round.
enum outcome {
    OVER,  // nothing can follow any more
    WAITS, // it has all there is
    LATER, // the store is held by others: ask again at the next tick
    MORE   // ask again
};

// Of a stream that goes on as far as the store knows.
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

// It may have been kept after somebody came back for its stream.
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
replay(struct mica_session_table *table, struct place *place)
{
    struct mica_store_events events = {.count = 0};
    struct mica_arena arena;
    struct mica_error error;
    enum mica_status status;
    enum outcome outcome = OVER; // a hole: who comes back for it is told so

    mica_arena_init(&arena, 64 << 20);
    status =
        mica_store_event_replay(mica_keeper_store(table->keeper), &place->key,
                                place->stream, place->after, REPLAY_EVENTS,
                                mica_keeper_now(), &arena, &error, &events);
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

static struct mica_resumed *
next_poked(struct mica_session_table *table, struct place *place)
{
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        struct mica_open_session *session = table->buckets[i];
        for (; session != NULL; session = session->next) {
            struct mica_resumed *resumed = session->resumed;
            while (resumed != NULL && !resumed->poked)
                resumed = resumed->next;
            if (resumed == NULL)
                continue;
            resumed->poked = false;
            resumed->read = true;
            *place = (struct place){.key = session->key,
                                    .sse = resumed->sse,
                                    .stream = resumed->stream,
                                    .after = resumed->after,
                                    .asked = resumed->asked,
                                    .seen = resumed->seen,
                                    .primes = resumed->primes,
                                    .begun = resumed->begun};
            memcpy(place->call, resumed->call, sizeof place->call);
            mica_sse_hold(place->sse);
            return resumed;
        }
    }
    return NULL;
}

// Nothing follows on it that this process has to see to. A call pokes before it
// is taken out, so that its last event is never left behind.
static bool
is_drained(const struct mica_session_table *table,
           const struct mica_open_session *session,
           const struct mica_resumed *resumed)
{
    const struct mica_session_call *call = session->calls;

    while (call != NULL && call->stream != resumed->stream)
        call = call->next;
    return table->draining && call == NULL && !resumed->poked;
}

// Whoever was resumed anew meanwhile has another stream object.
static void
settle(struct mica_session_table *table, const struct place *place,
       enum outcome outcome)
{
    struct mica_open_session *session =
        mica_open_session_find(table, &place->key);
    struct mica_resumed *resumed =
        session != NULL ? find(session, place->stream) : NULL;

    if (resumed != NULL && resumed->sse == place->sse) {
        resumed->read = false;
        if (resumed->after != place->after)
            resumed->moved_ms = mica_time_coarse_ms();
        resumed->after = place->after;
        resumed->asked = place->asked;
        resumed->seen = place->seen;
        resumed->begun = place->begun;
        if (place->call[0] != '\0')
            hold(table, resumed, mica_text(place->call));
        resumed->poked = resumed->poked || outcome == MORE;
        if (outcome == OVER ||
            (outcome == WAITS && is_drained(table, session, resumed))) {
            mica_resumed_end(table, session, resumed);
            mica_open_session_tidy(table, session);
        }
    }
}

static void
poke_all(struct mica_session_table *table)
{
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        struct mica_open_session *session = table->buckets[i];
        for (; session != NULL; session = session->next) {
            struct mica_resumed *resumed = session->resumed;
            for (; resumed != NULL; resumed = resumed->next)
                resumed->poked = resumed->poked || !resumed->holds ||
                                 resumed->ticks++ % QUIET_TICKS == 0;
        }
    }
}

void
mica_session_replay_all(struct mica_session_table *table, bool all)
{
    struct place place;

    if (table->counts.resumed == 0)
        return;
    if (all)
        poke_all(table);
    while (!table->ending && next_poked(table, &place) != NULL) {
        enum outcome outcome;
        pthread_mutex_unlock(&table->lock);
        outcome = replay(table, &place);
        pthread_mutex_lock(&table->lock);
        settle(table, &place, outcome);
        mica_sse_drop(place.sse);
    }
}
