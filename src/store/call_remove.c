// SPDX-License-Identifier: Apache-2.0
//
// Ends and removes calls: cancelled, expired, deleted, swept.
#include "store/calls.h"

enum {
    NOT_FOUND = 1,
    HAS_ENDED
};

// ---- Cancel ----------------------------------------------------------------------

// A claimed call becomes due when its lease expires.
#define WAKE_CLAIM                                                    \
    {                                                                 \
        .sql = "UPDATE claims SET wakes = lease WHERE call = (SELECT" \
               " c.number FROM calls AS c WHERE c.id = ?1)"           \
    }
static const struct mica_store_operation call_cancel = {
    .name = "call_cancel",
    .writes = true,
    .takes = "t",
    .steps = {{.sql = "UPDATE calls SET due = " MICA_STORE_CANCELLED
                      ", wakes = 0 WHERE id = ?1 AND ended = 0"},
              WAKE_CLAIM,
              {.sql = "SELECT 1 FROM calls WHERE id = ?1",
               .gives = "n",
               .refusal = NOT_FOUND}}};

enum mica_status
mica_store_call_cancel(struct mica_store *store, struct mica_text id,
                       struct mica_error *error)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(id)};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &call_cancel, values, NULL, NULL, error,
                           &refusal));
    return refusal == 0 ? MICA_OK : mica_store_no_call(error);
}

// ---- Remove ----------------------------------------------------------------------

void
mica_store_calls_removed(struct mica_store *store,
                         const struct mica_store_given *given)
{
    const union mica_store_value *sums =
        mica_store_given_row(&given[MICA_STORE_REMOVED_SUMS], 0);

    mica_store_count(store, MICA_COUNT_CALLS, -sums[0].number);
    mica_store_count(store, MICA_COUNT_CALL_BYTES, -sums[1].number);
    mica_store_count(store, MICA_COUNT_OPEN_CALLS, -sums[2].number);
    mica_store_count(store, MICA_COUNT_ROUNDS,
                     -sums[3].number -
                         (int64_t)given[MICA_STORE_REMOVED_ROUNDS].changed);
}

static void
count_removed(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_calls_removed(store, part->given);
}

static void
count_expired(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_calls_removed(store, part->given);
    mica_store_count(store, MICA_COUNT_CALLS_EXPIRED,
                     (int64_t)part->given[MICA_STORE_REMOVED_CALLS].changed);
}

// ?1 id
#define OF_ID "SELECT d.number FROM calls AS d WHERE d.id = ?1"
static const struct mica_store_operation call_remove = {
    .name = "call_remove",
    .writes = true,
    .takes = "tn",
    .steps = {MICA_STORE_REMOVE_CALLS(OF_ID)},
    // Done if the call does not exist.
    .done = {.sql = "SELECT 1 WHERE NOT EXISTS"
                    " (SELECT 1 FROM calls WHERE id = ?1)",
             .gives = "n"},
    .count = count_removed};
static const struct mica_store_operation call_is_there = {
    .name = "call_is_there",
    .takes = "tn",
    .steps = {{.sql = "SELECT 1 FROM calls WHERE id = ?1",
               .gives = "n",
               .refusal = NOT_FOUND}}};

// The events of its stream age from now on. ?1 id, ?2 now
#define ITS_SESSION "(SELECT c.session FROM calls AS c WHERE c.id = ?1)"
static const struct mica_store_operation call_leave = {
    .name = "call_leave",
    .writes = true,
    .takes = "tn",
    .steps = {
        {.sql = "UPDATE events SET ages = ?2 WHERE (session, stream) IN"
                " (SELECT c.session, c.stream FROM calls AS c WHERE c.id = ?1"
                " AND c.ended = 0) AND NOT EXISTS (SELECT 1 FROM calls AS o"
                " WHERE o.session = events.session"
                " AND o.stream = events.stream AND o.held = 1"
                " AND o.id <> ?1)"},
        {.sql = "UPDATE calls SET held = 0 WHERE id = ?1 AND held = 1"},
        {.sql = MICA_STORE_UPDATE_IDLE(ITS_SESSION
                                       " AND EXISTS (SELECT 1 FROM calls AS w"
                                       " WHERE w.id = ?1 AND w.ended = 0)",
                                       "?2")}}};

static enum mica_status
remove_call(struct mica_store *store, struct mica_text id, int64_t now,
            struct mica_error *error)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(id),
                                             MICA_STORE_NUMBER(now)};
    struct mica_store_given given[MICA_STORE_STEPS] = {{.count = 0}};
    const struct mica_store_part parts[] = {{&call_is_there, values, NULL},
                                            {&call_leave, values, NULL},
                                            {&call_remove, values, given}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    mica_arena_init(&arena, 1 << 12);
    status = mica_store_perform(store, parts, MICA_COUNT(parts), &arena, error,
                                &refusal);
    if (status == MICA_OK && refusal != 0)
        status = mica_store_no_call(error);
    mica_arena_fini(&arena);
    return status;
}

enum mica_status
mica_store_call_delete(struct mica_store *store, struct mica_text id,
                       int64_t now, struct mica_error *error)
{
    return remove_call(store, id, now, error);
}

// ---- Expire ----------------------------------------------------------------------

// ?1 id, ?2 now
static const struct mica_store_operation call_expire = {
    .name = "call_expire",
    .writes = true,
    .takes = "tn",
    .steps = {
        {.sql =
             "UPDATE calls SET expires = ?2, wakes = " MICA_STORE_FREE_NEXT_RUN(
                 "?2", "?2") " WHERE id = ?1 AND ended = 0",
         .refusal = HAS_ENDED},
        WAKE_CLAIM}};

enum mica_status
mica_store_call_expire(struct mica_store *store, struct mica_text id,
                       int64_t now, struct mica_error *error)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(id),
                                             MICA_STORE_NUMBER(now)};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &call_expire, values, NULL, NULL, error,
                           &refusal));
    return refusal == 0 ? MICA_OK : remove_call(store, id, now, error);
}

// Calls that have ended and expired. ?1 now, ?2 the most
#define EXPIRED                                                           \
    "SELECT d.number FROM calls AS d WHERE d.build = 0 AND d.wakes <= ?1" \
    " ORDER BY d.wakes, d.id LIMIT ?2"
static const struct mica_store_operation calls_expire = {
    .name = "calls_expire",
    .writes = true,
    .takes = "nn",
    .steps = {MICA_STORE_REMOVE_CALLS(EXPIRED)},
    .count = count_expired};

static const struct mica_store_operation calls_expired = {
    .name = "calls_expired",
    .takes = "nn",
    .steps = {{.sql = "SELECT 1 FROM calls WHERE build = 0 AND wakes <= ?1"
                      " LIMIT 1",
               .gives = "n",
               .refusal = NOT_FOUND}}};

// Rows of ended claims that no later claim has overwritten.
static const struct mica_store_operation claims_sweep = {
    .name = "claims_sweep",
    .writes = true,
    .takes = "",
    .steps = {{.sql = "DELETE FROM claims WHERE NOT EXISTS (SELECT 1"
                      " FROM calls AS c WHERE c.number = claims.call"
                      " AND c.ended = 0 AND c.fence < claims.fence)"
                      " AND holder <> -1"}}};

enum mica_status
mica_store_calls_expire(struct mica_store *store, int64_t now, size_t limit,
                        struct mica_error *error, size_t *removed_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(now),
                                             MICA_STORE_NUMBER((int64_t)limit)};
    struct mica_store_given given[MICA_STORE_STEPS] = {{.count = 0}};
    const struct mica_store_part parts[] = {{&calls_expire, values, given},
                                            {&claims_sweep, values, NULL}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    *removed_out = 0;
    MICA_TRY(mica_store_do(store, &calls_expired, values, NULL, NULL, error,
                           &refusal));
    if (refusal != 0)
        return MICA_OK;
    mica_arena_init(&arena, 1 << 12);
    status = mica_store_perform(store, parts, MICA_COUNT(parts), &arena, error,
                                &refusal);
    if (status == MICA_OK)
        *removed_out = given[MICA_STORE_REMOVED_CALLS].changed;
    mica_arena_fini(&arena);
    return status;
}
