// SPDX-License-Identifier: Apache-2.0
//
// A set of names, found by a hash and one comparison. Half of the slots are free,
// so that a search ends soon.
#ifndef MICA_SCHEMA_TABLE_H
#define MICA_SCHEMA_TABLE_H

#include <mica/base.h>

#include <string.h>

struct mica_schema_slot {
    uint32_t hash;
    uint32_t index; // plus 1; 0: the slot is free
    struct mica_text name;
};

struct mica_schema_table {
    struct mica_schema_slot *slots;
    uint32_t mask; // slots less 1
    uint32_t count;
};

// Room for `count` names; false when the arena is full.
bool mica_schema_table_init(struct mica_schema_table *table,
                            struct mica_arena *arena, size_t count);

// The index of the name: `index` if it is new, that of the first one else.
uint32_t mica_schema_table_add(struct mica_schema_table *table,
                               struct mica_text name, uint32_t index);

// Mixes the bytes, eight at a time; the last eight may overlap those before.
static inline uint32_t
mica_schema_hash(struct mica_text name)
{
    uint64_t head, tail;
    if (name.len >= 8) {
        memcpy(&head, name.ptr, 8);
        memcpy(&tail, name.ptr + name.len - 8, 8);
        for (size_t at = 8; at + 8 < name.len; at += 8) {
            uint64_t middle;
            memcpy(&middle, name.ptr + at, 8);
            head = (head ^ head >> 32) * UINT64_C(0xA0761D6478BD642F) ^ middle;
        }
    } else if (name.len >= 4) {
        uint32_t first, last;
        memcpy(&first, name.ptr, 4);
        memcpy(&last, name.ptr + name.len - 4, 4);
        head = first;
        tail = last;
    } else if (name.len > 0) {
        head = (unsigned char)name.ptr[0];
        tail = (uint64_t)(unsigned char)name.ptr[name.len / 2] << 8 |
               (unsigned char)name.ptr[name.len - 1];
    } else {
        head = tail = 0;
    }
    uint64_t mixed = (head ^ (uint64_t)name.len << 56) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ tail ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(mixed >> 32);
}

// The index of a name, or -1.
static inline int64_t
mica_schema_find(const struct mica_schema_table *table, struct mica_text name)
{
    if (table->count == 0)
        return -1;
    uint32_t hash = mica_schema_hash(name);
    for (uint32_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        const struct mica_schema_slot *slot = &table->slots[at];
        if (slot->index == 0)
            return -1;
        if (slot->hash == hash && slot->name.len == name.len &&
            memcmp(slot->name.ptr, name.ptr, name.len) == 0)
            return slot->index - 1;
    }
}

#endif
