// SPDX-License-Identifier: Apache-2.0
//
// Tools that keep, in the testing kit: structs to entries and rows, and steps that are
// cut off. The databases are real.
#include <stdio.h>
#include <string.h>

#include <mica/keep.h>
#include <mica/test.h>

#include "unit.h"

// ---- What the kit says of a failure -----------------------------------------------

static char said[16384];
static unsigned lines;

static void
take_failure(const char *file, int line, const char *messagez)
{
    (void)file;
    ck_assert_int_gt(line, 0);
    lines++;
    strncat(said, messagez, sizeof said - strlen(said) - 2);
    strncat(said, "\n", sizeof said - strlen(said) - 1);
}

static struct mica_mock *
open_mock(void)
{
    said[0] = '\0';
    lines = 0;
    mica_test_on_failure(take_failure);
    return mica_mock_open();
}

static void
must_have_failed(const char *words)
{
    ck_assert_msg(strstr(said, words) != NULL, "\"%s\" is not in: %s", words,
                  said);
    said[0] = '\0';
    lines = 0;
}

static void
must_be_well(void)
{
    ck_assert_msg(lines == 0, "%s", said);
}

// ---- A tool that does what its test says --------------------------------------------

struct reply {
    struct mica_text text;
};
MICA_RECORD(reply, MICA_TEXT(text, "What came of it."));

static enum mica_status (*body)(struct mica_call *call, struct reply *out);

static enum mica_status
run_body(struct mica_call *call, const struct mica_nothing *in,
         struct reply *out)
{
    (void)in;
    out->text = MICA_LITERAL("");
    return body(call, out);
}

#define SEATS                                             \
    "CREATE TABLE seats (id INTEGER PRIMARY KEY,"         \
    " name TEXT NOT NULL UNIQUE, taken INTEGER NOT NULL," \
    " price REAL, tags TEXT) STRICT"
MICA_TOOL(seats, mica_nothing, reply, run_body, .description = "Seats.",
          .keeps = MICA_KEEPS_OWN, .tables = MICA_TABLES(SEATS));
MICA_TOOL(orders, mica_nothing, reply, run_body, .description = "Orders.",
          .keeps = MICA_KEEPS_SHARED("shop"), .tables = MICA_TABLES(SEATS));
MICA_TOOL(stock, mica_nothing, reply, run_body, .description = "Stock.",
          .keeps = MICA_KEEPS_SHARED("shop"), .tables = MICA_TABLES(SEATS));
MICA_TOOL(undeclared, mica_nothing, reply, run_body, .description = "None.");
MICA_TOOL(nameless, mica_nothing, reply, run_body, .description = "Bad.",
          .keeps = MICA_KEEPS_SHARED("../x"));
MICA_TOOL(placeless, mica_nothing, reply, run_body, .description = "Bad.",
          .tables = MICA_TABLES(SEATS));

static const struct mica_into nothing;

static const struct mica_outcome *
run(struct mica_mock *mock, const struct mica_tool *tool,
    enum mica_status (*function)(struct mica_call *, struct reply *))
{
    body = function;
    return mica_run_tool(tool, "{}", mock);
}

// ---- Entries -----------------------------------------------------------------------

struct counter {
    int64_t count;
    struct mica_text unit;
};
MICA_RECORD(counter, MICA_INTEGER(count, "How many."),
            MICA_TEXT(unit, "Of what.", .fallback = MICA_JSON("things")));

static enum mica_status
count_up(struct mica_call *call, struct reply *out)
{
    struct counter counter;
    int64_t version, next;

    MICA_TRY(mica_keep_get(
        call,
        &(struct mica_keep){.name = MICA_LITERAL("n"), .version_out = &version},
        MICA_INTO(counter, &counter)));
    if (version == 0)
        counter.unit = MICA_LITERAL("calls");
    counter.count++;
    MICA_TRY(mica_keep_put(
        call,
        &(struct mica_keep){.name = MICA_LITERAL("n"),
                            .expect = version > 0 ? version : MICA_KEEP_ABSENT,
                            .version_out = &next},
        MICA_FROM(counter, &counter)));
    out->text = mica_format(call, "%lld %.*s", (long long)counter.count,
                            MICA_ARG(counter.unit));
    return next > version ? MICA_OK
                          : mica_fail(call, "ODD", "", "the version fell");
}

#define MOMENT 1767225600000 // 2026-01-01

static enum mica_status
remember_for_a_minute(struct mica_call *call, struct reply *out)
{
    struct counter counter = {.count = 7, .unit = MICA_LITERAL("s")};

    (void)out;
    return mica_keep_put_for(call,
                             &(struct mica_keep){.name = MICA_LITERAL("n")},
                             MICA_FROM(counter, &counter), 60);
}

static enum mica_status
remember_for_two_years(struct mica_call *call, struct reply *out)
{
    struct counter counter = {.count = 7, .unit = MICA_LITERAL("s")};

    (void)out;
    return mica_keep_put_for(call,
                             &(struct mica_keep){.name = MICA_LITERAL("n")},
                             MICA_FROM(counter, &counter), 63244800);
}

START_TEST(an_entry_is_kept_for_its_time)
{
    struct mica_mock *mock = open_mock();

    mica_mock_clock(mock, MOMENT);
    MICA_EXPECT_OK(run(mock, &mica_tool_seats, remember_for_a_minute));
    mica_mock_clock(mock, MOMENT + 59000);
    MICA_EXPECT_KEPT(mock, &mica_tool_seats, "n",
                     "{\"count\": 7, \"unit\": \"s\"}");
    mica_mock_clock(mock, MOMENT + 60000);
    MICA_EXPECT_KEPT(mock, &mica_tool_seats, "n", NULL);
    MICA_EXPECT_RESULT(run(mock, &mica_tool_seats, count_up),
                       "{\"text\": \"1 calls\"}");
    mica_mock_clock(mock, MOMENT + 600000); // put without a time, it stays
    MICA_EXPECT_RESULT(run(mock, &mica_tool_seats, count_up),
                       "{\"text\": \"2 calls\"}");
    MICA_EXPECT_FAILS(run(mock, &mica_tool_seats, remember_for_two_years),
                      "USAGE");
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

// Reads what it has put before and after a question, whose answer takes a second. The
// first step is recorded: it says the same in the turn after the answer.
static enum mica_status
read_after_a_question(struct mica_call *call, struct reply *out)
{
    struct counter counter = {.count = 7, .unit = MICA_LITERAL("s")};
    int64_t before, after;

    MICA_TRY(mica_keep_put_for(call,
                               &(struct mica_keep){.name = MICA_LITERAL("n")},
                               MICA_FROM(counter, &counter), 1));
    MICA_TRY(mica_keep_get(
        call,
        &(struct mica_keep){.name = MICA_LITERAL("n"), .version_out = &before},
        MICA_INTO(counter, &counter)));
    MICA_TRY(mica_elicit(call, MICA_FORM(counter, &counter), "How many?"));
    MICA_TRY(mica_keep_get(
        call,
        &(struct mica_keep){.name = MICA_LITERAL("n"), .version_out = &after},
        MICA_INTO(counter, &counter)));
    out->text = mica_format(call, "%s, %s", before > 0 ? "there" : "gone",
                            after > 0 ? "there" : "gone");
    return MICA_OK;
}

START_TEST(a_step_that_is_recorded_finds_its_entry_in_a_later_turn)
{
    struct mica_mock *mock = open_mock();

    body = read_after_a_question;
    mica_mock_accept(mock, NULL, "{\"count\": 1}");
    MICA_EXPECT_RESULT(mica_replay_tool(&mica_tool_seats, "{}", mock, NULL),
                       "{\"text\": \"there, gone\"}");
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

START_TEST(an_entry_is_read_in_the_next_call)
{
    struct mica_mock *mock = open_mock();

    MICA_EXPECT_RESULT(run(mock, &mica_tool_seats, count_up),
                       "{\"text\": \"1 calls\"}");
    MICA_EXPECT_RESULT(run(mock, &mica_tool_seats, count_up),
                       "{\"text\": \"2 calls\"}");
    MICA_EXPECT_KEPT(mock, &mica_tool_seats, "n",
                     "{\"count\": 2, \"unit\": \"calls\"}");
    // A name that the record does not have, and a field that was not kept.
    mica_mock_keep(mock, &mica_tool_seats, "n", "{\"count\": 7, \"old\": 1}");
    MICA_EXPECT_RESULT(run(mock, &mica_tool_seats, count_up),
                       "{\"text\": \"8 things\"}");
    mica_mock_keep(mock, &mica_tool_seats, "n", "{\"count\": \"many\"}");
    MICA_EXPECT_FAILS(run(mock, &mica_tool_seats, count_up), "KEEP_BAD_VALUE");
    must_be_well();
    ck_assert(!MICA_EXPECT_KEPT(mock, &mica_tool_seats, "n", NULL));
    must_have_failed("expected nothing");
    mica_mock_close(mock);
}
END_TEST

static void
must_have_counted_once(struct mica_mock *mock,
                       const struct mica_outcome *outcome, void *data)
{
    (void)data;
    MICA_EXPECT_RESULT(outcome, "{\"text\": \"5 things\"}");
    MICA_EXPECT_KEPT(mock, &mica_tool_seats, "n",
                     "{\"count\": 5, \"unit\": \"things\"}");
}

START_TEST(a_step_has_one_effect_wherever_its_process_dies)
{
    const struct mica_replay once = {.end = must_have_counted_once};
    struct mica_mock *mock = open_mock();

    body = count_up;
    mica_mock_keep(mock, &mica_tool_seats, "n", "{\"count\": 4}");
    mica_replay_tool(&mica_tool_seats, "{}", mock, &once);
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

// ---- Rows --------------------------------------------------------------------------

MICA_LIST_TYPE(tag_list, text);
MICA_NULLABLE_TYPE(maybe_price, number);
struct seat {
    int64_t id;
    struct mica_text name;
    bool taken;
    struct maybe_price price;
    struct tag_list tags;
};
MICA_RECORD(seat, MICA_INTEGER(id, "Number."), MICA_TEXT(name, "Name."),
            MICA_BOOLEAN(taken, "Is it taken?"),
            MICA_NULLABLE(price, number, "In euros."),
            MICA_LIST(tags, text, "Words."));

struct seat_rows {
    struct {
        size_t count;
        const struct seat *items;
    } rows;
};
MICA_RECORD(seat_rows, MICA_LIST(rows, seat, "Seats."));

static enum mica_status
insert_and_list(struct mica_call *call, struct reply *out)
{
    const struct mica_text name = MICA_LITERAL("12'A");
    struct seat_rows seats;
    size_t rows;
    int64_t changes;

    MICA_TRY(mica_sql(
        call,
        &(struct mica_sql){
            .key = "insert",
            .changes_out = &changes,
            .run =
                MICA_RUN(MICA_SQL("INSERT INTO seats (name, taken, price, tags)"
                                  " VALUES (?1, ?2, ?3, ?4)",
                                  name, true, 12.5, "[\"window\", \"front\"]"),
                         MICA_SQL("INSERT INTO seats (name, taken, price, tags)"
                                  " VALUES (?1, ?2, ?3, ?4)",
                                  "12B", 0, mica_sql_null(), "[]"))},
        nothing));
    MICA_TRY(mica_sql(
        call,
        &(struct mica_sql){
            .key = "list",
            .rows_out = &rows,
            .run = MICA_RUN(MICA_SQL("SELECT * FROM seats ORDER BY id"))},
        MICA_INTO(seat_rows, &seats)));
    for (size_t i = 0; i < seats.rows.count; i++) {
        const struct seat *seat = &seats.rows.items[i];
        out->text =
            mica_format(call, "%.*s%.*s %d %d %zu;", MICA_ARG(out->text),
                        MICA_ARG(seat->name), seat->taken, seat->price.present,
                        seat->tags.count);
    }
    out->text = mica_format(call, "%.*s %zu %lld", MICA_ARG(out->text), rows,
                            (long long)changes);
    return MICA_OK;
}

START_TEST(rows_become_structs)
{
    struct mica_mock *mock = open_mock();

    MICA_EXPECT_RESULT(run(mock, &mica_tool_seats, insert_and_list),
                       "{\"text\": \"12'A 1 1 2;12B 0 0 0; 2 2\"}");
    MICA_EXPECT_ROWS(mock, &mica_tool_seats,
                     "SELECT name, taken FROM seats WHERE id = 2",
                     "[{\"name\": \"12B\", \"taken\": 0}]");
    must_be_well();
    ck_assert(!MICA_EXPECT_ROWS(mock, &mica_tool_seats,
                                "SELECT count(*) AS n FROM seats",
                                "[{\"n\": 3}]"));
    must_have_failed("[{\"n\":2}]");
    mica_mock_close(mock);
}
END_TEST

struct found_id {
    int64_t id;
};
MICA_RECORD(found_id, MICA_INTEGER(id, "Number.", .minimum = 10));

// Its row does not fit the record, or it finds no row: neither leaves a change behind.
static enum mica_status
take_small_id(struct mica_call *call, struct reply *out)
{
    struct found_id found;

    (void)out;
    return mica_sql(
        call,
        &(struct mica_sql){
            .run = MICA_RUN(MICA_SQL("UPDATE seats SET taken = 1 WHERE id = ?1"
                                     " RETURNING id",
                                     3))},
        MICA_INTO(found_id, &found));
}

static enum mica_status
take_no_id(struct mica_call *call, struct reply *out)
{
    struct found_id found;
    size_t rows = 9;
    const struct mica_sql strict = {
        .run = MICA_RUN(MICA_SQL("DELETE FROM seats"),
                        MICA_SQL("SELECT id FROM seats"))};
    const struct mica_sql lax = {
        .key = "lax",
        .rows_out = &rows,
        .run = MICA_RUN(MICA_SQL("SELECT id FROM seats WHERE id = 9"))};

    if (mica_sql(call, &strict, MICA_INTO(found_id, &found)) !=
        MICA_E_KEEP_NONE)
        return mica_fail(call, "ODD", "", "there was a row");
    MICA_TRY(mica_sql(call, &lax, MICA_INTO(found_id, &found)));
    out->text = mica_format(call, "%zu %lld", rows, (long long)found.id);
    return MICA_OK;
}

START_TEST(a_step_that_fails_changes_nothing)
{
    struct mica_mock *mock = open_mock();

    mica_mock_sql(mock, &mica_tool_seats,
                  "INSERT INTO seats VALUES (3, '3', 0, NULL, NULL)");
    MICA_EXPECT_FAILS(run(mock, &mica_tool_seats, take_small_id),
                      "KEEP_BAD_VALUE");
    MICA_EXPECT_RESULT(run(mock, &mica_tool_seats, take_no_id),
                       "{\"text\": \"0 0\"}");
    MICA_EXPECT_ROWS(mock, &mica_tool_seats, "SELECT id, taken FROM seats",
                     "[{\"id\": 3, \"taken\": 0}]");
    must_be_well();
    mica_mock_sql(mock, &mica_tool_seats, "INSERT INTO seats VALUES (1)");
    must_have_failed("values");
    mica_mock_close(mock);
}
END_TEST

// ---- Steps inside phases and clean-ups -----------------------------------------------

static void
clean(struct mica_server_call *call, const void *data)
{
    (void)data;
    if (mica_sql(call,
                 &(struct mica_sql){
                     .run = MICA_RUN(MICA_SQL(
                         "INSERT INTO seats (name, taken) VALUES ('clean',"
                         " 1)"))},
                 nothing) != MICA_OK)
        mica_log(call, MICA_LOG_ERROR, "the clean-up failed");
}

static enum mica_status
clean_up(struct mica_call *call, struct reply *out)
{
    (void)out;
    mica_defer(call, "clean", clean, NULL);
    return mica_fail(call, "GIVEN_UP", "", "as the test wants");
}

static void
must_have_cleaned_once(struct mica_mock *mock,
                       const struct mica_outcome *outcome, void *data)
{
    (void)data;
    MICA_EXPECT_FAILS(outcome, "GIVEN_UP");
    MICA_EXPECT_LOGS(outcome, "");
    MICA_EXPECT_ROWS(mock, &mica_tool_seats, "SELECT count(*) AS n FROM seats",
                     "[{\"n\": 1}]");
}

START_TEST(a_clean_up_keeps_once)
{
    const struct mica_replay once = {.end = must_have_cleaned_once};
    struct mica_mock *mock = open_mock();

    body = clean_up;
    mica_replay_tool(&mica_tool_seats, "{}", mock, &once);
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

// ---- Whose database ----------------------------------------------------------------

static enum mica_status
read_other(struct mica_call *call, struct reply *out)
{
    struct counter counter;
    int64_t version;

    MICA_TRY(mica_keep_get(
        call,
        &(struct mica_keep){.name = MICA_LITERAL("n"), .version_out = &version},
        MICA_INTO(counter, &counter)));
    out->text = mica_format(call, "%lld", (long long)counter.count);
    return MICA_OK;
}

START_TEST(tools_share_a_database_only_if_both_say_so)
{
    struct mica_mock *mock = open_mock();

    MICA_EXPECT_OK(run(mock, &mica_tool_orders, count_up));
    MICA_EXPECT_RESULT(run(mock, &mica_tool_stock, read_other),
                       "{\"text\": \"1\"}");
    MICA_EXPECT_RESULT(run(mock, &mica_tool_seats, read_other),
                       "{\"text\": \"0\"}");
    MICA_EXPECT_FAILS(run(mock, &mica_tool_undeclared, read_other), "USAGE");
    must_be_well();
    (void)run(mock, &mica_tool_nameless, read_other);
    must_have_failed("cannot be the name of a database");
    (void)run(mock, &mica_tool_placeless, read_other);
    must_have_failed("does not say where");
    mica_mock_keep(mock, &mica_tool_undeclared, "n", "1");
    must_have_failed("keeps nothing");
    mica_mock_close(mock);
}
END_TEST

// ---- What is wrong is not run --------------------------------------------------------

enum {
    LARGE = 270000 // bytes, more than are kept
};
static int wrong;

static enum mica_status
do_wrong(struct mica_call *call, struct reply *out)
{
    static char name[300];
    struct mica_keep entry = {.name = MICA_LITERAL("n")};
    struct counter counter = {.count = 1, .unit = MICA_LITERAL("x")};
    struct mica_sql sql = {.run = MICA_RUN(MICA_SQL("SELECT ?1 AS id", 20))};
    struct found_id found;
    const struct mica_sql_value infinite = mica_sql_number(1.0 / 0.0);
    const struct mica_sql_statement bad[] = {{"SELECT ?1 AS id", &infinite, 1},
                                             {NULL, NULL, 0}};

    (void)out;
    memset(name, 'n', sizeof name);
    if (wrong == 0)
        entry.name = MICA_LITERAL("");
    if (wrong == 1)
        entry.name = (struct mica_text){name, 257};
    if (wrong == 2)
        entry.name = MICA_LITERAL("\xFF");
    if (wrong == 3)
        entry.key = "a b";
    if (wrong == 4)
        entry.expect = -2;
    if (wrong == 5) {
        counter.unit.ptr = mica_alloc(call, LARGE);
        counter.unit.len = LARGE;
        memset((char *)(uintptr_t)counter.unit.ptr, 'x', LARGE);
    }
    if (wrong < 6 || wrong == 10)
        return mica_keep_put(call, &entry, MICA_FROM(counter, &counter));
    if (wrong == 6)
        sql.run = NULL;
    if (wrong == 7)
        sql.run = bad;
    if (wrong == 8)
        return mica_keep_list(call, &(struct mica_keep_page){.limit = 1},
                              MICA_INTO(counter, &counter));
    return mica_sql(call, &sql, MICA_INTO(found_id, &found));
}

START_TEST(what_is_wrong_is_refused)
{
    static const char *const codes[] = {"KEEP_TOO_LARGE",
                                        "KEEP_TOO_LARGE",
                                        "KEEP_TOO_LARGE",
                                        "USAGE",
                                        "USAGE",
                                        "KEEP_TOO_LARGE",
                                        "USAGE",
                                        "USAGE",
                                        "USAGE",
                                        "OK",
                                        "OK"};
    struct mica_mock *mock = open_mock();

    for (wrong = 0; wrong < (int)MICA_COUNT(codes); wrong++) {
        const struct mica_outcome *outcome =
            run(mock, &mica_tool_seats, do_wrong);
        ck_assert_msg(mica_text_is(outcome->code, codes[wrong]),
                      "%d: %.*s %.*s", wrong, MICA_ARG(outcome->code),
                      MICA_ARG(outcome->message));
    }
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

UNIT_MAIN("kit keep", an_entry_is_read_in_the_next_call,
          an_entry_is_kept_for_its_time,
          a_step_that_is_recorded_finds_its_entry_in_a_later_turn,
          a_step_has_one_effect_wherever_its_process_dies, rows_become_structs,
          a_step_that_fails_changes_nothing, a_clean_up_keeps_once,
          tools_share_a_database_only_if_both_say_so, what_is_wrong_is_refused)
