// SPDX-License-Identifier: Apache-2.0
//
// A stream of a session: the session's own (opened by GET), the response of a call
// (POST), or one that its client resumed (GET with Last-Event-ID). session_stream.c
// draws its states.
//
// All functions need the lock of the session table (SESSION-1).
#ifndef MICA_HTTP_SESSION_STREAM_H
#define MICA_HTTP_SESSION_STREAM_H

#include <mica/store.h>

#include "base/states.h"
#include "http/events/sse.h"
#include "server/server.h"

struct mica_session_table;
struct mica_open_session;
struct mica_session_turn;

enum {
    MICA_SESSION_EVENT_ID_SIZE = 48, // of "<stream>-<sequence>" and NUL
    MICA_SESSION_RETRY_MS = 500      // after which a client resumes
};

enum mica_session_stream_state {
    MICA_SESSION_STREAM_NEW,     // in no session yet
    MICA_SESSION_STREAM_CHANGES, // the session's own: it gets changes
    MICA_SESSION_STREAM_CALL,    // a call of this process sends on it
    MICA_SESSION_STREAM_CURRENT, // all events of the store are sent
    MICA_SESSION_STREAM_BEHIND,  // the store may have more
    MICA_SESSION_STREAM_READING, // the session thread reads the store
    MICA_SESSION_STREAM_AGAIN,   // the same, and more may have come
    MICA_SESSION_STREAM_ENDED
};
extern const struct mica_states mica_session_stream_states;

// How far a stream is that is served from the store. The session thread copies it
// whole before it reads the store, and back afterwards.
struct mica_session_position {
    int64_t sent; // sequence of the last event that was sent
    bool id_sent; // an event with an id was sent on this response (SESSION-4)
    // The event after which the client resumed; questions that are still open are
    // sent again. -1: they have been.
    int64_t resume_after;
    // `changed` of the stored call when all its questions were last found on the
    // stream; 0: never.
    int64_t checked_change;
};

struct mica_session_stream {
    struct mica_session_stream *next; // of its session
    enum mica_session_stream_state state;
    struct mica_sse *sse;           // held
    struct mica_session_turn *turn; // that sends on it, in the state CALL
    int64_t number;                 // in the store, 0: not there
    // The rest is of streams that are served from the store.
    struct mica_session_position position;
    uint64_t moved_ms;               // when an event was last sent
    char call_id[MICA_CALL_ID_SIZE]; // of its stored call; or empty
    unsigned char skipped_polls;     // counts on; every so many are not skipped
    bool sends_priming_event;        // as its revision requires
};

// Is it served from the store? That is so after the state CALL, and from the start
// for a stream that a client resumed.
static inline bool
mica_session_stream_replays(const struct mica_session_stream *stream)
{
    return stream->state >= MICA_SESSION_STREAM_CURRENT &&
           stream->state <= MICA_SESSION_STREAM_AGAIN;
}

// Adds a copy of `as` to the session, in that state. Owner: the stream has the
// reference to `as->sse` from then on. NULL for want of memory.
struct mica_session_stream *mica_session_stream_add(
    struct mica_session_table *table, struct mica_open_session *session,
    const struct mica_session_stream *as, enum mica_session_stream_state state);

// Changes the state. Builds with MICA_DEBUG check that the table of states has this
// change, and the invariants of the new state.
void mica_session_stream_move(struct mica_session_table *table,
                              struct mica_session_stream *stream,
                              enum mica_session_stream_state state);

// Ends the response after its queued bytes, separates the stream from its call,
// removes it from its session and frees it.
void mica_session_stream_end(struct mica_session_table *table,
                             struct mica_open_session *session,
                             struct mica_session_stream *stream);

// Find the stream of that number (not 0), and the session's own; or NULL.
struct mica_session_stream *
mica_session_stream_find(const struct mica_open_session *session,
                         int64_t number);
struct mica_session_stream *
mica_session_stream_own(const struct mica_open_session *session);

// Has the session thread read the store for this stream: it may have more events.
// Does nothing to a stream that is not served from the store.
void mica_session_stream_poke(struct mica_session_table *table,
                              struct mica_session_stream *stream);

// Sets the id of the stored call; from then on the stream lasts as long as the call.
void mica_session_stream_set_call_id(struct mica_session_table *table,
                                     struct mica_session_stream *stream,
                                     struct mica_text id);

// Separates the stream from its call: further events come from the store. Returns the
// stream; NULL when the call has none in this process, when the stream is not in the
// store, or when the table ends: no thread would serve the stream, so it has ended.
struct mica_session_stream *
mica_session_stream_leave_call(struct mica_session_table *table,
                               struct mica_session_turn *turn);

// Sends an event on a stream that is CURRENT, if it is the next one; with `closes`
// ends the stream. Returns false if the event was not sent: the session thread has to
// read the store.
bool mica_session_stream_send_next(struct mica_session_table *table,
                                   struct mica_open_session *session,
                                   struct mica_session_stream *stream,
                                   int64_t sequence, struct mica_text data,
                                   bool closes);

// Writes the id of that event, by which a client resumes the stream after it.
// Sequence 0 is the beginning of the stream.
struct mica_text mica_session_event_id(char storage[MICA_SESSION_EVENT_ID_SIZE],
                                       int64_t number, int64_t sequence);

// Sends a priming event: an id and a retry time without data.
bool mica_session_event_send_priming(struct mica_sse *sse, int64_t number,
                                     int64_t sequence);

#endif
