// SPDX-License-Identifier: Apache-2.0
//
// Sessions that were read a moment ago, so that a message of a busy session does not
// wait for the store. An entry is 5 seconds old at most; what this process changes
// itself takes effect at once. Any thread may call any function.
#ifndef MICA_STORE_SESSION_CACHE_H
#define MICA_STORE_SESSION_CACHE_H

#include "store/store_sessions.h"

enum {
    MICA_SESSION_CACHE_AGE_MS = 5000, // then the store is read again
    MICA_SESSION_CACHE_GONE_MS =
        1000, // the same of a session that is not there
    MICA_SESSION_CACHE_ENTRIES = 4096,    // sessions
    MICA_SESSION_CACHE_BYTES = 4 << 20,   // of all of them
    MICA_SESSION_CACHE_GONE_ENTRIES = 256 // sessions that are not there
};

struct mica_session_cache;

// NULL for want of memory.
struct mica_session_cache *mica_session_cache_open(void);

// `*cache` may be NULL, and is NULL afterwards.
void mica_session_cache_close(struct mica_session_cache **cache);

// What the cache knows of the session of `key` for `owner`.
enum mica_session_known {
    MICA_SESSION_NOT_KNOWN, // the store has to be asked
    MICA_SESSION_FOUND,     // `*session_out`, its texts in `arena`
    MICA_SESSION_GONE       // there is no such session, or another owner has it
};

enum mica_session_known mica_session_cache_find(
    struct mica_session_cache *cache, const struct mica_store_session_key *key,
    const struct mica_owner *owner, int64_t now, struct mica_arena *arena,
    struct mica_store_session *session_out);

// A number to take before the store is read, and to keep the result with: when a
// session has been forgotten in between, nothing is kept.
uint64_t mica_session_cache_mark(struct mica_session_cache *cache);

// Keeps the answer of the store at `now`: `session`, or NULL when `owner` has no such
// session.
void mica_session_cache_keep(struct mica_session_cache *cache, uint64_t mark,
                             const struct mica_store_session_key *key,
                             const struct mica_owner *owner, int64_t now,
                             const struct mica_store_session *session);

// The session has changed, or has ended.
void mica_session_cache_forget(struct mica_session_cache *cache,
                               const struct mica_store_session_key *key);

// Any session may have ended.
void mica_session_cache_clear(struct mica_session_cache *cache);

#endif
