// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files about calls. A call is one row. While it is claimed, a row in `claims`
// has a higher fence than the call's. Releasing the claim writes its fence into the row of
// the call: then the row of the claim has no meaning.
#ifndef MICA_STORE_CALLS_H
#define MICA_STORE_CALLS_H

#include "store/hashes.h"
#include "store/store.h"

// ---- SQL texts -------------------------------------------------------------------

// In the column `due`: the client has cancelled the call.
enum {
    MICA_STORE_CALL_CANCELLED = -1
};
#define MICA_STORE_CANCELLED "-1"

// CLAIMED: is the call of the row `c` claimed? HELD: and has the lease not expired?
#define MICA_STORE_CLAIMED(c)                             \
    "EXISTS (SELECT 1 FROM claims AS k WHERE k.call = " c \
    ".number AND k.fence > " c ".fence)"
#define MICA_STORE_HELD(c, now)                           \
    "EXISTS (SELECT 1 FROM claims AS k WHERE k.call = " c \
    ".number AND k.fence > " c ".fence AND k.lease > " now ")"

// Has the session of the call ended?
#define MICA_STORE_SESSION_GONE(c, now)                                 \
    "(length(" c ".session) > 0 AND NOT EXISTS (SELECT 1 FROM sessions" \
    " AS x WHERE x.key = " c ".session AND x.expires > " now "))"

// The outcome of its open questions: a number of mica_store_ending.
#define MICA_STORE_ENDING(c, now)                             \
    "CASE WHEN " c ".due = " MICA_STORE_CANCELLED             \
    " THEN 3 WHEN " MICA_STORE_SESSION_GONE(                  \
        c, now) " THEN 2 WHEN " c ".expires <= " now " OR " c \
                ".state = 2 AND " c ".due <= " now " THEN 1 ELSE 0 END"

// When an open call that is not claimed becomes due (column `wakes`), from these columns or
// values. Contains MICA_STORE_CALL_GRACE_MS.
#define MICA_STORE_NEXT_RUN(state, changed, due, expires)               \
    "CASE WHEN " due " = " MICA_STORE_CANCELLED " THEN 0 WHEN " state   \
    " = 1 THEN " changed " + 1000 WHEN " due " < " expires " THEN " due \
    " ELSE " expires " END"
// The same in an UPDATE of `calls`; at once if the session of the call has ended.
#define MICA_STORE_FREE_NEXT_RUN(now, expires)                                \
    "CASE WHEN " MICA_STORE_SESSION_GONE(                                     \
        "calls", now) " THEN 0 ELSE " MICA_STORE_NEXT_RUN("state", "changed", \
                                                          "due",              \
                                                          expires) " END"
_Static_assert(MICA_STORE_CALL_GRACE_MS == 1000, "as in MICA_STORE_NEXT_RUN");
_Static_assert(MICA_CALL_WORKING == 1 && MICA_CALL_WAITING == 2,
               "as in the texts");

// The columns of a call, as mica_store_call_read reads them: all of them, and those of a
// list.
#define MICA_STORE_CALL_HEAD                                           \
    "c.id, c.issuer, c.subject, c.way, c.offer, c.target, c.version,"  \
    " c.session, c.stream, c.created, c.state, c.round, c.changed,"    \
    " c.expires, c.due, c.attempts, c.bytes, c.ended, c.asks, c.note," \
    " c.endpoint"
#define MICA_STORE_CALL_HEAD_KINDS "tttnnttbnnnnnnnnnnttt"
#define MICA_STORE_CALL_COLUMNS \
    MICA_STORE_CALL_HEAD        \
    ", c.arguments, c.context, c.journal, c.reply, c.told"
#define MICA_STORE_CALL_KINDS MICA_STORE_CALL_HEAD_KINDS "ttbtt"
enum {
    MICA_STORE_CALL_ENDED = 17, // index of the column `ended`
    MICA_STORE_CALL_HEAD_WIDTH = 21,
    MICA_STORE_CALL_WIDTH = 26
};

// ---- Read (call_read.c) ------------------------------------------------------------

// Fills a call from MICA_STORE_CALL_COLUMNS, or with `whole` false from
// MICA_STORE_CALL_HEAD.
void mica_store_call_read(const union mica_store_value *values, bool whole,
                          struct mica_kept_call *call_out);

enum mica_status mica_store_ending(int64_t number);
enum mica_status mica_store_no_call(struct mica_error *error);
enum mica_status mica_store_no_calls_memory(struct mica_error *error);

// As mica_store_call_find. Sets *ended_out if the call has ended.
enum mica_status
mica_store_call_find_state(struct mica_store *store, struct mica_text id,
                           const struct mica_owner *owner, int64_t now,
                           struct mica_arena *arena, struct mica_error *error,
                           bool *ended_out, struct mica_kept_call *call_out)
    MICA_MUST_USE;

// ---- Sizes (call_begin.c) ----------------------------------------------------------

// Bytes of the texts that never change, and of those that a commit writes.
size_t mica_store_call_fixed_bytes(const struct mica_kept_call *call);
size_t mica_store_call_turn_bytes(const struct mica_kept_call *call);

// Fails unless the store can store the texts.
enum mica_status mica_store_call_check(const struct mica_kept_call *call,
                                       struct mica_error *error) MICA_MUST_USE;

// Fails unless the limits of all calls allow so many bytes more, and a new call (or NULL).
// Removes expired calls if the limits require it.
enum mica_status mica_store_calls_room(struct mica_store *store,
                                       const struct mica_kept_call *begins,
                                       int64_t bytes, int64_t now,
                                       struct mica_error *error) MICA_MUST_USE;

// A new call as parts of a transaction. It is claimed with a lease; if that is 0, the claim
// is released at once, and answers and round_reply have its first round.
struct mica_store_beginning {
    const struct mica_kept_call *call;
    struct mica_text key, answers, round_reply;
    int64_t now, lease;
    union mica_store_value values[40];
    struct mica_store_given given[2];
    union mica_store_value session[2], owner[2], claim[4], named[3], stream[3];
    unsigned char owner_hash[32], key_hash[32], answers_hash[32];
};
enum {
    MICA_STORE_BEGINNING_PARTS = 6
};
size_t mica_store_beginning_parts(struct mica_store *store,
                                  struct mica_store_beginning *beginning,
                                  struct mica_store_part *parts_out);
enum mica_status mica_store_beginning_refused(struct mica_store *store,
                                              unsigned refusal,
                                              struct mica_error *error);

// ---- Claims (call_claim.c) ---------------------------------------------------------

enum mica_status mica_store_claim_lost(struct mica_error *error);

// ---- Remove (call_remove.c) --------------------------------------------------------

// Removes the calls whose numbers a query returns, with all their rows in other tables,
// which it counts first.
#define MICA_STORE_REMOVE_CALLS(which)                                      \
    {.sql = "SELECT count(*), coalesce(sum(bytes), 0),"                     \
            " coalesce(sum(1 - ended), 0), coalesce(sum(CASE WHEN"          \
            " length(answers) > 0 THEN 1 ELSE 0 END), 0)"                   \
            " FROM calls WHERE number IN (" which ")",                      \
     .gives = "nnnn"},                                                      \
        {.sql = "UPDATE callers SET calls = calls - (SELECT count(*)"       \
                " FROM calls AS gone WHERE gone.owner = callers.owner"      \
                " AND gone.number IN (" which ")) WHERE owner IN (SELECT"   \
                " p.owner FROM calls AS p WHERE p.number IN (" which "))"}, \
        {.sql = "DELETE FROM callers WHERE calls <= 0 AND owner IN (SELECT" \
                " p.owner FROM calls AS p WHERE p.number IN (" which "))"}, \
        {.sql = "DELETE FROM call_keys WHERE call IN (" which ")"},         \
        {.sql = "DELETE FROM claims WHERE call IN (" which ")"},            \
        {.sql = "DELETE FROM rounds WHERE call IN (" which ")"},            \
    {                                                                       \
        .sql = "DELETE FROM calls WHERE number IN (" which ")"              \
    }
enum {
    MICA_STORE_REMOVED_SUMS = 0,
    MICA_STORE_REMOVED_ROUNDS = 5,
    MICA_STORE_REMOVED_CALLS = 6
};

// Subtracts what those steps have removed from the totals.
void mica_store_calls_removed(struct mica_store *store,
                              const struct mica_store_given *given);

// Fails unless `limit` is from 1 to 1000.
enum mica_status mica_store_calls_limit(size_t limit, struct mica_error *error)
    MICA_MUST_USE;

#endif
