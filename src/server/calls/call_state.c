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
// Which process runs a call is not part of its state: the claim tells it, a lease with a
// fencing number (C1). The store refuses moves that are not in the table. An ended call
// cannot be claimed (C4), and a commit needs the claim.
#include "server/calls/calls_interface.h"

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
