// SPDX-License-Identifier: Apache-2.0
//
// Rows of the back end in memory, which keeps them packed: every number and every
// length of a text comes back as it went in, and is in its place.
#include "store/backend.h"
#include "unit.h"

#define MUST(expression) ck_assert_int_eq(expression, MICA_OK)

// In their order.
static const int64_t numbers[] = {INT64_MIN,
                                  INT64_MIN + 1,
                                  -((int64_t)1 << 32),
                                  -8193,
                                  -8192,
                                  -65,
                                  -64,
                                  -1,
                                  0,
                                  1,
                                  63,
                                  64,
                                  8191,
                                  8192,
                                  (int64_t)1 << 32,
                                  1795194944830,
                                  INT64_MAX - 1,
                                  INT64_MAX};
static const size_t lengths[] = {0, 1, 127, 128, 16383, 16384, 100000};

enum {
    NUMBERS = MICA_COUNT(numbers),
    LENGTHS = MICA_COUNT(lengths)
};

static struct mica_error error;
static void *self, *connection;
static struct mica_arena arena;
static char bytes[100000];

static void
begin(void)
{
    static const struct mica_store_options limits = {.busy_ms = 100};

    mica_arena_init(&arena, 1 << 30);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    MUST(mica_store_memory_open(&limits, &error, &self));
    MUST(mica_store_memory.begin(self, MICA_STORE_WRITE, &error, &connection));
}

static void
end(void)
{
    MUST(mica_store_memory.commit(connection, &error));
    mica_store_memory.close(self);
    mica_arena_fini(&arena);
}

// A row with number and length of those indexes.
static struct mica_store_row
event(size_t number, size_t length)
{
    struct mica_store_row row = {{{0}}};

    row.values[MICA_EVENT_SESSION].text =
        (struct mica_text){bytes, lengths[length]};
    row.values[MICA_EVENT_STREAM].number = numbers[number];
    row.values[MICA_EVENT_SEQUENCE].number = (int64_t)length;
    row.values[MICA_EVENT_CREATED].number = numbers[NUMBERS - 1 - number];
    row.values[MICA_EVENT_DATA].text =
        (struct mica_text){bytes, lengths[LENGTHS - 1 - length]};
    row.values[MICA_EVENT_AGES].number = numbers[number];
    return row;
}

static bool
is_same(const struct mica_store_row *a, const struct mica_store_row *b)
{
    for (unsigned i = MICA_EVENT_SESSION; i <= MICA_EVENT_AGES; i++) {
        if (i == MICA_EVENT_SESSION || i == MICA_EVENT_DATA
                ? !mica_text_equal(a->values[i].text, b->values[i].text)
                : a->values[i].number != b->values[i].number)
            return false;
    }
    return true;
}

// All rows in the order of the second index: by number, then by length.
static struct mica_store_rows
all(void)
{
    const struct mica_store_range range = {
        .table = MICA_STORE_EVENTS, .index = 1, .limit = NUMBERS * LENGTHS + 1};
    struct mica_store_rows rows;

    MUST(mica_store_memory.scan(connection, &range, &arena, &error, &rows));
    ck_assert_uint_eq(rows.count, NUMBERS * LENGTHS);
    return rows;
}

static void
insert_all(void)
{
    struct mica_store_row row;

    for (size_t i = NUMBERS * LENGTHS; i-- > 0;) {
        row = event(i / LENGTHS, i % LENGTHS);
        MUST(mica_store_memory.insert(connection, MICA_STORE_EVENTS, &row,
                                      &error));
    }
}

START_TEST(numbers_and_texts_of_every_size_come_back_in_order)
{
    begin();
    insert_all();
    struct mica_store_rows rows = all();
    for (size_t i = 0; i < rows.count; i++) {
        struct mica_store_row row = event(i / LENGTHS, i % LENGTHS);
        ck_assert_msg(is_same(&rows.items[i], &row), "row %zu", i);
    }
    end();
}
END_TEST

START_TEST(a_row_that_changes_keeps_its_other_columns)
{
    begin();
    insert_all();
    for (size_t i = 0; i < NUMBERS * LENGTHS; i++) {
        struct mica_store_row row = event(i / LENGTHS, i % LENGTHS);
        row.values[MICA_EVENT_BYTES].number = (int64_t)i;
        row.values[MICA_EVENT_DATA].text = mica_text("new");
        row.values[MICA_EVENT_CREATED].number =
            7; // not among those that are set
        MUST(mica_store_memory.update(connection, MICA_STORE_EVENTS,
                                      MICA_COLUMN(MICA_EVENT_BYTES) |
                                          MICA_COLUMN(MICA_EVENT_DATA),
                                      &row, &error));
    }
    struct mica_store_rows rows = all();
    for (size_t i = 0; i < rows.count; i++) {
        struct mica_store_row row = event(i / LENGTHS, i % LENGTHS);
        row.values[MICA_EVENT_BYTES].number = (int64_t)i;
        row.values[MICA_EVENT_DATA].text = mica_text("new");
        ck_assert_msg(is_same(&rows.items[i], &row), "row %zu", i);
    }
    end();
}
END_TEST

UNIT_MAIN("store rows", numbers_and_texts_of_every_size_come_back_in_order,
          a_row_that_changes_keeps_its_other_columns)
