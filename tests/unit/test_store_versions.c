// SPDX-License-Identifier: Apache-2.0
//
// Files of other versions and of other programs.
#include "test_store_file.h"

START_TEST(a_file_of_each_older_version_is_brought_up_to_date)
{
    for (int version = 1; version < MICA_STORE_VERSION; version++) {
        struct mica_sqlite old = {.db = NULL};
        struct mica_store_key key;
        struct mica_store_place place;
        char name[32];

        (void)snprintf(name, sizeof name, "version-%d.db", version);
        write_file(name, "", 0);
        MUST(mica_sqlite_connect(&old, store_file(name), 100, &error));
        MUST(mica_sqlite_migrate(&old, version, &error));
        mica_sqlite_disconnect(&old);
        run_sql(name, "INSERT INTO keys VALUES (7, zeroblob(32), 5, "
                      "9223372036854775807);"
                      "UPDATE counters SET value = 1 WHERE name = 'keys'");

        MUST(try_open(name, NULL));
        MUST(mica_store_key_current(store, 6, &error, &key));
        ck_assert_uint_eq(key.id, 7);
        (void)store_create(store, 1, 0, 100);
        MUST(mica_store_place(store, &error, &place));
        ck_assert_int_eq(place.schema, MICA_STORE_VERSION);
        store_must_be_sound(store);
        mica_store_close(&store);
    }
    end_test();
}
END_TEST

START_TEST(events_of_an_older_mica_age_from_when_they_were_sent)
{
    static const struct mica_store_options options = {.event_age_ms = 50};
    struct mica_sqlite old = {.db = NULL};
    size_t removed;

    write_file("mica.db", "", 0);
    MUST(mica_sqlite_connect(&old, store_file("mica.db"), 100, &error));
    MUST(mica_sqlite_migrate(&old, 3, &error));
    mica_sqlite_disconnect(&old);
    run_sql("mica.db",
            "INSERT INTO sessions VALUES (zeroblob(32), '', '', 'r', '', '',"
            "  -1, 1, 1, 5000, 1);"
            "INSERT INTO streams VALUES (zeroblob(32), 1, 2, 2, 2, 0);"
            "INSERT INTO events VALUES (zeroblob(32), 1, 1, 100, 1, x'41'),"
            "  (zeroblob(32), 1, 2, 200, 1, x'42');"
            "UPDATE counters SET value = 1 WHERE name IN ('sessions',"
            "  'streams');"
            "UPDATE counters SET value = 2 WHERE name IN ('events',"
            "  'event_bytes')");
    MUST(try_open("mica.db", &options));
    store_must_be_sound(store);
    MUST(mica_store_sweep(store, 151, 10, &error, &removed));
    ck_assert_uint_eq(removed, 1);
    ck_assert_int_eq(store_count(store).events, 1);
    MUST(mica_store_sweep(store, 251, 10, &error, &removed));
    ck_assert_int_eq(store_count(store).events, 0);
    end_test();
}
END_TEST

START_TEST(streams_of_an_older_mica_know_the_calls_that_answer_on_them)
{
    struct mica_sqlite old = {.db = NULL};
    struct mica_store_session_key key;
    struct mica_store_events events;
    struct mica_arena arena;

    memset(&key, 0, sizeof key);
    mica_arena_init(&arena, 1 << 20);
    write_file("mica.db", "", 0);
    MUST(mica_sqlite_connect(&old, store_file("mica.db"), 100, &error));
    MUST(mica_sqlite_migrate(&old, 4, &error));
    mica_sqlite_disconnect(&old);
    run_sql("mica.db",
            "INSERT INTO sessions VALUES (zeroblob(32), '', '', 'r', '', '',"
            "  -1, 1, 1, 5000, 2);"
            "INSERT INTO streams VALUES (zeroblob(32), 1, 0, 0, 0, 0),"
            "  (zeroblob(32), 2, 0, 0, 0, 0);"
            "INSERT INTO calls VALUES"
            "  ('c1', 0, 60, 2, 0, 1, 90, 60, 1, 0, 37, 34);"
            "INSERT INTO requests VALUES ('c1', '', '', 2, 0, 't', 'v',"
            "  zeroblob(32), 2, 1, '', '');"
            "INSERT INTO journals VALUES ('c1', x'41', '{}', '', '');"
            "INSERT INTO callers VALUES (zeroblob(32), 1);"
            "INSERT INTO holds VALUES (zeroblob(32), 2, 'c1');"
            "UPDATE counters SET value = 1 WHERE name IN ('sessions', 'calls',"
            "  'open_calls');"
            "UPDATE counters SET value = 2 WHERE name = 'streams';"
            "UPDATE counters SET value = 37 WHERE name = 'call_bytes'");
    MUST(try_open("mica.db", NULL));
    MUST(mica_store_event_replay(store, &key, 1, 0, 1, 5, &arena, &error,
                                 &events));
    UNIT_TEXT_EQ(events.call, "");
    ck_assert_int_eq(events.lease, 0);
    MUST(mica_store_event_replay(store, &key, 2, 0, 1, 5, &arena, &error,
                                 &events));
    UNIT_TEXT_EQ(events.call, "c1");
    mica_arena_fini(&arena);
    end_test();
}
END_TEST

START_TEST(a_file_of_a_newer_mica_is_refused)
{
    MUST(try_open("mica.db", NULL));
    mica_store_close(&store);
    run_sql("mica.db", "PRAGMA user_version = 999");
    must_stay("mica.db", "newer mica");
    end_test();
}
END_TEST

START_TEST(a_database_of_another_program_is_refused)
{
    run_sql("theirs.db", "CREATE TABLE precious (a)");
    chmod(store_file("theirs.db"), 0600);
    must_stay("theirs.db", "another program");
    run_sql("id.db", "PRAGMA application_id = 12345");
    chmod(store_file("id.db"), 0600);
    must_stay("id.db", "another program");
    end_test();
}
END_TEST

UNIT_MAIN("store versions", a_file_of_each_older_version_is_brought_up_to_date,
          events_of_an_older_mica_age_from_when_they_were_sent,
          streams_of_an_older_mica_know_the_calls_that_answer_on_them,
          a_file_of_a_newer_mica_is_refused,
          a_database_of_another_program_is_refused)
