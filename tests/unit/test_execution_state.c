// SPDX-License-Identifier: Apache-2.0
//
// The states of an execution and of a call: which moves there are, and that a build
// with MICA_DEBUG stops at any other and at a broken invariant. Compiled with
// MICA_DEBUG in every build.
#include <stdio.h>
#include <string.h>

#include "base/states.h"
#include "server/calls/resumable.h"
#include "stops.h"

enum {
    STATES = MICA_EXECUTION_RELEASED + 1,
    CALL_STATES = MICA_CALL_CANCELLED + 1
};

// By from and to, in the order of the enum.
static const char *const table[STATES] = {
    // NECRAEPFLX: New Entered Claimed Running Asked Ended rePlayed reFused Lost
    ".xx......x", // NEW
    "..xx..xx.x", // ENTERED
    "...x.xxxxx", // CLAIMED
    ".x..xx..x.", // RUNNING
    "...x....xx", // ASKED
    "........xx", // ENDED
    ".........x", // REPLAYED
    ".........x", // REFUSED
    ".........x", // LOST
    "..........", // RELEASED
};

static const char *const call_table[CALL_STATES] = {
    ".xx...", // NEW
    ".xxxxx", // WORKING
    ".xxxxx", // WAITING
    "......", // COMPLETED
    "......", // FAILED
    "......", // CANCELLED
};

static struct mica_execution execution;
static struct mica_resumable subject;

// In the first state, with what the second needs.
static void
prepare_move(unsigned from, unsigned to)
{
    memset(&execution, 0, sizeof execution);
    memset(&subject, 0, sizeof subject);
    execution.state = (enum mica_execution_state)from;
    execution.resumable = &subject;
    if (to == MICA_EXECUTION_CLAIMED) {
        subject.persistence = MICA_PERSISTENCE_CLAIMED;
        subject.kept.state = MICA_CALL_WORKING;
    }
    subject.turn.suspended = to == MICA_EXECUTION_ASKED;
    if (to == MICA_EXECUTION_LOST)
        subject.commit_error.status = MICA_E_CALL_BUSY;
}

static void
check_table(const struct mica_states *states, const char *const *rows,
            unsigned count)
{
    ck_assert_uint_eq(states->count, count);
    for (unsigned from = 0; from < count; from++) {
        for (unsigned to = 0; to < count; to++)
            ck_assert_msg(
                mica_states_allow(states, from, to) == (rows[from][to] == 'x'),
                "%s: %s -> %s", states->namez, mica_states_name(states, from),
                mica_states_name(states, to));
    }
}

START_TEST(the_tables_have_these_moves)
{
    check_table(&mica_execution_states, table, STATES);
    check_table(&mica_call_states, call_table, CALL_STATES);
}
END_TEST

START_TEST(each_allowed_move_is_made)
{
    for (unsigned from = 0; from < STATES; from++) {
        for (unsigned to = 0; to < STATES; to++) {
            if (table[from][to] != 'x')
                continue;
            prepare_move(from, to);
            mica_execution_move(&execution, (enum mica_execution_state)to);
            ck_assert_uint_eq(execution.state, to);
        }
    }
}
END_TEST

static void
move_subject(void *data)
{
    mica_execution_move(&execution, *(enum mica_execution_state *)data);
}

static void
refuse_move(unsigned to)
{
    enum mica_execution_state state = (enum mica_execution_state)to;

    check_traps(move_subject, &state);
}

START_TEST(each_other_move_stops_the_program)
{
    for (unsigned from = 0; from < STATES; from++) {
        for (unsigned to = 0; to < STATES; to++) {
            if (table[from][to] == 'x')
                continue;
            prepare_move(from, to);
            refuse_move(to);
        }
    }
}
END_TEST

START_TEST(a_broken_invariant_stops_the_program)
{
    // A claim that would be forgotten.
    prepare_move(MICA_EXECUTION_ENDED, MICA_EXECUTION_RELEASED);
    subject.persistence = MICA_PERSISTENCE_CLAIMED;
    refuse_move(MICA_EXECUTION_RELEASED);
    // A turn of a kept call that another one may run.
    prepare_move(MICA_EXECUTION_ENTERED, MICA_EXECUTION_RUNNING);
    subject.persistence = MICA_PERSISTENCE_STORED;
    refuse_move(MICA_EXECUTION_RUNNING);
    // An end, although the handler asks, and questions that it does not ask.
    prepare_move(MICA_EXECUTION_RUNNING, MICA_EXECUTION_ENDED);
    subject.turn.suspended = true;
    refuse_move(MICA_EXECUTION_ENDED);
    prepare_move(MICA_EXECUTION_RUNNING, MICA_EXECUTION_ASKED);
    subject.turn.suspended = false;
    refuse_move(MICA_EXECUTION_ASKED);
    // A claim on what has ended (CALL-4), and on nothing.
    prepare_move(MICA_EXECUTION_ENTERED, MICA_EXECUTION_CLAIMED);
    subject.kept.state = MICA_CALL_FAILED;
    refuse_move(MICA_EXECUTION_CLAIMED);
    prepare_move(MICA_EXECUTION_ENTERED, MICA_EXECUTION_CLAIMED);
    subject.persistence = MICA_PERSISTENCE_STORED;
    refuse_move(MICA_EXECUTION_CLAIMED);
    // A handler that cannot ask has no call that could be kept.
    prepare_move(MICA_EXECUTION_RUNNING, MICA_EXECUTION_ASKED);
    execution.resumable = NULL;
    refuse_move(MICA_EXECUTION_ASKED);
    prepare_move(MICA_EXECUTION_RUNNING, MICA_EXECUTION_ENTERED);
    execution.resumable = NULL;
    mica_execution_move(&execution, MICA_EXECUTION_ENTERED);
    // A loss of nothing.
    prepare_move(MICA_EXECUTION_RUNNING, MICA_EXECUTION_LOST);
    subject.commit_error.status = MICA_OK;
    refuse_move(MICA_EXECUTION_LOST);
}
END_TEST

UNIT_MAIN("execution_state", the_tables_have_these_moves,
          each_allowed_move_is_made, each_other_move_stops_the_program,
          a_broken_invariant_stops_the_program)
