// SPDX-License-Identifier: Apache-2.0
//
// Lists of calls: a page at a time, in the order of their ids or, for people, in
// the order in which they began; and how many there are.
#include "store/calls.h"

static enum mica_status
no_memory(struct mica_error *error)
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

static enum mica_status
read_listed(struct mica_store *within, const struct mica_store_rows *rows,
            bool open, size_t limit, struct mica_arena *arena,
            struct mica_error *error, struct mica_store_calls *out)
{
    size_t at = 0;

    for (; at < rows->count && out->count < limit; at++) {
        if (open && mica_store_call_ended(&rows->items[at]))
            continue;
        MICA_TRY(mica_store_call_read(within, &rows->items[at], LISTED_REQUEST,
                                      LISTED_TURN, arena, error,
                                      &out->items[out->count]));
        out->count++;
    }
    if (at == 0 || (at == rows->count && at <= SWEEP_ROWS))
        return MICA_OK;
    out->next =
        mica_arena_text(arena, rows->items[at - 1].values[MICA_CALL_ID].text);
    return out->next.ptr != NULL ? MICA_OK : no_memory(error);
}

// One row more than is looked at tells whether there are more.
static enum mica_status
list(struct mica_store *within, struct mica_text after, size_t limit, bool open,
     struct mica_arena *arena, struct mica_error *error,
     struct mica_store_calls *out)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .bound = MICA_BOUND_AFTER,
                                     .limit = SWEEP_ROWS + 1};
    struct mica_store_rows rows;

    range.values[0].text = after;
    out->items = mica_arena_zero(arena, limit, sizeof *out->items);
    if (out->items == NULL)
        return no_memory(error);
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    return read_listed(within, &rows, open, limit, arena, error, out);
}

enum mica_status
mica_store_call_list(struct mica_store *store, struct mica_text after,
                     size_t limit, bool open, struct mica_arena *arena,
                     struct mica_error *error,
                     struct mica_store_calls *calls_out)
{
    struct mica_store_calls calls = {.count = 0};
    struct mica_store within;

    MICA_TRY(mica_store_calls_limit(limit, error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    MICA_TRY(mica_store_leave(
        &within, list(&within, after, limit, open, arena, error, &calls),
        error));
    *calls_out = calls;
    return MICA_OK;
}
