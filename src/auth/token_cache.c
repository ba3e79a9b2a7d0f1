// SPDX-License-Identifier: Apache-2.0
//
// The cache of verified tokens: sets of four entries, chosen by the digest. An
// entry is one piece of memory, replaced as a whole.
#include "auth/token_cache.h"

#include <stdlib.h>
#include <string.h>

enum {
    WAYS = 4,
    SETS = MICA_AUTH_CACHED / WAYS
};

struct mica_cached {
    unsigned char digest[MICA_DIGEST_BYTES];
    uint64_t generation;
    int64_t not_before_ms, expires_ms;
    struct mica_text issuer; // lives longer than the cache
    size_t subject_len, scopes_len, apps_len;
    char texts[]; // subject, then scopes, then apps
};

bool
mica_cache_init(struct mica_cache *cache)
{
    memset(cache, 0, sizeof *cache);
    cache->has_lock = pthread_mutex_init(&cache->lock, NULL) == 0;
    return cache->has_lock;
}

void
mica_cache_fini(struct mica_cache *cache)
{
    for (size_t i = 0; i < MICA_AUTH_CACHED; i++)
        free(cache->entries[i]);
    if (cache->has_lock)
        (void)pthread_mutex_destroy(&cache->lock);
    memset(cache, 0, sizeof *cache);
}

// ---- Looking up ----------------------------------------------------------------

static struct mica_cached **
set_of(struct mica_cache *cache, const unsigned char digest[MICA_DIGEST_BYTES])
{
    size_t set = ((size_t)digest[0] << 8 | digest[1]) % SETS;

    return &cache->entries[set * WAYS];
}

// Copies an entry out, so that it may be replaced the next moment.
static bool
cache_copy(const struct mica_cached *entry, struct mica_arena *arena,
           struct mica_auth_principal *principal_out)
{
    size_t subject = entry->subject_len, scopes = subject + entry->scopes_len,
           all = scopes + entry->apps_len;
    struct mica_text texts =
        mica_arena_text(arena, (struct mica_text){entry->texts, all});

    *principal_out = (struct mica_auth_principal){
        .party = {.issuer = entry->issuer,
                  .subject = mica_text_slice(texts, 0, subject),
                  .scopes = mica_text_slice(texts, subject, scopes)},
        .apps = mica_text_slice(texts, scopes, all),
        .expires_ms = entry->expires_ms};
    return !arena->overflow;
}

bool
mica_cache_find(struct mica_cache *cache,
                const unsigned char digest[MICA_DIGEST_BYTES],
                uint64_t generation, int64_t now_ms, struct mica_arena *arena,
                struct mica_auth_principal *principal_out)
{
    struct mica_cached **set = set_of(cache, digest);
    bool found = false;

    (void)pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < WAYS && !found; i++) {
        const struct mica_cached *entry = set[i];
        found = entry != NULL && entry->generation == generation &&
                now_ms >= entry->not_before_ms && now_ms < entry->expires_ms &&
                memcmp(entry->digest, digest, MICA_DIGEST_BYTES) == 0 &&
                cache_copy(entry, arena, principal_out);
    }
    (void)pthread_mutex_unlock(&cache->lock);
    return found;
}

// ---- Putting in ----------------------------------------------------------------

static struct mica_cached *
cache_make(const struct mica_auth_principal *principal)
{
    struct mica_text subject = principal->party.subject;
    struct mica_text scopes = principal->party.scopes, apps = principal->apps;
    size_t all = subject.len + scopes.len + apps.len;

    if (all > MICA_AUTH_CACHED_BYTES)
        return NULL;
    struct mica_cached *entry = malloc(sizeof *entry + all);
    if (entry == NULL)
        return NULL;
    entry->issuer = principal->party.issuer;
    entry->expires_ms = principal->expires_ms;
    entry->subject_len = subject.len;
    entry->scopes_len = scopes.len;
    entry->apps_len = apps.len;
    memcpy(entry->texts, subject.ptr, subject.len);
    if (scopes.len > 0)
        memcpy(entry->texts + subject.len, scopes.ptr, scopes.len);
    if (apps.len > 0)
        memcpy(entry->texts + subject.len + scopes.len, apps.ptr, apps.len);
    return entry;
}

// The same token's, else one that has expired, else any.
static struct mica_cached **
cache_victim(struct mica_cache *cache, struct mica_cached **set,
             const struct mica_cached *entry)
{
    struct mica_cached **best = &set[cache->turn++ % WAYS];

    for (size_t i = 0; i < WAYS; i++)
        if (set[i] == NULL || set[i]->generation != entry->generation)
            best = &set[i];
    for (size_t i = 0; i < WAYS; i++)
        if (set[i] != NULL &&
            memcmp(set[i]->digest, entry->digest, MICA_DIGEST_BYTES) == 0)
            best = &set[i];
    return best;
}

void
mica_cache_put(struct mica_cache *cache,
               const unsigned char digest[MICA_DIGEST_BYTES],
               uint64_t generation, int64_t not_before_ms,
               const struct mica_auth_principal *principal)
{
    struct mica_cached *entry = cache_make(principal);

    if (entry == NULL)
        return;
    memcpy(entry->digest, digest, MICA_DIGEST_BYTES);
    entry->generation = generation;
    entry->not_before_ms = not_before_ms;
    (void)pthread_mutex_lock(&cache->lock);
    struct mica_cached **place =
        cache_victim(cache, set_of(cache, digest), entry);
    struct mica_cached *old = *place;
    *place = entry;
    (void)pthread_mutex_unlock(&cache->lock);
    free(old);
}
