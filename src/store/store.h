// SPDX-License-Identifier: Apache-2.0
//
// What the files in front of the back ends share: entering and leaving the
// transaction that each public function is, and steps on rows. Not for other
// folders; they include <mica/store.h>.
#ifndef MICA_STORE_STORE_H
#define MICA_STORE_STORE_H

#include <string.h>

#include "store/backend.h"

enum {
    SCRATCH_BYTES = 64 << 20, // rows that one function looks at
    SWEEP_ROWS = 1000         // most of one kind in one sweep
};

// A store, or the handle of one transaction in it.
struct mica_store {
    const struct mica_store_backend *backend;
    void *self;                       // the back end's object
    struct mica_store_options limits; // defaults filled in
    void *connection;                 // of a transaction; NULL: a store
    struct mica_store *outer;         // of a transaction inside another
    struct mica_arena scratch;        // of a transaction
    enum mica_status broken;          // a write failed: it cannot be committed
};

// Begins the transaction of one function, or joins the one that `store` is.
enum mica_status mica_store_enter(struct mica_store *store,
                                  enum mica_store_access access,
                                  struct mica_error *error,
                                  struct mica_store *within) MICA_MUST_USE;

// Ends what _enter has begun: all of it when `status` is MICA_OK, else nothing.
enum mica_status mica_store_leave(struct mica_store *within,
                                  enum mica_status status,
                                  struct mica_error *error) MICA_MUST_USE;

// ---- Steps ---------------------------------------------------------------------

// The functions of the back end on the transaction `within`.
enum mica_status mica_store_insert(struct mica_store *within,
                                   enum mica_store_table table,
                                   const struct mica_store_row *row,
                                   struct mica_error *error) MICA_MUST_USE;
enum mica_status mica_store_update(struct mica_store *within,
                                   enum mica_store_table table,
                                   unsigned columns,
                                   const struct mica_store_row *row,
                                   struct mica_error *error) MICA_MUST_USE;
enum mica_status mica_store_remove(struct mica_store *within,
                                   enum mica_store_table table, unsigned equal,
                                   const struct mica_store_row *row,
                                   struct mica_error *error,
                                   size_t *removed_out) MICA_MUST_USE;
enum mica_status mica_store_add(struct mica_store *within,
                                enum mica_store_counter counter, int64_t by,
                                struct mica_error *error) MICA_MUST_USE;
enum mica_status mica_store_total(struct mica_store *within,
                                  enum mica_store_counter counter,
                                  struct mica_error *error, int64_t *total_out)
    MICA_MUST_USE;

// In the scratch arena when `arena` is NULL.
enum mica_status
mica_store_scan(struct mica_store *within, const struct mica_store_range *range,
                struct mica_arena *arena, struct mica_error *error,
                struct mica_store_rows *rows_out) MICA_MUST_USE;

// The first row of a range; false in `*found_out` when there is none.
enum mica_status mica_store_first(struct mica_store *within,
                                  struct mica_store_range range,
                                  struct mica_error *error, bool *found_out,
                                  struct mica_store_row *row_out) MICA_MUST_USE;

// Fails unless `text` is UTF-8 without U+0000; `what` names it.
enum mica_status mica_store_text(struct mica_text text, const char *what,
                                 struct mica_error *error) MICA_MUST_USE;

// ---- Nodes (nodes.c) -------------------------------------------------------------

// The number of this process, which others see to be alive; 0: they cannot. In a
// transaction that writes.
enum mica_status mica_store_node(struct mica_store *within, int64_t now,
                                 struct mica_error *error, int64_t *node_out)
    MICA_MUST_USE;

// Has the process of that number ended for certain?
bool mica_store_is_dead(struct mica_store *within, int64_t node);

// ---- Sessions ------------------------------------------------------------------

// The row of a session that has not expired, without its texts when `texts` is
// false. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_session_row(
    struct mica_store *within, const struct mica_store_session_key *key,
    int64_t now, bool texts, struct mica_arena *arena, struct mica_error *error,
    struct mica_store_row *row_out) MICA_MUST_USE;

// Removes the session of that row with all that it has.
enum mica_status mica_store_session_remove(struct mica_store *within,
                                           const struct mica_store_row *row,
                                           struct mica_error *error)
    MICA_MUST_USE;

// Removes at most `limit` sessions that have expired.
enum mica_status mica_store_sessions_expire(struct mica_store *within,
                                            int64_t now, size_t limit,
                                            struct mica_error *error,
                                            size_t *removed_out) MICA_MUST_USE;

// ---- Parties (parties.c) -------------------------------------------------------

// The hash by which a session is counted, in `hash_out`; empty: it is not.
struct mica_text mica_store_party_of(const struct mica_store_session *session,
                                     unsigned char hash_out[32]);

// Room for one more of that party, in place of an idle one if need be. Errors:
// MICA_E_SESSIONS.
enum mica_status mica_store_party_room(struct mica_store *within,
                                       struct mica_text party, int64_t now,
                                       struct mica_error *error) MICA_MUST_USE;

// The party has that many more sessions.
enum mica_status mica_store_party_add(struct mica_store *within,
                                      struct mica_text party, int by,
                                      struct mica_error *error) MICA_MUST_USE;

// Something of that session is open until then at least; INT64_MAX: until it settles.
enum mica_status
mica_store_session_busy(struct mica_store *within, struct mica_text session,
                        int64_t until, struct mica_error *error) MICA_MUST_USE;

// Something of it was closed: since when is it idle?
enum mica_status
mica_store_session_settle(struct mica_store *within, struct mica_text session,
                          int64_t now, struct mica_error *error) MICA_MUST_USE;

// The key that a row has. Errors: MICA_E_IO (the file was changed by others).
enum mica_status mica_store_take_key(struct mica_text bytes,
                                     struct mica_error *error,
                                     struct mica_store_session_key *key_out)
    MICA_MUST_USE;

static inline struct mica_text
mica_store_key_text(const struct mica_store_session_key *key)
{
    return (struct mica_text){(const char *)key->bytes, sizeof key->bytes};
}

// Until when the process that has the stream of that row goes on with it; 0: it has
// ended (streams.c). The row needs the columns of lease and holder.
int64_t mica_store_stream_lease(struct mica_store *within,
                                const struct mica_store_row *stream);

// That call answers on that stream from now on, if it is there (streams.c).
enum mica_status
mica_store_stream_answers(struct mica_store *within, struct mica_text session,
                          int64_t stream, struct mica_text call,
                          struct mica_error *error) MICA_MUST_USE;

// Appends those events to an open stream, and with `closes` ends it. Errors: those of
// mica_store_event_append; some may be written then.
enum mica_status mica_store_stream_say(
    struct mica_store *within, const struct mica_store_session_key *key,
    int64_t number, int64_t now, const struct mica_text *events, size_t count,
    bool closes, struct mica_error *error, int64_t *first_out) MICA_MUST_USE;

// ---- Held streams (holds.c) -----------------------------------------------------

// Does an open call answer on that stream of that session?
enum mica_status mica_store_is_held(struct mica_store *within,
                                    union mica_store_value session,
                                    union mica_store_value stream,
                                    struct mica_error *error, bool *held_out)
    MICA_MUST_USE;

// The session of that row ends: its open calls are due.
enum mica_status mica_store_holds_end(struct mica_store *within,
                                      const struct mica_store_row *session,
                                      struct mica_error *error) MICA_MUST_USE;

// ---- Other things that are swept -------------------------------------------------

// Drops at most `limit` events that are older than event_age_ms or too many.
enum mica_status mica_store_events_expire(struct mica_store *within,
                                          int64_t now, size_t limit,
                                          struct mica_error *error,
                                          size_t *removed_out) MICA_MUST_USE;

// Drops at most `limit` changes, oldest first, that were made before `before`;
// the newest stays, as it has the sequence.
enum mica_status mica_store_changes_expire(struct mica_store *within,
                                           int64_t before, size_t limit,
                                           struct mica_error *error,
                                           size_t *removed_out) MICA_MUST_USE;

// Removes at most `limit` calls that have ended and expired.
enum mica_status mica_store_calls_expire(struct mica_store *within, int64_t now,
                                         size_t limit, struct mica_error *error,
                                         size_t *removed_out) MICA_MUST_USE;
enum mica_status mica_store_keys_expire(struct mica_store *within, int64_t now,
                                        size_t limit, struct mica_error *error,
                                        size_t *removed_out) MICA_MUST_USE;

#endif
