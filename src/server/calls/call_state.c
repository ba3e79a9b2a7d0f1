// SPDX-License-Identifier: Apache-2.0
//
// The states of a call as the store has it. The numbers are stored, and stay.
//
//     (new) ----> WORKING <------> WAITING
//       |            |                |
//       |            +-------+--------+
//       |                    v
//       |     COMPLETED, FAILED, CANCELLED ----> (deleted when its time is over)
//       +--> WAITING: a call of a session that asks in its first turn
//
// Who runs a call is no state but its claim: a lease with a fencing number (C1).
// The store refuses what the table does not have: an ended call is not claimed any
// more, and a commit needs the claim (C4).
#include "server/calls/call_store.h"

#include "base/states.h"

#define BIT(state) MICA_STATE_BIT(MICA_CALL_##state)
#define OPEN_MOVES                                                \
    (BIT(WORKING) | BIT(WAITING) | BIT(COMPLETED) | BIT(FAILED) | \
     BIT(CANCELLED))

// A turn that commits what it has done stays in its state.
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
