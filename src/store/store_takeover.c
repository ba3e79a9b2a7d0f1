// SPDX-License-Identifier: Apache-2.0
//
// Takes calls over from another store, in batches. Two files have no transaction in
// common, so a batch has three:
//   1. here: the calls are copied, held by a holder that does not exist;
//   2. there: those that have not changed meanwhile, and are not held, are removed;
//   3. here: what is gone there is free, what is still there is removed here.
// A call is free in one store at most, wherever the process dies: the next takeover
// begins with step 3 for what it finds. A lock keeps that one out while this one runs:
// it would take copies that are on their way for left ones. Sessions in which such
// calls answer, and all keys, are copied and stay there as well.
#include <sodium.h>
#include <stdlib.h>

#include "store/calls.h"
#include "store/clock.h"

enum {
    TAKEN_CALLS = 200, // in one batch at most
    INCOMING = -1,     // holder of what is between two stores
    OUTCOMES = 1024,   // builds that are remembered
    LOCK_POLL_MS = 20, // between two looks whether another takeover has ended
    BATCH_BYTES =
        256 << 20 // of a batch, which is halved where that is too little
};

#define NEVER (INT64_MAX / 2)

struct outcome {
    int64_t number; // of a build; 0: none yet
    bool may;
};

struct takeover {
    struct mica_store *to, *from;
    bool (*may)(void *user, const struct mica_store_build *build);
    void *user;
    int64_t now;
    struct mica_arena arena;  // of a batch
    struct mica_store *other; // a transaction of `from`, while it is read
    struct mica_text ids[TAKEN_CALLS];
    bool gone[TAKEN_CALLS];   // from there
    bool copied[TAKEN_CALLS]; // from `rows`, whose texts are not kept
    struct mica_store_row rows[TAKEN_CALLS];
    size_t count;
    size_t most;                            // in one batch, from now on
    struct mica_text sessions[TAKEN_CALLS]; // of the batch, each once
    size_t session_count;
    struct outcome outcomes[OUTCOMES]; // by the numbers of builds
    struct mica_store_taken taken;
};

static bool
is_there(enum mica_status status)
{
    return status == MICA_OK || status == MICA_E_EXISTS;
}

// ---- Rows ------------------------------------------------------------------------

// Copies the rows whose first column is that value. What is there already stays.
static enum mica_status
copy_rows(struct mica_store *within, struct takeover *over,
          enum mica_store_table table, unsigned index,
          union mica_store_value first, struct mica_error *error,
          struct mica_store_rows *rows_out, size_t *copied_out)
{
    struct mica_store_range range = {
        .table = table, .index = index, .equal = 1, .limit = SIZE_MAX};

    range.values[0] = first;
    *copied_out = 0;
    MICA_TRY(
        mica_store_scan(over->other, &range, &over->arena, error, rows_out));
    for (size_t i = 0; i < rows_out->count; i++) {
        enum mica_status status =
            mica_store_insert(within, table, &rows_out->items[i], error);
        if (!is_there(status))
            return status;
        *copied_out += status == MICA_OK;
    }
    return MICA_OK;
}

// ---- Sessions --------------------------------------------------------------------

static enum mica_status
first_row(struct mica_store *within, enum mica_store_table table,
          unsigned equal, const struct mica_store_row *key,
          struct mica_error *error, bool *found_out,
          struct mica_store_row *row_out)
{
    struct mica_store_range range = {.table = table, .equal = equal};

    for (unsigned i = 0; i < equal; i++)
        range.values[i] = key->values[i];
    return mica_store_first(within, range, error, found_out, row_out);
}

// The session is here already: what it is given next is not named like what it was
// given there.
static enum mica_status
raise_last_stream(struct mica_store *within,
                  const struct mica_store_row *session,
                  struct mica_error *error)
{
    struct mica_store_row here;
    int64_t last = session->values[MICA_SESSION_LAST_STREAM].number;
    bool found;

    MICA_TRY(first_row(within, MICA_STORE_SESSIONS, 1, session, error, &found,
                       &here));
    if (!found || here.values[MICA_SESSION_LAST_STREAM].number >= last)
        return MICA_OK;
    here.values[MICA_SESSION_LAST_STREAM].number = last;
    return mica_store_update(within, MICA_STORE_SESSIONS,
                             MICA_COLUMN(MICA_SESSION_LAST_STREAM), &here,
                             error);
}

// Copies those that are not here yet, and counts them.
static enum mica_status
insert_events(struct mica_store *within, const struct mica_store_rows *rows,
              struct mica_store_row *stream, struct mica_error *error)
{
    int64_t events = 0, bytes = 0;

    for (size_t i = 0; i < rows->count; i++) {
        enum mica_status status = mica_store_insert(within, MICA_STORE_EVENTS,
                                                    &rows->items[i], error);
        if (!is_there(status))
            return status;
        if (status == MICA_E_EXISTS)
            continue;
        events++;
        bytes += rows->items[i].values[MICA_EVENT_BYTES].number;
    }
    stream->values[MICA_STREAM_EVENTS].number += events;
    stream->values[MICA_STREAM_BYTES].number += bytes;
    MICA_TRY(mica_store_add(within, MICA_COUNT_EVENTS, events, error));
    return mica_store_add(within, MICA_COUNT_EVENT_BYTES, bytes, error);
}

// Copies the events of a stream, of which there are stream_bytes at most, and writes
// the row of the stream.
static enum mica_status
copy_events(struct mica_store *within, struct takeover *over,
            struct mica_store_row *stream, struct mica_error *error)
{
    struct mica_store_range range = {
        .table = MICA_STORE_EVENTS, .equal = 2, .limit = SIZE_MAX};
    struct mica_store_rows rows;
    struct mica_arena arena;
    enum mica_status status;

    range.values[0] = stream->values[MICA_STREAM_SESSION];
    range.values[1] = stream->values[MICA_STREAM_NUMBER];
    mica_arena_init(&arena, BATCH_BYTES);
    status = mica_store_scan(over->other, &range, &arena, error, &rows);
    if (status == MICA_OK)
        status = insert_events(within, &rows, stream, error);
    mica_arena_fini(&arena);
    MICA_TRY(status);
    return mica_store_update(
        within, MICA_STORE_STREAMS,
        MICA_COLUMN(MICA_STREAM_LAST) | MICA_COLUMN(MICA_STREAM_EVENTS) |
            MICA_COLUMN(MICA_STREAM_BYTES) | MICA_COLUMN(MICA_STREAM_CALL),
        stream, error);
}

// A stream of that number that was opened here for another request stays as it is.
static enum mica_status
copy_stream(struct mica_store *within, struct takeover *over,
            const struct mica_store_row *there, struct mica_error *error)
{
    struct mica_store_row stream;
    bool found;

    MICA_TRY(first_row(within, MICA_STORE_STREAMS, 2, there, error, &found,
                       &stream));
    if (!found) {
        stream = *there;
        stream.values[MICA_STREAM_EVENTS].number = 0;
        stream.values[MICA_STREAM_BYTES].number = 0;
        MICA_TRY(mica_store_insert(within, MICA_STORE_STREAMS, &stream, error));
        MICA_TRY(mica_store_add(within, MICA_COUNT_STREAMS, 1, error));
    } else if (!mica_text_equal(stream.values[MICA_STREAM_REQUEST].text,
                                there->values[MICA_STREAM_REQUEST].text) ||
               stream.values[MICA_STREAM_LAST].number >
                   there->values[MICA_STREAM_LAST].number) {
        return MICA_OK;
    }
    stream.values[MICA_STREAM_LAST] = there->values[MICA_STREAM_LAST];
    stream.values[MICA_STREAM_CALL] = there->values[MICA_STREAM_CALL];
    return copy_events(within, over, &stream, error);
}

static enum mica_status
copy_streams(struct mica_store *within, struct takeover *over,
             union mica_store_value key, struct mica_error *error)
{
    struct mica_store_range range = {
        .table = MICA_STORE_STREAMS, .equal = 1, .limit = SIZE_MAX};
    struct mica_store_rows rows;

    range.values[0] = key;
    MICA_TRY(mica_store_scan(over->other, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++)
        MICA_TRY(copy_stream(within, over, &rows.items[i], error));
    return MICA_OK;
}

// Each once in a batch, as all calls of a session find it.
static bool
was_copied(struct takeover *over, struct mica_text session)
{
    for (size_t i = 0; i < over->session_count; i++)
        if (mica_text_equal(over->sessions[i], session))
            return true;
    over->sessions[over->session_count++] = session;
    return false;
}

// With what was said in it there, also when it has come before.
static enum mica_status
copy_session(struct mica_store *within, struct takeover *over,
             union mica_store_value key, struct mica_error *error)
{
    struct mica_store_rows rows;
    size_t copied;

    if (was_copied(over, key.text))
        return MICA_OK;
    MICA_TRY(copy_rows(within, over, MICA_STORE_SESSIONS, 0, key, error, &rows,
                       &copied));
    if (rows.count == 0)
        return MICA_OK; // it has ended
    if (copied == 0) {
        MICA_TRY(raise_last_stream(within, &rows.items[0], error));
        return copy_streams(within, over, key, error);
    }
    over->taken.sessions++;
    MICA_TRY(mica_store_party_add(
        within, rows.items[0].values[MICA_SESSION_PARTY].text, 1, error));
    MICA_TRY(mica_store_add(within, MICA_COUNT_SESSIONS, 1, error));
    MICA_TRY(copy_streams(within, over, key, error));
    MICA_TRY(copy_rows(within, over, MICA_STORE_SUBSCRIPTIONS, 0, key, error,
                       &rows, &copied));
    return mica_store_add(within, MICA_COUNT_SUBSCRIPTIONS, (int64_t)copied,
                          error);
}

// Another request may have been given the number of the call's stream here. Then the
// call has no stream any more: what it asks must not reach that request.
static enum mica_status
keep_stream(struct mica_store *within, struct takeover *over,
            struct mica_store_row *request, struct mica_error *error)
{
    struct mica_store_row key, here, there;
    bool is_here, is_there;

    key.values[0] = request->values[MICA_REQUEST_SESSION];
    key.values[1] = request->values[MICA_REQUEST_STREAM];
    MICA_TRY(
        first_row(within, MICA_STORE_STREAMS, 2, &key, error, &is_here, &here));
    MICA_TRY(first_row(over->other, MICA_STORE_STREAMS, 2, &key, error,
                       &is_there, &there));
    if (!is_here)
        return MICA_OK;
    if (is_there ? !mica_text_equal(here.values[MICA_STREAM_REQUEST].text,
                                    there.values[MICA_STREAM_REQUEST].text)
                 : !mica_text_equal(here.values[MICA_STREAM_CALL].text,
                                    request->values[MICA_REQUEST_CALL].text))
        request->values[MICA_REQUEST_STREAM].number = 0;
    return MICA_OK;
}

// ---- Calls -----------------------------------------------------------------------

static enum mica_status
copy_parts(struct mica_store *within, struct takeover *over,
           union mica_store_value id, struct mica_error *error)
{
    struct mica_store_rows rows;
    size_t copied;

    MICA_TRY(copy_rows(within, over, MICA_STORE_JOURNALS, 0, id, error, &rows,
                       &copied));
    MICA_TRY(copy_rows(within, over, MICA_STORE_ROUNDS, 0, id, error, &rows,
                       &copied));
    MICA_TRY(mica_store_add(within, MICA_COUNT_ROUNDS, (int64_t)copied, error));
    return copy_rows(within, over, MICA_STORE_CALL_KEYS, 1, id, error, &rows,
                     &copied);
}

// What was asked, with its session and its owner.
static enum mica_status
copy_request(struct mica_store *within, struct takeover *over,
             union mica_store_value id, bool open, struct mica_error *error)
{
    struct mica_store_range range = {
        .table = MICA_STORE_REQUESTS, .equal = 1, .limit = 1};
    struct mica_store_rows rows;
    union mica_store_value *values;
    bool answers, there = false;

    range.values[0] = id;
    MICA_TRY(mica_store_scan(over->other, &range, &over->arena, error, &rows));
    if (rows.count == 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "The other store has a part of a call only; run "
                              "\"mica store check\" on it.");
    values = rows.items[0].values;
    answers = open && values[MICA_REQUEST_SESSION].text.len > 0;
    if (answers) {
        MICA_TRY(
            copy_session(within, over, values[MICA_REQUEST_SESSION], error));
        MICA_TRY(mica_store_call_has_session(within, &rows.items[0], over->now,
                                             error, &there));
    }
    if (there)
        MICA_TRY(keep_stream(within, over, &rows.items[0], error));
    MICA_TRY(
        mica_store_insert(within, MICA_STORE_REQUESTS, &rows.items[0], error));
    MICA_TRY(mica_store_caller_add(
        within,
        &(struct mica_store_owner){values[MICA_REQUEST_ISSUER].text,
                                   values[MICA_REQUEST_SUBJECT].text},
        1, error));
    return there ? mica_store_hold(within, &rows.items[0], error) : MICA_OK;
}

// It is not copied when it is here, or is held there.
static enum mica_status
copy_call(struct mica_store *within, struct takeover *over, size_t number,
          struct mica_error *error)
{
    struct mica_store_row row;
    union mica_store_value id;
    enum mica_status status;
    bool found, open;

    over->copied[number] = false;
    MICA_TRY(mica_store_call_row(over->other, over->ids[number], error, &found,
                                 &row));
    if (!found ||
        (row.values[MICA_CALL_LEASE].number > over->now &&
         !mica_store_is_dead(over->other, row.values[MICA_CALL_HOLDER].number)))
        return MICA_OK;
    open = !mica_store_call_ended(&row);
    over->rows[number] = row;
    id = row.values[MICA_CALL_ID];
    row.values[MICA_CALL_HOLDER].number = INCOMING;
    row.values[MICA_CALL_LEASE].number = NEVER;
    row.values[MICA_CALL_WAKES].number = NEVER;
    status = mica_store_insert(within, MICA_STORE_CALLS, &row, error);
    if (status == MICA_E_EXISTS)
        return MICA_OK;
    MICA_TRY(status);
    over->copied[number] = true;
    MICA_TRY(copy_request(within, over, id, open, error));
    MICA_TRY(copy_parts(within, over, id, error));
    MICA_TRY(mica_store_add(within, MICA_COUNT_CALLS, 1, error));
    if (open)
        MICA_TRY(mica_store_add(within, MICA_COUNT_OPEN_CALLS, 1, error));
    return mica_store_add(within, MICA_COUNT_CALL_BYTES,
                          row.values[MICA_CALL_BYTES].number, error);
}

// ---- The three steps -------------------------------------------------------------

static enum mica_status
copy_batch(struct mica_store *within, void *user, struct mica_error *error)
{
    struct takeover *over = user;

    over->session_count = 0;
    for (size_t i = 0; i < over->count; i++)
        MICA_TRY(copy_call(within, over, i, error));
    return MICA_OK;
}

// The fence alone does not tell: a holder whose lease has run out may still commit
// or renew, and a call may be canceled, or expire, without a claim. Each of them
// changes a number of the row.
static bool
is_unchanged(const struct mica_store_row *before,
             const struct mica_store_row *now)
{
    const struct mica_store_layout *layout =
        &mica_store_layouts[MICA_STORE_CALLS];

    for (unsigned i = 0; i < layout->column_count; i++)
        if (layout->columns[i].kind == MICA_STORE_NUMBER &&
            before->values[i].number != now->values[i].number)
            return false;
    return true;
}

static enum mica_status
remove_batch(struct mica_store *within, void *user, struct mica_error *error)
{
    struct takeover *over = user;

    for (size_t i = 0; i < over->count; i++) {
        struct mica_store_row row;
        bool found;
        MICA_TRY(
            mica_store_call_row(within, over->ids[i], error, &found, &row));
        over->gone[i] =
            over->copied[i] && found && is_unchanged(&over->rows[i], &row);
        if (over->gone[i])
            MICA_TRY(mica_store_call_remove(within, &row, over->now, error));
    }
    return MICA_OK;
}

static enum mica_status
free_call(struct mica_store *within, struct mica_store_row *row,
          struct mica_error *error)
{
    row->values[MICA_CALL_HOLDER].number = 0;
    row->values[MICA_CALL_LEASE].number = 0;
    MICA_TRY(mica_store_add(within, MICA_COUNT_TAKEN_OVER, 1, error));
    return mica_store_call_update(
        within, row,
        MICA_COLUMN(MICA_CALL_HOLDER) | MICA_COLUMN(MICA_CALL_LEASE), error);
}

static enum mica_status
settle_batch(struct mica_store *within, void *user, struct mica_error *error)
{
    struct takeover *over = user;

    for (size_t i = 0; i < over->count; i++) {
        struct mica_store_row row;
        bool found;
        MICA_TRY(
            mica_store_call_row(within, over->ids[i], error, &found, &row));
        if (!found || row.values[MICA_CALL_HOLDER].number != INCOMING)
            continue;
        if (over->gone[i])
            MICA_TRY(free_call(within, &row, error));
        else
            MICA_TRY(mica_store_call_remove(within, &row, over->now, error));
    }
    return MICA_OK;
}

static enum mica_status
take_batch(struct takeover *over, struct mica_error *error)
{
    struct mica_store other;
    enum mica_status status;

    if (over->count == 0)
        return MICA_OK;
    MICA_TRY(mica_store_enter(over->from, MICA_STORE_READ, error, &other));
    over->other = &other;
    status = mica_store_leave(
        &other, mica_store_transact(over->to, copy_batch, over, error), error);
    over->other = NULL;
    MICA_TRY(status);
    MICA_TRY(mica_store_transact(over->from, remove_batch, over, error));
    MICA_TRY(mica_store_transact(over->to, settle_batch, over, error));
    for (size_t i = 0; i < over->count; i++) {
        over->taken.calls += over->gone[i];
        over->taken.left += !over->gone[i];
    }
    over->count = 0;
    return MICA_OK;
}

// Calls may be as large as a store takes them, so a batch may need more memory than
// there is for one. No call needs as much.
static bool
can_halve(struct takeover *over, enum mica_status status)
{
    if (status != MICA_E_LIMIT || over->most == 1)
        return false;
    over->most /= 2;
    over->count = 0;
    return true;
}

// ---- What is between two stores --------------------------------------------------

static enum mica_status
find_incoming(struct takeover *over, struct mica_error *error)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .columns = MICA_COLUMN(MICA_CALL_ID),
                                     .limit = over->most,
                                     .condition_count = 1};
    struct mica_store_rows rows;
    struct mica_store within;

    range.conditions[0] = (struct mica_store_condition){
        MICA_CALL_HOLDER, MICA_IS_EQUAL, {.number = INCOMING}};
    MICA_TRY(mica_store_enter(over->to, MICA_STORE_READ, error, &within));
    MICA_TRY(mica_store_leave(
        &within, mica_store_scan(&within, &range, &over->arena, error, &rows),
        error));
    for (over->count = 0; over->count < rows.count; over->count++)
        over->ids[over->count] =
            rows.items[over->count].values[MICA_CALL_ID].text;
    return MICA_OK;
}

static enum mica_status
look_there(struct mica_store *within, void *user, struct mica_error *error)
{
    struct takeover *over = user;

    for (size_t i = 0; i < over->count; i++) {
        struct mica_store_row row;
        bool found;
        MICA_TRY(
            mica_store_call_row(within, over->ids[i], error, &found, &row));
        over->gone[i] = !found;
    }
    return MICA_OK;
}

// What an earlier takeover has left in mid-way.
static enum mica_status
settle_incoming(struct takeover *over, struct mica_error *error)
{
    enum mica_status status;
    bool more = true;

    while (more) {
        mica_arena_reset(&over->arena);
        status = find_incoming(over, error);
        more = over->count == over->most;
        if (status == MICA_OK)
            status = mica_store_transact(over->from, look_there, over, error);
        if (status == MICA_OK)
            status = mica_store_transact(over->to, settle_batch, over, error);
        if (can_halve(over, status))
            more = true;
        else if (status != MICA_OK)
            return status;
    }
    over->count = 0;
    return MICA_OK;
}

// ---- All calls -------------------------------------------------------------------

// `may` may look for files, so it is asked once for each build, not for each call.
static bool
may_take(struct takeover *over, const struct mica_store_build *build)
{
    struct outcome *outcome =
        &over->outcomes[(uint64_t)build->number % OUTCOMES];

    if (outcome->number != build->number) {
        outcome->number = build->number;
        outcome->may = over->may(over->user, build);
    }
    return outcome->may;
}

static enum mica_status
is_mine(struct takeover *over, struct mica_store *within,
        const struct mica_store_row *row, struct mica_error *error,
        bool *mine_out)
{
    struct mica_store_build build;
    bool found;

    MICA_TRY(mica_store_call_build(within, row, NULL, error, &found, &build));
    build.number = // that of a call that has ended is 0
        mica_store_build_number(build.offer, build.target, build.version);
    *mine_out = found && may_take(over, &build);
    return MICA_OK;
}

// Notes those of one page that are taken over.
static enum mica_status
look_at_page(struct takeover *over, struct mica_store *within,
             struct mica_store_walk *walk, struct mica_error *error)
{
    struct mica_store_rows rows;

    MICA_TRY(mica_store_walk_on(within, walk, MICA_ALL_COLUMNS, over->most,
                                error, &rows));
    over->count = 0;
    for (size_t i = 0; i < rows.count; i++) {
        bool mine;
        MICA_TRY(is_mine(over, within, &rows.items[i], error, &mine));
        if (mine)
            over->ids[over->count++] = mica_arena_text(
                &over->arena, rows.items[i].values[MICA_CALL_ID].text);
    }
    if (!over->arena.overflow)
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory to take calls over.");
}

static enum mica_status
take_page(struct takeover *over, struct mica_store_walk *walk,
          struct mica_error *error)
{
    struct mica_store within;

    mica_arena_reset(&over->arena);
    MICA_TRY(mica_store_enter(over->from, MICA_STORE_READ, error, &within));
    MICA_TRY(mica_store_leave(&within, look_at_page(over, &within, walk, error),
                              error));
    return take_batch(over, error);
}

static enum mica_status
take_calls(struct takeover *over, bool ended, struct mica_error *error)
{
    struct mica_store_walk walk =
        mica_store_walk_begin(MICA_CALLS_BY_CREATED, MICA_CALL_CREATED, ended);

    while (walk.more) {
        const struct mica_store_walk before = walk;
        const struct mica_store_taken taken = over->taken;
        enum mica_status status = take_page(over, &walk, error);
        if (can_halve(over, status)) {
            // What a batch has copied before it failed goes back first.
            MICA_TRY(settle_incoming(over, error));
            over->taken = taken;
            walk = before;
        } else if (status != MICA_OK) {
            return status;
        }
    }
    return MICA_OK;
}

// ---- Keys ------------------------------------------------------------------------

static enum mica_status
read_keys(struct takeover *over, struct mica_error *error,
          struct mica_store_rows *keys_out)
{
    const struct mica_store_range all = {.table = MICA_STORE_KEYS,
                                         .limit = SIZE_MAX};
    struct mica_store within;

    MICA_TRY(mica_store_enter(over->from, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within, mica_store_scan(&within, &all, &over->arena, error, keys_out),
        error);
}

struct keys {
    struct mica_store_rows rows;
    struct takeover *over;
};

// A store that has keys of its own keeps those.
static enum mica_status
write_keys(struct mica_store *within, void *user, struct mica_error *error)
{
    const struct keys *keys = user;
    int64_t have;

    MICA_TRY(mica_store_total(within, MICA_COUNT_KEYS, error, &have));
    if (have > 0)
        return MICA_OK;
    for (size_t i = 0; i < keys->rows.count; i++)
        MICA_TRY(mica_store_insert(within, MICA_STORE_KEYS,
                                   &keys->rows.items[i], error));
    keys->over->taken.keys = keys->rows.count;
    return mica_store_add(within, MICA_COUNT_KEYS, (int64_t)keys->rows.count,
                          error);
}

// So that a state that a client holds opens here, too.
static enum mica_status
take_keys(struct takeover *over, struct mica_error *error)
{
    struct keys keys = {.over = over};
    enum mica_status status;

    MICA_TRY(read_keys(over, error, &keys.rows));
    status = mica_store_transact(over->to, write_keys, &keys, error);
    for (size_t i = 0; i < keys.rows.count; i++) {
        struct mica_text secret =
            keys.rows.items[i].values[MICA_KEY_SECRET].text;
        sodium_memzero((char *)(uintptr_t)secret.ptr, secret.len);
    }
    return status;
}

static enum mica_status
take_over(struct takeover *over, struct mica_error *error)
{
    MICA_TRY(settle_incoming(over, error));
    MICA_TRY(take_keys(over, error));
    MICA_TRY(take_calls(over, false, error));
    return take_calls(over, true, error);
}

// ---- One at a time ---------------------------------------------------------------

static enum mica_status
try_lock(struct mica_store *to, struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(to, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within, within.backend->lock_takeover(within.connection, error),
        error);
}

// Waits for another takeover as long as for others who use the store.
static enum mica_status
lock(struct mica_store *to, struct mica_error *error)
{
    const struct timespec pause = {.tv_nsec = LOCK_POLL_MS * 1000000L};
    uint64_t end =
        mica_store_clock_ns() + (uint64_t)to->limits.busy_ms * 1000000u;
    enum mica_status status;

    if (to->backend->lock_takeover == NULL)
        return MICA_OK;
    while ((status = try_lock(to, error)) == MICA_E_BUSY &&
           mica_store_clock_ns() < end)
        (void)nanosleep(&pause, NULL);
    return status;
}

static enum mica_status
take_over_alone(struct takeover *over, struct mica_error *error)
{
    enum mica_status status;

    MICA_TRY(lock(over->to, error));
    status = take_over(over, error);
    if (over->to->backend->unlock_takeover != NULL)
        over->to->backend->unlock_takeover(over->to->self);
    return status;
}

enum mica_status
mica_store_take_over(struct mica_store *to, struct mica_store *from,
                     bool (*may)(void *user,
                                 const struct mica_store_build *build),
                     void *user, int64_t now, struct mica_error *error,
                     struct mica_store_taken *taken_out)
{
    struct takeover *over = calloc(1, sizeof *over);
    enum mica_status status;

    if (over == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "No memory is left.");
    over->to = to;
    over->from = from;
    over->may = may;
    over->user = user;
    over->now = now;
    over->most = TAKEN_CALLS;
    mica_arena_init(&over->arena, BATCH_BYTES);
    status = take_over_alone(over, error);
    *taken_out = over->taken;
    mica_arena_fini(&over->arena);
    free(over);
    return status;
}
