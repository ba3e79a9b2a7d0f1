// SPDX-License-Identifier: Apache-2.0
//
// Moves calls from another store ("there") into this one ("here"), in batches. Two files cannot
// share a transaction, so a batch has three:
//   1. here: copies the calls, claimed by a holder that does not exist;
//   2. there: removes those that have not changed since and that no process has claimed;
//   3. here: releases the copies of removed calls, and removes the other copies.
// Wherever the process dies, a call is free in at most one store: the next takeover begins with
// step 3 for the copies that it finds. A lock keeps a second takeover out while one runs, as it
// would mistake copies in progress for abandoned ones. The sessions of such calls, and all keys,
// are copied and stay there as well (takeover_copy.c).
#include <sodium.h>
#include <stdlib.h>
#include <time.h>

#include "platform/clock.h"
#include "store/store_takeover.h"

enum {
    LOCK_POLL_MS = 20, // between two tries to lock out other takeovers
    KEYS_ARE_HERE = 1
};

// ---- Steps 2 and 3 -----------------------------------------------------------------

// Removes a call with a mark in `token`. ?1 id, ?2 the mark
#define MARKED \
    "SELECT d.number FROM calls AS d WHERE d.id = ?1 AND d.token = ?2"
#define OF_MARKED "c.id = ?1 AND c.token = ?2"
// ?3 now
#define REMOVE_MARKED                                                        \
    {.sql = "UPDATE events SET ages = ?3 WHERE (session, stream) IN"         \
            " (SELECT c.session, c.stream FROM calls AS c WHERE " OF_MARKED  \
            " AND c.ended = 0) AND NOT EXISTS (SELECT 1 FROM calls AS o"     \
            " WHERE o.session = events.session AND o.stream = events.stream" \
            " AND o.held = 1 AND o.id <> ?1)"},                              \
        {.sql = "UPDATE calls SET held = 0"                                  \
                " WHERE id = ?1 AND token = ?2 AND held = 1"},               \
        {.sql =                                                              \
             MICA_STORE_UPDATE_IDLE("(SELECT c.session FROM calls AS c"      \
                                    " WHERE " OF_MARKED " AND c.ended = 0)", \
                                    "?3")},                                  \
        MICA_STORE_REMOVE_CALLS(MARKED)

enum {
    REMOVED = 4 // index of the first step of MICA_STORE_REMOVE_CALLS
};

static void
count_removed(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_calls_removed(store, part->given + REMOVED);
}

static void
count_free(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_TAKEN_OVER,
                     (int64_t)part->given[0].changed);
}

static void
count_key(struct mica_store *store, const struct mica_store_part *part)
{
    (void)part;
    mica_store_count(store, MICA_COUNT_KEYS, 1);
}

// Compares all columns that may change, and not only the fence: a holder with an expired lease
// may still commit or renew, and a call may be cancelled or expired without a claim. ?4 to ?13
// are the columns as they were copied
#define CLAIM_OF(column)                             \
    "coalesce((SELECT k." column " FROM claims AS k" \
    " WHERE k.call = calls.number AND k.fence > calls.fence), 0)"
static const struct mica_store_operation takeover_remove = {
    .name = "takeover_remove",
    .writes = true,
    .takes = "tnnnnnnnnnnnn",
    .steps = {{.sql = "UPDATE calls SET token = ?2 WHERE id = ?1"
                      " AND token = ?4 AND fence = ?5 AND changed = ?6"
                      " AND due = ?7 AND expires = ?8 AND state = ?9"
                      " AND wakes = ?10 AND " CLAIM_OF(
                          "fence") " = ?11"
                                   " AND " CLAIM_OF(
                                       "lease") " = ?12"
                                                " AND " CLAIM_OF(
                                                    "wakes") " = ?13"},
              REMOVE_MARKED},
    .count = count_removed};

#define IS_INCOMING                                                 \
    "EXISTS (SELECT 1 FROM claims AS k WHERE k.call = calls.number" \
    " AND k.holder = " MICA_STORE_INCOMING ")"
static const struct mica_store_operation takeover_drop = {
    .name = "takeover_drop",
    .writes = true,
    .takes = "tnn",
    .steps = {{.sql = "UPDATE calls SET token = ?2 WHERE id = ?1"
                      " AND " IS_INCOMING},
              REMOVE_MARKED},
    .count = count_removed};

static const struct mica_store_operation takeover_free = {
    .name = "takeover_free",
    .writes = true,
    .takes = "t",
    .steps = {{.sql = "UPDATE calls SET wakes = CASE WHEN ended = 1"
                      " THEN expires ELSE " MICA_STORE_NEXT_RUN(
                          "state", "changed", "due",
                          "expires") " END WHERE id = ?1 AND " IS_INCOMING},
              {.sql = "DELETE FROM claims WHERE holder = " MICA_STORE_INCOMING
                      " AND call = (SELECT c.number FROM calls AS c"
                      " WHERE c.id = ?1)"}},
    .count = count_free};

static enum mica_status
remove_batch(struct takeover *over, struct mica_error *error)
{
    over->part_count = 0;
    for (size_t i = 0; i < over->count; i++) {
        const union mica_store_value *seen = over->seen[i];
        const union mica_store_value values[] = {
            MICA_STORE_TEXT(over->ids[i]),
            MICA_STORE_NUMBER(mica_store_token()),
            MICA_STORE_NUMBER(over->now),
            seen[0],
            seen[1],
            seen[2],
            seen[3],
            seen[4],
            seen[5],
            seen[6],
            seen[7],
            seen[8],
            seen[9]};
        over->gone[i] = false;
        over->removals[i] = NULL;
        if (over->copied[i])
            over->removals[i] = mica_takeover_add(over, &takeover_remove,
                                                  values, MICA_COUNT(values));
    }
    MICA_TRY(mica_takeover_perform(over, over->from, error));
    for (size_t i = 0; i < over->count; i++)
        over->gone[i] =
            over->removals[i] != NULL && over->removals[i][0].changed > 0;
    return MICA_OK;
}

static enum mica_status
settle_batch(struct takeover *over, struct mica_error *error)
{
    over->part_count = 0;
    for (size_t i = 0; i < over->count; i++) {
        const union mica_store_value values[] = {
            MICA_STORE_TEXT(over->ids[i]),
            MICA_STORE_NUMBER(mica_store_token()),
            MICA_STORE_NUMBER(over->now)};
        if (over->gone[i])
            (void)mica_takeover_add(over, &takeover_free, values, 1);
        else
            (void)mica_takeover_add(over, &takeover_drop, values,
                                    MICA_COUNT(values));
    }
    return mica_takeover_perform(over, over->to, error);
}

static enum mica_status
move_batch(struct takeover *over, struct mica_error *error)
{
    if (over->count == 0)
        return MICA_OK;
    MICA_TRY(mica_takeover_copy(over, error));
    MICA_TRY(remove_batch(over, error));
    MICA_TRY(settle_batch(over, error));
    for (size_t i = 0; i < over->count; i++) {
        over->taken.calls += over->gone[i];
        over->taken.left += !over->gone[i];
    }
    over->count = 0;
    return MICA_OK;
}

// A batch of large calls may exceed the memory of a batch: then halves the batch size. One call
// alone always fits.
static bool
can_halve(struct takeover *over, enum mica_status status)
{
    if (status != MICA_E_LIMIT || over->most == 1)
        return false;
    over->most /= 2;
    over->count = 0;
    return true;
}

// ---- Copies of an interrupted takeover ---------------------------------------------

static const struct mica_store_operation takeover_incoming = {
    .name = "takeover_incoming",
    .takes = "n",
    .steps = {{.sql = "SELECT c.id FROM claims AS k JOIN calls AS c"
                      " ON c.number = k.call"
                      " WHERE k.holder = " MICA_STORE_INCOMING
                      " ORDER BY c.id LIMIT ?1",
               .gives = "t"}}};

static const struct mica_store_operation takeover_is_there = {
    .name = "takeover_is_there",
    .takes = "t",
    .steps = {{.sql = "SELECT 1 FROM calls WHERE id = ?1", .gives = "n"}}};

static enum mica_status
find_incoming(struct takeover *over, struct mica_error *error)
{
    const union mica_store_value values[] = {
        MICA_STORE_NUMBER((int64_t)over->most)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal;

    over->count = 0;
    MICA_TRY(mica_store_do(over->to, &takeover_incoming, values, given,
                           &over->arena, error, &refusal));
    for (; over->count < given[0].count; over->count++)
        over->ids[over->count] =
            mica_store_given_row(&given[0], over->count)[0].text;
    return MICA_OK;
}

// Finds out which calls of the batch are gone in the other store.
static enum mica_status
find_gone(struct takeover *over, struct mica_error *error)
{
    for (size_t i = 0; i < over->count; i++) {
        const union mica_store_value values[] = {MICA_STORE_TEXT(over->ids[i])};
        struct mica_store_given given[1] = {{.count = 0}};
        unsigned refusal;
        MICA_TRY(mica_store_do(over->from, &takeover_is_there, values, given,
                               &over->arena, error, &refusal));
        over->gone[i] = given[0].count == 0;
    }
    return MICA_OK;
}

// Runs step 3 for the copies that an interrupted takeover has left.
static enum mica_status
settle_incoming(struct takeover *over, struct mica_error *error)
{
    enum mica_status status;
    bool more = true;

    while (more) {
        mica_takeover_reset(over);
        status = find_incoming(over, error);
        more = over->count == over->most;
        if (status == MICA_OK)
            status = find_gone(over, error);
        if (status == MICA_OK)
            status = settle_batch(over, error);
        if (can_halve(over, status))
            more = true;
        else if (status != MICA_OK)
            return status;
    }
    over->count = 0;
    return MICA_OK;
}

// ---- All calls -------------------------------------------------------------------

// ?1 whether they have ended, ?2 and ?3 after this call, ?4 the most
static const struct mica_store_operation takeover_page = {
    .name = "takeover_page",
    .takes = "nntn",
    .steps = {{.sql = "SELECT c.id, c.created, c.offer, c.target, c.version,"
                      " c.endpoint"
                      " FROM calls AS c WHERE c.ended = ?1"
                      " AND (c.created, c.id) > (?2, ?3)"
                      " ORDER BY c.created, c.id LIMIT ?4",
               .gives = "tnnttt"}}};

struct place {
    int64_t created;
    char id[MICA_STORE_CALL_ID_BYTES];
    size_t id_length;
    bool more;
};

// Caches the result of `may` for each build, as it may open files.
static bool
may_move(struct takeover *over, const struct mica_store_build *build)
{
    struct outcome *outcome =
        &over->outcomes[(uint64_t)build->number % MICA_TAKEOVER_OUTCOMES];

    if (outcome->number != build->number) {
        outcome->number = build->number;
        outcome->may = over->may(over->user, build);
    }
    return outcome->may;
}

static bool
is_mine(struct takeover *over, const union mica_store_value *row)
{
    struct mica_store_build build = {.kind = (int)row[2].number,
                                     .target = row[3].text,
                                     .version = row[4].text,
                                     .endpoint = row[5].text};

    build.number = mica_store_build_number(&build);
    return may_move(over, &build);
}

// Reads one page of calls, and notes those to move.
static enum mica_status
read_page(struct takeover *over, bool ended, struct place *place,
          struct mica_error *error)
{
    const union mica_store_value values[] = {
        MICA_STORE_NUMBER(ended), MICA_STORE_NUMBER(place->created),
        MICA_STORE_TEXT(((struct mica_text){place->id, place->id_length})),
        MICA_STORE_NUMBER((int64_t)over->most)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(mica_store_do(over->from, &takeover_page, values, given,
                           &over->arena, error, &refusal));
    over->count = 0;
    place->more = given[0].count == over->most;
    for (size_t i = 0; i < given[0].count; i++) {
        const union mica_store_value *row = mica_store_given_row(&given[0], i);
        if (is_mine(over, row))
            over->ids[over->count++] = row[0].text;
        place->created = row[1].number;
        place->id_length = row[0].text.len < sizeof place->id
                               ? row[0].text.len
                               : sizeof place->id;
        memcpy(place->id, row[0].text.ptr, place->id_length);
    }
    return MICA_OK;
}

static enum mica_status
move_page(struct takeover *over, bool ended, struct place *place,
          struct mica_error *error)
{
    mica_takeover_reset(over);
    MICA_TRY(read_page(over, ended, place, error));
    return move_batch(over, error);
}

static enum mica_status
move_calls(struct takeover *over, bool ended, struct mica_error *error)
{
    struct place place = {.created = INT64_MIN, .more = true};

    while (place.more) {
        const struct place before = place;
        const struct mica_store_taken taken = over->taken;
        enum mica_status status = move_page(over, ended, &place, error);
        if (can_halve(over, status)) {
            // First removes what the batch has copied before it failed.
            MICA_TRY(settle_incoming(over, error));
            over->taken = taken;
            place = before;
        } else if (status != MICA_OK) {
            return status;
        }
    }
    return MICA_OK;
}

// ---- Keys ------------------------------------------------------------------------

static const struct mica_store_operation keys_export = {
    .name = "keys_export",
    .takes = "",
    .steps = {{.sql = "SELECT id, secret, created, retires FROM keys"
                      " ORDER BY id",
               .gives = "nbnn"}}};

static const struct mica_store_operation keys_are_none = {
    .name = "keys_are_none",
    .takes = "",
    .steps = {{.sql = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM keys)",
               .gives = "n",
               .refusal = KEYS_ARE_HERE}}};

static const struct mica_store_operation key_import = {
    .name = "key_import",
    .writes = true,
    .takes = "nbnn",
    .steps = {{.sql = "INSERT INTO keys (id, secret, created, retires)"
                      " VALUES (?1, ?2, ?3, ?4)"}},
    .count = count_key};

// Copies keys only into a store that has none.
static enum mica_status
write_keys(struct takeover *over, const struct mica_store_given *keys,
           struct mica_error *error)
{
    over->part_count = 0;
    (void)mica_takeover_add(over, &keys_are_none, NULL, 0);
    for (size_t i = 0; i < keys->count; i++)
        (void)mica_takeover_add(over, &key_import,
                                mica_store_given_row(keys, i), 4);
    MICA_TRY(mica_takeover_perform(over, over->to, error));
    if (over->refusal != 0)
        return MICA_OK;
    over->taken.keys = keys->count;
    return MICA_OK;
}

// Copies the keys, so that a state that a client carries opens here, too.
static enum mica_status
copy_keys(struct takeover *over, struct mica_error *error)
{
    const union mica_store_value none[1] = {{.number = 0}};
    struct mica_store_given given[1] = {{.count = 0}};
    enum mica_status status;
    unsigned refusal;

    mica_takeover_reset(over);
    MICA_TRY(mica_store_do(over->from, &keys_export, none, given, &over->arena,
                           error, &refusal));
    status = write_keys(over, &given[0], error);
    for (size_t i = 0; i < given[0].count; i++) {
        struct mica_text secret = mica_store_given_row(&given[0], i)[1].text;
        sodium_memzero((char *)(uintptr_t)secret.ptr, secret.len);
    }
    return status;
}

static enum mica_status
take_over(struct takeover *over, struct mica_error *error)
{
    MICA_TRY(settle_incoming(over, error));
    MICA_TRY(copy_keys(over, error));
    MICA_TRY(move_calls(over, false, error));
    return move_calls(over, true, error);
}

// ---- Lock ------------------------------------------------------------------------

// Waits for another takeover for at most busy_ms.
static enum mica_status
store_lock(struct mica_store *to, struct mica_error *error)
{
    const struct timespec pause = {.tv_nsec = LOCK_POLL_MS * 1000000L};
    uint64_t end = mica_clock_ns() + (uint64_t)to->limits.busy_ms * 1000000u;
    enum mica_status status;

    if (to->backend->lock_takeover == NULL)
        return MICA_OK;
    while ((status = to->backend->lock_takeover(to->self, error)) ==
               MICA_E_BUSY &&
           mica_clock_ns() < end)
        (void)nanosleep(&pause, NULL);
    return status;
}

static enum mica_status
take_over_alone(struct takeover *over, struct mica_error *error)
{
    enum mica_status status;

    MICA_TRY(store_lock(over->to, error));
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
    over->most = MICA_TAKEOVER_CALLS;
    mica_arena_init(&over->arena, MICA_TAKEOVER_BYTES);
    status = take_over_alone(over, error);
    *taken_out = over->taken;
    mica_arena_fini(&over->arena);
    free(over);
    return status;
}
