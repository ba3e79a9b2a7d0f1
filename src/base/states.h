// SPDX-License-Identifier: Apache-2.0
//
// States as a table: an enum, the moves that are allowed, and names for messages.
// What has the states keeps the enum in a member and moves it in one function,
// which asks the table in builds with MICA_DEBUG (assert.h). A move that is not in
// the table is an error of the program: the program stops with one line that says
// what has the states, which move it was, and what was wrong.
//
//     static const uint32_t moves[] = {
//         [DOOR_OPEN] = MICA_STATE_BIT(DOOR_CLOSED),
//         [DOOR_CLOSED] = MICA_STATE_BIT(DOOR_OPEN) | MICA_STATE_BIT(DOOR_LOCKED),
//         [DOOR_LOCKED] = MICA_STATE_BIT(DOOR_CLOSED)};
//     static const char *const names[] = {"OPEN", "CLOSED", "LOCKED"};
//     const struct mica_states door = {"door", names, moves, 3, NULL};
#ifndef MICA_BASE_STATES_H
#define MICA_BASE_STATES_H

#include <mica/base.h>

#include "base/assert.h"

enum {
    MICA_STATES_MAX = 32,  // of one table: a bit each
    MICA_STATES_LINE = 192 // room for the line that stops the program
};

#define MICA_STATE_BIT(state) (UINT32_C(1) << (state))

struct mica_states {
    const char *namez;        // what has the states: "exchange"
    const char *const *names; // of the states
    const uint32_t *moves;    // by state: a bit for each that may follow
    unsigned count;
    // Prints the line and ends the program; NULL: mica_assert_failed, as the core
    // has nowhere to print.
    void (*stop)(const char *linez);
};

// May `to` follow `from`? False for states that the table does not have. A state
// follows itself only when the table says so.
static inline bool
mica_states_allow(const struct mica_states *states, unsigned from, unsigned to)
{
    return from < states->count && to < states->count &&
           (states->moves[from] & MICA_STATE_BIT(to)) != 0;
}

// The name of a state; "?" for one that the table does not have.
static inline const char *
mica_states_name(const struct mica_states *states, unsigned state)
{
    return state < states->count ? states->names[state] : "?";
}

// Stops the program unless the move is allowed and `brokenz` is NULL: what the
// invariants of the new state found wrong, as text.
void mica_states_check(const struct mica_states *states, unsigned from,
                       unsigned to, const char *brokenz);

#endif
