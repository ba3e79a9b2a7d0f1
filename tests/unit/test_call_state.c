// SPDX-License-Identifier: Apache-2.0
//
// The table of states of a kept call, against what a store takes; and that a build with
// MICA_DEBUG stops at any other move and at a broken invariant. Compiled with MICA_DEBUG
// in every build.
#include "base/states.h"
#include "stops.h"
#include "test_serve_calls.h"

// In each back end the moves of the table are what a commit may do, and no other.
static void
check_move(const char *backend, unsigned from, unsigned to)
{
    bool allowed = mica_states_allow(&mica_call_states, from, to);
    struct mica_kept_call call, found;
    struct node node = open_node(backend, &virtual_platform, 0);
    const char *what = mica_states_name(&mica_call_states, from);
    enum mica_status status;

    call = create_call(&node);
    call.state = (enum mica_call_state)from;
    MUST(commit_call(&node, &call, "", false));
    call.state = (enum mica_call_state)to;
    status = commit_call(&node, &call, "", true);
    ck_assert_msg((status == MICA_OK) == allowed, "%s: %s -> %s: %d", backend,
                  what, mica_states_name(&mica_call_states, to), status);
    MUST(node.calls->find(node.calls->data, call.id, CALLER(&alice), &arena,
                          &error, &found));
    ck_assert_uint_eq(found.state, allowed ? to : from);
    close_node(&node);
}

START_TEST(the_store_refuses_the_moves_that_the_table_of_calls_has_not)
{
    static const char *const backends[] = {"memory", "sqlite"};

    begin_test();
    for (size_t i = 0; i < MICA_COUNT(backends); i++) {
        for (unsigned from = 1; from < mica_call_states.count; from++) {
            for (unsigned to = 1; to < mica_call_states.count; to++)
                check_move(backends[i], from, to);
        }
    }
    end_test();
}
END_TEST

// ---- Moves -----------------------------------------------------------------------

static struct mica_kept_call subject;

// In the first state, with what the second needs.
static void
prepare_move(unsigned from, unsigned to)
{
    bool waits = to == MICA_CALL_WAITING, ends = to >= MICA_CALL_COMPLETED;

    subject = (struct mica_kept_call){.mode = MICA_CALL_ROUNDS,
                                      .state = (enum mica_call_state)from,
                                      .fence = from == 0 ? 0 : 1,
                                      .begins = from == 0 && waits,
                                      .due = INT64_MAX};
    if (waits)
        subject.asks = MICA_LITERAL("{\"a\":{}}");
    if (ends)
        subject.reply = MICA_LITERAL("\"result\":{}");
}

static void
move_subject(void *data)
{
    mica_call_move(&subject, *(enum mica_call_state *)data);
}

static void
commit_subject(void *data)
{
    mica_call_check_commit(&subject, *(enum mica_call_state *)data);
}

static void
move_subject_back(void *data)
{
    mica_call_move_back(&subject, *(enum mica_call_state *)data);
}

// At the move itself, and at a commit of what was set without the move.
static void
refuse_move(unsigned from, unsigned to)
{
    enum mica_call_state stored = (enum mica_call_state)from;
    enum mica_call_state state = (enum mica_call_state)to;

    check_traps(move_subject, &state);
    subject.state = state;
    check_traps(commit_subject, &stored);
}

START_TEST(each_allowed_move_is_made_and_taken_back)
{
    for (unsigned from = 0; from < mica_call_states.count; from++) {
        for (unsigned to = 0; to < mica_call_states.count; to++) {
            if (!mica_states_allow(&mica_call_states, from, to))
                continue;
            prepare_move(from, to);
            mica_call_move(&subject, (enum mica_call_state)to);
            ck_assert_uint_eq(subject.state, to);
            mica_call_check_commit(&subject, (enum mica_call_state)from);
            mica_call_move_back(&subject, (enum mica_call_state)from);
            ck_assert_uint_eq(subject.state, from);
            ck_assert_uint_eq(subject.reply.len, 0);
        }
    }
}
END_TEST

START_TEST(each_other_move_stops_the_program)
{
    for (unsigned from = 0; from < mica_call_states.count; from++) {
        for (unsigned to = 0; to < mica_call_states.count; to++) {
            enum mica_call_state stored = (enum mica_call_state)from;
            if (mica_states_allow(&mica_call_states, from, to))
                continue;
            prepare_move(from, to);
            refuse_move(from, to);
            check_traps(move_subject_back, &stored);
        }
    }
}
END_TEST

START_TEST(a_broken_invariant_stops_the_program)
{
    // A move without the claim (CALL-1), and one before the call is there.
    prepare_move(MICA_CALL_WAITING, MICA_CALL_WORKING);
    subject.fence = 0;
    refuse_move(MICA_CALL_WAITING, MICA_CALL_WORKING);
    prepare_move(0, MICA_CALL_WORKING);
    subject.fence = 1;
    refuse_move(0, MICA_CALL_WORKING);
    // A new call that waits, and is created as one that works; and the other way round.
    prepare_move(0, MICA_CALL_WAITING);
    subject.begins = false;
    refuse_move(0, MICA_CALL_WAITING);
    prepare_move(0, MICA_CALL_WORKING);
    subject.begins = true;
    refuse_move(0, MICA_CALL_WORKING);
    // Nothing tells how its client continues it.
    prepare_move(0, MICA_CALL_WORKING);
    subject.mode = 0;
    refuse_move(0, MICA_CALL_WORKING);
    // It waits for nothing, or asks and does not wait.
    prepare_move(MICA_CALL_WORKING, MICA_CALL_WAITING);
    subject.asks = none;
    refuse_move(MICA_CALL_WORKING, MICA_CALL_WAITING);
    prepare_move(MICA_CALL_WAITING, MICA_CALL_WORKING);
    subject.asks = MICA_LITERAL("{\"a\":{}}");
    refuse_move(MICA_CALL_WAITING, MICA_CALL_WORKING);
    // An end without a reply (CALL-4), one that asks, one that is due; a reply and no end.
    prepare_move(MICA_CALL_WORKING, MICA_CALL_COMPLETED);
    subject.reply = none;
    refuse_move(MICA_CALL_WORKING, MICA_CALL_COMPLETED);
    prepare_move(MICA_CALL_WORKING, MICA_CALL_FAILED);
    subject.asks = MICA_LITERAL("{\"a\":{}}");
    refuse_move(MICA_CALL_WORKING, MICA_CALL_FAILED);
    prepare_move(MICA_CALL_WORKING, MICA_CALL_CANCELLED);
    subject.due = START;
    refuse_move(MICA_CALL_WORKING, MICA_CALL_CANCELLED);
    prepare_move(MICA_CALL_WORKING, MICA_CALL_WORKING);
    subject.reply = MICA_LITERAL("\"result\":{}");
    refuse_move(MICA_CALL_WORKING, MICA_CALL_WORKING);
}
END_TEST

// A task takes a part of the answers and works on, if its handler waits for several tools.
START_TEST(a_task_may_work_and_ask)
{
    prepare_move(MICA_CALL_WAITING, MICA_CALL_WORKING);
    subject.mode = MICA_CALL_TASK;
    subject.asks = MICA_LITERAL("{\"a\":{}}");
    mica_call_move(&subject, MICA_CALL_WORKING);
    ck_assert_uint_eq(subject.state, MICA_CALL_WORKING);
}
END_TEST

UNIT_MAIN("call_state",
          the_store_refuses_the_moves_that_the_table_of_calls_has_not,
          each_allowed_move_is_made_and_taken_back,
          each_other_move_stops_the_program,
          a_broken_invariant_stops_the_program, a_task_may_work_and_ask)
