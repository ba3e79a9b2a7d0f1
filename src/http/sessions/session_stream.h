// SPDX-License-Identifier: Apache-2.0
//
// A stream of a session, whichever request opened it: the session's own (GET), the
// answer of a call (POST), or one that its client came back for (GET with
// Last-Event-ID). session_stream.c draws the table of its states.
//
// All functions need the lock of the session table (L1).
#ifndef MICA_HTTP_SESSION_STREAM_H
#define MICA_HTTP_SESSION_STREAM_H

#include <mica/store.h>

#include "base/states.h"
#include "http/events/sse.h"
#include "server/server.h"

struct mica_session_table;
struct mica_open_session;
struct mica_session_call;

enum {
    MICA_SESSION_EVENT_ID_SIZE = 48, // room for "<stream>-<sequence>"
    MICA_SESSION_RETRY_MS = 500      // after which a client comes back
};

enum mica_session_stream_state {
    MICA_SESSION_STREAM_NEW,     // in no session yet
    MICA_SESSION_STREAM_CHANGES, // the session's own: changes are told on it
    MICA_SESSION_STREAM_CALL,    // a call of this process sends on it
    MICA_SESSION_STREAM_CURRENT, // it has all events that the store has
    MICA_SESSION_STREAM_BEHIND,  // the store may have more events
    MICA_SESSION_STREAM_READING, // the session thread reads them
    MICA_SESSION_STREAM_AGAIN,   // the same, and there may be more again
    MICA_SESSION_STREAM_ENDED
};
extern const struct mica_states mica_session_stream_states;

struct mica_session_stream {
    struct mica_session_stream *next; // of its session
    enum mica_session_stream_state state;
    struct mica_sse *sse;           // held
    struct mica_session_call *call; // that sends on it, in the state CALL
    int64_t number;                 // in the store, 0: not there
    // The rest is of those that are served from the store.
    int64_t sent;                 // the last event that went out
    uint64_t moved_ms;            // when the last one did
    char kept[MICA_CALL_ID_SIZE]; // its call, if that is kept; or empty
    unsigned char ticks;          // looks that were left out since the last
    int64_t asked;                // as mica_session_recovery_mend has it
    bool primes; // its revision has events that are nothing but an id
    bool begun;  // an event with an id has gone out on it
    // Its client came back behind that event, and is asked again what is still
    // open; -1: it has been.
    int64_t seen;
};

// Is it served from the store? That is what follows the state CALL, and what a
// client that came back has from the start.
static inline bool
mica_session_stream_replays(const struct mica_session_stream *stream)
{
    return stream->state >= MICA_SESSION_STREAM_CURRENT &&
           stream->state <= MICA_SESSION_STREAM_AGAIN;
}

// A stream like `as` joins its session in that state, and has the reference to
// `as->sse` from then on. NULL for want of memory.
struct mica_session_stream *mica_session_stream_add(
    struct mica_session_table *table, struct mica_open_session *session,
    const struct mica_session_stream *as, enum mica_session_stream_state state);

// Builds with MICA_DEBUG check the move, and the invariants of the new state.
void mica_session_stream_move(struct mica_session_table *table,
                              struct mica_session_stream *stream,
                              enum mica_session_stream_state state);

// It ends behind what waits in it, leaves its session and its call, and is gone.
void mica_session_stream_end(struct mica_session_table *table,
                             struct mica_open_session *session,
                             struct mica_session_stream *stream);

// The stream of that number (not 0), and the session's own; or NULL.
struct mica_session_stream *
mica_session_stream_find(const struct mica_open_session *session,
                         int64_t number);
struct mica_session_stream *
mica_session_stream_own(const struct mica_open_session *session);

// The store may have more events for it. Wakes the session thread.
void mica_session_stream_poke(struct mica_session_table *table,
                              struct mica_session_stream *stream);

// Its call is kept under that id: the stream lasts as long as the call.
void mica_session_stream_keep(struct mica_session_table *table,
                              struct mica_session_stream *stream,
                              struct mica_text id);

// The call has sent its events, but the stream stays: the rest comes from the store.
// Returns the stream; NULL when the call has none, or
// when the table ends and no thread would look after it.
struct mica_session_stream *
mica_session_stream_take(struct mica_session_table *table,
                         struct mica_session_call *call);

// Sends the event that is next on a stream that is CURRENT, and with `last` ends it.
// False: the store has to be asked.
bool mica_session_stream_tell(struct mica_session_table *table,
                              struct mica_open_session *session,
                              struct mica_session_stream *stream,
                              int64_t sequence, struct mica_text data,
                              bool last);

// The id of that event of a stream, by which a client comes back behind it. 0 is
// the beginning.
struct mica_text mica_session_event_id(char room[MICA_SESSION_EVENT_ID_SIZE],
                                       int64_t number, int64_t sequence);

// An event that is nothing but an id, and says when to come back.
bool mica_session_event_prime(struct mica_sse *sse, int64_t number,
                              int64_t sequence);

#endif
