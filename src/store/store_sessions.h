// SPDX-License-Identifier: Apache-2.0
//
// The sessions of older clients in a store, and the resources that they subscribe to.
#ifndef MICA_STORE_STORE_SESSIONS_H
#define MICA_STORE_STORE_SESSIONS_H

#include <mica/store.h>

#include "base/owner.h"

// Room for the id of a session, NUL included.
#define MICA_STORE_ID_SIZE 44

// A new id: 256 random bits in 43 visible ASCII characters.
void mica_store_id_make(char id_out[MICA_STORE_ID_SIZE]);

// By what a store knows a session: a hash of its id. The id itself is a secret
// of the client and is never stored.
struct mica_store_session_key {
    unsigned char bytes[32];
};

// The key of any text that a client sends as an id.
struct mica_store_session_key mica_store_session_key_of(struct mica_text id);

struct mica_store_session {
    struct mica_owner owner;
    struct mica_text revision;     // of the protocol, "2025-11-25"
    struct mica_text client_info;  // JSON as the client sent it, or empty
    struct mica_text capabilities; // the same
    int log_level;                 // the caller's numbers; -1 for none
    int64_t created, seen, expires;
    // Where there is no owner: by what one client is told from others, as its
    // address; any bytes, of which a hash is kept. Empty: no bound applies.
    // Not read back.
    struct mica_text party;
};

// Longest texts of one session together.
#define MICA_STORE_SESSION_BYTES 16384

// When its party (the owner, or .party) has .party_sessions already, the one of them
// that has been idle for longest ends: a session with an open stream or a call that
// waits is not idle. Errors: MICA_E_EXISTS (the key is in use), MICA_E_LIMIT (as many
// sessions as there may be, or texts longer than MICA_STORE_SESSION_BYTES),
// MICA_E_SESSIONS (as many of that party, and none is idle).
enum mica_status
mica_store_session_create(struct mica_store *store,
                          const struct mica_store_session_key *key,
                          const struct mica_store_session *session,
                          struct mica_error *error) MICA_MUST_USE;

// The same as mica_store_session_find without waiting: false when that has to be called.
// True: `*status_out` is MICA_OK, or MICA_E_NOT_FOUND. What this process changes is
// known at once, what others change after at most 5 seconds; a session that was not
// there is looked for again after one.
bool mica_store_session_known(struct mica_store *store,
                              const struct mica_store_session_key *key,
                              const struct mica_owner *owner, int64_t now,
                              struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_store_session *session_out,
                              enum mica_status *status_out) MICA_MUST_USE;

// The session, if it is `owner`'s; its texts in `arena`. Errors:
// MICA_E_NOT_FOUND (unknown, expired, ended, or of another owner: all the same).
enum mica_status
mica_store_session_find(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        const struct mica_owner *owner, int64_t now,
                        struct mica_arena *arena, struct mica_error *error,
                        struct mica_store_session *session_out) MICA_MUST_USE;

// Seen now; expires at `expires`. It writes, so do it once in a while and not at
// each message. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_session_touch(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t now, int64_t expires, struct mica_error *error) MICA_MUST_USE;

// The same, and a stream of it is open, until `until` as far as other processes know.
// Errors: MICA_E_NOT_FOUND.
enum mica_status
mica_store_session_listen(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          int64_t expires, int64_t until,
                          struct mica_error *error) MICA_MUST_USE;

// Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_session_set_log_level(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t now, int log_level, struct mica_error *error) MICA_MUST_USE;

// Ends it, with its streams, events and subscriptions; its open calls are due.
// Errors: MICA_E_NOT_FOUND.
enum mica_status
mica_store_session_delete(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          struct mica_error *error) MICA_MUST_USE;

// ---- Subscriptions to resources ------------------------------------------

// Subscribing twice is subscribing once. Errors: MICA_E_NOT_FOUND (the session),
// MICA_E_LIMIT (as many as a session may have, or the URI's length).
enum mica_status mica_store_subscribe(struct mica_store *store,
                                      const struct mica_store_session_key *key,
                                      struct mica_text uri, int64_t now,
                                      struct mica_error *error) MICA_MUST_USE;

// Errors: MICA_E_NOT_FOUND (the session; not the subscription).
enum mica_status mica_store_unsubscribe(
    struct mica_store *store, const struct mica_store_session_key *key,
    struct mica_text uri, int64_t now, struct mica_error *error) MICA_MUST_USE;

// Sessions, by their keys.
struct mica_store_subscribers {
    struct mica_store_session_key *keys;
    size_t count;
};

// At most `limit` sessions that subscribe to `uri`, in `arena`: the first ones
// when `after` is NULL, those behind it otherwise. As many as `limit`: there may
// be more, behind the last of them.
enum mica_status mica_store_subscribers(
    struct mica_store *store, struct mica_text uri,
    const struct mica_store_session_key *after, size_t limit, int64_t now,
    struct mica_arena *arena, struct mica_error *error,
    struct mica_store_subscribers *subscribers_out) MICA_MUST_USE;

#endif
