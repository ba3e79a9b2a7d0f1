// SPDX-License-Identifier: Apache-2.0
//
// The table of states of a kept call, against what a store takes.
#include "base/states.h"
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

UNIT_MAIN("call_state",
          the_store_refuses_the_moves_that_the_table_of_calls_has_not)
