// SPDX-License-Identifier: Apache-2.0
//
// Filling tables of names; the search is inline, in the header.
#include "schema/table.h"

bool
mica_schema_table_init(struct mica_schema_table *table,
                       struct mica_arena *arena, size_t count)
{
    *table = (struct mica_schema_table){.slots = NULL};
    if (count == 0)
        return true;
    size_t slots = 4;
    while (slots < 2 * count)
        slots *= 2;
    if (slots > UINT32_MAX / 2)
        return false;
    table->slots = mica_arena_zero(arena, slots, sizeof *table->slots);
    table->mask = (uint32_t)slots - 1;
    return table->slots != NULL;
}

uint32_t
mica_schema_table_add(struct mica_schema_table *table, struct mica_text name,
                      uint32_t index)
{
    int64_t found = mica_schema_find(table, name);
    if (found >= 0)
        return (uint32_t)found;
    struct mica_schema_key key = mica_schema_key(name);
    uint64_t at = mica_schema_hash(name, key);
    while (table->slots[at & table->mask].index != 0)
        at++;
    table->slots[at & table->mask] =
        (struct mica_schema_slot){key, name, index + 1};
    table->count++;
    return index;
}
