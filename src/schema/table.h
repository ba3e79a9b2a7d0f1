// SPDX-License-Identifier: Apache-2.0
//
// A set of names, found by a hash and one comparison. Half of the slots are free,
// so that a search ends soon.
#ifndef MICA_SCHEMA_TABLE_H
#define MICA_SCHEMA_TABLE_H

#include <mica/base.h>

#include <string.h>

// A name as it is compared: its first and last bytes, eight each or what there
// is. Up to 16 bytes that is all of it.
struct mica_schema_key {
    uint64_t head, tail;
};

struct mica_schema_slot {
    struct mica_schema_key key;
    struct mica_text name;
    uint32_t index; // plus 1; 0: the slot is free
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

static inline struct mica_schema_key
mica_schema_key(struct mica_text name)
{
    struct mica_schema_key key = {0, 0};
    if (name.len >= 8) {
        memcpy(&key.head, name.ptr, 8);
        memcpy(&key.tail, name.ptr + name.len - 8, 8);
    } else if (name.len >= 4) {
        uint32_t first, last;
        memcpy(&first, name.ptr, 4);
        memcpy(&last, name.ptr + name.len - 4, 4);
        key.head = first;
        key.tail = last;
    } else if (name.len > 0) {
        key.head = (unsigned char)name.ptr[0];
        key.tail = (uint64_t)(unsigned char)name.ptr[name.len / 2] << 8 |
                   (unsigned char)name.ptr[name.len - 1];
    }
    return key;
}

static inline uint64_t
mica_schema_hash(struct mica_text name, struct mica_schema_key key)
{
    uint64_t mixed = (key.head ^ name.len) * UINT64_C(0x9E3779B97F4A7C15) ^
                     key.tail * UINT64_C(0xD6E8FEB86659FD93);
    for (size_t at = 8; at + 8 < name.len; at += 8) {
        uint64_t middle;
        memcpy(&middle, name.ptr + at, 8);
        mixed = (mixed ^ mixed >> 32 ^ middle) * UINT64_C(0xA0761D6478BD642F);
    }
    return mixed ^ mixed >> 32;
}

static inline bool
mica_schema_same_name(struct mica_text name, struct mica_schema_key key,
                      struct mica_text other)
{
    if (name.len != other.len)
        return false;
    struct mica_schema_key other_key = mica_schema_key(other);
    return key.head == other_key.head && key.tail == other_key.tail &&
           (name.len <= 16 || memcmp(name.ptr, other.ptr, name.len) == 0);
}

// The index of a name, or -1.
static inline int64_t
mica_schema_find(const struct mica_schema_table *table, struct mica_text name)
{
    if (table->count == 0)
        return -1;
    struct mica_schema_key key = mica_schema_key(name);
    for (uint64_t at = mica_schema_hash(name, key);; at++) {
        const struct mica_schema_slot *slot = &table->slots[at & table->mask];
        if (slot->index == 0)
            return -1;
        if (slot->key.head == key.head && slot->key.tail == key.tail &&
            slot->name.len == name.len &&
            (name.len <= 16 || memcmp(slot->name.ptr, name.ptr, name.len) == 0))
            return slot->index - 1;
    }
}

#endif
