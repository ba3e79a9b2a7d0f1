// SPDX-License-Identifier: Apache-2.0
//
// The interface to a store of calls that live longer than one message
// (call/kept_call.h). An adapter implements struct mica_calls (src/serve/stored_calls.c)
// and gives it to the server; this folder decides what happens to a call.
//
// Invariants:
//  CALL-1. A process claims a call before it changes it. The claim is a lease with a
//          fencing number; a commit with an older number than the newest claim fails.
//  CALL-2. Journal, round, questions and reply of a turn are committed in one
//          transaction.
//  CALL-3. A client that repeats a round with the same answers gets the same reply; with
//          other answers it gets STATE_SUPERSEDED. Only a request answers a round; a turn
//          without a request answers none.
//  CALL-4. An ended call cannot be claimed; the store has its reply until the call
//          expires.
//  CALL-5. A call ends with CALL_CRASHED after MICA_CALL_MOST_LOST_CLAIMS processes have
//          lost their claim in the middle of a turn and nothing was recorded since. The
//          handler may have crashed them, so neither it nor its clean-ups run again.
//  CALL-6. A process continues a stored call only if it has the tool in the build that
//          the call began with. A call that no process can continue waits until it
//          expires; then it ends with BUILD_MISSING, and its clean-ups do not run.
#ifndef MICA_SERVER_CALLS_CALLS_INTERFACE_H
#define MICA_SERVER_CALLS_CALLS_INTERFACE_H

#include <mica/server.h>

#include "base/platform.h"
#include "call/kept_call.h"
#include "protocol/revision.h"
#include "server/caller.h"

// Size of the id of a call: 22 characters of base64url, 132 random bits, and a NUL.
#define MICA_CALL_ID_SIZE 23

// Makes a new id.
void mica_call_id_make(const struct mica_platform *platform,
                       char id_out[MICA_CALL_ID_SIZE]);

// Most claims of a call that processes may lose with nothing recorded between them
// (CALL-5).
#define MICA_CALL_MOST_LOST_CLAIMS 5

// A process that lacks the build of a call ends the call with BUILD_MISSING (CALL-6) only
// when the call has been expired for so long, and the process has run for so long. Until then
// the call is left to processes that may have the build: each searches for expired calls
// three times in that interval.
enum {
    MICA_CALL_STRANDED_MS = 60 * 1000
};

// The moves between the states of a call (call_state.c); 0: the call is not stored yet.
struct mica_states;
extern const struct mica_states mica_call_states;

// Moves a call that this execution has claimed, or that the next commit creates: that
// commit writes the state. No other function sets the state of a call. First the caller
// sets the fields that the state needs (call_state.c). Builds with MICA_DEBUG stop at a
// move that the table does not have, and at fields that do not fit.
void mica_call_move(struct mica_kept_call *call, enum mica_call_state state);

// The commit of a move has failed: the call is again in `stored`, the state that the store
// has; 0: it is not stored. A reply that the commit would have written is dropped.
void mica_call_move_back(struct mica_kept_call *call,
                         enum mica_call_state stored);

// Before each commit: builds with MICA_DEBUG stop unless the store may move the call from
// `stored` to call->state. A commit in the middle of a turn does not move the call.
void mica_call_check_commit(const struct mica_kept_call *call,
                            enum mica_call_state stored);

// Any thread may call these functions. Each may fail with MICA_E_BUSY, MICA_E_IO or
// MICA_E_LIMIT beside its own errors.
struct mica_calls {
    void *data;

    // Stores a new call and claims it; sets its fence, and its id (in `arena`) if it
    // has none. An idempotency key (not empty) that the owner has used for the same
    // target before gives MICA_E_EXISTS, and *call is that earlier call, not claimed;
    // with other arguments it gives MICA_E_SUPERSEDED. Errors: MICA_E_LIMIT (too many
    // calls of this owner, or of all).
    enum mica_status (*create)(void *data, struct mica_kept_call *call,
                               struct mica_text idempotency_key,
                               struct mica_arena *arena,
                               struct mica_error *error);

    // Reads a call without claiming it. Errors: MICA_E_NOT_FOUND (unknown, expired, or
    // of another caller).
    enum mica_status (*find)(void *data, struct mica_text id,
                             const struct mica_caller *caller,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_kept_call *call_out);

    // Claims a call for a request of its client. An ended call is read, not claimed;
    // its state says so. Errors: those of `find`, MICA_E_CALL_BUSY (another request or
    // another process has claimed it, and its lease has not expired), MICA_E_STRANDED
    // (CALL-6: this server lacks the build; a task may be claimed anyway, because its
    // client only adds answers).
    enum mica_status (*claim_for_client)(void *data, struct mica_text id,
                                         const struct mica_caller *caller,
                                         struct mica_arena *arena,
                                         struct mica_error *error,
                                         struct mica_kept_call *call_out);

    // Claims a call for a turn without a request: after `wake`, when the call is due, or
    // for an answer. The call may be of any owner, and may have expired. With
    // `session` (not NULL) only a call of the session with that key: for an answer,
    // which must come from the call's own session. An ended call is read, not claimed.
    // *ending_out tells how the open questions end:
    //   MICA_OK              they do not: they are answered, or still wait
    //   MICA_E_TIMEOUT       a time limit of a question or of the call has passed
    //   MICA_E_DISCONNECTED  the session has ended
    //   MICA_E_CANCELLED     the client has cancelled the call
    //   MICA_E_STRANDED      CALL-6: the call has expired, and its build is missing
    // Errors: MICA_E_NOT_FOUND (unknown, or of another session), MICA_E_CALL_BUSY (as
    // claim_for_client), MICA_E_STRANDED (this server lacks the build, and leaves the
    // call to others).
    enum mica_status (*claim_for_turn)(void *data, struct mica_text id,
                                       const struct mica_text *session,
                                       struct mica_arena *arena,
                                       struct mica_error *error,
                                       struct mica_kept_call *call_out,
                                       enum mica_status *ending_out);

    // Writes what a turn may change of a claimed call (the second group of fields in
    // struct mica_kept_call).
    //   round_reply  not empty: also records it as the reply to the current round with
    //                these `answers` (any text; it is hashed). The round rises by one.
    //   release      also releases the claim, even if nothing could be written.
    //   call->turn_events  appends these events to the stream. If the stream cannot
    //                take them, the turn is committed without them.
    // Errors: MICA_E_CALL_BUSY (another process has claimed the call since, or it has
    // ended: drop this turn; an expired lease alone is no error), MICA_E_LIMIT (too large).
    enum mica_status (*commit)(void *data, struct mica_kept_call *call,
                               struct mica_text answers,
                               struct mica_text round_reply, bool release,
                               struct mica_error *error);

    // Reads the recorded reply to an earlier round (CALL-3). Errors: MICA_E_NOT_FOUND (the
    // round has no reply yet), MICA_E_SUPERSEDED (it had other answers).
    enum mica_status (*replay)(void *data, struct mica_text id, uint32_t round,
                               struct mica_text answers,
                               struct mica_arena *arena,
                               struct mica_error *error,
                               struct mica_text *reply_out);

    // Cancels a call: marks it and wakes it, and claim_for_turn then tells
    // MICA_E_CANCELLED. A turn that runs in this process is cancelled at once, a turn in
    // another process when that renews its lease. An ended call stays as it is.
    enum mica_status (*cancel)(void *data, struct mica_text id,
                               struct mica_error *error);

    // Releases a claim without writing. A process must commit or release each call that
    // it has claimed: it renews the lease for as long as it lives.
    void (*release)(void *data, const struct mica_kept_call *call);

    // Lets the scheduler continue a call on a worker, soon: a new task, or a call whose
    // answers were committed. The call must have been released as WORKING; otherwise
    // claim_for_turn says CALL_BUSY.
    void (*wake)(void *data, struct mica_text id);
};

#endif
