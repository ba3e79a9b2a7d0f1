// SPDX-License-Identifier: Apache-2.0
//
// Calls that move from one store to another, while the process that moves them is
// killed: each is in one of them at the end, whole, and can be claimed once.
#include <signal.h>
#include <sys/wait.h>

#include "store/store.h"
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

static struct mica_kept_call
new_call(const char *idz, const char *target)
{
    return (struct mica_kept_call){
        .id = mica_text(idz),
        .owner = {{"https://i", 9}, {"alice", 5}, {"", 0}},
        .mode = 1,
        .kind = 1,
        .target = mica_text(target),
        .version = MICA_LITERAL("1"),
        .arguments = MICA_LITERAL("{}"),
        .context = MICA_LITERAL("{}"),
        .created = 10,
        .state = MICA_CALL_WORKING,
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
    struct mica_kept_call call;

    (void)snprintf(id, sizeof id, "%s%u", target, number);
    (void)snprintf(again, sizeof again, "k%u", number);
    call = new_call(id, target);
    if (number % 5 == 0)
        call.session = (struct mica_text){(const char *)key->bytes, 32};
    MUST(mica_store_call_create(from, &call, mica_text(again), 10, LEASE,
                                &arena, &error));
    call.state = number % 3 == 0 ? MICA_CALL_COMPLETED : MICA_CALL_WAITING;
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

static unsigned asked; // which builds may be taken

static bool
is_mine(void *user, const struct mica_store_build *build)
{
    (void)user;
    asked++;
    return mica_text_is(build->target, "mine");
}

static struct mica_store_taken
take_over(void)
{
    struct mica_store *from = open_file("from.db"), *to = open_file("to.db");
    struct mica_store_taken taken;

    // One process at a time may take over; the others are told to try again.
    enum mica_status status = MICA_E_BUSY;
    for (unsigned i = 0; i < UNIT_PATIENCE_MS && status == MICA_E_BUSY; i++) {
        status =
            mica_store_take_over(to, from, is_mine, NULL, 100, &error, &taken);
        if (status == MICA_E_BUSY)
            unit_sleep(1);
    }
    MUST(status);
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
    struct mica_kept_call call;
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
    ck_assert_uint_eq(call.lost_claims, 0);
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
    asked = 0;
    taken = take_over();
    ck_assert_uint_eq(asked, 2); // once for each build, of 470 calls
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

// Together they have more than the memory of a batch.
START_TEST(large_calls_move_in_smaller_batches)
{
    enum {
        LARGE = 140,
        LARGE_BYTES = 2 << 20
    };
    char *arguments = malloc(LARGE_BYTES);
    struct mica_store *from, *to;
    struct mica_store_taken taken;

    mica_arena_init(&arena, 64 << 20);
    ck_assert_ptr_nonnull(arguments);
    memset(arguments, ' ', LARGE_BYTES);
    memcpy(arguments, "{}", 2);
    MUST(mica_store_open("memory", NULL, &error, &from));
    MUST(mica_store_open("memory", NULL, &error, &to));
    for (unsigned i = 0; i < LARGE; i++) {
        struct mica_kept_call call;
        char id[16];

        (void)snprintf(id, sizeof id, "mine%u", i);
        call = new_call(id, "mine");
        call.arguments = (struct mica_text){arguments, LARGE_BYTES};
        MUST(mica_store_call_create(from, &call, none, 10, LEASE, &arena,
                                    &error));
        call.state = MICA_CALL_WAITING;
        call.due = 500000;
        MUST(mica_store_call_commit(from, &call, none, none, 11, 0, &error));
        mica_arena_reset(&arena);
    }
    MUST(mica_store_take_over(to, from, is_mine, NULL, 100, &error, &taken));
    ck_assert_uint_eq(taken.calls, LARGE);
    ck_assert_uint_eq(taken.left, 0);
    ck_assert_int_eq(count(from).calls, 0);
    ck_assert_int_eq(count(to).calls, LARGE);
    ck_assert_int_eq(count(to).open_calls, LARGE);
    mica_store_close(&to);
    mica_store_close(&from);
    free(arguments);
    mica_arena_fini(&arena);
    store_remove_folder();
}
END_TEST

START_TEST(a_call_that_a_process_holds_stays_until_it_is_given_back)
{
    struct mica_store *from;
    struct mica_kept_call call;
    struct mica_store_taken taken;

    mica_arena_init(&arena, 64 << 20);
    from = open_file("from.db");
    fill(from);
    MUST(mica_store_call_claim(from, mica_text("mine4"), NULL, 90, LEASE,
                               &arena, &error, &call));
    taken = take_over();
    ck_assert_uint_eq(taken.calls, CALLS - 1);
    ck_assert_uint_eq(taken.left, 1);
    // Its holder continues it, and no other process can.
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

// ---- Two at once -----------------------------------------------------------------

START_TEST(takeovers_of_several_processes_at_once_lose_no_call)
{
    enum {
        ROUNDS = 12,
        PROCESSES = 3
    };

    mica_arena_init(&arena, 64 << 20);
    for (unsigned i = 0; i < ROUNDS; i++) {
        pid_t children[PROCESSES];
        struct mica_store *from = open_file("from.db");
        fill(from);
        mica_store_close(&from);
        for (unsigned j = 0; j < PROCESSES; j++) {
            children[j] = fork();
            ck_assert_int_ge(children[j], 0);
            if (children[j] == 0) {
                unit_sleep(j * (2 + 3 * i));
                (void)take_over();
                _exit(0);
            }
        }
        for (unsigned j = 0; j < PROCESSES; j++) {
            int status;
            ck_assert_int_eq(waitpid(children[j], &status, 0), children[j]);
            ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        must_be_moved();
        store_remove_folder();
        mica_arena_reset(&arena);
    }
    mica_arena_fini(&arena);
}
END_TEST

// ---- What happens there between the copy and the removal -------------------------

// The back end of the store that takes over, which runs `between` once the first
// calls have been copied.
static struct {
    const struct mica_store_backend *real;
    struct mica_store_backend hooked;
    void (*between)(struct mica_store *from);
    struct mica_store *from;
    bool copies;
} hook;

static enum mica_status
hooked_run(void *self, const struct mica_store_part *parts, size_t count,
           struct mica_arena *own, struct mica_error *why, unsigned *refusal)
{
    enum mica_status status =
        hook.real->run(self, parts, count, own, why, refusal);

    for (size_t i = 0; i < count; i++)
        hook.copies |= strcmp(parts[i].operation->name, "call_import") == 0;
    if (hook.copies && hook.between != NULL) {
        void (*between)(struct mica_store * from) = hook.between;
        hook.between = NULL;
        between(hook.from);
    }
    return status;
}

static struct mica_store_taken
take_over_with(struct mica_store *from, void (*between)(struct mica_store *))
{
    struct mica_store *to = open_file("to.db");
    struct mica_store_taken taken;

    hook.real = to->backend;
    hook.hooked = *to->backend;
    hook.hooked.run = hooked_run;
    hook.between = between;
    hook.from = open_file("from.db"); // as another process has it
    hook.copies = false;
    to->backend = &hook.hooked;
    MUST(mica_store_take_over(to, from, is_mine, NULL, 100, &error, &taken));
    to->backend = hook.real;
    ck_assert(hook.between == NULL);
    mica_store_close(&hook.from);
    mica_store_close(&to);
    return taken;
}

static struct mica_kept_call held;

static void
commit_late(struct mica_store *from)
{
    held.journal = MICA_LITERAL("paid");
    MUST(mica_store_call_commit(from, &held, none, none, 101, LEASE, &error));
}

static void
renew_late(struct mica_store *from)
{
    MUST(mica_store_call_renew(from, held.id, held.fence, 101, LEASE, &error));
}

static void
cancel_late(struct mica_store *from)
{
    MUST(mica_store_call_cancel(from, held.id, &error));
}

static void
expire_late(struct mica_store *from)
{
    MUST(mica_store_call_expire(from, held.id, 100, &error));
}

START_TEST(a_call_that_changes_while_it_is_taken_over_stays)
{
    static void (*const changes[])(struct mica_store *) = {
        commit_late, renew_late, cancel_late, expire_late};
    struct mica_store *from, *to;
    struct mica_store_taken taken;
    struct mica_kept_call call;

    mica_arena_init(&arena, 64 << 20);
    for (size_t i = 0; i < MICA_COUNT(changes); i++) {
        from = open_file("from.db");
        fill(from);
        // Of the first batch. Its holder was suspended; its lease has run out.
        MUST(mica_store_call_claim(from, mica_text("mine1"), NULL, 50, 1,
                                   &arena, &error, &held));
        taken = take_over_with(from, changes[i]);
        ck_assert_uint_eq(taken.calls, CALLS - 1);
        ck_assert_uint_eq(taken.left, 1);
        MUST(mica_store_call_find(from, held.id, NULL, 50, &arena, &error,
                                  &call));
        to = open_file("to.db");
        REFUSED(
            mica_store_call_find(to, held.id, NULL, 50, &arena, &error, &call),
            MICA_E_NOT_FOUND);
        must_be_sound(from);
        must_be_sound(to);
        mica_store_close(&to);
        mica_store_close(&from);
        store_remove_folder();
        mica_arena_reset(&arena);
    }
    mica_arena_fini(&arena);
}
END_TEST

// ---- Streams that were opened there in between -----------------------------------

static struct mica_kept_call
add_answering(struct mica_store *from, const char *id, int64_t stream)
{
    const struct mica_store_session_key key = store_key(1);
    struct mica_kept_call call = new_call(id, "mine");

    call.session = (struct mica_text){(const char *)&key, sizeof key};
    call.stream = stream;
    MUST(mica_store_call_create(from, &call, none, 10, LEASE, &arena, &error));
    return call;
}

static int64_t
open_stream(struct mica_store *opened, const char *request, const char *said)
{
    const struct mica_store_session_key key = store_key(1);
    int64_t stream, sequence;

    MUST(mica_store_stream_open(opened, &key, mica_text(request), 10, STREAM_MS,
                                &error, &stream));
    MUST(mica_store_event_append(opened, &key, stream, 10, mica_text(said),
                                 &error, &sequence));
    return stream;
}

static struct mica_store_events
replay(struct mica_store *opened, int64_t stream)
{
    const struct mica_store_session_key key = store_key(1);
    struct mica_store_events events;

    MUST(mica_store_event_replay(opened, &key, stream, 0, 10, 100, &arena,
                                 &error, &events));
    return events;
}

// The session is taken over with its call "a"; later with "b", whose stream is newer.
static struct mica_store *
take_session_over(struct mica_store *from, bool used_meanwhile)
{
    const struct mica_store_session_key key = store_create(from, 1, 10, 900000);
    struct mica_kept_call a =
        add_answering(from, "a", open_stream(from, "1", "x"));
    struct mica_kept_call b;
    struct mica_store *to;
    int64_t stream, sequence;

    MUST(mica_store_call_renew(from, a.id, a.fence, 10, 0, &error));
    b = add_answering(from, "b", open_stream(from, "2", "question"));
    stream = open_stream(from, "3", "y");
    ck_assert_int_eq(stream, 3);
    ck_assert_uint_eq(take_over().left, 1);
    // Its holder continues there: one stream more, and events on those that are here.
    MUST(mica_store_event_append(from, &key, 2, 11, MICA_LITERAL("another"),
                                 &error, &sequence));
    stream = open_stream(from, "4", "z");
    ck_assert_int_eq(stream, 4);
    MUST(mica_store_call_renew(from, b.id, b.fence, 10, 0, &error));
    b = add_answering(from, "c", 4);
    MUST(mica_store_call_renew(from, b.id, b.fence, 10, 0, &error));
    to = open_file("to.db");
    if (used_meanwhile)
        ck_assert_int_eq(open_stream(to, "5", "other"), 4);
    ck_assert_uint_eq(take_over().calls, 2);
    must_be_sound(to);
    return to;
}

START_TEST(a_session_that_is_here_gets_what_was_said_there_since)
{
    const struct mica_store_session_key key = store_key(1);
    struct mica_store_answering answering;
    struct mica_store_events events;
    struct mica_store *from, *to;

    mica_arena_init(&arena, 64 << 20);
    from = open_file("from.db");
    to = take_session_over(from, false);
    events = replay(to, 2);
    ck_assert_uint_eq(events.count, 2);
    ck_assert(!events.missed);
    UNIT_TEXT_EQ(events.items[1].data, "another");
    UNIT_TEXT_EQ(events.call, "b");
    events = replay(to, 4);
    ck_assert_uint_eq(events.count, 1);
    UNIT_TEXT_EQ(events.call, "c");
    ck_assert_int_eq(open_stream(to, "6", "new"), 5);
    MUST(mica_store_answering(to, &key, 4, &arena, &error, &answering));
    ck_assert_uint_eq(answering.count, 1);
    ck_assert_int_eq(store_count(to).streams, 5);
    ck_assert_int_eq(store_count(to).events, 6);
    mica_store_close(&to);
    mica_store_close(&from);
    mica_arena_fini(&arena);
    store_remove_folder();
}
END_TEST

START_TEST(no_call_answers_on_a_stream_that_another_request_has_here)
{
    const struct mica_store_session_key key = store_key(1);
    struct mica_store_answering answering;
    struct mica_store_events events;
    struct mica_kept_call call;
    struct mica_store *from, *to;

    mica_arena_init(&arena, 64 << 20);
    from = open_file("from.db");
    to = take_session_over(from, true);
    events = replay(to, 4);
    ck_assert_uint_eq(events.count, 1);
    UNIT_TEXT_EQ(events.items[0].data, "other");
    UNIT_TEXT_EQ(events.call, "");
    MUST(mica_store_answering(to, &key, 4, &arena, &error, &answering));
    ck_assert_uint_eq(answering.count, 0);
    MUST(mica_store_answering(to, &key, 0, &arena, &error, &answering));
    ck_assert_uint_eq(answering.count, 3);
    MUST(mica_store_call_find(to, mica_text("c"), NULL, 50, &arena, &error,
                              &call));
    ck_assert_int_eq(call.stream, 0);
    mica_store_close(&to);
    mica_store_close(&from);
    mica_arena_fini(&arena);
    store_remove_folder();
}
END_TEST

UNIT_MAIN("takeover", calls_of_some_builds_move_with_all_they_have,
          large_calls_move_in_smaller_batches,
          a_call_that_a_process_holds_stays_until_it_is_given_back,
          a_process_that_is_killed_in_mid_way_loses_no_call_and_doubles_none,
          takeovers_of_several_processes_at_once_lose_no_call,
          a_call_that_changes_while_it_is_taken_over_stays,
          a_session_that_is_here_gets_what_was_said_there_since,
          no_call_answers_on_a_stream_that_another_request_has_here)
