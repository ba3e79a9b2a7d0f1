// SPDX-License-Identifier: Apache-2.0
//
// A hash table of chains, and a list of its entries by use.
#include "serve/result_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum {
    CHAINS = 4096, // a power of two
    HASH_BYTES = 64,
    BUDGET_NS = 1000000 // in a millisecond of a budget
};

struct entry {
    struct entry *next;          // in its chain
    struct entry *newer, *older; // in the list by use
    uint64_t hash;
    atomic_uint references; // of the table, and of calls that read it
    atomic_ullong run_ns;   // the shortest run of the engine
    atomic_uint uses, slow;
    size_t arguments_size, result_size;
    char bytes[]; // the hash of the module, the arguments, the result
};

struct mica_result_cache {
    pthread_mutex_t lock; // guards the members below
    struct entry *chains[CHAINS];
    struct entry *newest, *oldest;
    size_t limit;             // set once
    uint64_t (*now_ns)(void); // the same
    struct mica_cache_counts counts;
};

// What a call looks for.
struct wanted {
    struct mica_text sha256, arguments;
    uint64_t hash;
};

// ---- Entries -------------------------------------------------------------------------

static size_t
entry_size(const struct entry *entry)
{
    return sizeof *entry + HASH_BYTES + entry->arguments_size +
           entry->result_size;
}

static struct mica_text
entry_result(const struct entry *entry)
{
    return (struct mica_text){entry->bytes + HASH_BYTES + entry->arguments_size,
                              entry->result_size};
}

static bool
entry_answers(const struct entry *entry, const struct wanted *wanted)
{
    return entry->hash == wanted->hash &&
           entry->arguments_size == wanted->arguments.len &&
           memcmp(entry->bytes, wanted->sha256.ptr, HASH_BYTES) == 0 &&
           (wanted->arguments.len == 0 ||
            memcmp(entry->bytes + HASH_BYTES, wanted->arguments.ptr,
                   wanted->arguments.len) == 0);
}

static struct entry *
entry_new(const struct wanted *wanted, struct mica_text result, uint64_t run_ns)
{
    struct entry *entry =
        malloc(sizeof *entry + HASH_BYTES + wanted->arguments.len + result.len);

    if (entry == NULL)
        return NULL;
    memset(entry, 0, sizeof *entry);
    entry->hash = wanted->hash;
    entry->arguments_size = wanted->arguments.len;
    entry->result_size = result.len;
    atomic_init(&entry->references, 1);
    atomic_init(&entry->run_ns, run_ns);
    memcpy(entry->bytes, wanted->sha256.ptr, HASH_BYTES);
    if (wanted->arguments.len > 0)
        memcpy(entry->bytes + HASH_BYTES, wanted->arguments.ptr,
               wanted->arguments.len);
    if (result.len > 0)
        memcpy(entry->bytes + HASH_BYTES + wanted->arguments.len, result.ptr,
               result.len);
    return entry;
}

static void
entry_drop(struct entry *entry)
{
    if (atomic_fetch_sub(&entry->references, 1) == 1)
        free(entry);
}

// ---- The table, with the lock held ---------------------------------------------------

static struct entry **
chain_of(struct mica_result_cache *cache, uint64_t hash)
{
    return &cache->chains[(hash ^ (hash >> 32)) % CHAINS];
}

static struct entry *
table_find(struct mica_result_cache *cache, const struct wanted *wanted)
{
    struct entry *entry = *chain_of(cache, wanted->hash);

    while (entry != NULL && !entry_answers(entry, wanted))
        entry = entry->next;
    return entry;
}

static void
list_take(struct mica_result_cache *cache, struct entry *entry)
{
    if (entry->newer != NULL)
        entry->newer->older = entry->older;
    else
        cache->newest = entry->older;
    if (entry->older != NULL)
        entry->older->newer = entry->newer;
    else
        cache->oldest = entry->newer;
}

static void
list_put(struct mica_result_cache *cache, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    if (cache->newest != NULL)
        cache->newest->newer = entry;
    else
        cache->oldest = entry;
    cache->newest = entry;
}

static void
table_remove(struct mica_result_cache *cache, struct entry *entry)
{
    struct entry **at = chain_of(cache, entry->hash);

    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    list_take(cache, entry);
    cache->counts.entries--;
    cache->counts.bytes -= entry_size(entry);
    entry_drop(entry);
}

static void
table_add(struct mica_result_cache *cache, struct entry *entry)
{
    struct entry **at = chain_of(cache, entry->hash);

    entry->next = *at;
    *at = entry;
    list_put(cache, entry);
    cache->counts.entries++;
    cache->counts.bytes += entry_size(entry);
    while (cache->counts.bytes > cache->limit) {
        table_remove(cache, cache->oldest); // CACHE-4
        cache->counts.displaced++;
    }
}

// ---- Calls ---------------------------------------------------------------------------

static uint64_t
wanted_hash(const struct mica_definition *engine, struct mica_text arguments)
{
    uint64_t hash = mica_hash_text(engine->sha256);

    return mica_hash_bytes(hash, arguments.ptr, arguments.len);
}

// The entry, held for the caller, or NULL.
static struct entry *
cache_find(struct mica_result_cache *cache, const struct wanted *wanted)
{
    struct entry *entry;

    pthread_mutex_lock(&cache->lock);
    entry = table_find(cache, wanted);
    if (entry != NULL) {
        list_take(cache, entry);
        list_put(cache, entry);
        cache->counts.hits++;
        atomic_fetch_add(&entry->references, 1);
    }
    pthread_mutex_unlock(&cache->lock);
    return entry;
}

// Removes the entry, if the table still has it, and counts why.
static void
cache_remove(struct mica_result_cache *cache, const struct wanted *wanted,
             const struct entry *entry, uint64_t *count)
{
    struct entry *found;

    pthread_mutex_lock(&cache->lock);
    found = table_find(cache, wanted);
    if (found == entry) {
        table_remove(cache, found);
        ++*count;
    }
    pthread_mutex_unlock(&cache->lock);
}

static bool
is_kept(const struct mica_call *call)
{
    return call->result.status == MICA_OK && call->result.content == NULL &&
           !call->result.is_error;
}

// An entry for the result of the call; NULL: it is too large, or there is no memory.
static struct entry *
entry_of(const struct mica_result_cache *cache, const struct wanted *wanted,
         struct mica_text result, uint64_t run_ns)
{
    size_t size =
        sizeof(struct entry) + HASH_BYTES + wanted->arguments.len + result.len;

    return size <= cache->limit / MICA_CACHE_SHARE
               ? entry_new(wanted, result, run_ns)
               : NULL;
}

// Counts a miss, and adds the entry (NULL: none) under the same lock, unless another thread
// was faster with the same result. `entry` is the cache's.
static void
cache_miss(struct mica_result_cache *cache, const struct wanted *wanted,
           bool is_slower, struct entry *entry)
{
    bool taken = false;

    pthread_mutex_lock(&cache->lock);
    cache->counts.misses++;
    cache->counts.slower += is_slower;
    if (entry != NULL && table_find(cache, wanted) == NULL) {
        table_add(cache, entry);
        taken = true;
    }
    pthread_mutex_unlock(&cache->lock);
    if (entry != NULL && !taken)
        entry_drop(entry);
}

static uint64_t
run_timed(const struct mica_result_cache *cache,
          const struct mica_definition *engine, struct mica_call *call,
          struct mica_text arguments)
{
    uint64_t started_ns = cache->now_ns();

    engine->runnable.run(&engine->runnable, call, arguments);
    return cache->now_ns() - started_ns;
}

static void
run_and_keep(struct mica_result_cache *cache,
             const struct mica_definition *engine, struct mica_call *call,
             const struct wanted *wanted, uint64_t search_ns)
{
    uint64_t run_ns = run_timed(cache, engine, call, wanted->arguments);
    bool is_slower = run_ns < MICA_CACHE_GAIN * search_ns; // CACHE-2
    struct entry *entry = NULL;

    if (!is_kept(call)) // CACHE-1
        return;
    if (!is_slower)
        entry = entry_of(cache, wanted, call->result.structured, run_ns);
    cache_miss(cache, wanted, is_slower, entry);
}

// CACHE-3. The call ends with what the engine says now.
static void
run_again(struct mica_result_cache *cache, const struct mica_definition *engine,
          struct mica_call *call, const struct wanted *wanted,
          struct entry *entry)
{
    uint64_t run_ns = run_timed(cache, engine, call, wanted->arguments);

    if (!is_kept(call))
        return;
    atomic_store(&entry->uses, 0);
    if (!mica_text_equal(call->result.structured, entry_result(entry)))
        cache_remove(cache, wanted, entry, &cache->counts.different);
    else if (run_ns < atomic_load(&entry->run_ns))
        atomic_store(&entry->run_ns, run_ns);
}

// Would the engine exceed the budget of an I/O thread?
static bool
is_long(const struct entry *entry, const struct mica_call *call)
{
    return call->budget_ms != 0 &&
           atomic_load(&entry->run_ns) >
               (uint64_t)call->budget_ms * BUDGET_NS / 2;
}

// Gives the call the kept result. False: its arena has no room.
static bool
entry_give(const struct entry *entry, struct mica_call *call)
{
    struct mica_text result = entry_result(entry);

    if (result.len > 0)
        result = mica_arena_text(call->arena, result);
    if (call->arena->overflow)
        return false;
    call->result.status = MICA_OK;
    call->result.structured = result;
    return true;
}

static void
use_entry(struct mica_result_cache *cache, const struct mica_definition *engine,
          struct mica_call *call, const struct wanted *wanted,
          struct entry *entry, uint64_t started_ns)
{
    bool is_due = atomic_fetch_add(&entry->uses, 1) + 1 >= MICA_CACHE_TRUST;

    if (is_due && is_long(entry, call)) {
        call->result.status = MICA_E_TIMEOUT; // so that a worker runs it
    } else if (is_due || !entry_give(entry, call)) {
        run_again(cache, engine, call, wanted, entry);
    } else if (cache->now_ns() - started_ns >= atomic_load(&entry->run_ns) &&
               atomic_fetch_add(&entry->slow, 1) + 1 >= MICA_CACHE_SLOW) {
        cache_remove(cache, wanted, entry, &cache->counts.slower); // CACHE-2
    }
}

void
mica_result_cache_run(struct mica_result_cache *cache,
                      const struct mica_definition *engine,
                      struct mica_call *call, struct mica_text arguments)
{
    uint64_t started_ns = cache->now_ns();
    struct wanted wanted = {engine->sha256, arguments, 0};
    struct entry *entry;

    if (engine->sha256.len != HASH_BYTES) {
        engine->runnable.run(&engine->runnable, call, arguments);
        return;
    }
    wanted.hash = wanted_hash(engine, arguments);
    entry = cache_find(cache, &wanted);
    if (entry == NULL) {
        run_and_keep(cache, engine, call, &wanted,
                     cache->now_ns() - started_ns);
        return;
    }
    use_entry(cache, engine, call, &wanted, entry, started_ns);
    entry_drop(entry);
}

// ---- The cache -----------------------------------------------------------------------

struct mica_result_cache *
mica_result_cache_new(size_t bytes, uint64_t (*now_ns)(void))
{
    struct mica_result_cache *cache = calloc(1, sizeof *cache);

    if (cache == NULL)
        return NULL;
    if (pthread_mutex_init(&cache->lock, NULL) != 0) {
        free(cache);
        return NULL;
    }
    cache->limit = bytes;
    cache->now_ns = now_ns;
    return cache;
}

struct mica_cache_counts
mica_result_cache_counts(struct mica_result_cache *cache)
{
    struct mica_cache_counts counts;

    pthread_mutex_lock(&cache->lock);
    counts = cache->counts;
    pthread_mutex_unlock(&cache->lock);
    return counts;
}

void
mica_result_cache_free(struct mica_result_cache **cache)
{
    struct entry *older;

    if (*cache == NULL)
        return;
    for (struct entry *at = (*cache)->newest; at != NULL; at = older) {
        older = at->older;
        entry_drop(at);
    }
    pthread_mutex_destroy(&(*cache)->lock);
    free(*cache);
    *cache = NULL;
}
