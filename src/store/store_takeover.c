// SPDX-License-Identifier: Apache-2.0
//
// Takes calls over from another store, in batches. Two files have no transaction in
// common, so a batch has three:
//   1. here: the calls are copied, held by a holder that does not exist;
//   2. there: those that have not changed meanwhile, and are not held, are removed;
//   3. here: what is gone there is free, what is still there is removed here.
// A call is free in one store at most, wherever the process dies: the next takeover
// begins with step 3 for what it finds. Sessions in which such calls answer, and all
// keys, are copied and stay there as well.
#include <sodium.h>
#include <stdlib.h>

#include "store/calls.h"

enum {
    TAKEN_CALLS = 200,      // in one batch
    INCOMING = -1,          // holder of what is between two stores
    BATCH_BYTES = 256 << 20 // of a batch: no call is larger than 4 MiB
};

#define NEVER (INT64_MAX / 2)

struct takeover {
    struct mica_store *to, *from;
    bool (*may)(void *user, const struct mica_store_build *build);
    void *user;
    int64_t now;
    struct mica_arena arena;  // of a batch
    struct mica_store *other; // a transaction of `from`, while it is read
    struct mica_text ids[TAKEN_CALLS];
    bool gone[TAKEN_CALLS]; // from there
    int64_t fences[TAKEN_CALLS];
    size_t count;
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

static enum mica_status
copy_session(struct mica_store *within, struct takeover *over,
             union mica_store_value key, struct mica_error *error)
{
    struct mica_store_rows rows;
    size_t copied;
    int64_t bytes = 0;

    MICA_TRY(copy_rows(within, over, MICA_STORE_SESSIONS, 0, key, error, &rows,
                       &copied));
    if (copied == 0)
        return MICA_OK; // it has ended, or is here
    over->taken.sessions++;
    MICA_TRY(mica_store_party_add(
        within, rows.items[0].values[MICA_SESSION_PARTY].text, 1, error));
    MICA_TRY(mica_store_add(within, MICA_COUNT_SESSIONS, 1, error));
    MICA_TRY(copy_rows(within, over, MICA_STORE_SUBSCRIPTIONS, 0, key, error,
                       &rows, &copied));
    MICA_TRY(mica_store_add(within, MICA_COUNT_SUBSCRIPTIONS, (int64_t)copied,
                            error));
    MICA_TRY(copy_rows(within, over, MICA_STORE_STREAMS, 0, key, error, &rows,
                       &copied));
    MICA_TRY(
        mica_store_add(within, MICA_COUNT_STREAMS, (int64_t)copied, error));
    MICA_TRY(copy_rows(within, over, MICA_STORE_EVENTS, 0, key, error, &rows,
                       &copied));
    for (size_t i = 0; i < rows.count; i++)
        bytes += rows.items[i].values[MICA_EVENT_BYTES].number;
    MICA_TRY(mica_store_add(within, MICA_COUNT_EVENTS, (int64_t)copied, error));
    return mica_store_add(within, MICA_COUNT_EVENT_BYTES, bytes, error);
}

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
    struct mica_store_rows rows;
    const union mica_store_value *values;
    size_t copied;
    bool there;

    MICA_TRY(copy_rows(within, over, MICA_STORE_REQUESTS, 0, id, error, &rows,
                       &copied));
    if (rows.count == 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "The other store has a part of a call only; run "
                              "\"mica store check\" on it.");
    values = rows.items[0].values;
    MICA_TRY(mica_store_caller_add(
        within,
        &(struct mica_store_owner){values[MICA_REQUEST_ISSUER].text,
                                   values[MICA_REQUEST_SUBJECT].text},
        1, error));
    if (!open || values[MICA_REQUEST_SESSION].text.len == 0)
        return MICA_OK;
    MICA_TRY(copy_session(within, over, values[MICA_REQUEST_SESSION], error));
    MICA_TRY(mica_store_call_has_session(within, &rows.items[0], over->now,
                                         error, &there));
    return there ? mica_store_hold(within, &rows.items[0], error) : MICA_OK;
}

// Its fence is -1 when it is not copied: it is here, or is held there.
static enum mica_status
copy_call(struct mica_store *within, struct takeover *over, size_t number,
          struct mica_error *error)
{
    struct mica_store_row row;
    union mica_store_value id;
    enum mica_status status;
    bool found, open;

    over->fences[number] = -1;
    MICA_TRY(mica_store_call_row(over->other, over->ids[number], error, &found,
                                 &row));
    if (!found ||
        (row.values[MICA_CALL_LEASE].number > over->now &&
         !mica_store_is_dead(over->other, row.values[MICA_CALL_HOLDER].number)))
        return MICA_OK;
    open = !mica_store_call_ended(&row);
    over->fences[number] = row.values[MICA_CALL_FENCE].number;
    id = row.values[MICA_CALL_ID];
    row.values[MICA_CALL_HOLDER].number = INCOMING;
    row.values[MICA_CALL_LEASE].number = NEVER;
    row.values[MICA_CALL_WAKES].number = NEVER;
    status = mica_store_insert(within, MICA_STORE_CALLS, &row, error);
    if (status == MICA_E_EXISTS) {
        over->fences[number] = -1;
        return MICA_OK;
    }
    MICA_TRY(status);
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

    for (size_t i = 0; i < over->count; i++)
        MICA_TRY(copy_call(within, over, i, error));
    return MICA_OK;
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
        over->gone[i] = over->fences[i] >= 0 && found &&
                        row.values[MICA_CALL_FENCE].number == over->fences[i];
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

// ---- What is between two stores --------------------------------------------------

static enum mica_status
find_incoming(struct takeover *over, struct mica_error *error)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .columns = MICA_COLUMN(MICA_CALL_ID),
                                     .limit = TAKEN_CALLS,
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
    do {
        mica_arena_reset(&over->arena);
        MICA_TRY(find_incoming(over, error));
        MICA_TRY(mica_store_transact(over->from, look_there, over, error));
        MICA_TRY(mica_store_transact(over->to, settle_batch, over, error));
    } while (over->count == TAKEN_CALLS);
    over->count = 0;
    return MICA_OK;
}

// ---- All calls -------------------------------------------------------------------

static enum mica_status
read_build(struct takeover *over, struct mica_store *within,
           const struct mica_store_row *row, struct mica_error *error,
           bool *mine_out)
{
    struct mica_store_range range = {.table = MICA_STORE_REQUESTS,
                                     .equal = 1,
                                     .columns =
                                         MICA_COLUMN(MICA_REQUEST_OFFER) |
                                         MICA_COLUMN(MICA_REQUEST_TARGET) |
                                         MICA_COLUMN(MICA_REQUEST_VERSION)};
    struct mica_store_build build;
    struct mica_store_row request;
    bool found;

    range.values[0] = row->values[MICA_CALL_ID];
    MICA_TRY(mica_store_first(within, range, error, &found, &request));
    *mine_out = false;
    if (!found)
        return MICA_OK;
    build = (struct mica_store_build){
        .offer = (int)request.values[MICA_REQUEST_OFFER].number,
        .target = request.values[MICA_REQUEST_TARGET].text,
        .version = request.values[MICA_REQUEST_VERSION].text};
    build.number =
        mica_store_build_number(build.offer, build.target, build.version);
    *mine_out = over->may(over->user, &build);
    return MICA_OK;
}

struct page {
    int64_t created; // of the last call that was looked at
    char id[MICA_STORE_CALL_ID_BYTES];
    size_t id_length;
    bool more;
};

// Notes those of one page that are taken over; `page` moves on.
static enum mica_status
look_at_page(struct takeover *over, struct mica_store *within, bool ended,
             struct page *page, struct mica_error *error)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .index = MICA_CALLS_BY_CREATED,
                                     .equal = 1,
                                     .bound = MICA_BOUND_AFTER,
                                     .ties = true,
                                     .limit = TAKEN_CALLS};
    struct mica_store_rows rows;

    range.values[0].number = ended;
    range.values[1].number = page->created;
    range.values[2].text = (struct mica_text){page->id, page->id_length};
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    page->more = rows.count == TAKEN_CALLS;
    over->count = 0;
    for (size_t i = 0; i < rows.count; i++) {
        struct mica_text id = rows.items[i].values[MICA_CALL_ID].text;
        bool mine;
        MICA_TRY(read_build(over, within, &rows.items[i], error, &mine));
        if (mine)
            over->ids[over->count++] = mica_arena_text(&over->arena, id);
        page->created = rows.items[i].values[MICA_CALL_CREATED].number;
        page->id_length = id.len < sizeof page->id ? id.len : sizeof page->id;
        memcpy(page->id, id.ptr, page->id_length);
    }
    if (!over->arena.overflow)
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory to take calls over.");
}

static enum mica_status
take_calls(struct takeover *over, bool ended, struct mica_error *error)
{
    struct page page = {.created = INT64_MIN, .more = true};
    struct mica_store within;

    while (page.more) {
        mica_arena_reset(&over->arena);
        MICA_TRY(mica_store_enter(over->from, MICA_STORE_READ, error, &within));
        MICA_TRY(mica_store_leave(
            &within, look_at_page(over, &within, ended, &page, error), error));
        MICA_TRY(take_batch(over, error));
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
    mica_arena_init(&over->arena, BATCH_BYTES);
    status = take_over(over, error);
    *taken_out = over->taken;
    mica_arena_fini(&over->arena);
    free(over);
    return status;
}
