// SPDX-License-Identifier: Apache-2.0
//
// The open sessions of this process: their streams (session_stream.h) and their
// calls that run. A session that has neither exists in the store alone.
//
// Only clients of the session revisions have sessions.
//
// Invariants:
//  SESSION-1. One lock protects everything here. No thread holds it while it calls the
//             store.
//  SESSION-2. An event is in the store before it is sent with an id of its own. A resumed
//             stream gets its events from the store, so the client misses none of them
//             and gets none twice. Some events are not in the store, and a client that
//             resumes does not get them: priming events and pings, questions that are
//             sent again, and a question or a reply that the store refused.
//  SESSION-3. A stream has at most one reader in each process: the request that resumes
//             it ends the response that sent it before.
//  SESSION-4. The first event of a resumable stream has an id, on the response of its
//             call and on each response that resumes it. A client knows only the ids of
//             the connection that broke; without one it cannot resume.
#ifndef MICA_HTTP_SESSION_TABLE_H
#define MICA_HTTP_SESSION_TABLE_H

#include <microhttpd.h>

#include <mica/store.h>

#include "http/events/sse.h"
#include "serve/bus.h"
#include "serve/stored_sessions.h"
#include "server/server.h"

struct mica_app_exposure;
struct mica_session_table;
struct mica_session_stream;

// A turn of a call of a session: the first, which has the request, or a background turn. A
// worker runs it. Embedded in the exchange, or in the memory of the background turn.
struct mica_session_turn {
    struct mica_session_turn *next;
    struct mica_open_session *session; // its session
    struct mica_message *message;
    // The stream on which the call sends. NULL: the call is *unattached*. Its reply is
    // JSON, its handler closed the stream, its client resumed the stream, its session
    // ended, or it is a background turn. A broken connection alone leaves a call attached.
    struct mica_session_stream *response_stream;
    int64_t stream; // number of the stream in the store, 0: not resumable
    uint64_t began_ms;
    uint64_t leased_ms; // when the lease on the stream was last renewed
    uint64_t limit_ms;  // 0: no limit here (the connection watcher has it)
    bool timed_out;     // cancelled because it exceeded `limit_ms`
    bool cancelled_by_client;
    int64_t sent; // sequence of the last event that was sent
};

struct mica_session_table_options {
    struct mica_server *server;
    struct mica_session_store *session_store;
    struct mica_bus *bus;
    uint32_t idle_ms; // time limit of a call whose stream is not resumable
    const atomic_size_t *following; // task subscriptions of this process
};

enum mica_status
mica_session_table_open(const struct mica_session_table_options *options,
                        struct mica_error *error,
                        struct mica_session_table **table_out) MICA_MUST_USE;

// Ends the sessions' own streams, and opens no more of them. A resumed stream ends
// when its call does not run in this process and all its events are sent.
void mica_session_table_drain(struct mica_session_table *table);

// Ends all streams, and accepts no more calls. Calls that run continue until
// mica_session_table_cancel_all.
void mica_session_table_end(struct mica_session_table *table);
void mica_session_table_cancel_all(struct mica_session_table *table);
void mica_session_table_close(struct mica_session_table **table);

// Ends the sessions' own streams at the endpoint with that key (mica_registry_has_ended);
// with `now` only those whose callers it does not admit.
void mica_session_table_end_streams_at(struct mica_session_table *table,
                                       struct mica_text endpoint,
                                       const struct mica_app_exposure *now);

// Answers a GET whose message is at MICA_STEP_STREAM. Returns a stream to queue with
// status 200, or NULL when the message has an error reply.
struct mica_sse *mica_session_table_stream(struct mica_session_table *table,
                                           struct mica_message *message);

// Cancels the calls and ends the streams of a session that a DELETE has ended.
void mica_session_table_end_session(struct mica_session_table *table,
                                    const struct mica_message *message);

// Cancel the requests that the message names. The first cancels those that run in this
// process; the second cancels stored calls of the session, whether they wait for answers
// or run in any process. The second calls the store.
void mica_session_table_cancel(struct mica_session_table *table,
                               const struct mica_message *message);
void mica_session_table_cancel_waiting(struct mica_session_table *table,
                                       const struct mica_message *message);

// From now on the session thread calls `on_tick` every second, until
// mica_session_table_end.
void mica_session_table_set_on_tick(struct mica_session_table *table,
                                    void (*on_tick)(void *data), void *data);

// Finds the end of the feed: changes that other processes make from now on are
// delivered. Does nothing the second time; if the store is busy, the session thread tries
// again. Calls the store.
void mica_session_changes_open_feed(struct mica_session_table *table);

// A client of this process subscribes to tasks: from now on the session thread reads
// the changes that other processes publish. The feed is open (see above).
void mica_session_changes_follow(struct mica_session_table *table);

// Writes the notification of a change; leaves `text` empty for want of memory.
void mica_change_write(const struct mica_change *change,
                       struct mica_buffer *text);

// ---- Turns -----------------------------------------------------------------
//
//  step                      function                        fate of the stream
//  a request begins          mica_session_turn_begin         opened
//  the store records it      mica_session_turn_open_stream   resumable
//  its first event           .._send_priming_event           has an id
//  a background turn begins  mica_session_turn_resume        stays as it is
//  a notification            mica_session_turn_emit          gets the event
//  the handler closes it     mica_session_turn_close_stream  ended; the client resumes
//  the turn ends             mica_session_turn_end           as below
//
// mica_session_turn_end chooses by the step of the message. "Committed": the commit of the
// turn has appended its events to the stream in the store; otherwise the function appends
// them.
//
//  step of the message            events     fate of the stream
//  ASK: questions are open        committed  gets the questions and stays
//  ASK: questions are open        not yet    the same
//  SILENT, and the call continues -          stays; the session thread sends the
//                                            events that other turns append
//  any other: the call has ended  committed  gets the last event and ends
//  any other: the call has ended  not yet    gets the reply and ends; a cancelled
//                                            call gets none

// Begins the first turn of a call. With `streams` its response is a stream. Returns false
// for want of memory. Owner: the caller has one reference to `*sse_out`, which is
// NULL without a stream.
bool mica_session_turn_begin(struct mica_session_table *table,
                             struct mica_session_turn *turn,
                             struct mica_message *message, bool streams,
                             struct mica_sse **sse_out);

// Records the stream in the store, which makes it resumable; later sends the event
// by whose id the client resumes it. The first calls the store.
void mica_session_turn_open_stream(struct mica_session_table *table,
                                   struct mica_session_turn *turn);
void mica_session_turn_send_priming_event(struct mica_session_table *table,
                                          struct mica_session_turn *turn);

// Sends a notification from a worker.
void mica_session_turn_emit(struct mica_session_table *table,
                            struct mica_session_turn *turn,
                            struct mica_text notification);

// Ends the call and its stream. `reply` may be empty.
void mica_session_turn_end_call(struct mica_session_table *table,
                                struct mica_session_turn *turn,
                                struct mica_text reply);

// Begins a background turn of a stored call of a session. Returns false if its
// events cannot be sent here: there is no memory, or the server ends.
bool mica_session_turn_resume(struct mica_session_table *table,
                              struct mica_session_turn *turn,
                              struct mica_message *message);

// Ends a turn without an event; another turn continues the call.
void mica_session_turn_leave(struct mica_session_table *table,
                             struct mica_session_turn *turn);

// Ends a turn of a call, by the step of its message (see the table). Returns true if
// the call continues, and its stream with it.
bool mica_session_turn_end(struct mica_session_table *table,
                           struct mica_session_turn *turn);

// Ends the response while the call continues: the client resumes the stream. Returns
// false, and does nothing, if the client could not resume it.
bool mica_session_turn_close_stream(struct mica_session_table *table,
                                    struct mica_session_turn *turn);

struct mica_session_table_counts {
    size_t streams;  // the sessions' own, now
    size_t replayed; // served from the store, now
    size_t calls;    // now
    size_t lost;     // changes that were not delivered
    size_t waiting;  // resumable streams of stored calls, now
    size_t asked;    // questions
};
struct mica_session_table_counts
mica_session_table_counts(struct mica_session_table *table);

#endif
