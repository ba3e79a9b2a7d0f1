// SPDX-License-Identifier: Apache-2.0
//
// A cache of sessions, so that a message of a busy session does not wait for the store. An
// entry is at most 5 seconds old; changes by this process take effect at once.
//
// Threads: any.
#ifndef MICA_STORE_SESSION_CACHE_H
#define MICA_STORE_SESSION_CACHE_H

#include "store/store_sessions.h"

enum {
    // Of an entry. What another process changes is seen within 5 s, a request included.
    MICA_SESSION_CACHE_AGE_MS = 4900,
    MICA_SESSION_CACHE_GONE_MS = 1000,    // of an entry for an unknown session
    MICA_SESSION_CACHE_ENTRIES = 4096,    // sessions
    MICA_SESSION_CACHE_BYTES = 4 << 20,   // of all sessions
    MICA_SESSION_CACHE_GONE_ENTRIES = 256 // unknown sessions
};

struct mica_session_cache;

// Returns NULL if there is no memory.
struct mica_session_cache *mica_session_cache_open(void);

// `*cache` may be NULL, and is NULL afterwards.
void mica_session_cache_close(struct mica_session_cache **cache);

// What the cache knows of the session of `key` for `owner`.
enum mica_session_known {
    MICA_SESSION_NOT_KNOWN, // only the store knows
    MICA_SESSION_FOUND,     // `*session_out`, its texts in `arena`
    MICA_SESSION_GONE       // there is no such session, or another owner has it
};

enum mica_session_known mica_session_cache_find(
    struct mica_session_cache *cache, const struct mica_store_session_key *key,
    const struct mica_owner *owner, int64_t now, struct mica_arena *arena,
    struct mica_store_session *session_out);

// Call _mark before you read the store, and pass its result to _keep: if a session was
// forgotten in between, _keep does nothing, as what was read may be obsolete.
uint64_t mica_session_cache_mark(struct mica_session_cache *cache);

// Keeps what the store has returned at `now`: `session`, or NULL if `owner` has no such
// session.
void mica_session_cache_keep(struct mica_session_cache *cache, uint64_t mark,
                             const struct mica_store_session_key *key,
                             const struct mica_owner *owner, int64_t now,
                             const struct mica_store_session *session);

// Removes a session that has changed or ended.
void mica_session_cache_forget(struct mica_session_cache *cache,
                               const struct mica_store_session_key *key);

// Removes all sessions, as any of them may have ended.
void mica_session_cache_clear(struct mica_session_cache *cache);

#endif
