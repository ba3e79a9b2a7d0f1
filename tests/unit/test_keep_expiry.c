// SPDX-License-Identifier: Apache-2.0
//
// Entries that expire: when they are absent, when they are removed, and what is listed.
#include "keep/keep_list.h"
#include "test_keep.h"

// ---- Orders at a time ------------------------------------------------------------------

static enum mica_status
act_at(enum mica_keep_act act, const char *name, const char *json, int64_t now,
       int64_t until)
{
    return run_order((struct mica_keep_order){
        .act = act,
        .name = mica_text(name),
        .value = mica_text(json),
        .now = now,
        .until = until,
        .limit = 10,
        .expect = act == MICA_KEEP_PUT ? MICA_KEEP_ABSENT : 0});
}

// How many rows the file has, also of entries that have expired.
static int64_t
count_rows(const char *text)
{
    sqlite3_stmt *statement;
    int64_t count;

    ck_assert_int_eq(sqlite3_prepare_v2(service->databases->sqlite, text, -1,
                                        &statement, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    count = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return count;
}

#define ENTRIES "SELECT count(*) FROM mica_entries"

START_TEST(an_entry_that_has_expired_is_absent)
{
    begin();
    must_answer(act_at(MICA_KEEP_PUT, "a", "1", 0, 1000), "{\"version\":1}");
    must_answer(act_at(MICA_KEEP_PUT, "b", "2", 0, 0), "{\"version\":2}");
    must_answer(act_at(MICA_KEEP_GET, "a", "", 999, 0),
                "{\"version\":1,\"value\":1}");
    must_answer(act_at(MICA_KEEP_GET, "a", "", 1000, 0), "{\"version\":0}");
    must_answer(act_at(MICA_KEEP_LIST, "", "", 1000, 0),
                "{\"entries\":[{\"name\":\"b\",\"version\":2,\"value\":2}],"
                "\"more\":false}");
    must_answer(act_at(MICA_KEEP_DELETE, "a", "", 1000, 0), "{\"version\":0}");
    // It can be made again, and its new value has the time of the last put.
    must_answer(act_at(MICA_KEEP_PUT, "c", "3", 0, 1000), "{\"version\":3}");
    must_answer(act_at(MICA_KEEP_PUT, "c", "4", 1000, 0), "{\"version\":4}");
    must_answer(act_at(MICA_KEEP_GET, "c", "", 1 << 30, 0),
                "{\"version\":4,\"value\":4}");
    end();
}
END_TEST

START_TEST(entries_that_have_expired_are_removed_in_batches)
{
    char name[16];

    begin();
    for (int i = 0; i < 250; i++) {
        (void)snprintf(name, sizeof name, "%d", i);
        ck_assert_int_eq(act_at(MICA_KEEP_PUT, name, "1", 0, 10), MICA_OK);
    }
    must_answer(act_at(MICA_KEEP_GET, "0", "", 10, 0), "{\"version\":0}");
    ck_assert_int_eq(count_rows(ENTRIES),
                     250); // a step that reads removes none
    for (int i = 1; i <= 3; i++) {
        (void)snprintf(name, sizeof name, "new/%d", i);
        ck_assert_int_eq(
            run_order((struct mica_keep_order){.key = mica_text(name),
                                               .now = 10,
                                               .expires = 1000,
                                               .act = MICA_KEEP_PUT,
                                               .name = mica_text(name),
                                               .value = MICA_LITERAL("1")}),
            MICA_OK);
        ck_assert_int_eq(count_rows(ENTRIES), i + (i < 3 ? 250 - 100 * i : 0));
        ck_assert_int_eq(service->expired, i < 3 ? 100 * i : 250);
    }
    end();
}
END_TEST

START_TEST(entries_that_have_expired_fill_no_database)
{
    enum mica_status status = MICA_OK;
    char name[16];
    int count = 0;

    begin();
    reopen(1);
    for (; status == MICA_OK && count < 2000; count++) {
        (void)snprintf(name, sizeof name, "%d", count);
        status = act_at(MICA_KEEP_PUT, name, large_value(1000), 0, 10);
    }
    must_fail(status, MICA_E_KEEP_FULL, "keep.megabytes");
    ck_assert_int_gt(count, 500);
    // They count as long as they live; then a value has room that is larger than 200.
    must_fail(act_at(MICA_KEEP_PUT, "large", large_value(250000), 9, 0),
              MICA_E_KEEP_FULL, "keep.megabytes");
    ck_assert_int_eq(count_rows(ENTRIES), count - 1);
    ck_assert_int_eq(service->expired, 0);
    ck_assert_int_eq(act_at(MICA_KEEP_PUT, "large", large_value(250000), 10, 0),
                     MICA_OK);
    ck_assert_int_lt(count_rows(ENTRIES), count - 200);
    // What was undone with a step that had no room is not counted.
    ck_assert_int_eq(service->expired, count - count_rows(ENTRIES));
    end();
}
END_TEST

START_TEST(a_step_that_runs_again_does_not_prolong_its_entry)
{
    struct mica_keep_order order = {.key = MICA_LITERAL("c/put"),
                                    .expires = 100000,
                                    .act = MICA_KEEP_PUT,
                                    .name = MICA_LITERAL("a"),
                                    .value = MICA_LITERAL("1"),
                                    .until = 1000};

    begin();
    must_answer(run_order(order), "{\"version\":1}");
    reopen(0); // as another process, later
    order.now = 500;
    order.until = 1500;
    must_answer(run_order(order), "{\"version\":1}");
    must_answer(act_at(MICA_KEEP_GET, "a", "", 1000, 0), "{\"version\":0}");
    end();
}
END_TEST

START_TEST(a_file_of_the_first_format_is_brought_up_to_date)
{
    begin();
    must_answer(put("a", "1", 0), "{\"version\":1}");
    ck_assert_int_eq(
        sqlite3_exec(service->databases->sqlite,
                     "DROP INDEX mica_entries_expires;"
                     "ALTER TABLE mica_entries DROP COLUMN expires;"
                     "PRAGMA user_version = 1",
                     NULL, NULL, NULL),
        SQLITE_OK);
    reopen(0);
    must_answer(get("a"), "{\"version\":1,\"value\":1}");
    must_answer(act_at(MICA_KEEP_PUT, "b", "2", 0, 10), "{\"version\":2}");
    must_answer(act_at(MICA_KEEP_GET, "b", "", 10, 0), "{\"version\":0}");
    ck_assert_int_eq(count_rows("PRAGMA user_version"), 2);
    end();
}
END_TEST

START_TEST(databases_are_listed_with_what_they_have)
{
    const struct mica_keep_listed *listed;
    char path[PATH_MAX];
    size_t count;
    int file;

    begin();
    (void)snprintf(path, sizeof path, "%s/keep", folder);
    ck_assert_int_eq(
        mica_keep_list_databases(path, 0, &arena, &error, &listed, &count),
        MICA_OK);
    ck_assert_uint_eq(count, 0);
    place.tables = one_table;
    must_answer(insert("c/sql", "INSERT INTO t (x) VALUES ('a')", 0),
                "{\"rows\":[],\"changes\":1}");
    must_answer(act_at(MICA_KEEP_PUT, "a", "1", 0, 10), "{\"version\":1}");
    must_answer(act_at(MICA_KEEP_PUT, "b", "1", 0, 20), "{\"version\":2}");
    must_answer(act_at(MICA_KEEP_PUT, "c", "1", 0, 0), "{\"version\":3}");
    place = (struct mica_keep_place){"shared.shop", no_tables};
    must_answer(put("a", large_value(100000), 0), "{\"version\":1}");
    ck_assert_int_eq(
        mica_keep_list_databases(path, 10, &arena, &error, &listed, &count),
        MICA_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(listed[0].name, "shared.shop");
    ck_assert_int_eq(listed[0].entries, 1);
    ck_assert_int_gt(listed[0].bytes, 100000);
    ck_assert_str_eq(listed[1].name, "tool.test");
    ck_assert_int_eq(listed[1].entries, 2);
    ck_assert_int_eq(listed[1].expired, 1);
    ck_assert_int_eq(listed[1].tables, 1);
    ck_assert_int_lt(listed[1].bytes, 100000);
    // Of a process that died, or has not come further yet.
    (void)snprintf(path, sizeof path, "%s/keep/tool.words.db", folder);
    ck_assert_int_eq(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
    (void)snprintf(path, sizeof path, "%s/keep", folder);
    ck_assert_int_eq(
        mica_keep_list_databases(path, 10, &arena, &error, &listed, &count),
        MICA_OK);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(listed[2].name, "tool.words");
    ck_assert_int_eq(listed[2].entries, 0);
    ck_assert_int_eq(listed[2].bytes, 0);
    (void)snprintf(path, sizeof path, "%s/keep/tool.words.db", folder);
    file = open(path, O_WRONLY);
    ck_assert_int_eq((int)write(file, "no database\n", 12), 12);
    ck_assert_int_eq(close(file), 0);
    (void)snprintf(path, sizeof path, "%s/keep", folder);
    must_fail(
        mica_keep_list_databases(path, 10, &arena, &error, &listed, &count),
        MICA_E_KEEP, "tool.words.db");
    end();
}
END_TEST

UNIT_MAIN("keep expiry", an_entry_that_has_expired_is_absent,
          entries_that_have_expired_are_removed_in_batches,
          entries_that_have_expired_fill_no_database,
          a_step_that_runs_again_does_not_prolong_its_entry,
          a_file_of_the_first_format_is_brought_up_to_date,
          databases_are_listed_with_what_they_have)
