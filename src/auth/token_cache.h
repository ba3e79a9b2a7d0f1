// SPDX-License-Identifier: Apache-2.0
//
// Tokens that were verified, by their SHA-256, so that a busy client pays for one
// signature and not for each request. Bounded in number and size; a token that
// does not fit is verified each time. The tokens themselves are not kept.
#ifndef MICA_AUTH_TOKEN_CACHE_H
#define MICA_AUTH_TOKEN_CACHE_H

#include <pthread.h>

#include "auth/auth.h"

enum {
    MICA_DIGEST_BYTES = 32,
    MICA_AUTH_CACHED = 1024,      // tokens, at most
    MICA_AUTH_CACHED_BYTES = 1024 // of one's subject and scopes, at most
};

struct mica_cached; // one token's principal

struct mica_cache {
    pthread_mutex_t lock;
    bool has_lock;
    unsigned turn; // which entry of a full set goes next
    struct mica_cached *entries[MICA_AUTH_CACHED];
};

// False when there is no lock to be had.
bool mica_cache_init(struct mica_cache *cache);
void mica_cache_fini(struct mica_cache *cache);

// The principal of a token that was verified in this generation of the keys, and
// that is valid now: from `not_before_ms` of when it was put in until its expiry.
// Its texts are copied into `arena`.
bool mica_cache_find(struct mica_cache *cache,
                     const unsigned char digest[MICA_DIGEST_BYTES],
                     uint64_t generation, int64_t now_ms,
                     struct mica_arena *arena,
                     struct mica_auth_principal *principal_out);

// Remembers a principal; not at all when it is large or there is no memory.
void mica_cache_put(struct mica_cache *cache,
                    const unsigned char digest[MICA_DIGEST_BYTES],
                    uint64_t generation, int64_t not_before_ms,
                    const struct mica_auth_principal *principal);

#endif
