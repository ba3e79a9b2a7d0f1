// SPDX-License-Identifier: Apache-2.0
//
// Tables of states: each move that is in the table is allowed, each other one stops
// the program with a line that names it.
#include <setjmp.h>
#include <string.h>

#include "base/states.h"
#include "unit.h"

enum {
    OPEN,
    CLOSED,
    LOCKED
};

static jmp_buf stopped;
static char line[2 * MICA_STATES_LINE];

static void
stop(const char *linez)
{
    ck_assert(strlen(linez) < sizeof line);
    memcpy(line, linez, strlen(linez) + 1);
    longjmp(stopped, 1);
}

static const uint32_t moves[] = {
    [OPEN] = MICA_STATE_BIT(CLOSED),
    [CLOSED] = MICA_STATE_BIT(OPEN) | MICA_STATE_BIT(LOCKED),
    [LOCKED] = MICA_STATE_BIT(CLOSED) | MICA_STATE_BIT(LOCKED)};
static const char *const names[] = {"OPEN", "CLOSED", "LOCKED"};
static const struct mica_states door = {"door", names, moves, 3, stop};

// What the door says of that move; "" when it does nothing.
static const char *
say(unsigned from, unsigned to, const char *brokenz)
{
    line[0] = '\0';
    if (setjmp(stopped) == 0)
        mica_states_check(&door, from, to, brokenz);
    return line;
}

START_TEST(each_move_is_allowed_or_stops)
{
    static const bool allowed[3][3] = {
        {false, true, false}, {true, false, true}, {false, true, true}};
    static const char *const lines[3][3] = {
        {"door: OPEN -> OPEN: the table does not have this move", "",
         "door: OPEN -> LOCKED: the table does not have this move"},
        {"", "door: CLOSED -> CLOSED: the table does not have this move", ""},
        {"door: LOCKED -> OPEN: the table does not have this move", "", ""}};

    for (unsigned from = 0; from < 3; from++) {
        for (unsigned to = 0; to < 3; to++) {
            ck_assert_int_eq(mica_states_allow(&door, from, to),
                             allowed[from][to]);
            ck_assert_str_eq(say(from, to, NULL), lines[from][to]);
        }
    }
}
END_TEST

START_TEST(a_state_that_is_not_there_is_not_reached)
{
    ck_assert(!mica_states_allow(&door, 3, OPEN));
    ck_assert(!mica_states_allow(&door, OPEN, 3));
    ck_assert(!mica_states_allow(&door, OPEN, 40));
    ck_assert_str_eq(say(OPEN, 40, NULL),
                     "door: OPEN -> ?: the table does not have this move");
    ck_assert_str_eq(say(40, OPEN, NULL),
                     "door: ? -> OPEN: the table does not have this move");
}
END_TEST

START_TEST(a_broken_invariant_stops_an_allowed_move)
{
    char longz[2 * MICA_STATES_LINE];

    ck_assert_str_eq(say(OPEN, CLOSED, "a foot is in it"),
                     "door: OPEN -> CLOSED: a foot is in it");
    ck_assert_str_eq(say(OPEN, LOCKED, "a foot is in it"),
                     "door: OPEN -> LOCKED: the table does not have this move");
    memset(longz, 'x', sizeof longz - 1);
    longz[sizeof longz - 1] = '\0';
    ck_assert_str_eq(say(OPEN, CLOSED, longz), longz);
}
END_TEST

UNIT_MAIN("states", each_move_is_allowed_or_stops,
          a_state_that_is_not_there_is_not_reached,
          a_broken_invariant_stops_an_allowed_move)
