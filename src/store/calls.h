// SPDX-License-Identifier: Apache-2.0
//
// What the files about calls share. A call is found by its row in `calls`; the
// rest of it is read when somebody wants it.
#ifndef MICA_STORE_CALLS_H
#define MICA_STORE_CALLS_H

#include "store/store.h"

// ---- Rows (call_rows.c) ----------------------------------------------------------

// The row of a call, in the scratch arena.
enum mica_status mica_store_call_row(struct mica_store *within,
                                     struct mica_text id,
                                     struct mica_error *error, bool *found_out,
                                     struct mica_store_row *row_out)
    MICA_MUST_USE;

enum mica_status mica_store_no_call(struct mica_error *error);

// In the column of what is due: its client wants no more of the call.
enum {
    MICA_STORE_CALL_GIVEN_UP = -1
};

static inline bool
mica_store_call_ended(const struct mica_store_row *row)
{
    return row->values[MICA_CALL_ENDED].number != 0;
}

// Session and stream, in the columns of `requests`.
enum mica_status mica_store_call_session(struct mica_store *within,
                                         const struct mica_store_row *row,
                                         struct mica_error *error,
                                         struct mica_store_row *request_out)
    MICA_MUST_USE;

// Is the session of that request, if it names one, still there?
enum mica_status mica_store_call_has_session(
    struct mica_store *within, const struct mica_store_row *request,
    int64_t now, struct mica_error *error, bool *there_out) MICA_MUST_USE;

// Writes a set of columns, and when the call has to be looked at next, which
// follows from its state.
enum mica_status mica_store_call_update(struct mica_store *within,
                                        struct mica_store_row *row,
                                        unsigned columns,
                                        struct mica_error *error) MICA_MUST_USE;

// All of it but its rounds. `parts` is a set of columns of `requests` and one of
// `journals`; 0: all.
enum mica_status mica_store_call_read(
    struct mica_store *within, const struct mica_store_row *row,
    unsigned requests, unsigned journals, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_call *call_out) MICA_MUST_USE;

// Bytes of what never changes, and of what a commit writes.
size_t mica_store_call_fixed_bytes(const struct mica_store_call *call);
size_t mica_store_call_turn_bytes(const struct mica_store_call *call);

// Fails unless the texts can be kept.
enum mica_status mica_store_call_check(const struct mica_store_call *call,
                                       struct mica_error *error) MICA_MUST_USE;

// The three rows of a new call that a node holds, and of a turn's end.
enum mica_status mica_store_call_insert(struct mica_store *within,
                                        const struct mica_store_call *call,
                                        int64_t lease, int64_t node,
                                        struct mica_error *error) MICA_MUST_USE;
enum mica_status mica_store_call_write_turn(struct mica_store *within,
                                            const struct mica_store_call *call,
                                            struct mica_error *error)
    MICA_MUST_USE;

// Removes the call of that row with all that it has.
enum mica_status mica_store_call_remove(struct mica_store *within,
                                        const struct mica_store_row *row,
                                        int64_t now, struct mica_error *error)
    MICA_MUST_USE;

// ---- Lists (call_list.c) ---------------------------------------------------------

// Fails unless so many can be read at once.
enum mica_status mica_store_calls_limit(size_t limit, struct mica_error *error)
    MICA_MUST_USE;

// Where a walk over calls is: along an index of two columns, whose first one is
// `first`. A page is a transaction of its own, so that others get at the store in
// between, however many calls there are.
struct mica_store_walk {
    unsigned index;
    unsigned column; // the second one of the index
    int64_t first;
    int64_t number; // of the last row that was read, and its id
    char id[MICA_STORE_CALL_ID_BYTES];
    size_t id_length;
    bool more;
};
struct mica_store_walk mica_store_walk_begin(unsigned index, unsigned column,
                                             int64_t first);

// The next page of at most `limit` rows, in the scratch arena, with the columns of
// that set and those that the walk needs.
enum mica_status
mica_store_walk_on(struct mica_store *within, struct mica_store_walk *walk,
                   unsigned columns, size_t limit, struct mica_error *error,
                   struct mica_store_rows *rows_out) MICA_MUST_USE;

// What runs the call of that row, with texts in `arena`, or the scratch arena when that
// is NULL; `next` is when the call is due. False: only a part of the call is there.
enum mica_status mica_store_call_build(
    struct mica_store *within, const struct mica_store_row *row,
    struct mica_arena *arena, struct mica_error *error, bool *found_out,
    struct mica_store_build *build_out) MICA_MUST_USE;

enum mica_status mica_store_no_calls_memory(struct mica_error *error);

// ---- Owners and keys (callers.c) -------------------------------------------------

// A hash of texts for one purpose. Each counts with its length, so that no two lists of
// texts look the same.
void mica_store_hash_texts(struct mica_text purpose,
                           const struct mica_text *texts, size_t count,
                           unsigned char hash_out[32]);

// May that owner have one more?
enum mica_status mica_store_caller_room(struct mica_store *within,
                                        const struct mica_store_owner *owner,
                                        struct mica_error *error,
                                        bool *room_out) MICA_MUST_USE;

// One more call of that owner, or with -1 one less.
enum mica_status mica_store_caller_add(struct mica_store *within,
                                       const struct mica_store_owner *owner,
                                       int by, struct mica_error *error)
    MICA_MUST_USE;

// By what an idempotency key is kept: a hash of all that it belongs to.
struct mica_store_call_key {
    unsigned char bytes[32];
};
struct mica_store_call_key
mica_store_call_key_of(const struct mica_store_call *call,
                       struct mica_text key);

// The call that was begun under the key and has not expired.
enum mica_status mica_store_call_key_find(struct mica_store *within,
                                          const struct mica_store_call_key *key,
                                          int64_t now, struct mica_error *error,
                                          bool *found_out,
                                          struct mica_store_row *row_out)
    MICA_MUST_USE;

// The key is that call's from now on.
enum mica_status mica_store_call_key_set(struct mica_store *within,
                                         const struct mica_store_call_key *key,
                                         struct mica_text id,
                                         struct mica_error *error)
    MICA_MUST_USE;
enum mica_status mica_store_call_keys_remove(struct mica_store *within,
                                             struct mica_text id,
                                             struct mica_error *error)
    MICA_MUST_USE;

// ---- Rounds (rounds.c) -----------------------------------------------------------

// Records a reply and raises the round of `row`, whose bytes grow.
enum mica_status mica_store_round_add(struct mica_store *within,
                                      struct mica_store_row *row,
                                      struct mica_text answers,
                                      struct mica_text reply,
                                      struct mica_error *error) MICA_MUST_USE;

// The oldest rounds but the newest go while `row` has more bytes than it may.
enum mica_status mica_store_rounds_fit(struct mica_store *within,
                                       struct mica_store_row *row,
                                       struct mica_error *error) MICA_MUST_USE;
enum mica_status mica_store_rounds_remove(struct mica_store *within,
                                          const struct mica_store_row *row,
                                          struct mica_error *error)
    MICA_MUST_USE;

// ---- Holds (holds.c) -------------------------------------------------------------

// The events of the stream do not age while the call is open.
enum mica_status mica_store_hold(struct mica_store *within,
                                 const struct mica_store_row *request,
                                 struct mica_error *error) MICA_MUST_USE;
enum mica_status mica_store_let_go(struct mica_store *within,
                                   const struct mica_store_row *request,
                                   int64_t now, struct mica_error *error)
    MICA_MUST_USE;

// What the open questions of a call come to (call_due.c), as mica_store_call_ending.
enum mica_status mica_store_call_judge(struct mica_store *within,
                                       const struct mica_store_row *row,
                                       int64_t now, struct mica_error *error,
                                       enum mica_status *ending_out)
    MICA_MUST_USE;

#endif
