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
    uint32_t hash = mica_schema_hash(name);
    uint32_t at = hash & table->mask;
    while (table->slots[at].index != 0)
        at = (at + 1) & table->mask;
    table->slots[at] = (struct mica_schema_slot){hash, index + 1, name};
    table->count++;
    return index;
}
