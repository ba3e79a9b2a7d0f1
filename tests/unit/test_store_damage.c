// SPDX-License-Identifier: Apache-2.0
//
// A store in a file whose pages or rows are damaged.
#include "test_store_file.h"

static void
make_large(const char *name)
{
    MUST(try_open(name, NULL));
    for (unsigned i = 0; i < 400; i++)
        (void)store_create(store, i, 0, 100);
    mica_store_close(&store);
}

START_TEST(a_damaged_file_is_refused_and_kept)
{
    static char bytes[1 << 20];
    size_t size, refused = 0;

    write_file("text.db", "this is not a database, but a long enough text", 46);
    must_stay("text.db", "damaged");
    make_large("mica.db");
    size = read_file("mica.db", bytes, sizeof bytes);
    ck_assert_uint_gt(size, 30 * 4096);

    write_file("half.db", bytes, size / 2);
    must_stay("half.db", "damaged");
    // One page after the other, overwritten.
    for (size_t page = 1; page < size / 4096; page++) {
        char kept[4096];
        memcpy(kept, bytes + page * 4096, 4096);
        memset(bytes + page * 4096, 0x5A, 4096);
        write_file("page.db", bytes, size);
        if (try_open("page.db", NULL) == MICA_OK)
            mica_store_close(&store);
        else
            refused++;
        memcpy(bytes + page * 4096, kept, 4096);
    }
    ck_assert_uint_eq(refused, size / 4096 - 1);
    end_test();
}
END_TEST

// A command beside servers does not read all pages; those that it needs are refused by
// the same words.
START_TEST(a_damaged_page_is_refused_when_it_is_met)
{
    static const struct mica_store_options beside = {.pages_trusted = true};
    static char bytes[1 << 20];
    size_t size, opened = 0, refused = 0;

    make_large("mica.db");
    size = read_file("mica.db", bytes, sizeof bytes);
    for (size_t page = 1; page < size / 4096; page++) {
        char kept[4096];
        size_t removed;
        enum mica_status status;
        memcpy(kept, bytes + page * 4096, 4096);
        memset(bytes + page * 4096, 0x5A, 4096);
        write_file("page.db", bytes, size);
        status = try_open("page.db", &beside);
        if (status == MICA_OK) {
            opened++;
            status = mica_store_sweep(store, 1000, 1000, &error, &removed);
            mica_store_close(&store);
        }
        if (status != MICA_OK) {
            ck_assert_int_eq(status, MICA_E_IO);
            ck_assert_ptr_nonnull(strstr(error.message, "damaged"));
            refused++;
        }
        memcpy(bytes + page * 4096, kept, 4096);
        (void)unlink(store_file("page.db-wal"));
        (void)unlink(store_file("page.db-shm"));
    }
    ck_assert_uint_gt(opened, 0);
    ck_assert_uint_gt(refused, 0);
    ck_assert_uint_lt(refused, size / 4096 - 1);
    end_test();
}
END_TEST

static void
create_call(const char *id, struct mica_arena *arena)
{
    struct mica_kept_call call = {.id = mica_text(id),
                                  .target = MICA_LITERAL("t"),
                                  .note = MICA_LITERAL("ü"),
                                  .state = MICA_CALL_WORKING,
                                  .expires = 1000};

    MUST(mica_store_call_create(store, &call, mica_text(id), 1, 10, arena,
                                &error));
}

START_TEST(a_check_finds_rows_that_do_not_agree)
{
    struct mica_store_session_key key;
    struct mica_arena arena;
    struct mica_text findings;
    int64_t number;

    MUST(try_open("mica.db", NULL));
    key = store_create(store, 1, 0, 100);
    MUST(mica_store_stream_open(store, &key, STREAM_FOR, 1, STREAM_MS, &error,
                                &number));
    mica_arena_init(&arena, 1 << 20);
    create_call("c1", &arena);
    create_call("c2", &arena);
    create_call("c3", &arena);
    store_must_be_sound(store);
    run_sql("mica.db", "UPDATE calls SET bytes = 77 WHERE id = 'c1';"
                       "UPDATE calls SET journal = x'4142' WHERE id = 'c2';"
                       "UPDATE counters SET value = 9 WHERE name = 'sessions';"
                       "UPDATE streams SET total = 4;"
                       "INSERT INTO subscriptions VALUES (zeroblob(32), 'a:')");
    MUST(mica_store_check(store, &arena, &error, &findings));
    findings = mica_arena_text(&arena, findings);
    ck_assert_ptr_nonnull(strstr(findings.ptr, "counter of sessions says 9"));
    ck_assert_ptr_nonnull(strstr(findings.ptr, "stream 1"));
    ck_assert_ptr_nonnull(strstr(findings.ptr, "a row of subscriptions"));
    ck_assert_ptr_nonnull(
        strstr(findings.ptr, "call c1 counts 77 bytes instead of 3"));
    ck_assert_ptr_nonnull(strstr(findings.ptr, "call c2 counts 3 bytes"));
    ck_assert_ptr_null(strstr(findings.ptr, "call c3"));
    mica_arena_fini(&arena);
    mica_store_close(&store);
    end_test();
}
END_TEST

// As an older mica could leave it behind when the clock had stepped back.
START_TEST(a_stream_with_a_hole_is_not_resumed_over_it)
{
    struct mica_store_session_key key;
    struct mica_store_events events;
    struct mica_arena arena;
    int64_t number;

    MUST(try_open("mica.db", NULL));
    key = store_create(store, 1, 0, 100);
    MUST(mica_store_stream_open(store, &key, STREAM_FOR, 1, STREAM_MS, &error,
                                &number));
    for (int i = 0; i < 4; i++)
        MUST(mica_store_event_append(store, &key, 1, 1, mica_text("x"), &error,
                                     &number));
    run_sql("mica.db", "DELETE FROM events WHERE sequence IN (2, 4);"
                       "UPDATE counters SET value = value - 2"
                       " WHERE name IN ('events', 'event_bytes')");
    mica_arena_init(&arena, 1 << 20);
    for (int64_t after = 0; after < 4; after++) {
        MUST(mica_store_event_replay(store, &key, 1, after, 9, 1, &arena,
                                     &error, &events));
        ck_assert_msg(events.missed, "after %d", (int)after);
    }
    MUST(mica_store_event_replay(store, &key, 1, 2, 1, 1, &arena, &error,
                                 &events));
    ck_assert(events.count == 1 && !events.missed); // the hole is behind it
    MUST(mica_store_event_replay(store, &key, 1, 4, 9, 1, &arena, &error,
                                 &events));
    ck_assert(!events.missed); // it has all there was
    mica_arena_fini(&arena);
    mica_store_close(&store);
    end_test();
}
END_TEST

UNIT_MAIN("store damage", a_damaged_file_is_refused_and_kept,
          a_damaged_page_is_refused_when_it_is_met,
          a_check_finds_rows_that_do_not_agree,
          a_stream_with_a_hole_is_not_resumed_over_it)
