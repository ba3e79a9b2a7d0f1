// SPDX-License-Identifier: Apache-2.0
//
// Calls that live longer than one message, in a store: what each was asked, how far it
// has come, and what it has answered.
//
// A process that continues a call claims it: it gets a lease until some time, and a
// fence, a number that rises with each claim. It writes the call under that fence, so of
// two processes that continue the same call one wins and the other writes nothing. When
// a lease has run out another process may claim the call; until one does, the holder may
// still write. The next claim says in call->attempts how many holders were lost.
#ifndef MICA_STORE_STORE_CALLS_H
#define MICA_STORE_STORE_CALLS_H

#include "call/kept_call.h"
#include "store/store_sessions.h"

// Longest id of a call.
#define MICA_STORE_CALL_ID_BYTES 64

// Who is woken has so long to claim a call before others look at it.
#define MICA_STORE_CALL_GRACE_MS 1000

// Keeps a new call, claimed until now + lease_ms; `*call` gets its fence. With a
// `key` (not empty) under which the same owner has begun a call of the same
// target that has not expired: MICA_E_EXISTS, and *call is that one, in `arena`,
// not claimed. Other errors: MICA_E_LIMIT (a limit above; calls without an owner, both
// texts empty, are bounded by those on all calls alone),
// MICA_E_NOT_FOUND (the session), MICA_E_USAGE (the id is in use, or too long).
enum mica_status
mica_store_call_create(struct mica_store *store, struct mica_kept_call *call,
                       struct mica_text key, int64_t now, int64_t lease_ms,
                       struct mica_arena *arena, struct mica_error *error)
    MICA_MUST_USE;

// Reads a call, its texts in `arena`. Errors: MICA_E_NOT_FOUND (unknown,
// expired, or of another owner). `owner` NULL: any owner; a call that is
// still open is then found also when it has expired.
enum mica_status
mica_store_call_find(struct mica_store *store, struct mica_text id,
                     const struct mica_owner *owner, int64_t now,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_kept_call *call_out) MICA_MUST_USE;

// The same, and claims it. One that has ended is found, not claimed. Errors:
// MICA_E_CALL_BUSY (another process has the lease).
enum mica_status
mica_store_call_claim(struct mica_store *store, struct mica_text id,
                      const struct mica_owner *owner, int64_t now,
                      int64_t lease_ms, struct mica_arena *arena,
                      struct mica_error *error, struct mica_kept_call *call_out)
    MICA_MUST_USE;

// The same, unless `may` says that this process cannot run the call: then
// MICA_E_STRANDED, and nothing is written. `may` runs inside the transaction.
enum mica_status mica_store_call_claim_if(
    struct mica_store *store, struct mica_text id,
    const struct mica_owner *owner,
    bool (*may)(void *user, const struct mica_kept_call *call), void *user,
    int64_t now, int64_t lease_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_kept_call *call_out) MICA_MUST_USE;

// The claim with that fence lasts until now + lease_ms; with 0 it is given back.
// Errors: MICA_E_CALL_BUSY (it was lost).
enum mica_status mica_store_call_renew(struct mica_store *store,
                                       struct mica_text id, int64_t fence,
                                       int64_t now, int64_t lease_ms,
                                       struct mica_error *error) MICA_MUST_USE;

// Writes what a commit writes, and the lease as mica_store_call_renew; one that
// gives the claim back also writes call->mode. With a
// `round_reply` (not empty) also that its round was answered with that, for
// `answers` of which a hash is kept, and call->round rises. Of more than
// call_rounds rounds, or when the call would become too large, the oldest go.
// A call that has ended has no lease any more. Errors: MICA_E_CALL_BUSY (the
// claim was lost), MICA_E_LIMIT.
enum mica_status
mica_store_call_commit(struct mica_store *store, struct mica_kept_call *call,
                       struct mica_text answers, struct mica_text round_reply,
                       int64_t now, int64_t lease_ms, struct mica_error *error)
    MICA_MUST_USE;

// What a round was answered with. Errors: MICA_E_NOT_FOUND (no such call, or it
// has not answered that round yet), MICA_E_SUPERSEDED (it had other answers, or
// is too long ago).
enum mica_status
mica_store_call_replay(struct mica_store *store, struct mica_text id,
                       uint32_t round, struct mica_text answers, int64_t now,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_text *reply_out) MICA_MUST_USE;

// What the open asks of an open call have come to: MICA_OK (nothing: they are
// still waited for), MICA_E_TIMEOUT (they are late, or the call has expired),
// MICA_E_DISCONNECTED (its session has ended), MICA_E_CANCELLED. Errors:
// MICA_E_NOT_FOUND.
enum mica_status mica_store_call_ending(struct mica_store *store,
                                        struct mica_text id, int64_t now,
                                        struct mica_error *error,
                                        enum mica_status *ending_out)
    MICA_MUST_USE;

struct mica_store_due {
    struct mica_text *ids; // first those that are late for longest
    enum mica_status *endings;
    size_t count;
    int64_t next; // when there will be more; INT64_MAX
};

// What runs calls: a tool, say, in one build. The number stands for these texts,
// the same in every store.
struct mica_store_build {
    int64_t number;
    struct mica_text endpoint; // its key
    int kind;
    struct mica_text target, version;
    int64_t next; // when the first of its calls is due
};

// All that open calls began with.
struct mica_store_builds {
    struct mica_store_build *items;
    size_t count;
    bool more; // behind the last one
};

// Some of them, by their numbers.
struct mica_store_build_set {
    const int64_t *numbers;
    size_t count;
};

// The builds that open calls have begun with, in `arena` and in the order of their
// numbers; of more than 10,000 the first ones.
enum mica_status mica_store_call_builds(struct mica_store *store,
                                        struct mica_arena *arena,
                                        struct mica_error *error,
                                        struct mica_store_builds *builds_out)
    MICA_MUST_USE;

// The same, of those builds alone whose number is greater than `behind`.
enum mica_status mica_store_call_builds_behind(
    struct mica_store *store, int64_t behind, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_builds *builds_out)
    MICA_MUST_USE;

// At most `limit` (1 to 1000) open calls of these builds, in `arena`, that a process
// has to continue: their asks are late, they have expired, their session has ended,
// or they are WORKING and no process has claimed them for a second. They are not given out
// again, to any process, before now + again_ms, but may be claimed. A claim that is held is
// waited for. What a process cannot run does not stand in its way. Calls of one build
// come first late, first given. Errors: MICA_E_USAGE (another limit).
enum mica_status mica_store_call_due_of(
    struct mica_store *store, const struct mica_store_build_set *builds,
    int64_t now, size_t limit, int64_t again_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_due *due_out) MICA_MUST_USE;

// At most `limit` (1 to 1000) open calls of these builds, in `arena`, that expired
// at `before` or earlier and that no process holds; without endings, and they are
// found again.
enum mica_status
mica_store_call_stranded(struct mica_store *store,
                         const struct mica_store_build_set *builds,
                         int64_t before, int64_t now, size_t limit,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_store_due *stranded_out) MICA_MUST_USE;

// One more call has ended because no process had its build (statistics).
enum mica_status mica_store_count_stranded(struct mica_store *store,
                                           struct mica_error *error)
    MICA_MUST_USE;

// Frees at once what processes have held that have ended: a lock that the system
// lets go of proves it, never a process id. In `*freed_out` how many calls; each is
// due, and its next claim counts a lost holder. Where the file system has no such
// locks, and in memory, nothing happens: leases run out.
enum mica_status mica_store_reap(struct mica_store *store, int64_t now,
                                 struct mica_error *error, size_t *freed_out)
    MICA_MUST_USE;

struct mica_store_calls {
    struct mica_kept_call *items; // without arguments, context, journal, reply
    size_t count;
    struct mica_text
        next; // the next page begins behind this; empty: it was the last
};

// Which calls are listed; what is 0 or empty is not asked about.
struct mica_store_call_filter {
    struct mica_text target;  // exactly this one runs
    struct mica_text subject; // of its owner, whatever the issuer
    enum mica_call_state state;
    int64_t created_from, created_to; // both included
    bool ended; // those that have ended and are kept; else those that are open
};

// Room for a cursor of a list, NUL included.
#define MICA_STORE_CALL_CURSOR_SIZE (MICA_STORE_CALL_ID_BYTES + 24)

// The cursor of the page behind that call.
void mica_store_call_cursor(const struct mica_kept_call *call,
                            char cursor_out[MICA_STORE_CALL_CURSOR_SIZE]);

// At most `limit` (1 to 1000) calls that the filter lets through, those that began
// first at the front, behind a cursor when that is not empty. In `next` the cursor
// of the last one when there are more. A page costs the same wherever it lies.
// Errors: MICA_E_USAGE (another limit, or no cursor).
enum mica_status mica_store_call_page(
    struct mica_store *store, const struct mica_store_call_filter *filter,
    struct mica_text after, size_t limit, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_calls *calls_out) MICA_MUST_USE;

// How many calls the filter lets through.
enum mica_status mica_store_call_count(
    struct mica_store *store, const struct mica_store_call_filter *filter,
    struct mica_error *error, int64_t *count_out) MICA_MUST_USE;

// What mica_store_take_over has done.
struct mica_store_taken {
    size_t calls, sessions, keys;
    size_t left; // calls that a process of the other store holds or has changed
};

// Moves the calls whose build `may` lets through from another store into this one,
// with the sessions in which they answer; keys are copied when this store has none.
// A call can be claimed in one of them at most, wherever the process dies: a second
// takeover continues where the first has ended. Others may use both stores meanwhile; a
// call that they change is left. One process at a time moves calls into a store.
// Errors: MICA_E_BUSY (another has done so for longer than busy_ms).
enum mica_status mica_store_take_over(
    struct mica_store *to, struct mica_store *from,
    bool (*may)(void *user, const struct mica_store_build *build), void *user,
    int64_t now, struct mica_error *error, struct mica_store_taken *taken_out)
    MICA_MUST_USE;

// The open calls that answer on a stream of the session, or with 0 on any, at
// most so many, in `arena`. Of a session that is not there: none.
#define MICA_STORE_ANSWERING 256
struct mica_store_answering {
    struct mica_text *ids;
    int64_t *streams;
    size_t count;
};
enum mica_status
mica_store_answering(struct mica_store *store,
                     const struct mica_store_session_key *key, int64_t stream,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_store_answering *answering_out) MICA_MUST_USE;

// Its client wants no more of it: an open call is due at once, and its asks have
// come to MICA_E_CANCELLED, whatever a claim that is held now commits but its end.
// One that has ended stays as it is. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_call_cancel(struct mica_store *store,
                                        struct mica_text id,
                                        struct mica_error *error) MICA_MUST_USE;

// Expires it now: an open call is due, one that has ended is deleted. Errors:
// MICA_E_NOT_FOUND.
enum mica_status mica_store_call_expire(struct mica_store *store,
                                        struct mica_text id, int64_t now,
                                        struct mica_error *error) MICA_MUST_USE;

// Deletes it as it is, with no clean-up of what it has done; who holds it loses
// his claim. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_call_delete(struct mica_store *store,
                                        struct mica_text id, int64_t now,
                                        struct mica_error *error) MICA_MUST_USE;

#endif
