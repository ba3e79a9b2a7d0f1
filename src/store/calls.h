// SPDX-License-Identifier: Apache-2.0
//
// What the families about calls share. A call is one row; while it is claimed there is
// a row in `claims` whose fence is higher than the call's. A call that is given back has
// the fence of its last claim, whose row is then worth nothing.
#ifndef MICA_STORE_CALLS_H
#define MICA_STORE_CALLS_H

#include "store/hashes.h"
#include "store/store.h"

// ---- SQL texts -------------------------------------------------------------------

// In the column of what is due: its client wants no more of the call.
enum {
    MICA_STORE_CALL_GIVEN_UP = -1
};
#define MICA_STORE_GIVEN_UP "-1"

// Is the call of the row `c` claimed, its lease aside; by a lease that is not over?
#define MICA_STORE_CLAIMED(c)                             \
    "EXISTS (SELECT 1 FROM claims AS k WHERE k.call = " c \
    ".number AND k.fence > " c ".fence)"
#define MICA_STORE_HELD(c, now)                           \
    "EXISTS (SELECT 1 FROM claims AS k WHERE k.call = " c \
    ".number AND k.fence > " c ".fence AND k.lease > " now ")"

// Has the session that it names ended?
#define MICA_STORE_SESSION_GONE(c, now)                                 \
    "(length(" c ".session) > 0 AND NOT EXISTS (SELECT 1 FROM sessions" \
    " AS x WHERE x.key = " c ".session AND x.expires > " now "))"

// What its open questions come to: a number of mica_store_ending.
#define MICA_STORE_ENDING(c, now)                             \
    "CASE WHEN " c ".due = " MICA_STORE_GIVEN_UP              \
    " THEN 3 WHEN " MICA_STORE_SESSION_GONE(                  \
        c, now) " THEN 2 WHEN " c ".expires <= " now " OR " c \
                ".state = 2 AND " c ".due <= " now " THEN 1 ELSE 0 END"

// When an open call that is not claimed has to be looked at, from these columns or
// values. MICA_STORE_CALL_GRACE_MS stands in it.
#define MICA_STORE_NEXT_RUN(state, changed, due, expires)               \
    "CASE WHEN " due " = " MICA_STORE_GIVEN_UP " THEN 0 WHEN " state    \
    " = 1 THEN " changed " + 1000 WHEN " due " < " expires " THEN " due \
    " ELSE " expires " END"
// The same of a row that is updated, of which the session may have ended: then at once.
#define MICA_STORE_FREE_NEXT_RUN(now, expires)                                \
    "CASE WHEN " MICA_STORE_SESSION_GONE(                                     \
        "calls", now) " THEN 0 ELSE " MICA_STORE_NEXT_RUN("state", "changed", \
                                                          "due",              \
                                                          expires) " END"
_Static_assert(MICA_STORE_CALL_GRACE_MS == 1000, "as in MICA_STORE_NEXT_RUN");
_Static_assert(MICA_CALL_WORKING == 1 && MICA_CALL_WAITING == 2,
               "as in the texts");

// The columns of a call, as mica_store_call_take reads them; all of them, and those
// that are listed.
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
    MICA_STORE_CALL_ENDED = 17, // place of the column `ended`
    MICA_STORE_CALL_HEAD_WIDTH = 21,
    MICA_STORE_CALL_WIDTH = 26
};

// ---- Reading (call_read.c) ---------------------------------------------------------

// A call of MICA_STORE_CALL_COLUMNS, or with `whole` false of MICA_STORE_CALL_HEAD.
void mica_store_call_take(const union mica_store_value *values, bool whole,
                          struct mica_kept_call *call_out);

enum mica_status mica_store_ending(int64_t number);
enum mica_status mica_store_no_call(struct mica_error *error);
enum mica_status mica_store_no_calls_memory(struct mica_error *error);

// As mica_store_call_find; `*ended_out`: it has ended.
enum mica_status
mica_store_call_look(struct mica_store *store, struct mica_text id,
                     const struct mica_owner *owner, int64_t now,
                     struct mica_arena *arena, struct mica_error *error,
                     bool *ended_out, struct mica_kept_call *call_out)
    MICA_MUST_USE;

// ---- Sizes (call_begin.c) ----------------------------------------------------------

// Bytes of what never changes, and of what a commit writes.
size_t mica_store_call_fixed_bytes(const struct mica_kept_call *call);
size_t mica_store_call_turn_bytes(const struct mica_kept_call *call);

// Fails unless the texts can be kept.
enum mica_status mica_store_call_check(const struct mica_kept_call *call,
                                       struct mica_error *error) MICA_MUST_USE;

// Room for so many bytes more among all, and for a call that begins (or NULL), if need
// be in place of some that have expired.
enum mica_status mica_store_calls_room(struct mica_store *store,
                                       const struct mica_kept_call *begins,
                                       int64_t bytes, int64_t now,
                                       struct mica_error *error) MICA_MUST_USE;

// A new call as parts of a transaction. Its claim has a lease, unless that is 0: then it
// is given back at once, and what it has answered is in answers and round_reply.
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

// ---- Removing (call_remove.c) ------------------------------------------------------

// Removes the calls of a query of their numbers, with all they have. What stands in a
// row of its own is counted first.
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

// What those steps have given, off the totals.
void mica_store_calls_removed(struct mica_store *store,
                              const struct mica_store_given *given);

// Fails unless so many can be read at once.
enum mica_status mica_store_calls_limit(size_t limit, struct mica_error *error)
    MICA_MUST_USE;

#endif
