// SPDX-License-Identifier: Apache-2.0
//
// What the families of operations share. Not for other folders; they include
// <mica/store.h>.
#ifndef MICA_STORE_STORE_H
#define MICA_STORE_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "store/backend.h"
#include "store/session_cache.h"
#include "store/store_calls.h"
#include "store/store_changes.h"
#include "store/store_keys.h"
#include "store/store_sessions.h"
#include "store/store_streams.h"
#include "store/totals.h"

enum {
    MICA_STORE_SOME = 16,     // expired ones that make room at once
    MICA_STORE_SWEEP = 1000,  // most of one kind in one sweep
    MICA_STORE_RELEASED = 64, // claims that are over and still have a row
    MICA_STORE_SCRATCH = 64 << 20
};

struct mica_store {
    const struct mica_store_backend *backend;
    void *self;                       // the back end's object
    struct mica_store_options limits; // defaults filled in
    struct mica_store_totals totals;
    struct mica_session_cache *sessions;
    pthread_mutex_t lock; // of what follows
    // Rows of claims that this process has given back by writing the call alone. The
    // next claim removes them: it writes there anyway.
    int64_t released[MICA_STORE_RELEASED];
    unsigned released_count;
};

// Why a transaction was refused, where its parts are of several families.
enum {
    MICA_STORE_NO_SESSION = 20,
    MICA_STORE_ID_IS_USED,
    MICA_STORE_OWNER_IS_FULL,
    MICA_STORE_KEY_IS_USED,
    MICA_STORE_CLAIM_IS_LOST,
    MICA_STORE_NO_STREAM
};

// Fails unless `text` is UTF-8 without U+0000; `what` names it.
enum mica_status mica_store_text(struct mica_text text, const char *what,
                                 struct mica_error *error) MICA_MUST_USE;

// A number that no other operation has.
int64_t mica_store_token(void);

static inline struct mica_text
mica_store_key_text(const struct mica_store_session_key *session_key)
{
    return (struct mica_text){(const char *)session_key->bytes,
                              sizeof session_key->bytes};
}

// The key that a row has. Errors: MICA_E_IO (the file was changed by others).
enum mica_status mica_store_take_key(struct mica_text bytes,
                                     struct mica_error *error,
                                     struct mica_store_session_key *key_out)
    MICA_MUST_USE;

// ---- Nodes (nodes.c) -------------------------------------------------------------

// The number of this process, which others see to be alive; 0: they cannot.
int64_t mica_store_node(struct mica_store *store);

bool mica_store_is_dead(struct mica_store *store, int64_t node);

// Has no other process the store open? `*died_out`: one has ended that had.
bool mica_store_is_alone(struct mica_store *store, bool *died_out);

// ---- Sessions --------------------------------------------------------------------

enum mica_status mica_store_no_session(struct mica_error *error);

// The SQL text that says since when a session is idle, `key` and `now` being values or
// expressions. While a call answers in it: never. Else since the last lease of its open
// streams, or of a stream that its process has open.
#define MICA_STORE_SETTLE(key_, now)                                    \
    "UPDATE sessions SET idle = CASE WHEN EXISTS"                       \
    " (SELECT 1 FROM calls AS c WHERE c.session = sessions.key"         \
    " AND c.held = 1) THEN 9223372036854775807 ELSE"                    \
    " (SELECT max(moments.at) FROM (SELECT " now " AS at"               \
    " UNION ALL SELECT sessions.listens"                                \
    " UNION ALL SELECT s.lease FROM streams AS s"                       \
    " WHERE s.session = sessions.key AND s.closed = 0) AS moments) END" \
    " WHERE key = " key_

// ---- Events (streams.c) ----------------------------------------------------------

// Appends to an open stream; ends it.
struct mica_store_append {
    union mica_store_value values[9];
    struct mica_store_given given[4];
};
void mica_store_append_part(struct mica_store *store,
                            const struct mica_store_session_key *key,
                            int64_t stream, int64_t now, struct mica_text data,
                            struct mica_store_append *append,
                            struct mica_store_part *part_out);
struct mica_store_close {
    union mica_store_value values[3];
    struct mica_store_given given[4];
};
void mica_store_close_part(const struct mica_store_session_key *key,
                           int64_t stream, int64_t now,
                           struct mica_store_close *close,
                           struct mica_store_part *part_out);

enum mica_status mica_store_too_large(const struct mica_store *store,
                                      struct mica_text data,
                                      struct mica_error *error);
enum mica_status mica_store_no_stream(int64_t stream, struct mica_error *error);

// Drops events while all streams together have more than they may; at most `limit`.
enum mica_status mica_store_events_trim(struct mica_store *store, int64_t now,
                                        size_t limit, struct mica_error *error,
                                        size_t *removed_out);

// ---- What a sweep removes: at most `limit` of each -------------------------------

enum mica_status mica_store_sessions_expire(struct mica_store *store,
                                            int64_t now, size_t limit,
                                            struct mica_error *error,
                                            size_t *removed_out) MICA_MUST_USE;

// Events that are older than event_age_ms or too many.
enum mica_status mica_store_events_expire(struct mica_store *store, int64_t now,
                                          size_t limit,
                                          struct mica_error *error,
                                          size_t *removed_out) MICA_MUST_USE;

// Changes, oldest first, that were made before `before`; the newest stays, as it has
// the sequence.
enum mica_status mica_store_changes_expire(struct mica_store *store,
                                           int64_t before, size_t limit,
                                           struct mica_error *error,
                                           size_t *removed_out) MICA_MUST_USE;

// Calls that have ended and expired.
enum mica_status mica_store_calls_expire(struct mica_store *store, int64_t now,
                                         size_t limit, struct mica_error *error,
                                         size_t *removed_out) MICA_MUST_USE;
enum mica_status mica_store_keys_expire(struct mica_store *store, int64_t now,
                                        size_t limit, struct mica_error *error,
                                        size_t *removed_out) MICA_MUST_USE;

#endif
