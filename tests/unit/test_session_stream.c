// SPDX-License-Identifier: Apache-2.0
//
// The states of a session's stream: which moves there are, and that a build with
// MICA_DEBUG stops at any other and at a broken invariant. Compiled with MICA_DEBUG
// in every build.
#include <stdio.h>
#include <string.h>

#include "http/sessions/session_parts.h"
#include "stops.h"

enum {
    STATES = MICA_SESSION_STREAM_ENDED + 1
};

// By from and to, in the order of the enum.
static const char *const table_of[STATES] = {
    // NhCuBRAE: New cHanges Call cUrrent Behind Reading Again Ended
    ".xx.x...", // NEW
    ".......x", // CHANGES
    "...x...x", // CALL
    "....x..x", // CURRENT
    ".....x.x", // BEHIND
    "...xx.xx", // READING
    "....x..x", // AGAIN
    "........", // ENDED
};

static struct mica_session_table sessions;
static struct mica_session_stream stream;
static struct mica_session_turn turn;

// One that may move from there to there.
static void
set(unsigned from, unsigned to)
{
    memset(&sessions, 0, sizeof sessions);
    memset(&stream, 0, sizeof stream);
    stream.state = (enum mica_session_stream_state)from;
    stream.sse = to == MICA_SESSION_STREAM_ENDED
                     ? NULL
                     : (void *)&turn; // only compared with NULL
    stream.turn = to == MICA_SESSION_STREAM_CALL ? &turn : NULL;
    stream.number = to == MICA_SESSION_STREAM_CHANGES ? 0 : 7;
}

static const char *
name(unsigned state)
{
    return mica_states_name(&mica_session_stream_states, state);
}

static void
move(void *data)
{
    mica_session_stream_move(&sessions, &stream,
                             *(enum mica_session_stream_state *)data);
}

START_TEST(each_allowed_move_is_made_and_counted)
{
    ck_assert_uint_eq(mica_session_stream_states.count, STATES);
    for (unsigned from = 0; from < STATES; from++) {
        for (unsigned to = 0; to < STATES; to++) {
            enum mica_session_stream_state state =
                (enum mica_session_stream_state)to;
            ck_assert_msg(mica_states_allow(&mica_session_stream_states, from,
                                            to) == (table_of[from][to] == 'x'),
                          "%s -> %s", name(from), name(to));
            if (table_of[from][to] != 'x')
                continue;
            set(from, to);
            sessions.counts.streams = sessions.counts.replayed = 1;
            move(&state);
            ck_assert_uint_eq(stream.state, to);
            ck_assert_uint_eq(sessions.counts.streams,
                              1u + (to == MICA_SESSION_STREAM_CHANGES) -
                                  (from == MICA_SESSION_STREAM_CHANGES));
            ck_assert_uint_eq(sessions.counts.replayed,
                              1u + (to >= 3 && to <= 6) -
                                  (from >= 3 && from <= 6));
        }
    }
}
END_TEST

START_TEST(each_other_move_aborts)
{
    char line[256];

    for (unsigned from = 0; from < STATES; from++) {
        for (unsigned to = 0; to < STATES; to++) {
            enum mica_session_stream_state state =
                (enum mica_session_stream_state)to;
            if (table_of[from][to] == 'x')
                continue;
            set(from, to);
            (void)snprintf(line, sizeof line,
                           "mica: session stream: %s -> %s: the table does not "
                           "have this move",
                           name(from), name(to));
            check_aborts(move, &state, line);
        }
    }
}
END_TEST

START_TEST(a_broken_invariant_aborts)
{
    enum mica_session_stream_state state = MICA_SESSION_STREAM_CALL;

    set(MICA_SESSION_STREAM_NEW, state);
    stream.turn = NULL;
    check_aborts(move, &state,
                 "mica: session stream: NEW -> CALL: only in CALL a call sends "
                 "on it");
    stream.call_id[0] = 'c';
    stream.turn = &turn;
    check_aborts(move, &state,
                 "mica: session stream: NEW -> CALL: it waits for a stored "
                 "call, but nothing reads the store for it");
    state = MICA_SESSION_STREAM_BEHIND;
    set(MICA_SESSION_STREAM_NEW, state);
    stream.number = 0;
    check_aborts(move, &state,
                 "mica: session stream: NEW -> BEHIND: the store does not know "
                 "a stream without a number");
    state = MICA_SESSION_STREAM_ENDED;
    set(MICA_SESSION_STREAM_CURRENT, MICA_SESSION_STREAM_CURRENT);
    check_aborts(move, &state,
                 "mica: session stream: CURRENT -> ENDED: only an ended stream "
                 "has nothing to send on");
}
END_TEST

UNIT_MAIN("session_stream", each_allowed_move_is_made_and_counted,
          each_other_move_aborts, a_broken_invariant_aborts)
