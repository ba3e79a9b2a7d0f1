// SPDX-License-Identifier: Apache-2.0
//
// The states of a call in the store. Their numbers are stored, so they never change.
//
//     (new) ----> WORKING <------> WAITING
//       |            |                |
//       |            +-------+--------+
//       |                    v
//       |     COMPLETED, FAILED, CANCELLED ----> (deleted when it has expired)
//       +--> WAITING: a call of a session that asks in its first turn
//
// A call that its client carries stays new: the store does not have it. A move is made
// before the commit that writes it, and taken back if that commit fails.
//
// Which process runs a call is not part of its state: the claim tells it, a lease with a
// fencing number (CALL-1). The store refuses moves that are not in the table. An ended call
// cannot be claimed (CALL-4), and a commit needs the claim.
//
// Owner: the execution that has claimed the call, or that creates it.
#include "server/calls/calls_interface.h"

#include "base/assert.h"
#include "base/states.h"

#define BIT(state) MICA_STATE_BIT(MICA_CALL_##state)
#define OPEN_MOVES                                                \
    (BIT(WORKING) | BIT(WAITING) | BIT(COMPLETED) | BIT(FAILED) | \
     BIT(CANCELLED))

// A commit in the middle of a turn does not change the state.
static const uint32_t call_moves[] = {[0] = BIT(WORKING) | BIT(WAITING),
                                      [MICA_CALL_WORKING] = OPEN_MOVES,
                                      [MICA_CALL_WAITING] = OPEN_MOVES,
                                      [MICA_CALL_COMPLETED] = 0,
                                      [MICA_CALL_FAILED] = 0,
                                      [MICA_CALL_CANCELLED] = 0};

static const char *const call_names[] = {"NEW",       "WORKING", "WAITING",
                                         "COMPLETED", "FAILED",  "CANCELLED"};

const struct mica_states mica_call_states = {.namez = "call",
                                             .names = call_names,
                                             .moves = call_moves,
                                             .count = MICA_COUNT(call_moves)};

#ifdef MICA_DEBUG

// Tells why the fields of an ended call do not fit; NULL: they do.
static const char *
find_broken_end(const struct mica_kept_call *call)
{
    if (call->asks.len > 0)
        return "an ended call asks";
    if (call->due != INT64_MAX)
        return "an ended call becomes due";
    return call->reply.len == 0 ? "an ended call has no reply" : NULL;
}

// The same for a call that has not ended.
static const char *
find_broken_open(const struct mica_kept_call *call, enum mica_call_state state)
{
    if (call->reply.len > 0)
        return "it has a reply and has not ended";
    if (state == MICA_CALL_WAITING)
        return call->asks.len == 0 ? "it waits and asks nothing" : NULL;
    // The client of rounds answers all questions at once.
    return call->asks.len > 0 && call->mode == MICA_CALL_ROUNDS
               ? "it asks and does not wait"
               : NULL;
}

// The same for any call. The store gives the fence: with a new call, and with a claim.
static const char *
find_broken(const struct mica_kept_call *call, enum mica_call_state from,
            enum mica_call_state state)
{
    if (from == 0 && call->fence != 0)
        return "a new call is claimed";
    if (from != 0 && call->fence == 0)
        return "it is not claimed";
    if (from == 0 && call->begins != (state == MICA_CALL_WAITING))
        return "only a commit creates a call that waits, and no other call";
    if (call->mode == 0)
        return "no client can continue it";
    return state == MICA_CALL_WORKING || state == MICA_CALL_WAITING
               ? find_broken_open(call, state)
               : find_broken_end(call);
}

#endif

void
mica_call_check_commit(const struct mica_kept_call *call,
                       enum mica_call_state stored)
{
#ifdef MICA_DEBUG
    mica_states_check(&mica_call_states, stored, call->state,
                      find_broken(call, stored, call->state));
#else
    (void)call;
    (void)stored;
#endif
}

void
mica_call_move(struct mica_kept_call *call, enum mica_call_state state)
{
#ifdef MICA_DEBUG
    mica_states_check(&mica_call_states, call->state, state,
                      find_broken(call, call->state, state));
#endif
    call->state = state;
}

void
mica_call_move_back(struct mica_kept_call *call, enum mica_call_state stored)
{
    MICA_DCHECK(mica_states_allow(&mica_call_states, stored, call->state));
    call->state = stored;
    call->reply = (struct mica_text){NULL, 0};
}
