// SPDX-License-Identifier: Apache-2.0
//
// Calls in a store as the core sees them: claims that last while their process
// lives, the thread that finds abandoned calls, and processes that are
// killed or race. Time is virtual where it matters.
#include <sqlite3.h>

#include "serve/builds.h"
#include "test_serve_calls.h"

// ---- Keeping ---------------------------------------------------------------------

START_TEST(a_call_goes_from_round_to_round)
{
    struct mica_kept_call call, found;
    struct mica_text reply;
    struct node node;

    begin_test();
    node = open_node("memory", &virtual_platform, 0);
    call = create_call(&node);
    ck_assert_uint_eq(call.id.len, MICA_CALL_ID_SIZE - 1);
    ck_assert_int_eq(call.created, START);
    ck_assert_int_gt(call.fence, 0);
    call.journal = MICA_LITERAL("journal");
    suspend(&node, &call, START + 500);
    ck_assert_uint_eq(call.round, 1);
    REFUSED(node.calls->find(node.calls->data, call.id, CALLER(&bob), &arena,
                             &error, &found),
            MICA_E_NOT_FOUND);
    REFUSED(node.calls->find(node.calls->data, call.id, CALLER(NULL), &arena,
                             &error, &found),
            MICA_E_NOT_FOUND);
    MUST(node.calls->find(node.calls->data, call.id, CALLER(&alice), &arena,
                          &error, &found));
    ck_assert_int_eq(found.state, MICA_CALL_WAITING);
    ck_assert_int_eq(found.mode, MICA_CALL_TASK);
    ck_assert_int_eq(found.kind, MICA_DEFINITION_TOOL);
    UNIT_TEXT_EQ(found.journal, "journal");
    MUST(claim_call(&node, call.id, &found));
    REFUSED(claim_call(&node, call.id, &call), MICA_E_CALL_BUSY);
    found.state = MICA_CALL_COMPLETED;
    found.reply = MICA_LITERAL("{\"ok\":1}");
    MUST(commit_call(&node, &found, "{\"ok\":1}", true));
    MUST(node.calls->replay(node.calls->data, found.id, 1,
                            MICA_LITERAL("answers"), &arena, &error, &reply));
    UNIT_TEXT_EQ(reply, "{\"ok\":1}");
    REFUSED(node.calls->replay(node.calls->data, found.id, 1,
                               MICA_LITERAL("others"), &arena, &error, &reply),
            MICA_E_SUPERSEDED);
    MUST(claim_call(&node, found.id, &call)); // found, not claimed
    ck_assert_int_eq(call.fence, 0);
    UNIT_TEXT_EQ(call.reply, "{\"ok\":1}");
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).claimed, 0);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).busy, 1);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).begun, 1);
    close_node(&node);
    end_test();
}
END_TEST

START_TEST(an_idempotency_key_begins_one_call_with_the_same_arguments)
{
    struct mica_text key = MICA_LITERAL("order 7");
    struct mica_kept_call call = new_call(), again = new_call();
    struct node node;

    begin_test();
    node = open_node("memory", &virtual_platform, 0);
    MUST(node.calls->create(node.calls->data, &call, key, &arena, &error));
    again.arguments = MICA_LITERAL("{ \"b\": [2.0], \"a\": 1 }");
    REFUSED(node.calls->create(node.calls->data, &again, key, &arena, &error),
            MICA_E_EXISTS);
    ck_assert(mica_text_equal(again.id, call.id));
    ck_assert_int_eq(again.fence, 0);
    again = new_call();
    again.arguments = MICA_LITERAL("{\"a\":1,\"b\":[3]}");
    REFUSED(node.calls->create(node.calls->data, &again, key, &arena, &error),
            MICA_E_SUPERSEDED);
    ck_assert_uint_eq(again.id.len, 0);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).claimed, 1);
    close_node(&node);
    end_test();
}
END_TEST

// ---- Leases ----------------------------------------------------------------------

START_TEST(a_claim_lasts_while_its_process_lives_and_no_longer)
{
    struct mica_kept_call call, other;
    struct node first, second;

    begin_test();
    first = open_node("sqlite", &virtual_platform, 10);
    second = open_node("sqlite", &virtual_platform, 10);
    call = create_call(&first);
    for (unsigned i = 0; i < 8; i++) {
        uint64_t renewed = mica_call_store_counts(first.call_store).renewed;
        atomic_fetch_add(&virtual_now, LEASE / 2);
        UNIT_AWAIT(mica_call_store_counts(first.call_store).renewed != renewed);
        REFUSED(claim_call(&second, call.id, &other), MICA_E_CALL_BUSY);
    }
    // A server that is closed gives back what it holds.
    close_node(&first);
    MUST(claim_call(&second, call.id, &other));
    ck_assert_int_gt(other.fence, call.fence);
    second.calls->release(second.calls->data, &other);
    ck_assert_uint_eq(mica_call_store_counts(second.call_store).claimed, 0);
    MUST(claim_call(&second, call.id, &other));
    close_node(&second);
    end_test();
}
END_TEST

START_TEST(a_late_commit_of_who_lost_the_lease_is_refused)
{
    struct mica_kept_call call, other;
    struct node slow, quick;

    begin_test();
    is_test = true;
    slow = open_node("sqlite", &hanging_platform, 0);
    quick = open_node("sqlite", &virtual_platform, 0);
    call = create_call(&slow);
    // The thread that would renew its lease sees nothing of that.
    atomic_fetch_add(&virtual_now, LEASE);
    MUST(claim_call(&quick, call.id, &other));
    call.state = MICA_CALL_COMPLETED;
    REFUSED(commit_call(&slow, &call, "late", true), MICA_E_CALL_BUSY);
    ck_assert_uint_eq(mica_call_store_counts(slow.call_store).claimed, 0);
    other.state = MICA_CALL_FAILED;
    MUST(commit_call(&quick, &other, "first", true));
    ck_assert_uint_eq(other.round, 1);
    close_node(&slow);
    close_node(&quick);
    end_test();
}
END_TEST

START_TEST(a_commit_that_is_too_large_gives_the_call_back)
{
    static const struct mica_store_options limits = {.call_bytes = 200};
    static char large[300];
    struct mica_session_store_options kept = {.store = NULL};
    struct mica_call_store_options options = {.platform = &virtual_platform};
    struct mica_kept_call call;
    struct mica_store *store;
    struct node node;

    begin_test();
    memset(large, 'l', sizeof large);
    MUST(mica_store_open("memory", &limits, &error, &store));
    kept.open = store;
    MUST(mica_session_store_open(&kept, &error, &node.sessions));
    options.session_store = node.sessions;
    MUST(mica_call_store_open(&options, &error, &node.call_store));
    node.calls = mica_call_store_calls(node.call_store);
    call = create_call(&node);
    call.journal = (struct mica_text){large, sizeof large};
    REFUSED(commit_call(&node, &call, "r", false), MICA_E_LIMIT);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).claimed, 1);
    REFUSED(commit_call(&node, &call, "r", true), MICA_E_LIMIT);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).claimed, 0);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).refused, 2);
    MUST(claim_call(&node, call.id, &call));
    close_node(&node);
    mica_store_close(&store);
    end_test();
}
END_TEST

START_TEST(a_claim_that_could_not_be_given_back_is_given_back_later)
{
    static const struct mica_store_options limits = {.busy_ms = 300};
    struct mica_session_store_options kept = {.store = NULL};
    struct mica_call_store_options options = {.poll_ms = 60000};
    struct mica_kept_call call;
    struct mica_store *store;
    struct node node;
    sqlite3 *other;

    begin_test();
    MUST(mica_store_open(store_spec("sqlite", "mica.db"), &limits, &error,
                         &store));
    kept.open = store;
    MUST(mica_session_store_open(&kept, &error, &node.sessions));
    options.session_store = node.sessions;
    MUST(mica_call_store_open(&options, &error, &node.call_store));
    node.calls = mica_call_store_calls(node.call_store);
    call = create_call(&node);
    ck_assert_int_eq(sqlite3_open(store_file("mica.db"), &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    REFUSED(commit_call(&node, &call, "r", true), MICA_E_BUSY);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).claimed, 1);
    sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(other);
    // It may be that the thread which gives it back has the store.
    UNIT_AWAIT(claim_call(&node, call.id, &call) == MICA_OK);
    ck_assert_uint_eq(call.round, 0);
    close_node(&node);
    mica_store_close(&store);
    end_test();
}
END_TEST

// ---- Due -------------------------------------------------------------------------

START_TEST(a_late_call_is_handed_over_and_taken_with_how_it_ends)
{
    struct mica_kept_call call, taken;
    enum mica_status ending;
    struct node node;

    begin_test();
    node = open_node("memory", &virtual_platform, 20);
    MUST(mica_call_store_start(node.call_store, note_due, NULL, &error));
    call = create_call(&node);
    suspend(&node, &call, START + 5000);
    unit_sleep(100);
    ck_assert_uint_eq(handed_count(), 0);
    atomic_store(&virtual_now, START + 5000);
    must_be_handed(1, call.id, MICA_E_TIMEOUT);
    MUST(node.calls->claim_for_turn(node.calls->data, call.id, NULL, &arena,
                                    &error, &taken, &ending));
    ck_assert_int_eq(ending, MICA_E_TIMEOUT);
    ck_assert(mica_text_equal(taken.owner.subject, alice.subject));
    REFUSED(node.calls->claim_for_turn(node.calls->data, call.id, NULL, &arena,
                                       &error, &call, &ending),
            MICA_E_CALL_BUSY);
    taken.state = MICA_CALL_COMPLETED;
    MUST(commit_call(&node, &taken, "timed out", true));
    MUST(node.calls->claim_for_turn(node.calls->data, call.id, NULL, &arena,
                                    &error, &call, &ending));
    ck_assert_int_eq(call.fence, 0);
    ck_assert_int_eq(ending, MICA_OK);
    close_node(&node);
    end_test();
}
END_TEST

START_TEST(the_time_of_a_call_passes_while_no_server_is_there)
{
    struct mica_kept_call call;
    struct node node;

    begin_test();
    node = open_node("sqlite", &virtual_platform, 20);
    call = create_call(&node);
    suspend(&node, &call, START + 5000);
    close_node(&node);
    atomic_store(&virtual_now, START + 9000);
    node = open_node("sqlite", &virtual_platform, 20);
    MUST(mica_call_store_start(node.call_store, note_due, NULL, &error));
    must_be_handed(1, call.id, MICA_E_TIMEOUT);
    close_node(&node);
    end_test();
}
END_TEST

START_TEST(what_is_woken_is_handed_over_at_once_and_offered_until_it_is_taken)
{
    struct mica_kept_call call, second, taken;
    enum mica_status ending;
    struct node node;

    begin_test();
    // What is not woken comes after a second, which does not pass by itself.
    node = open_node("memory", &virtual_platform, 0);
    handed.refuse = 3;
    MUST(mica_call_store_start(node.call_store, note_due, NULL, &error));
    unit_sleep(50); // it sleeps
    call = create_call(&node);
    MUST(commit_call(&node, &call, "task", true));
    second = create_call(&node);
    MUST(commit_call(&node, &second, "task", true));
    node.calls->wake(node.calls->data, call.id);
    must_be_handed(1, call.id, MICA_OK);
    node.calls->wake(node.calls->data, second.id);
    must_be_handed(2, second.id, MICA_OK);
    MUST(node.calls->claim_for_turn(node.calls->data, call.id, NULL, &arena,
                                    &error, &taken, &ending));
    ck_assert_int_eq(ending, MICA_OK);
    // No process continues the second, so it comes again.
    atomic_fetch_add(&virtual_now, 2000);
    await_handed(3);
    ck_assert(mica_text_is(second.id, handed.ids[2]));
    mica_call_store_stop(node.call_store);
    node.calls->wake(node.calls->data, second.id);
    unit_sleep(50);
    ck_assert_uint_eq(handed_count(), 3);
    close_node(&node);
    end_test();
}
END_TEST

static atomic_uint notified_cancelled;

static void
note_cancelled(void *data, struct mica_text id)
{
    ck_assert(mica_text_is(id, (const char *)data));
    atomic_fetch_add(&notified_cancelled, 1);
}

START_TEST(who_runs_a_call_that_is_given_up_is_told_here_and_in_other_processes)
{
    char id[MICA_CALL_ID_SIZE] = "";
    struct mica_kept_call call, taken;
    struct mica_text copy;
    enum mica_status ending;
    struct node here, there;

    begin_test();
    here = open_node("sqlite", &virtual_platform, 20);
    there = open_node("sqlite", &virtual_platform, 20);
    mica_call_store_on_cancel(here.call_store, note_cancelled, id);
    call = create_call(&here);
    copy = call.id;
    memcpy(id, copy.ptr, copy.len);
    MUST(here.calls->cancel(here.calls->data, copy, &error));
    ck_assert_uint_eq(atomic_load(&notified_cancelled), 1);
    // Another process gives it up: known here when the lease is renewed.
    MUST(there.calls->cancel(there.calls->data, copy, &error));
    atomic_fetch_add(&virtual_now, LEASE / 2);
    UNIT_AWAIT(atomic_load(&notified_cancelled) >= 2);
    here.calls->release(here.calls->data, &call);
    MUST(there.calls->claim_for_turn(there.calls->data, copy, NULL, &arena,
                                     &error, &taken, &ending));
    ck_assert_int_eq(ending, MICA_E_CANCELLED);
    close_node(&here);
    close_node(&there);
    end_test();
}
END_TEST

START_TEST(many_that_are_late_at_once_are_all_handed_over)
{
    struct mica_kept_call call;
    struct node node;

    begin_test();
    node = open_node("memory", &virtual_platform, 20);
    for (unsigned i = 0; i < 300; i++) {
        call = create_call(&node);
        suspend(&node, &call, START + 100);
    }
    handed.refuse = 5;
    atomic_store(&virtual_now, START + 200);
    MUST(mica_call_store_start(node.call_store, note_due, NULL, &error));
    UNIT_AWAIT(mica_call_store_counts(node.call_store).queued >= 300);
    unit_sleep(50);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).queued, 300);
    close_node(&node);
    end_test();
}
END_TEST

START_TEST(a_session_that_ends_ends_its_calls)
{
    const struct mica_sessions *sessions;
    struct mica_session session = {.revision = MICA_REVISION_2025_11_25};
    struct mica_store_session_key key;
    struct mica_kept_call call = new_call(), taken;
    enum mica_status ending;
    struct node node;

    begin_test();
    node = open_node("memory", NULL, 20);
    sessions = mica_session_store_sessions(node.sessions);
    MUST(sessions->create(sessions->data, &session, CALLER(&alice), &arena,
                          &error));
    key = mica_store_session_key_of(session.id);
    call.session = (struct mica_text){(const char *)key.bytes, 32};
    MUST(node.calls->create(node.calls->data, &call, none, &arena, &error));
    suspend(&node, &call, INT64_MAX);
    MUST(mica_call_store_start(node.call_store, note_due, NULL, &error));
    unit_sleep(50);
    ck_assert_uint_eq(handed_count(), 0);
    MUST(sessions->end(sessions->data, &session, &error));
    must_be_handed(1, call.id, MICA_E_DISCONNECTED);
    MUST(node.calls->claim_for_turn(node.calls->data, call.id, NULL, &arena,
                                    &error, &taken, &ending));
    ck_assert_int_eq(ending, MICA_E_DISCONNECTED);
    close_node(&node);
    end_test();
}
END_TEST

START_TEST(a_thread_with_nothing_to_do_sleeps)
{
    struct mica_kept_call call;
    struct node node;
    unsigned before;

    begin_test();
    node = open_node("memory", &virtual_platform, 0);
    MUST(mica_call_store_start(node.call_store, note_due, NULL, &error));
    call = create_call(&node);
    suspend(&node, &call, START + 1000000);
    unit_sleep(1200); // past the first look
    before = atomic_load(&times_asked);
    unit_sleep(1500);
    ck_assert_uint_le(atomic_load(&times_asked) - before, 8);
    close_node(&node);
    end_test();
}
END_TEST

// ---- Processes -------------------------------------------------------------------

// What children and the test share.
struct shared {
    atomic_uint ready, won, lost, effects, rounds;
    char id[32];
};

static void
claim_in_child(struct shared *shared, unsigned count)
{
    struct node node = open_node("sqlite", NULL, 0);
    struct mica_kept_call call;

    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < count)
        unit_sleep(0);
    switch ((int)claim_call(&node, mica_text(shared->id), &call)) {
    case MICA_OK:
        atomic_fetch_add(&shared->won, 1);
        break;
    case MICA_E_CALL_BUSY:
        atomic_fetch_add(&shared->lost, 1);
        break;
    default:
        (void)fprintf(stderr, "%s\n", error.message);
        _exit(1);
    }
    // The winner dies with its claim, which is free then.
    while (atomic_load(&shared->won) + atomic_load(&shared->lost) < count)
        unit_sleep(1);
    _exit(0);
}

START_TEST(of_processes_that_claim_at_once_one_wins)
{
    enum {
        COUNT = 4,
        ROUNDS = 8
    };
    struct shared *shared = share(sizeof(struct shared));
    struct mica_kept_call call;
    struct node node;

    begin_test();
    (void)store_file("");
    for (unsigned round = 0; round < ROUNDS; round++) {
        pid_t children[COUNT];
        int status;
        memset(shared, 0, sizeof *shared);
        node = open_node("sqlite", NULL, 0);
        call = create_call(&node);
        suspend(&node, &call, INT64_MAX);
        (void)snprintf(shared->id, sizeof shared->id, "%.*s",
                       MICA_ARG(call.id));
        close_node(&node);
        for (unsigned i = 0; i < COUNT; i++) {
            children[i] = fork();
            ck_assert_int_ge(children[i], 0);
            if (children[i] == 0)
                claim_in_child(shared, COUNT);
        }
        for (unsigned i = 0; i < COUNT; i++) {
            ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
            ck_assert_int_eq(status, 0);
        }
        ck_assert_uint_eq(atomic_load(&shared->won), 1);
        ck_assert_uint_eq(atomic_load(&shared->lost), COUNT - 1);
    }
    end_test();
}
END_TEST

// Continues the call in rounds, each recorded, until it is killed. A commit
// that has returned counts; one that was cut off may count or not.
static void
commit_for_ever(struct shared *shared)
{
    struct node node = open_node("sqlite", NULL, 0);
    struct mica_kept_call call;
    enum mica_status ending;
    char reply[32];

    while (node.calls->claim_for_turn(node.calls->data, mica_text(shared->id),
                                      NULL, &arena, &error, &call,
                                      &ending) != MICA_OK)
        unit_sleep(1);
    for (;;) {
        (void)snprintf(reply, sizeof reply, "%u", (unsigned)call.round);
        call.journal = mica_text(reply);
        if (commit_call(&node, &call, reply, false) != MICA_OK)
            _exit(1);
        atomic_store(&shared->rounds, call.round);
    }
}

START_TEST(a_process_that_is_killed_between_commits_leaves_whole_rounds)
{
    struct shared *shared = share(sizeof(struct shared));
    struct mica_kept_call call;
    struct node node;

    begin_test();
    node = open_node("sqlite", &virtual_platform, 0);
    call = create_call(&node);
    suspend(&node, &call, INT64_MAX);
    (void)snprintf(shared->id, sizeof shared->id, "%.*s", MICA_ARG(call.id));
    close_node(&node);
    for (unsigned round = 0; round < 10; round++) {
        struct mica_text reply;
        char last[32];
        pid_t child = fork();
        int status;

        ck_assert_int_ge(child, 0);
        if (child == 0)
            commit_for_ever(shared);
        unsigned before = atomic_load(&shared->rounds);
        UNIT_AWAIT(atomic_load(&shared->rounds) >= before + 3);
        unit_sleep(round % 4);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        ck_assert(WIFSIGNALED(status));
        // Its lease is in the way for half a minute, so time passes: the real
        // one was used by the child.
        atomic_store(&virtual_now, mica_session_store_now() + 2 * LEASE);
        node = open_node("sqlite", &virtual_platform, 0);
        MUST(claim_call(&node, mica_text(shared->id), &call));
        ck_assert_uint_ge(call.round, atomic_load(&shared->rounds));
        ck_assert_uint_le(call.round, atomic_load(&shared->rounds) + 1);
        // Journal, round and reply are of the same commit.
        (void)snprintf(last, sizeof last, "%u", (unsigned)call.round - 1);
        UNIT_TEXT_EQ(call.journal, last);
        MUST(node.calls->replay(node.calls->data, call.id, call.round - 1,
                                MICA_LITERAL("answers"), &arena, &error,
                                &reply));
        UNIT_TEXT_EQ(reply, last);
        atomic_store(&shared->rounds, call.round);
        close_node(&node);
    }
    end_test();
}
END_TEST

// ---- Threads ---------------------------------------------------------------------

struct worker {
    const struct node *node;
    struct shared *shared;
};

// Takes what it is given and does the one effect there is to do.
static bool
work_on(void *data, struct mica_text id, enum mica_status ending)
{
    struct worker *worker = data;
    const struct mica_calls *calls = worker->node->calls;
    struct mica_kept_call call;
    struct mica_error problem;
    struct mica_arena memory;
    bool taken = true;

    mica_arena_init(&memory, 1 << 20);
    if (calls->claim_for_turn(calls->data, id, NULL, &memory, &problem, &call,
                              &ending) == MICA_OK &&
        call.fence != 0) {
        call.state = MICA_CALL_COMPLETED;
        taken = calls->commit(calls->data, &call, none, MICA_LITERAL("done"),
                              true, &problem) == MICA_OK;
        if (taken)
            atomic_fetch_add(&worker->shared->effects, 1);
    }
    mica_arena_fini(&memory);
    return taken;
}

START_TEST(two_servers_run_each_late_call_once)
{
    enum {
        COUNT = 60
    };
    struct shared *shared = share(sizeof(struct shared));
    struct node nodes[2];
    struct worker workers[2];
    struct mica_kept_call call;
    struct mica_store_statistics there;

    begin_test();
    for (unsigned i = 0; i < 2; i++) {
        nodes[i] = open_node("sqlite", &virtual_platform, 20);
        workers[i] = (struct worker){&nodes[i], shared};
    }
    for (unsigned i = 0; i < COUNT; i++) {
        call = create_call(&nodes[i % 2]);
        suspend(&nodes[i % 2], &call, START + 10 + i);
    }
    for (unsigned i = 0; i < 2; i++)
        MUST(mica_call_store_start(nodes[i].call_store, work_on, &workers[i],
                                   &error));
    atomic_store(&virtual_now, START + 1000);
    UNIT_AWAIT(atomic_load(&shared->effects) >= COUNT);
    unit_sleep(50);
    ck_assert_uint_eq(atomic_load(&shared->effects), COUNT);
    // Each tells the other what it has done when it has nothing else to do.
    UNIT_AWAIT(
        store_count(mica_session_store_backing(nodes[0].sessions)).open_calls ==
        0);
    there = store_count(mica_session_store_backing(nodes[0].sessions));
    ck_assert_int_eq(there.rounds, 2 * COUNT); // asked, done
    for (unsigned i = 0; i < 2; i++)
        close_node(&nodes[i]);
    end_test();
}
END_TEST

// ---- Calls that end their process ------------------------------------------------

// A process claims them and dies; then their leases run out.
static void
lose_calls(char ids[][32], unsigned count)
{
    struct mica_kept_call call;
    struct node node;
    int status;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        node = open_node("sqlite", &virtual_platform, 0);
        for (unsigned i = 0; i < count; i++) {
            if (claim_call(&node, mica_text(ids[i]), &call) != MICA_OK)
                _exit(1);
        }
        (void)raise(SIGKILL);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    atomic_fetch_add(&virtual_now, LEASE + 1);
}

START_TEST(calls_that_were_lost_twice_run_one_by_one)
{
    struct mica_kept_call call, first, second;
    struct node node;
    char ids[2][32];

    begin_test();
    (void)store_file("");
    node = open_node("sqlite", &virtual_platform, 0);
    for (unsigned i = 0; i < 2; i++) {
        call = create_call(&node);
        (void)snprintf(ids[i], sizeof ids[i], "%.*s", MICA_ARG(call.id));
        MUST(commit_call(&node, &call, "", true));
    }
    close_node(&node);
    lose_calls(ids, 2);
    lose_calls(ids, 2); // once together, as any
    node = open_node("sqlite", &virtual_platform, 0);
    MUST(claim_call(&node, mica_text(ids[0]), &first));
    ck_assert_uint_eq(first.lost_claims, 2);
    REFUSED(claim_call(&node, mica_text(ids[1]), &second), MICA_E_CALL_BUSY);
    ck_assert_ptr_nonnull(strstr(error.message, "one at a time"));
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).claimed, 1);
    // As soon as the other has ended, or has not ended its process for a while.
    node.calls->release(node.calls->data, &first);
    MUST(claim_call(&node, mica_text(ids[1]), &second));
    atomic_fetch_add(&virtual_now, 9999);
    REFUSED(claim_call(&node, mica_text(ids[0]), &first), MICA_E_CALL_BUSY);
    atomic_fetch_add(&virtual_now, 1);
    MUST(claim_call(&node, mica_text(ids[0]), &first));
    close_node(&node);
    // One that has ended as many as it may does not run, so it need not wait.
    lose_calls(ids, 1);
    lose_calls(ids, 1);
    lose_calls(ids, 1);
    node = open_node("sqlite", &virtual_platform, 0);
    MUST(claim_call(&node, mica_text(ids[1]), &second));
    MUST(claim_call(&node, mica_text(ids[0]), &first));
    ck_assert_uint_eq(first.lost_claims, MICA_CALL_MOST_LOST_CLAIMS);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).crashed, 1);
    close_node(&node);
    end_test();
}
END_TEST

// ---- A server --------------------------------------------------------------------

START_TEST(a_server_that_uses_a_store_can_keep_calls)
{
    struct mica_server_options options = {.name = "s", .version = "1"};
    struct mica_server *server;
    struct mica_store *store;
    struct mica_kept_call call = new_call();
    char first[16] = {0}, second[16] = {0};

    begin_test();
    MUST(mica_store_open("memory", NULL, &error, &store));
    MUST(mica_server_open(&options, &error, &server));
    ck_assert_ptr_null(mica_call_store_of(server));
    MUST(mica_server_use_store(server, store, &error));
    ck_assert_ptr_nonnull(mica_call_store_of(server));
    ck_assert_ptr_eq(server->platform, &mica_platform_real);
    ck_assert_int_gt(server->platform->now_ms(server->platform->data),
                     1600000000000);
    server->platform->random(server->platform->data, first, sizeof first);
    server->platform->random(server->platform->data, second, sizeof second);
    ck_assert_mem_ne(first, second, sizeof first);
    MUST(server->calls->create(server->calls->data, &call, none, &arena,
                               &error));
    ck_assert_int_eq(store_count(store).open_calls, 1);
    mica_server_close(&server);
    mica_store_close(&store);
    end_test();
}
END_TEST

START_TEST(of_very_many_builds_the_next_look_sees_the_rest)
{
    enum {
        ALL = 10050,
        AT_ONCE = 10000
    };
    const struct mica_store_options many = {.owner_calls = ALL};
    struct mica_store_build_set here, others;
    struct mica_store_builds first;
    struct mica_builds *builds;
    struct mica_store *store;
    char id[16];

    begin_test();
    MUST(mica_store_open("memory", &many, &error, &store));
    MUST(mica_builds_open(NULL, &error, &builds));
    for (unsigned i = 0; i < ALL; i++) {
        (void)snprintf(id, sizeof id, "c%u", i);
        struct mica_kept_call call = {.id = mica_text(id),
                                      .target = MICA_LITERAL("book"),
                                      .version = mica_text(id),
                                      .state = MICA_CALL_WORKING,
                                      .due = INT64_MAX,
                                      .expires = INT64_MAX};
        MUST(mica_store_call_create(store, &call, none, START, LEASE, &arena,
                                    &error));
    }
    MUST(mica_store_call_builds(store, &arena, &error, &first));
    ck_assert(first.more && first.count == AT_ONCE);
    for (int i = 0; i < 3; i++) { // and then from the first again
        MUST(
            mica_builds_sort(builds, store, 1, &arena, &error, &here, &others));
        ck_assert_uint_eq(here.count, i == 1 ? ALL - AT_ONCE : AT_ONCE);
        ck_assert_uint_eq(others.count, 0);
        ck_assert(!mica_builds_were_whole(builds));
        if (i == 1)
            ck_assert_int_gt(here.numbers[0], first.items[AT_ONCE - 1].number);
        else
            ck_assert_int_eq(here.numbers[0], first.items[0].number);
    }
    mica_builds_close(&builds);
    mica_store_close(&store);
    end_test();
}
END_TEST

UNIT_MAIN("calls", a_call_goes_from_round_to_round,
          an_idempotency_key_begins_one_call_with_the_same_arguments,
          a_claim_lasts_while_its_process_lives_and_no_longer,
          a_late_commit_of_who_lost_the_lease_is_refused,
          a_commit_that_is_too_large_gives_the_call_back,
          a_claim_that_could_not_be_given_back_is_given_back_later,
          a_late_call_is_handed_over_and_taken_with_how_it_ends,
          the_time_of_a_call_passes_while_no_server_is_there,
          what_is_woken_is_handed_over_at_once_and_offered_until_it_is_taken,
          many_that_are_late_at_once_are_all_handed_over,
          who_runs_a_call_that_is_given_up_is_told_here_and_in_other_processes,
          a_session_that_ends_ends_its_calls,
          a_thread_with_nothing_to_do_sleeps,
          of_processes_that_claim_at_once_one_wins,
          a_process_that_is_killed_between_commits_leaves_whole_rounds,
          two_servers_run_each_late_call_once,
          calls_that_were_lost_twice_run_one_by_one,
          a_server_that_uses_a_store_can_keep_calls,
          of_very_many_builds_the_next_look_sees_the_rest)
