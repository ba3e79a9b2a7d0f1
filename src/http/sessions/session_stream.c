// SPDX-License-Identifier: Apache-2.0
//
// The states of a stream of a session, and who sends on it.
//
//     NEW ---- GET -----------------> CHANGES ------------------------+
//      | |                             the session thread sends       |
//      | |                             changes on it                  |
//      | +---- POST ----------------> CALL ---------------------------+
//      |                               its call sends on it           |
//      |                               |                              |
//      |   the turn ends and the call  |    and so does each of       |
//      |   continues                   v    these four:               |
//      |                           CURRENT                            |
//      |    all events are sent      ^   | the store has an event, or |
//      |         +-------------------+   | a poll is due              |
//      |         |                       v                            v
//      |      READING <-------------- BEHIND <---+                  ENDED
//      |         |    the session thread ^       |
//      |         |    reads the store    |       |
//      |         +-----------------------+       |
//      |         | there are more events         |
//      |         v                               |
//      |      AGAIN -----------------------------+
//      |         an event was appended meanwhile
//      |
//      +---- GET with Last-Event-ID: BEHIND
//
// A stream that is NEW ends only after it has joined a session. A stream that is
// CURRENT gets the next event from a call of this process directly; the session thread
// alone sends all other events, from the store (SESSION-2). A session has at most one
// stream of each number (SESSION-3).
//
// Owner: the thread that holds the lock of the table (SESSION-1). For READING the session
// thread copies the stream, and unlocks the table while it reads the store.
#include "http/sessions/session_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/sessions/session_parts.h"
#include "platform/clock.h"
#include "serve/abort.h"

#define BIT(state) MICA_STATE_BIT(MICA_SESSION_STREAM_##state)

static const uint32_t stream_moves[] = {
    [MICA_SESSION_STREAM_NEW] = BIT(CHANGES) | BIT(CALL) | BIT(BEHIND),
    [MICA_SESSION_STREAM_CHANGES] = BIT(ENDED),
    [MICA_SESSION_STREAM_CALL] = BIT(CURRENT) | BIT(ENDED),
    [MICA_SESSION_STREAM_CURRENT] = BIT(BEHIND) | BIT(ENDED),
    [MICA_SESSION_STREAM_BEHIND] = BIT(READING) | BIT(ENDED),
    [MICA_SESSION_STREAM_READING] =
        BIT(CURRENT) | BIT(BEHIND) | BIT(AGAIN) | BIT(ENDED),
    [MICA_SESSION_STREAM_AGAIN] = BIT(BEHIND) | BIT(ENDED),
    [MICA_SESSION_STREAM_ENDED] = 0};

static const char *const stream_names[] = {
    "NEW", "CHANGES", "CALL", "CURRENT", "BEHIND", "READING", "AGAIN", "ENDED"};

const struct mica_states mica_session_stream_states = {
    .namez = "session stream",
    .names = stream_names,
    .moves = stream_moves,
    .count = MICA_COUNT(stream_moves),
    .stop = mica_abort_with};

#ifdef MICA_DEBUG

// Returns which invariant the fields of the stream break in that state, or NULL.
static const char *
find_broken(const struct mica_session_stream *stream,
            enum mica_session_stream_state state)
{
    bool calls = state == MICA_SESSION_STREAM_CALL;
    bool replays = state >= MICA_SESSION_STREAM_CURRENT &&
                   state <= MICA_SESSION_STREAM_AGAIN;

    if ((stream->sse == NULL) != (state == MICA_SESSION_STREAM_ENDED))
        return "only an ended stream has nothing to send on";
    if ((stream->turn != NULL) != calls)
        return "only in CALL a call sends on it";
    if (replays && stream->number == 0)
        return "the store does not know a stream without a number";
    if (state == MICA_SESSION_STREAM_CHANGES && stream->number != 0)
        return "the session's own stream is not in the store";
    if (!replays && state != MICA_SESSION_STREAM_ENDED &&
        stream->call_id[0] != '\0')
        return "it waits for a stored call, but nothing reads the store for it";
    return NULL;
}

#endif

void
mica_session_stream_move(struct mica_session_table *table,
                         struct mica_session_stream *stream,
                         enum mica_session_stream_state state)
{
    struct mica_session_table_counts *counts = &table->counts;

#ifdef MICA_DEBUG
    mica_states_check(&mica_session_stream_states, stream->state, state,
                      find_broken(stream, state));
#endif
    counts->streams -= stream->state == MICA_SESSION_STREAM_CHANGES;
    counts->replayed -= mica_session_stream_replays(stream);
    stream->state = state;
    counts->streams += stream->state == MICA_SESSION_STREAM_CHANGES;
    counts->replayed += mica_session_stream_replays(stream);
}

// ---- Add, end and find -------------------------------------------------------------

struct mica_session_stream *
mica_session_stream_add(struct mica_session_table *table,
                        struct mica_open_session *session,
                        const struct mica_session_stream *as,
                        enum mica_session_stream_state state)
{
    struct mica_session_stream *stream = malloc(sizeof *stream);

    if (stream == NULL)
        return NULL;
    // SESSION-3
    MICA_DCHECK(as->number == 0 ||
                mica_session_stream_find(session, as->number) == NULL);
    *stream = *as;
    stream->moved_ms = mica_clock_coarse_ms();
    stream->next = session->streams;
    session->streams = stream;
    if (stream->turn != NULL)
        stream->turn->response_stream = stream;
    mica_session_stream_move(table, stream, state);
    return stream;
}

static void
stream_clear_call(struct mica_session_stream *stream)
{
    if (stream->turn != NULL)
        stream->turn->response_stream = NULL;
    stream->turn = NULL;
}

void
mica_session_stream_end(struct mica_session_table *table,
                        struct mica_open_session *session,
                        struct mica_session_stream *stream)
{
    struct mica_session_stream **at = &session->streams;

    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    stream_clear_call(stream);
    mica_sse_end(stream->sse);
    mica_sse_drop(stream->sse);
    stream->sse = NULL;
    table->counts.waiting -= stream->call_id[0] != '\0';
    mica_session_stream_move(table, stream, MICA_SESSION_STREAM_ENDED);
    free(stream);
}

struct mica_session_stream *
mica_session_stream_find(const struct mica_open_session *session,
                         int64_t number)
{
    struct mica_session_stream *stream = session->streams;

    while (stream != NULL && (stream->number != number || number == 0))
        stream = stream->next;
    return stream;
}

struct mica_session_stream *
mica_session_stream_own(const struct mica_open_session *session)
{
    struct mica_session_stream *stream = session->streams;

    while (stream != NULL && stream->state != MICA_SESSION_STREAM_CHANGES)
        stream = stream->next;
    return stream;
}

// ---- Serve from the store -------------------------------------------------------------

void
mica_session_stream_poke(struct mica_session_table *table,
                         struct mica_session_stream *stream)
{
    if (!mica_session_stream_replays(stream))
        return;
    if (stream->state == MICA_SESSION_STREAM_CURRENT)
        mica_session_stream_move(table, stream, MICA_SESSION_STREAM_BEHIND);
    else if (stream->state == MICA_SESSION_STREAM_READING)
        mica_session_stream_move(table, stream, MICA_SESSION_STREAM_AGAIN);
    (void)mica_session_table_wake(table);
}

void
mica_session_stream_set_call_id(struct mica_session_table *table,
                                struct mica_session_stream *stream,
                                struct mica_text id)
{
    if (id.len >= sizeof stream->call_id || id.len == 0)
        return; // not an id of a call
    table->counts.waiting += stream->call_id[0] == '\0';
    memcpy(stream->call_id, id.ptr, id.len);
    stream->call_id[id.len] = '\0';
}

struct mica_session_stream *
mica_session_stream_leave_call(struct mica_session_table *table,
                               struct mica_session_turn *turn)
{
    struct mica_session_stream *stream = turn->response_stream;

    if (stream == NULL) // it was closed; the client may have resumed it
        return mica_session_stream_find(turn->session, turn->stream);
    if (mica_session_table_ends(table) || stream->number == 0) {
        mica_session_stream_end(table, turn->session, stream);
        return NULL; // the client can resume it in another process
    }
    stream_clear_call(stream);
    stream->position = (struct mica_session_position){
        .sent = turn->sent, .id_sent = true, .resume_after = -1};
    stream->moved_ms = mica_clock_coarse_ms();
    mica_session_stream_move(table, stream, MICA_SESSION_STREAM_CURRENT);
    return stream;
}

bool
mica_session_stream_send_next(struct mica_session_table *table,
                              struct mica_open_session *session,
                              struct mica_session_stream *stream,
                              int64_t sequence, struct mica_text data,
                              bool closes)
{
    struct mica_session_position *position = &stream->position;
    char storage[MICA_SESSION_EVENT_ID_SIZE];

    // Earlier events and open questions come first.
    if (stream->state != MICA_SESSION_STREAM_CURRENT ||
        position->resume_after >= 0 || sequence == 0 ||
        position->sent + 1 != sequence)
        return false;
    (void)mica_sse_send(
        stream->sse, mica_session_event_id(storage, stream->number, sequence),
        data, 0);
    position->sent = sequence;
    position->id_sent = true;
    stream->moved_ms = mica_clock_coarse_ms();
    if (closes)
        mica_session_stream_end(table, session, stream);
    return true;
}

// ---- Ids of events ---------------------------------------------------------------------

struct mica_text
mica_session_event_id(char storage[MICA_SESSION_EVENT_ID_SIZE], int64_t number,
                      int64_t sequence)
{
    int length = snprintf(storage, MICA_SESSION_EVENT_ID_SIZE, "%lld-%lld",
                          (long long)number, (long long)sequence);

    return (struct mica_text){storage, (size_t)length};
}

bool
mica_session_event_send_priming(struct mica_sse *sse, int64_t number,
                                int64_t sequence)
{
    char storage[MICA_SESSION_EVENT_ID_SIZE];

    return mica_sse_send(sse, mica_session_event_id(storage, number, sequence),
                         (struct mica_text){NULL, 0}, MICA_SESSION_RETRY_MS);
}
