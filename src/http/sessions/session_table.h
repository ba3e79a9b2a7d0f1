// SPDX-License-Identifier: Apache-2.0
//
// What sessions of older clients have open in this process: streams
// (session_stream.h) and the calls that run. A session without any of these is in
// the store alone.
//
// Invariants:
//  L1. All of it is under one lock, which is held for no call to the store.
//  L2. An event is first in the store, then on a stream. A client that comes back
//      is served from the store, so nothing is sent twice and nothing is missed.
//  L3. A stream has one reader: the client that comes back for it ends the one
//      before.
//  L4. A stream that is kept begins with an event that has an id, on the connection
//      of its call and on each that replays it: a client knows only the ids of the
//      connection that breaks, and without one it cannot come back again.
#ifndef MICA_HTTP_SESSION_TABLE_H
#define MICA_HTTP_SESSION_TABLE_H

#include <microhttpd.h>

#include <mica/store.h>

#include "http/events/sse.h"
#include "serve/bus.h"
#include "serve/stored_sessions.h"
#include "server/server.h"

struct mica_session_table;
struct mica_session_stream;

// A call of a session that a worker has. In the exchange.
struct mica_session_call {
    struct mica_session_call *next;
    struct mica_open_session *session; // its session
    struct mica_message *message;
    // On which it sends; NULL: it is answered as JSON, its client has gone or came
    // back for the stream.
    struct mica_session_stream *answer;
    int64_t stream; // its number in the store, 0: not recorded
    uint64_t began_ms;
    uint64_t leased_ms; // when others were told that it runs
    uint64_t limit_ms;  // 0: another thread sees to it
    bool late;          // cancelled for that
    bool given_up;      // by its client
    int64_t sent;       // the last event that was sent
};

struct mica_session_table_options {
    struct mica_server *server;
    struct mica_session_store *session_store;
    struct mica_bus *bus;
    uint32_t idle_ms;               // for which a call without a stream may run
    const atomic_size_t *following; // subscriptions to tasks, of this process
};

enum mica_status
mica_session_table_open(const struct mica_session_table_options *options,
                        struct mica_error *error,
                        struct mica_session_table **table_out) MICA_MUST_USE;

// Ends the streams that sessions have of their own and takes no new ones; those
// that are served from the store end once they have what calls of this process tell.
void mica_session_table_drain(struct mica_session_table *table);

// Ends all of them, and takes no calls either; calls that run continue, until
// _cancel_all.
void mica_session_table_end(struct mica_session_table *table);
void mica_session_table_cancel_all(struct mica_session_table *table);
void mica_session_table_close(struct mica_session_table **table);

// Answers a GET whose message is at MICA_STEP_STREAM. NULL: there is a reply to
// send in the message; otherwise a stream to queue, with status 200.
struct mica_sse *mica_session_table_stream(struct mica_session_table *table,
                                           struct mica_message *message);

// A DELETE has ended the message's session.
void mica_session_table_forget(struct mica_session_table *table,
                               const struct mica_message *message);

// The requests that the message cancels: those that run here, and then calls that
// wait. The second waits for the store.
void mica_session_table_cancel(struct mica_session_table *table,
                               const struct mica_message *message);
void mica_session_table_cancel_waiting(struct mica_session_table *table,
                                       const struct mica_message *message);

// The thread calls `look` every second, too, from now until mica_session_table_end.
void mica_session_table_attend(struct mica_session_table *table,
                               void (*look)(void *data), void *data);

// A client follows tasks here: from now on, changes by other processes are read.
void mica_session_changes_follow(struct mica_session_table *table);

// The notification of a change; empty when there is no memory.
void mica_change_write(const struct mica_change *change,
                       struct mica_buffer *text);

// ---- Calls -----------------------------------------------------------------

// A call begins to run on a worker. With `streams` its answer is a stream. False
// for want of memory. Owner: the caller has one reference to `*sse_out`, which is
// NULL otherwise.
bool mica_session_call_begin(struct mica_session_table *table,
                             struct mica_session_call *call,
                             struct mica_message *message, bool streams,
                             struct mica_sse **sse_out);

// The stream is kept, and later its client is told how to come back for it. These
// wait for the store.
void mica_session_call_open_stream(struct mica_session_table *table,
                                   struct mica_session_call *call);
void mica_session_call_prime(struct mica_session_table *table,
                             struct mica_session_call *call);

// From a worker: a notification on the way, and the end. `reply` may be empty.
void mica_session_call_emit(struct mica_session_table *table,
                            struct mica_session_call *call,
                            struct mica_text notification);
void mica_session_call_end(struct mica_session_table *table,
                           struct mica_session_call *call,
                           struct mica_text reply);

// The call waits for its client: its questions go out, and its stream stays
// without it, until a turn of the call ends it.
void mica_session_call_wait(struct mica_session_table *table,
                            struct mica_session_call *call,
                            struct mica_message *message);

// A turn of a kept call of a session, that no request runs. False: what it says
// cannot be told here (the server ends).
bool mica_session_call_continue(struct mica_session_table *table,
                                struct mica_session_call *call,
                                struct mica_message *message);

// The turn ends and the call does not: another turn continues it.
void mica_session_call_leave(struct mica_session_table *table,
                             struct mica_session_call *call);

// How a turn of a call ends, by the step of its message: one of the three. True:
// the call continues, and its stream, without the thread that ran the turn.
bool mica_session_call_settle(struct mica_session_table *table,
                              struct mica_session_call *call);

// The stream of the call ends while the call continues: its client comes back for
// the rest. False when it could not.
bool mica_session_call_close_stream(struct mica_session_table *table,
                                    struct mica_session_call *call);

struct mica_session_table_counts {
    size_t streams;  // of sessions' own, now
    size_t replayed; // that are served from the store, now
    size_t calls;    // now
    size_t lost;     // changes that could not be told
    size_t waiting;  // calls with a reader on their stream, now
    size_t asked;    // questions
};
struct mica_session_table_counts
mica_session_table_counts(struct mica_session_table *table);

#endif
