// SPDX-License-Identifier: Apache-2.0
//
// Calls that move from one store to another, while the process that moves them is
// killed: each is in one of them at the end, whole, and can be claimed once.
#include <signal.h>
#include <sys/wait.h>

#include "test_store.h"

enum {
    CALLS = 450, // more than two batches
    OTHERS = 20,
    LEASE = 20000
};

static const struct mica_text none = {NULL, 0};
static struct mica_arena arena;

static struct mica_store *
open_file(const char *name)
{
    struct mica_store *opened;

    MUST(mica_store_open(store_spec("sqlite", name), NULL, &error, &opened));
    return opened;
}

static struct mica_store_call
new_call(const char *idz, const char *target)
{
    return (struct mica_store_call){.id = mica_text(idz),
                                    .owner = {{"https://i", 9}, {"alice", 5}},
                                    .way = 1,
                                    .offer = 1,
                                    .target = mica_text(target),
                                    .version = MICA_LITERAL("1"),
                                    .arguments = MICA_LITERAL("{}"),
                                    .context = MICA_LITERAL("{}"),
                                    .created = 10,
                                    .state = MICA_STORE_CALL_WORKING,
                                    .journal = MICA_LITERAL("journal"),
                                    .due = INT64_MAX,
                                    .expires = 900000};
}

// Every third one has ended, and every fifth has a session.
static void
add_call(struct mica_store *from, unsigned number, const char *target,
         const struct mica_store_session_key *key)
{
    char id[16], again[16];
    struct mica_store_call call;

    (void)snprintf(id, sizeof id, "%s%u", target, number);
    (void)snprintf(again, sizeof again, "k%u", number);
    call = new_call(id, target);
    if (number % 5 == 0)
        call.session = (struct mica_text){(const char *)key->bytes, 32};
    MUST(mica_store_call_create(from, &call, mica_text(again), 10, LEASE,
                                &arena, &error));
    call.state =
        number % 3 == 0 ? MICA_STORE_CALL_COMPLETED : MICA_STORE_CALL_WAITING;
    call.due = 500000;
    MUST(mica_store_call_commit(from, &call, none, MICA_LITERAL("asked"), 11, 0,
                                &error));
}

static void
fill(struct mica_store *from)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(mica_text("session"));
    const struct mica_store_session session = {
        .revision = MICA_LITERAL("2025-11-25"), .expires = 900000};
    struct mica_store_key sealing;

    MUST(mica_store_session_create(from, &key, &session, &error));
    MUST(mica_store_key_current(from, 10, &error, &sealing));
    for (unsigned i = 0; i < CALLS; i++)
        add_call(from, i, "mine", &key);
    for (unsigned i = 0; i < OTHERS; i++)
        add_call(from, i, "other", &key);
}

static bool
is_mine(void *user, const struct mica_store_build *build)
{
    (void)user;
    return mica_text_is(build->target, "mine");
}

static struct mica_store_taken
take_over(void)
{
    struct mica_store *from = open_file("from.db"), *to = open_file("to.db");
    struct mica_store_taken taken;

    MUST(mica_store_take_over(to, from, is_mine, NULL, 100, &error, &taken));
    mica_store_close(&to);
    mica_store_close(&from);
    return taken;
}

static struct mica_store_statistics
count(struct mica_store *counted)
{
    struct mica_store_statistics statistics;

    MUST(mica_store_statistics(counted, &error, &statistics));
    return statistics;
}

static void
must_be_sound(struct mica_store *checked)
{
    struct mica_text findings;

    MUST(mica_store_check(checked, &arena, &error, &findings));
    ck_assert_msg(findings.len == 0, "%.*s", MICA_ARG(findings));
}

// All of `mine` are in the second store, whole.
static void
must_be_moved(void)
{
    struct mica_store *from = open_file("from.db"), *to = open_file("to.db");
    struct mica_store_key key, same;
    struct mica_store_call call;
    struct mica_text reply;

    must_be_sound(from);
    must_be_sound(to);
    ck_assert_int_eq(count(from).calls, OTHERS);
    ck_assert_int_eq(count(to).calls, CALLS);
    ck_assert_int_eq(count(to).open_calls, CALLS - (CALLS + 2) / 3);
    ck_assert_int_eq(count(to).rounds, CALLS);
    ck_assert_int_eq(count(to).sessions, 1);
    ck_assert_int_gt(count(to).call_bytes, 0);
    MUST(mica_store_key_current(from, 10, &error, &key));
    MUST(mica_store_key_find(to, key.id, 10, &error, &same));
    ck_assert_mem_eq(key.secret, same.secret, sizeof key.secret);
    MUST(mica_store_call_claim(to, mica_text("mine1"), NULL, 100, LEASE, &arena,
                               &error, &call));
    ck_assert_uint_eq(call.attempts, 0);
    ck_assert_int_eq(call.fence, 2);
    UNIT_TEXT_EQ(call.journal, "journal");
    MUST(mica_store_call_replay(to, mica_text("mine3"), 0, none, 100, &arena,
                                &error, &reply));
    UNIT_TEXT_EQ(reply, "asked");
    call = new_call("again", "mine"); // its idempotency key came along
    REFUSED(mica_store_call_create(to, &call, mica_text("k7"), 100, LEASE,
                                   &arena, &error),
            MICA_E_EXISTS);
    mica_store_close(&to);
    mica_store_close(&from);
}

START_TEST(calls_of_some_builds_move_with_all_they_have)
{
    struct mica_store_taken taken;
    struct mica_store *from;

    mica_arena_init(&arena, 64 << 20);
    from = open_file("from.db");
    fill(from);
    mica_store_close(&from);
    taken = take_over();
    ck_assert_uint_eq(taken.calls, CALLS);
    ck_assert_uint_eq(taken.keys, 1);
    ck_assert_uint_eq(taken.sessions, 1);
    ck_assert_uint_eq(taken.left, 0);
    must_be_moved();
    ck_assert_uint_eq(take_over().calls, 0);
    mica_arena_fini(&arena);
    store_remove_folder();
}
END_TEST

START_TEST(a_call_that_a_process_holds_stays_until_it_is_given_back)
{
    struct mica_store *from;
    struct mica_store_call call;
    struct mica_store_taken taken;

    mica_arena_init(&arena, 64 << 20);
    from = open_file("from.db");
    fill(from);
    MUST(mica_store_call_claim(from, mica_text("mine4"), NULL, 90, LEASE,
                               &arena, &error, &call));
    taken = take_over();
    ck_assert_uint_eq(taken.calls, CALLS - 1);
    ck_assert_uint_eq(taken.left, 1);
    // Its holder goes on with it, and nobody else can.
    MUST(mica_store_call_commit(from, &call, none, none, 101, 0, &error));
    mica_store_close(&from);
    ck_assert_uint_eq(take_over().calls, 1);
    mica_arena_fini(&arena);
    store_remove_folder();
}
END_TEST

START_TEST(a_process_that_is_killed_in_mid_way_loses_no_call_and_doubles_none)
{
    enum {
        KILLS = 12
    };
    struct mica_store *from;

    mica_arena_init(&arena, 64 << 20);
    from = open_file("from.db");
    fill(from);
    mica_store_close(&from);
    for (unsigned i = 0; i < KILLS; i++) {
        int status;
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            (void)take_over();
            _exit(0);
        }
        unit_sleep(2 + 4 * i);
        (void)kill(child, SIGKILL);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
    }
    (void)take_over();
    must_be_moved();
    mica_arena_fini(&arena);
    store_remove_folder();
}
END_TEST

UNIT_MAIN("takeover", calls_of_some_builds_move_with_all_they_have,
          a_call_that_a_process_holds_stays_until_it_is_given_back,
          a_process_that_is_killed_in_mid_way_loses_no_call_and_doubles_none)
