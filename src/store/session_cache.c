// SPDX-License-Identifier: Apache-2.0
//
// Two tables behind one lock. Keys are hashes, so some of their bytes choose the place.
// Sessions that are not there have a table of their own: who asks for many of them
// displaces no session of others.
#include "store/session_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "store/hashes.h"

enum {
    WAYS = 4, // places of a key
    SETS = MICA_SESSION_CACHE_ENTRIES / WAYS,
    TEXTS = 5
};

struct cached_session {
    struct mica_store_session_key key;
    struct mica_store_session session; // its texts are in `texts`
    int64_t read;                      // when
    size_t size;                       // of all this
    char texts[];
};

struct cached_absence {
    struct mica_store_session_key key;
    unsigned char
        owner[MICA_STORE_HASH_BYTES]; // a hash of the caller that asked
    int64_t read;                     // when; 0: the place is free
};

struct mica_session_cache {
    pthread_mutex_t lock; // of all that follows
    uint64_t mark;        // rises when a session is forgotten
    size_t bytes;         // of all sessions
    int64_t tidied;       // when old sessions were dropped last
    struct cached_session *sets[SETS][WAYS];
    struct cached_absence absences[MICA_SESSION_CACHE_GONE_ENTRIES];
};

struct mica_session_cache *
mica_session_cache_open(void)
{
    struct mica_session_cache *cache = calloc(1, sizeof *cache);

    if (cache != NULL)
        pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

// With the lock held.
static void
place_clear(struct mica_session_cache *cache, struct cached_session **place)
{
    if (*place == NULL)
        return;
    cache->bytes -= (*place)->size;
    free(*place);
    *place = NULL;
}

// With the lock held.
static void
places_clear(struct mica_session_cache *cache)
{
    for (size_t i = 0; i < MICA_SESSION_CACHE_ENTRIES; i++)
        place_clear(cache, &cache->sets[i / WAYS][i % WAYS]);
}

void
mica_session_cache_close(struct mica_session_cache **cache)
{
    if (*cache == NULL)
        return;
    places_clear(*cache);
    pthread_mutex_destroy(&(*cache)->lock);
    free(*cache);
    *cache = NULL;
}

// ---- Places --------------------------------------------------------------------

static struct cached_session **
key_places(struct mica_session_cache *cache,
           const struct mica_store_session_key *key)
{
    size_t number = (size_t)key->bytes[0] | (size_t)key->bytes[1] << 8;

    return cache->sets[number % SETS];
}

static struct cached_absence *
key_absence(struct mica_session_cache *cache,
            const struct mica_store_session_key *key)
{
    return &cache->absences[key->bytes[2] % MICA_SESSION_CACHE_GONE_ENTRIES];
}

static bool
keys_equal(const struct mica_store_session_key *a,
           const struct mica_store_session_key *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

// Young enough? A clock that went back makes all of them old.
static bool
is_fresh(int64_t read, int64_t now, int64_t age)
{
    return read <= now && now - read < age;
}

// With the lock held; NULL: it is not there.
static struct cached_session **
session_place(struct mica_session_cache *cache,
              const struct mica_store_session_key *key)
{
    struct cached_session **places = key_places(cache, key);

    for (size_t i = 0; i < WAYS; i++) {
        if (places[i] != NULL && keys_equal(&places[i]->key, key))
            return &places[i];
    }
    return NULL;
}

// ---- Finding -------------------------------------------------------------------

// False for want of memory.
static bool
session_copy(const struct cached_session *cached, struct mica_arena *arena,
             struct mica_store_session *session_out)
{
    struct mica_text *const texts[TEXTS] = {
        &session_out->owner.issuer, &session_out->owner.subject,
        &session_out->revision, &session_out->client_info,
        &session_out->capabilities};

    *session_out = cached->session;
    for (size_t i = 0; i < TEXTS; i++) {
        *texts[i] = mica_arena_text(arena, *texts[i]);
        if (texts[i]->ptr == NULL)
            return false;
    }
    return true;
}

// With the lock held.
static enum mica_session_known
find_absence(struct mica_session_cache *cache,
             const struct mica_store_session_key *key,
             const struct mica_store_owner *owner, int64_t now)
{
    const struct cached_absence *absence = key_absence(cache, key);
    unsigned char asked[MICA_STORE_HASH_BYTES] = {0};

    if (absence->read == 0 || !keys_equal(&absence->key, key) ||
        !is_fresh(absence->read, now, MICA_SESSION_CACHE_GONE_MS))
        return MICA_SESSION_NOT_KNOWN;
    (void)mica_store_caller_of(owner, asked); // without an owner: zeros
    return memcmp(absence->owner, asked, sizeof asked) == 0
               ? MICA_SESSION_GONE
               : MICA_SESSION_NOT_KNOWN;
}

// With the lock held.
static enum mica_session_known
find_session(struct mica_session_cache *cache,
             const struct mica_store_session_key *key,
             const struct mica_store_owner *owner, int64_t now,
             struct mica_arena *arena, struct mica_store_session *session_out)
{
    struct cached_session **place = session_place(cache, key);
    const struct mica_store_session *session;

    if (place == NULL)
        return find_absence(cache, key, owner, now);
    if (!is_fresh((*place)->read, now, MICA_SESSION_CACHE_AGE_MS))
        return MICA_SESSION_NOT_KNOWN;
    session = &(*place)->session;
    if (session->expires <= now ||
        !mica_text_equal(session->owner.issuer, owner->issuer) ||
        !mica_text_equal(session->owner.subject, owner->subject))
        return MICA_SESSION_GONE;
    return session_copy(*place, arena, session_out) ? MICA_SESSION_FOUND
                                                    : MICA_SESSION_NOT_KNOWN;
}

enum mica_session_known
mica_session_cache_find(struct mica_session_cache *cache,
                        const struct mica_store_session_key *key,
                        const struct mica_store_owner *owner, int64_t now,
                        struct mica_arena *arena,
                        struct mica_store_session *session_out)
{
    enum mica_session_known known;

    pthread_mutex_lock(&cache->lock);
    known = find_session(cache, key, owner, now, arena, session_out);
    pthread_mutex_unlock(&cache->lock);
    return known;
}

// ---- Keeping -------------------------------------------------------------------

uint64_t
mica_session_cache_mark(struct mica_session_cache *cache)
{
    uint64_t mark;

    pthread_mutex_lock(&cache->lock);
    mark = cache->mark;
    pthread_mutex_unlock(&cache->lock);
    return mark;
}

static struct cached_session *
session_make(const struct mica_store_session_key *key, int64_t now,
             const struct mica_store_session *session)
{
    const struct mica_text texts[TEXTS] = {
        session->owner.issuer, session->owner.subject, session->revision,
        session->client_info, session->capabilities};
    struct cached_session *cached;
    struct mica_text copies[TEXTS];
    size_t size = sizeof *cached;
    char *at;

    for (size_t i = 0; i < TEXTS; i++)
        size += texts[i].len;
    cached = malloc(size);
    if (cached == NULL)
        return NULL;
    *cached = (struct cached_session){
        .key = *key, .session = *session, .read = now, .size = size};
    at = cached->texts;
    for (size_t i = 0; i < TEXTS; i++) {
        if (texts[i].len > 0)
            memcpy(at, texts[i].ptr, texts[i].len);
        copies[i] = (struct mica_text){at, texts[i].len};
        at += texts[i].len;
    }
    cached->session.owner = (struct mica_store_owner){copies[0], copies[1]};
    cached->session.revision = copies[2];
    cached->session.client_info = copies[3];
    cached->session.capabilities = copies[4];
    cached->session.party = (struct mica_text){NULL, 0};
    return cached;
}

// With the lock held. Drops what is old, where that was not done in the last second.
static void
sessions_tidy(struct mica_session_cache *cache, int64_t now)
{
    if (is_fresh(cache->tidied, now, 1000))
        return;
    cache->tidied = now;
    for (size_t i = 0; i < MICA_SESSION_CACHE_ENTRIES; i++) {
        struct cached_session **place = &cache->sets[i / WAYS][i % WAYS];
        if (*place != NULL &&
            !is_fresh((*place)->read, now, MICA_SESSION_CACHE_AGE_MS))
            place_clear(cache, place);
    }
}

// With the lock held: takes `cached` over. The oldest of its places is displaced.
static void
keep_session(struct mica_session_cache *cache, struct cached_session *cached)
{
    struct cached_session **places = key_places(cache, &cached->key);
    struct cached_session **place = session_place(cache, &cached->key);

    for (size_t i = 0; place == NULL && i < WAYS; i++) {
        if (places[i] == NULL)
            place = &places[i];
    }
    if (place == NULL) {
        place = &places[0];
        for (size_t i = 1; i < WAYS; i++) {
            if (places[i]->read < (*place)->read)
                place = &places[i];
        }
    }
    place_clear(cache, place);
    if (cache->bytes + cached->size > MICA_SESSION_CACHE_BYTES)
        sessions_tidy(cache, cached->read);
    if (cache->bytes + cached->size > MICA_SESSION_CACHE_BYTES) {
        free(cached); // the store is asked for it
        return;
    }
    cache->bytes += cached->size;
    *place = cached;
}

// With the lock held.
static void
keep_absence(struct mica_session_cache *cache,
             const struct mica_store_session_key *key,
             const struct mica_store_owner *owner, int64_t now)
{
    struct cached_absence *absence = key_absence(cache, key);

    *absence = (struct cached_absence){.key = *key, .read = now};
    (void)mica_store_caller_of(owner, absence->owner);
}

void
mica_session_cache_keep(struct mica_session_cache *cache, uint64_t mark,
                        const struct mica_store_session_key *key,
                        const struct mica_store_owner *owner, int64_t now,
                        const struct mica_store_session *session)
{
    struct cached_session *cached =
        session != NULL ? session_make(key, now, session) : NULL;

    if (session != NULL && cached == NULL)
        return;
    pthread_mutex_lock(&cache->lock);
    if (cache->mark != mark)
        free(cached);
    else if (cached != NULL)
        keep_session(cache, cached);
    else
        keep_absence(cache, key, owner, now);
    pthread_mutex_unlock(&cache->lock);
}

void
mica_session_cache_forget(struct mica_session_cache *cache,
                          const struct mica_store_session_key *key)
{
    struct cached_session **place;

    pthread_mutex_lock(&cache->lock);
    cache->mark++;
    place = session_place(cache, key);
    if (place != NULL)
        place_clear(cache, place);
    pthread_mutex_unlock(&cache->lock);
}

void
mica_session_cache_clear(struct mica_session_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    cache->mark++;
    places_clear(cache);
    pthread_mutex_unlock(&cache->lock);
}
