// SPDX-License-Identifier: Apache-2.0
//
// A call in the store: it lives longer than one message, as it waits for its client or is
// a task. The server fills this struct, and the store writes and reads it unchanged.
// server/calls/calls_interface.h says who may change a call, and when.
#ifndef MICA_CALL_KEPT_CALL_H
#define MICA_CALL_KEPT_CALL_H

#include <mica/server.h>

#include "base/owner.h"

// Stores contain these numbers: they never change.
enum mica_call_state {
    // A turn runs, or waits to run. If a partial answer lets the call continue, `asks` has
    // the questions that are still open.
    MICA_CALL_WORKING = 1,
    MICA_CALL_WAITING,   // it waits for its client
    MICA_CALL_COMPLETED, // `reply` is the result
    MICA_CALL_FAILED,    // `reply` is the error of JSON-RPC
    MICA_CALL_CANCELLED
};

// How the client continues the call. Stores contain these numbers as well.
enum mica_call_mode {
    MICA_CALL_ROUNDS = 1, // it repeats the request (the stateless revision)
    MICA_CALL_SESSION, // it answers requests of the server (revisions with sessions)
    MICA_CALL_TASK // it polls the task (tasks extension)
};

// The events that a call of a session sends on its stream at the end of a turn. The commit
// of the turn appends them in the same transaction.
struct mica_turn_events {
    const struct mica_text *events;
    size_t count;
    bool closes; // the stream ends after them
    // Out: the number of the first event; 0: the commit does not contain them.
    int64_t first;
};

// Texts are in the arena into which the store has read the call.
struct mica_kept_call {
    // Never change:
    struct mica_text id; // not empty in a store
    struct mica_owner owner;
    enum mica_definition_kind kind;
    struct mica_text target; // key of the definition
    // Of its build; a changed tool has another version.
    struct mica_text version;
    struct mica_text arguments; // JSON
    struct mica_text context;   // JSON: what a later turn needs of the request
    struct mica_text session;   // key of the session (its 32 bytes), or empty
    int64_t stream; // number of the session's stream for the reply; or 0
    int64_t created;

    // A commit writes:
    enum mica_call_state state;
    enum mica_call_mode mode; // only a commit that releases the claim writes it
    struct mica_text journal; // bytes (src/call/journal.h)
    // JSON: the open questions, {key: {"method","params"}, …}.
    struct mica_text asks;
    struct mica_text reply; // JSON: result or error, once it has ended
    struct mica_text note;  // for people: what it does now (tasks)
    // JSON lines: its messages (server/calls/progress_log.h).
    struct mica_text progress_log;
    // When the first of `asks` times out; INT64_MAX: never. A call that is stored before
    // it asks has the time limit of its tool here. The store ignores `due` while the call
    // is WORKING.
    int64_t due;
    int64_t expires; // when the call times out
    // The number of claims that were lost one after the other (CALL-5): the process that
    // had claimed the call died or hung in the middle of a turn. A commit writes 0 if it
    // adds to the journal or releases the claim.
    uint32_t lost_claims;

    // The store writes:
    uint32_t
        round; // the rounds that were answered so far; the next one has this number
    int64_t changed;
    // Number of the claim, under which a commit writes (CALL-1); 0: not claimed.
    int64_t fence;
    int64_t bytes; // that count against the limits of the store
    // Set by a claim: the status of its open questions, as mica_store_call_ending.
    enum mica_status ending;

    // These three are for a commit alone.
    struct mica_turn_events *turn_events; // NULL: the turn sends no events
    // The call is new: this commit creates it, and releases the claim.
    bool begins;
    // The call ends because no process has its build (CALL-6): the call store writes it to
    // the log and counts it.
    bool strands;
};

static inline bool
mica_call_has_ended(const struct mica_kept_call *call)
{
    return call->state != MICA_CALL_WORKING && call->state != MICA_CALL_WAITING;
}

// Has the call questions that its client may answer now?
static inline bool
mica_call_asks(const struct mica_kept_call *call)
{
    return !mica_call_has_ended(call) && call->asks.len > 0;
}

#endif
