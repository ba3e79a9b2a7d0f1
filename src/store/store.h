// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of the store's operations. Other folders include <mica/store.h> and the
// store_*.h headers.
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
    // A new row finds its table full: the operation that adds it removes at most so many
    // expired rows of the table first.
    MICA_STORE_EXPIRE_BATCH = 16,
    MICA_STORE_SWEEP = 1000, // most rows of one kind in one sweep
    MICA_STORE_RELEASED = 64 // released claims that still have a row
};

struct mica_store {
    const struct mica_store_backend *backend;
    void *self;                       // the back end's object
    struct mica_store_options limits; // defaults filled in
    struct mica_store_totals totals;
    struct mica_session_cache *sessions;
    pthread_mutex_t lock; // guards the members below
    // Rows of claims that this process has released, which writes only the call. The next
    // claim, which writes to that table anyway, deletes them.
    int64_t released[MICA_STORE_RELEASED];
    unsigned released_count;
};

// Why a transaction with parts from several files was refused.
enum {
    MICA_STORE_NO_SESSION = 20,
    MICA_STORE_ID_IS_USED,
    MICA_STORE_OWNER_IS_FULL,
    MICA_STORE_KEY_IS_USED,
    MICA_STORE_CLAIM_IS_LOST,
    MICA_STORE_NO_STREAM
};

// Fails unless `text` is UTF-8 without U+0000; `what` names it in the message.
enum mica_status mica_store_text(struct mica_text text, const char *what,
                                 struct mica_error *error) MICA_MUST_USE;

// Makes a random number that no other operation has.
int64_t mica_store_token(void);

static inline struct mica_text
mica_store_key_text(const struct mica_store_session_key *session_key)
{
    return (struct mica_text){(const char *)session_key->bytes,
                              sizeof session_key->bytes};
}

// Reads the session key of a row. Errors: MICA_E_IO (another program has changed the file).
enum mica_status mica_store_read_key(struct mica_text bytes,
                                     struct mica_error *error,
                                     struct mica_store_session_key *key_out)
    MICA_MUST_USE;

// ---- Nodes (nodes.c) -------------------------------------------------------------

// The node number of this process, by which others see that it is alive; 0: they cannot.
int64_t mica_store_node(struct mica_store *store);

bool mica_store_is_dead(struct mica_store *store, int64_t node);

// Has no other process the store open? Sets *died_out if a process died with it open.
bool mica_store_is_alone(struct mica_store *store, bool *died_out);

// ---- Sessions --------------------------------------------------------------------

enum mica_status mica_store_no_session(struct mica_error *error);

// SQL for the column `idle` of a session; `key` and `now` are values or expressions. While an
// open call has a stream in the session: INT64_MAX. Otherwise the end of the last lease of its
// open streams, or of mica_store_session_listen.
#define MICA_STORE_UPDATE_IDLE(key_, now)                               \
    "UPDATE sessions SET idle = CASE WHEN EXISTS"                       \
    " (SELECT 1 FROM calls AS c WHERE c.session = sessions.key"         \
    " AND c.held = 1) THEN 9223372036854775807 ELSE"                    \
    " (SELECT max(moments.at) FROM (SELECT " now " AS at"               \
    " UNION ALL SELECT sessions.listens"                                \
    " UNION ALL SELECT s.lease FROM streams AS s"                       \
    " WHERE s.session = sessions.key AND s.closed = 0) AS moments) END" \
    " WHERE key = " key_

// ---- Events (streams.c) ----------------------------------------------------------

// Parts of a transaction: append an event to an open stream, and close the stream.
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

// Removes events, at most `limit`, while all streams together exceed their limit.
enum mica_status mica_store_events_trim(struct mica_store *store, int64_t now,
                                        size_t limit, struct mica_error *error,
                                        size_t *removed_out);

// ---- Parts of a sweep: each removes at most `limit` ------------------------------

enum mica_status mica_store_sessions_expire(struct mica_store *store,
                                            int64_t now, size_t limit,
                                            struct mica_error *error,
                                            size_t *removed_out) MICA_MUST_USE;

// Events that are older than event_age_ms or too many.
enum mica_status mica_store_events_expire(struct mica_store *store, int64_t now,
                                          size_t limit,
                                          struct mica_error *error,
                                          size_t *removed_out) MICA_MUST_USE;

// Changes from before `before`, oldest first; not the newest, as it has the sequence.
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
enum mica_status mica_store_app_usage_expire(struct mica_store *store,
                                             int64_t now, size_t limit,
                                             struct mica_error *error,
                                             size_t *removed_out);

#endif
