// SPDX-License-Identifier: Apache-2.0
//
// Storage that fails (store_fault.h) under sessions, streams and calls, when a store opens, and
// when it is copied.
#include "test_store_fault_calls.h"

// ---- The calls -------------------------------------------------------------------

static enum mica_status
do_call(struct mica_store *store, unsigned number)
{
    static char large[20000];
    struct mica_store_session_key first = store_key(1), key = store_key(number);
    struct mica_store_session session = store_session(5, 500);
    struct mica_store_key sealing;
    struct mica_store_events events;
    int64_t value;
    size_t removed;

    memset(large, 'd', sizeof large);
    memset(&error, 0, sizeof error);
    switch (number) {
    case 2:
    case 3:
        return mica_store_session_create(store, &key, &session, &error);
    case 4:
        return mica_store_session_find(store, &first, &no_owner, 5, &arena,
                                       &error, &session);
    case 5:
        return mica_store_session_touch(store, &first, 6, 600, &error);
    case 6:
        return mica_store_event_append(store, &first, 1, 6,
                                       (struct mica_text){large, sizeof large},
                                       &error, &value);
    case 7:
        return mica_store_stream_open(store, &first, STREAM_FOR, 6, STREAM_MS,
                                      &error, &value);
    case 8:
        return mica_store_event_replay(store, &first, 1, 0, 9, 6, &arena,
                                       &error, &events);
    case 9:
        return mica_store_subscribe(store, &first, mica_text("b:"), 6, &error);
    case 10:
        key = store_key(0);
        return mica_store_stream_end(store, &key, 1, 6, mica_text("the end"),
                                     &error, &value);
    case 11:
        return mica_store_key_rotate(store, 6, &error, &sealing);
    case 12:
        return mica_store_session_set_log_level(store, &first, 6, 3, &error);
    case 13:
        return mica_store_sweep(store, 60, 100, &error, &removed);
    case 14:
        key = store_key(0);
        return mica_store_session_delete(store, &key, 6, &error);
    case 15:
        return mica_store_stream_renew(store, &first, 1, 6, STREAM_MS, &error);
    case 16:
        return mica_store_stream_close(store, &first, 1, 6, &error);
    default:
        return do_with_calls(store, number - 17);
    }
}

enum {
    FIRST_CALL = 2,
    LAST_CALL = 30
};

// What is there before.
static void
fill(struct mica_store *store)
{
    struct mica_store_session_key key;
    struct mica_store_key sealing;
    int64_t number;

    MUST(mica_store_key_current(store, 0, &error, &sealing));
    for (unsigned i = 0; i < 2; i++) {
        key = store_create(store, i, 0, 400);
        MUST(mica_store_stream_open(store, &key, STREAM_FOR, 1, STREAM_MS,
                                    &error, &number));
        for (int j = 0; j < 4; j++)
            MUST(mica_store_event_append(store, &key, 1, 1, mica_text("event"),
                                         &error, &number));
        MUST(mica_store_subscribe(store, &key, mica_text("a:"), 1, &error));
    }
    for (unsigned i = 60; i < 70; i++)
        (void)store_create(store, i, 0, 50); // for the sweep
    fill_calls(store);
}

// Both hold the same.
static void
must_match(struct mica_store *a, struct mica_store *b)
{
    struct mica_store_statistics of_a = store_count(a), of_b = store_count(b);

    ck_assert_mem_eq(&of_a, &of_b, sizeof of_a);
    calls_must_match(a, b);
    for (unsigned i = 0; i <= 70; i++) {
        struct mica_store_session_key key = store_key(i);
        struct mica_store_session in_a, in_b;
        enum mica_status status_a = mica_store_session_find(
                             a, &key, &no_owner, 7, &arena, &error, &in_a),
                         status_b = mica_store_session_find(
                             b, &key, &no_owner, 7, &arena, &error, &in_b);
        UNIT_MUST(status_a == status_b, "session %u: %s and %s", i,
                  mica_status_code(status_a), mica_status_code(status_b));
        if (status_a != MICA_OK)
            continue;
        UNIT_MUST(in_a.seen == in_b.seen && in_a.expires == in_b.expires &&
                      in_a.log_level == in_b.log_level,
                  "session %u", i);
        struct mica_store_events events_a = {.count = 0}, events_b;
        events_b = events_a;
        status_a = mica_store_event_replay(a, &key, 1, 0, 100, 7, &arena,
                                           &error, &events_a);
        status_b = mica_store_event_replay(b, &key, 1, 0, 100, 7, &arena,
                                           &error, &events_b);
        UNIT_MUST(status_a == status_b && events_a.count == events_b.count &&
                      events_a.closed == events_b.closed,
                  "events of %u", i);
    }
    mica_arena_reset(&arena);
}

// A sweep is a transaction for each kind: what it has removed before it failed is gone,
// and another removes the rest.
static bool
sweeps(unsigned number)
{
    return number == 13;
}

static const struct fault_subject subject = {.first = FIRST_CALL,
                                             .last = LAST_CALL,
                                             .call = do_call,
                                             .is_sweep = sweeps,
                                             .fill = fill,
                                             .must_match = must_match,
                                             .begin = forget_claims};

START_TEST(a_read_that_fails_at_any_point)
{
    install_files();
    run_all(&subject, "sqlite", READS, false, 30);
}
END_TEST

START_TEST(a_write_that_fails_at_any_point)
{
    install_files();
    fault.write_code = SQLITE_IOERR_WRITE;
    run_all(&subject, "sqlite", WRITES, false, 50);
}
END_TEST

START_TEST(a_disk_that_is_full_from_any_point_on)
{
    install_files();
    fault.write_code = SQLITE_FULL;
    run_all(&subject, "sqlite", WRITES, true, 50);
}
END_TEST

START_TEST(memory_of_sqlite_that_ends_at_any_point)
{
    install_memory();
    install_files();
    run_all(&subject, "sqlite", SQL_MEMORY, false, 100);
}
END_TEST

START_TEST(our_memory_that_ends_at_any_point_with_a_file)
{
    install_files();
    run_all(&subject, "sqlite", OUR_MEMORY, false, 20);
}
END_TEST

START_TEST(our_memory_that_ends_at_any_point_without_a_file)
{
    run_all(&subject, "memory", OUR_MEMORY, false, 20);
    store_remove_folder();
    run_all(&subject, "memory", OUR_MEMORY, true, 20);
}
END_TEST

// ---- Opening ---------------------------------------------------------------------

// Opens with each point failing in turn; then it opens, and nothing is lost.
static void
open_all(enum what what, bool is_new, unsigned least)
{
    unsigned stride = what == SQL_MEMORY ? OPEN_STRIDE : 1, at = 1;
    bool fired = true;

    for (; fired; at += stride) {
        struct mica_store *store = NULL;
        enum mica_status status;
        mica_arena_init(&arena, 64 << 20);
        if (!is_new) {
            MUST(mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error,
                                 &store));
            fill(store);
            mica_store_close(&store);
        }
        arm(what, at, false);
        status = mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error,
                                 &store);
        fault.armed = false;
        fired = fault.fired;
        ck_assert_msg(status == MICA_OK || (fired && status == expected()),
                      "point %u: %s: %s", at, error.code, error.message);
        if (status != MICA_OK)
            MUST(mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error,
                                 &store));
        ck_assert_int_eq(store_count(store).sessions, is_new ? 0 : 12);
        store_must_be_sound(store);
        mica_store_close(&store);
        mica_arena_fini(&arena);
        store_remove_folder();
    }
    ck_assert_msg(at > least, "only %u points", at);
}

START_TEST(opening_fails_at_any_point)
{
    install_files();
    fault.write_code = SQLITE_IOERR_WRITE;
    open_all(READS, false, 10);
    open_all(READS, true, 10);
    open_all(WRITES, false, 3);
    open_all(WRITES, true, 10);
}
END_TEST

START_TEST(opening_without_memory_fails_at_any_point)
{
    install_memory();
    install_files();
    open_all(SQL_MEMORY, false, 50);
    open_all(SQL_MEMORY, true, 50);
    open_all(OUR_MEMORY, false, 2);
}
END_TEST

// A copy that fails leaves nothing, and the store as it was.
static void
copy_all(enum what what, unsigned least)
{
    struct mica_store *store;
    unsigned at = 1;
    bool fired = true;
    char copy[128];

    mica_arena_init(&arena, 64 << 20);
    MUST(
        mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error, &store));
    fill(store);
    strcpy(copy, store_file("copy.db"));
    for (; fired; at++) {
        enum mica_status status;
        arm(what, at, false);
        status = mica_store_backup(store, copy, NULL, NULL, &error);
        fault.armed = false;
        fired = fault.fired;
        ck_assert_msg(status == MICA_OK || (fired && status == expected()),
                      "point %u: %s: %s", at, error.code, error.message);
        ck_assert_int_eq(access(copy, F_OK) == 0, status == MICA_OK);
        if (status == MICA_OK) {
            struct mica_store *copied;
            char spec[160];
            (void)snprintf(spec, sizeof spec, "sqlite:%s", copy);
            MUST(mica_store_open(spec, NULL, &error, &copied));
            ck_assert_int_eq(store_count(copied).sessions, 12);
            store_must_be_sound(copied);
            mica_store_close(&copied);
            unlink(copy);
        }
    }
    store_must_be_sound(store);
    mica_store_close(&store);
    mica_arena_fini(&arena);
    store_remove_folder();
    ck_assert_msg(at > least, "only %u points", at);
}

START_TEST(copying_fails_at_any_point)
{
    install_files();
    fault.write_code = SQLITE_FULL;
    copy_all(READS, 20);
    copy_all(WRITES, 20);
}
END_TEST

UNIT_MAIN("store fault", a_read_that_fails_at_any_point,
          a_write_that_fails_at_any_point,
          a_disk_that_is_full_from_any_point_on,
          memory_of_sqlite_that_ends_at_any_point,
          our_memory_that_ends_at_any_point_with_a_file,
          our_memory_that_ends_at_any_point_without_a_file,
          opening_fails_at_any_point, opening_without_memory_fails_at_any_point,
          copying_fails_at_any_point)
