// SPDX-License-Identifier: Apache-2.0
//
// Calls in a store: their arguments, journals and replies, from the first message to the end.
//
// A process that continues a call claims it. The claim has a lease until some time, and a
// fence, a number that rises with each claim. The process commits the call under that fence,
// so if two processes continue the same call, one wins and the other writes nothing. After
// the lease has expired another process may claim the call; until then the holder may still
// commit. The next claim returns in call->lost_claims how many holders were lost.
#ifndef MICA_STORE_STORE_CALLS_H
#define MICA_STORE_STORE_CALLS_H

#include "call/kept_call.h"
#include "store/store_sessions.h"

// Longest id of a call.
#define MICA_STORE_CALL_ID_BYTES 64

// For so long after a WORKING call is released, the call is not due: the process that wakes it
// claims it first.
#define MICA_STORE_CALL_GRACE_MS 1000

// Creates a call, claimed until now + lease_ms, and sets its fence in *call. If the same owner
// has used the idempotency `key` (not empty) for a call of the same target that has not
// expired, returns MICA_E_EXISTS, and *call is that call, in `arena`, not claimed. Other
// errors: MICA_E_LIMIT (a limit of the store; for calls without an owner, that is with both
// texts empty, only the limits of all calls hold), MICA_E_NOT_FOUND (the session),
// MICA_E_USAGE (the id is in use, or too long).
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

// Reads and claims a call. A call that has ended is read, and not claimed. Errors: those of
// mica_store_call_find, MICA_E_CALL_BUSY (another process has the lease).
enum mica_status
mica_store_call_claim(struct mica_store *store, struct mica_text id,
                      const struct mica_owner *owner, int64_t now,
                      int64_t lease_ms, struct mica_arena *arena,
                      struct mica_error *error, struct mica_kept_call *call_out)
    MICA_MUST_USE;

// Claims the call if `may` returns true for it, or is NULL; otherwise returns MICA_E_STRANDED
// and writes nothing. `may` runs before the transaction of the claim.
enum mica_status mica_store_call_claim_if(
    struct mica_store *store, struct mica_text id,
    const struct mica_owner *owner,
    bool (*may)(void *user, const struct mica_kept_call *call), void *user,
    int64_t now, int64_t lease_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_kept_call *call_out) MICA_MUST_USE;

// Renews the claim with that fence until now + lease_ms; 0 releases it. Errors:
// MICA_E_CALL_BUSY (another process has claimed the call since, or it has ended).
enum mica_status mica_store_call_renew(struct mica_store *store,
                                       struct mica_text id, int64_t fence,
                                       int64_t now, int64_t lease_ms,
                                       struct mica_error *error) MICA_MUST_USE;

// Writes what a commit writes (call/kept_call.h), and renews or releases the claim as
// mica_store_call_renew; a release also writes call->mode. With a `round_reply` (not empty)
// it also writes the reply of the round and a hash of its `answers`, and call->round rises.
// If there are more than call_rounds rounds, or the call would be too large, the oldest
// rounds are removed. The commit of the end of a call releases its claim. Errors:
// MICA_E_CALL_BUSY (as mica_store_call_renew), MICA_E_LIMIT.
enum mica_status
mica_store_call_commit(struct mica_store *store, struct mica_kept_call *call,
                       struct mica_text answers, struct mica_text round_reply,
                       int64_t now, int64_t lease_ms, struct mica_error *error)
    MICA_MUST_USE;

// Reads the reply of a round. Errors: MICA_E_NOT_FOUND (no such call, or the round has no
// reply yet), MICA_E_SUPERSEDED (it had other answers, or the store has removed it).
enum mica_status
mica_store_call_replay(struct mica_store *store, struct mica_text id,
                       uint32_t round, struct mica_text answers, int64_t now,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_text *reply_out) MICA_MUST_USE;

// Reads the outcome of the open asks of an open call: MICA_OK (the call still waits for
// answers), MICA_E_TIMEOUT (they are due, or the call has expired), MICA_E_DISCONNECTED (its
// session has ended), MICA_E_CANCELLED. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_call_ending(struct mica_store *store,
                                        struct mica_text id, int64_t now,
                                        struct mica_error *error,
                                        enum mica_status *ending_out)
    MICA_MUST_USE;

struct mica_store_due {
    struct mica_text *ids; // those that are due for longest come first
    enum mica_status *endings;
    size_t count;
    int64_t next; // when the next call becomes due; INT64_MAX: none
};

// A definition in one build, which runs calls. The number is a hash of these texts, and so the
// same in every store.
struct mica_store_build {
    int64_t number;
    struct mica_text endpoint; // its key
    int kind;
    struct mica_text target, version;
    int64_t next; // when its first call becomes due
};

// The builds of open calls.
struct mica_store_builds {
    struct mica_store_build *items;
    size_t count;
    bool more; // there are more after the last one
};

// A set of builds, by their numbers.
struct mica_store_build_set {
    const int64_t *numbers;
    size_t count;
};

// Reads the builds of open calls, in `arena` and in the order of their numbers; of more than
// 10,000 the first ones.
enum mica_status mica_store_call_builds(struct mica_store *store,
                                        struct mica_arena *arena,
                                        struct mica_error *error,
                                        struct mica_store_builds *builds_out)
    MICA_MUST_USE;

// Reads only builds whose number is greater than `after`.
enum mica_status
mica_store_call_builds_after(struct mica_store *store, int64_t after,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_store_builds *builds_out)
    MICA_MUST_USE;

// Reads at most `limit` (1 to 1000) due calls of these builds, in `arena`: open calls whose
// asks have timed out, that have expired, whose session has ended, or that are WORKING and no
// process has claimed them for a second. No process gets them again before now + again_ms, but
// any may claim them. A claimed call becomes due when its lease expires. Calls of one build
// come in the order in which they became due; other builds do not delay them. Errors:
// MICA_E_USAGE (another limit).
enum mica_status mica_store_call_due_of(
    struct mica_store *store, const struct mica_store_build_set *builds,
    int64_t now, size_t limit, int64_t again_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_due *due_out) MICA_MUST_USE;

// Reads at most `limit` (1 to 1000) open calls of these builds, in `arena`, that expired at
// `before` or earlier and that no process has claimed. Sets no endings; the next search finds
// the same calls again.
enum mica_status
mica_store_call_stranded(struct mica_store *store,
                         const struct mica_store_build_set *builds,
                         int64_t before, int64_t now, size_t limit,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_store_due *stranded_out) MICA_MUST_USE;

// Counts a call that has ended because no process had its build (statistics).
enum mica_status mica_store_count_stranded(struct mica_store *store,
                                           struct mica_error *error)
    MICA_MUST_USE;

// Releases the claims of processes that have ended, as a lock that the system has released
// proves (never a process id). Sets *freed_out to the number of calls; each is due, and its
// next claim counts a lost holder. In memory, and on a file system without such locks, it does
// nothing: the leases expire.
enum mica_status mica_store_reap(struct mica_store *store, int64_t now,
                                 struct mica_error *error, size_t *freed_out)
    MICA_MUST_USE;

struct mica_store_calls {
    struct mica_kept_call *items; // without arguments, context, journal, reply
    size_t count;
    // Cursor of the next page; empty: this is the last page.
    struct mica_text next;
};

// Which calls a list has; a member that is 0 or empty does not filter.
struct mica_store_call_filter {
    struct mica_text target;  // the key of their definition
    struct mica_text subject; // of its owner, whatever the issuer
    enum mica_call_state state;
    int64_t created_from, created_to; // both included
    bool ended; // calls that have ended; otherwise open calls
};

// Bytes of a cursor of a list, NUL included.
#define MICA_STORE_CALL_CURSOR_SIZE (MICA_STORE_CALL_ID_BYTES + 24)

// Makes the cursor of the page after that call.
void mica_store_call_cursor(const struct mica_kept_call *call,
                            char cursor_out[MICA_STORE_CALL_CURSOR_SIZE]);

// Reads at most `limit` (1 to 1000) calls that match the filter, in the order in which they
// began, after the cursor if that is not empty. Sets `next` if there are more. Every page costs
// the same. Errors: MICA_E_USAGE (another limit, or an invalid cursor).
enum mica_status mica_store_call_page(
    struct mica_store *store, const struct mica_store_call_filter *filter,
    struct mica_text after, size_t limit, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_calls *calls_out) MICA_MUST_USE;

// Counts the calls that match the filter.
enum mica_status mica_store_call_count(
    struct mica_store *store, const struct mica_store_call_filter *filter,
    struct mica_error *error, int64_t *count_out) MICA_MUST_USE;

// The result of mica_store_take_over.
struct mica_store_taken {
    size_t calls, sessions, keys;
    size_t left; // calls that stay, as a process has claimed or changed them
};

// Moves the calls for whose build `may` returns true from another store into this one, with
// their sessions; copies the keys if this store has none. Wherever the process dies, a call can
// be claimed in at most one of the stores, and a second takeover continues where the first has
// ended. Other processes may use both stores meanwhile; a call that they change stays. One
// process at a time moves calls into a store. Errors: MICA_E_BUSY (another takeover has run for
// longer than busy_ms).
enum mica_status mica_store_take_over(
    struct mica_store *to, struct mica_store *from,
    bool (*may)(void *user, const struct mica_store_build *build), void *user,
    int64_t now, struct mica_error *error, struct mica_store_taken *taken_out)
    MICA_MUST_USE;

// Reads the open calls that send on a stream of the session (0: on any), at most `limit`, in
// `arena`. An unknown session has none.
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

// Cancels an open call for its client: the call is due at once, and the outcome of its asks is
// MICA_E_CANCELLED. A process that has claimed it now may still commit its end, but nothing
// else prevents the cancel. Has no effect on a call that has ended. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_call_cancel(struct mica_store *store,
                                        struct mica_text id,
                                        struct mica_error *error) MICA_MUST_USE;

// Expires a call now: an open call becomes due, a call that has ended is deleted. Errors:
// MICA_E_NOT_FOUND.
enum mica_status mica_store_call_expire(struct mica_store *store,
                                        struct mica_text id, int64_t now,
                                        struct mica_error *error) MICA_MUST_USE;

// Deletes a call in any state. Its clean-ups do not run, and a process that has claimed it
// loses its claim. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_call_delete(struct mica_store *store,
                                        struct mica_text id, int64_t now,
                                        struct mica_error *error) MICA_MUST_USE;

#endif
