// SPDX-License-Identifier: Apache-2.0
//
// Lists of calls: a page at a time, in the order in which they began; how many there
// are; and walks over many of them.
#include <stdio.h>

#include "store/calls.h"

enum mica_status
mica_store_no_calls_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory for so many calls; ask for "
                          "fewer.");
}

enum mica_status
mica_store_calls_limit(size_t limit, struct mica_error *error)
{
    if (limit > 0 && limit <= SWEEP_ROWS)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "1 to %d calls can be read at once, not %zu.",
                          SWEEP_ROWS, limit);
}

// ---- Listing ---------------------------------------------------------------------

#define LISTED_REQUEST                                          \
    (MICA_ALL_COLUMNS & ~(MICA_COLUMN(MICA_REQUEST_ARGUMENTS) | \
                          MICA_COLUMN(MICA_REQUEST_CONTEXT)))
#define LISTED_TURN                                                    \
    (MICA_COLUMN(MICA_JOURNAL_CALL) | MICA_COLUMN(MICA_JOURNAL_ASKS) | \
     MICA_COLUMN(MICA_JOURNAL_NOTE))

void
mica_store_call_cursor(const struct mica_store_call *call,
                       char cursor_out[MICA_STORE_CALL_CURSOR_SIZE])
{
    (void)snprintf(cursor_out, MICA_STORE_CALL_CURSOR_SIZE, "%lld.%.*s",
                   (long long)call->created, MICA_ARG(call->id));
}

// "<created>.<id>": rows behind it, unless the range begins later by itself.
static enum mica_status
start_behind(struct mica_text after, struct mica_store_range *range,
             struct mica_error *error)
{
    const char *dot = after.len > 0 ? memchr(after.ptr, '.', after.len) : NULL;
    size_t digits = dot != NULL ? (size_t)(dot - after.ptr) : 0;
    int64_t created;

    if (dot == NULL ||
        !mica_integer_read(mica_text_slice(after, 0, digits), &created) ||
        after.len == digits + 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A list goes on behind a cursor that it has "
                              "given, not behind \"%.*s\".",
                              MICA_ARG(after));
    if (created < range->values[range->equal].number)
        return MICA_OK;
    range->values[range->equal].number = created;
    range->values[range->equal + 1].text =
        mica_text_slice(after, digits + 1, after.len);
    return MICA_OK;
}

static void
add_condition(struct mica_store_range *range, unsigned column,
              enum mica_store_comparison is, union mica_store_value value)
{
    range->conditions[range->condition_count++] =
        (struct mica_store_condition){column, is, value};
}

// In the order in which they began. A tool or a subject has no index of its own:
// each call would be written to it twice, for a list that people seldom ask for.
static struct mica_store_range
range_of(const struct mica_store_call_filter *filter)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .index = MICA_CALLS_BY_CREATED,
                                     .equal = 1,
                                     .bound = MICA_BOUND_AFTER,
                                     .ties = true};

    range.values[0].number = filter->ended;
    range.values[1].number =
        filter->created_from != 0 ? filter->created_from : INT64_MIN;
    range.values[2].text = (struct mica_text){"", 0};
    if (filter->target.len > 0)
        add_condition(&range, MICA_CALL_TARGET, MICA_IS_EQUAL,
                      (union mica_store_value){.text = filter->target});
    if (filter->subject.len > 0)
        add_condition(&range, MICA_CALL_SUBJECT, MICA_IS_EQUAL,
                      (union mica_store_value){.text = filter->subject});
    if (filter->state != 0)
        add_condition(
            &range, MICA_CALL_STATE, MICA_IS_EQUAL,
            (union mica_store_value){.number = (int64_t)filter->state});
    if (filter->created_to != 0)
        add_condition(&range, MICA_CALL_CREATED, MICA_IS_AT_MOST,
                      (union mica_store_value){.number = filter->created_to});
    return range;
}

static enum mica_status
read_page(struct mica_store *within, struct mica_store_range *range,
          size_t limit, struct mica_arena *arena, struct mica_error *error,
          struct mica_store_calls *out)
{
    char cursor[MICA_STORE_CALL_CURSOR_SIZE];
    struct mica_store_rows rows;

    range->limit = limit + 1;
    out->items = mica_arena_zero(arena, limit, sizeof *out->items);
    if (out->items == NULL)
        return mica_store_no_calls_memory(error);
    MICA_TRY(mica_store_scan(within, range, NULL, error, &rows));
    for (; out->count < rows.count && out->count < limit; out->count++)
        MICA_TRY(mica_store_call_read(within, &rows.items[out->count],
                                      LISTED_REQUEST, LISTED_TURN, arena, error,
                                      &out->items[out->count]));
    if (rows.count <= limit)
        return MICA_OK;
    mica_store_call_cursor(&out->items[limit - 1], cursor);
    out->next = mica_arena_text(arena, mica_text(cursor));
    return out->next.ptr != NULL ? MICA_OK : mica_store_no_calls_memory(error);
}

enum mica_status
mica_store_call_page(struct mica_store *store,
                     const struct mica_store_call_filter *filter,
                     struct mica_text after, size_t limit,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_store_calls *calls_out)
{
    struct mica_store_range range = range_of(filter);
    struct mica_store_calls calls = {.count = 0};
    struct mica_store within;

    MICA_TRY(mica_store_calls_limit(limit, error));
    if (after.len > 0)
        MICA_TRY(start_behind(after, &range, error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    MICA_TRY(mica_store_leave(
        &within, read_page(&within, &range, limit, arena, error, &calls),
        error));
    *calls_out = calls;
    return MICA_OK;
}

enum mica_status
mica_store_call_count(struct mica_store *store,
                      const struct mica_store_call_filter *filter,
                      struct mica_error *error, int64_t *count_out)
{
    const struct mica_store_range range = range_of(filter);
    struct mica_store within;

    *count_out = 0;
    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within,
        within.backend->count(within.connection, &range, error, count_out),
        error);
}

// ---- Walking over many -----------------------------------------------------------

struct mica_store_walk
mica_store_walk_begin(unsigned index, unsigned column, int64_t first)
{
    return (struct mica_store_walk){.index = index,
                                    .column = column,
                                    .first = first,
                                    .number = INT64_MIN,
                                    .more = true};
}

enum mica_status
mica_store_walk_on(struct mica_store *within, struct mica_store_walk *walk,
                   unsigned columns, size_t limit, struct mica_error *error,
                   struct mica_store_rows *rows_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .index = walk->index,
                                     .equal = 1,
                                     .bound = MICA_BOUND_AFTER,
                                     .ties = true,
                                     .columns = columns |
                                                MICA_COLUMN(MICA_CALL_ID) |
                                                MICA_COLUMN(walk->column),
                                     .limit = limit};
    const union mica_store_value *last;

    range.values[0].number = walk->first;
    range.values[1].number = walk->number;
    range.values[2].text = (struct mica_text){walk->id, walk->id_length};
    MICA_TRY(mica_store_scan(within, &range, NULL, error, rows_out));
    walk->more = rows_out->count == limit;
    if (rows_out->count == 0)
        return MICA_OK;
    last = rows_out->items[rows_out->count - 1].values;
    walk->number = last[walk->column].number;
    walk->id_length = last[MICA_CALL_ID].text.len < sizeof walk->id
                          ? last[MICA_CALL_ID].text.len
                          : sizeof walk->id;
    memcpy(walk->id, last[MICA_CALL_ID].text.ptr, walk->id_length);
    return MICA_OK;
}
