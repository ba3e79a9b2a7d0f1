// SPDX-License-Identifier: Apache-2.0
//
// Which calls somebody has to look at: a call says itself when, in one index, so
// that a hundred thousand that wait cost nothing until their time has come. The
// index begins with the build that runs a call, so that a process is given what it
// can run, and nothing else stands in its way. Also how calls go.
#include "store/calls.h"

enum {
    BUILDS = 10000 // that are read at once
};

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

enum mica_status
mica_store_call_judge(struct mica_store *within,
                      const struct mica_store_row *row, int64_t now,
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
    return mica_store_call_judge(within, &row, now, error, ending_out);
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

// ---- Builds ----------------------------------------------------------------------

// The first open call, in the order of builds, of one behind `build`.
static enum mica_status
next_build(struct mica_store *within, int64_t build, struct mica_error *error,
           bool *found_out, struct mica_store_row *row_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .index = MICA_CALLS_BY_WAKES,
                                     .bound = MICA_BOUND_AFTER};

    range.values[0].number = build;
    return mica_store_first(within, range, error, found_out, row_out);
}

enum mica_status
mica_store_call_build(struct mica_store *within,
                      const struct mica_store_row *row,
                      struct mica_arena *arena, struct mica_error *error,
                      bool *found_out, struct mica_store_build *build_out)
{
    struct mica_store_range range = {.table = MICA_STORE_REQUESTS,
                                     .equal = 1,
                                     .columns =
                                         MICA_COLUMN(MICA_REQUEST_OFFER) |
                                         MICA_COLUMN(MICA_REQUEST_TARGET) |
                                         MICA_COLUMN(MICA_REQUEST_VERSION),
                                     .limit = 1};
    struct mica_store_rows requests;

    range.values[0] = row->values[MICA_CALL_ID];
    MICA_TRY(mica_store_scan(within, &range, arena, error, &requests));
    *build_out =
        (struct mica_store_build){.number = row->values[MICA_CALL_BUILD].number,
                                  .next = row->values[MICA_CALL_WAKES].number};
    *found_out = requests.count > 0;
    if (!*found_out)
        return MICA_OK; // a part of a call only: of no build that there is
    build_out->offer = (int)requests.items[0].values[MICA_REQUEST_OFFER].number;
    build_out->target = requests.items[0].values[MICA_REQUEST_TARGET].text;
    build_out->version = requests.items[0].values[MICA_REQUEST_VERSION].text;
    return MICA_OK;
}

static enum mica_status
read_builds(struct mica_store *within, int64_t behind, struct mica_arena *arena,
            struct mica_error *error, struct mica_store_builds *out)
{
    struct mica_store_row row;
    size_t room = 0;
    bool found, whole;

    for (;; behind = row.values[MICA_CALL_BUILD].number) {
        MICA_TRY(next_build(within, behind, error, &found, &row));
        out->more = found && out->count == BUILDS;
        if (!found || out->more)
            return MICA_OK;
        if (out->count == room) {
            struct mica_store_build *more;
            room = room == 0 ? 16 : room * 2;
            more = mica_arena_zero(arena, room, sizeof *more);
            if (more == NULL)
                return mica_store_no_calls_memory(error);
            if (out->count > 0)
                memcpy(more, out->items, out->count * sizeof *more);
            out->items = more;
        }
        MICA_TRY(mica_store_call_build(within, &row, arena, error, &whole,
                                       &out->items[out->count++]));
    }
}

enum mica_status
mica_store_call_builds(struct mica_store *store, struct mica_arena *arena,
                       struct mica_error *error,
                       struct mica_store_builds *builds_out)
{
    // The number of those that have ended is 0.
    return mica_store_call_builds_behind(store, 0, arena, error, builds_out);
}

enum mica_status
mica_store_call_builds_behind(struct mica_store *store, int64_t behind,
                              struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_store_builds *builds_out)
{
    struct mica_store_builds builds = {.count = 0};
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    MICA_TRY(mica_store_leave(
        &within, read_builds(&within, behind, arena, error, &builds), error));
    *builds_out = builds;
    return MICA_OK;
}

// ---- Giving out ------------------------------------------------------------------

// Of a build those whose time has come, or with INT64_MAX the first of all.
static enum mica_status
scan_open(struct mica_store *within, int64_t build, int64_t before,
          size_t limit, struct mica_error *error,
          struct mica_store_rows *rows_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .index = MICA_CALLS_BY_WAKES,
                                     .equal = 1,
                                     .bound = MICA_BOUND_BELOW,
                                     .limit = limit};

    range.values[0].number = build;
    range.values[1].number = before;
    return mica_store_scan(within, &range, NULL, error, rows_out);
}

static enum mica_status
read_next(struct mica_store *within, const struct mica_store_build_set *builds,
          struct mica_error *error, int64_t *next_out)
{
    struct mica_store_rows rows;

    *next_out = INT64_MAX;
    for (size_t i = 0; i < builds->count; i++) {
        MICA_TRY(
            scan_open(within, builds->numbers[i], INT64_MAX, 1, error, &rows));
        if (rows.count > 0 &&
            rows.items[0].values[MICA_CALL_WAKES].number < *next_out)
            *next_out = rows.items[0].values[MICA_CALL_WAKES].number;
    }
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

    MICA_TRY(mica_store_call_judge(within, row, now, error, &ending));
    if (ending == MICA_OK &&
        values[MICA_CALL_STATE].number == MICA_STORE_CALL_WAITING) {
        values[MICA_CALL_LEASE].number = 0; // in the store it stays as it is
        return mica_store_call_update(within, row, 0, error);
    }
    out->ids[out->count] = mica_arena_text(arena, values[MICA_CALL_ID].text);
    if (out->ids[out->count].ptr == NULL)
        return mica_store_no_calls_memory(error);
    out->endings[out->count++] = ending;
    values[MICA_CALL_WAKES].number = now + again_ms;
    return mica_store_update(within, MICA_STORE_CALLS,
                             MICA_COLUMN(MICA_CALL_WAKES), row, error);
}

static enum mica_status
due_of(struct mica_store *within, int64_t build, int64_t now, size_t limit,
       int64_t again_ms, struct mica_arena *arena, struct mica_error *error,
       struct mica_store_due *out)
{
    struct mica_store_rows rows;

    MICA_TRY(
        scan_open(within, build, now + 1, limit - out->count, error, &rows));
    for (size_t i = 0; i < rows.count; i++)
        MICA_TRY(
            give(within, &rows.items[i], now, again_ms, arena, error, out));
    return MICA_OK;
}

static enum mica_status
due(struct mica_store *within, const struct mica_store_build_set *builds,
    int64_t now, size_t limit, int64_t again_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_due *out)
{
    out->ids = mica_arena_zero(arena, limit, sizeof *out->ids);
    out->endings = mica_arena_zero(arena, limit, sizeof *out->endings);
    if (out->ids == NULL || out->endings == NULL)
        return mica_store_no_calls_memory(error);
    for (size_t i = 0; i < builds->count && out->count < limit; i++)
        MICA_TRY(due_of(within, builds->numbers[i], now, limit, again_ms, arena,
                        error, out));
    return read_next(within, builds, error, &out->next);
}

// Most often it is nobody's time, and looking waits for no writer.
enum mica_status
mica_store_call_due_of(struct mica_store *store,
                       const struct mica_store_build_set *builds, int64_t now,
                       size_t limit, int64_t again_ms, struct mica_arena *arena,
                       struct mica_error *error, struct mica_store_due *due_out)
{
    struct mica_store_due found = {.count = 0};
    struct mica_store within;

    MICA_TRY(mica_store_calls_limit(limit, error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    MICA_TRY(mica_store_leave(
        &within, read_next(&within, builds, error, &found.next), error));
    if (found.next <= now) {
        MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
        MICA_TRY(mica_store_leave(
            &within,
            due(&within, builds, now, limit, again_ms, arena, error, &found),
            error));
    }
    *due_out = found;
    return MICA_OK;
}

// ---- Stranded --------------------------------------------------------------------

// One page of the calls of a build that are due: those that are over, and not held.
static enum mica_status
stranded_page(struct mica_store *within, struct mica_store_walk *walk,
              int64_t before, int64_t now, size_t limit,
              struct mica_arena *arena, struct mica_error *error,
              struct mica_store_due *out)
{
    struct mica_store_rows rows;

    MICA_TRY(mica_store_walk_on(within, walk,
                                MICA_COLUMN(MICA_CALL_EXPIRES) |
                                    MICA_COLUMN(MICA_CALL_LEASE),
                                SWEEP_ROWS, error, &rows));
    walk->more = walk->more && walk->number <= now;
    for (size_t i = 0; i < rows.count && out->count < limit; i++) {
        const union mica_store_value *values = rows.items[i].values;
        if (values[MICA_CALL_WAKES].number > now ||
            values[MICA_CALL_LEASE].number > now ||
            values[MICA_CALL_EXPIRES].number > before)
            continue;
        out->ids[out->count] =
            mica_arena_text(arena, values[MICA_CALL_ID].text);
        if (out->ids[out->count++].ptr == NULL)
            return mica_store_no_calls_memory(error);
    }
    return MICA_OK;
}

// There is no index of what has expired: the calls that are due are walked over, and
// others get at the store between two pages.
enum mica_status
mica_store_call_stranded(struct mica_store *store,
                         const struct mica_store_build_set *builds,
                         int64_t before, int64_t now, size_t limit,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_store_due *stranded_out)
{
    struct mica_store_due found = {.next = INT64_MAX};
    struct mica_store within;

    MICA_TRY(mica_store_calls_limit(limit, error));
    found.ids = mica_arena_zero(arena, limit, sizeof *found.ids);
    if (found.ids == NULL)
        return mica_store_no_calls_memory(error);
    for (size_t i = 0; i < builds->count; i++) {
        struct mica_store_walk walk = mica_store_walk_begin(
            MICA_CALLS_BY_WAKES, MICA_CALL_WAKES, builds->numbers[i]);
        while (walk.more && found.count < limit) {
            MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
            MICA_TRY(
                mica_store_leave(&within,
                                 stranded_page(&within, &walk, before, now,
                                               limit, arena, error, &found),
                                 error));
        }
    }
    *stranded_out = found;
    return MICA_OK;
}

enum mica_status
mica_store_count_stranded(struct mica_store *store, struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(
        &within, mica_store_add(&within, MICA_COUNT_CALLS_STRANDED, 1, error),
        error);
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
                                     .index = MICA_CALLS_BY_WAKES,
                                     .equal = 1,
                                     .bound = MICA_BOUND_BELOW,
                                     .limit = limit};
    struct mica_store_rows rows;

    range.values[0].number = 0; // they have ended
    range.values[1].number = now + 1;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++)
        MICA_TRY(mica_store_call_remove(within, &rows.items[i], now, error));
    *removed_out = rows.count;
    return mica_store_add(within, MICA_COUNT_CALLS_EXPIRED, (int64_t)rows.count,
                          error);
}
