// SPDX-License-Identifier: Apache-2.0
//
// Lists, maps and nullables: what holds values of another type.
#include <string.h>

#include "base/hash.h"
#include "schema/codec.h"
#include "schema/decode_words.h"

// ---- Lists -----------------------------------------------------------------

static enum mica_status
decode_list(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const struct mica_json *value,
            void *out)
{
    struct mica_slot element = mica_slot_element(slot);
    size_t size = element.type->size;
    if (value->kind != MICA_JSON_ARRAY)
        return mica_decode_wrong_type(checker, place, slot, value);
    MICA_TRY(mica_value_count(checker, place, slot, value->count));
    char *items = mica_arena_zero(checker->arena, value->count, size);
    if (items == NULL)
        return mica_value_no_memory(checker, place);
    *(struct mica_list_value *)out =
        (struct mica_list_value){value->count, items};
    for (size_t i = 0; i < value->count; i++) {
        struct mica_place here = {.up = place, .index = i};
        MICA_TRY(mica_decode_value(checker, &here, &element, &value->items[i],
                                   items + i * size));
    }
    return MICA_OK;
}

static enum mica_status
encode_list(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const void *in,
            struct mica_json_writer *writer)
{
    const struct mica_list_value *list = in;
    struct mica_slot element = mica_slot_element(slot);
    const char *items = list->items;
    MICA_TRY(mica_value_count(checker, place, slot, list->count));
    if (list->count > 0 && items == NULL)
        return mica_value_fail(checker, place, MICA_E_TYPE,
                               "has %zu items, but `items` is NULL",
                               list->count);
    mica_json_open_array(writer);
    for (size_t i = 0; i < list->count; i++) {
        struct mica_place here = {.up = place, .index = i};
        MICA_TRY(mica_encode_value(checker, &here, &element,
                                   items + i * element.type->size, writer));
    }
    mica_json_close_array(writer);
    return MICA_OK;
}

const struct mica_codec mica_codec_list = {"an array", decode_list,
                                           encode_list};

// ---- Maps ------------------------------------------------------------------

static enum mica_status
decode_map(struct mica_checker *checker, const struct mica_place *place,
           const struct mica_slot *slot, const struct mica_json *value,
           void *out)
{
    struct mica_slot element = mica_slot_element(slot);
    size_t size = element.type->size;
    if (value->kind != MICA_JSON_OBJECT)
        return mica_decode_wrong_type(checker, place, slot, value);
    MICA_TRY(mica_value_count(checker, place, slot, value->count));
    char *items = mica_arena_zero(checker->arena, value->count, size);
    struct mica_text *keys =
        mica_arena_zero(checker->arena, value->count, sizeof *keys);
    if (items == NULL || keys == NULL)
        return mica_value_no_memory(checker, place);
    *(struct mica_map_value *)out =
        (struct mica_map_value){value->count, keys, items};
    for (size_t i = 0; i < value->count; i++) {
        const struct mica_json_member *member = &value->members[i];
        struct mica_place here = {.up = place, .name = member->name};
        keys[i] = member->name;
        MICA_TRY(mica_value_key(checker, &here, slot->field, keys[i]));
        MICA_TRY(mica_decode_value(checker, &here, &element, &member->value,
                                   items + i * size));
    }
    return MICA_OK;
}

// Index of a name that stands in `map` before, or its count. A table with open
// addressing, so that a large map does not cost the square of its size.
static size_t
find_repeated(struct mica_arena *arena, const struct mica_map_value *map)
{
    size_t slots = 4;
    while (slots < 2 * map->count)
        slots *= 2;
    size_t *table = mica_arena_zero(arena, slots, sizeof *table);
    if (table == NULL)
        return map->count;
    for (size_t i = 0; i < map->count; i++) {
        size_t at = (size_t)mica_hash_text(map->keys[i]) & (slots - 1);
        for (; table[at] != 0; at = (at + 1) & (slots - 1))
            if (mica_text_equal(map->keys[table[at] - 1], map->keys[i]))
                return i;
        table[at] = i + 1;
    }
    return map->count;
}

static enum mica_status
check_map(struct mica_checker *checker, const struct mica_place *place,
          const struct mica_slot *slot, const struct mica_map_value *in)
{
    char shown[MICA_SHOWN_SIZE];
    MICA_TRY(mica_value_count(checker, place, slot, in->count));
    if (in->count == 0)
        return MICA_OK;
    if (in->keys == NULL || in->items == NULL)
        return mica_value_fail(checker, place, MICA_E_TYPE,
                               "has %zu entries, but `keys` or `items` is NULL",
                               in->count);
    size_t repeated = find_repeated(checker->arena, in);
    if (checker->arena->overflow)
        return mica_value_no_memory(checker, place);
    if (repeated < in->count)
        return mica_value_fail(checker, place, MICA_E_DUPLICATE,
                               "has the name %s twice",
                               mica_value_shown(in->keys[repeated], shown));
    return MICA_OK;
}

static enum mica_status
encode_map(struct mica_checker *checker, const struct mica_place *place,
           const struct mica_slot *slot, const void *in,
           struct mica_json_writer *writer)
{
    const struct mica_map_value *map = in;
    struct mica_slot element = mica_slot_element(slot);
    MICA_TRY(check_map(checker, place, slot, map));
    mica_json_open_object(writer);
    for (size_t i = 0; i < map->count; i++) {
        struct mica_place here = {.up = place, .name = map->keys[i]};
        if (here.name.ptr == NULL)
            here.name.ptr = "";
        MICA_TRY(mica_value_utf8(checker, place, map->keys[i]));
        MICA_TRY(mica_value_key(checker, &here, slot->field, map->keys[i]));
        mica_json_name_text(writer, map->keys[i]);
        MICA_TRY(mica_encode_value(
            checker, &here, &element,
            (const char *)map->items + i * element.type->size, writer));
    }
    mica_json_close_object(writer);
    return MICA_OK;
}

const struct mica_codec mica_codec_map = {"an object", decode_map, encode_map};

// ---- Nullables -------------------------------------------------------------

static enum mica_status
decode_nullable(struct mica_checker *checker, const struct mica_place *place,
                const struct mica_slot *slot, const struct mica_json *value,
                void *out)
{
    bool *present = out;
    struct mica_slot element = mica_slot_element(slot);
    *present = value->kind != MICA_JSON_NULL;
    if (!*present)
        return MICA_OK;
    return mica_decode_value(checker, place, &element, value,
                             (char *)present + slot->type->value_offset);
}

static enum mica_status
encode_nullable(struct mica_checker *checker, const struct mica_place *place,
                const struct mica_slot *slot, const void *in,
                struct mica_json_writer *writer)
{
    const bool *present = in;
    struct mica_slot element = mica_slot_element(slot);
    if (!*present) {
        mica_json_null(writer);
        return MICA_OK;
    }
    return mica_encode_value(checker, place, &element,
                             (const char *)present + slot->type->value_offset,
                             writer);
}

const struct mica_codec mica_codec_nullable = {
    "a value or null", decode_nullable, encode_nullable};
