// SPDX-License-Identifier: Apache-2.0
//
// The sessions of older clients in a store, and their subscriptions to resources.
#ifndef MICA_STORE_STORE_SESSIONS_H
#define MICA_STORE_STORE_SESSIONS_H

#include <mica/store.h>

#include "base/owner.h"

// Bytes of the id of a session, NUL included.
#define MICA_STORE_ID_SIZE 44

// Makes an id: 256 random bits in 43 visible ASCII characters.
void mica_store_id_make(char id_out[MICA_STORE_ID_SIZE]);

// The key of a session in a store: a hash of its id. The id itself is a secret of the client,
// and the store does not have it.
struct mica_store_session_key {
    unsigned char bytes[32];
};

// The key of any text that a client sends as an id.
struct mica_store_session_key mica_store_session_key_of(struct mica_text id);

struct mica_store_session {
    struct mica_owner owner;
    struct mica_text revision;     // of the protocol, "2025-11-25"
    struct mica_text client_info;  // JSON as the client sent it, or empty
    struct mica_text capabilities; // JSON as the client sent it, or empty
    int log_level;                 // a number of the caller's; -1: none
    int64_t created, seen, expires;
    // Without an owner: what identifies the client, as its address. Any bytes; the store has a
    // hash of them, and does not return them. Empty: the limit per party does not apply.
    struct mica_text party;
};

// Most bytes of all texts of one session.
#define MICA_STORE_SESSION_BYTES 16384

// Creates a session. If its party (the owner, or .party) has .party_sessions already, ends the
// one of them that has been idle for longest; a session with an open stream or a waiting call
// is not idle. Errors: MICA_E_EXISTS (the key is in use), MICA_E_LIMIT (the store has reached
// its limit of sessions, or the texts are longer than MICA_STORE_SESSION_BYTES),
// MICA_E_SESSIONS (the party has reached its limit, and none of its sessions is idle).
enum mica_status
mica_store_session_create(struct mica_store *store,
                          const struct mica_store_session_key *key,
                          const struct mica_store_session *session,
                          struct mica_error *error) MICA_MUST_USE;

// Finds a session in the cache, without a wait. Returns false if the caller must call
// mica_store_session_find; otherwise *status_out is MICA_OK or MICA_E_NOT_FOUND. It sees changes
// by this process at once, and changes by others after at most 5 seconds; that a session did not
// exist it believes for one second.
bool mica_store_session_known(struct mica_store *store,
                              const struct mica_store_session_key *key,
                              const struct mica_owner *owner, int64_t now,
                              struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_store_session *session_out,
                              enum mica_status *status_out) MICA_MUST_USE;

// Reads a session of `owner`, its texts in `arena`. Errors: MICA_E_NOT_FOUND (unknown, expired,
// ended, or of another owner: always the same message).
enum mica_status
mica_store_session_find(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        const struct mica_owner *owner, int64_t now,
                        struct mica_arena *arena, struct mica_error *error,
                        struct mica_store_session *session_out) MICA_MUST_USE;

// Notes that the session was seen now, and expires at `expires`. It writes, so do not call it
// for each message. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_session_touch(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t now, int64_t expires, struct mica_error *error) MICA_MUST_USE;

// As mica_store_session_touch, and notes that the session has an open stream: it is not idle
// until `until`. Errors: MICA_E_NOT_FOUND.
enum mica_status
mica_store_session_listen(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          int64_t expires, int64_t until,
                          struct mica_error *error) MICA_MUST_USE;

// Sets the log level. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_session_set_log_level(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t now, int log_level, struct mica_error *error) MICA_MUST_USE;

// Ends a session and removes its streams, events and subscriptions; its open calls become due.
// Errors: MICA_E_NOT_FOUND.
enum mica_status
mica_store_session_delete(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          struct mica_error *error) MICA_MUST_USE;

// ---- Subscriptions to resources ------------------------------------------

// Subscribes a session to a resource. A second call has no effect. Errors: MICA_E_NOT_FOUND (the
// session), MICA_E_LIMIT (too many subscriptions of the session, or the URI is too long).
enum mica_status mica_store_subscribe(struct mica_store *store,
                                      const struct mica_store_session_key *key,
                                      struct mica_text uri, int64_t now,
                                      struct mica_error *error) MICA_MUST_USE;

// Ends a subscription. Errors: MICA_E_NOT_FOUND (the session; an unknown subscription is no
// error).
enum mica_status mica_store_unsubscribe(
    struct mica_store *store, const struct mica_store_session_key *key,
    struct mica_text uri, int64_t now, struct mica_error *error) MICA_MUST_USE;

// The keys of sessions.
struct mica_store_subscribers {
    struct mica_store_session_key *keys;
    size_t count;
};

// Reads at most `limit` sessions that subscribe to `uri`, in `arena`: the first ones if `after`
// is NULL, otherwise those after it. If it returns `limit` sessions, there may be more after the
// last of them.
enum mica_status mica_store_subscribers(
    struct mica_store *store, struct mica_text uri,
    const struct mica_store_session_key *after, size_t limit, int64_t now,
    struct mica_arena *arena, struct mica_error *error,
    struct mica_store_subscribers *subscribers_out) MICA_MUST_USE;

#endif
