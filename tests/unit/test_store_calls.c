// SPDX-License-Identifier: Apache-2.0
//
// What a store promises of calls that wait: who may continue one, what is
// written together, and what of it is bounded. Built once for each back end.
#include "test_store_calls.h"

// ---- Finding ---------------------------------------------------------------------

START_TEST(a_call_is_found_as_it_was_kept)
{
    struct mica_kept_call call, found;

    open_with(NULL);
    call = create_call("c1", 10);
    ck_assert_int_gt(call.fence, 0);
    found = find_call("c1", 11);
    UNIT_TEXT_EQ(found.id, "c1");
    ck_assert(mica_text_equal(found.owner.subject, alice.subject));
    ck_assert(mica_text_equal(found.owner.issuer, alice.issuer));
    ck_assert_int_eq(found.mode, 1);
    ck_assert_int_eq(found.kind, 2);
    UNIT_TEXT_EQ(found.target, "book_flight");
    UNIT_TEXT_EQ(found.version, "1.2");
    UNIT_TEXT_EQ(found.arguments, "{\"to\":\"Rome\"}");
    UNIT_TEXT_EQ(found.context, "{\"wire\":\"2026-07-28\"}");
    ck_assert(mica_text_equal(found.journal, call.journal));
    ck_assert_int_eq(found.state, MICA_CALL_WORKING);
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
    ck_assert_int_eq(found.state, MICA_CALL_WAITING);
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
    struct mica_kept_call found;
    char said[sizeof error.message];

    open_with(NULL);
    struct mica_kept_call call = create_call("c1", 0);
    suspend(&call, 0, 50);
    REFUSED(mica_store_call_find(store, mica_text("c2"), &alice, 1, &arena,
                                 &error, &found),
            MICA_E_NOT_FOUND);
    strcpy(said, error.message);
    REFUSED(mica_store_call_find(store, mica_text("c1"), &bob, 1, &arena,
                                 &error, &found),
            MICA_E_NOT_FOUND);
    ck_assert_str_eq(said, error.message);
    REFUSED(mica_store_call_claim(store, mica_text("c1"), &no_owner, 1, LEASE,
                                  &arena, &error, &found),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_call_find(store, mica_text("c1"), &alice, 100000, &arena,
                                 &error, &found),
            MICA_E_NOT_FOUND);
    ck_assert_str_eq(said, error.message);
    // A process that continues it unasked finds it too.
    MUST(mica_store_call_claim(store, mica_text("c1"), NULL, 100000, LEASE,
                               &arena, &error, &found));
    ck_assert_int_gt(found.fence, 0);
    end_test();
}
END_TEST

// ---- Claims ----------------------------------------------------------------------

START_TEST(of_two_who_claim_one_wins_and_the_loser_writes_nothing)
{
    struct mica_kept_call first, second, third;

    open_with(NULL);
    first = create_call("c1", 0);
    REFUSED(mica_store_call_claim(store, mica_text("c1"), &alice, LEASE - 1,
                                  LEASE, &arena, &error, &second),
            MICA_E_CALL_BUSY);
    second = claim_call("c1", LEASE); // its lease ran out
    ck_assert_int_gt(second.fence, first.fence);
    first.journal = MICA_LITERAL("late");
    first.state = MICA_CALL_COMPLETED;
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
    struct mica_kept_call call;

    open_with(NULL);
    call = create_call("c1", 0);
    call.note = MICA_LITERAL("half-way");
    call.progress_log = MICA_LITERAL("\n{\"number\":1}\n");
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
    UNIT_TEXT_EQ(call.progress_log, "\n{\"number\":1}\n");
    end_test();
}
END_TEST

START_TEST(claims_whose_lease_ran_out_are_counted_until_a_commit_says_otherwise)
{
    struct mica_kept_call call;

    open_with(NULL);
    call = create_call("c1", 0);
    ck_assert_uint_eq(call.lost_claims, 0);
    call = claim_call("c1", LEASE);
    ck_assert_uint_eq(call.lost_claims, 1);
    call = claim_call("c1", 2 * LEASE);
    ck_assert_uint_eq(call.lost_claims, 2);
    // One that is given back was not lost, and says nothing of those that were.
    MUST(mica_store_call_renew(store, call.id, call.fence, 2 * LEASE, 0,
                               &error));
    ck_assert_uint_eq(find_call("c1", 2 * LEASE).lost_claims, 2);
    call = claim_call("c1", 2 * LEASE + 1);
    ck_assert_uint_eq(call.lost_claims, 2);
    // A commit writes it.
    call.expires = 100 * LEASE;
    MUST(mica_store_call_commit(store, &call, none, none, 2 * LEASE + 2, LEASE,
                                &error));
    call = claim_call("c1", 4 * LEASE);
    ck_assert_uint_eq(call.lost_claims, 3);
    call.lost_claims = 0;
    MUST(mica_store_call_commit(store, &call, none, none, 4 * LEASE, LEASE,
                                &error));
    ck_assert_uint_eq(find_call("c1", 4 * LEASE).lost_claims, 0);
    call = claim_call("c1", 6 * LEASE);
    ck_assert_uint_eq(call.lost_claims, 1);
    call.lost_claims = 0;
    suspend(&call, 6 * LEASE, INT64_MAX);
    ck_assert_uint_eq(claim_call("c1", 9 * LEASE).lost_claims, 0);
    store_must_be_sound(store);
    end_test();
}
END_TEST

START_TEST(a_call_that_has_ended_is_found_and_not_claimed)
{
    struct mica_kept_call call, again;

    open_with(NULL);
    call = create_call("c1", 0);
    end_call(&call, 5);
    again = claim_call("c1", 6);
    ck_assert_int_eq(again.fence, 0);
    ck_assert_int_eq(again.state, MICA_CALL_COMPLETED);
    UNIT_TEXT_EQ(again.reply, "{\"done\":true}");
    again.state = MICA_CALL_WORKING;
    REFUSED(mica_store_call_commit(store, &again, none, none, 6, 0, &error),
            MICA_E_CALL_BUSY);
    ck_assert_int_eq(store_count(store).open_calls, 0);
    ck_assert_int_eq(store_count(store).calls, 1);
    end_test();
}
END_TEST

// ---- Rounds ----------------------------------------------------------------------

START_TEST(a_round_is_answered_again_as_it_was_and_only_so)
{
    static const struct mica_store_options options = {.call_rounds = 3};
    struct mica_kept_call call;
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
    struct mica_kept_call call, found;
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
    // It is still claimed, and continues with less.
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

static size_t
count_events(const struct mica_store_session_key *key, int64_t stream,
             bool *closed_out)
{
    struct mica_store_events events;

    MUST(mica_store_event_replay(store, key, stream, 0, 100, 5, &arena, &error,
                                 &events));
    ck_assert(!events.missed);
    *closed_out = events.closed;
    return events.count;
}

START_TEST(what_a_call_says_on_its_stream_is_kept_with_its_turn_or_nothing_is)
{
    static const struct mica_store_options options = {.stream_bytes = 100,
                                                      .calls = 1};
    static char large[200];
    const struct mica_text questions[] = {MICA_LITERAL("one"),
                                          MICA_LITERAL("two")};
    const struct mica_text reply = {large, sizeof large};
    struct mica_turn_events asks = {.events = questions,
                                    .count = MICA_COUNT(questions)};
    struct mica_turn_events one = {.events = questions, .count = 1};
    struct mica_turn_events end = {
        .events = &reply, .count = 1, .closes = true};
    struct mica_store_session_key key;
    struct mica_kept_call call = new_call("c1", 0), other;
    struct mica_store_statistics before, after;
    int64_t stream;
    bool closed;

    memset(large, 'r', sizeof large);
    open_with(&options);
    key = store_create(store, 1, 0, 100000);
    MUST(mica_store_stream_open(store, &key, MICA_LITERAL("7"), 0, LEASE,
                                &error, &stream));
    call.session =
        (struct mica_text){(const char *)key.bytes, sizeof key.bytes};
    call.stream = stream;
    call.begins = true;
    call.turn_events = &asks;
    suspend(&call, 1, 50000);
    ck_assert_int_eq(asks.first, 1);
    ck_assert_uint_eq(count_events(&key, stream, &closed), 2);
    ck_assert(!closed);
    ck_assert_int_eq(find_call("c1", 2).state, MICA_CALL_WAITING);
    // A call that may not begin says nothing either.
    other = new_call("c2", 0);
    other.session = call.session;
    other.stream = stream;
    other.begins = true;
    other.turn_events = &one;
    other.state = MICA_CALL_WAITING;
    before = store_count(store);
    REFUSED(mica_store_call_commit(store, &other, none, none, 2, 0, &error),
            MICA_E_LIMIT);
    // Nor does one that says too much come to an end.
    call = claim_call("c1", 2);
    ck_assert_int_eq(call.ending, MICA_OK);
    call.turn_events = &end;
    call.state = MICA_CALL_COMPLETED;
    REFUSED(mica_store_call_commit(store, &call, none, none, 3, 0, &error),
            MICA_E_LIMIT);
    ck_assert_int_eq(end.first, 0);
    after = store_count(store);
    ck_assert_mem_eq(&before, &after, sizeof before);
    ck_assert_int_eq(find_call("c1", 3).state, MICA_CALL_WAITING);
    end.events = questions;
    end_call(&call, 4);
    ck_assert_int_eq(end.first, 3);
    ck_assert_uint_eq(count_events(&key, stream, &closed), 3);
    ck_assert(closed);
    end_test();
}
END_TEST

START_TEST(old_rounds_make_room_for_what_a_call_needs)
{
    static const struct mica_store_options options = {.call_bytes = 1000};
    static char large[300];
    struct mica_kept_call call;
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
create_with_key(struct mica_kept_call *call, const char *key, int64_t now)
{
    return mica_store_call_create(store, call, mica_text(key), now, LEASE,
                                  &arena, &error);
}

START_TEST(a_key_is_of_one_owner_and_target_and_begins_one_call)
{
    struct mica_kept_call first, same, other;

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
    other.kind = 3;
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

// ---- Bounds ----------------------------------------------------------------------

START_TEST(there_are_so_many_calls_and_expired_ones_make_room)
{
    static const struct mica_store_options options = {.calls = 4,
                                                      .owner_calls = 2};
    struct mica_kept_call calls[3], more = new_call("c9", 0);

    open_with(&options);
    calls[0] = create_call("c0", 0);
    calls[1] = create_call("c1", 0);
    REFUSED(create_with_key(&more, "", 1), MICA_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "2 calls"));
    more.owner = bob;
    MUST(create_with_key(&more, "", 1));
    more = new_call("c3", 1);
    more.owner = no_owner;
    MUST(create_with_key(&more, "", 1));
    more = new_call("c4", 1);
    more.owner = no_owner;
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
    struct mica_kept_call first, second, third;

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
    second.state = MICA_CALL_FAILED;
    MUST(mica_store_call_commit(store, &second, none, none, 1, 0, &error));
    ck_assert_int_gt(store_count(store).call_bytes, 1000);
    end_test();
}
END_TEST

// ---- For people ------------------------------------------------------------------

START_TEST(open_calls_are_listed_page_by_page)
{
    struct mica_store_calls page;
    const struct mica_store_call_filter open = {.ended = false},
                                        ended = {.ended = true};
    struct mica_text after = none;
    char id[16];
    unsigned seen = 0;

    open_with(NULL);
    for (unsigned i = 0; i < 30; i++) {
        (void)snprintf(id, sizeof id, "c%02u", i);
        struct mica_kept_call call = create_call(id, 0);
        if (i % 3 == 0)
            end_call(&call, 1);
        else
            suspend(&call, 1, 50);
    }
    do {
        MUST(mica_store_call_page(store, &open, after, 7, &arena, &error,
                                  &page));
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
    MUST(
        mica_store_call_page(store, &ended, none, 1000, &arena, &error, &page));
    ck_assert_uint_eq(page.count, 10);
    ck_assert_uint_eq(page.next.len, 0);
    REFUSED(mica_store_call_page(store, &open, none, 0, &arena, &error, &page),
            MICA_E_USAGE);
    end_test();
}
END_TEST

START_TEST(a_call_is_expired_or_deleted_by_hand)
{
    struct mica_kept_call call, found;

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

START_TEST(a_call_that_was_given_up_is_due_whoever_holds_it)
{
    struct mica_kept_call call, held;
    enum mica_status ending;

    open_with(NULL);
    call = create_call("c1", 0);
    suspend(&call, 0, 50000);
    MUST(mica_store_call_cancel(store, mica_text("c1"), &error));
    must_be_due(1, "c1", MICA_E_CANCELLED);
    // One that is held: what its holder commits does not undo it.
    held = create_call("c2", 0);
    MUST(mica_store_call_cancel(store, mica_text("c2"), &error));
    suspend(&held, 2, 50000);
    MUST(mica_store_call_ending(store, mica_text("c2"), 3, &error, &ending));
    ck_assert_int_eq(ending, MICA_E_CANCELLED);
    held = claim_call("c2", 3);
    end_call(&held, 4);
    MUST(mica_store_call_cancel(store, mica_text("c2"), &error));
    ck_assert_int_eq(find_call("c2", 5).state, MICA_CALL_COMPLETED);
    REFUSED(mica_store_call_cancel(store, mica_text("c3"), &error),
            MICA_E_NOT_FOUND);
    end_test();
}
END_TEST

UNIT_MAIN("store calls", a_call_is_found_as_it_was_kept,
          unknown_expired_and_foreign_calls_are_told_apart_by_nobody,
          of_two_who_claim_one_wins_and_the_loser_writes_nothing,
          a_lease_that_ran_out_is_its_holders_until_another_takes_it,
          claims_whose_lease_ran_out_are_counted_until_a_commit_says_otherwise,
          a_call_that_has_ended_is_found_and_not_claimed,
          a_round_is_answered_again_as_it_was_and_only_so,
          a_commit_that_fails_leaves_everything_as_it_was,
          what_a_call_says_on_its_stream_is_kept_with_its_turn_or_nothing_is,
          old_rounds_make_room_for_what_a_call_needs,
          a_key_is_of_one_owner_and_target_and_begins_one_call,
          there_are_so_many_calls_and_expired_ones_make_room,
          all_calls_together_have_so_many_bytes,
          open_calls_are_listed_page_by_page,
          a_call_is_expired_or_deleted_by_hand,
          a_call_that_was_given_up_is_due_whoever_holds_it)
