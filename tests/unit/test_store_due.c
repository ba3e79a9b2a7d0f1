// SPDX-License-Identifier: Apache-2.0
//
// When a process has to look at a call that waits: late questions, lost leases,
// sessions that end, and that all others cost nothing. Built once for each back
// end.
#include <malloc.h>

#include "test_store_calls.h"

// ---- Due -------------------------------------------------------------------------

START_TEST(a_late_ask_is_due_once_and_again_after_a_while)
{
    struct mica_kept_call call;
    enum mica_status ending;

    open_with(NULL);
    ck_assert_int_eq(due_at(0).next, INT64_MAX);
    call = create_call("c1", 0);
    suspend(&call, 5, 500);
    call = create_call("c2", 0);
    suspend(&call, 5, 700);
    ck_assert_uint_eq(due_at(499).count, 0);
    ck_assert_int_eq(due_at(499).next, 500);
    MUST(mica_store_call_ending(store, mica_text("c1"), 499, &error, &ending));
    ck_assert_int_eq(ending, MICA_OK);
    must_be_due(500, "c1", MICA_E_TIMEOUT);
    MUST(mica_store_call_ending(store, mica_text("c1"), 500, &error, &ending));
    ck_assert_int_eq(ending, MICA_E_TIMEOUT);
    ck_assert_uint_eq(due_at(500).count, 0); // not to two
    ck_assert_int_eq(due_at(500).next, 700);
    must_be_due(700, "c2", MICA_E_TIMEOUT);
    ck_assert_int_eq(due_at(700).next, 500 + LEASE);
    // No process has continued the first, a process holds the second.
    call = claim_call("c2", 701);
    must_be_due(500 + LEASE, "c1", MICA_E_TIMEOUT);
    ck_assert_uint_eq(due_at(700 + LEASE).count, 0);
    end_call(&call, 701 + LEASE);
    call = claim_call("c1", 701 + LEASE);
    end_call(&call, 702 + LEASE);
    ck_assert_int_eq(due_at(INT64_MAX - 1).next, INT64_MAX);
    end_test();
}
END_TEST

START_TEST(a_call_whose_process_died_is_due_when_its_lease_has_run_out)
{
    struct mica_kept_call call;

    open_with(NULL);
    call = create_call("c1", 0); // the process is killed: WORKING
    ck_assert_uint_eq(due_at(LEASE - 1).count, 0);
    ck_assert_int_eq(due_at(LEASE - 1).next, LEASE);
    must_be_due(LEASE, "c1", MICA_OK);
    call = claim_call("c1", LEASE);
    suspend(&call, LEASE, LEASE + 9000);
    // The answer came and the process is killed: the call waits for it again.
    call = claim_call("c1", LEASE + 1);
    ck_assert_uint_eq(due_at(LEASE + 9000).count, 0);
    must_be_due(2 * LEASE + 1, "c1", MICA_E_TIMEOUT); // late meanwhile
    call = claim_call("c1", 2 * LEASE + 2);
    end_call(&call, 2 * LEASE + 2);
    call = create_call("c2", 0);
    suspend(&call, 1, 90000);
    call = claim_call("c2", 2);
    ck_assert_uint_eq(due_at(LEASE + 2).count, 0);
    ck_assert_int_eq(due_at(LEASE + 2).next, 90000);
    // Its last holder may still be alive, and slow.
    call.note = MICA_LITERAL("slow");
    MUST(
        mica_store_call_commit(store, &call, none, none, LEASE + 3, 0, &error));
    must_be_due(90000, "c2", MICA_E_TIMEOUT);
    end_test();
}
END_TEST

START_TEST(a_call_that_was_released_to_be_run_is_due_in_a_second)
{
    struct mica_kept_call call;

    open_with(NULL);
    call = create_call("c1", 0);
    MUST(mica_store_call_commit(store, &call, none, none, 10, 0, &error));
    ck_assert_uint_eq(due_at(1009).count, 0);
    must_be_due(1010, "c1", MICA_OK);
    end_test();
}
END_TEST

START_TEST(an_open_call_that_expires_is_due_and_an_ended_one_goes)
{
    struct mica_kept_call call;
    size_t removed;

    open_with(NULL);
    call = create_call("c1", 0);
    suspend(&call, 0, INT64_MAX);
    call = create_call("c2", 0);
    end_call(&call, 0);
    MUST(mica_store_sweep(store, 99999, 10, &error, &removed));
    ck_assert_uint_eq(removed, 0);
    MUST(mica_store_sweep(store, 100000, 10, &error, &removed));
    ck_assert_uint_eq(removed, 1);
    ck_assert_int_eq(store_count(store).calls, 1);
    ck_assert_int_eq(store_count(store).rounds, 1);
    ck_assert_int_eq(store_count(store).calls_expired, 1);
    must_be_due(100000, "c1", MICA_E_TIMEOUT);
    end_test();
}
END_TEST

START_TEST(what_is_due_is_still_due_when_the_store_is_opened_again)
{
    struct mica_kept_call call;

    if (strcmp(MICA_TEST_STORE, "memory") == 0)
        return;
    open_with(NULL);
    call = create_call("c1", 0);
    suspend(&call, 5, 500);
    mica_store_close(&store);
    MUST(mica_store_open(store_spec(MICA_TEST_STORE, "mica.db"), NULL, &error,
                         &store));
    ck_assert_int_eq(due_at(499).next, 500);
    must_be_due(600, "c1", MICA_E_TIMEOUT);
    call = claim_call("c1", 600);
    ck_assert_uint_eq(call.round, 1);
    UNIT_TEXT_EQ(replay_round(0, "", 600), "asked");
    end_test();
}
END_TEST

START_TEST(many_that_are_late_are_given_out_bit_by_bit)
{
    char id[16];
    unsigned given = 0;

    open_with(NULL);
    for (unsigned i = 0; i < 25; i++) {
        (void)snprintf(id, sizeof id, "c%u", i);
        struct mica_kept_call call = create_call(id, 0);
        suspend(&call, 0, 100 + i);
    }
    for (unsigned i = 0; i < 3; i++) {
        struct mica_store_due due = due_at(200);
        given += (unsigned)due.count;
        ck_assert(i == 2 ? due.next > 200 : due.next <= 200);
    }
    ck_assert_uint_eq(given, 25);
    struct mica_store_due due;
    REFUSED(store_due(store, 0, 0, 1, &arena, &error, &due), MICA_E_USAGE);
    REFUSED(store_due(store, 0, 1001, 1, &arena, &error, &due), MICA_E_USAGE);
    end_test();
}
END_TEST

// ---- Builds ----------------------------------------------------------------------

// A call of that tool and build that is late from `due` on.
static void
wait_for_build(const char *id, const char *target, const char *version,
               int64_t due)
{
    struct mica_kept_call call = new_call(id, 0);

    call.target = mica_text(target);
    call.version = mica_text(version);
    MUST(mica_store_call_create(store, &call, none, 0, LEASE, &arena, &error));
    suspend(&call, 0, due);
}

static int64_t
number_of(const struct mica_store_builds *builds, const char *target,
          const char *version)
{
    for (size_t i = 0; i < builds->count; i++)
        if (mica_text_is(builds->items[i].target, target) &&
            mica_text_is(builds->items[i].version, version))
            return builds->items[i].number;
    ck_abort_msg("there is no build %s of %s", version, target);
}

static struct mica_store_due
due_of(int64_t build, int64_t now, size_t limit)
{
    const struct mica_store_build_set one = {&build, 1};
    struct mica_store_due due;

    MUST(mica_store_call_due_of(store, &one, now, limit, 1000, &arena, &error,
                                &due));
    return due;
}

START_TEST(a_process_is_given_calls_of_its_builds_alone)
{
    struct mica_store_builds builds;
    struct mica_kept_call call;
    struct mica_store_due due;
    char id[16];

    open_with(NULL);
    // Those that it cannot run are late for longer, and many.
    for (unsigned i = 0; i < 40; i++) {
        (void)snprintf(id, sizeof id, "f%u", i);
        wait_for_build(id, "foreign", "1", 10);
    }
    wait_for_build("old", "book", "1", 100);
    wait_for_build("new", "book", "2", 200);
    MUST(mica_store_call_builds(store, &arena, &error, &builds));
    ck_assert_uint_eq(builds.count, 3);
    due = due_of(number_of(&builds, "book", "2"), 150, 5);
    ck_assert_uint_eq(due.count, 0);
    ck_assert_int_eq(due.next, 200);
    due = due_of(number_of(&builds, "book", "2"), 200, 5);
    ck_assert_uint_eq(due.count, 1);
    UNIT_TEXT_EQ(due.ids[0], "new");
    ck_assert_int_eq(due.endings[0], MICA_E_TIMEOUT);
    ck_assert_uint_eq(due_of(number_of(&builds, "book", "1"), 300, 5).count, 1);
    // Those of others were not touched.
    ck_assert_uint_eq(due_of(number_of(&builds, "foreign", "1"), 10, 5).count,
                      5);
    // An ended call has no build.
    call = claim_call("old", 300);
    end_call(&call, 300);
    MUST(mica_store_call_builds(store, &arena, &error, &builds));
    ck_assert_uint_eq(builds.count, 2);
    end_test();
}
END_TEST

static bool
refuse(void *user, const struct mica_kept_call *call)
{
    return mica_text_is(call->target, user);
}

START_TEST(a_claim_that_is_refused_leaves_no_trace)
{
    struct mica_kept_call call, before, after;

    open_with(NULL);
    wait_for_build("c1", "book", "1", 100);
    before = claim_call("c1", 200);
    MUST(mica_store_call_renew(store, mica_text("c1"), before.fence, 200, 0,
                               &error));
    for (unsigned i = 0; i < 9; i++)
        REFUSED(mica_store_call_claim_if(store, mica_text("c1"), NULL, refuse,
                                         (void *)(uintptr_t) "other", 200,
                                         LEASE, &arena, &error, &call),
                MICA_E_STRANDED);
    MUST(mica_store_call_claim_if(store, mica_text("c1"), NULL, refuse,
                                  (void *)(uintptr_t) "book", 200, LEASE,
                                  &arena, &error, &after));
    ck_assert_int_eq(after.fence, before.fence + 1);
    ck_assert_uint_eq(after.lost_claims, 0);
    end_test();
}
END_TEST

START_TEST(what_has_expired_and_nobody_holds_is_found_as_stranded)
{
    struct mica_store_builds builds;
    struct mica_store_due found;
    int64_t number;

    open_with(NULL);
    wait_for_build("c1", "gone", "1", 500);
    wait_for_build("c2", "gone", "1", INT64_MAX);
    wait_for_build("c3", "gone", "1", INT64_MAX);
    (void)claim_call("c3", 99999); // held for a while from here
    MUST(mica_store_call_builds(store, &arena, &error, &builds));
    number = number_of(&builds, "gone", "1");
    const struct mica_store_build_set set = {&number, 1};
    MUST(mica_store_call_stranded(store, &set, 99999, 99999, 9, &arena, &error,
                                  &found));
    ck_assert_uint_eq(found.count, 0); // one is late, none has expired
    for (unsigned i = 0; i < 2; i++) {
        MUST(mica_store_call_stranded(store, &set, 100000, 100001, 9, &arena,
                                      &error, &found));
        ck_assert_uint_eq(found.count, 2); // again and again
    }
    MUST(mica_store_call_stranded(store, &set, 100000, 100001, 1, &arena,
                                  &error, &found));
    ck_assert_uint_eq(found.count, 1);
    end_test();
}
END_TEST

// The calls that are due but not over come first, and are more than one page.
START_TEST(what_is_stranded_behind_many_that_are_late_is_found)
{
    enum {
        MANY = 2100
    };
    struct mica_store_builds builds;
    struct mica_store_due found;
    int64_t number;
    char id[16];

    open_with(NULL);
    for (unsigned i = 0; i < MANY; i++) {
        struct mica_kept_call call;
        (void)snprintf(id, sizeof id, "c%u", i);
        call = new_call(id, 1);
        call.target = MICA_LITERAL("gone");
        call.version = MICA_LITERAL("1");
        call.expires = i + 1 == MANY ? 5000 : 100000;
        MUST(mica_store_call_create(store, &call, none, 0, LEASE, &arena,
                                    &error));
        suspend(&call, 5, 1000 + i);
    }
    MUST(mica_store_call_builds(store, &arena, &error, &builds));
    number = number_of(&builds, "gone", "1");
    const struct mica_store_build_set set = {&number, 1};
    MUST(mica_store_call_stranded(store, &set, 5000, 5000, 9, &arena, &error,
                                  &found));
    ck_assert_uint_eq(found.count, 1);
    (void)snprintf(id, sizeof id, "c%d", MANY - 1);
    UNIT_TEXT_EQ(found.ids[0], id);
    end_test();
}
END_TEST

// ---- Sessions and their streams --------------------------------------------------

static struct mica_kept_call
call_in_session(const char *id, const struct mica_store_session_key *key,
                int64_t stream)
{
    struct mica_kept_call call = new_call(id, 1);

    call.session =
        (struct mica_text){(const char *)key->bytes, sizeof key->bytes};
    call.stream = stream;
    MUST(mica_store_call_create(store, &call, none, 1, LEASE, &arena, &error));
    return call;
}

START_TEST(the_end_of_a_session_is_that_of_its_questions)
{
    struct mica_store_session_key key, other;
    struct mica_kept_call call, held;

    open_with(NULL);
    key = store_create(store, 1, 0, 5000);
    other = store_create(store, 2, 0, 5000);
    call = call_in_session("c1", &key, 0);
    suspend(&call, 2, 50000);
    held = call_in_session("c2", &key, open_stream(&key));
    call = call_in_session("c3", &other, 0);
    suspend(&call, 2, 50000);
    MUST(mica_store_session_delete(store, &key, 10, &error));
    must_be_due(10, "c1", MICA_E_DISCONNECTED);
    // One that was being run is looked at when its process is done.
    suspend(&held, 20, 50000);
    must_be_due(20, "c2", MICA_E_DISCONNECTED);
    size_t removed;
    MUST(mica_store_sweep(store, 5000, 10, &error, &removed));
    must_be_due(5000, "c3", MICA_E_DISCONNECTED);
    struct mica_kept_call late = new_call("c5", 6000);
    late.session =
        (struct mica_text){(const char *)key.bytes, sizeof key.bytes};
    REFUSED(
        mica_store_call_create(store, &late, none, 6000, LEASE, &arena, &error),
        MICA_E_NOT_FOUND);
    late.session.len = 31;
    REFUSED(
        mica_store_call_create(store, &late, none, 6000, LEASE, &arena, &error),
        MICA_E_USAGE);
    end_test();
}
END_TEST

static enum mica_status
create_of_party(unsigned number, int64_t now)
{
    struct mica_store_session session = store_session(now, 500000);
    struct mica_store_session_key key = store_key(number);

    session.party = MICA_LITERAL("192.0.2.1");
    return mica_store_session_create(store, &key, &session, &error);
}

START_TEST(a_session_with_a_call_that_waits_does_not_make_room)
{
    static const struct mica_store_options options = {.party_sessions = 2};
    struct mica_store_session_key one = store_key(1), two = store_key(2);
    struct mica_kept_call first, second;

    open_with(&options);
    MUST(create_of_party(1, 1));
    MUST(create_of_party(2, 2));
    first = call_in_session("c1", &one, open_stream(&one));
    suspend(&first, 5, 80000);
    // The second session, which waits for nothing, goes though it is newer.
    MUST(create_of_party(3, 6));
    REFUSED(mica_store_session_delete(store, &two, 6, &error),
            MICA_E_NOT_FOUND);
    two = store_key(3);
    second = call_in_session("c2", &two, 0);
    suspend(&second, 7, 80000);
    // Long after every lease: what counts is that they wait.
    REFUSED(create_of_party(4, 60000), MICA_E_SESSIONS);
    ck_assert_int_eq(store_count(store).open_calls, 2);
    second = claim_call("c2", 60001);
    end_call(&second, 60002);
    MUST(create_of_party(4, 60003));
    REFUSED(mica_store_session_delete(store, &two, 60003, &error),
            MICA_E_NOT_FOUND);
    must_be_due(80000, "c1", MICA_E_TIMEOUT);
    end_test();
}
END_TEST

START_TEST(a_call_that_closes_its_stream_leaves_its_session_idle)
{
    static const struct mica_store_options options = {.party_sessions = 1};
    const struct mica_text reply = MICA_LITERAL("done");
    struct mica_turn_events end = {
        .events = &reply, .count = 1, .closes = true};
    struct mica_store_session_key one = store_key(1);
    struct mica_kept_call call;
    int64_t stream;

    open_with(&options);
    MUST(create_of_party(1, 1));
    MUST(mica_store_stream_open(store, &one, STREAM_FOR, 2, 30000, &error,
                                &stream));
    call = call_in_session("c1", &one, stream);
    REFUSED(create_of_party(2, 3), MICA_E_SESSIONS);
    call.turn_events = &end;
    end_call(&call, 4);
    MUST(create_of_party(2, 5)); // long before the lease of the stream is over
    end_test();
}
END_TEST

START_TEST(the_end_of_a_session_reaches_a_call_that_is_given_back)
{
    struct mica_store_session_key key;
    struct mica_kept_call call;

    open_with(NULL);
    key = store_create(store, 1, 0, 90000);
    call = call_in_session("c1", &key, 0);
    suspend(&call, 2, 80000);
    call = claim_call("c1", 3);
    MUST(mica_store_session_delete(store, &key, 4, &error));
    MUST(mica_store_call_renew(store, call.id, call.fence, 5, 0, &error));
    must_be_due(6, "c1", MICA_E_DISCONNECTED);
    end_test();
}
END_TEST

START_TEST(the_end_of_a_session_reaches_a_call_whose_process_died)
{
    struct mica_store_session_key key;
    struct mica_kept_call call;

    open_with(NULL);
    key = store_create(store, 1, 0, 90000);
    call = call_in_session("c1", &key, 0);
    suspend(&call, 2, 80000);
    (void)claim_call("c1", 3);
    ck_assert_uint_eq(due_at(LEASE + 3).count, 0); // it waits again
    MUST(mica_store_session_delete(store, &key, LEASE + 4, &error));
    must_be_due(LEASE + 4, "c1", MICA_E_DISCONNECTED);
    end_test();
}
END_TEST

START_TEST(events_do_not_age_while_a_call_answers_on_their_stream)
{
    static const struct mica_store_options options = {.event_age_ms = 50};
    struct mica_store_session_key key;
    struct mica_kept_call call, second;
    size_t removed;

    open_with(&options);
    key = store_create(store, 1, 0, 5000);
    (void)open_stream(&key);
    (void)open_stream(&key);
    (void)append(&key, 1, 10, "before");
    (void)append(&key, 2, 10, "of no call");
    call = call_in_session("c1", &key, 1);
    UNIT_TEXT_EQ(replay(&key, 1, 0, 9).call, "c1");
    second = call_in_session("c2", &key, 1);
    UNIT_TEXT_EQ(replay(&key, 1, 0, 9).call, "c2");
    UNIT_TEXT_EQ(replay(&key, 2, 0, 9).call, "");
    (void)append(&key, 1, 20, "a question");
    suspend(&call, 20, 4000);
    MUST(mica_store_sweep(store, 1000, 10, &error, &removed));
    ck_assert_uint_eq(removed, 1);
    ck_assert_uint_eq(replay(&key, 1, 0, 9).count, 2);
    ck_assert(!replay(&key, 1, 0, 9).missed);
    ck_assert_int_eq(replay(&key, 1, 0, 9).items[1].created, 20);
    call = claim_call("c1", 1000);
    (void)append(&key, 1, 1000, "the end");
    end_call(&call, 1000);
    MUST(mica_store_sweep(store, 2000, 10, &error, &removed));
    ck_assert_uint_eq(replay(&key, 1, 0, 9).count, 3); // the second is open
    end_call(&second, 2000);
    UNIT_TEXT_EQ(replay(&key, 1, 0, 9).call, "c2"); // its end is to be told
    MUST(mica_store_sweep(store, 2050, 10, &error, &removed));
    ck_assert_uint_eq(replay(&key, 1, 0, 9).count, 3);
    MUST(mica_store_sweep(store, 2051, 10, &error, &removed));
    ck_assert_uint_eq(removed, 3);
    ck_assert_uint_eq(replay(&key, 1, 3, 9).count, 0);
    end_test();
}
END_TEST

START_TEST(a_stream_on_which_an_open_call_answers_makes_no_room)
{
    static const struct mica_store_options options = {.streams = 1};
    struct mica_store_session_key key;
    struct mica_kept_call call;
    int64_t stream;

    open_with(&options);
    key = store_create(store, 1, 0, 5000);
    call = call_in_session("c1", &key, open_stream(&key));
    suspend(&call, 2, 50000);
    REFUSED(mica_store_stream_open(store, &key, STREAM_FOR, 1 + STREAM_MS,
                                   STREAM_MS, &error, &stream),
            MICA_E_LIMIT);
    call = claim_call("c1", 2000);
    end_call(&call, 2000);
    MUST(mica_store_stream_open(store, &key, STREAM_FOR, 2000, STREAM_MS,
                                &error, &stream));
    end_test();
}
END_TEST

START_TEST(events_that_are_held_are_bounded_like_others)
{
    static const struct mica_store_options options = {.event_bytes = 10,
                                                      .stream_events = 4};
    struct mica_store_session_key key;

    open_with(&options);
    key = store_create(store, 1, 0, 5000);
    (void)open_stream(&key);
    (void)open_stream(&key);
    (void)call_in_session("c1", &key, 1);
    (void)append(&key, 1, 1, "ask");
    // Others go first, whatever their age.
    for (int i = 0; i < 3; i++)
        (void)append(&key, 2, 1000 + i, "12345");
    ck_assert_uint_eq(replay(&key, 1, 0, 9).count, 1);
    ck_assert_uint_eq(replay(&key, 2, 0, 9).count, 1);
    for (int i = 0; i < 5; i++)
        (void)append(&key, 1, 2000, "ab");
    ck_assert_uint_eq(replay(&key, 1, 2, 9).count, 4);
    ck_assert_int_le(store_count(store).event_bytes, 10);
    end_test();
}
END_TEST

// ---- Size ------------------------------------------------------------------------

// Beside its own bytes a call in memory takes less than 1 KiB, and those that
// wait are not looked at.
START_TEST(a_hundred_thousand_that_wait_are_cheap)
{
    enum {
        COUNT = 100000,
        EVERY = 20 // a file takes its time
    };
    bool in_memory = strcmp(MICA_TEST_STORE, "memory") == 0;
    unsigned count = in_memory ? COUNT : COUNT / EVERY;
    struct mallinfo2 before;
    char id[32];

    open_with(NULL);
    before = mallinfo2();
    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(id, sizeof id, "call-%016u", i);
        struct mica_kept_call call = new_call(id, 0);
        call.owner = no_owner;
        MUST(mica_store_call_create(store, &call, none, 0, LEASE, &arena,
                                    &error));
        call.state = MICA_CALL_WAITING;
        call.due = 90000 + i;
        MUST(mica_store_call_commit(store, &call, none, none, 0, 0, &error));
        mica_arena_reset(&arena);
    }
    struct mallinfo2 after = mallinfo2();
    struct mica_store_statistics there = store_count(store);
    ck_assert_int_eq(there.open_calls, count);
    // A sanitizer's allocator is not the one that is asked here.
    if (in_memory && after.uordblks > before.uordblks) {
        size_t each = (after.uordblks + after.hblkhd - before.uordblks -
                       before.hblkhd - (size_t)there.call_bytes) /
                      count;
        ck_assert_uint_lt(each, 1024);
        (void)fprintf(stderr, "# %zu bytes beside the %lld of each call\n",
                      each, (long long)(there.call_bytes / count));
    }
    ck_assert_int_eq(due_at(89999).next, 90000);
    ck_assert_uint_eq(due_at(90004).count, 5);
    end_test();
}
END_TEST

UNIT_MAIN("store due", a_late_ask_is_due_once_and_again_after_a_while,
          a_call_whose_process_died_is_due_when_its_lease_has_run_out,
          a_call_that_was_released_to_be_run_is_due_in_a_second,
          an_open_call_that_expires_is_due_and_an_ended_one_goes,
          what_is_due_is_still_due_when_the_store_is_opened_again,
          many_that_are_late_are_given_out_bit_by_bit,
          a_process_is_given_calls_of_its_builds_alone,
          a_claim_that_is_refused_leaves_no_trace,
          what_has_expired_and_nobody_holds_is_found_as_stranded,
          what_is_stranded_behind_many_that_are_late_is_found,
          the_end_of_a_session_is_that_of_its_questions,
          a_session_with_a_call_that_waits_does_not_make_room,
          a_call_that_closes_its_stream_leaves_its_session_idle,
          the_end_of_a_session_reaches_a_call_that_is_given_back,
          the_end_of_a_session_reaches_a_call_whose_process_died,
          events_do_not_age_while_a_call_answers_on_their_stream,
          a_stream_on_which_an_open_call_answers_makes_no_room,
          events_that_are_held_are_bounded_like_others,
          a_hundred_thousand_that_wait_are_cheap)
