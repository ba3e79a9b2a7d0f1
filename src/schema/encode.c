// SPDX-License-Identifier: Apache-2.0
//
// Struct to JSON. Every value must keep what the schema says of it: an engine
// that breaks its own promise is a fault to report, not an answer to send.
#include "schema/record.h"

#include <string.h>

#include "base/assert.h"
#include "schema/value.h"

enum {
    DATE_SIZE = 64 // more than any date and time takes
};

static enum mica_status encode_value(struct mica_checker *checker,
                                     const struct mica_place *place,
                                     const struct mica_slot *slot,
                                     const void *in,
                                     struct mica_json_writer *writer);

// ---- Values without parts --------------------------------------------------

static enum mica_status
check_utf8(const struct mica_checker *checker, const struct mica_place *place,
           struct mica_text text)
{
    if (text.len == 0)
        return MICA_OK;
    if (text.ptr == NULL)
        return mica_value_fail(checker, place, MICA_E_TYPE,
                               "has %zu bytes, but `ptr` is NULL", text.len);
    size_t valid = mica_utf8_valid(text);
    if (valid == text.len)
        return MICA_OK;
    return mica_value_fail(checker, place, MICA_E_FORMAT,
                           "must be UTF-8, but its byte %zu (0x%02x) is not",
                           valid, (unsigned)(unsigned char)text.ptr[valid]);
}

static enum mica_status
encode_text(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const struct mica_text *in,
            struct mica_json_writer *writer)
{
    MICA_TRY(check_utf8(checker, place, *in));
    MICA_TRY(mica_value_text(checker, place, mica_slot_bounds(slot), *in));
    mica_json_string(writer, *in);
    return MICA_OK;
}

static enum mica_status
encode_number(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_slot *slot, double in,
              struct mica_json_writer *writer)
{
    MICA_TRY(mica_value_number(checker, place, mica_slot_bounds(slot), in));
    mica_json_number(writer, in);
    return MICA_OK;
}

static enum mica_status
encode_integer(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_slot *slot, int64_t in,
               struct mica_json_writer *writer)
{
    MICA_TRY(mica_value_integer(checker, place, mica_slot_bounds(slot), in));
    mica_json_integer(writer, in);
    return MICA_OK;
}

static enum mica_status
encode_choice(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_type *type, int in,
              struct mica_json_writer *writer)
{
    MICA_ASSERT(type->size == sizeof(int));
    if (in < 0 || (size_t)in >= type->choice_count || type->choices[in] == NULL)
        return mica_value_fail(checker, place, MICA_E_CHOICE,
                               "is enum %s %d, which has no name in "
                               "MICA_CHOICES",
                               type->tag, in);
    mica_json_stringz(writer, type->choices[in]);
    return MICA_OK;
}

static enum mica_status
encode_date(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_date *in, struct mica_json_writer *writer)
{
    char room[DATE_SIZE];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    if (!mica_date_valid(*in))
        return mica_value_fail(checker, place, MICA_E_FORMAT,
                               "must be a date of the calendar, but is year "
                               "%d, month %d, day %d",
                               (int)in->year, (int)in->month, (int)in->day);
    mica_date_write(&text, *in);
    mica_json_string(writer, mica_buffer_as_text(&text));
    return MICA_OK;
}

static bool
is_valid_time(const struct mica_time *time)
{
    return mica_date_valid(time->date) && time->hour >= 0 && time->hour <= 23 &&
           time->minute >= 0 && time->minute <= 59 && time->second >= 0 &&
           time->second <= 59 && time->nanosecond >= 0 &&
           time->nanosecond <= 999999999 && time->offset_minutes >= -1439 &&
           time->offset_minutes <= 1439;
}

static enum mica_status
encode_date_time(struct mica_checker *checker, const struct mica_place *place,
                 const struct mica_time *in, struct mica_json_writer *writer)
{
    char room[DATE_SIZE];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    if (!is_valid_time(in))
        return mica_value_fail(
            checker, place, MICA_E_FORMAT,
            "must be a moment of the calendar, but is year %d, month %d, day "
            "%d, %d:%d:%d and %d ns, %d minutes east of UTC",
            (int)in->date.year, (int)in->date.month, (int)in->date.day,
            (int)in->hour, (int)in->minute, (int)in->second,
            (int)in->nanosecond, (int)in->offset_minutes);
    mica_time_write(&text, *in);
    mica_json_string(writer, mica_buffer_as_text(&text));
    return MICA_OK;
}

static enum mica_status
encode_any(const struct mica_json *in, struct mica_json_writer *writer)
{
    if (in == NULL)
        mica_json_null(writer);
    else
        mica_json_value(writer, in);
    return MICA_OK;
}

// ---- Values with parts -----------------------------------------------------

static enum mica_status
encode_list(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const struct mica_list_value *in,
            struct mica_json_writer *writer)
{
    struct mica_slot element = mica_slot_element(slot);
    const char *items = in->items;
    MICA_TRY(mica_value_count(checker, place, slot, in->count));
    if (in->count > 0 && items == NULL)
        return mica_value_fail(checker, place, MICA_E_TYPE,
                               "has %zu items, but `items` is NULL", in->count);
    mica_json_open_array(writer);
    for (size_t i = 0; i < in->count; i++) {
        struct mica_place here = {.up = place, .index = i};
        MICA_TRY(encode_value(checker, &here, &element,
                              items + i * element.type->size, writer));
    }
    mica_json_close_array(writer);
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
        uint32_t hash = 2166136261u;
        for (size_t k = 0; k < map->keys[i].len; k++)
            hash = (hash ^ (unsigned char)map->keys[i].ptr[k]) * 16777619u;
        size_t at = hash & (slots - 1);
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
           const struct mica_slot *slot, const struct mica_map_value *in,
           struct mica_json_writer *writer)
{
    struct mica_slot element = mica_slot_element(slot);
    MICA_TRY(check_map(checker, place, slot, in));
    mica_json_open_object(writer);
    for (size_t i = 0; i < in->count; i++) {
        struct mica_place here = {.up = place, .name = in->keys[i]};
        if (here.name.ptr == NULL)
            here.name.ptr = "";
        MICA_TRY(check_utf8(checker, place, in->keys[i]));
        MICA_TRY(mica_value_key(checker, &here, slot->field, in->keys[i]));
        mica_json_name_text(writer, in->keys[i]);
        MICA_TRY(encode_value(checker, &here, &element,
                              (const char *)in->items + i * element.type->size,
                              writer));
    }
    mica_json_close_object(writer);
    return MICA_OK;
}

static enum mica_status
encode_nullable(struct mica_checker *checker, const struct mica_place *place,
                const struct mica_slot *slot, const bool *present,
                struct mica_json_writer *writer)
{
    struct mica_slot element = mica_slot_element(slot);
    if (!*present) {
        mica_json_null(writer);
        return MICA_OK;
    }
    return encode_value(checker, place, &element,
                        (const char *)present + slot->type->value_offset,
                        writer);
}

static enum mica_status
encode_record(struct mica_checker *checker, const struct mica_place *up,
              const struct mica_record *record, const char *in,
              struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < record->count; i++) {
        const struct mica_field *field = &record->fields[i];
        struct mica_place place = {.up = up, .name = mica_text(field->name)};
        struct mica_slot slot = mica_slot_of(field);
        if (field->has_offset > 0 &&
            !*(const bool *)(in + field->has_offset - 1))
            continue;
        mica_json_name_text(writer, place.name);
        MICA_TRY(
            encode_value(checker, &place, &slot, in + field->offset, writer));
    }
    mica_json_close_object(writer);
    return MICA_OK;
}

static enum mica_status
encode_value(struct mica_checker *checker, const struct mica_place *place,
             const struct mica_slot *slot, const void *in,
             struct mica_json_writer *writer)
{
    switch (slot->type->kind) {
    case MICA_KIND_TEXT:
        return encode_text(checker, place, slot, in, writer);
    case MICA_KIND_NUMBER:
        return encode_number(checker, place, slot, *(const double *)in, writer);
    case MICA_KIND_INTEGER:
        return encode_integer(checker, place, slot, *(const int64_t *)in,
                              writer);
    case MICA_KIND_BOOLEAN:
        mica_json_boolean(writer, *(const bool *)in);
        return MICA_OK;
    case MICA_KIND_CHOICE:
        return encode_choice(checker, place, slot->type, *(const int *)in,
                             writer);
    case MICA_KIND_DATE:
        return encode_date(checker, place, in, writer);
    case MICA_KIND_DATE_TIME:
        return encode_date_time(checker, place, in, writer);
    case MICA_KIND_LIST:
        return encode_list(checker, place, slot, in, writer);
    case MICA_KIND_MAP:
        return encode_map(checker, place, slot, in, writer);
    case MICA_KIND_NULLABLE:
        return encode_nullable(checker, place, slot, in, writer);
    case MICA_KIND_ANY:
        return encode_any(*(const struct mica_json *const *)in, writer);
    case MICA_KIND_RECORD:
        return encode_record(checker, place, slot->type->record, in, writer);
    }
    return mica_value_fail(checker, place, MICA_E_INTERNAL,
                           "has a kind that does not exist");
}

enum mica_status
mica_record_encode(const struct mica_record *record, const void *in,
                   struct mica_arena *arena, struct mica_error *error,
                   struct mica_json_writer *writer)
{
    struct mica_checker checker = {arena, error, NULL};
    return encode_record(&checker, NULL, record, in, writer);
}
