// SPDX-License-Identifier: Apache-2.0
//
// Two tables, which one lock guards. Keys are hashes, so some of their bytes choose the set.
// Unknown sessions have their own table: a client that sends many unknown ids displaces no
// session of other clients.
#include "store/session_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "store/hashes.h"

enum {
    WAYS = 4, // entries of a set
    SETS = MICA_SESSION_CACHE_ENTRIES / WAYS,
    TEXTS = 6
};

struct cached_session {
    struct mica_store_session_key key;
    struct mica_store_session session; // its texts are in `texts`
    struct mica_buffer texts;
    int64_t read; // when
    size_t size;  // in bytes, with the texts; 0: the entry is free
};

struct cached_absence {
    struct mica_store_session_key key;
    unsigned char owner[MICA_STORE_HASH_BYTES]; // a hash of the caller
    int64_t read;                               // when; 0: the entry is free
};

struct mica_session_cache {
    pthread_mutex_t lock;          // guards all members below
    uint64_t mark;                 // rises with each _forget and _clear
    size_t bytes;                  // of all sessions
    int64_t tidied;                // when old sessions were removed last
    struct cached_session *places; // WAYS entries for each of SETS
    struct cached_absence absences[MICA_SESSION_CACHE_GONE_ENTRIES];
};

struct mica_session_cache *
mica_session_cache_open(void)
{
    struct mica_session_cache *cache = calloc(1, sizeof *cache);

    if (cache == NULL)
        return NULL;
    cache->places = calloc(MICA_SESSION_CACHE_ENTRIES, sizeof *cache->places);
    if (cache->places == NULL) {
        free(cache);
        return NULL;
    }
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

// With the lock held.
static void
place_clear(struct mica_session_cache *cache, struct cached_session *place)
{
    if (place->size == 0)
        return;
    cache->bytes -= place->size;
    mica_buffer_fini(&place->texts);
    place->size = 0;
}

// With the lock held.
static void
places_clear(struct mica_session_cache *cache)
{
    for (size_t i = 0; i < MICA_SESSION_CACHE_ENTRIES; i++)
        place_clear(cache, &cache->places[i]);
}

void
mica_session_cache_close(struct mica_session_cache **cache)
{
    if (*cache == NULL)
        return;
    places_clear(*cache);
    pthread_mutex_destroy(&(*cache)->lock);
    free((*cache)->places);
    free(*cache);
    *cache = NULL;
}

// ---- Entries -------------------------------------------------------------------

static struct cached_session *
key_places(struct mica_session_cache *cache,
           const struct mica_store_session_key *key)
{
    size_t number = (size_t)key->bytes[0] | (size_t)key->bytes[1] << 8;

    return &cache->places[number % SETS * WAYS];
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

// Is the entry young enough? A clock that has stepped back makes all entries old.
static bool
is_fresh(int64_t read, int64_t now, int64_t age)
{
    return read <= now && now - read < age;
}

// With the lock held. Returns NULL if the session is not in the cache.
static struct cached_session *
session_entry(struct mica_session_cache *cache,
              const struct mica_store_session_key *key)
{
    struct cached_session *places = key_places(cache, key);

    for (size_t i = 0; i < WAYS; i++) {
        if (places[i].size > 0 && keys_equal(&places[i].key, key))
            return &places[i];
    }
    return NULL;
}

// ---- Find ----------------------------------------------------------------------

// Returns false if there is no memory.
static bool
session_copy(const struct cached_session *cached, struct mica_arena *arena,
             struct mica_store_session *session_out)
{
    struct mica_text *const texts[TEXTS] = {
        &session_out->owner.issuer, &session_out->owner.subject,
        &session_out->revision,     &session_out->client_info,
        &session_out->capabilities, &session_out->owner.endpoint};

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
             const struct mica_owner *owner, int64_t now)
{
    const struct cached_absence *absence = key_absence(cache, key);
    unsigned char asked[MICA_STORE_HASH_BYTES] = {0};

    if (absence->read == 0 || !keys_equal(&absence->key, key) ||
        !is_fresh(absence->read, now, MICA_SESSION_CACHE_GONE_MS))
        return MICA_SESSION_NOT_KNOWN;
    (void)mica_store_asker_of(owner, asked);
    return memcmp(absence->owner, asked, sizeof asked) == 0
               ? MICA_SESSION_GONE
               : MICA_SESSION_NOT_KNOWN;
}

// With the lock held.
static enum mica_session_known
find_session(struct mica_session_cache *cache,
             const struct mica_store_session_key *key,
             const struct mica_owner *owner, int64_t now,
             struct mica_arena *arena, struct mica_store_session *session_out)
{
    const struct cached_session *place = session_entry(cache, key);
    const struct mica_store_session *session;

    if (place == NULL)
        return find_absence(cache, key, owner, now);
    if (!is_fresh(place->read, now, MICA_SESSION_CACHE_AGE_MS))
        return MICA_SESSION_NOT_KNOWN;
    session = &place->session;
    if (session->expires <= now ||
        !mica_text_equal(session->owner.issuer, owner->issuer) ||
        !mica_text_equal(session->owner.subject, owner->subject) ||
        !mica_text_equal(session->owner.endpoint, owner->endpoint))
        return MICA_SESSION_GONE;
    return session_copy(place, arena, session_out) ? MICA_SESSION_FOUND
                                                   : MICA_SESSION_NOT_KNOWN;
}

enum mica_session_known
mica_session_cache_find(struct mica_session_cache *cache,
                        const struct mica_store_session_key *key,
                        const struct mica_owner *owner, int64_t now,
                        struct mica_arena *arena,
                        struct mica_store_session *session_out)
{
    enum mica_session_known known;

    pthread_mutex_lock(&cache->lock);
    known = find_session(cache, key, owner, now, arena, session_out);
    pthread_mutex_unlock(&cache->lock);
    return known;
}

// ---- Keep ----------------------------------------------------------------------

uint64_t
mica_session_cache_mark(struct mica_session_cache *cache)
{
    uint64_t mark;

    pthread_mutex_lock(&cache->lock);
    mark = cache->mark;
    pthread_mutex_unlock(&cache->lock);
    return mark;
}

// The texts of an entry, in their order.
static void
session_texts(const struct mica_store_session *session,
              struct mica_text texts_out[TEXTS])
{
    texts_out[0] = session->owner.issuer;
    texts_out[1] = session->owner.subject;
    texts_out[2] = session->revision;
    texts_out[3] = session->client_info;
    texts_out[4] = session->capabilities;
    texts_out[5] = session->owner.endpoint;
}

static size_t
session_size(const struct mica_store_session *session)
{
    size_t size = sizeof(struct cached_session);
    struct mica_text texts[TEXTS];

    session_texts(session, texts);
    for (size_t i = 0; i < TEXTS; i++)
        size += texts[i].len;
    return size;
}

// Fills a free entry. Returns false if there is no memory.
static bool
place_fill(struct cached_session *place,
           const struct mica_store_session_key *key, int64_t now,
           const struct mica_store_session *session, size_t size)
{
    struct mica_text texts[TEXTS];

    mica_buffer_init(&place->texts, NULL, size);
    if (mica_buffer_reserve(&place->texts, size) == NULL)
        return false; // the buffer does not grow from here on, so no text moves
    session_texts(session, texts);
    for (size_t i = 0; i < TEXTS; i++) {
        const char *at = place->texts.ptr + place->texts.len;
        mica_buffer_text(&place->texts, texts[i]);
        texts[i].ptr = at;
    }
    place->key = *key;
    place->session = *session;
    place->session.owner = (struct mica_owner){texts[0], texts[1], texts[5]};
    place->session.revision = texts[2];
    place->session.client_info = texts[3];
    place->session.capabilities = texts[4];
    place->session.party = (struct mica_text){NULL, 0};
    place->read = now;
    place->size = size;
    return true;
}

// With the lock held. Removes old sessions, at most once a second.
static void
sessions_tidy(struct mica_session_cache *cache, int64_t now)
{
    if (is_fresh(cache->tidied, now, 1000))
        return;
    cache->tidied = now;
    for (size_t i = 0; i < MICA_SESSION_CACHE_ENTRIES; i++) {
        struct cached_session *place = &cache->places[i];
        if (!is_fresh(place->read, now, MICA_SESSION_CACHE_AGE_MS))
            place_clear(cache, place);
    }
}

// With the lock held: the entry of `key`, or a free one, or the oldest of its set.
static struct cached_session *
place_choose(struct mica_session_cache *cache,
             const struct mica_store_session_key *key)
{
    struct cached_session *places = key_places(cache, key);
    struct cached_session *place = session_entry(cache, key);

    for (size_t i = 0; place == NULL && i < WAYS; i++) {
        if (places[i].size == 0)
            place = &places[i];
    }
    if (place != NULL)
        return place;
    place = &places[0];
    for (size_t i = 1; i < WAYS; i++) {
        if (places[i].read < place->read)
            place = &places[i];
    }
    return place;
}

// With the lock held. Keeps nothing if there is no space: the next request reads the store.
static void
keep_session(struct mica_session_cache *cache,
             const struct mica_store_session_key *key, int64_t now,
             const struct mica_store_session *session)
{
    size_t size = session_size(session);
    struct cached_session *place;

    if (cache->bytes + size > MICA_SESSION_CACHE_BYTES)
        sessions_tidy(cache, now);
    place = place_choose(cache, key);
    place_clear(cache, place);
    if (cache->bytes + size <= MICA_SESSION_CACHE_BYTES &&
        place_fill(place, key, now, session, size))
        cache->bytes += size;
}

// With the lock held.
static void
keep_absence(struct mica_session_cache *cache,
             const struct mica_store_session_key *key,
             const struct mica_owner *owner, int64_t now)
{
    struct cached_absence *absence = key_absence(cache, key);

    *absence = (struct cached_absence){.key = *key, .read = now};
    (void)mica_store_asker_of(owner, absence->owner);
}

void
mica_session_cache_keep(struct mica_session_cache *cache, uint64_t mark,
                        const struct mica_store_session_key *key,
                        const struct mica_owner *owner, int64_t now,
                        const struct mica_store_session *session)
{
    pthread_mutex_lock(&cache->lock);
    if (cache->mark == mark && session != NULL)
        keep_session(cache, key, now, session);
    else if (cache->mark == mark)
        keep_absence(cache, key, owner, now);
    pthread_mutex_unlock(&cache->lock);
}

void
mica_session_cache_forget(struct mica_session_cache *cache,
                          const struct mica_store_session_key *key)
{
    struct cached_session *place;

    pthread_mutex_lock(&cache->lock);
    cache->mark++;
    place = session_entry(cache, key);
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
