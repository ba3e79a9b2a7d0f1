// SPDX-License-Identifier: Apache-2.0
//
// The databases of tools: entries, statements and what they may do, limits, tables and
// marks. How a tool uses them is in test_kit_keep.c, two processes on one in
// tests/wire/keep.py, entries that expire in test_keep_expiry.c.
#include "test_keep.h"

// ---- Entries -----------------------------------------------------------------------

START_TEST(an_entry_has_a_version_that_no_other_value_had)
{
    begin();
    must_answer(get("a"), "{\"version\":0}");
    must_answer(put("a", "{\"n\":1}", MICA_KEEP_ABSENT), "{\"version\":1}");
    must_fail(put("a", "{\"n\":2}", MICA_KEEP_ABSENT), MICA_E_KEEP_VERSION,
              "version 1");
    must_answer(get("a"), "{\"version\":1,\"value\":{\"n\":1}}");
    must_answer(put("a", "{\"n\":2}", 1), "{\"version\":2}");
    must_fail(put("a", "{\"n\":3}", 1), MICA_E_KEEP_VERSION, "version 2");
    must_answer(put("b", "{}", 0), "{\"version\":3}");
    must_answer(run_order((struct mica_keep_order){.act = MICA_KEEP_DELETE,
                                                   .name = MICA_LITERAL("a"),
                                                   .expect = 2}),
                "{\"version\":2}");
    must_answer(put("a", "{}", 0), "{\"version\":4}");
    must_fail(run_order((struct mica_keep_order){.act = MICA_KEEP_DELETE,
                                                 .name = MICA_LITERAL("c"),
                                                 .expect = 9}),
              MICA_E_KEEP_VERSION, "does not exist");
    must_answer(run_order((struct mica_keep_order){.act = MICA_KEEP_DELETE,
                                                   .name = MICA_LITERAL("c")}),
                "{\"version\":0}");
    end();
}
END_TEST

START_TEST(entries_are_listed_in_pages)
{
    begin();
    must_answer(put("a/2", "2", 0), "{\"version\":1}");
    must_answer(put("a/10", "10", 0), "{\"version\":2}");
    must_answer(put("a/1", "1", 0), "{\"version\":3}");
    must_answer(put("b", "3", 0), "{\"version\":4}");
    must_answer(list("a/", "", 2),
                "{\"entries\":[{\"name\":\"a/1\",\"version\":3,\"value\":1},"
                "{\"name\":\"a/10\",\"version\":2,\"value\":10}],"
                "\"more\":true}");
    must_answer(list("a/", "a/10", 2),
                "{\"entries\":[{\"name\":\"a/2\",\"version\":1,\"value\":2}],"
                "\"more\":false}");
    must_answer(list("c", "", 2), "{\"entries\":[],\"more\":false}");
    must_answer(list("", "a/2", 9),
                "{\"entries\":[{\"name\":\"b\",\"version\":4,\"value\":3}],"
                "\"more\":false}");
    end();
}
END_TEST

START_TEST(a_page_ends_before_its_bytes_do)
{
    char name[400];

    begin();
    memset(name, '"', 256); // is escaped
    name[256] = '\0';
    for (int i = 0; i < 3; i++) {
        name[0] = (char)('a' + i);
        ck_assert_int_eq(put(name, large_value(MICA_KEEP_VALUE_BYTES), 0),
                         MICA_OK);
    }
    ck_assert_int_eq(list("", "", 9), MICA_OK);
    ck_assert_ptr_nonnull(strstr(answer.ptr, "\"more\":true}"));
    ck_assert_uint_gt(answer.len, MICA_KEEP_VALUE_BYTES);
    ck_assert_uint_lt(answer.len, 2 * MICA_KEEP_VALUE_BYTES);
    name[0] = 'b';
    ck_assert_int_eq(list("", name, 9), MICA_OK);
    ck_assert_ptr_nonnull(strstr(answer.ptr, "\"more\":false}"));
    ck_assert_int_eq(get(name), MICA_OK);
    end();
}
END_TEST

// ---- Statements --------------------------------------------------------------------

START_TEST(values_of_all_kinds_are_bound_and_read)
{
    const struct mica_sql_value values[] = {
        mica_sql_text(MICA_LITERAL("it's \"one\"")), mica_sql_integer(-7),
        mica_sql_number(2.5), mica_sql_null(),
        mica_sql_bytes(MICA_LITERAL("\0\1\2"))};
    const struct mica_sql_statement one = {
        "SELECT ?1 AS a, ?2 AS b, ?3 AS c, ?4 AS d, ?5 AS e", values, 5};

    begin();
    must_answer(run_order((struct mica_keep_order){
                    .act = MICA_KEEP_SQL, .run = &one, .count = 1}),
                "{\"rows\":[{\"a\":\"it's \\\"one\\\"\",\"b\":-7,\"c\":2.5,"
                "\"d\":null,\"e\":\"AAEC\"}],\"changes\":0}");
    must_answer(sql("SELECT 9007199254740993 AS n"),
                "{\"rows\":[{\"n\":9007199254740993}],\"changes\":0}");
    must_fail(sql("SELECT 1e999 AS n"), MICA_E_KEEP_VALUE, "\"n\"");
    must_fail(sql("SELECT CAST(x'ff' AS TEXT) AS n"), MICA_E_KEEP_VALUE,
              "UTF-8");
    must_fail(sql("SELECT ?1 AS n"), MICA_E_KEEP_SQL, "1 parameters");
    must_fail(sql("SELECT 1 AS n, 2 AS n"), MICA_E_KEEP_SQL, "AS");
    end();
}
END_TEST

START_TEST(statements_are_one_transaction)
{
    const struct mica_sql_statement some[] = {
        {"INSERT INTO t VALUES (1, 'a'), (2, 'b')", NULL, 0},
        {"UPDATE t SET x = 'c' WHERE id = 2 RETURNING id, x", NULL, 0},
        {"DELETE FROM t WHERE id = 1", NULL, 0},
        {"INSERT INTO t VALUES (2, 'd')", NULL, 0}};

    begin();
    place.tables = one_table;
    must_fail(run_order((struct mica_keep_order){
                  .act = MICA_KEEP_SQL, .run = some, .count = 4}),
              MICA_E_KEEP_RULE, "statement 4");
    must_answer(sql("SELECT * FROM t"), "{\"rows\":[],\"changes\":0}");
    verdict = MICA_E_KEEP_VALUE; // what the tool cannot read is undone
    must_fail(run_order((struct mica_keep_order){
                  .act = MICA_KEEP_SQL, .run = some, .count = 3}),
              MICA_E_KEEP_VALUE, "refused");
    verdict = MICA_OK;
    must_answer(sql("SELECT * FROM t"), "{\"rows\":[],\"changes\":0}");
    must_answer(run_order((struct mica_keep_order){
                    .act = MICA_KEEP_SQL, .run = some, .count = 3}),
                "{\"rows\":[{\"id\":2,\"x\":\"c\"}],\"changes\":4}");
    must_answer(sql("SELECT * FROM t"),
                "{\"rows\":[{\"id\":2,\"x\":\"c\"}],\"changes\":0}");
    end();
}
END_TEST

START_TEST(statements_do_only_what_they_may)
{
    static const char *const refused[] = {
        "ATTACH 'other.db' AS other",
        "DETACH main",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA writable_schema = 1",
        "PRAGMA max_page_count = 1000000",
        "SELECT * FROM pragma_database_list",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT a",
        "VACUUM",
        "VACUUM INTO 'other.db'",
        "CREATE TABLE u (x)",
        "CREATE TEMP TABLE u (x)",
        "CREATE VIRTUAL TABLE u USING fts5(x)",
        "CREATE INDEX i ON t (x)",
        "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END",
        "CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END",
        "DROP TABLE t",
        "ALTER TABLE t ADD y",
        "ANALYZE",
        "REINDEX",
        "SELECT load_extension('x')",
        "SELECT * FROM mica_entries",
        "SELECT count(*) FROM MICA_marks",
        "WITH m AS (SELECT key FROM mica_marks) SELECT * FROM m",
        "DELETE FROM mica_marks",
        "UPDATE mica_state SET version = 0",
        "INSERT INTO mica_entries VALUES ('a', 1, '1')",
        "INSERT INTO t SELECT 1, version FROM mica_state",
        "DELETE FROM sqlite_schema",
        "UPDATE sqlite_schema SET sql = ''",
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM t",
        "",
        "-- nothing",
        "SELECT * FROM missing",
        "SELEC 1",
        "SELECT \"word\" AS word", // a name, not a text
    };

    begin();
    place.tables = one_table;
    must_answer(put("kept", "1", 0), "{\"version\":1}");
    for (size_t i = 0; i < MICA_COUNT(refused); i++)
        ck_assert_msg(sql(refused[i]) == MICA_E_KEEP_SQL, "%s: %s", refused[i],
                      error.message);
    must_answer(sql("SELECT 1 AS one; "), "{\"rows\":[{\"one\":1}],"
                                          "\"changes\":0}");
    must_answer(get("kept"), "{\"version\":1,\"value\":1}");
    end();
}
END_TEST

// ---- Limits ------------------------------------------------------------------------

#define COUNT_TO(n)                                                  \
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c" \
    " WHERE n < " n ") SELECT "

START_TEST(an_answer_has_limits)
{
    begin();
    ck_assert_int_eq(sql(COUNT_TO("1000") "n FROM c"), MICA_OK);
    must_fail(sql(COUNT_TO("1001") "n FROM c"), MICA_E_KEEP_SIZE, "1000 rows");
    must_fail(sql("SELECT printf('%.*c', 300000, 'x') AS x"), MICA_E_KEEP_SIZE,
              "bytes of JSON");
    must_fail(sql("SELECT zeroblob(2000000) AS x"), MICA_E_KEEP_SIZE, "bytes");
    end();
}
END_TEST

START_TEST(statements_that_take_long_are_ended)
{
    atomic_bool cancelled = true;
    const struct mica_sql_statement one = {
        COUNT_TO("1000000000000") "count(*) AS n FROM c", NULL, 0};

    begin();
    must_fail(run_order((struct mica_keep_order){.act = MICA_KEEP_SQL,
                                                 .run = &one,
                                                 .count = 1,
                                                 .cancelled = &cancelled}),
              MICA_E_CANCELLED, "cancelled");
    must_fail(sql(one.text), MICA_E_KEEP_TIME, "5000 ms");
    must_answer(sql("SELECT 1 AS one"),
                "{\"rows\":[{\"one\":1}],\"changes\":0}");
    end();
}
END_TEST

START_TEST(a_database_has_a_limit)
{
    enum mica_status status = MICA_OK;
    char name[16];
    int count = 0;

    begin();
    reopen(1);
    for (; status == MICA_OK && count < 100; count++) {
        (void)snprintf(name, sizeof name, "%d", count);
        status = put(name, large_value(100000), 0);
    }
    must_fail(status, MICA_E_KEEP_FULL, "keep.megabytes");
    ck_assert_int_gt(count, 5);
    ck_assert_int_lt(count, 12);
    must_answer(run_order((struct mica_keep_order){.act = MICA_KEEP_DELETE,
                                                   .name = MICA_LITERAL("0")}),
                "{\"version\":1}");
    ck_assert_int_eq(put("again", large_value(90000), 0), MICA_OK);
    reopen(2);
    ck_assert_int_eq(put("more", large_value(100000), 0), MICA_OK);
    end();
}
END_TEST

// ---- Tables ------------------------------------------------------------------------

START_TEST(the_statements_of_tables_run_once_in_their_order)
{
    static const char *const later[] = {
        "CREATE TABLE t (id INTEGER PRIMARY KEY, x ANY) STRICT",
        "ALTER TABLE t ADD y TEXT NOT NULL DEFAULT 'new'",
        "CREATE INDEX by_y ON t (y)",
        "INSERT INTO t (id, x) VALUES (7, 'seven')",
        "ALTER TABLE t RENAME COLUMN x TO z",
        NULL};
    static const char *const added[] = {
        "CREATE TABLE t (id INTEGER PRIMARY KEY, x ANY) STRICT",
        "ALTER TABLE t ADD y TEXT NOT NULL DEFAULT 'new'",
        "create /* more */ index by_y ON t (y)", NULL};
    static const char *const other[] = {"CREATE TABLE t (id INTEGER)", NULL};
    static const char *const wrong[] = {
        "CREATE TABLE t (id INTEGER PRIMARY KEY, x ANY) STRICT",
        "ALTER TABLE t ADD y TEXT NOT NULL DEFAULT 'new'",
        "create /* more */ index by_y ON t (y)",
        "CREATE TABLE u (x)",
        "CREATE TABLE u (x)",
        NULL};

    begin();
    place.tables = one_table;
    must_answer(sql("INSERT INTO t VALUES (1, 2)"),
                "{\"rows\":[],\"changes\":1}");
    place.tables = added;
    must_answer(sql("SELECT * FROM t"),
                "{\"rows\":[{\"id\":1,\"x\":2,\"y\":\"new\"}],\"changes\":0}");
    place.tables = one_table; // a call that began before
    must_answer(sql("SELECT id FROM t"),
                "{\"rows\":[{\"id\":1}],\"changes\":0}");
    place.tables = other;
    must_fail(sql("SELECT 1 AS n"), MICA_E_KEEP_TABLES, "put it back");
    place.tables = wrong;
    must_fail(sql("SELECT 1 AS n"), MICA_E_KEEP_SQL, "statement 5 of .tables");
    place.tables = added; // neither of the two was made
    must_answer(sql("SELECT name FROM sqlite_schema WHERE name = 'u'"),
                "{\"rows\":[],\"changes\":0}");
    place = (struct mica_keep_place){"tool.second", later};
    must_answer(sql("SELECT * FROM t"),
                "{\"rows\":[{\"id\":7,\"z\":\"seven\",\"y\":\"new\"}],"
                "\"changes\":0}");
    place.tables = added; // the index has other words
    must_fail(sql("SELECT 1 AS n"), MICA_E_KEEP_TABLES, "statement 3");
    place.tables = one_table;
    must_fail(sql("SELECT 1 AS n"), MICA_E_KEEP_TABLES, "newer");
    end();
}
END_TEST

START_TEST(tables_may_not_touch_what_is_mica_s)
{
    static const char *const refused[][2] = {
        {"DROP TABLE mica_marks", NULL},
        {"CREATE TABLE mica_more (x)", NULL},
        {"CREATE TABLE u AS SELECT * FROM mica_state", NULL},
        {"ALTER TABLE mica_state ADD x", NULL},
        {"ALTER TABLE mica_state RENAME TO x", NULL},
        {"CREATE INDEX i ON mica_marks (answer)", NULL},
        {"DROP INDEX mica_marks_expires", NULL},
        {"CREATE TRIGGER r AFTER INSERT ON mica_marks BEGIN SELECT 1; END",
         NULL},
        {"CREATE TEMP TABLE u (x)", NULL},
        {"ATTACH ':memory:' AS m", NULL},
        {"PRAGMA foreign_keys = OFF", NULL},
        {"COMMIT", NULL}};

    begin();
    for (size_t i = 0; i < MICA_COUNT(refused); i++) {
        place.tables = refused[i];
        ck_assert_msg(sql("SELECT 1 AS n") == MICA_E_KEEP_SQL, "%s: %s",
                      refused[i][0], error.message);
    }
    place.tables = no_tables;
    must_answer(get("a"), "{\"version\":0}");
    end();
}
END_TEST

// ---- Marks -------------------------------------------------------------------------

START_TEST(a_step_that_runs_again_is_given_its_answer)
{
    const char *text = "INSERT INTO t (x) VALUES ('a') RETURNING id";

    begin();
    place.tables = one_table;
    must_answer(insert("call/sql", text, 0),
                "{\"rows\":[{\"id\":1}],\"changes\":1}");
    must_answer(insert("call/sql#2", text, 0),
                "{\"rows\":[{\"id\":2}],\"changes\":1}");
    reopen(0); // as another process
    must_answer(insert("call/sql", text, 0),
                "{\"rows\":[{\"id\":1}],\"changes\":1}");
    ck_assert_int_eq(service->replayed, 1);
    // Also where the tables have become others since.
    place.tables = no_tables;
    must_answer(insert("call/sql", text, 0),
                "{\"rows\":[{\"id\":1}],\"changes\":1}");
    place.tables = one_table;
    must_answer(sql("SELECT count(*) AS n FROM t"),
                "{\"rows\":[{\"n\":2}],\"changes\":0}");
    must_answer(run_order((struct mica_keep_order){.key = MICA_LITERAL("c/put"),
                                                   .expires = 1000,
                                                   .act = MICA_KEEP_PUT,
                                                   .name = MICA_LITERAL("a"),
                                                   .value = MICA_LITERAL("1"),
                                                   .expect = -1}),
                "{\"version\":1}");
    must_answer(run_order((struct mica_keep_order){.key = MICA_LITERAL("c/put"),
                                                   .expires = 1000,
                                                   .act = MICA_KEEP_PUT,
                                                   .name = MICA_LITERAL("a"),
                                                   .value = MICA_LITERAL("1"),
                                                   .expect = -1}),
                "{\"version\":1}");
    end();
}
END_TEST

START_TEST(a_step_that_fails_or_only_reads_leaves_no_mark)
{
    begin();
    place.tables = one_table;
    must_answer(insert("c/read", "SELECT count(*) AS n FROM t", 0),
                "{\"rows\":[{\"n\":0}],\"changes\":0}");
    must_fail(insert("c/wrong", "INSERT INTO t VALUES (1, 1), (1, 1)", 0),
              MICA_E_KEEP_RULE, "UNIQUE");
    must_answer(insert("c/wrong", "INSERT INTO t VALUES (1, 1)", 0),
                "{\"rows\":[],\"changes\":1}");
    must_answer(insert("c/read", "SELECT count(*) AS n FROM t", 0),
                "{\"rows\":[{\"n\":1}],\"changes\":0}");
    end();
}
END_TEST

START_TEST(marks_are_removed_when_their_calls_have_expired)
{
    const char *text = "INSERT INTO t (x) VALUES ('a') RETURNING id";

    begin();
    place.tables = one_table;
    must_answer(insert("old/sql", text, 0),
                "{\"rows\":[{\"id\":1}],\"changes\":1}");
    must_answer(insert("new/sql", text, 999),
                "{\"rows\":[{\"id\":2}],\"changes\":1}");
    must_answer(insert("old/sql", text, 999),
                "{\"rows\":[{\"id\":1}],\"changes\":1}");
    must_answer(insert("late/sql", text, 1000),
                "{\"rows\":[{\"id\":3}],\"changes\":1}");
    must_answer(insert("new/sql", text, 1000),
                "{\"rows\":[{\"id\":2}],\"changes\":1}");
    // Its call has expired, and no process runs it again; here it would be a new one.
    must_answer(insert("old/sql", text, 1000),
                "{\"rows\":[{\"id\":4}],\"changes\":1}");
    end();
}
END_TEST

// ---- Files -------------------------------------------------------------------------

START_TEST(each_place_is_a_file_of_this_user)
{
    char path[PATH_MAX];
    struct stat st;

    begin();
    must_answer(put("a", "1", 0), "{\"version\":1}");
    place.name = "shared.test";
    must_answer(get("a"), "{\"version\":0}");
    (void)snprintf(path, sizeof path, "%s/keep/tool.test.db", folder);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    (void)snprintf(path, sizeof path, "%s/keep/tool.test.db-wal", folder);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    (void)snprintf(path, sizeof path, "%s/keep", folder);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0700);
    ck_assert_int_eq(chmod(path, 0777), 0);
    place.name = "tool.third";
    must_fail(get("a"), MICA_E_TRUST, "chmod");
    end();
}
END_TEST

START_TEST(files_of_others_are_left_alone)
{
    char path[PATH_MAX];
    int file;

    begin();
    must_answer(get("a"), "{\"version\":0}"); // makes the folder
    (void)snprintf(path, sizeof path, "%s/keep/tool.words.db", folder);
    file = open(path, O_CREAT | O_WRONLY, 0600);
    ck_assert_int_eq(write(file, "no database, but words", 22), 22);
    ck_assert_int_eq(close(file), 0);
    place.name = "tool.words";
    must_fail(get("a"), MICA_E_KEEP, "tool.words.db");
    (void)snprintf(path, sizeof path, "%s/keep/tool.link.db", folder);
    ck_assert_int_eq(symlink("elsewhere.db", path), 0);
    place.name = "tool.link";
    must_fail(get("a"), MICA_E_KEEP, "tool.link.db");
    end();
}
END_TEST

UNIT_MAIN("keep", an_entry_has_a_version_that_no_other_value_had,
          entries_are_listed_in_pages, a_page_ends_before_its_bytes_do,
          values_of_all_kinds_are_bound_and_read,
          statements_are_one_transaction, statements_do_only_what_they_may,
          an_answer_has_limits, statements_that_take_long_are_ended,
          a_database_has_a_limit,
          the_statements_of_tables_run_once_in_their_order,
          tables_may_not_touch_what_is_mica_s,
          a_step_that_runs_again_is_given_its_answer,
          a_step_that_fails_or_only_reads_leaves_no_mark,
          marks_are_removed_when_their_calls_have_expired,
          each_place_is_a_file_of_this_user, files_of_others_are_left_alone)
