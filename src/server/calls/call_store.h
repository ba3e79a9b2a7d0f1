// SPDX-License-Identifier: Apache-2.0
//
// What the server needs of a store of calls that live longer than one message
// (call/kept_call.h). An adapter gives the server a struct mica_calls
// (src/serve/stored_calls.c); this folder decides what happens to a call.
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
#ifndef MICA_SERVER_CALLS_CALL_STORE_H
#define MICA_SERVER_CALLS_CALL_STORE_H

#include <mica/server.h>

#include "call/kept_call.h"
#include "protocol/revision.h"
#include "server/caller.h"

// Room for the id of a call: 128 random bits, base64url, NUL included.
#define MICA_CALL_ID_SIZE 23

// Claims of a call that may be lost with nothing recorded between (C5).
#define MICA_CALL_MOST_ATTEMPTS 5

// So long after a call has expired, and after its own start, a process leaves it to
// one that can run it (C6): twice the time in which every process looks.
enum {
    MICA_CALL_STRANDED_MS = 60 * 1000
};

// The moves from one state to another (call_state.c); 0 is a call that is not kept yet.
struct mica_states;
extern const struct mica_states mica_call_states;

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
    // another caller).
    enum mica_status (*find)(void *data, struct mica_text id,
                             const struct mica_caller *caller,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_kept_call *call_out);

    // Claims it for a turn. Errors: as `find`, MICA_E_CALL_BUSY (claimed by
    // another, whose lease has not run out), MICA_E_STRANDED (C6: what runs it is
    // not here; not for a task, as who claims that writes answers down). A call that
    // has ended is found, not claimed: its state says so.
    enum mica_status (*claim)(void *data, struct mica_text id,
                              const struct mica_caller *caller,
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

    // A task or a call with time left has to continue, soon, on a worker:
    // after mica_calls.create or an answer, when no message runs it. It must have
    // been released as WORKING, or `take` says CALL_BUSY.
    void (*wake)(void *data, struct mica_text id);
};

#endif
