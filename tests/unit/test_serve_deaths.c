// SPDX-License-Identifier: Apache-2.0
//
// Processes that share a store and die: what they held is taken over at once, by a
// process that starts and by one that runs. And calls whose build is not here, which
// are left to others until their time is over.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mica/tool.h>

#include "call/journal.h"
#include "test_serve_calls.h"

// What a child and the test share.
struct shared {
    atomic_bool holds, ends;
    char id[32];
};

#ifdef __SANITIZE_THREAD__
// The children of these tests begin threads of their own; they share none with the
// process that they come from, which is what the sanitizer fears. The sanitizer is a
// library of its own: it finds only what the program lets others see.
const char *__tsan_default_options(void);
__attribute__((visibility("default"))) const char *
__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

static void
take_random(void *data, void *bytes, size_t size)
{
    mica_platform_real.random(data, bytes, size);
}

// Ids of a child are others than those of the test.
static const struct mica_platform child_platform = {.now_ms = virtual_time,
                                                    .random = take_random};

// A process that has begun a call, and works on it until it is killed or told to
// leave it.
static pid_t
start_holder(struct shared *shared)
{
    pid_t child;

    atomic_store(&shared->holds, false);
    atomic_store(&shared->ends, false);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct node node = open_node("sqlite", &child_platform, 0);
        struct mica_kept_call call = create_call(&node);
        (void)snprintf(shared->id, sizeof shared->id, "%.*s",
                       MICA_ARG(call.id));
        atomic_store(&shared->holds, true);
        while (!atomic_load(&shared->ends))
            unit_sleep(5);
        _exit(0);
    }
    UNIT_AWAIT(atomic_load(&shared->holds));
    return child;
}

static void
end_holder(pid_t child, int signal)
{
    int status;

    ck_assert_int_eq(kill(child, signal), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
}

// ---- Deaths ----------------------------------------------------------------------

START_TEST(a_live_process_keeps_what_it_holds_and_a_dead_one_nothing)
{
    struct shared *shared = share(sizeof(struct shared));
    struct mica_kept_call call;
    struct node node;
    pid_t child;

    begin_test();
    (void)store_file("");
    child = start_holder(shared);
    node = open_node("sqlite", &virtual_platform, 0);
    for (int i = 0; i < 20; i++) {
        REFUSED(claim_call(&node, mica_text(shared->id), &call),
                MICA_E_CALL_BUSY);
        unit_sleep(2);
    }
    ck_assert_int_eq(kill(child, SIGSTOP), 0); // it hangs: that is no death
    REFUSED(claim_call(&node, mica_text(shared->id), &call), MICA_E_CALL_BUSY);
    end_holder(child, SIGKILL);
    MUST(claim_call(&node, mica_text(shared->id), &call));
    ck_assert_int_eq(call.fence, 2);
    ck_assert_uint_eq(call.lost_claims, 1);
    close_node(&node);
    end_test();
}
END_TEST

// It could not give back what it held, as others had the store.
START_TEST(what_a_process_could_not_give_back_is_free_when_it_has_ended)
{
    struct mica_kept_call call = {.id = MICA_LITERAL("c1"),
                                  .target = MICA_LITERAL("import"),
                                  .state = MICA_CALL_WORKING,
                                  .arguments = MICA_LITERAL("{}"),
                                  .context = MICA_LITERAL("{}"),
                                  .due = INT64_MAX,
                                  .expires = START + 100000};
    struct mica_store *store;

    begin_test();
    (void)store_file("");
    for (size_t freed, i = 0; i < 2; i++) {
        MUST(mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error,
                             &store));
        if (i == 0)
            MUST(mica_store_call_create(store, &call, none, START, LEASE,
                                        &arena, &error));
        MUST(mica_store_reap(store, START, &error, &freed));
        ck_assert_uint_eq(freed, i);
        mica_store_close(&store);
    }
    end_test();
}
END_TEST

static atomic_uint given;

static bool
count_given(void *data, struct mica_text id, enum mica_status ending)
{
    (void)data;
    (void)id;
    (void)ending;
    atomic_fetch_add(&given, 1);
    return true;
}

static void
wait_for_given(unsigned count)
{
    UNIT_AWAIT(atomic_load(&given) >= count);
    ck_assert_uint_eq(atomic_load(&given), count);
}

START_TEST(what_a_dead_process_held_is_handed_over_at_once)
{
    struct shared *shared = share(sizeof(struct shared));
    struct node node;
    pid_t child;

    begin_test();
    (void)store_file("");
    end_holder(start_holder(shared), SIGKILL);
    // To one that starts: its clock stands still, so no lease runs out.
    node = open_node("sqlite", &virtual_platform, 20);
    MUST(mica_call_store_start(node.call_store, count_given, NULL, &error));
    wait_for_given(1);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).freed, 1);
    // And to one that runs.
    child = start_holder(shared);
    unit_sleep(1300);
    ck_assert_uint_eq(atomic_load(&given), 1);
    end_holder(child, SIGKILL);
    wait_for_given(2);
    ck_assert_uint_eq(mica_call_store_counts(node.call_store).freed, 2);
    close_node(&node);
    end_test();
}
END_TEST

START_TEST(two_stores_of_one_process_are_two_holders)
{
    struct node first, second;
    struct mica_kept_call call, other;

    begin_test();
    first = open_node("sqlite", &virtual_platform, 0);
    second = open_node("sqlite", &virtual_platform, 0);
    call = create_call(&first);
    // Opening and closing the file of locks takes none away.
    struct node third = open_node("sqlite", &virtual_platform, 0);
    REFUSED(claim_call(&third, call.id, &other), MICA_E_CALL_BUSY);
    close_node(&third);
    REFUSED(claim_call(&second, call.id, &other), MICA_E_CALL_BUSY);
    close_node(&first);
    MUST(claim_call(&second, call.id, &other));
    close_node(&second);
    end_test();
}
END_TEST

START_TEST(a_file_of_locks_that_was_deleted_proves_nothing)
{
    struct shared *shared = share(sizeof(struct shared));
    struct mica_kept_call call;
    struct node node;
    pid_t child;

    begin_test();
    (void)store_file("");
    child = start_holder(shared);
    ck_assert_int_eq(unlink(store_file("mica.db-nodes")), 0);
    node = open_node("sqlite", &virtual_platform, 0);
    (void)create_call(&node); // makes the file anew
    REFUSED(claim_call(&node, mica_text(shared->id), &call), MICA_E_CALL_BUSY);
    end_holder(child, SIGKILL);
    REFUSED(claim_call(&node, mica_text(shared->id), &call), MICA_E_CALL_BUSY);
    atomic_fetch_add(&virtual_now, LEASE); // so its lease runs out
    MUST(claim_call(&node, mica_text(shared->id), &call));
    close_node(&node);
    end_test();
}
END_TEST

static struct mica_kept_call
stored_call(struct mica_store *store, const char *idz, int64_t lease_ms)
{
    struct mica_kept_call call = {.id = mica_text(idz),
                                  .target = MICA_LITERAL("book"),
                                  .version = MICA_LITERAL("1"),
                                  .arguments = MICA_LITERAL("{}"),
                                  .context = MICA_LITERAL("{}"),
                                  .created = START,
                                  .state = MICA_CALL_WORKING,
                                  .due = INT64_MAX,
                                  .expires = INT64_MAX};

    MUST(mica_store_call_create(store, &call, (struct mica_text){NULL, 0},
                                START, lease_ms, &arena, &error));
    return call;
}

// Its row is a day old, and no process can find its lock: it may be in the middle of a
// turn.
START_TEST(a_process_that_cannot_be_judged_keeps_what_it_holds)
{
    enum {
        DAY = 24 * 3600000
    };
    struct mica_store *lives, *other;
    struct mica_kept_call call;
    size_t freed;

    begin_test();
    (void)store_file("");
    MUST(
        mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error, &lives));
    (void)stored_call(lives, "held", 3 * (int64_t)DAY); // renewed all the time
    ck_assert_int_eq(unlink(store_file("mica.db-nodes")), 0);
    MUST(
        mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error, &other));
    (void)stored_call(other, "own", LEASE); // makes the file anew
    for (int i = 0; i < 2; i++) {
        MUST(mica_store_reap(other, START + DAY + 1, &error, &freed));
        ck_assert_uint_eq(freed, 0);
    }
    REFUSED(mica_store_call_claim(other, mica_text("held"), NULL,
                                  START + DAY + 1, LEASE, &arena, &error,
                                  &call),
            MICA_E_CALL_BUSY);
    mica_store_close(&other);
    mica_store_close(&lives);
    end_test();
}
END_TEST

static void
hold_many(const char *name, unsigned count)
{
    struct mica_store *store;
    char id[16];

    MUST(
        mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error, &store));
    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(id, sizeof id, "%s%u", name, i);
        (void)stored_call(store, id, LEASE);
    }
    // It is not closed: the process ends.
}

// More than one page of calls is looked at.
START_TEST(all_that_a_dead_process_held_is_freed)
{
    enum {
        HELD = 1300
    };
    struct mica_store *store;
    size_t freed;
    int status;
    pid_t child;

    begin_test();
    (void)store_file("");
    for (int i = 0; i < 2; i++) {
        child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            hold_many(i == 0 ? "a" : "b", HELD);
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    MUST(
        mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error, &store));
    MUST(mica_store_reap(store, START + 1, &error, &freed));
    ck_assert_uint_eq(freed, 2 * HELD);
    MUST(mica_store_reap(store, START + 1, &error, &freed));
    ck_assert_uint_eq(freed, 0);
    mica_store_close(&store);
    end_test();
}
END_TEST

START_TEST(a_child_that_runs_another_program_keeps_no_lock)
{
    struct shared *shared = share(sizeof(struct shared));
    struct mica_kept_call call;
    struct node node;
    int status;
    pid_t child;

    begin_test();
    (void)store_file("");
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) { // a server that starts a compiler, and is killed
        struct node dying = open_node("sqlite", &virtual_platform, 0);
        call = create_call(&dying);
        (void)snprintf(shared->id, sizeof shared->id, "%.*s",
                       MICA_ARG(call.id));
        // The other program has neither end of it: then this is at its end.
        int runs[2];
        char byte;
        if (pipe2(runs, O_CLOEXEC) != 0)
            _exit(1);
        if (fork() == 0) {
            execl("/bin/sleep", "sleep", "5", (char *)NULL);
            _exit(1);
        }
        close(runs[1]);
        if (read(runs[0], &byte, 1) != 0)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    node = open_node("sqlite", &virtual_platform, 0);
    MUST(claim_call(&node, mica_text(shared->id), &call));
    close_node(&node);
    end_test();
}
END_TEST

START_TEST(the_stream_of_a_dead_process_has_no_lease)
{
    struct mica_store_session session = {.expires = START + 100000};
    struct mica_store_session_key key =
        mica_store_session_key_of(mica_text("a session"));
    struct mica_store_events events;
    struct mica_store *store;
    int64_t stream;
    int status;
    pid_t child;

    begin_test();
    (void)store_file("");
    MUST(
        mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error, &store));
    MUST(mica_store_session_create(store, &key, &session, &error));
    mica_store_close(&store);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        if (mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error,
                            &store) != MICA_OK ||
            mica_store_stream_open(store, &key, mica_text("1"), START, LEASE,
                                   &error, &stream) != MICA_OK)
            _exit(1);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    MUST(
        mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error, &store));
    MUST(mica_store_event_replay(store, &key, 1, 0, 9, START, &arena, &error,
                                 &events));
    ck_assert_int_eq(events.lease, 0);
    MUST(mica_store_stream_open(store, &key, mica_text("2"), START, LEASE,
                                &error, &stream));
    MUST(mica_store_event_replay(store, &key, stream, 0, 9, START, &arena,
                                 &error, &events));
    ck_assert_int_eq(events.lease, START + LEASE);
    mica_store_close(&store);
    end_test();
}
END_TEST

static const struct mica_store_options few = {.streams = 2,
                                              .party_sessions = 1};

static enum mica_status
create_session(struct mica_store *store, const char *idz)
{
    const struct mica_store_session session = {.expires = START + 100000,
                                               .created = START,
                                               .seen = START,
                                               .party =
                                                   MICA_LITERAL("192.0.2.1")};
    struct mica_store_session_key key =
        mica_store_session_key_of(mica_text(idz));

    return mica_store_session_create(store, &key, &session, &error);
}

// A process makes a session and opens two streams in it, as many as it may, and ends.
static struct mica_store *
outlive_streams(const struct mica_store_session_key *key)
{
    struct mica_store *store;
    int64_t stream;
    int status;
    pid_t child;

    (void)store_file("");
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        MUST(mica_store_open(store_spec("sqlite", "mica.db"), &few, &error,
                             &store));
        MUST(create_session(store, "a session"));
        for (int i = 0; i < 2; i++)
            MUST(mica_store_stream_open(store, key, mica_text("1"), START,
                                        LEASE, &error, &stream));
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    MUST(
        mica_store_open(store_spec("sqlite", "mica.db"), &few, &error, &store));
    return store;
}

START_TEST(a_stream_that_a_successor_renews_has_a_lease)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(mica_text("a session"));
    struct mica_store_events events;
    struct mica_store *store;

    begin_test();
    store = outlive_streams(&key);
    MUST(mica_store_stream_renew(store, &key, 1, START, LEASE, &error));
    MUST(mica_store_event_replay(store, &key, 1, 0, 9, START, &arena, &error,
                                 &events));
    ck_assert_int_eq(events.lease, START + LEASE);
    mica_store_close(&store);
    end_test();
}
END_TEST

START_TEST(streams_of_a_dead_process_make_room_at_once)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(mica_text("a session"));
    struct mica_store *store;
    int64_t stream;

    begin_test();
    store = outlive_streams(&key);
    MUST(mica_store_stream_open(store, &key, mica_text("2"), START, LEASE,
                                &error, &stream));
    ck_assert_int_eq(stream, 3);
    REFUSED(create_session(store, "another"), MICA_E_SESSIONS);
    // Closed: the other stream is that of the dead process, so nothing is open.
    MUST(mica_store_stream_close(store, &key, stream, START, &error));
    MUST(create_session(store, "another"));
    mica_store_close(&store);
    end_test();
}
END_TEST

// ---- Builds ----------------------------------------------------------------------

enum {
    LIFETIME = 100000
};

static enum mica_status
import(struct mica_call *call, const struct mica_nothing *in,
       struct mica_nothing *out)
{
    (void)in;
    (void)out;
    return mica_fail(call, "RAN", "", "the handler ran");
}

MICA_TOOL(import, mica_nothing, mica_nothing, import,
          .description = "Imports nothing.");

// A program on the store; with its tool, if it is of a version.
struct program {
    struct mica_server *server;
    struct node node;
};

// How long one that begins leaves calls to others; 0: a minute.
static unsigned patience_ms;

static struct program
open_program(const char *version, bool has_tool)
{
    const struct mica_server_options options = {.name = "s",
                                                .version = version};
    const struct mica_session_store_options sessions = {
        .store = store_spec("sqlite", "mica.db")};
    struct mica_call_store_options kept = {.platform = &virtual_platform,
                                           .poll_ms = 20,
                                           .stranded_ms = patience_ms};
    struct program program;

    MUST(mica_server_open(&options, &error, &program.server));
    if (has_tool)
        MUST(mica_server_add_tool(program.server, &mica_tool_import, NULL,
                                  &error));
    MUST(mica_session_store_open(&sessions, &error, &program.node.sessions));
    kept.session_store = program.node.sessions;
    kept.server = program.server;
    MUST(mica_call_store_open(&kept, &error, &program.node.call_store));
    program.node.calls = mica_call_store_calls(program.node.call_store);
    program.server->calls = program.node.calls;
    program.server->platform = &virtual_platform;
    return program;
}

static void
close_program(struct program *program)
{
    program->server->calls = NULL;
    close_node(&program->node);
    mica_server_close(&program->server);
}

// A call of a program that has ended, which waits until then.
static void
leave_call(char id_out[MICA_CALL_ID_SIZE])
{
    struct program program = open_program("1", true);
    const struct mica_calls *calls = program.node.calls;
    struct mica_kept_call call = new_call();
    struct mica_journal journal;

    mica_journal_init(&journal, &arena);
    call.journal = mica_buffer_as_text(&journal.bytes);
    call.context = MICA_LITERAL("{\"wire\":\"2026-07-28\",\"method\":"
                                "\"tools/call\",\"name\":\"import\","
                                "\"client\":0}");
    call.arguments = MICA_LITERAL("{}");
    call.expires = START + LIFETIME;
    MUST(calls->create(calls->data, &call, none, &arena, &error));
    suspend(&program.node, &call, START + 500);
    (void)snprintf(id_out, MICA_CALL_ID_SIZE, "%.*s", MICA_ARG(call.id));
    close_program(&program);
}

static const char *
resume(const struct program *program, const char *idz)
{
    const struct mica_resume_cause why = {.call = mica_text(idz)};
    struct mica_message message;

    mica_message_init(&message, program->server, &arena);
    mica_message_resume(&message, &why);
    mica_message_end(&message);
    return message.reply.error_code != NULL ? message.reply.error_code : "";
}

// Neither is a client's request run in another build; but an answer to a task is taken
// by any process.
START_TEST(a_client_does_not_move_a_call_into_another_build)
{
    static const struct {
        const char *version;
        enum mica_call_mode before, after;
        enum mica_status claimed;
    } steps[] = {{"2", MICA_CALL_TASK, MICA_CALL_TASK, MICA_OK},
                 {"1", MICA_CALL_TASK, MICA_CALL_ROUNDS, MICA_OK},
                 {"2", MICA_CALL_ROUNDS, MICA_CALL_ROUNDS, MICA_E_STRANDED},
                 {"1", MICA_CALL_ROUNDS, MICA_CALL_ROUNDS, MICA_OK}};
    char id[MICA_CALL_ID_SIZE];

    begin_test();
    atomic_store(&virtual_now, START);
    leave_call(id);
    for (size_t i = 0; i < MICA_COUNT(steps); i++) {
        struct program program = open_program(steps[i].version, true);
        const struct mica_calls *calls = program.node.calls;
        struct mica_kept_call call = {.mode = steps[i].before};
        ck_assert_int_eq(calls->claim_for_client(calls->data, mica_text(id),
                                                 CALLER(&alice), &arena, &error,
                                                 &call),
                         steps[i].claimed);
        ck_assert_int_eq(call.mode, steps[i].before);
        call.mode = steps[i].after;
        if (steps[i].claimed == MICA_OK)
            MUST(calls->commit(calls->data, &call, none, none, true, &error));
        close_program(&program);
    }
    end_test();
}
END_TEST

START_TEST(a_call_whose_build_is_not_here_is_left_to_others)
{
    static const struct {
        const char *version;
        bool has_tool;
    } others[] = {{"1", false}, {"2", true}};
    char id[MICA_CALL_ID_SIZE];
    struct mica_kept_call call;
    struct program program;

    begin_test();
    atomic_store(&virtual_now, START);
    leave_call(id);
    for (size_t i = 0; i < MICA_COUNT(others); i++) {
        atomic_store(&given, 0);
        program = open_program(others[i].version, others[i].has_tool);
        MUST(mica_call_store_start(program.node.call_store, count_given, NULL,
                                   &error));
        atomic_store(&virtual_now, START + 1000); // it is late
        unit_sleep(1300);
        ck_assert_uint_eq(atomic_load(&given), 0);
        ck_assert_str_eq(resume(&program, id), "BUILD_MISSING");
        MUST(mica_call_store_find(program.node.call_store, mica_text(id),
                                  &arena, &error, &call));
        ck_assert_int_eq(call.state, MICA_CALL_WAITING);
        ck_assert_uint_eq(call.lost_claims, 0);
        close_program(&program);
    }
    program = open_program("1", true);
    ck_assert_str_eq(resume(&program, id), "RAN");
    close_program(&program);
    end_test();
}
END_TEST

static bool
says(const struct mica_kept_call *call, const char *textz)
{
    return memmem(call->reply.ptr, call->reply.len, textz, strlen(textz)) !=
           NULL;
}

static struct mica_calls failing;

static enum mica_status
fail_to_commit(void *data, struct mica_kept_call *call,
               struct mica_text answers, struct mica_text round_reply,
               bool release, struct mica_error *failure)
{
    (void)data;
    (void)call;
    (void)answers;
    (void)round_reply;
    (void)release;
    return mica_error_set(failure, MICA_E_BUSY, "", "others hold the store");
}

START_TEST(a_call_that_no_process_can_run_ends_after_its_lifetime_and_says_so)
{
    char id[MICA_CALL_ID_SIZE];
    struct mica_kept_call call;
    struct program program;

    begin_test();
    atomic_store(&virtual_now, START);
    atomic_store(&given, 0);
    leave_call(id);
    patience_ms = 30;
    program = open_program("2", true);
    patience_ms = 0;
    MUST(mica_call_store_start(program.node.call_store, count_given, NULL,
                               &error));
    // For a minute it is left to a process that could clean up.
    atomic_store(&virtual_now, START + LIFETIME + MICA_CALL_STRANDED_MS - 1);
    unit_sleep(1300);
    ck_assert_uint_eq(atomic_load(&given), 0);
    ck_assert_str_eq(resume(&program, id), "BUILD_MISSING");
    MUST(mica_call_store_find(program.node.call_store, mica_text(id), &arena,
                              &error, &call));
    ck_assert_int_eq(call.state, MICA_CALL_WAITING);
    atomic_store(&virtual_now,
                 START + LIFETIME + MICA_CALL_STRANDED_MS + 20000);
    wait_for_given(1);
    // It is told when it has ended, not when that could not be written.
    failing = *program.node.calls;
    failing.commit = fail_to_commit;
    program.server->calls = &failing;
    ck_assert_str_eq(resume(&program, id), "BUSY");
    ck_assert_uint_eq(mica_call_store_counts(program.node.call_store).stranded,
                      0);
    program.server->calls = program.node.calls;
    ck_assert_str_eq(resume(&program, id), "BUILD_MISSING");
    ck_assert_uint_eq(mica_call_store_counts(program.node.call_store).stranded,
                      1);
    // It is kept for a day, for its client and for people.
    MUST(program.node.calls->find(program.node.calls->data, mica_text(id),
                                  CALLER(&alice), &arena, &error, &call));
    ck_assert(mica_call_has_ended(&call));
    ck_assert_msg(says(&call, "import in the build 1"), "%.*s",
                  MICA_ARG(call.reply));
    ck_assert(says(&call, "no clean-up has run"));
    close_program(&program);
    end_test();
}
END_TEST

START_TEST(a_process_that_has_just_begun_ends_no_call_of_others)
{
    char id[MICA_CALL_ID_SIZE];
    struct program program;

    begin_test();
    atomic_store(&virtual_now, START);
    atomic_store(&given, 0);
    leave_call(id);
    // Its tools may not be built yet.
    atomic_store(&virtual_now, START + 10 * LIFETIME);
    program = open_program("2", true);
    MUST(mica_call_store_start(program.node.call_store, count_given, NULL,
                               &error));
    // Its clock is set right meanwhile: that does not make it older.
    atomic_store(&virtual_now, START + 20 * LIFETIME);
    unit_sleep(1300);
    ck_assert_uint_eq(atomic_load(&given), 0);
    ck_assert_str_eq(resume(&program, id), "BUILD_MISSING");
    ck_assert_uint_eq(mica_call_store_counts(program.node.call_store).stranded,
                      0);
    close_program(&program);
    end_test();
}
END_TEST

UNIT_MAIN("deaths", a_live_process_keeps_what_it_holds_and_a_dead_one_nothing,
          what_a_dead_process_held_is_handed_over_at_once,
          two_stores_of_one_process_are_two_holders,
          what_a_process_could_not_give_back_is_free_when_it_has_ended,
          a_file_of_locks_that_was_deleted_proves_nothing,
          a_process_that_cannot_be_judged_keeps_what_it_holds,
          all_that_a_dead_process_held_is_freed,
          a_child_that_runs_another_program_keeps_no_lock,
          the_stream_of_a_dead_process_has_no_lease,
          a_stream_that_a_successor_renews_has_a_lease,
          streams_of_a_dead_process_make_room_at_once,
          a_client_does_not_move_a_call_into_another_build,
          a_call_whose_build_is_not_here_is_left_to_others,
          a_call_that_no_process_can_run_ends_after_its_lifetime_and_says_so,
          a_process_that_has_just_begun_ends_no_call_of_others)
