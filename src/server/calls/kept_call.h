// SPDX-License-Identifier: Apache-2.0
//
// A call that lives longer than one message: it waits for its client, or is a
// task. How it is kept is an adapter's matter (src/serve/calls.c), which gives the
// server a struct mica_calls; what happens to it is decided in this folder.
//
// Invariants:
//  C1. A process that changes a call has claimed it: a lease with a fencing number. A
//      commit under an older number fails: the newest claim has decided.
//  C2. Journal, round, questions and reply of a turn are committed together.
//  C3. A round that was answered is answered again with the same reply when it
//      comes again with the same answers, and with STATE_SUPERSEDED otherwise. A
//      request answers a round; a turn that no request runs answers none.
//  C4. An ended call is not claimed any more; its reply is kept until it expires.
//  C5. A call that MICA_CALL_MOST_ATTEMPTS processes have left in mid-turn,
//      with nothing recorded since, ends with CALL_CRASHED: its handler, which may
//      have ended them, does not run again, nor do its clean-ups.
//  C6. A process continues only kept calls whose tool it has, in the build that they
//      began with. A call that no process can continue waits until it expires;
//      then it ends with BUILD_MISSING, and its clean-ups do not run.
#ifndef MICA_SERVER_CALLS_KEPT_CALL_H
#define MICA_SERVER_CALLS_KEPT_CALL_H

#include <mica/server.h>

#include "protocol/revision.h"

// Room for the id of a call: 128 random bits, base64url, NUL included.
#define MICA_CALL_ID_SIZE 23

// Claims of a call that may be lost with nothing recorded between (C5).
#define MICA_CALL_MOST_ATTEMPTS 5

// So long after a call has expired, and after its own start, a process leaves it to
// one that can run it (C6): twice the time in which every process looks.
enum {
    MICA_CALL_STRANDED_MS = 60 * 1000
};

enum mica_call_state {
    // A turn runs, or waits to be run. Where a part of the answers brings it further,
    // `asks` has the questions that are still open.
    MICA_CALL_WORKING = 1,
    MICA_CALL_WAITING,   // for its client
    MICA_CALL_COMPLETED, // `reply` is the result, or
    MICA_CALL_FAILED,    // the error, of JSON-RPC
    MICA_CALL_CANCELLED
};

// The moves from one to another (call_state.c); 0 is a call that is not kept yet.
struct mica_states;
extern const struct mica_states mica_call_states;

// How its client continues it.
enum mica_call_way {
    MICA_CALL_ROUNDS = 1, // repeats the request (modern)
    MICA_CALL_SESSION,    // answers requests of the server (legacy)
    MICA_CALL_TASK        // asks how it is (tasks extension)
};

// A call as it is kept. Texts are in the arena it was read into.
struct mica_kept_call {
    struct mica_text id;
    enum mica_call_way way;
    enum mica_call_state state;
    struct mica_text issuer, subject; // of the owner; both empty: it has none
    enum mica_offer offer;
    struct mica_text target;    // key of the definition
    struct mica_text version;   // of that: a tool that has changed is another
    struct mica_text arguments; // JSON
    struct mica_text journal;   // bytes (src/call/journal.h)
    struct mica_text context;   // JSON: what a later turn needs of the request
    struct mica_text asks; // JSON: {key: {"method","params"}, …} now waited for
    struct mica_text reply;   // JSON: result or error, once it has ended
    struct mica_text note;    // for people: what it is doing (tasks)
    struct mica_text told;    // what it has told (tasks; server/calls/told.h)
    struct mica_text session; // key of the session (its 32 bytes), or empty
    int64_t stream;           // of the session, on which it answers; or 0
    uint32_t round;           // rises by 1 with each round that was answered
    int64_t created, changed, expires;
    int64_t due;   // when the first of `asks` is late; INT64_MAX
    int64_t fence; // of the claim
    // Claims before this one that were lost: their process did not come back from
    // the turn. A commit writes it; a turn that continues writes 0.
    uint32_t attempts;
    // For `commit` alone; NULL is nothing.
    struct mica_turn_events *said;
    // For `commit` alone: the call is new, `create` was not called. It must be
    // released.
    bool begins;
    // For `commit` alone: it ends as no process has its build (C6), which is told.
    bool strands;
};

// What a call of a session says on its stream as a turn ends. `commit` keeps it in the
// transaction that keeps the turn.
struct mica_turn_events {
    const struct mica_text *events;
    size_t count;
    bool closes; // nothing comes behind them
    int64_t
        first; // out: the number of the first event; 0: the turn alone is kept
};

static inline bool
mica_call_has_ended(const struct mica_kept_call *call)
{
    return call->state != MICA_CALL_WORKING && call->state != MICA_CALL_WAITING;
}

// Has it questions that its client may answer now?
static inline bool
mica_call_asks(const struct mica_kept_call *call)
{
    return !mica_call_has_ended(call) && call->asks.len > 0;
}

// Functions may be called from any thread, and may fail with MICA_E_BUSY,
// MICA_E_IO or MICA_E_LIMIT beside their own errors.
struct mica_calls {
    void *data;

    // Keeps a new call, claimed, and gives it an id (in `arena`) unless it has
    // one, and a fence. With an idempotency key (not empty) that its owner has
    // used for the same target before: MICA_E_EXISTS, and *call is that one, not
    // claimed; with other arguments MICA_E_SUPERSEDED. Errors: MICA_E_LIMIT (too
    // many calls of this owner, or in all).
    enum mica_status (*create)(void *data, struct mica_kept_call *call,
                               struct mica_text idempotency_key,
                               struct mica_arena *arena,
                               struct mica_error *error);

    // Reads without claiming. Errors: MICA_E_NOT_FOUND (unknown, expired, or of
    // another owner).
    enum mica_status (*find)(void *data, struct mica_text id,
                             const struct mica_principal *principal,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_kept_call *call_out);

    // Claims it for a turn. Errors: as `find`, MICA_E_CALL_BUSY (claimed by
    // another, whose lease has not run out), MICA_E_STRANDED (C6: what runs it is
    // not here; not for a task, as who claims that writes answers down). A call that
    // has ended is found, not claimed: its state says so.
    enum mica_status (*claim)(void *data, struct mica_text id,
                              const struct mica_principal *principal,
                              struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_kept_call *call_out);

    // Claims it for a process that continues it without a message of its client: after
    // `wake`, or when it is due. For any owner, and also when its time has
    // passed. *ending_out is what its open asks come to: MICA_OK (nothing: they
    // are still waited for, or have been answered), MICA_E_TIMEOUT (of an ask or
    // of the call), MICA_E_DISCONNECTED (its session has ended), MICA_E_STRANDED
    // (C6: its time is over, and what runs it is not here). Errors as `claim`, and
    // MICA_E_STRANDED (what runs it is not here: it is left to others); a call
    // that has ended is found, not claimed.
    enum mica_status (*take)(void *data, struct mica_text id,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_kept_call *call_out,
                             enum mica_status *ending_out);

    // Writes journal, state, asks, reply, note, due, expires and attempts of a
    // claimed call; with `round_reply` (not empty) also that the round before was
    // answered with it, for answers whose digest is `answers` (any text; it is
    // hashed), and the round rises. `release` gives the claim back, also when
    // nothing could be written. What call->said has is kept with it, or, when the
    // stream cannot take that, not: the turn is then kept alone. Errors: MICA_E_CALL_BUSY (the lease was lost:
    // another process continues it, drop what you have done), MICA_E_LIMIT (too large).
    enum mica_status (*commit)(void *data, struct mica_kept_call *call,
                               struct mica_text answers,
                               struct mica_text round_reply, bool release,
                               struct mica_error *error);

    // The reply of an earlier round (C3). Errors: MICA_E_NOT_FOUND (that round
    // has no reply yet), MICA_E_SUPERSEDED (it had other answers).
    enum mica_status (*replay)(void *data, struct mica_text id, uint32_t round,
                               struct mica_text answers,
                               struct mica_arena *arena,
                               struct mica_error *error,
                               struct mica_text *reply_out);

    // Its client wants no more of a call: it is marked and woken, `take` then says
    // MICA_E_CANCELLED, and a turn of it that runs here is cancelled at once, one
    // of another process when its lease is renewed. Ended: nothing happens.
    enum mica_status (*cancel)(void *data, struct mica_text id,
                               struct mica_error *error);

    // Gives a claim back and writes nothing. A process that claims a call commits or
    // releases it: a claim is renewed for as long as its process lives.
    void (*release)(void *data, const struct mica_kept_call *call);

    // A task or a call with time left is to be gone on with, soon, on a worker:
    // after mica_calls.create or an answer, when no message runs it. It must have
    // been released as WORKING, or `take` says CALL_BUSY.
    void (*wake)(void *data, struct mica_text id);
};

#endif
