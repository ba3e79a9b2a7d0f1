// SPDX-License-Identifier: Apache-2.0
//
// Claims. The fence rises with every claim, so a commit under an older number fails. After
// its lease has expired a claim holds until another process claims the call: the fence
// decides, not the clock.
#include "store/calls.h"

enum {
    NOT_CLAIMED = 1
};

// ---- Claim ---------------------------------------------------------------------

// Overwrites the row of a claim that has ended, and counts an expired lease. In the row
// `wakes` is when the scheduler looks at the call next, `attempts` the number of claims that
// were lost in a row, and `token` a random number by which a repeated operation finds that
// it was done.
// ?1 id, ?2 now, ?3 lease, ?4 holder, ?5 token, ?6 whether it has to be an owner's,
// ?7 issuer, ?8 subject, ?9 endpoint
static const struct mica_store_operation call_claim = {
    .name = "call_claim",
    .writes = true,
    .takes = "tnnnnnttt",
    .steps =
        {{.sql = "INSERT INTO claims (call, fence, holder, lease, wakes,"
                 " attempts, token) SELECT c.number, c.fence + 1, ?4, ?3, ?3,"
                 " c.attempts, ?5 FROM calls AS c WHERE c.id = ?1"
                 " AND c.ended = 0 AND (c.expires > ?2 OR ?6 = 0) AND (?6 = 0"
                 " OR c.issuer = ?7 AND c.subject = ?8"
                 " AND c.endpoint = ?9) ON CONFLICT (call)"
                 " DO UPDATE SET"
                 " fence = CASE WHEN claims.fence >= excluded.fence"
                 " THEN claims.fence + 1 ELSE excluded.fence END,"
                 " attempts = CASE WHEN claims.fence < excluded.fence"
                 " THEN excluded.attempts WHEN claims.attempts < 4294967295"
                 " THEN claims.attempts + 1 ELSE claims.attempts END,"
                 " holder = excluded.holder, lease = excluded.lease,"
                 " wakes = excluded.wakes, token = excluded.token"
                 " WHERE claims.fence < excluded.fence OR claims.lease <= ?2",
          .refusal = NOT_CLAIMED},
         {.sql = "SELECT k.fence, k.attempts, " MICA_STORE_ENDING(
              "c",
              "?2") ", " MICA_STORE_CALL_COLUMNS
                    " FROM calls AS c JOIN claims AS k ON k.call = c.number"
                    " WHERE c.id = ?1",
          .gives = "nnn" MICA_STORE_CALL_KINDS}},
    .done = {
        .sql = "SELECT k.fence, k.attempts, " MICA_STORE_ENDING(
            "c", "?2") ", " MICA_STORE_CALL_COLUMNS
                       " FROM calls AS c JOIN claims AS k ON k.call = c.number"
                       " WHERE c.id = ?1 AND k.token = ?5",
        .gives = "nnn" MICA_STORE_CALL_KINDS}};

// Deletes the rows of claims that have ended. ?1 and ?2 calls
static const struct mica_store_operation claims_tidy = {
    .name = "claims_tidy",
    .writes = true,
    .takes = "nn",
    .steps = {{.sql = "DELETE FROM claims WHERE call IN (?1, ?2)"
                      " AND fence <= (SELECT c.fence FROM calls AS c"
                      " WHERE c.number = claims.call)"}}};

// The node that has claimed the call with that id.
static const struct mica_store_operation claim_holder = {
    .name = "claim_holder",
    .takes = "tn",
    .steps = {{.sql = "SELECT k.holder FROM calls AS c JOIN claims AS k"
                      " ON k.call = c.number AND k.fence > c.fence"
                      " WHERE c.id = ?1 AND k.lease > ?2",
               .gives = "n"}}};

// Ends the lease now. ?1 id, ?2 now, ?3 holder
static const struct mica_store_operation claim_free = {
    .name = "claim_free",
    .writes = true,
    .takes = "tnn",
    .steps = {{.sql = "UPDATE claims SET lease = ?2, wakes = ?2"
                      " WHERE call = (SELECT c.number FROM calls AS c"
                      " WHERE c.id = ?1) AND holder = ?3 AND lease > ?2"}}};

struct claim {
    struct mica_text id;
    const struct mica_owner *owner;
    bool (*may)(void *user, const struct mica_kept_call *call); // or NULL
    void *user;
    int64_t now, lease_ms;
};

static size_t
pop_released(struct mica_store *store, union mica_store_value values[2])
{
    size_t count = 0;

    values[0].number = values[1].number = 0;
    pthread_mutex_lock(&store->lock);
    while (count < 2 && store->released_count > 0)
        values[count++].number = store->released[--store->released_count];
    pthread_mutex_unlock(&store->lock);
    return count;
}

static enum mica_status
try_claim(struct mica_store *store, const struct claim *claim,
          struct mica_arena *arena, struct mica_error *error,
          unsigned *refusal_out, struct mica_kept_call *call_out)
{
    const struct mica_text none = {"", 0};
    const struct mica_owner *owner = claim->owner;
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(claim->id),
        MICA_STORE_NUMBER(claim->now),
        MICA_STORE_NUMBER(claim->now + claim->lease_ms),
        MICA_STORE_NUMBER(mica_store_node(store)),
        MICA_STORE_NUMBER(mica_store_token()),
        MICA_STORE_NUMBER(owner != NULL),
        MICA_STORE_TEXT(owner != NULL ? owner->issuer : none),
        MICA_STORE_TEXT(owner != NULL ? owner->subject : none),
        MICA_STORE_TEXT(owner != NULL ? owner->endpoint : none)};
    union mica_store_value released[2];
    struct mica_store_given given[2] = {{.count = 0}};
    struct mica_store_part parts[2] = {{&call_claim, values, given}};
    const union mica_store_value *row;
    size_t count = 1;

    if (pop_released(store, released) > 0)
        parts[count++] = (struct mica_store_part){&claims_tidy, released, NULL};
    MICA_TRY(
        mica_store_perform(store, parts, count, arena, error, refusal_out));
    if (*refusal_out != 0)
        return MICA_OK;
    row = mica_store_given_row(&given[given[1].count > 0 ? 1 : 0], 0);
    mica_store_call_read(row + 3, true, call_out);
    call_out->fence = row[0].number;
    call_out->lost_claims = (uint32_t)row[1].number;
    call_out->ending = mica_store_ending(row[2].number);
    return MICA_OK;
}

static enum mica_status
refuse_busy(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_CALL_BUSY, "",
                          "Another request processes the call right now; try "
                          "again in a moment.");
}

// Another process has claimed the call: frees the call if that process has ended.
static enum mica_status
free_if_dead(struct mica_store *store, const struct claim *claim,
             struct mica_error *error)
{
    const union mica_store_value asked[] = {MICA_STORE_TEXT(claim->id),
                                            MICA_STORE_NUMBER(claim->now)};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;
    int64_t holder = 0;
    unsigned refusal;

    mica_arena_init(&arena, 1 << 12);
    status = mica_store_do(store, &claim_holder, asked, given, &arena, error,
                           &refusal);
    if (status == MICA_OK && given[0].count > 0)
        holder = mica_store_given_row(&given[0], 0)[0].number;
    mica_arena_fini(&arena);
    MICA_TRY(status);
    if (!mica_store_is_dead(store, holder))
        return refuse_busy(error);
    const union mica_store_value values[] = {asked[0], asked[1],
                                             MICA_STORE_NUMBER(holder)};
    return mica_store_do(store, &claim_free, values, NULL, NULL, error,
                         &refusal);
}

// The claim failed: finds out whether the call does not exist, has ended, or is claimed by
// another process. MICA_OK: it has ended, or another process that has died had claimed it.
static enum mica_status
explain_refusal(struct mica_store *store, const struct claim *claim,
                struct mica_arena *arena, struct mica_error *error,
                bool *ended_out, struct mica_kept_call *call_out)
{
    MICA_TRY(mica_store_call_find_state(store, claim->id, claim->owner,
                                        claim->now, arena, error, ended_out,
                                        call_out));
    return *ended_out ? MICA_OK : free_if_dead(store, claim, error);
}

static enum mica_status
claim_call(struct mica_store *store, const struct claim *claim,
           struct mica_arena *arena, struct mica_error *error,
           struct mica_kept_call *call_out)
{
    unsigned refusal;
    bool ended = false;

    if (claim->may != NULL) {
        // The build of a call never changes, so another transaction may read it first.
        MICA_TRY(mica_store_call_find_state(store, claim->id, claim->owner,
                                            claim->now, arena, error, &ended,
                                            call_out));
        if (ended)
            return MICA_OK;
        if (!claim->may(claim->user, call_out))
            return mica_error_set(error, MICA_E_STRANDED, "",
                                  "The call began with a build of %.*s that is "
                                  "not here.",
                                  MICA_ARG(call_out->target));
    }
    MICA_TRY(try_claim(store, claim, arena, error, &refusal, call_out));
    if (refusal == 0)
        return MICA_OK;
    MICA_TRY(explain_refusal(store, claim, arena, error, &ended, call_out));
    if (ended)
        return MICA_OK;
    MICA_TRY(try_claim(store, claim, arena, error, &refusal, call_out));
    return refusal == 0 ? MICA_OK : refuse_busy(error);
}

enum mica_status
mica_store_call_claim_if(struct mica_store *store, struct mica_text id,
                         const struct mica_owner *owner,
                         bool (*may)(void *user,
                                     const struct mica_kept_call *call),
                         void *user, int64_t now, int64_t lease_ms,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_kept_call *call_out)
{
    const struct claim claim = {.id = id,
                                .owner = owner,
                                .may = may,
                                .user = user,
                                .now = now,
                                .lease_ms = lease_ms};
    struct mica_kept_call call = {.fence = 0};

    if (lease_ms <= 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A claim has a lease of at least 1 ms.");
    MICA_TRY(claim_call(store, &claim, arena, error, &call));
    *call_out = call;
    return MICA_OK;
}

enum mica_status
mica_store_call_claim(struct mica_store *store, struct mica_text id,
                      const struct mica_owner *owner, int64_t now,
                      int64_t lease_ms, struct mica_arena *arena,
                      struct mica_error *error, struct mica_kept_call *call_out)
{
    return mica_store_call_claim_if(store, id, owner, NULL, NULL, now, lease_ms,
                                    arena, error, call_out);
}

enum mica_status
mica_store_claim_lost(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_CALL_BUSY, "",
                          "The claim on the call was lost: another request "
                          "processes it, or it has ended.");
}

// ---- Renew ---------------------------------------------------------------------

// ?1 id, ?2 fence, ?3 lease
static const struct mica_store_operation claim_renew = {
    .name = "claim_renew",
    .writes = true,
    .takes = "tnn",
    .steps = {{.sql =
                   "UPDATE claims SET lease = ?3, wakes = ?3 WHERE fence = ?2"
                   " AND call = (SELECT c.number FROM calls AS c"
                   " WHERE c.id = ?1 AND c.ended = 0 AND c.fence < ?2)",
               .refusal = MICA_STORE_CLAIM_IS_LOST}}};

// Releases the claim; if the session of the call has ended meanwhile, the call is due.
// ?1 id, ?2 fence, ?3 now
static const struct mica_store_operation claim_release = {
    .name = "claim_release",
    .writes = true,
    .takes = "tnn",
    .steps =
        {{.sql =
              "UPDATE calls SET attempts = (SELECT k.attempts"
              " FROM claims AS k WHERE k.call = calls.number),"
              " fence = ?2, wakes = " MICA_STORE_FREE_NEXT_RUN(
                  "?3",
                  "expires") " WHERE id = ?1 AND ended = 0 AND fence < ?2 AND EXISTS"
                             " (SELECT 1 FROM claims AS k WHERE k.call = calls.number"
                             " AND k.fence = ?2)",
          .refusal = MICA_STORE_CLAIM_IS_LOST},
         {.sql = "DELETE FROM claims WHERE fence = ?2 AND call ="
                 " (SELECT c.number FROM calls AS c WHERE c.id = ?1)"}},
    .done = {.sql = "SELECT 1 FROM calls WHERE id = ?1 AND fence = ?2",
             .gives = "n"}};

enum mica_status
mica_store_call_renew(struct mica_store *store, struct mica_text id,
                      int64_t fence, int64_t now, int64_t lease_ms,
                      struct mica_error *error)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(id),
                                             MICA_STORE_NUMBER(fence),
                                             MICA_STORE_NUMBER(now + lease_ms)};
    struct mica_store_given given[2] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, lease_ms > 0 ? &claim_renew : &claim_release,
                           values, given, NULL, error, &refusal));
    return refusal == 0 ? MICA_OK : mica_store_claim_lost(error);
}
