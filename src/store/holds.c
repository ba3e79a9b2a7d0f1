// SPDX-License-Identifier: Apache-2.0
//
// Which open calls answer on which stream of a session. While there is one, the
// events of the stream do not age: who comes back after an hour still gets the
// question that waits for an answer. Only the limits on bytes, and the session,
// take them away before.
#include "store/calls.h"

// Sets since when the events of a stream age.
static enum mica_status
set_ages(struct mica_store *within, const struct mica_store_row *hold,
         int64_t ages, struct mica_error *error)
{
    struct mica_store_range range = {
        .table = MICA_STORE_EVENTS,
        .equal = 2,
        .columns = MICA_COLUMN(MICA_EVENT_SESSION) |
                   MICA_COLUMN(MICA_EVENT_STREAM) |
                   MICA_COLUMN(MICA_EVENT_SEQUENCE),
        .limit = SIZE_MAX}; // stream_events at most
    struct mica_store_rows rows;

    range.values[0] = hold->values[MICA_HOLD_SESSION];
    range.values[1] = hold->values[MICA_HOLD_STREAM];
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++) {
        rows.items[i].values[MICA_EVENT_AGES].number = ages;
        MICA_TRY(mica_store_update(within, MICA_STORE_EVENTS,
                                   MICA_COLUMN(MICA_EVENT_AGES), &rows.items[i],
                                   error));
    }
    return MICA_OK;
}

enum mica_status
mica_store_is_held(struct mica_store *within, union mica_store_value session,
                   union mica_store_value stream, struct mica_error *error,
                   bool *held_out)
{
    struct mica_store_range range = {.table = MICA_STORE_HOLDS, .equal = 2};
    struct mica_store_row row;

    range.values[0] = session;
    range.values[1] = stream;
    return mica_store_first(within, range, error, held_out, &row);
}

static void
write_row(const struct mica_store_row *request, struct mica_store_row *row)
{
    row->values[MICA_HOLD_SESSION] = request->values[MICA_REQUEST_SESSION];
    row->values[MICA_HOLD_STREAM] = request->values[MICA_REQUEST_STREAM];
    row->values[MICA_HOLD_CALL] = request->values[MICA_REQUEST_CALL];
}

enum mica_status
mica_store_hold(struct mica_store *within, const struct mica_store_row *request,
                struct mica_error *error)
{
    struct mica_store_row row;

    if (request->values[MICA_REQUEST_SESSION].text.len == 0)
        return MICA_OK;
    write_row(request, &row);
    MICA_TRY(mica_store_insert(within, MICA_STORE_HOLDS, &row, error));
    MICA_TRY(mica_store_session_busy(within, row.values[MICA_HOLD_SESSION].text,
                                     INT64_MAX, error));
    return set_ages(within, &row, INT64_MAX, error);
}

enum mica_status
mica_store_let_go(struct mica_store *within,
                  const struct mica_store_row *request, int64_t now,
                  struct mica_error *error)
{
    struct mica_store_row row;
    size_t removed;
    bool held;

    if (request->values[MICA_REQUEST_SESSION].text.len == 0)
        return MICA_OK;
    write_row(request, &row);
    MICA_TRY(
        mica_store_remove(within, MICA_STORE_HOLDS, 3, &row, error, &removed));
    MICA_TRY(mica_store_is_held(within, row.values[MICA_HOLD_SESSION],
                                row.values[MICA_HOLD_STREAM], error, &held));
    MICA_TRY(mica_store_session_settle(
        within, row.values[MICA_HOLD_SESSION].text, now, error));
    return held ? MICA_OK : set_ages(within, &row, now, error);
}

// ---- The end of a session ------------------------------------------------------

// A call that somebody runs right now is looked at when he is done, or dead.
static enum mica_status
wake(struct mica_store *within, struct mica_text id, struct mica_error *error)
{
    struct mica_store_row call;
    bool found;

    MICA_TRY(mica_store_call_row(within, id, error, &found, &call));
    if (!found || call.values[MICA_CALL_WAKES].number ==
                      call.values[MICA_CALL_LEASE].number)
        return MICA_OK;
    call.values[MICA_CALL_WAKES].number = 0;
    return mica_store_update(within, MICA_STORE_CALLS,
                             MICA_COLUMN(MICA_CALL_WAKES), &call, error);
}

enum mica_status
mica_store_holds_end(struct mica_store *within,
                     const struct mica_store_row *session,
                     struct mica_error *error)
{
    struct mica_store_range range = {
        .table = MICA_STORE_HOLDS, .equal = 1, .limit = SIZE_MAX};
    struct mica_store_rows rows;
    size_t removed;

    range.values[0] = session->values[MICA_SESSION_KEY];
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++)
        MICA_TRY(
            wake(within, rows.items[i].values[MICA_HOLD_CALL].text, error));
    return mica_store_remove(within, MICA_STORE_HOLDS, 1, session, error,
                             &removed);
}

// ---- Who is on a stream ----------------------------------------------------------

static enum mica_status
copy_calls(const struct mica_store_rows *rows, struct mica_arena *arena,
           struct mica_error *error, struct mica_store_answering *out)
{
    out->ids = mica_arena_zero(arena, rows->count, sizeof *out->ids);
    out->streams = mica_arena_zero(arena, rows->count, sizeof *out->streams);
    for (size_t i = 0; i < rows->count && !arena->overflow; i++) {
        const union mica_store_value *values = rows->items[i].values;
        out->ids[i] = mica_arena_text(arena, values[MICA_HOLD_CALL].text);
        out->streams[i] = values[MICA_HOLD_STREAM].number;
    }
    out->count = rows->count;
    if (!arena->overflow)
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory for the calls of a session.");
}

static enum mica_status
answering(struct mica_store *within, const struct mica_store_session_key *key,
          int64_t stream, struct mica_arena *arena, struct mica_error *error,
          struct mica_store_answering *out)
{
    struct mica_store_range range = {.table = MICA_STORE_HOLDS,
                                     .equal = stream > 0 ? 2 : 1,
                                     .limit = MICA_STORE_ANSWERING};
    struct mica_store_rows rows;

    range.values[0].text = mica_store_key_text(key);
    range.values[1].number = stream;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    return copy_calls(&rows, arena, error, out);
}

enum mica_status
mica_store_answering(struct mica_store *store,
                     const struct mica_store_session_key *key, int64_t stream,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_store_answering *answering_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within, answering(&within, key, stream, arena, error, answering_out),
        error);
}
