// SPDX-License-Identifier: Apache-2.0
//
// What a store promises of streams: the events that a client resumes from, and
// how many of them are kept. Built once for each back end.
#include "test_store_both.h"

START_TEST(a_stream_is_resumed_after_any_of_its_events)
{
    struct mica_store_session_key key;
    struct mica_store_events events;

    open_with(NULL);
    key = store_create(store, 1, 0, 100);
    ck_assert_int_eq(open_stream(&key), 1);
    ck_assert_int_eq(open_stream(&key), 2);
    ck_assert_int_eq(append(&key, 1, 5, "a"), 1);
    ck_assert_int_eq(append(&key, 2, 5, "other"), 1);
    ck_assert_int_eq(append(&key, 1, 6, ""), 2);
    ck_assert_int_eq(append(&key, 1, 7, "c"), 3);

    events = replay(&key, 1, 0, 10);
    ck_assert_uint_eq(events.count, 3);
    ck_assert(!events.missed && !events.closed);
    UNIT_TEXT_EQ(events.items[0].data, "a");
    UNIT_TEXT_EQ(events.items[1].data, "");
    ck_assert_int_eq(events.items[2].sequence, 3);
    ck_assert_int_eq(events.items[2].created, 7);
    events = replay(&key, 1, 1, 1);
    ck_assert_uint_eq(events.count, 1);
    ck_assert_int_eq(events.items[0].sequence, 2);
    ck_assert_uint_eq(replay(&key, 1, 3, 10).count, 0);
    ck_assert_uint_eq(replay(&key, 2, 0, 10).count, 1);
    ck_assert_uint_eq(replay(&key, 2, 0, 0).count, 0);
    end_test();
}
END_TEST

START_TEST(a_stream_of_another_session_or_an_event_made_up_is_not_found)
{
    struct mica_store_session_key key, other;
    struct mica_store_events events;
    int64_t sequence;

    open_with(NULL);
    key = store_create(store, 1, 0, 100);
    other = store_create(store, 2, 0, 100);
    (void)open_stream(&key);
    (void)append(&key, 1, 1, "secret");
    REFUSED(mica_store_event_replay(store, &other, 1, 0, 10, 1, &arena, &error,
                                    &events),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_event_replay(store, &key, 1, 2, 10, 1, &arena, &error,
                                    &events),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_event_replay(store, &key, 1, -1, 10, 1, &arena, &error,
                                    &events),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_event_replay(store, &key, 9, 0, 10, 1, &arena, &error,
                                    &events),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_event_append(store, &other, 1, 1, mica_text("x"), &error,
                                    &sequence),
            MICA_E_NOT_FOUND);
    // The session has expired.
    REFUSED(mica_store_event_replay(store, &key, 1, 0, 10, 100, &arena, &error,
                                    &events),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_event_append(store, &key, 1, 100, mica_text("x"), &error,
                                    &sequence),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_stream_open(store, &key, STREAM_FOR, 100, STREAM_MS,
                                   &error, &sequence),
            MICA_E_NOT_FOUND);
    end_test();
}
END_TEST

START_TEST(a_stream_keeps_so_many_events_and_says_what_is_missed)
{
    static const struct mica_store_options options = {.stream_events = 3,
                                                      .stream_bytes = 10};
    struct mica_store_session_key key;
    struct mica_store_events events;
    int64_t sequence;

    open_with(&options);
    key = store_create(store, 1, 0, 100);
    (void)open_stream(&key);
    for (int i = 1; i <= 5; i++)
        ck_assert_int_eq(append(&key, 1, 1, "ab"), i);
    events = replay(&key, 1, 2, 10);
    ck_assert_uint_eq(events.count, 3);
    ck_assert(!events.missed);
    events = replay(&key, 1, 1, 10);
    ck_assert_uint_eq(events.count, 3);
    ck_assert(events.missed);
    ck_assert_int_eq(store_count(store).events_dropped, 2);

    (void)append(&key, 1, 1, "12345678"); // 10 bytes with the one before
    ck_assert_uint_eq(replay(&key, 1, 4, 10).count, 2);
    ck_assert_int_eq(store_count(store).event_bytes, 10);
    (void)append(&key, 1, 1, "1234567890");
    ck_assert_uint_eq(replay(&key, 1, 6, 10).count, 1);
    ck_assert_int_eq(store_count(store).events, 1);
    REFUSED(mica_store_event_append(store, &key, 1, 1, mica_text("12345678901"),
                                    &error, &sequence),
            MICA_E_LIMIT);
    ck_assert_uint_eq(replay(&key, 1, 6, 10).count, 1);
    end_test();
}
END_TEST

START_TEST(all_streams_together_keep_so_many_bytes)
{
    static const struct mica_store_options options = {.event_bytes = 100};
    struct mica_store_session_key keys[3];

    open_with(&options);
    for (unsigned i = 0; i < 3; i++) {
        keys[i] = store_create(store, i, 0, 100);
        (void)open_stream(&keys[i]);
    }
    for (int64_t i = 0; i < 30; i++)
        (void)append(&keys[i % 3], 1, i, "1234567890");
    ck_assert_int_eq(store_count(store).event_bytes, 100);
    ck_assert_int_eq(store_count(store).events, 10);
    ck_assert_int_eq(store_count(store).events_dropped, 20);
    // The newest of each are there.
    ck_assert(!replay(&keys[0], 1, 7, 10).missed);
    ck_assert_uint_eq(replay(&keys[0], 1, 7, 10).count, 3);
    ck_assert_uint_eq(replay(&keys[2], 1, 0, 10).count, 4);
    end_test();
}
END_TEST

START_TEST(events_go_when_they_are_old_and_closed_streams_with_them)
{
    static const struct mica_store_options options = {.event_age_ms = 50};
    struct mica_store_session_key key;
    struct mica_store_events events;
    size_t removed;

    open_with(&options);
    key = store_create(store, 1, 0, 1000);
    for (int i = 0; i < 3; i++)
        (void)open_stream(&key);
    (void)append(&key, 1, 10, "a");
    (void)append(&key, 2, 11, "b");
    (void)append(&key, 2, 30, "c");
    MUST(mica_store_stream_close(store, &key, 2, 30, &error));
    MUST(mica_store_stream_close(store, &key, 3, 30, &error)); // has none
    ck_assert_int_eq(store_count(store).streams, 2);
    ck_assert(replay(&key, 2, 0, 9).closed);

    MUST(mica_store_sweep(store, 61, 10, &error, &removed));
    ck_assert_uint_eq(removed, 1); // of those at the edge only the older
    MUST(mica_store_sweep(store, 62, 10, &error, &removed));
    ck_assert_uint_eq(removed, 1);
    events = replay(&key, 2, 0, 9);
    ck_assert_uint_eq(events.count, 1);
    ck_assert(events.missed);
    MUST(mica_store_sweep(store, 100, 10, &error, &removed));
    REFUSED(mica_store_event_replay(store, &key, 2, 0, 9, 1, &arena, &error,
                                    &events),
            MICA_E_NOT_FOUND);
    // An open stream stays, and counts on.
    ck_assert_int_eq(append(&key, 1, 200, "d"), 2);
    ck_assert_int_eq(store_count(store).streams, 1);
    end_test();
}
END_TEST

START_TEST(what_is_kept_of_a_stream_has_no_holes_when_the_clock_steps_back)
{
    static const struct mica_store_options options = {.event_age_ms = 50,
                                                      .event_bytes = 3};
    struct mica_store_session_key key;
    struct mica_store_events events;
    size_t removed;

    open_with(&options);
    key = store_create(store, 1, 0, 1000);
    (void)open_stream(&key);
    (void)append(&key, 1, 100, "a");
    (void)append(&key, 1, 40, "b");
    (void)append(&key, 1, 60, "c");
    // The second is the only one that is old by the clock.
    MUST(mica_store_sweep(store, 91, 10, &error, &removed));
    ck_assert_uint_eq(removed, 1);
    ck_assert(replay(&key, 1, 0, 9).missed);
    events = replay(&key, 1, 1, 9);
    ck_assert(!events.missed);
    ck_assert_uint_eq(events.count, 2);
    UNIT_TEXT_EQ(events.items[0].data, "b");
    // The same for the limit on all streams together.
    (void)append(&key, 1, 30, "dd");
    events = replay(&key, 1, 2, 9);
    ck_assert(!events.missed);
    ck_assert_uint_eq(events.count, 2);
    UNIT_TEXT_EQ(events.items[0].data, "c");
    ck_assert(replay(&key, 1, 1, 9).missed);
    ck_assert_int_eq(store_count(store).event_bytes, 3);
    end_test();
}
END_TEST

START_TEST(events_of_one_moment_go_in_their_order)
{
    static const struct mica_store_options options = {.event_age_ms = 50};
    struct mica_store_session_key key;
    struct mica_store_events events;
    size_t removed;

    open_with(&options);
    key = store_create(store, 1, 0, 1000);
    (void)open_stream(&key);
    for (int i = 0; i < 20; i++)
        (void)append(&key, 1, 7, "a");
    for (int64_t gone = 1; gone < 20; gone++) {
        MUST(mica_store_sweep(store, 60, 1, &error, &removed));
        events = replay(&key, 1, gone, 99);
        ck_assert(!events.missed);
        ck_assert_int_eq((int64_t)events.count, 20 - gone);
        ck_assert_int_eq(events.items[0].sequence, gone + 1);
    }
    end_test();
}
END_TEST

START_TEST(a_session_has_so_many_streams_and_closed_ones_make_room)
{
    static const struct mica_store_options options = {.streams = 3};
    struct mica_store_session_key key;
    struct mica_store_events events;
    int64_t stream;

    open_with(&options);
    key = store_create(store, 1, 0, 100);
    for (int64_t i = 1; i <= 3; i++) {
        ck_assert_int_eq(open_stream(&key), i);
        (void)append(&key, i, 1, "x");
    }
    REFUSED(mica_store_stream_open(store, &key, STREAM_FOR, 1, STREAM_MS,
                                   &error, &stream),
            MICA_E_LIMIT);
    MUST(mica_store_stream_close(store, &key, 2, 1, &error));
    REFUSED(mica_store_event_append(store, &key, 2, 1, mica_text("x"), &error,
                                    &stream),
            MICA_E_NOT_FOUND);
    ck_assert_int_eq(open_stream(&key), 4);
    REFUSED(mica_store_event_replay(store, &key, 2, 0, 9, 1, &arena, &error,
                                    &events),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_stream_close(store, &key, 2, 1, &error),
            MICA_E_NOT_FOUND);
    ck_assert_int_eq(store_count(store).events, 2);
    ck_assert_int_eq(store_count(store).events_dropped, 1);
    end_test();
}
END_TEST

START_TEST(a_stream_says_what_it_is_for_and_until_when_somebody_goes_on)
{
    struct mica_store_session_key key;
    struct mica_store_events events;
    static char words[MICA_STORE_STREAM_REQUEST_BYTES + 1];
    int64_t stream;

    open_with(NULL);
    key = store_create(store, 1, 0, 100);
    MUST(mica_store_stream_open(store, &key, mica_text("\"seven\""), 1, 30,
                                &error, &stream));
    events = replay(&key, stream, 0, 10);
    UNIT_TEXT_EQ(events.request, "\"seven\"");
    UNIT_TEXT_EQ(events.call, "");
    ck_assert_int_eq(events.lease, 31);
    MUST(mica_store_stream_renew(store, &key, stream, 20, 30, &error));
    ck_assert_int_eq(replay(&key, stream, 0, 10).lease, 50);

    (void)append(&key, stream, 21, "x");
    MUST(mica_store_stream_close(store, &key, stream, 21, &error));
    REFUSED(mica_store_stream_renew(store, &key, stream, 22, 30, &error),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_stream_renew(store, &key, 9, 22, 30, &error),
            MICA_E_NOT_FOUND);
    memset(words, 'a', sizeof words);
    REFUSED(mica_store_stream_open(store, &key,
                                   (struct mica_text){words, sizeof words}, 1,
                                   30, &error, &stream),
            MICA_E_LIMIT);
    end_test();
}
END_TEST

// Their processes have died, and no client came back for them.
START_TEST(streams_that_nobody_goes_on_with_make_room)
{
    static const struct mica_store_options options = {.streams = 2};
    struct mica_store_session_key key;
    struct mica_store_events events;
    int64_t stream;

    open_with(&options);
    key = store_create(store, 1, 0, 100);
    MUST(mica_store_stream_open(store, &key, STREAM_FOR, 1, 50, &error,
                                &stream));
    MUST(mica_store_stream_open(store, &key, STREAM_FOR, 1, 10, &error,
                                &stream));
    REFUSED(mica_store_stream_open(store, &key, STREAM_FOR, 10, 50, &error,
                                   &stream),
            MICA_E_LIMIT);
    MUST(mica_store_stream_open(store, &key, STREAM_FOR, 11, 50, &error,
                                &stream));
    ck_assert_int_eq(stream, 3);
    (void)replay(&key, 1, 0, 9);
    REFUSED(mica_store_event_replay(store, &key, 2, 0, 9, 1, &arena, &error,
                                    &events),
            MICA_E_NOT_FOUND);
    end_test();
}
END_TEST

START_TEST(a_session_ends_with_all_that_it_has)
{
    struct mica_store_session_key keys[2];
    struct mica_store_statistics there;

    open_with(NULL);
    for (unsigned i = 0; i < 2; i++) {
        keys[i] = store_create(store, i, 0, 100);
        for (int64_t j = 1; j <= 2; j++) {
            (void)open_stream(&keys[i]);
            (void)append(&keys[i], j, 1, "abc");
        }
        MUST(mica_store_subscribe(store, &keys[i], mica_text("file:///a"), 1,
                                  &error));
    }
    MUST(mica_store_session_delete(store, &keys[0], 1, &error));
    there = store_count(store);
    ck_assert_int_eq(there.sessions, 1);
    ck_assert_int_eq(there.streams, 2);
    ck_assert_int_eq(there.events, 2);
    ck_assert_int_eq(there.event_bytes, 6);
    ck_assert_int_eq(there.subscriptions, 1);
    ck_assert_uint_eq(replay(&keys[1], 2, 0, 9).count, 1);
    // One of the same id is a new one.
    (void)store_create(store, 0, 1, 100);
    ck_assert_int_eq(open_stream(&keys[0]), 1);
    ck_assert_uint_eq(replay(&keys[0], 1, 0, 9).count, 0);
    end_test();
}
END_TEST

UNIT_MAIN("streams in " MICA_TEST_STORE,
          a_stream_is_resumed_after_any_of_its_events,
          a_stream_of_another_session_or_an_event_made_up_is_not_found,
          a_stream_keeps_so_many_events_and_says_what_is_missed,
          all_streams_together_keep_so_many_bytes,
          events_go_when_they_are_old_and_closed_streams_with_them,
          what_is_kept_of_a_stream_has_no_holes_when_the_clock_steps_back,
          events_of_one_moment_go_in_their_order,
          a_session_has_so_many_streams_and_closed_ones_make_room,
          a_stream_says_what_it_is_for_and_until_when_somebody_goes_on,
          streams_that_nobody_goes_on_with_make_room,
          a_session_ends_with_all_that_it_has)
