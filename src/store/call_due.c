// SPDX-License-Identifier: Apache-2.0
//
// Which calls somebody has to look at: a call says itself when, in one index, so
// that a hundred thousand that wait cost nothing until their time has come. Also
// listing them, and how they go.
#include "store/calls.h"

static enum mica_status
no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory for so many calls; ask for "
                          "fewer.");
}

static enum mica_status
need(struct mica_store *within, struct mica_text id, struct mica_error *error,
     struct mica_store_row *row_out)
{
    bool found;

    MICA_TRY(mica_store_call_row(within, id, error, &found, row_out));
    return found ? MICA_OK : mica_store_no_call(error);
}

// ---- What their asks have come to ------------------------------------------------

enum mica_status
mica_store_call_has_session(struct mica_store *within,
                            const struct mica_store_row *request, int64_t now,
                            struct mica_error *error, bool *there_out)
{
    struct mica_text named = request->values[MICA_REQUEST_SESSION].text;
    struct mica_store_session_key key;
    struct mica_store_row session;
    enum mica_status status;

    *there_out = true;
    if (named.len == 0)
        return MICA_OK;
    MICA_TRY(mica_store_take_key(named, error, &key));
    status =
        mica_store_session_row(within, &key, now, false, NULL, error, &session);
    *there_out = status == MICA_OK;
    return status == MICA_E_NOT_FOUND ? MICA_OK : status;
}

static enum mica_status
judge(struct mica_store *within, const struct mica_store_row *row, int64_t now,
      struct mica_error *error, enum mica_status *ending_out)
{
    const union mica_store_value *values = row->values;
    struct mica_store_row request;
    bool there;

    MICA_TRY(mica_store_call_session(within, row, error, &request));
    MICA_TRY(mica_store_call_has_session(within, &request, now, error, &there));
    *ending_out = MICA_OK;
    if (values[MICA_CALL_DUE].number == MICA_STORE_CALL_GIVEN_UP)
        *ending_out = MICA_E_CANCELLED;
    else if (!there)
        *ending_out = MICA_E_DISCONNECTED;
    else if (values[MICA_CALL_EXPIRES].number <= now ||
             (values[MICA_CALL_STATE].number == MICA_STORE_CALL_WAITING &&
              values[MICA_CALL_DUE].number <= now))
        *ending_out = MICA_E_TIMEOUT;
    return MICA_OK;
}

static enum mica_status
ending(struct mica_store *within, struct mica_text id, int64_t now,
       struct mica_error *error, enum mica_status *ending_out)
{
    struct mica_store_row row;

    MICA_TRY(need(within, id, error, &row));
    if (mica_store_call_ended(&row))
        return mica_store_no_call(error);
    return judge(within, &row, now, error, ending_out);
}

enum mica_status
mica_store_call_ending(struct mica_store *store, struct mica_text id,
                       int64_t now, struct mica_error *error,
                       enum mica_status *ending_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(&within,
                            ending(&within, id, now, error, ending_out), error);
}

// ---- Giving out ------------------------------------------------------------------

// Those whose time has come, or with INT64_MAX the first of all.
static enum mica_status
scan_open(struct mica_store *within, int64_t before, size_t limit,
          struct mica_error *error, struct mica_store_rows *rows_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .index = 1,
                                     .equal = 1,
                                     .bound = MICA_BOUND_BELOW,
                                     .limit = limit};

    range.values[0].number = 0;
    range.values[1].number = before;
    return mica_store_scan(within, &range, NULL, error, rows_out);
}

static enum mica_status
read_next(struct mica_store *within, struct mica_error *error,
          int64_t *next_out)
{
    struct mica_store_rows rows;

    MICA_TRY(scan_open(within, INT64_MAX, 1, error, &rows));
    *next_out = rows.count > 0 ? rows.items[0].values[MICA_CALL_WAKES].number
                               : INT64_MAX;
    return MICA_OK;
}

// One whose time has come: it is given out, or it is not yet time after all,
// since that was the time at which a claim was lost.
static enum mica_status
give(struct mica_store *within, struct mica_store_row *row, int64_t now,
     int64_t again_ms, struct mica_arena *arena, struct mica_error *error,
     struct mica_store_due *out)
{
    union mica_store_value *values = row->values;
    enum mica_status ending;

    MICA_TRY(judge(within, row, now, error, &ending));
    if (ending == MICA_OK &&
        values[MICA_CALL_STATE].number == MICA_STORE_CALL_WAITING) {
        values[MICA_CALL_LEASE].number = 0; // in the store it stays as it is
        return mica_store_call_update(within, row, 0, error);
    }
    out->ids[out->count] = mica_arena_text(arena, values[MICA_CALL_ID].text);
    if (out->ids[out->count].ptr == NULL)
        return no_memory(error);
    out->endings[out->count++] = ending;
    values[MICA_CALL_WAKES].number = now + again_ms;
    return mica_store_update(within, MICA_STORE_CALLS,
                             MICA_COLUMN(MICA_CALL_WAKES), row, error);
}

static enum mica_status
due(struct mica_store *within, int64_t now, size_t limit, int64_t again_ms,
    struct mica_arena *arena, struct mica_error *error,
    struct mica_store_due *out)
{
    struct mica_store_rows rows;

    MICA_TRY(scan_open(within, now + 1, limit, error, &rows));
    out->ids = mica_arena_zero(arena, rows.count, sizeof *out->ids);
    out->endings = mica_arena_zero(arena, rows.count, sizeof *out->endings);
    if (out->ids == NULL || out->endings == NULL)
        return no_memory(error);
    for (size_t i = 0; i < rows.count; i++)
        MICA_TRY(
            give(within, &rows.items[i], now, again_ms, arena, error, out));
    return read_next(within, error, &out->next);
}

static enum mica_status
check_limit(size_t limit, struct mica_error *error)
{
    if (limit > 0 && limit <= SWEEP_ROWS)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "1 to %d calls can be read at once, not %zu.",
                          SWEEP_ROWS, limit);
}

// Most often it is nobody's time, and looking waits for no writer.
enum mica_status
mica_store_call_due(struct mica_store *store, int64_t now, size_t limit,
                    int64_t again_ms, struct mica_arena *arena,
                    struct mica_error *error, struct mica_store_due *due_out)
{
    struct mica_store_due found = {.count = 0};
    struct mica_store within;

    MICA_TRY(check_limit(limit, error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    MICA_TRY(mica_store_leave(&within, read_next(&within, error, &found.next),
                              error));
    if (found.next <= now) {
        MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
        MICA_TRY(mica_store_leave(
            &within, due(&within, now, limit, again_ms, arena, error, &found),
            error));
    }
    *due_out = found;
    return MICA_OK;
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

    MICA_TRY(check_limit(limit, error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    MICA_TRY(mica_store_leave(
        &within, list(&within, after, limit, open, arena, error, &calls),
        error));
    *calls_out = calls;
    return MICA_OK;
}

// ---- Going -----------------------------------------------------------------------

static enum mica_status
expire(struct mica_store *within, struct mica_text id, int64_t now,
       struct mica_error *error)
{
    struct mica_store_row row;

    MICA_TRY(need(within, id, error, &row));
    if (mica_store_call_ended(&row))
        return mica_store_call_remove(within, &row, now, error);
    row.values[MICA_CALL_EXPIRES].number = now;
    return mica_store_call_update(within, &row, MICA_COLUMN(MICA_CALL_EXPIRES),
                                  error);
}

enum mica_status
mica_store_call_expire(struct mica_store *store, struct mica_text id,
                       int64_t now, struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, expire(&within, id, now, error), error);
}

static enum mica_status
cancel(struct mica_store *within, struct mica_text id, struct mica_error *error)
{
    struct mica_store_row row;

    MICA_TRY(need(within, id, error, &row));
    if (mica_store_call_ended(&row))
        return MICA_OK;
    row.values[MICA_CALL_DUE].number = MICA_STORE_CALL_GIVEN_UP;
    return mica_store_call_update(within, &row, MICA_COLUMN(MICA_CALL_DUE),
                                  error);
}

enum mica_status
mica_store_call_cancel(struct mica_store *store, struct mica_text id,
                       struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, cancel(&within, id, error), error);
}

static enum mica_status
delete_call(struct mica_store *within, struct mica_text id, int64_t now,
            struct mica_error *error)
{
    struct mica_store_row row;

    MICA_TRY(need(within, id, error, &row));
    return mica_store_call_remove(within, &row, now, error);
}

enum mica_status
mica_store_call_delete(struct mica_store *store, struct mica_text id,
                       int64_t now, struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, delete_call(&within, id, now, error),
                            error);
}

enum mica_status
mica_store_calls_expire(struct mica_store *within, int64_t now, size_t limit,
                        struct mica_error *error, size_t *removed_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .index = 1,
                                     .equal = 1,
                                     .bound = MICA_BOUND_BELOW,
                                     .limit = limit};
    struct mica_store_rows rows;

    range.values[0].number = 1;
    range.values[1].number = now + 1;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++)
        MICA_TRY(mica_store_call_remove(within, &rows.items[i], now, error));
    *removed_out = rows.count;
    return mica_store_add(within, MICA_COUNT_CALLS_EXPIRED, (int64_t)rows.count,
                          error);
}
