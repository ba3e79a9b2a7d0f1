// SPDX-License-Identifier: Apache-2.0
//
// A call that lives longer than one message: it waits for its client, or is a task. The
// server fills this struct and reads it, and the store writes and reads it as it is.
// Who may change a call, and when, stands in server/calls/call_store.h.
#ifndef MICA_CALL_KEPT_CALL_H
#define MICA_CALL_KEPT_CALL_H

#include <mica/server.h>

#include "base/owner.h"

// Numbers that stand in stores: they never change.
enum mica_call_state {
    // A turn runs, or waits to be run. Where a part of the answers brings it further,
    // `asks` has the questions that are still open.
    MICA_CALL_WORKING = 1,
    MICA_CALL_WAITING,   // for its client
    MICA_CALL_COMPLETED, // `reply` is the result, or
    MICA_CALL_FAILED,    // the error, of JSON-RPC
    MICA_CALL_CANCELLED
};

// How its client continues it. These numbers stand in stores as well.
enum mica_call_mode {
    MICA_CALL_ROUNDS = 1, // repeats the request (stateless revision)
    MICA_CALL_SESSION,    // answers requests of the server (legacy)
    MICA_CALL_TASK        // asks how it is (tasks extension)
};

// What a call of a session sends on its stream at the end of a turn. The commit of the
// turn appends these events in the same transaction.
struct mica_turn_events {
    const struct mica_text *events;
    size_t count;
    bool closes; // the stream ends behind them
    // Out: the number of the first event; 0: the turn was kept without them.
    int64_t first;
};

// A call as it is kept. Texts are in the arena into which it was read.
struct mica_kept_call {
    // What never changes:
    struct mica_text id; // not empty in a store
    struct mica_owner owner;
    enum mica_definition_kind kind;
    struct mica_text target;    // key of the definition
    struct mica_text version;   // of that: a tool that has changed is another
    struct mica_text arguments; // JSON
    struct mica_text context;   // JSON: what a later turn needs of the request
    struct mica_text session;   // key of the session (its 32 bytes), or empty
    int64_t stream;             // of the session, on which it answers; or 0
    int64_t created;

    // What a commit writes:
    enum mica_call_state state;
    // Written when the claim is given back.
    enum mica_call_mode mode;
    struct mica_text journal; // bytes (src/call/journal.h)
    struct mica_text asks; // JSON: {key: {"method","params"}, …} now waited for
    struct mica_text reply; // JSON: result or error, once it has ended
    struct mica_text note;  // for people: what it is doing (tasks)
    struct mica_text
        progress_log; // JSON lines: its messages (server/calls/progress_log.h)
    int64_t due;      // when the first of `asks` is late; INT64_MAX
    int64_t expires;
    // Claims before this one that were lost: their process did not come back from
    // the turn. A turn that continues writes 0.
    uint32_t attempts;

    // What the store writes:
    uint32_t round; // rises by 1 with each round that was answered
    int64_t changed;
    int64_t fence; // of the claim; 0: it is not claimed
    int64_t bytes; // all that is kept of it
    // By a claim: what its open questions come to, as mica_store_call_ending.
    enum mica_status ending;

    // For a commit alone; NULL: the turn sends no events.
    struct mica_turn_events *turn_events;
    // For a commit alone: the call is new and was not created before. The same commit
    // gives the claim back.
    bool begins;
    // For a commit alone: it ends because no process has its build (C6), and the log
    // and a counter tell people.
    bool strands;
};

static inline bool
mica_call_has_ended(const struct mica_kept_call *call)
{
    return call->state != MICA_CALL_WORKING && call->state != MICA_CALL_WAITING;
}

// Does it have questions that its client may answer now?
static inline bool
mica_call_asks(const struct mica_kept_call *call)
{
    return !mica_call_has_ended(call) && call->asks.len > 0;
}

#endif
