// SPDX-License-Identifier: Apache-2.0
//
// A journal in memory: its entries, their fields, and the check of a new entry.
#include "call/journal_entry.h"

#include <string.h>

#include "base/hash.h"

enum {
    BUCKETS = 256, // a power of two
    FIRST_CAPACITY = 16
};

// The fields of each kind, in any order: the bytes have the order of enum mica_entry_field.
static const struct {
    const char *name;
    unsigned fields;
} kinds[MICA_ENTRY_KINDS] = {
    [MICA_ENTRY_ASK] = {"ask", MICA_FIELD_KEY | MICA_FIELD_NUMBER |
                                   MICA_FIELD_HASH | MICA_FIELD_TIME |
                                   MICA_FIELD_DUE},
    [MICA_ENTRY_ANSWER] = {"answer", MICA_FIELD_NUMBER | MICA_FIELD_STATUS |
                                         MICA_FIELD_DATA},
    [MICA_ENTRY_PHASE] = {"phase",
                          MICA_FIELD_KEY | MICA_FIELD_STATUS | MICA_FIELD_DATA},
    [MICA_ENTRY_STEP] = {"step",
                         MICA_FIELD_KEY | MICA_FIELD_STATUS | MICA_FIELD_DATA},
    [MICA_ENTRY_CLIENT] = {"client", MICA_FIELD_NUMBER | MICA_FIELD_STATUS},
    [MICA_ENTRY_TIME] = {"time", MICA_FIELD_TIME},
    [MICA_ENTRY_RANDOM] = {"random", MICA_FIELD_HASH},
    [MICA_ENTRY_REPORTED] = {"told", MICA_FIELD_NUMBER | MICA_FIELD_TIME},
    [MICA_ENTRY_SCOPE] = {"child", MICA_FIELD_KEY | MICA_FIELD_NUMBER |
                                       MICA_FIELD_HASH | MICA_FIELD_DATA |
                                       MICA_FIELD_VERSION},
    [MICA_ENTRY_ENDED] = {"ended",
                          MICA_FIELD_KEY | MICA_FIELD_STATUS | MICA_FIELD_DATA},
    [MICA_ENTRY_CLEANED] = {"cleaned", MICA_FIELD_KEY},
    [MICA_ENTRY_END] = {"end", MICA_FIELD_STATUS | MICA_FIELD_DATA},
    [MICA_ENTRY_CONTENT] = {"said", MICA_FIELD_KEY | MICA_FIELD_DATA},
};

unsigned
mica_entry_fields(unsigned kind)
{
    return kind < MICA_ENTRY_KINDS ? kinds[kind].fields : 0;
}

const char *
mica_entry_name(enum mica_entry_kind kind)
{
    return kinds[kind].name;
}

// ---- Invariants --------------------------------------------------------------

static uint32_t
bucket_of(struct mica_text key)
{
    uint64_t hash = mica_hash_text(key);

    return (uint32_t)(hash ^ hash >> 32) & (BUCKETS - 1);
}

static bool
is_asked(const struct mica_journal *journal, struct mica_text key)
{
    uint32_t at =
        journal->buckets != NULL ? journal->buckets[bucket_of(key)] : 0;

    while (at > 0) {
        const struct mica_entry *entry = &journal->entries[at - 1];
        if (mica_text_equal(entry->key, key))
            return true;
        at = entry->chain;
    }
    return false;
}

static const char *
answer_refused(const struct mica_journal *journal,
               const struct mica_entry *entry)
{
    const struct mica_entry *ask;

    if (entry->number >= journal->count)
        return "J2: an answer to what was not asked before it";
    ask = &journal->entries[entry->number];
    if (ask->kind != MICA_ENTRY_ASK || ask->scope != entry->scope)
        return "J2: an answer to what is no ask of its scope";
    return ask->answer == 0 ? NULL : "J2: a second answer to one ask";
}

const char *
mica_journal_refuses(const struct mica_journal *journal,
                     const struct mica_entry *entry)
{
    if (journal->count > 0 &&
        journal->entries[journal->count - 1].kind == MICA_ENTRY_END)
        return "J5: something behind the end";
    if (entry->scope >= journal->scope_count)
        return "J3: an entry of a scope that no child has opened";
    if (entry->scope > 0 && journal->scopes[entry->scope].ended > 0)
        return "J3: an entry of a scope that has ended";
    if (entry->kind == MICA_ENTRY_ANSWER)
        return answer_refused(journal, entry);
    if (entry->kind == MICA_ENTRY_SCOPE &&
        entry->number != journal->scope_count)
        return "J3: a child that opens a scope out of order";
    if (entry->kind == MICA_ENTRY_ENDED && entry->scope == 0)
        return "J3: the tool's own scope ends with the call";
    if (entry->kind == MICA_ENTRY_END && entry->scope != 0)
        return "J5: an end of a call in the scope of a child";
    if (entry->kind == MICA_ENTRY_ASK && is_asked(journal, entry->key))
        return "J4: a second ask with the same key";
    return NULL;
}

// ---- Append ------------------------------------------------------------------

// Grows an array for one more item of `size` bytes. Returns false if there is no memory.
static bool
journal_entry_grow(struct mica_arena *arena, void **items, uint32_t count,
                   uint32_t *capacity, size_t size)
{
    uint32_t wish = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
    void *more;

    if (count < *capacity)
        return true;
    more = mica_arena_zero(arena, wish, size);
    if (more == NULL)
        return false;
    if (count > 0 && *items != NULL)
        memcpy(more, *items, count * size);
    *items = more;
    *capacity = wish;
    return true;
}

static bool
open_scope(struct mica_journal *journal, const struct mica_entry *entry)
{
    void *items = journal->scopes;

    if (!journal_entry_grow(journal->arena, &items, journal->scope_count,
                            &journal->scope_capacity, sizeof *journal->scopes))
        return false;
    journal->scopes = items;
    journal->scopes[journal->scope_count++] =
        (struct mica_scope){.parent = entry->scope, .child = journal->count};
    return true;
}

static bool
note_key(struct mica_journal *journal, struct mica_entry *entry)
{
    uint32_t *bucket;

    if (journal->buckets == NULL)
        journal->buckets =
            mica_arena_zero(journal->arena, BUCKETS, sizeof *journal->buckets);
    if (journal->buckets == NULL)
        return false;
    bucket = &journal->buckets[bucket_of(entry->key)];
    entry->chain = *bucket;
    *bucket = journal->count + 1;
    return true;
}

bool
mica_journal_push(struct mica_journal *journal, const struct mica_entry *entry)
{
    void *items = journal->entries;
    struct mica_entry *added;

    if (!journal_entry_grow(journal->arena, &items, journal->count,
                            &journal->capacity, sizeof *journal->entries))
        return false;
    journal->entries = items;
    added = &journal->entries[journal->count];
    *added = *entry;
    added->answer = 0;
    added->chain = 0;
    if (entry->kind == MICA_ENTRY_ASK && !note_key(journal, added))
        return false;
    if (entry->kind == MICA_ENTRY_SCOPE && !open_scope(journal, entry))
        return false;
    if (entry->kind == MICA_ENTRY_ANSWER)
        journal->entries[entry->number].answer = journal->count + 1;
    if (entry->kind == MICA_ENTRY_ENDED)
        journal->scopes[entry->scope].ended = journal->count + 1;
    journal->count++;
    return true;
}
