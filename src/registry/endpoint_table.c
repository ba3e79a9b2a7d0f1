// SPDX-License-Identifier: Apache-2.0
//
// Two hash tables with linear probing. A removal leaves no mark: later entries of the
// cluster move up (Knuth, The Art of Computer Programming, volume 3, 6.4, algorithm R).
#include "registry/endpoint_table.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/prefetch.h"
#include "protocol/base_path.h"

enum {
    FIRST_PLACES = 16
};

static struct mica_text
name_of(const struct mica_endpoint *endpoint, bool path)
{
    return path ? endpoint->path : endpoint->key;
}

static size_t
table_bytes(const struct mica_endpoint_table *table)
{
    return table->size * 2 * sizeof(struct mica_endpoint_slot);
}

bool
mica_endpoint_table_is_full(const struct mica_endpoint_table *table)
{
    return (table->count + 1) * 2 > table->size;
}

bool
mica_endpoint_table_larger(const struct mica_endpoint_table *table,
                           struct mica_endpoint_table *larger_out)
{
    struct mica_endpoint_table larger = {
        .size = table->size > 0 ? table->size * 2 : FIRST_PLACES};
    size_t bytes = table_bytes(&larger), size;

    larger.by_key = mica_memory_take(bytes, bytes, &size);
    if (larger.by_key == NULL)
        return false;
    memset(larger.by_key, 0, bytes);
    larger.by_path = larger.by_key + larger.size;
    *larger_out = larger;
    return true;
}

void
mica_endpoint_table_free(struct mica_endpoint_table *table)
{
    mica_memory_give(table->by_key, table_bytes(table));
    *table = (struct mica_endpoint_table){.count = 0};
}

void
mica_endpoint_table_drop(struct mica_endpoint_table *table)
{
    for (size_t i = 0; i < table->size; i++)
        mica_endpoint_drop(table->by_key[i].endpoint);
    mica_endpoint_table_free(table);
}

// ---- Slots -------------------------------------------------------------------------

// The slot of that name, or the free slot for it.
static size_t
slot_of(const struct mica_endpoint_table *table, bool path, uint64_t hash,
        struct mica_text name)
{
    const struct mica_endpoint_slot *slots =
        path ? table->by_path : table->by_key;
    size_t mask = table->size - 1, at = (size_t)hash & mask;

    for (; slots[at].endpoint != NULL; at = (at + 1) & mask) {
        if (slots[at].hash != hash)
            continue;
        // Its texts lie behind it.
        mica_prefetch(slots[at].endpoint + 1, MICA_CACHE_LINE_BYTES);
        if (mica_text_equal(name_of(slots[at].endpoint, path), name))
            break;
    }
    return at;
}

static struct mica_endpoint *
found_at(const struct mica_endpoint_table *table, bool path, uint64_t hash,
         struct mica_text name)
{
    if (table->size == 0)
        return NULL;
    return (path ? table->by_path
                 : table->by_key)[slot_of(table, path, hash, name)]
        .endpoint;
}

struct mica_endpoint *
mica_endpoint_table_find(const struct mica_endpoint_table *table,
                         struct mica_text key)
{
    return found_at(table, false, mica_hash_text(key), key);
}

struct mica_endpoint *
mica_endpoint_table_of_path(const struct mica_endpoint_table *table,
                            struct mica_text path)
{
    return found_at(table, true, mica_hash_text(path), path);
}

struct mica_endpoint *
mica_endpoint_table_above(const struct mica_endpoint_table *table,
                          struct mica_text path)
{
    struct prefix {
        uint64_t hash;
        size_t length;
    } prefixes[MICA_ENDPOINT_SEGMENTS];
    struct mica_endpoint *found = NULL;
    uint64_t hash = MICA_HASH_START;
    size_t count = 0;

    // Computes the hash of each prefix that ends before a slash, in one pass, and asks for
    // its slot.
    for (size_t i = 0;
         i <= path.len && table->count > 0 && count < MICA_ENDPOINT_SEGMENTS;
         i++) {
        if (i > 0 && (i == path.len || path.ptr[i] == '/')) {
            mica_prefetch(&table->by_path[hash & (table->size - 1)],
                          sizeof *table->by_path);
            prefixes[count++] = (struct prefix){hash, i};
        }
        if (i < path.len)
            hash = mica_hash_bytes(hash, &path.ptr[i], 1);
    }
    while (found == NULL && count-- > 0)
        found = found_at(table, true, prefixes[count].hash,
                         mica_text_slice(path, 0, prefixes[count].length));
    return found;
}

struct mica_endpoint *
mica_endpoint_table_overlap(const struct mica_endpoint_table *table,
                            struct mica_text base)
{
    for (size_t i = 0; i < table->size; i++) {
        struct mica_endpoint *endpoint = table->by_path[i].endpoint;

        if (endpoint != NULL && mica_base_path_overlaps(base, endpoint->path))
            return endpoint;
    }
    return NULL;
}

// ---- Changes -----------------------------------------------------------------------

static void
table_put(struct mica_endpoint_table *table, bool path,
          struct mica_endpoint *endpoint)
{
    struct mica_text name = name_of(endpoint, path);
    uint64_t hash = mica_hash_text(name);
    size_t at = slot_of(table, path, hash, name);

    (path ? table->by_path : table->by_key)[at] =
        (struct mica_endpoint_slot){hash, endpoint};
}

void
mica_endpoint_table_add(struct mica_endpoint_table *table,
                        struct mica_endpoint *endpoint)
{
    table_put(table, false, endpoint);
    table_put(table, true, endpoint);
    table->count++;
}

void
mica_endpoint_table_grow(struct mica_endpoint_table *table,
                         struct mica_endpoint_table *larger)
{
    struct mica_endpoint_table old = *table;

    for (size_t i = 0; i < old.size; i++) {
        if (old.by_key[i].endpoint != NULL)
            mica_endpoint_table_add(larger, old.by_key[i].endpoint);
    }
    *table = *larger;
    *larger = old;
}

// Removes the entry, and moves later entries of its cluster into the free slot.
static void
table_remove(struct mica_endpoint_table *table, bool path,
             struct mica_text name)
{
    struct mica_endpoint_slot *slots = path ? table->by_path : table->by_key;
    size_t mask = table->size - 1;
    size_t free_slot = slot_of(table, path, mica_hash_text(name), name);
    size_t at = free_slot;

    slots[free_slot].endpoint = NULL;
    for (;;) {
        size_t home;
        at = (at + 1) & mask;
        if (slots[at].endpoint == NULL)
            return;
        home = (size_t)slots[at].hash & mask;
        // Does the probe sequence of this entry pass the free slot? If not, it stays.
        if (((at - home) & mask) < ((at - free_slot) & mask))
            continue;
        slots[free_slot] = slots[at];
        slots[at].endpoint = NULL;
        free_slot = at;
    }
}

void
mica_endpoint_table_remove(struct mica_endpoint_table *table,
                           const struct mica_endpoint *endpoint)
{
    table_remove(table, false, endpoint->key);
    table_remove(table, true, endpoint->path);
    table->count--;
}
