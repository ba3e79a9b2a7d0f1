// SPDX-License-Identifier: Apache-2.0
//
// What a store promises of calls that wait: who may go on with one, what is
// written together, when somebody has to look at it, and what of it is bounded.
// Built once for each back end.
#include <malloc.h>

#include "test_store_both.h"

static const struct mica_text none = {NULL, 0};
static const struct mica_store_owner alice = {{"https://i", 9}, {"alice", 5}};
static const struct mica_store_owner bob = {{"https://i", 9}, {"bob", 3}};

enum {
    LEASE = 20000
};

static struct mica_store_call
new_call(const char *id, int64_t now)
{
    return (struct mica_store_call){
        .id = mica_text(id),
        .owner = alice,
        .way = 1,
        .offer = 2,
        .target = MICA_LITERAL("book_flight"),
        .version = MICA_LITERAL("1.2"),
        .arguments = MICA_LITERAL("{\"to\":\"Rome\"}"),
        .context = MICA_LITERAL("{\"wire\":\"2026-07-28\"}"),
        .created = now,
        .state = MICA_STORE_CALL_WORKING,
        .journal = {"MJ\1\0x", 5},
        .due = INT64_MAX,
        .expires = now + 100000};
}

static struct mica_store_call
create_call(const char *id, int64_t now)
{
    struct mica_store_call call = new_call(id, now);

    MUST(
        mica_store_call_create(store, &call, none, now, LEASE, &arena, &error));
    return call;
}

// Gives it back, waiting for answers until `due`.
static void
suspend(struct mica_store_call *call, int64_t now, int64_t due)
{
    call->state = MICA_STORE_CALL_WAITING;
    call->asks = MICA_LITERAL("{\"pick\":{}}");
    call->due = due;
    MUST(mica_store_call_commit(store, call, none, MICA_LITERAL("asked"), now,
                                0, &error));
}

static void
end_call(struct mica_store_call *call, int64_t now)
{
    call->state = MICA_STORE_CALL_COMPLETED;
    call->asks = none;
    call->reply = MICA_LITERAL("{\"done\":true}");
    MUST(mica_store_call_commit(store, call, MICA_LITERAL("a"),
                                MICA_LITERAL("end"), now, 0, &error));
}

static struct mica_store_call
find_call(const char *id, int64_t now)
{
    struct mica_store_call call;

    MUST(mica_store_call_find(store, mica_text(id), &alice, now, &arena, &error,
                              &call));
    return call;
}

static struct mica_store_call
claim_call(const char *id, int64_t now)
{
    struct mica_store_call call;

    MUST(mica_store_call_claim(store, mica_text(id), &alice, now, LEASE, &arena,
                               &error, &call));
    return call;
}

static struct mica_store_due
due_at(int64_t now)
{
    struct mica_store_due due;

    MUST(mica_store_call_due(store, now, 10, LEASE, &arena, &error, &due));
    return due;
}

// ---- Finding ---------------------------------------------------------------------

START_TEST(a_call_is_found_as_it_was_kept)
{
    struct mica_store_call call, found;

    open_with(NULL);
    call = create_call("c1", 10);
    ck_assert_int_gt(call.fence, 0);
    found = find_call("c1", 11);
    UNIT_TEXT_EQ(found.id, "c1");
    ck_assert(mica_text_equal(found.owner.subject, alice.subject));
    ck_assert(mica_text_equal(found.owner.issuer, alice.issuer));
    ck_assert_int_eq(found.way, 1);
    ck_assert_int_eq(found.offer, 2);
    UNIT_TEXT_EQ(found.target, "book_flight");
    UNIT_TEXT_EQ(found.version, "1.2");
    UNIT_TEXT_EQ(found.arguments, "{\"to\":\"Rome\"}");
    UNIT_TEXT_EQ(found.context, "{\"wire\":\"2026-07-28\"}");
    ck_assert(mica_text_equal(found.journal, call.journal));
    ck_assert_int_eq(found.state, MICA_STORE_CALL_WORKING);
    ck_assert_int_eq(found.created, 10);
    ck_assert_int_eq(found.changed, 10);
    ck_assert_int_eq(found.expires, 100010);
    ck_assert_int_eq(found.due, INT64_MAX);
    ck_assert_uint_eq(found.round, 0);
    ck_assert_int_eq(found.fence, 0);
    suspend(&call, 20, 500);
    ck_assert_int_eq(call.fence, 0);
    ck_assert_uint_eq(call.round, 1);
    found = find_call("c1", 21);
    UNIT_TEXT_EQ(found.asks, "{\"pick\":{}}");
    ck_assert_int_eq(found.state, MICA_STORE_CALL_WAITING);
    ck_assert_int_eq(found.due, 500);
    ck_assert_int_eq(found.changed, 20);
    ck_assert_uint_eq(found.round, 1);
    call = create_call("c2", 30);
    REFUSED(
        mica_store_call_create(store, &call, none, 30, LEASE, &arena, &error),
        MICA_E_USAGE);
    end_test();
}
END_TEST

START_TEST(unknown_expired_and_foreign_calls_are_told_apart_by_nobody)
{
    struct mica_store_call found;
    char said[sizeof error.message];

    open_with(NULL);
    struct mica_store_call call = create_call("c1", 0);
    suspend(&call, 0, 50);
    REFUSED(mica_store_call_find(store, mica_text("c2"), &alice, 1, &arena,
                                 &error, &found),
            MICA_E_NOT_FOUND);
    strcpy(said, error.message);
    REFUSED(mica_store_call_find(store, mica_text("c1"), &bob, 1, &arena,
                                 &error, &found),
            MICA_E_NOT_FOUND);
    ck_assert_str_eq(said, error.message);
    REFUSED(mica_store_call_claim(store, mica_text("c1"), &nobody, 1, LEASE,
                                  &arena, &error, &found),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_call_find(store, mica_text("c1"), &alice, 100000, &arena,
                                 &error, &found),
            MICA_E_NOT_FOUND);
    ck_assert_str_eq(said, error.message);
    // Who goes on with it of his own accord finds it all the same.
    MUST(mica_store_call_claim(store, mica_text("c1"), NULL, 100000, LEASE,
                               &arena, &error, &found));
    ck_assert_int_gt(found.fence, 0);
    end_test();
}
END_TEST

// ---- Claims ----------------------------------------------------------------------

START_TEST(of_two_who_claim_one_wins_and_the_loser_writes_nothing)
{
    struct mica_store_call first, second, third;

    open_with(NULL);
    first = create_call("c1", 0);
    REFUSED(mica_store_call_claim(store, mica_text("c1"), &alice, LEASE - 1,
                                  LEASE, &arena, &error, &second),
            MICA_E_CALL_BUSY);
    second = claim_call("c1", LEASE); // its lease ran out
    ck_assert_int_gt(second.fence, first.fence);
    first.journal = MICA_LITERAL("late");
    first.state = MICA_STORE_CALL_COMPLETED;
    REFUSED(mica_store_call_commit(store, &first, none, MICA_LITERAL("r"),
                                   LEASE, 0, &error),
            MICA_E_CALL_BUSY);
    REFUSED(mica_store_call_renew(store, first.id, first.fence, LEASE, LEASE,
                                  &error),
            MICA_E_CALL_BUSY);
    ck_assert_uint_eq(find_call("c1", LEASE).round, 0);
    suspend(&second, LEASE + 1, INT64_MAX);
    // What was given back is not written under the old number either.
    second.fence = first.fence + 1;
    REFUSED(mica_store_call_commit(store, &second, none, none, LEASE + 2, 0,
                                   &error),
            MICA_E_CALL_BUSY);
    third = claim_call("c1", LEASE + 3);
    ck_assert_int_gt(third.fence, second.fence);
    end_test();
}
END_TEST

START_TEST(a_lease_that_ran_out_is_its_holders_until_another_takes_it)
{
    struct mica_store_call call;

    open_with(NULL);
    call = create_call("c1", 0);
    call.note = MICA_LITERAL("half-way");
    MUST(mica_store_call_commit(store, &call, none, none, 2 * LEASE, LEASE,
                                &error));
    ck_assert_int_gt(call.fence, 0);
    REFUSED(mica_store_call_claim(store, mica_text("c1"), &alice, 3 * LEASE - 1,
                                  LEASE, &arena, &error, &call),
            MICA_E_CALL_BUSY);
    MUST(mica_store_call_renew(store, call.id, call.fence, 3 * LEASE, LEASE,
                               &error));
    REFUSED(mica_store_call_claim(store, mica_text("c1"), &alice, 4 * LEASE - 1,
                                  LEASE, &arena, &error, &call),
            MICA_E_CALL_BUSY);
    MUST(mica_store_call_renew(store, call.id, call.fence, 3 * LEASE, 0,
                               &error));
    REFUSED(
        mica_store_call_renew(store, call.id, call.fence, 3 * LEASE, 0, &error),
        MICA_E_CALL_BUSY);
    call = claim_call("c1", 3 * LEASE);
    UNIT_TEXT_EQ(call.note, "half-way");
    end_test();
}
END_TEST

START_TEST(a_call_that_has_ended_is_found_and_not_claimed)
{
    struct mica_store_call call, again;

    open_with(NULL);
    call = create_call("c1", 0);
    end_call(&call, 5);
    again = claim_call("c1", 6);
    ck_assert_int_eq(again.fence, 0);
    ck_assert_int_eq(again.state, MICA_STORE_CALL_COMPLETED);
    UNIT_TEXT_EQ(again.reply, "{\"done\":true}");
    again.state = MICA_STORE_CALL_WORKING;
    REFUSED(mica_store_call_commit(store, &again, none, none, 6, 0, &error),
            MICA_E_CALL_BUSY);
    ck_assert_int_eq(store_count(store).open_calls, 0);
    ck_assert_int_eq(store_count(store).calls, 1);
    end_test();
}
END_TEST

// ---- Rounds ----------------------------------------------------------------------

static struct mica_text
replay_round(uint32_t round, const char *answers, int64_t now)
{
    struct mica_text reply;

    MUST(mica_store_call_replay(store, mica_text("c1"), round,
                                mica_text(answers), now, &arena, &error,
                                &reply));
    return reply;
}

START_TEST(a_round_is_answered_again_as_it_was_and_only_so)
{
    static const struct mica_store_options options = {.call_rounds = 3};
    struct mica_store_call call;
    struct mica_text reply;

    open_with(&options);
    call = create_call("c1", 0);
    for (unsigned i = 0; i < 5; i++) {
        char answers[8], said[8];
        (void)snprintf(answers, sizeof answers, "a%u", i);
        (void)snprintf(said, sizeof said, "r%u", i);
        ck_assert_uint_eq(call.round, i);
        MUST(mica_store_call_commit(store, &call, mica_text(answers),
                                    mica_text(said), 1, LEASE, &error));
    }
    ck_assert_uint_eq(call.round, 5);
    UNIT_TEXT_EQ(replay_round(4, "a4", 2), "r4");
    UNIT_TEXT_EQ(replay_round(2, "a2", 2), "r2");
    REFUSED(mica_store_call_replay(store, call.id, 2, mica_text("a3"), 2,
                                   &arena, &error, &reply),
            MICA_E_SUPERSEDED);
    REFUSED(mica_store_call_replay(store, call.id, 1, mica_text("a1"), 2,
                                   &arena, &error, &reply),
            MICA_E_SUPERSEDED); // it is too long ago
    REFUSED(mica_store_call_replay(store, call.id, 5, none, 2, &arena, &error,
                                   &reply),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_call_replay(store, mica_text("cx"), 0, none, 2, &arena,
                                   &error, &reply),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_call_replay(store, call.id, 4, mica_text("a4"), 100000,
                                   &arena, &error, &reply),
            MICA_E_NOT_FOUND);
    ck_assert_int_eq(store_count(store).rounds, 3);
    end_test();
}
END_TEST

START_TEST(a_commit_that_fails_leaves_everything_as_it_was)
{
    static const struct mica_store_options options = {.call_bytes = 300};
    static char large[400];
    struct mica_store_call call, found;
    struct mica_store_statistics before;

    memset(large, 'j', sizeof large);
    open_with(&options);
    call = create_call("c1", 0);
    MUST(mica_store_call_commit(store, &call, none, MICA_LITERAL("first"), 1,
                                LEASE, &error));
    before = store_count(store);
    call.journal = (struct mica_text){large, sizeof large};
    call.note = MICA_LITERAL("new");
    REFUSED(mica_store_call_commit(store, &call, none, MICA_LITERAL("second"),
                                   2, 0, &error),
            MICA_E_LIMIT);
    struct mica_store_statistics after = store_count(store);
    ck_assert_mem_eq(&before, &after, sizeof before);
    found = find_call("c1", 2);
    ck_assert_uint_eq(found.round, 1);
    ck_assert_uint_eq(call.round, 1);
    ck_assert_uint_eq(found.note.len, 0);
    // It is still claimed, and goes on with less.
    call.journal = (struct mica_text){large, 100};
    MUST(mica_store_call_commit(store, &call, none, MICA_LITERAL("second"), 2,
                                0, &error));
    ck_assert_uint_eq(find_call("c1", 2).round, 2);
    call = claim_call("c1", 3);
    call.note = MICA_LITERAL("bad\xFF");
    REFUSED(mica_store_call_commit(store, &call, none, none, 4, 0, &error),
            MICA_E_FORMAT);
    end_test();
}
END_TEST

START_TEST(old_rounds_make_room_for_what_a_call_needs)
{
    static const struct mica_store_options options = {.call_bytes = 1000};
    static char large[300];
    struct mica_store_call call;
    struct mica_text reply;

    memset(large, 'r', sizeof large);
    open_with(&options);
    call = create_call("c1", 0);
    for (unsigned i = 0; i < 6; i++)
        MUST(mica_store_call_commit(store, &call, none,
                                    (struct mica_text){large, sizeof large}, 1,
                                    LEASE, &error));
    ck_assert_int_le(call.bytes, 1000);
    ck_assert_int_eq(store_count(store).call_bytes, call.bytes);
    ck_assert_int_eq(store_count(store).rounds, 3);
    ck_assert_uint_eq(replay_round(5, "", 2).len, sizeof large);
    REFUSED(mica_store_call_replay(store, call.id, 2, none, 2, &arena, &error,
                                   &reply),
            MICA_E_SUPERSEDED);
    end_test();
}
END_TEST

// ---- Idempotency keys ------------------------------------------------------------

static enum mica_status
create_with_key(struct mica_store_call *call, const char *key, int64_t now)
{
    return mica_store_call_create(store, call, mica_text(key), now, LEASE,
                                  &arena, &error);
}

START_TEST(a_key_is_of_one_owner_and_target_and_begins_one_call)
{
    struct mica_store_call first, same, other;

    open_with(NULL);
    first = new_call("c1", 0);
    MUST(create_with_key(&first, "k", 0));
    same = new_call("c2", 1);
    same.arguments = MICA_LITERAL("{\"to\":\"Oslo\"}");
    REFUSED(create_with_key(&same, "k", 1), MICA_E_EXISTS);
    UNIT_TEXT_EQ(same.id, "c1");
    UNIT_TEXT_EQ(same.arguments, "{\"to\":\"Rome\"}");
    ck_assert_int_eq(same.fence, 0);
    other = new_call("c3", 1);
    other.owner = bob;
    MUST(create_with_key(&other, "k", 1));
    other = new_call("c4", 1);
    other.target = MICA_LITERAL("book_train");
    MUST(create_with_key(&other, "k", 1));
    other = new_call("c5", 1);
    other.offer = 3;
    MUST(create_with_key(&other, "k", 1));
    other = new_call("c6", 1);
    MUST(create_with_key(&other, "l", 1));
    ck_assert_int_eq(store_count(store).calls, 5);

    // An ended call is still the one; an expired one is not.
    end_call(&first, 2);
    same = new_call("c7", 3);
    REFUSED(create_with_key(&same, "k", 3), MICA_E_EXISTS);
    UNIT_TEXT_EQ(same.reply, "{\"done\":true}");
    same = new_call("c8", 100000);
    MUST(create_with_key(&same, "k", 100000));
    MUST(mica_store_call_delete(store, mica_text("c1"), 100000, &error));
    same = new_call("c9", 100001);
    REFUSED(create_with_key(&same, "k", 100001), MICA_E_EXISTS);
    UNIT_TEXT_EQ(same.id, "c8");
    MUST(mica_store_call_delete(store, mica_text("c8"), 100001, &error));
    same = new_call("c9", 100001);
    MUST(create_with_key(&same, "k", 100001));
    end_test();
}
END_TEST

// ---- Due -------------------------------------------------------------------------

static void
must_be_due(int64_t now, const char *id, enum mica_status ending)
{
    struct mica_store_due due = due_at(now);

    ck_assert_uint_eq(due.count, 1);
    UNIT_TEXT_EQ(due.ids[0], id);
    ck_assert_int_eq(due.endings[0], ending);
}

START_TEST(a_late_ask_is_due_once_and_again_after_a_while)
{
    struct mica_store_call call;
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
    // Nobody has gone on with the first, somebody holds the second.
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

START_TEST(a_call_whose_runner_died_is_due_when_its_lease_has_run_out)
{
    struct mica_store_call call;

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
    must_be_due(90000, "c2", MICA_E_TIMEOUT);
    end_test();
}
END_TEST

START_TEST(a_call_that_was_released_to_be_run_is_due_in_a_second)
{
    struct mica_store_call call;

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
    struct mica_store_call call;
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
    struct mica_store_call call;

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
        struct mica_store_call call = create_call(id, 0);
        suspend(&call, 0, 100 + i);
    }
    for (unsigned i = 0; i < 3; i++) {
        struct mica_store_due due = due_at(200);
        given += (unsigned)due.count;
        ck_assert(i == 2 ? due.next > 200 : due.next <= 200);
    }
    ck_assert_uint_eq(given, 25);
    struct mica_store_due due;
    REFUSED(mica_store_call_due(store, 0, 0, 1, &arena, &error, &due),
            MICA_E_USAGE);
    REFUSED(mica_store_call_due(store, 0, 1001, 1, &arena, &error, &due),
            MICA_E_USAGE);
    end_test();
}
END_TEST

// ---- Sessions and their streams --------------------------------------------------

static struct mica_store_call
call_in_session(const char *id, const struct mica_store_session_key *key,
                int64_t stream)
{
    struct mica_store_call call = new_call(id, 1);

    call.session =
        (struct mica_text){(const char *)key->bytes, sizeof key->bytes};
    call.stream = stream;
    MUST(mica_store_call_create(store, &call, none, 1, LEASE, &arena, &error));
    return call;
}

START_TEST(the_end_of_a_session_is_that_of_its_questions)
{
    struct mica_store_session_key key, other;
    struct mica_store_call call, held;

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
    // One that was being run is looked at when its runner is done.
    suspend(&held, 20, 50000);
    must_be_due(20, "c2", MICA_E_DISCONNECTED);
    size_t removed;
    MUST(mica_store_sweep(store, 5000, 10, &error, &removed));
    must_be_due(5000, "c3", MICA_E_DISCONNECTED);
    struct mica_store_call late = new_call("c4", 6000);
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

START_TEST(events_do_not_age_while_a_call_answers_on_their_stream)
{
    static const struct mica_store_options options = {.event_age_ms = 50};
    struct mica_store_session_key key;
    struct mica_store_call call, second;
    size_t removed;

    open_with(&options);
    key = store_create(store, 1, 0, 5000);
    (void)open_stream(&key);
    (void)open_stream(&key);
    (void)append(&key, 1, 10, "before");
    (void)append(&key, 2, 10, "of no call");
    call = call_in_session("c1", &key, 1);
    second = call_in_session("c2", &key, 1);
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
    MUST(mica_store_sweep(store, 2050, 10, &error, &removed));
    ck_assert_uint_eq(replay(&key, 1, 0, 9).count, 3);
    MUST(mica_store_sweep(store, 2051, 10, &error, &removed));
    ck_assert_uint_eq(removed, 3);
    ck_assert_uint_eq(replay(&key, 1, 3, 9).count, 0);
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

// ---- Bounds ----------------------------------------------------------------------

START_TEST(there_are_so_many_calls_and_expired_ones_make_room)
{
    static const struct mica_store_options options = {.calls = 4,
                                                      .owner_calls = 2};
    struct mica_store_call calls[3], more = new_call("c9", 0);

    open_with(&options);
    calls[0] = create_call("c0", 0);
    calls[1] = create_call("c1", 0);
    REFUSED(create_with_key(&more, "", 1), MICA_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "2 calls"));
    more.owner = bob;
    MUST(create_with_key(&more, "", 1));
    more = new_call("c3", 1);
    more.owner = nobody;
    MUST(create_with_key(&more, "", 1));
    more = new_call("c4", 1);
    more.owner = nobody;
    REFUSED(create_with_key(&more, "", 1), MICA_E_LIMIT);
    end_call(&calls[0], 2);
    more = new_call("c4", 100000);
    MUST(create_with_key(&more, "", 100000)); // in the place of c0
    ck_assert_int_eq(store_count(store).calls, 4);
    ck_assert_int_eq(store_count(store).calls_expired, 1);
    end_test();
}
END_TEST

START_TEST(all_calls_together_have_so_many_bytes)
{
    static const struct mica_store_options options = {.all_call_bytes = 1000};
    static char large[600];
    struct mica_store_call first, second, third;

    memset(large, 'j', sizeof large);
    open_with(&options);
    first = create_call("c1", 0);
    second = create_call("c2", 0);
    third = new_call("c3", 0);
    first.journal = (struct mica_text){large, sizeof large};
    MUST(mica_store_call_commit(store, &first, none, none, 1, LEASE, &error));
    second.journal = (struct mica_text){large, sizeof large};
    REFUSED(
        mica_store_call_commit(store, &second, none, none, 1, LEASE, &error),
        MICA_E_LIMIT);
    third.journal = (struct mica_text){large, sizeof large};
    REFUSED(create_with_key(&third, "", 1), MICA_E_LIMIT);
    // What is done is done: an end is kept.
    second.journal = none;
    second.reply = (struct mica_text){large, sizeof large};
    second.state = MICA_STORE_CALL_FAILED;
    MUST(mica_store_call_commit(store, &second, none, none, 1, 0, &error));
    ck_assert_int_gt(store_count(store).call_bytes, 1000);
    end_test();
}
END_TEST

// ---- For people ------------------------------------------------------------------

START_TEST(open_calls_are_listed_page_by_page)
{
    struct mica_store_calls page;
    struct mica_text after = none;
    char id[16];
    unsigned seen = 0;

    open_with(NULL);
    for (unsigned i = 0; i < 30; i++) {
        (void)snprintf(id, sizeof id, "c%02u", i);
        struct mica_store_call call = create_call(id, 0);
        if (i % 3 == 0)
            end_call(&call, 1);
        else
            suspend(&call, 1, 50);
    }
    do {
        MUST(
            mica_store_call_list(store, after, 7, true, &arena, &error, &page));
        for (size_t i = 0; i < page.count; i++, seen++) {
            (void)snprintf(id, sizeof id, "c%02u", seen / 2 * 3 + seen % 2 + 1);
            UNIT_TEXT_EQ(page.items[i].id, id);
            UNIT_TEXT_EQ(page.items[i].asks, "{\"pick\":{}}");
            UNIT_TEXT_EQ(page.items[i].target, "book_flight");
            ck_assert_uint_eq(page.items[i].arguments.len, 0);
            ck_assert_uint_eq(page.items[i].journal.len, 0);
        }
        after = page.next;
    } while (after.len > 0);
    ck_assert_uint_eq(seen, 20);
    MUST(mica_store_call_list(store, none, 1000, false, &arena, &error, &page));
    ck_assert_uint_eq(page.count, 30);
    ck_assert_uint_eq(page.next.len, 0);
    REFUSED(mica_store_call_list(store, none, 0, true, &arena, &error, &page),
            MICA_E_USAGE);
    end_test();
}
END_TEST

START_TEST(a_call_is_expired_or_deleted_by_hand)
{
    struct mica_store_call call, found;

    open_with(NULL);
    call = create_call("c1", 0);
    suspend(&call, 0, 50000);
    MUST(mica_store_call_expire(store, mica_text("c1"), 10, &error));
    must_be_due(10, "c1", MICA_E_TIMEOUT);
    call = create_call("c2", 0);
    end_call(&call, 1);
    MUST(mica_store_call_expire(store, mica_text("c2"), 10, &error));
    REFUSED(mica_store_call_expire(store, mica_text("c2"), 10, &error),
            MICA_E_NOT_FOUND);
    call = create_call("c3", 0);
    MUST(mica_store_call_delete(store, mica_text("c3"), 10, &error));
    REFUSED(mica_store_call_commit(store, &call, none, none, 11, 0, &error),
            MICA_E_CALL_BUSY);
    REFUSED(mica_store_call_find(store, mica_text("c3"), NULL, 11, &arena,
                                 &error, &found),
            MICA_E_NOT_FOUND);
    MUST(mica_store_call_delete(store, mica_text("c1"), 10, &error));
    struct mica_store_statistics there = store_count(store);
    ck_assert_int_eq(there.calls, 0);
    ck_assert_int_eq(there.open_calls, 0);
    ck_assert_int_eq(there.call_bytes, 0);
    ck_assert_int_eq(there.rounds, 0);
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
        struct mica_store_call call = new_call(id, 0);
        call.owner = nobody;
        MUST(mica_store_call_create(store, &call, none, 0, LEASE, &arena,
                                    &error));
        call.state = MICA_STORE_CALL_WAITING;
        call.due = 90000 + i;
        MUST(mica_store_call_commit(store, &call, none, none, 0, 0, &error));
        mica_arena_reset(&arena);
    }
    struct mallinfo2 after = mallinfo2();
    struct mica_store_statistics there = store_count(store);
    ck_assert_int_eq(there.open_calls, count);
    if (in_memory) {
        size_t each = (after.uordblks + after.hblkhd - before.uordblks -
                       before.hblkhd - (size_t)there.call_bytes) /
                      count;
        ck_assert_msg(each < 1024, "%zu bytes for each call", each);
        (void)fprintf(stderr, "# %zu bytes beside the %lld of each call\n",
                      each, (long long)(there.call_bytes / count));
    }
    ck_assert_int_eq(due_at(89999).next, 90000);
    ck_assert_uint_eq(due_at(90004).count, 5);
    end_test();
}
END_TEST

UNIT_MAIN("store calls", a_call_is_found_as_it_was_kept,
          unknown_expired_and_foreign_calls_are_told_apart_by_nobody,
          of_two_who_claim_one_wins_and_the_loser_writes_nothing,
          a_lease_that_ran_out_is_its_holders_until_another_takes_it,
          a_call_that_has_ended_is_found_and_not_claimed,
          a_round_is_answered_again_as_it_was_and_only_so,
          a_commit_that_fails_leaves_everything_as_it_was,
          old_rounds_make_room_for_what_a_call_needs,
          a_key_is_of_one_owner_and_target_and_begins_one_call,
          a_late_ask_is_due_once_and_again_after_a_while,
          a_call_whose_runner_died_is_due_when_its_lease_has_run_out,
          a_call_that_was_released_to_be_run_is_due_in_a_second,
          an_open_call_that_expires_is_due_and_an_ended_one_goes,
          what_is_due_is_still_due_when_the_store_is_opened_again,
          many_that_are_late_are_given_out_bit_by_bit,
          the_end_of_a_session_is_that_of_its_questions,
          events_do_not_age_while_a_call_answers_on_their_stream,
          events_that_are_held_are_bounded_like_others,
          there_are_so_many_calls_and_expired_ones_make_room,
          all_calls_together_have_so_many_bytes,
          open_calls_are_listed_page_by_page,
          a_call_is_expired_or_deleted_by_hand,
          a_hundred_thousand_that_wait_are_cheap)
