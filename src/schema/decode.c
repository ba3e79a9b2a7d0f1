// SPDX-License-Identifier: Apache-2.0
//
// JSON to struct. Strict, because an agent learns from a refusal and not from a
// value that was dropped: unknown names, other types and values out of bounds
// all end the decoding with the first of them.
#include "schema/record.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "schema/decode_words.h"
#include "schema/value.h"

static enum mica_status decode_value(struct mica_checker *checker,
                                     const struct mica_place *place,
                                     const struct mica_slot *slot,
                                     const struct mica_json *value, void *out);

// ---- Values without parts --------------------------------------------------

static enum mica_status
decode_text(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const struct mica_json *value,
            struct mica_text *out)
{
    if (value->kind != MICA_JSON_STRING)
        return mica_decode_wrong_type(checker, place, slot, value);
    *out = value->text;
    return mica_value_text(checker, place, mica_slot_bounds(slot), *out);
}

static enum mica_status
decode_number(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_slot *slot, const struct mica_json *value,
              double *out)
{
    if (value->kind != MICA_JSON_NUMBER || !mica_number_read(value->text, out))
        return mica_decode_wrong_type(checker, place, slot, value);
    if (isinf(*out))
        return mica_decode_too_large(checker, place, value);
    return mica_value_number(checker, place, mica_slot_bounds(slot), *out);
}

static enum mica_status
decode_integer(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_slot *slot, const struct mica_json *value,
               int64_t *out)
{
    const struct mica_bounds *bounds = mica_slot_bounds(slot);
    double nearest;
    if (value->kind != MICA_JSON_NUMBER)
        return mica_decode_wrong_type(checker, place, slot, value);
    if (mica_integer_read(value->text, out))
        return mica_value_integer(checker, place, bounds, *out);
    if (mica_number_read(value->text, &nearest) &&
        fabs(nearest) >= (bounds->wide ? 0x1p63 : 0x1p53))
        return mica_decode_too_large(checker, place, value);
    return mica_decode_wrong_type(checker, place, slot, value);
}

static enum mica_status
decode_boolean(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_slot *slot, const struct mica_json *value,
               bool *out)
{
    if (value->kind != MICA_JSON_TRUE && value->kind != MICA_JSON_FALSE)
        return mica_decode_wrong_type(checker, place, slot, value);
    *out = value->kind == MICA_JSON_TRUE;
    return MICA_OK;
}

static enum mica_status
decode_choice(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_slot *slot, const struct mica_json *value,
              int *out)
{
    const struct mica_type *type = slot->type;
    MICA_ASSERT(type->size == sizeof(int));
    if (value->kind != MICA_JSON_STRING)
        return mica_decode_wrong_type(checker, place, slot, value);
    for (size_t i = 0; i < type->choice_count; i++) {
        if (type->choices[i] != NULL &&
            mica_text_is(value->text, type->choices[i])) {
            *out = (int)i;
            return MICA_OK;
        }
    }
    return mica_decode_no_choice(checker, place, type, value->text);
}

static enum mica_status
decode_date(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const struct mica_json *value,
            struct mica_date *out)
{
    if (value->kind != MICA_JSON_STRING)
        return mica_decode_wrong_type(checker, place, slot, value);
    return mica_date_read(value->text, out)
               ? MICA_OK
               : mica_decode_no_date(checker, place, slot->type, value->text);
}

static enum mica_status
decode_date_time(struct mica_checker *checker, const struct mica_place *place,
                 const struct mica_slot *slot, const struct mica_json *value,
                 struct mica_time *out)
{
    if (value->kind != MICA_JSON_STRING)
        return mica_decode_wrong_type(checker, place, slot, value);
    return mica_time_read(value->text, out)
               ? MICA_OK
               : mica_decode_no_date(checker, place, slot->type, value->text);
}

// ---- Values with parts -----------------------------------------------------

static enum mica_status
decode_list(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const struct mica_json *value,
            struct mica_list_value *out)
{
    struct mica_slot element = mica_slot_element(slot);
    size_t size = element.type->size;
    if (value->kind != MICA_JSON_ARRAY)
        return mica_decode_wrong_type(checker, place, slot, value);
    MICA_TRY(mica_value_count(checker, place, slot, value->count));
    char *items = mica_arena_zero(checker->arena, value->count, size);
    if (items == NULL)
        return mica_value_no_memory(checker, place);
    *out = (struct mica_list_value){value->count, items};
    for (size_t i = 0; i < value->count; i++) {
        struct mica_place here = {.up = place, .index = i};
        MICA_TRY(decode_value(checker, &here, &element, &value->items[i],
                              items + i * size));
    }
    return MICA_OK;
}

static enum mica_status
decode_map(struct mica_checker *checker, const struct mica_place *place,
           const struct mica_slot *slot, const struct mica_json *value,
           struct mica_map_value *out)
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
    *out = (struct mica_map_value){value->count, keys, items};
    for (size_t i = 0; i < value->count; i++) {
        const struct mica_json_member *member = &value->members[i];
        struct mica_place here = {.up = place, .name = member->name};
        keys[i] = member->name;
        MICA_TRY(mica_value_key(checker, &here, slot->field, keys[i]));
        MICA_TRY(decode_value(checker, &here, &element, &member->value,
                              items + i * size));
    }
    return MICA_OK;
}

static enum mica_status
decode_nullable(struct mica_checker *checker, const struct mica_place *place,
                const struct mica_slot *slot, const struct mica_json *value,
                bool *present)
{
    struct mica_slot element = mica_slot_element(slot);
    *present = value->kind != MICA_JSON_NULL;
    if (!*present)
        return MICA_OK;
    return decode_value(checker, place, &element, value,
                        (char *)present + slot->type->value_offset);
}

// ---- Records ---------------------------------------------------------------

// One pass, as this is asked for each member of each call.
static bool
is_name(const char *namez, struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (namez[i] != text.ptr[i] || namez[i] == '\0')
            return false;
    return namez[text.len] == '\0';
}

// Index of the field of that name, or record->count. Callers mostly keep the
// order of the schema, so the search begins at `guess`.
static size_t
find_field(const struct mica_record *record, struct mica_text name,
           size_t guess)
{
    for (size_t i = guess; i < record->count; i++)
        if (is_name(record->fields[i].name, name))
            return i;
    for (size_t i = 0; i < guess; i++)
        if (is_name(record->fields[i].name, name))
            return i;
    return record->count;
}

static enum mica_status
decode_field(struct mica_checker *checker, const struct mica_place *up,
             const struct mica_field *field,
             const struct mica_json_member *member, char *out)
{
    struct mica_place place = {.up = up, .name = member->name};
    struct mica_slot slot = mica_slot_of(field);
    if (field->has_offset > 0)
        out[field->has_offset - 1] = true;
    return decode_value(checker, &place, &slot, &member->value,
                        out + field->offset);
}

// A fallback is the author's text, decoded as if the caller had sent it.
static enum mica_status
decode_absent(struct mica_checker *checker, const struct mica_place *up,
              const struct mica_field *field, char *out)
{
    if (field->fallback != NULL) {
        struct mica_place place = {.up = up, .name = mica_text(field->name)};
        struct mica_slot slot = mica_slot_of(field);
        // In the arena, as a field of kind any keeps it.
        struct mica_json *value =
            mica_arena_alloc(checker->arena, sizeof *value);
        if (value == NULL)
            return mica_value_no_memory(checker, &place);
        MICA_TRY(mica_json_read(checker->arena, mica_text(field->fallback),
                                NULL, checker->error, value));
        return decode_value(checker, &place, &slot, value, out + field->offset);
    }
    return field->optional ? MICA_OK : mica_decode_missing(checker, up, field);
}

static enum mica_status
decode_record(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_record *record, const struct mica_json *value,
              char *out)
{
    uint64_t seen = 0;
    size_t guess = 0;
    MICA_ASSERT(record->count <= 64);
    for (size_t i = 0; i < value->count; i++) {
        const struct mica_json_member *member = &value->members[i];
        size_t index = find_field(record, member->name, guess);
        if (index == record->count)
            return mica_decode_unknown(checker, place, record, member->name);
        seen |= UINT64_C(1) << index;
        guess = index + 1;
        MICA_TRY(
            decode_field(checker, place, &record->fields[index], member, out));
    }
    for (size_t i = 0; i < record->count; i++)
        if ((seen >> i & 1) == 0)
            MICA_TRY(decode_absent(checker, place, &record->fields[i], out));
    return MICA_OK;
}

static enum mica_status
decode_value(struct mica_checker *checker, const struct mica_place *place,
             const struct mica_slot *slot, const struct mica_json *value,
             void *out)
{
    switch (slot->type->kind) {
    case MICA_KIND_TEXT:
        return decode_text(checker, place, slot, value, out);
    case MICA_KIND_NUMBER:
        return decode_number(checker, place, slot, value, out);
    case MICA_KIND_INTEGER:
        return decode_integer(checker, place, slot, value, out);
    case MICA_KIND_BOOLEAN:
        return decode_boolean(checker, place, slot, value, out);
    case MICA_KIND_CHOICE:
        return decode_choice(checker, place, slot, value, out);
    case MICA_KIND_DATE:
        return decode_date(checker, place, slot, value, out);
    case MICA_KIND_DATE_TIME:
        return decode_date_time(checker, place, slot, value, out);
    case MICA_KIND_LIST:
        return decode_list(checker, place, slot, value, out);
    case MICA_KIND_MAP:
        return decode_map(checker, place, slot, value, out);
    case MICA_KIND_NULLABLE:
        return decode_nullable(checker, place, slot, value, out);
    case MICA_KIND_ANY:
        *(const struct mica_json **)out = value;
        return MICA_OK;
    case MICA_KIND_RECORD:
        if (value->kind != MICA_JSON_OBJECT)
            return mica_decode_wrong_type(checker, place, slot, value);
        return decode_record(checker, place, slot->type->record, value, out);
    }
    return mica_value_fail(checker, place, MICA_E_INTERNAL,
                           "has a kind that does not exist");
}

enum mica_status
mica_record_decode(const struct mica_record *record,
                   const struct mica_json *value, struct mica_arena *arena,
                   struct mica_error *error, void *out)
{
    struct mica_checker checker = {arena, error, NULL};
    if (value->kind != MICA_JSON_OBJECT)
        return mica_decode_no_object(&checker, record, value);
    return decode_record(&checker, NULL, record, value, out);
}
